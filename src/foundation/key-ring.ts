/**
 * The data keys that this process has at hand, unwrapped, and what they seal.
 *
 * Layout of a ciphertext: 0 · id of the data key (16 bytes) · nonce (12) · ciphertext · tag (16). One that begins with another byte was sealed by a key of
 * `CONFAM_KEYS` directly, as earlier releases did.
 */
import { LRUCache } from 'lru-cache';
import type postgres from 'postgres';
import { KeyFault, type Opener, openUnder, type Sealer, type SealingKey, sealerUnder } from './crypto.ts';
import { uuidFromHex } from './ids.ts';
import type { DeploymentKeys, WrappedKey } from './wrapping.ts';

type Sql = postgres.Sql<{ bigint: number }>;

export type Sealed = Uint8Array | null | undefined;

/** First byte of a ciphertext sealed by a data key. */
const DATA_KEY = 0;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES;

/** Unwrapped keys that a process remembers, about 200 bytes each, and for how long: a key that was deleted is forgotten everywhere by then. */
export const KEYS_MAX = 20_000;
export const REMEMBER_MS = 5 * 60_000;
/** A key that was loaded stays at hand for at least this long: blocks are opened when the first of their entities is asked for. */
const AT_LEAST_MS = 60_000;
/** A key that could not be loaded is requested again after this time. */
const FAULT_MS = 2_000;

export interface KeyRing {
  /** Opens these ciphertexts; their keys are in memory by then. */
  opener(sealed: Iterable<Sealed>): Promise<Opener>;
  /** Opens what this key has sealed. */
  openerUnder(id: string): Promise<Opener>;
  /** Unwraps a key and remembers it. Throws `KeyFault`. */
  unwrap(key: WrappedKey): Promise<Buffer>;
  add(id: string, key: Buffer): void;
  close(): void;
}

export function openKeyRing(sql: Sql, { wrapping, direct }: Pick<DeploymentKeys, 'wrapping' | 'direct'>): KeyRing {
  const ring = new LRUCache<string, Buffer>({ max: KEYS_MAX, ttl: REMEMBER_MS, noDeleteOnStaleGet: true });
  const faults = new LRUCache<string, KeyFault>({ max: KEYS_MAX, ttl: FAULT_MS });
  const forget = setInterval(() => ring.purgeStale(), REMEMBER_MS / 4);
  forget.unref();

  const opener: Opener = { open: (sealed, purpose, id) => openBytes(sealed, purpose, id).toString('utf8'), openBytes };
  const ready = Promise.resolve(opener);

  function openBytes(sealed: Uint8Array, purpose: string, id: string): Buffer {
    if (sealed[0] !== DATA_KEY) {
      if (direct) return direct.openBytes(sealed, purpose, id);
      throw new KeyFault(`This was encrypted with key ${sealed[0]}, which is not known: CONFAM_KEYS is not set`);
    }
    if (sealed.length < HEADER_BYTES) throw new Error('a ciphertext is cut short');
    const name = nameIn(sealed);
    const key = ring.get(name, { allowStale: true });
    if (!key)
      throw faults.get(name) ?? new KeyFault(`The data key ${uuidOf(name)} is unknown: it was deleted, or belongs to another database`);
    return openUnder(key, HEADER_BYTES, sealed, purpose, id);
  }

  async function load(names: ReadonlySet<string>): Promise<Opener> {
    const rows = await sql<WrappedKey[]>`
      select id, wrapped from data_keys where id = any(${[...names].map(uuidOf)}::uuid[])`;
    await unwrapAll(rows);
    const found = new Set(rows.map(({ id }) => nameOf(id)));
    for (const name of names) if (!found.has(name)) ring.delete(name);
    return opener;
  }

  async function unwrapAll(rows: readonly WrappedKey[]): Promise<(Buffer | KeyFault)[]> {
    const keys = await wrapping.unwrap(rows);
    for (const [i, { id }] of rows.entries()) {
      const key = keys[i]!;
      if (key instanceof KeyFault) faults.set(nameOf(id), key);
      else ring.set(nameOf(id), key);
    }
    return keys;
  }

  const isAtHand = (name: string): boolean => ring.getRemainingTTL(name) >= AT_LEAST_MS;

  return {
    opener(sealed) {
      const missing = new Set<string>();
      for (const one of sealed) {
        if (!one || one[0] !== DATA_KEY || one.length < HEADER_BYTES) continue;
        const name = nameIn(one);
        if (!isAtHand(name) && !faults.has(name)) missing.add(name);
      }
      return missing.size === 0 ? ready : load(missing);
    },
    openerUnder(id) {
      const name = nameOf(id);
      return isAtHand(name) ? ready : load(new Set([name]));
    },
    async unwrap(row) {
      const [key] = await unwrapAll([row]);
      if (key instanceof KeyFault) throw key;
      return key!;
    },
    add: (id, key) => void ring.set(nameOf(id), key),
    close: () => clearInterval(forget),
  };
}

export const sealingKey = (id: string, key: Buffer): SealingKey => ({ header: Uint8Array.of(DATA_KEY, ...bytesOf(id)), key });

export const sealerOf = (id: string, key: Buffer): Sealer => sealerUnder(sealingKey(id, key));

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** An id as the ring names it: its bytes as text, the cheapest to read from a ciphertext. */
const nameOf = (uuid: string): string => bytesOf(uuid).toString('latin1');

function nameIn(sealed: Uint8Array): string {
  const bytes = Buffer.isBuffer(sealed) ? sealed : Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  return bytes.toString('latin1', 1, HEADER_BYTES);
}

const uuidOf = (name: string): string => uuidFromHex(Buffer.from(name, 'latin1').toString('hex'));
