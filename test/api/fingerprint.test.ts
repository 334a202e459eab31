/** Fingerprints of requests: the same bytes in any chunks are the same body; a multipart boundary does not count. */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type BodyDigest, expectedBody, fingerprint, openBodyHash } from '../../src/api/fingerprint.ts';

const form = (boundary: string) => `--${boundary}\r\nname="a"\r\n\r\n-${boundary.slice(0, -1)}\r\n--${boundary}--\r\n`;

async function digestOf(type: string, text: string, pieceBytes = text.length): Promise<BodyDigest> {
  const hash = openBodyHash(type);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) hash.update(bytes.subarray(at, at + pieceBytes));
  hash.end();
  return hash.whole;
}

describe('a body', () => {
  test('has the SHA-256 and the length of its bytes, however they are chunked', async () => {
    const text = 'nin\n70123456789\n';
    for (const bytes of [1, 2, 7, 100]) {
      expect(await digestOf('text/csv', text, bytes)).toEqual({ digest: createHash('sha256').update(text).digest(), size: text.length });
    }
    expect((await digestOf('text/csv', '')).size).toBe(0);
  });

  test('in multipart form is the same with another boundary, even one split over chunks', async () => {
    const whole = (boundary: string, bytes?: number) => digestOf(`multipart/form-data; boundary="${boundary}"`, form(boundary), bytes);
    const digests = await Promise.all([1, 2, 3, 5, 8, 13, 1000].map((bytes) => whole('--xyxyz', bytes)));
    for (const digest of digests) expect(digest).toEqual(digests[0]);
    // What only begins like the boundary is content.
    expect(digests[0]!.size).toBe(form('--xyxyz').length - 2 * '--xyxyz'.length);
    expect((await whole('--xyxyq')).digest).toEqual(digests[0]!.digest);
    expect((await whole('--abcde')).digest).not.toEqual(digests[0]!.digest);
  });
});

describe('a request', () => {
  const keyed = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest();
  const [sign, signOther] = [keyed('one'), keyed('other')];
  const request = (url: string, headers: Record<string, string> = {}) => new Request(`http://127.0.0.1${url}`, { method: 'POST', headers });

  test('is the same with its query reordered, and different if anything else differs', async () => {
    const body = await digestOf('', 'body');
    const stored = fingerprint(sign, request('/a?x=1&y=2', { 'Content-Type': 'text/csv' }), body);
    const expected = expectedBody(
      (text) => [sign(text)],
      request('/a?y=2&x=1', { 'Content-Type': 'text/csv', 'Content-Length': '4' }),
      stored,
    )!;
    expect([expected.size, expected.isSame(body.digest)]).toEqual([4, true]);
    expect(expected.isSame((await digestOf('', 'bode')).digest)).toBe(false);
    for (const other of [
      request('/a?x=1&y=3', { 'Content-Type': 'text/csv' }),
      request('/a?x=1', { 'Content-Type': 'text/csv' }),
      request('/b?x=1&y=2', { 'Content-Type': 'text/csv' }),
      request('/a?x=1&y=2', { 'Content-Type': 'application/json' }),
      request('/a?x=1&y=2', { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }),
      request('/a?x=1&y=2', { 'Content-Type': 'text/csv', 'Content-Length': '5' }),
      request('/a?x=1&y=2', { 'Content-Type': 'text/csv', Consent: '{"reference":"C-7"}' }),
    ])
      expect(expectedBody((text) => [sign(text)], other, stored)).toBeNull();
  });

  test('is different under another key, and shows no hash that an outsider could compute', async () => {
    const body = await digestOf('', '{"nin":"70123456789"}');
    const [one, other] = [fingerprint(sign, request('/a'), body), fingerprint(signOther, request('/a'), body)];
    expect(one.includes(body.digest)).toBe(false);
    for (const at of [1, 33]) expect(one.subarray(at, at + 32)).not.toEqual(other.subarray(at, at + 32));
    expect(expectedBody((text) => [signOther(text)], request('/a'), one)).toBeNull();
  });

  test('is different with another consent in its header, unless an earlier release has stored it', async () => {
    const body = await digestOf('', 'body');
    const [one, other] = ['C-7', 'C-8'].map((reference) => request('/a', { Consent: JSON.stringify({ reference }) }));
    const signs = (text: string) => [sign(text)];
    const stored = fingerprint(sign, one!, body);
    expect(expectedBody(signs, one!, stored)?.isSame(body.digest)).toBe(true);
    for (const differing of [other!, request('/a')]) expect(expectedBody(signs, differing, stored)).toBeNull();
    const earlier = fingerprint(sign, request('/a'), body);
    earlier[0] = 1;
    expect(expectedBody(signs, one!, earlier)?.isSame(body.digest)).toBe(true);
  });

  test('is recognized by the plain fingerprint that the previous release stored', async () => {
    const body = await digestOf('', 'body');
    const head = createHash('sha256')
      .update(JSON.stringify(['POST', '/a', [''], '', '']))
      .digest();
    const size = Buffer.from([0, 0, 0, 0, 0, 4]);
    const expected = expectedBody((text) => [sign(text)], request('/a'), Buffer.concat([head, body.digest, size]))!;
    expect([expected.size, expected.isSame(body.digest), expected.isSame(head)]).toEqual([4, true, false]);
    expect(expectedBody((text) => [sign(text)], request('/b'), Buffer.concat([head, body.digest, size]))).toBeNull();
  });
});
