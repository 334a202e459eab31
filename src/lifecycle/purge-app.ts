/**
 * Deletes the rows of apps that `app-deletion.ts` has marked, table by table, in steps of a few milliseconds, each a transaction of its own with its place in it:
 * after a kill the next sweep continues. Batches are deleted like any other deleted batch. At the end a certificate says what went and what stays; it names no person.
 */

import { setTimeout as rest } from 'node:timers/promises';
import { mayHaveShared } from '../access/apps.ts';
import { bySystem } from '../access/audit/append.ts';
import { naira, showInstant } from '../contract/fields.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { JOB_IS_OVER } from '../jobs/job.ts';
import { emptyWallet } from '../money/ledger.ts';
import type { appDeletions } from '../schema/lifecycle.ts';
import { cancelJobs } from './cancel-jobs.ts';
import { markBatch } from './deletions.ts';
import { FailedItems } from './failed-items.ts';
import { writeAppToJournal } from './journal.ts';
import { forgetSingleJobs } from './purge.ts';
import { signReceipt } from './receipts.ts';

export type AppDeletionRow = typeof appDeletions.$inferSelect;

/** Rows of a table, and single jobs, deleted in one step. */
const STEP = 1_000;
/** Batches marked in one step: each is several statements. */
const BATCHES = 25;
/** A transaction takes no further stage after this. */
const STEP_MS = 50;
/** Until the batches that another sweep deletes are looked at again. */
const WAIT_SECONDS = 1;

/** Does one step. Returns how many rows it deleted; 0: the stage is done; `waits`: only time helps. */
type Stage = (tx: Tx, deletion: AppDeletionRow) => Promise<number | 'waits'>;

/** What the certificate calls a table's rows, by table, in the order in which they go. What hangs on them by a foreign key goes with them. */
const TABLES = {
  // Sweeps open these, and would fail on them.
  approvals: 'approvals',
  idempotency_keys: 'kept_answers',
  aml_monitors: 'monitors',
  aml_clearances: 'clearances',
  sandbox_portraits: 'portraits',
  saved_mappings: 'mappings',
  reviews: 'reviews',
  reveals: 'reveals',
  subject_holds: 'subject_holds',
  consent_withdrawals: 'consent_withdrawals',
  request_log: 'requests',
  // Made by a request that was still running when the app's keys were destroyed.
  data_keys: 'data_keys',
  // Ids of jobs, of the last minute.
  chunks: 'chunks',
  // After the jobs and batches, whose end is not announced.
  webhook_endpoints: 'webhook_endpoints',
} as const;

type Table = keyof typeof TABLES;

const rowsOf =
  (table: Table): Stage =>
  async (tx, { appId }) => {
    const { count } = await tx`
      delete from ${tx(table)} where ctid = any(array(select ctid from ${tx(table)} where app_id = ${appId} limit ${STEP}))`;
    return count;
  };

const before = (Object.keys(TABLES) as Table[]).filter((table) => table !== 'webhook_endpoints');

const STAGES: Readonly<Record<string, Stage>> = {
  ...Object.fromEntries(before.map((table) => [TABLES[table], rowsOf(table)])),

  /** Questions whose answer a vendor still owes. */
  pending: async (tx, { appId }) => {
    const { count } = await tx`
      delete from pending_lookups p where exists (select 1 from jobs j where j.id = p.job_id and j.app_id = ${appId})`;
    return count;
  },

  batches: async (tx, { appId }) => {
    const batches = await tx<{ id: string; appId: string; live: boolean }[]>`
      select id, app_id, live from batches where app_id = ${appId} and deleted_at is null order by id limit ${BATCHES} for update`;
    for (const batch of batches) await markBatch(tx, batch, 'requested');
    return batches.length;
  },

  jobs: async (tx, deletion) => {
    const { appId } = deletion;
    await endJobs(tx, deletion);
    const jobs = await tx<{ id: string }[]>`
      select id from jobs where app_id = ${appId} and live in (true, false) and batch_id is null and input is not null and ${tx.unsafe(JOB_IS_OVER)}
      limit ${STEP}`;
    if (jobs.length > 0) return (await forgetSingleJobs(tx, idsOf(jobs))).length;
    const [open] = await tx`
      select 1 from jobs where app_id = ${appId} and live in (true, false) and batch_id is null and input is not null limit 1`;
    return open ? 'waits' : 0;
  },

  calls: async (tx, { appId }) => {
    const calls = await tx<{ id: string }[]>`
      select id from jobs where app_id = ${appId} and live in (true, false) and batch_id is null and input is null and subject is not null limit ${STEP}`;
    return (await forgetSingleJobs(tx, idsOf(calls))).length;
  },

  /** `purge.ts` deletes the rows of batches. */
  purging: async (tx, { appId }) => {
    const [open] = await tx`select 1 from deletions where app_id = ${appId} and finished_at is null limit 1`;
    return open ? 'waits' : 0;
  },

  /** With their deliveries, attempts, and what receivers answered. */
  events: async (tx, { appId }) => {
    const { count } = await tx`
      delete from events where id in (select id from events where app_id = ${appId} and live in (true, false) limit ${STEP})`;
    return count;
  },

  [TABLES.webhook_endpoints]: rowsOf('webhook_endpoints'),
};

/** Jobs submitted by a request that was still running when the app was deleted. Those that no worker has are canceled, and their money is booked like the balance. */
async function endJobs(tx: Tx, deletion: AppDeletionRow): Promise<void> {
  const { appId } = deletion;
  if ((await cancelJobs(tx, appId)) === 0) return;
  const by = bySystem('app_deletion');
  await emptyWallet(tx, { appId, live: false }, 'write_off', by);
  const kobo = await emptyWallet(tx, { appId, live: true }, deletion.balance === 'refunded' ? 'refund' : 'write_off', by);
  if (kobo > 0) Object.assign(deletion, { balanceKobo: deletion.balanceKobo + kobo, balance: deletion.balance ?? 'written_off' });
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

const NAMES = Object.keys(STAGES);
export const FIRST_STAGE = NAMES[0]!;
const DONE = 'done';

/** Works on deletions, oldest first, until there is nothing to do at the moment. Rests between steps as long as they took. Throws at the end if any failed. */
export async function purgeApps(ctx: Context, stop: AbortSignal, failed = new FailedItems()): Promise<void> {
  while (!stop.aborted) {
    const began = performance.now();
    if (!(await failed.attempt('app', (take) => ctx.sql.begin((tx) => advance(ctx, tx, failed.ids(), take))))) break;
    await rest(performance.now() - began);
  }
  failed.tell();
}

/** One step. False: nothing is open, or other processes are working on it. */
async function advance(ctx: Context, tx: Tx, except: readonly string[], take: (ids: readonly string[]) => void): Promise<boolean> {
  const [deletion] = await tx<AppDeletionRow[]>`
    select * from app_deletions where finished_at is null and next_at <= now() and app_id <> all(${except}::uuid[])
    order by asked_at limit 1 for update skip locked`;
  if (!deletion) return false;
  take([deletion.appId]);
  if (deletion.journaledAt === null) await writeAppToJournal(ctx, deletion);
  const counts = { ...deletion.counts };
  let { stage } = deletion;
  let waits = false;
  for (const began = performance.now(); stage !== DONE && !waits && performance.now() - began < STEP_MS; ) {
    const rows = await STAGES[stage]!(tx, deletion);
    if (rows === 'waits') waits = true;
    else if (rows > 0) counts[stage] = (counts[stage] ?? 0) + rows;
    else stage = NAMES[NAMES.indexOf(stage) + 1] ?? DONE;
  }
  // A request that was on its way when the app was deleted has added something.
  if (stage === DONE && (await isAnythingLeft(tx, deletion.appId))) stage = FIRST_STAGE;
  await tx`
    update app_deletions set stage = ${stage}, counts = ${JSON.stringify(counts)}::text::jsonb, balance_kobo = ${deletion.balanceKobo},
      balance = ${deletion.balance}, journaled_at = coalesce(journaled_at, now()),
      next_at = case when ${waits} then now() + ${WAIT_SECONDS} * interval '1 second' else now() end
    where app_id = ${deletion.appId}`;
  if (stage === DONE) await conclude(ctx, tx, { ...deletion, counts });
  return true;
}

/** Single jobs and records of calls have an index each. */
async function isAnythingLeft(tx: Tx, appId: string): Promise<boolean> {
  const tables = [...Object.keys(TABLES), 'events'];
  const anyOf = tables.map((table) => `exists (select 1 from ${table} where app_id = $1)`).join(' or ');
  const [left] = await tx.unsafe<{ isLeft: boolean }[]>(
    `select ${anyOf} or exists (select 1 from batches where app_id = $1 and deleted_at is null)
      or exists (select 1 from jobs where app_id = $1 and live in (true, false) and batch_id is null and input is not null)
      or exists (select 1 from jobs where app_id = $1 and live in (true, false) and batch_id is null and input is null and subject is not null) as "isLeft"`,
    [appId],
  );
  return left!.isLeft;
}

async function conclude(ctx: Context, tx: Tx, { appId, askedAt, counts, balanceKobo, balance }: AppDeletionRow): Promise<void> {
  const [app] = await tx<{ at: string; rows: number }[]>`
    select now() as at,
      (select coalesce(sum(jobs), 0)::int from deletions where app_id = ${appId} and kind = 'batch' and asked_at >= ${askedAt}::timestamptz) as rows`;
  const certificate = JSON.stringify({
    object: 'deletion_certificate',
    app: showId('app', appId),
    keys_destroyed_at: showInstant(askedAt),
    finished_at: showInstant(app!.at),
    deleted: Object.fromEntries(Object.entries({ ...counts, jobs_of_batches: app!.rows }).filter(([, number]) => number > 0)),
    balance: balanceKobo === 0 ? null : { amount: naira(balanceKobo), currency: 'NGX', became: balance },
    kept: [
      { what: 'app', why: 'its id stays reserved, and the books name it' },
      {
        what: 'ledger, usage, prices, batches with their counts and amounts',
        why: 'books must stay complete; they name nobody, unless the operator did in the note of a top-up',
      },
      { what: 'audit', why: 'proof of who read and changed what; it names nobody' },
      { what: 'receipts of erasures', why: 'proof for the people who asked; they name nobody' },
      { what: 'cached answers of registries', why: 'sealed with the keys that were destroyed; their rows expire within 30 days' },
      ...((await mayHaveShared(tx, appId))
        ? [{ what: 'cached answers that apps of the deployment share', why: 'they belong to all of those apps, and expire within 30 days' }]
        : []),
      { what: 'backups', why: 'those made before have the data and its keys, until the operator deletes them' },
    ],
  });
  await tx`
    update app_deletions set finished_at = ${app!.at}::timestamptz, certificate = ${certificate}, signature = ${signReceipt(ctx, certificate)}
    where app_id = ${appId}`;
}
