/**
 * Erases people from an app's data, in steps: single jobs, records of calls, the rows of batches, and what belongs to no job. Each step is one transaction with
 * its place in it, so that a killed process loses nothing. An erasure waits for work in progress. Other apps' data, the ledger and the audit stay.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { type Author, record } from '../access/audit/append.ts';
import type { AppMode, Asking } from '../access/owner.ts';
import { isOlderBeingStored } from '../batches/being-stored.ts';
import { keepMarks } from '../batches/row-marks.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import { showInstant } from '../contract/fields.ts';
import type { Identifier } from '../contract/subjects.ts';
import { bound, type Context, type Tx } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { recordset } from '../foundation/recordset.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import { listBackups } from './backup/list.ts';
import { carriedOn, dataSubjectsOf, marksOf, typesOf } from './data-subjects.ts';
import { type AskedJob, eraseEndedJobs, eraseJobs, waitFor } from './erase-jobs.ts';
import { eraseCached, eraseKeptAnswers, erasePortraits, type Person, type Progress, type StepGroup } from './erase-rest.ts';
import { eraseInBatch } from './erase-rows.ts';
import { eraseScreened } from './erase-screened.ts';
import { askedFor, count, type ErasureGroup, type ErasureRow } from './erasure-group.ts';
import { endExportsAbout } from './export.ts';
import { FailedItems } from './failed-items.ts';
import { findCalls, findJobs, hashesOf, JOBS, nextBatches, suspectRows } from './find-data-subjects.ts';
import { heldPeople } from './holds.ts';
import { writeToJournal } from './journal.ts';
import { signReceipt } from './receipts.ts';

/** Until work in progress is looked at again. */
const WAIT_SECONDS = 5;

const ASKED = 'erasure';

/** `asked` runs last in the transaction. */
export async function askErasure(
  ctx: Context,
  { appId, live, keyId = null, personId = null }: Asking,
  identifiers: readonly Identifier[],
  by: Author,
  asked: (tx: Tx, row: ErasureRow) => Promise<void>,
): Promise<ErasureRow> {
  const id = newId();
  const { seal } = await ctx.cipher.sealer({ appId });
  return ctx.sql.begin(async (tx) => {
    const [row] = await tx<ErasureRow[]>`
      insert into erasures (id, app_id, live, key_id, person_id, asked)
      values (${id}, ${appId}, ${live}, ${keyId}, ${personId}, ${seal(JSON.stringify(identifiers), ASKED, id)}) returning *`;
    await record(tx, by, { appId, live, action: 'subject.erase', object: showId('ers', id), detail: { types: typesOf(identifiers) } });
    await asked(tx, row!);
    return row!;
  });
}

/**
 * Works on open requests, oldest first, until there is nothing to do at the moment. Those of one app that are at the same place proceed together: what they look
 * through is read once for all of them. Rests between steps as long as they took. Throws at the end if any failed.
 */
export async function advanceErasures(ctx: Context, stop: AbortSignal, failed = new FailedItems()): Promise<void> {
  const known: KnownPeople = new Map();
  while (!stop.aborted) {
    const began = performance.now();
    const goesOn = await failed.attempt('ers', (take) => ctx.sql.begin((tx) => advance(ctx, tx, known, failed.ids(), take)));
    if (!goesOn) break;
    await rest(performance.now() - began);
  }
  failed.tell();
}

/** A transaction takes no further step after this. Steps that find nothing take much less, so several share a transaction: a commit for each doubled the time. */
const STEP_MS = 50;
/** Erasures of one step. */
const TOGETHER = 256;

/** By erasure, for as long as a sweep lasts: their hashes are not computed again for each step. */
type KnownPeople = Map<string, Person>;

/** Does one step. Returns false if nothing is open, if older work is still being stored, or if other processes are at it. */
async function advance(
  ctx: Context,
  tx: Tx,
  known: KnownPeople,
  except: readonly string[],
  take: (ids: readonly string[]) => void,
): Promise<boolean> {
  const isOpen = tx`e.finished_at is null and e.next_at <= now() and e.id <> all(${except}::uuid[]) and ${mayGoOn(tx)}`;
  const open = await tx<Progress[]>`
    with first as (
      select app_id, live, stage, cursor, row, journaled_at is null as is_new from erasures e where ${isOpen} order by id limit 1 for update skip locked)
    select e.* from erasures e join first f on e.app_id = f.app_id and e.live = f.live and e.stage = f.stage and e.row = f.row
      and e.cursor is not distinct from f.cursor and (e.journaled_at is null) = f.is_new
    where ${isOpen} order by e.id limit ${TOGETHER} for update of e skip locked`;
  const [first] = open;
  if (!first) return false;
  take(open.map(({ id }) => id));
  // Hashing many people takes seconds. Until then only the erasures are locked, which other processes skip.
  await bound(tx, 'reading');
  const people = await peopleOf(ctx, open, known);
  const group: StepGroup = {
    erasures: [...open],
    people,
    dataSubjects: dataSubjectsOf(ctx.cipher, ...people.map(({ marks }) => marks)),
    held: await heldPeople(ctx, tx, first),
    isLong: timer(STEP_MS),
  };
  const unwritten = open.flatMap((erasure, at) => (erasure.journaledAt === null ? [{ ...erasure, marks: people[at]!.marks }] : []));
  await writeToJournal(ctx, unwritten);
  await bound(tx, 'short');
  // Done before any waiting: a monitor that starts after this belongs to a person who has come back as a customer.
  if (unwritten.length > 0) await eraseScreened(tx, group);
  else while (isTogether(group) && first.stage !== 'done' && !first.waits && !group.isLong()) await stages[first.stage](ctx, tx, group);
  await tx`
    update erasures e set stage = t.stage, cursor = t.cursor, row = t.row, waiting = t.waiting::uuid[], waiting_jobs = t.waiting_jobs::uuid[],
      counts = t.counts::jsonb, kept = t.kept::jsonb, held = t.held::uuid[], journaled_at = coalesce(journaled_at, now()),
      next_at = case when t.waits then now() + ${WAIT_SECONDS} * interval '1 second' else now() end
    from ${recordset(tx, group.erasures, {
      id: ['uuid', (e) => e.id],
      stage: ['text', (e) => e.stage],
      cursor: ['uuid', (e) => e.cursor],
      row: ['int', (e) => e.row],
      waiting: ['text', (e) => `{${e.waiting}}`],
      waiting_jobs: ['text', (e) => `{${e.waitingJobs}}`],
      counts: ['text', (e) => JSON.stringify(e.counts)],
      kept: ['text', (e) => JSON.stringify(e.kept)],
      held: ['text', (e) => `{${e.held}}`],
      waits: ['bool', (e) => e.waits ?? false],
    })} t where e.id = t.id`;
  await conclude(ctx, tx, group);
  return true;
}

/**
 * An erasure passes each place once, so it begins to search when everything older has been stored: uploads, jobs, and calls, which have only their hold until
 * then. After a restore nothing is at work.
 */
const mayGoOn = (tx: Tx) => tx`(
  e.marks is not null or e.journaled_at is null or e.stage <> 'jobs' or e.cursor is not null or not (${isOlderBeingStored(tx, 'e')} or exists (
    select 1 from holds h where h.app_id = e.app_id and h.live = e.live and h.released_at is null and h.expires_at > now() and h.id < e.id
      and not exists (select 1 from batches b where b.id = h.id))))`;

const timer = (ms: number): (() => boolean) => {
  const began = performance.now();
  return () => performance.now() - began > ms;
};

async function peopleOf({ cipher, yielding }: Context, open: readonly ErasureRow[], known: KnownPeople): Promise<Person[]> {
  const pause = yielding.long();
  const people: Person[] = [];
  for (const erasure of open) {
    let person = known.get(erasure.id);
    if (!person) {
      const identifiers = erasure.asked && (JSON.parse(await cipher.open(erasure.asked, ASKED, erasure.id)) as Identifier[]);
      person = { identifiers, marks: erasure.marks ? carriedOn(cipher, erasure.marks) : marksOf(cipher, erasure, identifiers!) };
      known.set(erasure.id, person);
    }
    people.push(person);
    await pause();
  }
  return people;
}

/** Does the next part of the work, and notes in each erasure where to continue. */
type Stage = (ctx: Context, tx: Tx, group: StepGroup) => Promise<void>;

const move = (erasures: readonly ErasureRow[], to: Pick<ErasureRow, 'stage' | 'cursor' | 'row'>): void => {
  for (const erasure of erasures) Object.assign(erasure, to);
};
const begin = (erasures: readonly ErasureRow[], stage: ErasureRow['stage']): void => move(erasures, { stage, cursor: null, row: 0 });

/** Erasures that wait for something proceed by themselves. */
const isTogether = ({ erasures: [first, ...others] }: StepGroup): boolean => others.every(({ stage }) => stage === first!.stage);

/** The place that all of them are at. Data newer than the newest erasure belongs to none of them. */
const placeOf = ({ erasures }: StepGroup): Progress => ({ ...erasures[0]!, id: erasures.at(-1)!.id });

const stages: Record<ErasureRow['stage'], Stage> = {
  async jobs(ctx, tx, group) {
    const { erasures } = group;
    const { jobs, next } = await findJobs(ctx.cipher, tx, placeOf(group), group.dataSubjects, group.held);
    const over: AskedJob[] = [];
    for (const { id, matches, isOver, isHeld } of jobs) {
      const by = askedFor(group, id, matches);
      if (isHeld) for (const erasure of by) count(erasure, 'jobs', 1, 'kept');
      else if (isOver) over.push({ id, by });
      else waitFor({ id, by });
    }
    await eraseJobs(ctx, tx, group, over, 'jobs');
    if (next === null) begin(erasures, 'calls');
    else move(erasures, { stage: 'jobs', cursor: next, row: 0 });
  },

  async calls(ctx, tx, group) {
    const { erasures, dataSubjects, held } = group;
    const found = await findCalls(tx, placeOf(group), dataSubjects);
    const stay =
      held === null
        ? []
        : await tx<{ id: string }[]>`
      select id from jobs where id = any(${found.map(({ id }) => id)}::uuid[]) and subject in ${hashesOf(tx, held)}`;
    const kept = new Set(stay.map(({ id }) => id));
    const calls = found.map(({ id, matches }) => ({ id, by: askedFor(group, id, matches) }));
    const free = calls.filter(({ id }) => !kept.has(id));
    await eraseJobs(ctx, tx, group, free, 'calls');
    for (const { id, by } of calls) if (kept.has(id)) for (const erasure of by) count(erasure, 'calls', 1, 'kept');
    if (found.length < JOBS) begin(erasures, 'batches');
    else move(erasures, { stage: 'calls', cursor: found.at(-1)!.id, row: 0 });
  },

  async batches(ctx, tx, group) {
    const { erasures } = group;
    const { cursor, row, ...place } = placeOf(group);
    const { suspects, upTo } = await nextBatches(ctx.cipher, tx, { ...place, cursor, row }, group.dataSubjects);
    for (const suspect of suspects) {
      const { id } = suspect.batch;
      for (let after: number | null = id === cursor ? row : 0; after !== null; ) {
        after = await eraseInBatch(ctx, tx, group, suspect, after);
        move(erasures, { stage: 'batches', cursor: id, row: after ?? 0 });
        if (group.isLong()) return;
      }
    }
    if (upTo === null) for (const erasure of erasures) begin([erasure], isWaiting(erasure) ? 'waiting' : 'rest');
    else move(erasures, { stage: 'batches', cursor: upTo, row: 0 });
  },

  async waiting(ctx, tx, group) {
    for (const [at, erasure] of group.erasures.entries()) {
      await look(ctx, tx, { ...group, erasures: [erasure], dataSubjects: dataSubjectsOf(ctx.cipher, group.people[at]!.marks) });
      if (group.isLong()) return;
    }
  },

  async rest(ctx, tx, group) {
    const { cursor } = group.erasures[0]!;
    if (cursor === null) await eraseCached(tx, group);
    const next = await eraseKeptAnswers(ctx, tx, group, cursor);
    if (next !== null) return move(group.erasures, { stage: 'rest', cursor: next, row: 0 });
    for (const { what, by } of await eraseScreened(tx, group)) for (const erasure of by) count(erasure, what, 1, 'kept');
    for (const matches of await endExportsAbout(ctx, tx, group.erasures[0]!, group.dataSubjects))
      count(group.erasures[matches[0]!]!, 'exports', 1);
    if (!group.erasures[0]!.live) await erasePortraits(tx, group);
    begin(group.erasures, 'done');
  },

  async done() {},
};

const isWaiting = ({ waiting, waitingJobs }: ErasureRow): boolean => waiting.length + waitingJobs.length > 0;

/** Checks whether the work that an erasure waits for has ended, and erases it. */
async function look(ctx: Context, tx: Tx, group: ErasureGroup & { erasures: [Progress] }): Promise<void> {
  const [erasure] = group.erasures;
  await eraseEndedJobs(ctx, tx, erasure, group.held);
  await keepMarks(tx);
  for (const id of erasure.waiting) {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id} and deleted_at is null`;
    if (batch && !isBatchOver(batch)) continue;
    const others = erasure.waiting.filter((other) => other !== id);
    erasure.waiting = others;
    const suspect = batch && { batch, rows: await suspectRows(ctx.cipher, tx, batch, group.dataSubjects) };
    const next = suspect ? await eraseInBatch(ctx, tx, group, suspect, erasure.cursor === id ? erasure.row : 0) : null;
    // It was retried in the meantime.
    const isInWork = erasure.waiting.length > others.length;
    if (next !== null && !isInWork) erasure.waiting = [...others, id];
    move([erasure], { stage: 'waiting', cursor: id, row: isInWork ? 0 : (next ?? 0) });
    if (!isInWork) return;
  }
  erasure.waits = isWaiting(erasure);
  if (!erasure.waits) begin([erasure], 'rest');
}

/** Times of backups that a receipt names; it says how many there are. */
const BACKUPS_NAMED = 100;

/** Writes and signs the receipts of finished erasures, and forgets whom they were about. */
async function conclude({ cipher }: Context, tx: Tx, { erasures, people }: StepGroup): Promise<void> {
  if (erasures.every(({ stage }) => stage !== 'done')) return;
  const [now] = await tx<{ at: string }[]>`select now() as at`;
  const backups = await listBackups(tx, BACKUPS_NAMED);
  const receipts = erasures.flatMap((erasure, at) => {
    if (erasure.stage !== 'done') return [];
    const receipt = receiptOf(erasure, people[at]!.marks, now!.at, backups);
    return [{ id: erasure.id, receipt, signature: signReceipt({ cipher }, receipt) }];
  });
  await tx`
    update erasures e set asked = null, marks = null, finished_at = ${now!.at}::timestamptz, receipt = t.receipt, signature = t.signature
    from ${recordset(tx, receipts, { id: ['uuid', (r) => r.id], receipt: ['text', (r) => r.receipt], signature: ['text', (r) => r.signature] })} t
    where e.id = t.id`;
}

/** What stays of batches that had rows of the person. */
const OF_BATCHES = [
  { what: 'batches', why: 'their counts, amounts, reference and metadata are of the batch as a whole; they go with it' },
  { what: 'row_marks', why: 'shortened keyed hashes by which rows are found; they go with their batch' },
  { what: 'excerpts', why: 'what receivers answered to messages about a batch; deleted after 7 days' },
] as const;

function receiptOf(
  { id, appId, live, askedAt, counts, kept, held, marks }: ErasureRow,
  { types }: PersonMarks,
  finishedAt: string,
  backups: { made: string[]; number: number },
): string {
  const isOfBatches = ['rows', 'invalid_rows'].some((what) => (counts[what] ?? 0) + (kept[what] ?? 0) > 0) || held.length > 0;
  return JSON.stringify({
    object: 'erasure_receipt',
    erasure: showId('ers', id),
    app: showId('app', appId),
    mode: live ? 'live' : 'test',
    identifiers: types,
    asked_at: showInstant(askedAt),
    finished_at: showInstant(finishedAt),
    erased: counts,
    kept: [
      { what: 'ledger, usage', why: 'books must stay complete; they name nobody, unless the operator did in the note of a top-up' },
      { what: 'audit', why: 'proof of who read and changed what; it names nobody' },
      { what: 'kept_answers', why: 'those about review cases are not searched; they expire within a day' },
      ...(isOfBatches ? OF_BATCHES : []),
      backups.number === 0
        ? {
            what: 'backups',
            why: 'this deployment has recorded none. One made in another way before this erasure has the person; restoring it repeats the erasure',
          }
        : {
            what: 'backups',
            number: backups.number,
            made_at: backups.made.map(showInstant),
            why: 'made before this erasure, so they have the person until the operator deletes them; restoring one repeats the erasure',
          },
      ...held.map((batch) => ({ what: showId('bat', batch), why: 'legal hold' })),
      ...Object.entries(kept).map(([what, number]) => ({ what, number, why: 'legal hold of a person' })),
    ],
    ...(marks !== null && { repeated_after_restore: true }),
  });
}

/** Newest first. `id`: only that one; `before`: only older ones. */
export async function readErasures(
  { sql }: Context,
  { appId, live }: AppMode,
  { id, before, limit }: { id: string | null; before: string | null; limit: number },
): Promise<ErasureRow[]> {
  return sql<ErasureRow[]>`
    select * from erasures
    where ${ownedBy(sql, { appId, live })} ${narrowed(sql, [id !== null && sql`id = ${id}`, before !== null && sql`id < ${before}`])}
    order by live desc, id desc limit ${limit}`;
}
