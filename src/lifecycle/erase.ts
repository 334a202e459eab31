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
import { newId, showId } from '../foundation/ids.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import { add, type ErasureRow, eraseInBatch } from './erase-rows.ts';
import { endExportsAbout } from './export.ts';
import { findCalls, findJobs, JOBS, nextBatch, suspectRows, theirSubjects } from './find-theirs.ts';
import { heldPeople, isHeldJob } from './holds.ts';
import { writeToJournal } from './journal.ts';
import { forgetSingleJobs } from './purge.ts';
import { signReceipt } from './receipts.ts';
import { marksOf, typesOf, type Whom, whomOf } from './subject.ts';

/** Until work in progress is looked at again. */
const WAIT_SECONDS = 5;

const ASKED = 'erasure';

/** `asked` runs last in the transaction. */
export async function askErasure(
  ctx: Context,
  { appId, live }: { appId: string; live: boolean },
  identifiers: readonly Identifier[],
  by: Author,
  asked: (tx: Tx, row: ErasureRow) => Promise<void>,
): Promise<ErasureRow> {
  const id = newId();
  const { seal } = await ctx.cipher.sealer({ appId });
  return ctx.sql.begin(async (tx) => {
    const [row] = await tx<ErasureRow[]>`
      insert into erasures (id, app_id, live, asked) values (${id}, ${appId}, ${live}, ${seal(JSON.stringify(identifiers), ASKED, id)}) returning *`;
    await record(tx, by, { appId, live, action: 'subject.erase', object: showId('ers', id), detail: { types: typesOf(identifiers) } });
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

/** A transaction takes no further stage after this. One that finds nothing takes much less, so that several go together: a commit for each doubled the time. */
const STEP_MS = 50;

/** One step. False: nothing is open, or other processes are at it. */
async function advance(ctx: Context, tx: Tx): Promise<boolean> {
  const [erasure] = await tx<Progress[]>`
    select * from erasures where finished_at is null and next_at <= now() order by id limit 1 for update skip locked`;
  if (!erasure) return false;
  const identifiers = erasure.asked && (JSON.parse(await ctx.cipher.open(erasure.asked, ASKED, erasure.id)) as Identifier[]);
  const marks = erasure.marks ?? marksOf(ctx.cipher, erasure, identifiers!);
  const people: People = { whom: whomOf(ctx.cipher, marks), held: await heldPeople(ctx, tx, erasure), identifiers };
  if (erasure.journaledAt === null) await writeToJournal(ctx, erasure, marks);
  for (const began = performance.now(); ; ) {
    await stages[erasure.stage](ctx, tx, erasure, people);
    if (erasure.stage === 'done' || erasure.waits || performance.now() - began > STEP_MS) break;
  }
  const { stage, cursor, row, waiting, waitingJobs, counts, kept, held, waits = false } = erasure;
  await tx`
    update erasures set stage = ${stage}, cursor = ${cursor}, row = ${row}, waiting = ${waiting}::uuid[], waiting_jobs = ${waitingJobs}::uuid[],
      counts = ${JSON.stringify(counts)}::text::jsonb, kept = ${JSON.stringify(kept)}::text::jsonb, held = ${held}::uuid[],
      journaled_at = coalesce(journaled_at, now()), next_at = case when ${waits} then now() + ${WAIT_SECONDS} * interval '1 second' else now() end
    where id = ${erasure.id}`;
  if (stage === 'done') await conclude(ctx, tx, erasure, marks);
  return true;
}

/** The people that a step erases, and those that it must keep. */
interface People {
  whom: Whom;
  /** Under a legal hold; null: nobody is. */
  held: Whom | null;
  /** Null in an erasure repeated after a restore. */
  identifiers: Identifier[] | null;
}

/** Does one step, and notes in `erasure` where the next one begins. */
type Stage = (ctx: Context, tx: Tx, erasure: Progress, people: People) => Promise<void>;

/** `waits`: only time helps. */
type Progress = ErasureRow & { waits?: boolean };

const begin = (erasure: ErasureRow, stage: ErasureRow['stage']): void => {
  Object.assign(erasure, { stage, cursor: null, row: 0 });
};

const stages: Record<ErasureRow['stage'], Stage> = {
  async jobs({ cipher }, tx, erasure, { whom, held }) {
    const { theirs, next } = await findJobs(cipher, tx, erasure, whom, held);
    const free = theirs.filter(({ isHeld }) => !isHeld);
    add(erasure, 'jobs', theirs.length - free.length, 'kept');
    erasure.waitingJobs = [...erasure.waitingJobs, ...free.flatMap(({ id, isOver }) => (isOver ? [] : [id]))];
    await eraseJobs(
      { cipher },
      tx,
      erasure,
      free.flatMap(({ id, isOver }) => (isOver ? [id] : [])),
      'jobs',
    );
    if (next === null) begin(erasure, 'calls');
    else erasure.cursor = next;
  },

  async calls(ctx, tx, erasure, { whom, held }) {
    const calls = await findCalls(tx, erasure, whom);
    const stay =
      held === null
        ? []
        : await tx<{ id: string }[]>`
      select id from jobs where id = any(${calls}::uuid[]) and subject in ${theirSubjects(tx, held)}`;
    const kept = new Set(stay.map(({ id }) => id));
    await eraseJobs(
      ctx,
      tx,
      erasure,
      calls.filter((id) => !kept.has(id)),
      'calls',
    );
    add(erasure, 'calls', kept.size, 'kept');
    if (calls.length < JOBS) begin(erasure, 'batches');
    else erasure.cursor = calls.at(-1)!;
  },

  async batches(ctx, tx, erasure, people) {
    const { cursor, row } = erasure;
    const next = await nextBatch(tx, erasure, people.whom);
    if (!next) {
      begin(erasure, 'waiting');
      return;
    }
    if ('upTo' in next) {
      Object.assign(erasure, { cursor: next.upTo, row: 0 });
      return;
    }
    const { id } = next.batch;
    const outcome = await eraseInBatch(ctx, tx, erasure, people, next, id === cursor ? row : 0);
    if (outcome === 'in_work') erasure.waiting = [...erasure.waiting, id];
    erasure.cursor = id;
    erasure.row = typeof outcome === 'number' ? outcome : 0;
  },

  async waiting(ctx, tx, erasure, people) {
    const over = await tx<{ id: string }[]>`
      select id from jobs where id = any(${erasure.waitingJobs}::uuid[]) and status not in ('queued', 'leased')`;
    const free: string[] = [];
    for (const { id } of over) if (people.held === null || !(await isHeldJob(ctx, tx, people.held, id))) free.push(id);
    await eraseJobs(ctx, tx, erasure, free, 'jobs');
    add(erasure, 'jobs', over.length - free.length, 'kept');
    const ended = new Set(over.map((job) => job.id));
    const left = await tx<{ id: string }[]>`select id from jobs where id = any(${erasure.waitingJobs}::uuid[])`;
    erasure.waitingJobs = left.flatMap(({ id }) => (ended.has(id) ? [] : [id]));
    for (const id of erasure.waiting) {
      const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and deleted_at is null`;
      if (batch && !isBatchOver(batch)) continue;
      const suspect = batch && { batch, rows: await suspectRows(tx, batch, people.whom) };
      const outcome = suspect ? await eraseInBatch(ctx, tx, erasure, people, suspect, erasure.cursor === id ? erasure.row : 0) : 'done';
      if (outcome === 'in_work') continue;
      if (outcome === 'done') erasure.waiting = erasure.waiting.filter((other) => other !== id);
      Object.assign(erasure, { cursor: id, row: outcome === 'done' ? 0 : outcome });
      return;
    }
    erasure.waits = erasure.waiting.length > 0 || erasure.waitingJobs.length > 0;
    if (!erasure.waits) begin(erasure, 'rest');
  },

  async rest(ctx, tx, erasure, people) {
    await eraseAnswers(ctx, tx, erasure, people);
    await eraseScreened(tx, erasure, people);
    add(erasure, 'exports', await endExportsAbout(ctx, tx, erasure, people.whom));
    if (!erasure.live) await erasePortraits(tx, erasure, people);
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
async function eraseAnswers({ cipher }: Context, tx: Tx, erasure: ErasureRow, { whom, held, identifiers }: People): Promise<void> {
  const { appId, live } = erasure;
  const [app] = await tx<
    { isShared: boolean }[]
  >`select coalesce(settings ->> 'cacheScope' = 'deployment', false) as is_shared from apps where id = ${appId}`;
  // An app that shares its cache has put the person into the shared one, too.
  const keysOf = ({ marks }: Whom): string[] => [...marks.cached.app, ...(app!.isShared ? marks.cached.deployment : [])];
  const stay = new Set(held ? keysOf(held) : []);
  const keys = keysOf(whom).filter((key) => !stay.has(key));
  const cached = await tx`delete from cache_records where key in (select decode(k, 'base64') from unnest(${keys}::text[]) k)`;
  await tx`delete from pending_lookups where key in (select decode(k, 'base64') from unnest(${keys}::text[]) k)`;
  add(erasure, 'cached_answers', cached.count);
  const texts = identifiers?.map((identifier) => (identifier.type === 'person' ? identifier.name : identifier.value));
  // After a restore the identifiers are not known. Answers are kept for a day, so losing all of them costs little.
  const names = (body: string) => texts === undefined || texts.some((text) => body.includes(text));
  add(erasure, 'kept_answers', await forgetAnswersNaming(tx, cipher, { appId, live }, names));
}

/** Monitors with their hits and the messages about those, and clearances. */
async function eraseScreened(tx: Tx, erasure: ErasureRow, { whom, held }: People): Promise<void> {
  const { appId, live } = erasure;
  const theirs = tx`app_id = ${appId} and live = ${live} and subject in ${theirSubjects(tx, whom)}`;
  const isHeld = held === null ? tx`false` : tx`subject in ${theirSubjects(tx, held)}`;
  const monitors = await tx<{ id: string }[]>`delete from aml_monitors where ${theirs} and not ${isHeld} returning id`;
  add(erasure, 'monitors', monitors.length);
  if (monitors.length > 0) {
    const shown = monitors.map(({ id }) => showId('mon', id));
    await tx`delete from events where app_id = ${appId} and live = ${live} and data ->> 'monitor' = any(${shown}::text[])`;
  }
  const clearances = await tx`delete from aml_clearances where ${theirs} and not ${isHeld}`;
  add(erasure, 'clearances', clearances.count);
  if (held === null) return;
  add(erasure, 'monitors', (await tx`select 1 from aml_monitors where ${theirs} and ${isHeld}`).count, 'kept');
  add(erasure, 'clearances', (await tx`select 1 from aml_clearances where ${theirs} and ${isHeld}`).count, 'kept');
}

async function erasePortraits(tx: Tx, erasure: ErasureRow, { whom, held }: People): Promise<void> {
  const stay = new Set(held?.marks.portraits.map(({ subject }) => subject));
  for (const { type, subject } of whom.marks.portraits) {
    if (stay.has(subject)) continue;
    const gone = await tx`
      delete from sandbox_portraits where app_id = ${erasure.appId} and id_type = ${type} and subject = decode(${subject}, 'hex')`;
    add(erasure, 'portraits', gone.count);
  }
}

/** Writes and signs the receipt, and forgets whom it was about. */
async function conclude({ cipher }: Context, tx: Tx, erasure: ErasureRow, { types }: PersonMarks): Promise<void> {
  const { id, appId, live, askedAt, counts, kept, held } = erasure;
  const [now] = await tx<{ at: string }[]>`select now() as at`;
  const receipt = JSON.stringify({
    object: 'erasure_receipt',
    erasure: showId('ers', id),
    app: showId('app', appId),
    mode: live ? 'live' : 'test',
    identifiers: types,
    asked_at: showInstant(askedAt),
    finished_at: showInstant(now!.at),
    erased: counts,
    kept: [
      { what: 'ledger, usage', why: 'books must stay complete; they name nobody' },
      { what: 'audit', why: 'proof of who read and changed what; it names nobody' },
      ...held.map((batch) => ({ what: showId('bat', batch), why: 'legal hold' })),
      ...Object.entries(kept).map(([what, number]) => ({ what, number, why: 'legal hold of a person' })),
    ],
    ...(erasure.marks !== null && { repeated_after_restore: true }),
  });
  await tx`
    update erasures set asked = null, marks = null, finished_at = ${now!.at}::timestamptz, receipt = ${receipt}, signature = ${signReceipt({ cipher }, receipt)} where id = ${id}`;
}

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
