/**
 * Seals what earlier releases stored in the clear: references, metadata and consents of jobs, batches and events, and the list entries that people
 * were matched to. Each slice is one short transaction; locked rows are left for the next sweep. Partial indexes (`…_clear`) find what is left, so a
 * sweep with nothing to do costs one look at each index.
 */

import { digestIndexes, type ListedAs, sealSource, sourceIndexes } from '../aml/listings.ts';
import { type About, eventOwner, referenceIndex, sealAbout } from '../contract/about.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { Sealer } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { recordset } from '../foundation/recordset.ts';
import type { Consent } from '../schema/jobs.ts';

/** Rows in a slice, and slices of one kind in a sweep: 50,000 rows a minute. */
const SLICE = 500;
const SLICES_MAX = 100;

/** Seals one slice and returns how many rows it had. */
type SealSlice = (ctx: Context, tx: Tx, limit: number) => Promise<number>;

export async function sealOldRows(ctx: Context): Promise<void> {
  for (const seal of [sealBatches, sealJobs, sealEvents, sealClearances, sealHits])
    for (let slices = 0, full = true; full && slices < SLICES_MAX; slices++) {
      full = (await ctx.sql.begin((tx) => seal(ctx, tx, SLICE))) === SLICE;
    }
}

interface Work {
  id: string;
  appId: string;
  batchId: string | null;
  live: boolean;
  reference: string | null;
  metadata: Record<string, unknown> | null;
  consent: Consent | null;
  isRow: boolean;
}

const sealBatches: SealSlice = async ({ cipher }, tx, limit) => {
  const found = await tx<Work[]>`
    select id, app_id, id as batch_id, live, reference, metadata, null as consent, false as is_row from batches
    where reference is not null or metadata is not null order by id limit ${limit} for no key update skip locked`;
  if (found.length === 0) return 0;
  const sealerOf = await cipher.sealers(found);
  const sealed = found.map((batch) => sealWork(cipher, sealerOf(batch), 'bat', batch));
  await tx`
    update batches b set about = s.about, reference_index = s.reference_index, reference = null, metadata = null
    from ${asRecords(tx, sealed)} s where b.id = s.id`;
  return found.length;
};

/** Includes rows of batches: they get an `about` of their own, though `row_blocks` has their reference too. */
const sealJobs: SealSlice = async ({ cipher }, tx, limit) => {
  const found = await tx<Work[]>`
    select id, app_id, batch_id, live, reference, metadata, consent, batch_id is not null as is_row from jobs
    where reference is not null or metadata is not null or consent is not null order by id limit ${limit} for no key update skip locked`;
  if (found.length === 0) return 0;
  const sealerOf = await cipher.sealers(found);
  const sealed = found.map((job) => sealWork(cipher, sealerOf(job), 'job', job));
  await tx`
    update jobs j set about = s.about, reference_index = s.reference_index, reference = null, metadata = null,
      consent = null
    from ${asRecords(tx, sealed)} s where j.id = s.id`;
  return found.length;
};

interface SealedWork {
  id: string;
  about: Buffer | null;
  index: Buffer | null;
}

function sealWork(indexer: Indexer, sealer: Sealer, prefix: 'job' | 'bat', work: Work): SealedWork {
  const { id, reference, metadata, consent, isRow } = work;
  const index = reference === null || isRow ? null : referenceIndex(indexer, work, reference);
  return { id, about: sealAbout(sealer, showId(prefix, id), { reference, metadata, consent }), index };
}

const asRecords = (tx: Tx, sealed: SealedWork[]) =>
  recordset(tx, sealed, { id: ['uuid', (s) => s.id], about: ['bytea', (s) => s.about], reference_index: ['bytea', (s) => s.index] });

const sealEvents: SealSlice = async ({ cipher }, tx, limit) => {
  const found = await tx<{ id: string; appId: string; data: Record<string, unknown> & About }[]>`
    select id, app_id, data from events
    where about is null and (data ->> 'reference' is not null or data ->> 'metadata' is not null or data ->> 'source_ids' <> '[]')
    order by id limit ${limit} for no key update skip locked`;
  if (found.length === 0) return 0;
  const sealerOf = await cipher.sealers(found);
  const sealed = found.map(({ id, appId, data }) => {
    const { reference, metadata, source_ids } = data;
    const cleared = { ...('reference' in data && { reference: null, metadata: null }), ...(source_ids && { source_ids: [] }) };
    const about = sealAbout(sealerOf({ appId }), eventOwner(data), { reference, metadata, ...(source_ids && { source_ids }) });
    return { id, about, data: JSON.stringify({ ...data, ...cleared }) };
  });
  await tx`
    update events e set about = s.about, data = s.data::jsonb
    from ${recordset(tx, sealed, { id: ['uuid', (s) => s.id], about: ['bytea', (s) => s.about], data: ['text', (s) => s.data] })} s
    where e.id = s.id`;
  return found.length;
};

type ClearListing = ListedAs & { id: string };

const sealClearances: SealSlice = async ({ cipher }, tx, limit) => {
  const found = await tx<(ClearListing & { appId: string; live: boolean })[]>`
    select id, app_id, live, list, source_id, encode(digest, 'hex') as digest from aml_clearances
    where source_id is not null order by id limit ${limit} for no key update skip locked`;
  if (found.length === 0) return 0;
  const sealerOf = await cipher.sealers(found);
  const sealed = found.map((row) => ({
    ...row,
    source: sealSource(sealerOf(row), row.id, row.sourceId),
    ...indexesOf({ cipher }, row, row),
  }));
  const rows = () =>
    recordset(tx, sealed, {
      id: ['uuid', (s) => s.id],
      source: ['bytea', (s) => s.source],
      source_index: ['bytea', (s) => s.index],
      digest: ['bytea', (s) => s.keyedDigest],
    });
  // A clearance made by an earlier release during a rolling update replaces the previous one, as any new clearance does.
  await tx`
    update aml_clearances before set revoked_at = now()
    from ${rows()} s join aml_clearances c on c.id = s.id and c.revoked_at is null
    where before.app_id = c.app_id and before.live = c.live and before.subject = c.subject and before.list = c.list
      and before.source_index = s.source_index and before.revoked_at is null`;
  await tx`
    update aml_clearances c set source = s.source, source_index = s.source_index,
      digest = s.digest, source_id = null
    from ${rows()} s where c.id = s.id`;
  return found.length;
};

const sealHits: SealSlice = async ({ cipher }, tx, limit) => {
  const found = await tx<(ClearListing & { monitorId: string })[]>`
    select id, monitor_id, list, source_id, encode(digest, 'hex') as digest from aml_monitor_hits
    where source_id is not null order by id limit ${limit} for no key update skip locked`;
  if (found.length === 0) return 0;
  const sealed = found.map((row) => ({ ...row, ...indexesOf({ cipher }, { monitorId: row.monitorId }, row) }));
  const rows = () =>
    recordset(tx, sealed, { id: ['uuid', (s) => s.id], source_index: ['bytea', (s) => s.index], digest: ['bytea', (s) => s.keyedDigest] });
  // Reported twice, because an earlier release was still running beside this one.
  await tx`
    delete from aml_monitor_hits h using ${rows()} s
    where h.id = s.id and exists (
      select 1 from aml_monitor_hits other
      where other.monitor_id = h.monitor_id and other.list = h.list and other.source_index = s.source_index
        and other.digest = s.digest)`;
  await tx`
    update aml_monitor_hits h set source_index = s.source_index, digest = s.digest, source_id = null
    from ${rows()} s where h.id = s.id`;
  return found.length;
};

function indexesOf({ cipher }: Pick<Context, 'cipher'>, owner: Parameters<typeof sourceIndexes>[1], listing: ListedAs) {
  return { index: sourceIndexes(cipher, owner, listing.sourceId)[0], keyedDigest: digestIndexes(cipher, owner, listing)[0] };
}
