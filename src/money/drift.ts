/** Compares the ledger with the totals that decisions are based on. Every function returns the kobo that disagree: 0 unless there is a bug. */
import { bound, type Sql, type Tx } from '../foundation/context.ts';
import { narrowed } from '../foundation/lists.ts';

/** Rows of a batch whose jobs are summed by one statement. */
const STEP_ROWS = 20_000;

interface WalletDrift {
  appId: string;
  live: boolean;
  /** Kobo by which the wallet and its holds disagree with the ledger. */
  drift: number;
}

/** Parts of a WITH: `moves`, what each ledger entry adds to an account, and `drifts`, of every wallet. They sum the whole ledger. */
const drifts = (sql: Sql | Tx) => sql`
    moves as (
      select app_id, live, from_account as account, -amount_kobo as amount from ledger_entries
      union all select app_id, live, to_account, amount_kobo from ledger_entries),
    booked as (
      select app_id, live, sum(amount) filter (where account = 'available') as available, sum(amount) filter (where account = 'held') as held
      from moves group by app_id, live),
    captured as (select app_id, live, sum(captured_kobo) as amount from holds where released_at is null group by app_id, live),
    drifts as (
      select app_id, live,
        (abs(coalesce(b.available, 0) - w.available_kobo) + abs(coalesce(b.held, 0) - w.held_kobo + coalesce(c.amount, 0)))::bigint as drift
      from wallets w left join booked b using (app_id, live) left join captured c using (app_id, live))`;

/** In one snapshot, so it may be read at any time. */
export const walletDrifts = (sql: Sql | Tx): Promise<WalletDrift[]> => sql<WalletDrift[]>`
    with ${drifts(sql)} select app_id, live, drift from drifts order by app_id, live`;

/**
 * Kobo by which wallets and holds disagree with the ledger; 0 unless there is a bug. It reads one snapshot, so it may run at any time, but only the sweeper and
 * tests call it.
 */
export async function ledgerDrift({ sql }: { sql: Sql | Tx }): Promise<number> {
  const [row] = await sql<{ drift: number }[]>`
    with ${drifts(sql)}
    select (coalesce(sum(drift), 0) + abs((select coalesce(sum(amount), 0) from moves)))::bigint as drift from drifts`;
  return row!.drift;
}

interface Captured {
  kobo: number;
  /** Jobs that they cover. */
  jobs: number;
}

/**
 * Kobo by which the captures of batches disagree with what the batches and their jobs say they were billed. A batch whose jobs were deleted or erased is
 * compared by itself. `endedWithin`: only those that ended in these last seconds; null for all, ended or not. Calls `rest` between two steps with the
 * milliseconds that the last one took.
 */
export async function batchDrift(
  ctx: { sql: Sql },
  endedWithin: number | null,
  rest: (ms: number) => Promise<unknown> = async () => {},
): Promise<number> {
  const { sql } = ctx;
  const hasJustEnded =
    endedWithin !== null &&
    sql`greatest(completed_at, canceled_at, failed_at, expired_at) > now() - ${endedWithin}::int * interval '1 second'`;
  const batches = await sql<{ id: string }[]>`select id from batches where true ${narrowed(sql, [hasJustEnded])}`;
  let drift = 0;
  for (const { id } of batches) drift += await driftOf(sql, id, rest);
  return drift;
}

/** Reads one snapshot, however long it rests. */
export const driftOf = (sql: Sql, id: string, rest: (ms: number) => Promise<unknown>): Promise<number> =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await bound(tx, 'reading');
    const timed = async <Row>(ask: () => Promise<readonly Row[]>): Promise<Row> => {
      const began = performance.now();
      const [row] = await ask();
      await rest(performance.now() - began);
      return row!;
    };
    const captured = await timed(
      () => tx<(Captured & { billedKobo: number; ofJobs: number; lastRow: number })[]>`
      select b.billed_kobo, b.jobs as of_jobs, coalesce(c.kobo, 0)::bigint as kobo, coalesce(c.jobs, 0)::bigint as jobs,
        coalesce((select max(row_number) from jobs where batch_id = b.id), 0) as last_row
      from batches b cross join lateral (
        select sum(l.amount_kobo) as kobo, sum(coalesce(l.jobs, 1)) as jobs from ledger_entries l
        where l.app_id = b.app_id and l.live = b.live and l.at >= b.created_at and l.kind = 'capture' and l.hold_id = b.id) c
      where b.id = ${id}`,
    );
    let [rows, kobo, jobs] = [0, 0, 0];
    for (let from = 0; from < captured.lastRow; from += STEP_ROWS) {
      const step = await timed(
        () => tx<(Captured & { rows: number })[]>`
        select coalesce(sum(billed_kobo), 0)::bigint as kobo, count(*) filter (where billed_kobo > 0) as jobs,
          count(*) filter (where status <> 'duplicate') as rows
        from jobs where batch_id = ${id} and row_number > ${from} and row_number <= ${from + STEP_ROWS}`,
      );
      rows += step.rows;
      kobo += step.kobo;
      jobs += step.jobs;
    }
    const ofJobs = rows === captured.ofJobs ? Math.abs(captured.kobo - kobo) + Math.abs(captured.jobs - jobs) : 0;
    return Math.abs(captured.kobo - captured.billedKobo) + ofJobs;
  });

/** Kobo by which the captures of single jobs and calls disagree with what these say they were billed: of one, or the sum of all, for tests. */
export async function singleDrift({ sql }: { sql: Sql }, id: string | null = null): Promise<number> {
  const [row] = await sql<{ drift: number }[]>`
    with captured as (
      select coalesce(hold_id, job_id) as id, sum(amount_kobo) as kobo, sum(coalesce(jobs, 1)) as jobs from ledger_entries
      where kind = 'capture' ${id === null ? sql`` : sql`and job_id = ${id}`} group by 1)
    select coalesce(sum(abs(coalesce(c.kobo, 0) - j.billed_kobo) + abs(coalesce(c.jobs, 0) - (j.billed_kobo > 0)::int)), 0)::bigint as drift
    from jobs j left join captured c using (id) where j.batch_id is null ${id === null ? sql`` : sql`and j.id = ${id}`}`;
  return row!.drift;
}
