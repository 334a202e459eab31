/**
 * Erases a person from an app's data, in steps: single jobs, records of calls, the rows of batches, and what belongs to no job. Each step is one transaction with
 * its place in it, so that a killed process loses nothing. What is in work is waited for. Other apps' data, the ledger and the audit stay.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { type Author, record } from '../access/audit/append.ts';
import { forgetAnswers, forgetAnswersNaming } from '../access/idempotency.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import { showInstant } from '../contract/fields.ts';
import type { Identifier } from '../contract/subjects.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { sameSecret } from '../foundation/crypto.ts';
import { newId, showId } from '../foundation/ids.ts';
import { portraitSubject } from '../sandbox/portraits/read.ts';
import { add, type ErasureRow, eraseInBatch } from './erase-rows.ts';
import { endExportsAbout } from './export.ts';
import { findCalls, findJobs, JOBS, nextBatch, theirSubjects, type Whom, whomOf } from './find-theirs.ts';
import { forgetSingleJobs } from './purge.ts';
import { cacheKeys } from './subject.ts';

/** Until work in progress is looked at again. */
const WAIT_SECONDS = 5;

const ASKED = 'erasure';
const RECEIPT = 'erasure_receipt';

/** `asked` runs last in the transaction. */
export async function askErasure(
  ctx: Context,
  { appId, live }: { appId: string; live: boolean },
  identifiers: readonly Identifier[],
  by: Author,
  asked: (tx: Tx, row: ErasureRow) => Promise<void>,
): Promise<ErasureRow> {
  const id = newId();
  return ctx.sql.begin(async (tx) => {
    const [row] = await tx<ErasureRow[]>`
      insert into erasures (id, app_id, live, asked) values (${id}, ${appId}, ${live}, ${ctx.cipher.seal(JSON.stringify(identifiers), ASKED, id)}) returning *`;
    const types = [...new Set(identifiers.map(({ type }) => type))];
    await record(tx, by, { appId, live, action: 'subject.erase', object: showId('ers', id), detail: { types } });
    await asked(tx, row!);
    return row!;
  });
}

/** Works on open requests, oldest first, until there is nothing to do at the moment. Rests between steps as long as they took. */
export async function advanceErasures(ctx: Context, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const began = performance.now();
    if (!(await ctx.sql.begin((tx) => advance(ctx, tx)))) return;
    await rest(performance.now() - began);
  }
}

/** One step. False: nothing is open, or other processes are at it. */
async function advance(ctx: Context, tx: Tx): Promise<boolean> {
  const [erasure] = await tx<Progress[]>`
    select * from erasures where finished_at is null and next_at <= now() order by id limit 1 for update skip locked`;
  if (!erasure) return false;
  const identifiers: Identifier[] = JSON.parse(ctx.cipher.open(erasure.asked!, ASKED, erasure.id));
  const whom = whomOf(ctx.cipher, identifiers);
  await stages[erasure.stage](ctx, tx, erasure, whom);
  const { stage, cursor, row, waiting, waitingJobs, counts, held, waits = false } = erasure;
  await tx`
    update erasures set stage = ${stage}, cursor = ${cursor}, row = ${row}, waiting = ${waiting}::uuid[], waiting_jobs = ${waitingJobs}::uuid[],
      counts = ${JSON.stringify(counts)}::text::jsonb, held = ${held}::uuid[],
      next_at = case when ${waits} then now() + ${WAIT_SECONDS} * interval '1 second' else now() end
    where id = ${erasure.id}`;
  if (stage === 'done') await conclude(ctx, tx, erasure, identifiers);
  return true;
}

/** Does one step, and notes in `erasure` where the next one begins. */
type Stage = (ctx: Context, tx: Tx, erasure: Progress, whom: Whom) => Promise<void>;

/** `waits`: only time helps. */
type Progress = ErasureRow & { waits?: boolean };

const begin = (erasure: ErasureRow, stage: ErasureRow['stage']): void => {
  Object.assign(erasure, { stage, cursor: null, row: 0 });
};

const stages: Record<ErasureRow['stage'], Stage> = {
  async jobs({ cipher }, tx, erasure, whom) {
    const { theirs, next } = await findJobs(cipher, tx, erasure, whom);
    erasure.waitingJobs = [...erasure.waitingJobs, ...theirs.flatMap((job) => (job.isOver ? [] : [job.id]))];
    await eraseJobs(
      { cipher },
      tx,
      erasure,
      theirs.flatMap((job) => (job.isOver ? [job.id] : [])),
      'jobs',
    );
    if (next === null) begin(erasure, 'calls');
    else erasure.cursor = next;
  },

  async calls(ctx, tx, erasure, whom) {
    // Those that were found are gone, so each step begins anew.
    const calls = await findCalls(tx, { ...erasure, cursor: null }, whom);
    await eraseJobs(ctx, tx, erasure, calls, 'calls');
    if (calls.length < JOBS) begin(erasure, 'batches');
  },

  async batches(ctx, tx, erasure, whom) {
    const { cursor, row } = erasure;
    const batch = await nextBatch(tx, erasure, row);
    if (!batch) {
      begin(erasure, 'waiting');
      return;
    }
    const outcome = await eraseInBatch(ctx, tx, erasure, whom, batch, batch.id === cursor ? row : 0);
    if (outcome === 'in_work') erasure.waiting = [...erasure.waiting, batch.id];
    erasure.cursor = batch.id;
    erasure.row = typeof outcome === 'number' ? outcome : 0;
  },

  async waiting(ctx, tx, erasure, whom) {
    const over = await tx<{ id: string }[]>`
      select id from jobs where id = any(${erasure.waitingJobs}::uuid[]) and status not in ('queued', 'leased')`;
    const ended = new Set(over.map((job) => job.id));
    await eraseJobs(ctx, tx, erasure, [...ended], 'jobs');
    const left = await tx<{ id: string }[]>`select id from jobs where id = any(${erasure.waitingJobs}::uuid[])`;
    erasure.waitingJobs = left.map((job) => job.id);
    for (const id of erasure.waiting) {
      const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and deleted_at is null`;
      if (batch && !isBatchOver(batch)) continue;
      const outcome = batch ? await eraseInBatch(ctx, tx, erasure, whom, batch, erasure.cursor === id ? erasure.row : 0) : 'done';
      if (outcome === 'in_work') continue;
      if (outcome === 'done') erasure.waiting = erasure.waiting.filter((other) => other !== id);
      Object.assign(erasure, { cursor: id, row: outcome === 'done' ? 0 : outcome });
      return;
    }
    erasure.waits = erasure.waiting.length > 0 || erasure.waitingJobs.length > 0;
    if (!erasure.waits) begin(erasure, 'rest');
  },

  async rest(ctx, tx, erasure, whom) {
    await eraseAnswers(ctx, tx, erasure, whom);
    await eraseScreened(tx, erasure, whom);
    add(erasure, 'exports', await endExportsAbout(ctx, tx, erasure, whom.identifiers));
    if (!erasure.live) {
      for (const identifier of whom.identifiers) {
        if (identifier.type !== 'nin' && identifier.type !== 'bvn') continue;
        const gone = await tx`
          delete from sandbox_portraits
          where app_id = ${erasure.appId} and id_type = ${identifier.type} and subject = ${portraitSubject(ctx.cipher, identifier.type, identifier.value)}`;
        add(erasure, 'portraits', gone.count);
      }
    }
    begin(erasure, 'done');
  },

  async done() {},
};

async function eraseJobs(
  { cipher }: Pick<Context, 'cipher'>,
  tx: Tx,
  erasure: ErasureRow,
  ids: string[],
  what: 'jobs' | 'calls',
): Promise<void> {
  if (ids.length === 0) return;
  add(erasure, what, await forgetSingleJobs(tx, ids));
  if (what === 'jobs') for (const id of ids) await forgetAnswers(tx, cipher, erasure, `/api/v1/jobs/${showId('job', id)}`);
}

/** Answers of registries, in the cache or still to come, and answers kept for an Idempotency-Key that name the person. */
async function eraseAnswers({ cipher }: Context, tx: Tx, erasure: ErasureRow, { identifiers }: Whom): Promise<void> {
  const { appId, live } = erasure;
  const [app] = await tx<
    { isShared: boolean }[]
  >`select coalesce(settings ->> 'cacheScope' = 'deployment', false) as is_shared from apps where id = ${appId}`;
  const keys = cacheKeys(cipher, { appId, live }, app!.isShared, identifiers);
  const cached = await tx`delete from cache_records where key in (select decode(k, 'base64') from unnest(${keys}::text[]) k)`;
  await tx`delete from pending_lookups where key in (select decode(k, 'base64') from unnest(${keys}::text[]) k)`;
  add(erasure, 'cached_answers', cached.count);
  const texts = identifiers.map((identifier) => (identifier.type === 'person' ? identifier.name : identifier.value));
  add(erasure, 'kept_answers', await forgetAnswersNaming(tx, cipher, { appId, live }, (body) => texts.some((text) => body.includes(text))));
}

/** Monitors with their hits and the messages about those, and clearances. */
async function eraseScreened(tx: Tx, erasure: ErasureRow, whom: Whom): Promise<void> {
  const { appId, live } = erasure;
  const monitors = await tx<{ id: string }[]>`
    delete from aml_monitors where app_id = ${appId} and live = ${live} and subject in ${theirSubjects(tx, whom)} returning id`;
  add(erasure, 'monitors', monitors.length);
  if (monitors.length > 0) {
    const shown = monitors.map(({ id }) => showId('mon', id));
    await tx`delete from events where app_id = ${appId} and live = ${live} and data ->> 'monitor' = any(${shown}::text[])`;
  }
  const clearances =
    await tx`delete from aml_clearances where app_id = ${appId} and live = ${live} and subject in ${theirSubjects(tx, whom)}`;
  add(erasure, 'clearances', clearances.count);
}

/** Writes and signs the receipt, and forgets whom it was about. */
async function conclude({ cipher }: Context, tx: Tx, erasure: ErasureRow, identifiers: Identifier[]): Promise<void> {
  const { id, appId, live, askedAt, counts, held } = erasure;
  const [now] = await tx<{ at: string }[]>`select now() as at`;
  const receipt = JSON.stringify({
    object: 'erasure_receipt',
    erasure: showId('ers', id),
    app: showId('app', appId),
    mode: live ? 'live' : 'test',
    identifiers: identifiers.map(({ type }) => type).toSorted(),
    asked_at: showInstant(askedAt),
    finished_at: showInstant(now!.at),
    erased: counts,
    kept: [
      { what: 'ledger, usage', why: 'books must stay complete; they name nobody' },
      { what: 'audit', why: 'proof of who read and changed what; it names nobody' },
      ...held.map((batch) => ({ what: showId('bat', batch), why: 'legal hold' })),
    ],
  });
  await tx`
    update erasures set asked = null, finished_at = ${now!.at}::timestamptz, receipt = ${receipt}, signature = ${signatureOf(cipher, receipt)} where id = ${id}`;
}

const signatureOf = (cipher: Context['cipher'], receipt: string): string => cipher.sign(RECEIPT, receipt).toString('base64url');

/** Newest first. `id`: only that one; `before`: only older ones. */
export async function readErasures(
  { sql }: Context,
  { appId, live }: { appId: string; live: boolean },
  { id, before, limit }: { id: string | null; before: string | null; limit: number },
): Promise<ErasureRow[]> {
  return sql<ErasureRow[]>`
    select * from erasures
    where app_id = ${appId} and live = ${live} and (${id}::uuid is null or id = ${id}::uuid) and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`;
}

/** Whether this deployment has signed exactly this receipt. */
export const isOurReceipt = ({ cipher }: Pick<Context, 'cipher'>, receipt: string, signature: string): boolean =>
  sameSecret(signatureOf(cipher, receipt), signature);
