/**
 * Data keys. A batch is sealed under a key of its own, the rest of an app's data under a key of the app and month, and what belongs to no app under one of the
 * deployment and month. The table `data_keys` holds them wrapped (`wrapping.ts`): a rotation rewraps keys instead of rewriting rows, and deleting a batch's key
 * erases the batch at once.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type postgres from 'postgres';
import { KeyFault, type Opener, type Sealer, type SealingKey } from './crypto.ts';
import { NIL_ID, newId } from './ids.ts';
import type { Indexer } from './index-keys.ts';
import { KEYS_MAX, openKeyRing, REMEMBER_MS, type Sealed, sealerOf, sealingKey } from './key-ring.ts';
import type { DeploymentKeys, WrappedKey, Wrapping } from './wrapping.ts';

type Sql = postgres.Sql<{ bigint: number }>;
type Tx = postgres.TransactionSql<{ bigint: number }>;

/** Whose data is sealed: a batch, otherwise an app, otherwise the deployment. */
export interface KeyOwner {
  appId: string | null;
  batchId?: string | null;
}

/** What belongs to no app, or to all of them. */
export const DEPLOYMENT: KeyOwner = { appId: null };

export type SealerOf = (owner: KeyOwner) => Sealer;

export interface NewBatchKey extends Sealer {
  key: SealingKey;
  /** Commits the key with its batch. Until then nobody else can open what it has sealed. */
  store(tx: Tx): Promise<void>;
}

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
  /** For sealing data of several owners at once. */
  sealers(owners: Iterable<KeyOwner>): Promise<SealerOf>;
  /** For the transaction that creates the batch, and before it: the key service may be asked. */
  newBatchKey(appId: string, batchId: string): Promise<NewBatchKey>;
}

const KEY_BYTES = 32;

/** The newest form of stored data that this release reads (`jobs/release.ts`); processes that read less cannot open what data keys seal. */
export const UNDER_DATA_KEYS = 3;
/** While a process of an earlier release runs, new data is sealed by a key of `CONFAM_KEYS`. After this time we check again whether one still does. */
const READERS_MS = 2_000;
/** A process silent for this long is gone, whether or not it signed off. */
export const GONE_SECONDS = 20;

/** `sql`: connections that nobody holds while waiting for a key. `direct` also seals while an earlier release still runs. */
export function openDataKeys(sql: Sql, { wrapping, direct, indexer }: DeploymentKeys): Cipher & { close(): void } {
  const ring = openKeyRing(sql, { wrapping, direct });
  const sealers = new LRUCache<string, { made: Promise<Sealer>; until: number }>({ max: KEYS_MAX });

  /** Stays true once it is true: a process of an earlier release does not start on this database any more. */
  let isReadByAll = direct === null;
  const allRead = async (): Promise<boolean> => (isReadByAll ||= await allReadDataKeys(sql));

  async function make(owner: KeyOwner): Promise<{ sealer: Sealer; forMs: number }> {
    if (!(await allRead())) return { sealer: direct!, forMs: READERS_MS };
    const { forMs, ...found } = owner.batchId
      ? await keyOfBatch(sql, wrapping, owner.batchId)
      : await keyOfMonth(sql, wrapping, owner.appId);
    return { sealer: sealerOf(found.id, await ring.unwrap(found)), forMs };
  }

  function sealer(owner: KeyOwner): Promise<Sealer> {
    const name = nameOfOwner(owner);
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

  return {
    ...indexer,
    sealer,
    async sealers(owners) {
      const byName = new Map<string, Sealer>();
      for (const owner of owners) {
        const name = nameOfOwner(owner);
        if (!byName.has(name)) byName.set(name, await sealer(owner));
      }
      return (owner) => byName.get(nameOfOwner(owner))!;
    },
    opener: ring.opener,
    open: async (sealed, purpose, id) => (await ring.opener([sealed])).open(sealed, purpose, id),
    openBytes: async (sealed, purpose, id) => (await ring.opener([sealed])).openBytes(sealed, purpose, id),
    openerOfBatch: ring.openerUnder,
    async newBatchKey(appId, batchId) {
      if (!(await allRead())) return { key: direct!.current, seal: direct!.seal, store: async () => {} };
      const { key, wrapped, by } = await newKey(wrapping, batchId);
      ring.add(batchId, key);
      return {
        key: sealingKey(batchId, key),
        ...sealerOf(batchId, key),
        store: async (tx) =>
          void (await tx`insert into data_keys (id, app_id, wrapped, wrapped_by) values (${batchId}, ${appId}, ${wrapped}, ${by})`),
      };
    },
    close: ring.close,
  };
}

const nameOfOwner = ({ appId, batchId }: KeyOwner): string => batchId ?? appId ?? '';

/** Whether every running process can open what data keys seal. */
async function allReadDataKeys(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ all: boolean }[]>`
    select not exists (
      select 1 from processes where reads_results < ${UNDER_DATA_KEYS} and seen_at > now() - ${GONE_SECONDS} * interval '1 second') as all`;
  return row!.all;
}

/** A key to seal with, and how long it may be used. */
type CurrentKey = WrappedKey & { forMs: number };

async function keyOfBatch(sql: Sql, wrapping: Wrapping, id: string): Promise<CurrentKey> {
  const find = () => sql<WrappedKey[]>`select id, wrapped from data_keys where id = ${id} and month is null`;
  let [found] = await find();
  if (!found) {
    // A batch of an earlier release gets its key when it is first written to. Not locked: the transaction that waits for this may hold its row.
    const { wrapped, by } = await newKey(wrapping, id);
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

async function keyOfMonth(sql: Sql, wrapping: Wrapping, appId: string | null): Promise<CurrentKey> {
  const find = () => sql<(WrappedKey & { leftMs: number })[]>`
    select id, wrapped, extract(epoch from (month + interval '1 month') at time zone 'utc' - now())::float8 * 1000 as left_ms from data_keys
    where coalesce(app_id, ${NIL_ID}) = coalesce(${appId}::uuid, ${NIL_ID}) and month = date_trunc('month', now() at time zone 'utc')::date`;
  let [found] = await find();
  if (!found) {
    const id = newId();
    const { wrapped, by } = await newKey(wrapping, id);
    await sql`
      insert into data_keys (id, app_id, month, wrapped, wrapped_by)
      select ${id}::uuid, ${appId}::uuid, date_trunc('month', now() at time zone 'utc'), ${wrapped}::bytea, ${by}::text
      where not exists (select 1 from apps where id = ${appId}::uuid and deleted_at is not null) on conflict do nothing`;
    [found] = await find();
  }
  if (!found) throw new KeyFault('There is no data key any more: the app was deleted');
  const { leftMs, ...key } = found;
  return { ...key, forMs: Math.min(REMEMBER_MS, leftMs) };
}

async function newKey(wrapping: Wrapping, id: string): Promise<{ key: Buffer; wrapped: Buffer; by: string }> {
  const key = randomBytes(KEY_BYTES);
  const [made] = await wrapping.wrap([{ id, key }]);
  return { key, ...made! };
}
