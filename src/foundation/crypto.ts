/**
 * Encryption at rest, the keyed index of subjects, and API keys. AES-256-GCM; each ciphertext names its key, so that keys rotate by putting a new one first.
 * Layout: key id (1 byte) · nonce (12) · ciphertext · tag (16).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  hash,
  hkdfSync,
  randomBytes,
  randomFillSync,
  randomInt,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import { crc32 } from 'node:zlib';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Cipher {
  /** `purpose` and `id` are bound to the ciphertext: it does not open in another column or row. */
  seal(plain: string | Uint8Array, purpose: string, id: string): Buffer;
  /** Throws if the ciphertext was altered, moved or made with an unknown key. */
  open(sealed: Uint8Array, purpose: string, id: string): string;
  openBytes(sealed: Uint8Array, purpose: string, id: string): Buffer;
  /** 32 bytes by which a subject is found; without the key they reveal nothing about the identifier. */
  index(...parts: string[]): Buffer;
  /** 32 bytes that only we can make: HMAC-SHA256 with a separate key for each purpose (HKDF of the index key). */
  sign(purpose: string, text: string): Buffer;
}

/** `keys`: `1:base64,2:base64`; the first encrypts, all decrypt. `indexKey`: base64. Each is 32 bytes. */
export function openCipher(keys: string, indexKey: string): Cipher {
  const byId = new Map<number, Buffer>();
  for (const entry of keys.split(',')) {
    const [id, encoded] = entry.split(':');
    const key = Buffer.from(encoded ?? '', 'base64');
    const number = Number(id);
    if (!Number.isInteger(number) || number < 1 || number > 255 || key.length !== 32 || byId.has(number)) {
      throw new Error('CONFAM_KEYS: expected id:base64 pairs with distinct ids 1 to 255 and 32-byte keys');
    }
    byId.set(number, key);
  }
  const hmacKey = Buffer.from(indexKey, 'base64');
  if (hmacKey.length !== 32) throw new Error('CONFAM_INDEX_KEY: expected base64 of 32 bytes');
  const [currentId, currentKey] = [...byId][0]!;
  const nonce = openNonces();
  const signingKeys = new Map<string, Buffer>();
  const signingKey = (purpose: string): Buffer => {
    const key = signingKeys.get(purpose) ?? Buffer.from(hkdfSync('sha256', hmacKey, '', `confam:${purpose}`, 32));
    signingKeys.set(purpose, key);
    return key;
  };

  function openBytes(sealed: Uint8Array, purpose: string, id: string): Buffer {
    const key = byId.get(sealed[0] ?? 0);
    if (!key || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) throw new Error('ciphertext made with an unknown key');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES)).setAAD(Buffer.from(`${purpose}:${id}`));
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const body = decipher.update(sealed.subarray(1 + NONCE_BYTES, sealed.length - TAG_BYTES));
    decipher.final();
    return body;
  }

  return {
    seal(plain, purpose, id) {
      const sealed = Buffer.allocUnsafe(1 + NONCE_BYTES + Buffer.byteLength(plain) + TAG_BYTES);
      sealed[0] = currentId;
      nonce(sealed, 1);
      const cipher = createCipheriv('aes-256-gcm', currentKey, sealed.subarray(1, 1 + NONCE_BYTES)).setAAD(Buffer.from(`${purpose}:${id}`));
      // The encoding applies to text only.
      cipher.update(plain as string, 'utf8').copy(sealed, 1 + NONCE_BYTES);
      cipher.final();
      cipher.getAuthTag().copy(sealed, sealed.length - TAG_BYTES);
      return sealed;
    },
    open: (sealed, purpose, id) => openBytes(sealed, purpose, id).toString('utf8'),
    openBytes,
    index: (...parts) => createHmac('sha256', hmacKey).update(parts.join('\u0000')).digest(),
    sign: (purpose, text) => createHmac('sha256', signingKey(purpose)).update(text).digest(),
  };
}

/** Random nonces, drawn a thousand at a time: asking the system for each took a tenth of a batch worker's time. */
function openNonces(): (target: Buffer, at: number) => void {
  const pool = Buffer.allocUnsafe(1024 * NONCE_BYTES);
  let used = pool.length;
  return (target, at) => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    pool.copy(target, at, used, used + NONCE_BYTES);
    used += NONCE_BYTES;
  };
}

export const newSecretKey = (): string => randomBytes(32).toString('base64');

/** Webhook secret in the form of Standard Webhooks: `whsec_` + base64 of 32 bytes. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** An ed25519 key in the form of Standard Webhooks: `whsk_` + base64 of seed and public key, 32 bytes each. */
export function newWebhookKey(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return `whsk_${Buffer.concat([Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]).toString('base64')}`;
}

/** `whpk_` + base64: the key that verifies signatures made with `whsk_…`. */
export const webhookPublicKey = (key: string): string => `whpk_${keyBytes(key).subarray(32).toString('base64')}`;

/** Signature in base64. */
export function signByWebhookKey(key: string, message: string): string {
  const bytes = keyBytes(key);
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: bytes.subarray(0, 32).toString('base64url'), x: bytes.subarray(32).toString('base64url') };
  return sign(null, Buffer.from(message), createPrivateKey({ key: jwk, format: 'jwk' })).toString('base64');
}

const keyBytes = (key: string): Buffer => Buffer.from(key.slice('whsk_'.length), 'base64');

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_FORM = /^cf_(live|test|admin)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export type KeyKind = 'live' | 'test' | 'admin';

/** `cf_test_` + 32 random base62 digits (190 bits) + 6 digits of CRC-32, so that a mistyped key is refused without a look-up. */
export function newApiKey(kind: KeyKind): string {
  const random = Array.from({ length: 32 }, () => BASE62[randomInt(62)]).join('');
  return `cf_${kind}_${random}${keyChecksum(kind, random)}`;
}

/** The kind of a well-formed key, or `null`. */
export function parseApiKey(key: string): KeyKind | null {
  const match = KEY_FORM.exec(key);
  return match && keyChecksum(match[1]!, match[2]!) === match[3] ? (match[1] as KeyKind) : null;
}

function keyChecksum(kind: string, random: string): string {
  let value = crc32(`${kind}_${random}`);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = BASE62[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** SHA-256 of text without a secret: for comparing, not for storing. */
export const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** A key has 190 random bits, so a plain hash is safe to store. */
export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');

export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hashApiKey(one), hashApiKey(other));
}
