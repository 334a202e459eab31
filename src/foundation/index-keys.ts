/**
 * The keyed index by which people are found, and the signatures that only we can make: HMACs under the keys of `CONFAM_INDEX_KEY`. The keys form a chain: each is
 * applied to the hash that the one before it made. A stored hash can therefore be carried on to a later key without the identifier, which nobody stores.
 *
 * Layout of a hash: key 1 is not named, as in every earlier release; the hash of a later key begins with its id (1 byte).
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { ConfigError } from './config.ts';

export interface Indexer {
  /** 32 bytes by which a subject is found (33 by a later key); without the keys they reveal nothing about the identifier. */
  index(...parts: string[]): Buffer;
  /** `index` by every key, the current one first: a stored row may have been indexed by any of them. */
  indexes(...parts: string[]): [Buffer, ...Buffer[]];
  /** Half as long, for places that store many: collisions are still out of reach. */
  shortIndex(...parts: string[]): Buffer;
  shortIndexes(...parts: string[]): [Buffer, ...Buffer[]];
  /** A stored hash, and what the keys after its own make of it. */
  later(hash: Buffer): Buffer[];
  /** A stored hash by the current key; itself if its key is the current one or a later one. */
  renewed(hash: Buffer): Buffer;
  /** 32 bytes that only we can make: HMAC-SHA256 with a separate key for each purpose (HKDF of the current index key). */
  sign(purpose: string, text: string): Buffer;
  /** `sign` by every key in the settings, the current one first. `retired`: also by those that only the database still has. */
  signatures(purpose: string, text: string, options?: { retired: boolean }): Buffer[];
  readonly currentKey: number;
  /** The last of the chain: not the current one while a new key is only being made known. */
  readonly newestKey: number;
  /** The id of the key that made a hash. */
  keyOf(hash: Buffer): number;
  /** For a thread that opens the same indexer again. */
  readonly indexKeys: IndexKeys;
}

/** What an indexer is made of, as plain values. */
export interface IndexKeys {
  /** As in the settings. */
  configured: string;
  /** Keys that the settings no longer have, by id. */
  retired: ReadonlyMap<number, Uint8Array>;
}

const HASH_BYTES = 32;
const SHORT_BYTES = 16;
/** Ids must fit beside a bucket's bits (`batches/row-marks.ts`). */
const KEY_IDS_MAX = 100;

/** `text`: `2:base64,1:base64`; the first is the current one. A single key without an id is key 1. Each is 32 bytes. By id, the current one first. */
export function parseIndexKeys(text: string): Map<number, Buffer> {
  const keys = new Map<number, Buffer>();
  for (const entry of text.split(',')) {
    const at = entry.indexOf(':');
    const id = at < 0 ? 1 : Number(entry.slice(0, at));
    const key = Buffer.from(entry.slice(at + 1), 'base64');
    if (!Number.isInteger(id) || id < 1 || id > KEY_IDS_MAX || key.length !== 32 || keys.has(id))
      throw new ConfigError(
        `CONFAM_INDEX_KEY: expected base64 of 32 bytes, or id:base64 pairs with distinct ids 1 to ${KEY_IDS_MAX}, the current key first`,
      );
    keys.set(id, key);
  }
  return keys;
}

/** The least id that is missing: the chain has every key from 1 to its last. Null: none. */
export function missingIndexKey(ids: Iterable<number>): number | null {
  const known = new Set(ids);
  for (let id = 1; id < Math.max(...known); id++) if (!known.has(id)) return id;
  return null;
}

/**
 * `indexKeys`: as in the settings. `retired`: keys that the settings no longer have. While a key of the chain is missing nothing can be indexed, and `index` and its
 * like throw.
 */
export function openIndexer(indexKeys: string, retired: IndexKeys['retired'] = new Map()): Indexer {
  const configured = parseIndexKeys(indexKeys);
  const [currentKey] = [...configured.keys()] as [number];
  const known = new Map<number, Uint8Array>([...retired, ...configured]);
  const missing = missingIndexKey(known.keys());
  const chain = [...known].sort(([one], [other]) => one - other).map(([id, key]) => ({ id, key, header: Buffer.of(id) }));
  const [first] = chain as [(typeof chain)[0]];
  const isAlone = chain.length === 1;

  const hmac = (key: Uint8Array, content: string | Buffer, bytes: number): Buffer =>
    createHmac('sha256', key).update(content).digest().subarray(0, bytes);

  /** The hash, which the key at `from` made, then what each later key makes of it. */
  function carry(hash: Buffer, from: number, bytes: number): Buffer[] {
    const all = [hash];
    let plain = from === 0 ? hash : hash.subarray(1);
    for (const { key, header } of chain.slice(from + 1)) {
      plain = hmac(key, plain, bytes);
      all.push(Buffer.concat([header, plain]));
    }
    return all;
  }

  function all(parts: string[], bytes: number): [Buffer, ...Buffer[]] {
    if (missing !== null) throw new Error(`CONFAM_INDEX_KEY: key ${missing} is missing`);
    const made = hmac(first.key, parts.join('\u0000'), bytes);
    if (isAlone) return [made];
    const hashes = carry(made, 0, bytes);
    const [current] = hashes.splice(currentKey - 1, 1);
    return [current!, ...hashes];
  }

  const keyOf = (hash: Buffer): number => (hash.length % SHORT_BYTES === 0 ? 1 : hash[0]!);
  const later = (hash: Buffer): Buffer[] =>
    isAlone ? [hash] : carry(hash, keyOf(hash) - 1, hash.length < HASH_BYTES ? SHORT_BYTES : HASH_BYTES);

  const signingKeys = new Map<string, Buffer>();
  function signBy(id: number, purpose: string, text: string): Buffer {
    const name = `${id} ${purpose}`;
    const key = signingKeys.get(name) ?? Buffer.from(hkdfSync('sha256', known.get(id)!, '', `confam:${purpose}`, 32));
    signingKeys.set(name, key);
    return createHmac('sha256', key).update(text).digest();
  }

  return {
    index: (...parts) => all(parts, HASH_BYTES)[0],
    indexes: (...parts) => all(parts, HASH_BYTES),
    shortIndex: (...parts) => all(parts, SHORT_BYTES)[0],
    shortIndexes: (...parts) => all(parts, SHORT_BYTES),
    later,
    renewed: (hash) => later(hash)[currentKey - keyOf(hash)] ?? hash,
    sign: (purpose, text) => signBy(currentKey, purpose, text),
    signatures: (purpose, text, options) =>
      [...(options?.retired ? new Set([...configured.keys(), ...known.keys()]) : configured.keys())].map((id) => signBy(id, purpose, text)),
    currentKey,
    newestKey: chain.length,
    keyOf,
    // Copied: a key may share its memory with others, and a thread would be sent all of that.
    indexKeys: { configured: indexKeys, retired: new Map([...retired].map(([id, key]) => [id, Uint8Array.from(key)])) },
  };
}
