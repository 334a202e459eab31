/** `webhooks.verify`: both schemes, rotation, time, and every way to call it wrongly. Messages are signed by other implementations. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { WebhookRefused, webhooks } from '../../src/client/confam.ts';
import { newWebhookSecret } from '../../src/foundation/crypto.ts';

const secret = newWebhookSecret();
const other = newWebhookSecret();
const body = Buffer.from(
  '{"type":"job.completed","timestamp":"2026-11-21T03:13:57.114Z","data":{"id":"job_1","reference":"ọ\\u00e9", "billed_amount":125.0}}',
);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const whpk = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')}`;

const now = () => Math.floor(Date.now() / 1000);
const headersOf = (signature: string, at = now()): Record<string, string> => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(at),
  'webhook-signature': signature,
});
const v1 = (by: string, at = now()): string => new Webhook(by).sign('evt_1', new Date(at * 1000), body.toString());
const v1a = (at = now()): string => `v1a,${sign(null, Buffer.concat([Buffer.from(`evt_1.${at}.`), body]), privateKey).toString('base64')}`;
const faultOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error: unknown) => (error as WebhookRefused).code,
  );

describe('webhooks.verify', () => {
  test('accepts what the secret signed, from Headers, an object in any case, and bytes of any kind', async () => {
    const headers = headersOf(v1(secret));
    const event = await webhooks.verify(body, headers, secret);
    expect(event).toMatchObject({ type: 'job.completed', data: { id: 'job_1' } });
    expect(await webhooks.verify(new Uint8Array(body), new Headers(headers), secret)).toEqual(event);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    const { buffer, byteOffset, length } = body;
    expect(await webhooks.verify((buffer as ArrayBuffer).slice(byteOffset, byteOffset + length), shouted, secret)).toEqual(event);
  });

  test('accepts the public key of a v1a endpoint, and nothing that another key signed', async () => {
    expect(await webhooks.verify(body, headersOf(v1a()), whpk)).toMatchObject({ type: 'job.completed' });
    const stranger = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
    expect(await faultOf(webhooks.verify(body, headersOf(v1a()), `whpk_${Buffer.from(stranger, 'base64url').toString('base64')}`))).toBe(
      'wrong_signature',
    );
    // The scheme belongs to the key: a public key, which anybody has, is no shared secret.
    const forged = new Webhook(`whsec_${whpk.slice(5)}`).sign('evt_1', new Date(), body.toString());
    expect(await faultOf(webhooks.verify(body, headersOf(forged), whpk))).toBe('wrong_signature');
  });

  test('during a rotation either side may be ahead', async () => {
    const both = `${v1(other)} ${v1(secret)}`;
    for (const known of [secret, other, [other, secret], ['', secret]])
      expect(await faultOf(webhooks.verify(body, headersOf(both), known))).toBe('accepted');
    expect(await faultOf(webhooks.verify(body, headersOf(v1(secret)), [other, whpk, secret]))).toBe('accepted');
    expect(await faultOf(webhooks.verify(body, headersOf(both), newWebhookSecret()))).toBe('wrong_signature');
  });

  test('a body, an id or a time that was altered is refused', async () => {
    const headers = headersOf(v1(secret));
    for (let at = 0; at < body.length; at += 17) {
      const altered = Buffer.from(body);
      altered[at]! ^= 1;
      expect(await faultOf(webhooks.verify(altered, headers, secret))).toBe('wrong_signature');
    }
    expect(await faultOf(webhooks.verify(body, { ...headers, 'webhook-id': 'evt_2' }, secret))).toBe('wrong_signature');
    expect(await faultOf(webhooks.verify(body, { ...headers, 'webhook-timestamp': String(now() - 60) }, secret))).toBe('wrong_signature');
    // The same JSON, written again.
    expect(await faultOf(webhooks.verify(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), headers, secret))).toBe(
      'wrong_signature',
    );
  });

  test('time: five minutes either way, or as the receiver says', async () => {
    const at = (seconds: number, options?: { toleranceSeconds: number }) =>
      faultOf(webhooks.verify(body, headersOf(v1(secret, now() + seconds), now() + seconds), secret, options));
    expect(await Promise.all([at(-290), at(290), at(-310), at(310)])).toEqual(['accepted', 'accepted', 'too_old', 'too_new']);
    expect(await Promise.all([at(-310, { toleranceSeconds: 600 }), at(-20, { toleranceSeconds: 10 })])).toEqual(['accepted', 'too_old']);
    expect(await faultOf(webhooks.verify(body, { ...headersOf(v1(secret)), 'webhook-timestamp': 'soon' }, secret))).toBe('bad_timestamp');
  });

  test.each<[string, unknown, string, RegExp]>([
    ['a parsed object', JSON.parse(body.toString()), 'body_is_not_bytes', /a parsed object; pass the bytes as they arrived/],
    ['text', body.toString(), 'body_is_not_bytes', /is text; pass the bytes/],
    ['nothing', undefined, 'body_is_not_bytes', /is undefined; pass the bytes/],
  ])('%s is refused as a body with a sentence', async (_, sent, code, sentence) => {
    const error = await webhooks.verify(sent as Uint8Array, headersOf(v1(secret)), secret).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(WebhookRefused);
    expect(error).toMatchObject({ code, message: expect.stringMatching(sentence) });
  });

  test('without a secret nothing is accepted', async () => {
    for (const none of ['', [], [''], undefined, [undefined]])
      expect(await faultOf(webhooks.verify(body, headersOf(v1(secret)), none as string))).toBe('no_secret');
    for (const bad of ['whsec_', 'whsec_AAAA', 'whsec_not base64!', 'whpk_AAAA'])
      expect(await faultOf(webhooks.verify(body, headersOf(v1(secret)), bad))).toBe('bad_secret');
  });

  test('signatures that are none are refused', async () => {
    for (const none of ['v1', 'v1,', 'v1,!!!', 'v2,AAAA', `v1a,${v1(secret).slice(3)}`, v1(secret).slice(3)])
      expect(await faultOf(webhooks.verify(body, headersOf(none), secret))).toBe('wrong_signature');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(await faultOf(webhooks.verify(body, { ...headersOf(v1(secret)), [name]: undefined }, secret))).toBe('missing_header');
  });
});
