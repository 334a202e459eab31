/**
 * The deployment's own keys: AES-256-GCM, and API keys. The keyed index of subjects is in `index-keys.ts`. The deployment's keys wrap data keys (`data-keys.ts`),
 * which seal what is stored; earlier releases sealed with them directly, and that stays readable. Each ciphertext names its key, so that keys rotate by putting a
 * new one first. Layout: key id (1 byte, not 0) · nonce (12) · ciphertext · tag (16).
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  hash,
  randomBytes,
  randomFillSync,
  randomInt,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ConfigError } from './config.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** `purpose` and `id` are bound to the ciphertext: it does not open in another column or row. */
  seal(plain: string | Uint8Array, purpose: string, id: string): Buffer;
}

/** A sealing key and the header that each of its ciphertexts begins with: all that a thread needs for sealing (`sealerUnder`). */
export interface SealingKey {
  header: Uint8Array;
  key: Uint8Array;
}

export interface Opener {
  /** Throws if the ciphertext was altered or moved, and `KeyFault` if its key is unknown. */
  open(sealed: Uint8Array, purpose: string, id: string): string;
  openBytes(sealed: Uint8Array, purpose: string, id: string): Buffer;
}

/** A key is unknown or cannot be used. The message is a sentence that names the key; it may be shown to anybody. */
export class KeyFault extends Error {
  /** True: the key service may answer in a moment. False: the key is gone until an operator brings it back. */
  readonly isPassing: boolean;
  /** The setting and key id, if a key of this id is there but did not seal this. Null if the key is missing or cannot be reached. */
  readonly otherKey: string | null;

  constructor(message: string, options: { isPassing?: boolean; otherKey?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'KeyFault';
    this.isPassing = options.isPassing ?? false;
    this.otherKey = options.otherKey ?? null;
  }
}

/** The deployment's keys, which wrap data keys and sealed directly in earlier releases. */
export type DirectKeys = Sealer & Opener & { currentId: number; current: SealingKey };

/** `keys`: `1:base64,2:base64`; the first seals, all open. Each is 32 bytes. */
export function openDeploymentKeys(keys: string): DirectKeys {
  const byId = new Map<number, Buffer>();
  for (const entry of keys.split(',')) {
    const [id, encoded] = entry.split(':');
    const key = Buffer.from(encoded ?? '', 'base64');
    const number = Number(id);
    if (!Number.isInteger(number) || number < 1 || number > 255 || key.length !== 32 || byId.has(number)) {
      throw new ConfigError('CONFAM_KEYS: expected id:base64 pairs with distinct ids 1 to 255 and 32-byte keys');
    }
    byId.set(number, key);
  }
  const [currentId, currentKey] = [...byId][0]!;
  const current = { header: Buffer.of(currentId), key: currentKey };
  function openBytes(sealed: Uint8Array, purpose: string, id: string): Buffer {
    const key = byId.get(sealed[0] ?? 0);
    if (!key) throw new KeyFault(`This was encrypted with key ${sealed[0] ?? 0}, which is not in CONFAM_KEYS`);
    return openUnder(key, 1, sealed, purpose, id);
  }
  return {
    currentId,
    current,
    ...sealerUnder(current),
    open: (sealed, purpose, id) => openBytes(sealed, purpose, id).toString('utf8'),
    openBytes,
  };
}

export const sealerUnder = (key: SealingKey): Sealer => ({ seal: (plain, purpose, id) => sealUnder(key, plain, purpose, id) });

function sealUnder({ header, key }: SealingKey, plain: string | Uint8Array, purpose: string, id: string): Buffer {
  const start = header.length + NONCE_BYTES;
  const sealed = Buffer.allocUnsafe(start + Buffer.byteLength(plain) + TAG_BYTES);
  sealed.set(header);
  drawNonce(sealed, header.length);
  const cipher = createCipheriv('aes-256-gcm', key, sealed.subarray(header.length, start)).setAAD(Buffer.from(`${purpose}:${id}`));
  // The encoding applies to text only.
  cipher.update(plain as string, 'utf8').copy(sealed, start);
  cipher.final();
  cipher.getAuthTag().copy(sealed, sealed.length - TAG_BYTES);
  return sealed;
}

/** `headerBytes`: how long the header is. */
export function openUnder(key: Buffer, headerBytes: number, sealed: Uint8Array, purpose: string, id: string): Buffer {
  const start = headerBytes + NONCE_BYTES;
  if (sealed.length < start + TAG_BYTES) throw new Error('a ciphertext is cut short');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(headerBytes, start)).setAAD(Buffer.from(`${purpose}:${id}`));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const body = decipher.update(sealed.subarray(start, sealed.length - TAG_BYTES));
  decipher.final();
  return body;
}

const nonces = Buffer.allocUnsafe(1024 * NONCE_BYTES);
let noncesUsed = nonces.length;

/** Random nonces, drawn a thousand at a time: asking the system for each took a tenth of a batch worker's time. */
function drawNonce(target: Buffer, at: number): void {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces);
    noncesUsed = 0;
  }
  nonces.copy(target, at, noncesUsed, noncesUsed + NONCE_BYTES);
  noncesUsed += NONCE_BYTES;
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
