/** `Content-Digest` (RFC 9530): checks the body that arrived against the digest that the sender announced. */
import { createHash, type Hash, timingSafeEqual } from 'node:crypto';
import { type Dictionary, parseDictionary } from 'structured-headers';
import { ApiError } from '../foundation/errors.ts';
import type { Bytes } from '../rows/decode.ts';

const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);
interface Expected {
  name: string;
  hash: Hash;
  digest: Buffer;
}

/** Passes the bytes through. Throws `invalid_upload` after the last byte if the digest differs, and `invalid_request` at once if the header is malformed. */
export function verifyDigest(header: string | undefined, bytes: Bytes): Bytes {
  return header === undefined ? bytes : verified(parseHeader(header), bytes);
}

async function* verified(expected: Expected[], bytes: Bytes): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (const { hash } of expected) hash.update(chunk);
    yield chunk;
  }
  for (const { name, hash, digest } of expected) {
    if (timingSafeEqual(hash.digest(), digest)) continue;
    const message = `does not match the body that arrived (${name}); nothing was stored`;
    throw new ApiError('invalid_upload', `Content-Digest ${message}`, {
      details: [{ path: 'Content-Digest', message, rule: 'digest_mismatch' }],
    });
  }
}

function parseHeader(header: string): Expected[] {
  const expected: Expected[] = [];
  for (const [name, [value]] of parseMembers(header)) {
    const algorithm = ALGORITHMS.get(name);
    if (algorithm === undefined) continue;
    if (!(value instanceof ArrayBuffer)) throw malformed();
    const hash = createHash(algorithm);
    const digest = Buffer.from(value);
    if (digest.length !== hash.copy().digest().length) throw refused('malformed', `has a ${name} of the wrong length`);
    expected.push({ name, hash, digest });
  }
  if (expected.length === 0) throw refused('unknown_algorithm', `must have one of ${[...ALGORITHMS.keys()].join(', ')}`);
  return expected;
}

/** A dictionary of structured fields (RFC 9651). */
function parseMembers(header: string): Dictionary {
  try {
    return parseDictionary(header);
  } catch {
    throw malformed();
  }
}

const malformed = (): ApiError => refused('malformed', 'is malformed; send sha-256=:…:, for example, with the digest in base64');

function refused(rule: string, message: string): ApiError {
  return new ApiError('invalid_request', `Content-Digest ${message}`, { details: [{ path: 'Content-Digest', message, rule }] });
}
