/**
 * Data keys. A batch is sealed under a key of its own, the rest of an app's data under a key of the app and month, and what belongs to no app under one of the
 * deployment and month. The table `data_keys` holds them wrapped (`wrapping.ts`): a rotation rewraps keys instead of rewriting rows, and deleting a batch's key
 * erases the batch at once.
 *
 * Layout of a ciphertext: 0 · id of the data key (16 bytes) · nonce (12) · ciphertext · tag (16). One that begins with another byte was sealed by a key of
 * `CONFAM_KEYS` directly, as earlier releases did.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type postgres from 'postgres';
import { KeyFault, type Opener, openUnder, type Sealer, type SealingKey, sealerUnder } from './crypto.ts';
import { newId } from './ids.ts';
import type { Indexer } from './index-keys.ts';
import type { DeploymentKeys } from './wrapping.ts';

type Sql = postgres.Sql<{ bigint: number }>;
type Tx = postgres.TransactionSql<{ bigint: number }>;

/** Whose data is sealed: a batch, otherwise an app, otherwise the deployment. */
export interface KeyOwner {
  appId: string | null;
  batchId?: string | null;
}

/** What belongs to no app, or to all of them. */
export const DEPLOYMENT: KeyOwner = { appId: null };

export interface NewBatchKey extends Sealer {
  key: SealingKey;
  /** Commits the key with its batch. Until then nobody else can open what it has sealed. */
  store(tx: Tx): Promise<void>;
}

type Sealed = Uint8Array | null | undefined;

export interface Cipher extends Indexer {
  /** Opens these ciphertexts; their keys are in memory by then. Call it again for others. */
  opener(sealed: Iterable<Sealed>): Promise<Opener>;
  /** One ciphertext; of several, `opener` loads the keys together. */
  open(sealed: Uint8Array, purpose: string, id: string): Promise<string>;
  openBytes(sealed: Uint8Array, purpose: string, id: string): Promise<Buffer>;
  /** Opens whatever belongs to a batch. */
  openerOfBatch(batchId: string): Promise<Opener>;
  /** Throws `KeyFault` if the batch or the app was deleted. */
  sealer(owner: KeyOwner): Promise<Sealer>;
  /** For those who seal for several at once. */
  sealers(owners: Iterable<KeyOwner>): Promise<(owner: KeyOwner) => Sealer>;
  /** For the transaction that creates the batch, and before it: the key service may be asked. */
  newBatchKey(appId: string, batchId: string): Promise<NewBatchKey>;
}

/** First byte of a ciphertext sealed by a data key. */
const DATA_KEY = 0;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES;
const KEY_BYTES = 32;

/** Unwrapped keys that a process remembers, about 200 bytes each, and for how long: a key that was deleted is forgotten everywhere by then. */
const KEYS_MAX = 20_000;
const REMEMBER_MS = 5 * 60_000;
/** A key that was loaded stays at hand for at least this long: blocks are opened when the first of their entities is asked for. */
const AT_LEAST_MS = 60_000;
/** A key that could not be loaded is requested again after this time. */
const FAULT_MS = 2_000;
/** The newest form of stored data that this release reads (`jobs/release.ts`); processes that read less cannot open what data keys seal. */
export const UNDER_DATA_KEYS = 3;
const READERS_MS = 2_000;
const GONE_SECONDS = 20;

/** `sql`: connections that nobody holds while waiting for a key. `direct` also seals while an earlier release still runs. */
export function openDataKeys(sql: Sql, { wrapping, direct, indexer }: DeploymentKeys): Cipher & { close(): void } {
  const ring = new LRUCache<string, Buffer>({ max: KEYS_MAX, ttl: REMEMBER_MS, noDeleteOnStaleGet: true });
  const faults = new LRUCache<string, KeyFault>({ max: KEYS_MAX, ttl: FAULT_MS });
  const sealers = new LRUCache<string, { made: Promise<Sealer>; until: number }>({ max: KEYS_MAX });
  const forget = setInterval(() => ring.purgeStale(), REMEMBER_MS / 4);
  forget.unref();

  const opener: Opener = {
    open: (sealed, purpose, id) => openBytes(sealed, purpose, id).toString('utf8'),
    openBytes: (sealed, purpose, id) => openBytes(sealed, purpose, id),
  };
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
    const rows = await sql<{ id: string; wrapped: Buffer }[]>`
      select id, wrapped from data_keys where id = any(${[...names].map(uuidOf)}::uuid[])`;
    await unwrap(rows);
    const found = new Set(rows.map(({ id }) => nameOf(id)));
    for (const name of names) if (!found.has(name)) ring.delete(name);
    return opener;
  }

  async function unwrap(rows: readonly { id: string; wrapped: Buffer }[]): Promise<(Buffer | KeyFault)[]> {
    const keys = await wrapping.unwrap(rows);
    for (const [i, { id }] of rows.entries()) {
      const key = keys[i]!;
      if (key instanceof KeyFault) faults.set(nameOf(id), key);
      else ring.set(nameOf(id), key);
    }
    return keys;
  }

  /** Stays true once it is true: a process of an earlier release does not start on this database any more. */
  let isReadByAll = false;
  async function allRead(): Promise<boolean> {
    if (isReadByAll || direct === null) return true;
    const [row] = await sql<{ all: boolean }[]>`
      select not exists (
        select 1 from processes where reads_results < ${UNDER_DATA_KEYS} and seen_at > now() - ${GONE_SECONDS} * interval '1 second') as all`;
    isReadByAll = row!.all;
    return isReadByAll;
  }

  async function make(owner: KeyOwner): Promise<{ sealer: Sealer; forMs: number }> {
    if (!(await allRead())) return { sealer: direct!, forMs: READERS_MS };
    const found = owner.batchId ? await keyOfBatch(owner.batchId) : await keyOfMonth(owner.appId);
    const [key] = await unwrap([found]);
    if (key instanceof KeyFault) throw key;
    return { sealer: sealerOf(found.id, key!), forMs: found.forMs };
  }

  async function keyOfBatch(id: string) {
    const find = () => sql<{ id: string; wrapped: Buffer }[]>`select id, wrapped from data_keys where id = ${id} and month is null`;
    let [found] = await find();
    if (!found) {
      // A batch of an earlier release gets its key when it is first written to. Not locked: the transaction that waits for this may hold its row.
      const { wrapped, by } = await newKey(id);
      await sql`
        insert into data_keys (id, app_id, wrapped, wrapped_by)
        select id, app_id, ${wrapped}::bytea, ${by}::text from batches b
        where id = ${id} and deleted_at is null and not exists (select 1 from apps where id = b.app_id and deleted_at is not null)
        on conflict do nothing`;
      [found] = await find();
    }
    if (!found) throw new KeyFault(`The data key ${id} is unknown: its batch was deleted`);
    return { ...found, forMs: REMEMBER_MS };
  }

  async function keyOfMonth(appId: string | null) {
    const find = () => sql<{ id: string; wrapped: Buffer; leftMs: number }[]>`
      select id, wrapped, extract(epoch from (month + interval '1 month') at time zone 'utc' - now())::float8 * 1000 as left_ms from data_keys
      where coalesce(app_id, ${NOBODY}) = coalesce(${appId}::uuid, ${NOBODY}) and month = date_trunc('month', now() at time zone 'utc')::date`;
    let [found] = await find();
    if (!found) {
      const id = newId();
      const { wrapped, by } = await newKey(id);
      await sql`
        insert into data_keys (id, app_id, month, wrapped, wrapped_by)
        select ${id}::uuid, ${appId}::uuid, date_trunc('month', now() at time zone 'utc'), ${wrapped}::bytea, ${by}::text
        where not exists (select 1 from apps where id = ${appId}::uuid and deleted_at is not null) on conflict do nothing`;
      [found] = await find();
    }
    if (!found) throw new KeyFault('There is no data key any more: the app was deleted');
    return { ...found, forMs: Math.min(REMEMBER_MS, found!.leftMs) };
  }

  async function newKey(id: string): Promise<{ key: Buffer; wrapped: Buffer; by: string }> {
    const key = randomBytes(KEY_BYTES);
    const [made] = await wrapping.wrap([{ id, key }]);
    return { key, ...made! };
  }

  const ofOwner = (owner: KeyOwner): string => owner.batchId ?? owner.appId ?? '';
  function sealer(owner: KeyOwner): Promise<Sealer> {
    const name = ofOwner(owner);
    const known = sealers.get(name);
    if (known && known.until > performance.now()) return known.made;
    const made = make(owner).then(
      ({ sealer, forMs }) => {
        entry.until = performance.now() + forMs;
        return sealer;
      },
      (error: unknown) => {
        sealers.delete(name);
        throw error;
      },
    );
    const entry = { made, until: Number.POSITIVE_INFINITY };
    sealers.set(name, entry);
    return made;
  }

  function openerOf(sealed: Iterable<Sealed>): Promise<Opener> {
    const missing = new Set<string>();
    for (const one of sealed) {
      if (!one || one[0] !== DATA_KEY || one.length < HEADER_BYTES) continue;
      const name = nameIn(one);
      if (ring.getRemainingTTL(name) < AT_LEAST_MS && !faults.has(name)) missing.add(name);
    }
    return missing.size === 0 ? ready : load(missing);
  }

  return {
    ...indexer,
    sealer,
    async sealers(owners) {
      const byName = new Map<string, Sealer>();
      for (const owner of owners) {
        const name = ofOwner(owner);
        if (!byName.has(name)) byName.set(name, await sealer(owner));
      }
      return (owner) => byName.get(ofOwner(owner))!;
    },
    opener: openerOf,
    open: async (sealed, purpose, id) => (await openerOf([sealed])).open(sealed, purpose, id),
    openBytes: async (sealed, purpose, id) => (await openerOf([sealed])).openBytes(sealed, purpose, id),
    openerOfBatch(batchId) {
      const name = nameOf(batchId);
      return ring.getRemainingTTL(name) < AT_LEAST_MS ? load(new Set([name])) : ready;
    },
    async newBatchKey(appId, batchId) {
      if (!(await allRead())) return { key: direct!.current, seal: direct!.seal, store: async () => {} };
      const { key, wrapped, by } = await newKey(batchId);
      ring.set(nameOf(batchId), key);
      return {
        key: sealingKey(batchId, key),
        ...sealerOf(batchId, key),
        store: async (tx) =>
          void (await tx`insert into data_keys (id, app_id, wrapped, wrapped_by) values (${batchId}, ${appId}, ${wrapped}, ${by})`),
      };
    },
    close: () => clearInterval(forget),
  };
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

const sealingKey = (id: string, key: Buffer): SealingKey => ({ header: Uint8Array.of(DATA_KEY, ...bytesOf(id)), key });

const sealerOf = (id: string, key: Buffer): Sealer => sealerUnder(sealingKey(id, key));

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** An id as the ring names it: its bytes as text, the cheapest to read from a ciphertext. */
const nameOf = (uuid: string): string => bytesOf(uuid).toString('latin1');

function nameIn(sealed: Uint8Array): string {
  const bytes = Buffer.isBuffer(sealed) ? sealed : Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  return bytes.toString('latin1', 1, HEADER_BYTES);
}

function uuidOf(name: string): string {
  const hex = Buffer.from(name, 'latin1').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
