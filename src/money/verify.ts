/**
 * Compares the whole ledger with what it records: every wallet, and for every batch, single job and call the captures with what it was billed. It goes
 * through ledger and jobs in steps of a number of rows, each a statement of its own, so that no snapshot is held for long. What seems to differ may have been
 * settled between two steps; it is compared once more, in one snapshot. Wallets are compared in one statement.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { bound, type Sql } from '../foundation/context.ts';
import { NIL_ID, showId } from '../foundation/ids.ts';
import { driftOf, singleDrift, walletDrifts } from './drift.ts';

export interface LedgerReport {
  wallets: number;
  /** Charges of the ledger, and jobs, that were compared. */
  captures: number;
  jobs: number;
  /**
   * `drift`: the difference in kobo, or in jobs if the sums agree and only the numbers of jobs differ. Empty unless there is a bug, or somebody has changed
   * the database.
   */
  differences: { what: string; drift: number }[];
}

const STEP_ROWS = 20_000;
/** How long comparing the sums of all batches and jobs may take. */
const JOIN_MS_MAX = 900_000;

export async function verifyLedger({ sql }: { sql: Sql }): Promise<LedgerReport> {
  const { captures, jobs, suspects } = await compareAll(sql);
  const wallets = await sql.begin('read only', async (tx) => {
    await bound(tx, 'large');
    return walletDrifts(tx);
  });
  const differences = wallets.flatMap(({ appId, live, drift }) =>
    drift === 0 ? [] : [{ what: `${live ? 'live' : 'test'} wallet of ${showId('app', appId)}`, drift }],
  );
  for (const { id, isBatch } of suspects) {
    const drift = isBatch ? await driftOf(sql, id, rest) : await singleDrift({ sql }, id);
    if (drift !== 0) differences.push({ what: showId(isBatch ? 'bat' : 'job', id), drift });
  }
  return { wallets: wallets.length, captures, jobs, differences };
}

interface Compared {
  captures: number;
  jobs: number;
  suspects: { id: string; isBatch: boolean }[];
}

/** Adds up both sides by hold in tables of one session, which may be larger than memory. */
async function compareAll(sql: Sql): Promise<Compared> {
  const session = await sql.reserve();
  try {
    await session`create temp table captured (id uuid primary key, kobo bigint not null, jobs bigint not null)`;
    await session`create temp table billed (id uuid primary key, kobo bigint not null, jobs bigint not null, all_jobs bigint not null)`;
    const captures = await inSteps<number>(0, async (after) => {
      const [step] = await session<{ count: number; last: number | null }[]>`
        with step as (select * from ledger_entries where id > ${after} order by id limit ${STEP_ROWS}),
        added as (
          insert into captured as c select coalesce(hold_id, job_id), sum(amount_kobo), sum(coalesce(jobs, 1)) from step where kind = 'capture' group by 1
          on conflict (id) do update set kobo = c.kobo + excluded.kobo, jobs = c.jobs + excluded.jobs)
        select count(*) filter (where kind = 'capture') as count, max(id) as last from step`;
      return step!;
    });
    const jobs = await inSteps<string>(NIL_ID, async (after) => {
      const [step] = await session<{ count: number; last: string | null }[]>`
        with step as (select id, batch_id, billed_kobo, status from jobs where id > ${after} order by id limit ${STEP_ROWS}),
        added as (
          insert into billed as b
          select coalesce(batch_id, id), sum(billed_kobo), count(*) filter (where billed_kobo > 0), count(*) filter (where status <> 'duplicate') from step group by 1
          on conflict (id) do update set kobo = b.kobo + excluded.kobo, jobs = b.jobs + excluded.jobs, all_jobs = b.all_jobs + excluded.all_jobs)
        select count(*) as count, (select id from step order by id desc limit 1) as last from step`;
      return step!;
    });
    await session`analyze captured, billed`;
    await session`select set_config('statement_timeout', ${String(JOIN_MS_MAX)}, false)`;
    // Jobs that were deleted are not compared; their batch still is, by itself.
    const suspects = await session<{ id: string; isBatch: boolean }[]>`
      select t.id, true as is_batch from batches t left join captured c using (id) left join billed b using (id)
      where t.billed_kobo <> coalesce(c.kobo, 0) or (b.all_jobs = t.jobs and (b.kobo, b.jobs) is distinct from (coalesce(c.kobo, 0), coalesce(c.jobs, 0)))
      union all
      select b.id, false from billed b left join captured c using (id)
      where (b.kobo, b.jobs) is distinct from (coalesce(c.kobo, 0), coalesce(c.jobs, 0)) and not exists (select 1 from batches t where t.id = b.id)`;
    await session`drop table captured, billed`;
    await session`reset statement_timeout`;
    return { captures, jobs, suspects: [...suspects] };
  } finally {
    session.release();
  }
}

/** Rests after each step as long as it took. Returns how many there were. */
async function inSteps<Place>(first: Place, step: (after: Place) => Promise<{ count: number; last: Place | null }>): Promise<number> {
  let total = 0;
  for (let after: Place | null = first; after !== null; ) {
    const began = performance.now();
    const { count, last } = await step(after);
    total += count;
    after = last;
    if (last !== null) await rest(performance.now() - began);
  }
  return total;
}
