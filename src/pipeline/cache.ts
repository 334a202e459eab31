/**
 * The cache of registry records: encrypted, keyed by HMAC of (scope, record kind, identifier), one row for each subject. A richer tier answers a
 * poorer one and replaces it. Reads are grouped, so a chunk's look-ups are one query. Writes are part of the settling transaction, so the cache
 * and the charges never disagree.
 */

import type { LookupResult, RecordKind } from '../checks/provider.ts';
import { fixedKinds } from '../contract/retention.ts';
import { readAddress } from '../engines/email/address.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { SealerOf } from '../foundation/data-keys.ts';
import { group } from '../foundation/group.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { byteaArray, type Columns, recordset } from '../foundation/recordset.ts';
import { openEntity } from '../jobs/entities.ts';
import { RecentBlocks, ResultBlock } from '../jobs/result-blocks.ts';

/** Lifetime in seconds. Registry records rarely change; someone who is missing today may be added tomorrow. */
export const cacheLifetime = { foundSeconds: fixedKinds.cache.live * 24 * 3600, notFoundSeconds: 15 * 60 } as const;

/** What a look-up asks the cache for. */
export interface CacheQuestion {
  /** Base64. */
  key: string;
  /** The same address under the other index keys; null if there are none. */
  older: readonly string[] | null;
  kind: RecordKind;
  tier: number;
}

export interface CacheAddress extends CacheQuestion {
  /** The app whose key seals it; null if all apps of the deployment may share it. */
  appId: string | null;
  /** Base64: the current one of `subjectKeys`; null if there is none. */
  subject: string | null;
}

/** The app and mode that ask, and the scope of the answers they may use. */
interface CacheOwner {
  appId: string;
  live: boolean;
  scope: 'app' | 'deployment';
}

/** A provider's answer that is about to be cached. */
export interface CacheEntry extends Omit<CacheAddress, 'older'> {
  result: LookupResult;
  provider: string;
  /** The job whose stored entity holds the whole record of this tier. Null if the record is stored here. */
  jobId: string | null;
}

export interface CachedAnswer {
  result: LookupResult;
  provider: string;
}

export interface Cache {
  address(owner: CacheOwner, kind: RecordKind, tier: number, identifier: string): CacheAddress;
  read(address: CacheAddress): Promise<CachedAnswer | null>;
  /** All cached answers about an identifier, however it was spelt. */
  about(owner: CacheOwner, kind: RecordKind, identifier: string): Promise<CachedAnswer[]>;
  /** What `read` would answer for each address; null: nothing. Does not read the records. */
  holds(addresses: readonly CacheQuestion[]): Promise<('found' | 'not_found' | null)[]>;
}

/** Under every index key, the current one first. */
export const cacheKeys = (
  cipher: Indexer,
  { appId, live, scope }: CacheOwner,
  kind: RecordKind,
  identifier: string,
): [Buffer, ...Buffer[]] => cipher.shortIndexes('cache', scope === 'app' ? appId : '*', live ? 'live' : 'test', kind, identifier);

/**
 * Hashes that group the cached answers about one person, by every index key, the current one first. Only email addresses need them: each spelling is cached
 * separately, because the answer repeats it, and the mailbox ties the spellings together. Empty for every other kind, where the key alone finds the answer.
 */
export const subjectKeys = (cipher: Indexer, { appId, live, scope }: CacheOwner, kind: RecordKind, identifier: string): Buffer[] =>
  kind === 'email' && identifier.includes('@')
    ? cipher.shortIndexes('cache_subject', scope === 'app' ? appId : '*', live ? 'live' : 'test', kind, readAddress(identifier).mailbox)
    : [];

export function cacheQuestion(cipher: Indexer, owner: CacheOwner, kind: RecordKind, tier: number, identifier: string): CacheQuestion {
  const [key, ...older] = cacheKeys(cipher, owner, kind, identifier).map((hash) => hash.toString('base64'));
  return { kind, tier, key: key!, older: older.length === 0 ? null : older };
}

const everyKey = (addresses: readonly CacheQuestion[]): string[] =>
  addresses.flatMap(({ key, older }) => (older === null ? key : [key, ...older]));

/** The row that answers: the current key's if there is one, otherwise another's. */
function answering<Row extends { found: boolean; tier: number }>(
  known: ReadonlyMap<string, Row>,
  { key, older, tier }: CacheQuestion,
): Row | undefined {
  const row = known.get(key);
  if (older === null || satisfies(row, tier)) return row;
  return older.map((one) => known.get(one)).find((one) => satisfies(one, tier));
}

interface CacheRow {
  key: string;
  found: boolean;
  tier: number;
  jobId: string | null;
  record: Buffer | null;
  entity: Buffer | null;
  entityImages: Buffer | null;
  batchId: string | null;
  resultBlock: string | null;
  resultSlot: number | null;
  /** The block, in one of the rows that need it; null if it is at hand. */
  sealed: Buffer | null;
  block?: ResultBlock | null;
  provider: string;
}

export function openCache(ctx: Context): Cache {
  const recent = new RecentBlocks();
  const readGroup = group<CacheAddress, CacheRow | null>(
    async (addresses) => {
      const blocks = recent.atHand();
      const rows = await ctx.sql<CacheRow[]>`
        select encode(c.key, 'base64') as key, c.found, c.tier, c.job_id, c.record, r.entity, r.entity_images, c.provider, j.batch_id, j.result_block, j.result_slot,
          case when j.result_block <> all(${[...blocks.keys()]}::uuid[]) and row_number() over (partition by j.result_block) = 1
            then (select b.sealed from result_blocks b where b.batch_id = j.batch_id and b.id = j.result_block) end as sealed
        from cache_records c left join jobs j on j.id = c.job_id left join results r on r.job_id = case when j.result_block is null then c.job_id end
        where c.key = any(select decode(k, 'base64') from unnest(${everyKey(addresses)}::text[]) k) and c.expires_at > now()`;
      const opener = await ctx.cipher.opener(rows.flatMap((row) => [row.record, row.entity, row.entityImages, row.sealed]));
      for (const { batchId, resultBlock: id, sealed } of rows)
        if (sealed) blocks.set(id!, new ResultBlock(opener, { batchId: batchId!, id: id! }, sealed));
      for (const row of rows) if (row.resultBlock !== null) row.block = blocks.get(row.resultBlock) ?? null;
      recent.keep(blocks);
      const known = new Map(rows.map((row) => [row.key, row]));
      const answers = addresses.map((address) => {
        const row = answering(known, address);
        return satisfies(row, address.tier) && (!row!.found || (row!.record ?? row!.entity ?? row!.block ?? null) !== null) ? row! : null;
      });
      const hits = answers.filter((row) => row !== null).length;
      ctx.metrics.cacheLookups.inc({ result: 'hit' }, hits);
      ctx.metrics.cacheLookups.inc({ result: 'miss' }, answers.length - hits);
      return answers;
    },
    { itemsMax: 1000, flushesMax: 2 },
  );

  const cache: Cache = {
    address(owner, kind, tier, identifier) {
      const [subject] = subjectKeys(ctx.cipher, owner, kind, identifier);
      return {
        ...cacheQuestion(ctx.cipher, owner, kind, tier, identifier),
        appId: owner.scope === 'app' ? owner.appId : null,
        subject: subject?.toString('base64') ?? null,
      };
    },
    async about(owner, kind, identifier) {
      const address = cache.address(owner, kind, 0, identifier);
      const own = everyKey([address]);
      const rows =
        address.subject === null
          ? []
          : await ctx.sql<{ key: string }[]>`
              select encode(key, 'base64') as key from cache_records
              where subject = any(${byteaArray(subjectKeys(ctx.cipher, owner, kind, identifier))}::bytea[])`;
      const spelt = rows.filter(({ key }) => !own.includes(key)).map(({ key }) => ({ ...address, key, older: null }));
      const answers = await Promise.all([address, ...spelt].map((one) => cache.read(one)));
      return answers.filter((answer) => answer !== null);
    },
    async holds(addresses) {
      const rows = await ctx.sql<{ key: string; found: boolean; tier: number }[]>`
        select encode(key, 'base64') as key, found, tier from cache_records
        where key = any(select decode(k, 'base64') from unnest(${everyKey(addresses)}::text[]) k) and expires_at > now()`;
      const known = new Map(rows.map((row) => [row.key, row]));
      return addresses.map((address) => {
        const row = answering(known, address);
        if (!satisfies(row, address.tier)) return null;
        return row!.found ? 'found' : 'not_found';
      });
    },
    async read(address) {
      const row = await readGroup(address);
      if (!row) return null;
      if (!row.found) return { result: { found: false }, provider: row.provider };
      try {
        const opener = await ctx.cipher.opener([row.record, row.entity, row.entityImages]);
        const own = row.jobId === null ? null : openEntity(opener, { ...row, entityOf: row.jobId });
        // Erased in the meantime.
        if (own === null && row.record === null) return null;
        const record = own ?? JSON.parse(opener.open(row.record!, 'record', row.key));
        return { result: { found: true, record }, provider: row.provider };
      } catch (error) {
        // The key is gone or the record was tampered with: treat it as a miss and log it.
        ctx.log.error({ err: error }, 'cache record does not open');
        return null;
      }
    },
  };
  return cache;
}

/** A subject that does not exist is missing from every tier. */
const satisfies = (row: { found: boolean; tier: number } | undefined, tier: number): boolean =>
  row !== undefined && (!row.found || row.tier >= tier);

/** Stores answers. Where an older record is still valid, the richer of the two stays. */
export async function writeCache(tx: Tx, ctx: Context, entries: CacheEntry[]): Promise<void> {
  if (entries.length > 0) await putCache(tx, await cacheSealers(ctx, entries), entries);
}

/** An app's own answers end with its keys; those that all apps may share are the deployment's. */
export const cacheSealers = ({ cipher }: Context, entries: readonly CacheEntry[]): Promise<SealerOf> => cipher.sealers(entries);

/** An answer found by a single call. */
export type CallCacheEntry = CacheEntry & { callId: string };

/** The statement of `writeCache`. `settled`: a condition on `call_id` that leaves out answers nobody paid for. */
export function putCache(sql: Sql | Tx, sealerOf: SealerOf, entries: (CacheEntry | CallCacheEntry)[], settled = sql`true`) {
  // One row for each key, in key order, so that two transactions writing the same keys cannot deadlock.
  const byKey = new Map<string, CacheEntry | CallCacheEntry>();
  for (const entry of entries) {
    const other = byKey.get(entry.key);
    if (!other || entry.tier >= other.tier) byKey.set(entry.key, entry);
  }
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  const columns: Columns<[key: string, entry: CacheEntry | CallCacheEntry]> = {
    key: ['text', ([key]) => key],
    found: ['bool', ([, { result }]) => result.found],
    tier: ['int', ([, { tier }]) => tier],
    subject: ['text', ([, { subject }]) => subject],
    job_id: ['uuid', ([, { result, jobId }]) => (result.found ? jobId : null)],
    record: [
      'bytea',
      ([key, entry]) =>
        entry.result.found && entry.jobId === null ? sealerOf(entry).seal(JSON.stringify(entry.result.record), 'record', key) : null,
    ],
    provider: ['text', ([, { provider }]) => provider],
    lifetime: ['int', ([, { result }]) => (result.found ? cacheLifetime.foundSeconds : cacheLifetime.notFoundSeconds)],
    call_id: ['uuid', ([, entry]) => ('callId' in entry ? entry.callId : null)],
  };
  return sql`
    insert into cache_records as c (key, subject, found, tier, job_id, record, provider, expires_at)
    select decode(key, 'base64'), decode(subject, 'base64'), found, tier, job_id, record, provider, now() + lifetime * interval '1 second'
    from ${recordset(sql, sorted, columns)} t where ${settled}
    on conflict (key) do update set subject = excluded.subject, found = excluded.found, tier = excluded.tier, job_id = excluded.job_id, record = excluded.record,
      provider = excluded.provider, fetched_at = now(), expires_at = excluded.expires_at
    where excluded.tier >= c.tier or not excluded.found or not c.found or c.expires_at <= now()`;
}
