/**
 * Stores the rows of an upload within its transaction: its jobs, its submitted rows (in blocks) and its invalid rows, as `packer.ts` has written them. Postgres
 * inserts one slice while the next rows are read. Not by COPY, which Postgres refuses under row-level security.
 */

import { knownCheck } from '../checks/catalog.ts';
import type { Tx } from '../foundation/context.ts';
import { type WrittenRows, writtenRecordset } from '../foundation/recordset.ts';
import type { PackedJobs, PackedRows } from './packer.ts';
import { insertBlocks } from './row-blocks.ts';

export interface JobConstants {
  batchId: string;
  appId: string;
  live: boolean;
  cacheMode: 'use' | 'refresh';
  /** Worst-case price and cached price of each check. */
  prices: Map<string, { priceKobo: number; cachedPriceKobo: number }>;
}

/** Stores all `slices`, each while the next is made. Returns what they counted, and the estimated bytes stored. Throws if any slice failed, once no write is in progress. */
export async function storeRows<Counted>(
  tx: Tx,
  batch: JobConstants,
  slices: AsyncGenerator<PackedRows, Counted>,
): Promise<{ counted: Counted; bytes: number }> {
  let bytes = 0;
  let underWay: Promise<void> = Promise.resolve();
  try {
    for (;;) {
      const next = await slices.next();
      await underWay;
      if (next.done) return { counted: next.value, bytes };
      bytes += next.value.bytes;
      underWay = storeSlice(tx, batch, next.value);
      underWay.catch(() => {});
    }
  } catch (error) {
    await underWay.catch(() => {});
    throw error;
  } finally {
    await slices.return(undefined as Counted);
  }
}

/** Sends its statements together, so that Postgres goes from one to the next without waiting for us. */
async function storeSlice(tx: Tx, batch: JobConstants, { jobs, refused, blocks }: PackedRows): Promise<void> {
  const statements: Promise<void>[] = [];
  if (jobs) statements.push(insertJobs(tx, batch, jobs));
  if (refused) statements.push(insertRefused(tx, batch.batchId, refused));
  if (blocks) statements.push(insertBlocks(tx, batch.batchId, blocks));
  const [failed] = (await Promise.allSettled(statements)).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  if (failed) throw failed.reason;
}

/** What all jobs of a check have in common is sent once. */
async function insertJobs(tx: Tx, { batchId, appId, live, cacheMode, prices }: JobConstants, jobs: PackedJobs): Promise<void> {
  const { checks, hasTwins, hasImages, rows } = jobs;
  const priceOf = (check: string) => prices.get(check)!;
  const checkAt = checks.length > 1 ? tx`check_at` : tx`1`;
  await tx`
    insert into jobs (id, app_id, batch_id, live, cache_mode, price_kobo, cached_price_kobo, check_id, family, status, twin_row, row_number, subject, images)
    select id, ${appId}, ${batchId}, ${live}, ${cacheMode}, (${checks.map((check) => priceOf(check).priceKobo)}::int[])[${checkAt}],
      (${checks.map((check) => priceOf(check).cachedPriceKobo)}::int[])[${checkAt}], (${checks}::text[])[${checkAt}],
      (${checks.map((check) => knownCheck(check).family)}::text[])[${checkAt}],
      ${hasTwins ? tx`case when twin_row is null then 'queued'::job_status else 'duplicate' end, twin_row` : tx`'queued', null`},
      row_number, subject, ${hasImages ? tx`images` : tx`null`}
    from ${writtenRecordset(tx, rows)} t`;
}

async function insertRefused(tx: Tx, batchId: string, refused: WrittenRows): Promise<void> {
  await tx`
    insert into invalid_rows (batch_id, row_number, problems, input)
    select ${batchId}, row_number, problems::jsonb, input from ${writtenRecordset(tx, refused)} t`;
}
