/**
 * Erases people from an app's data, in steps: single jobs, records of calls, the rows of batches, and what belongs to no job. Each step is one transaction with
 * its place in it, so that a killed process loses nothing. An erasure waits for work in progress. Other apps' data, the ledger and the audit stay.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { type Author, record } from '../access/audit/append.ts';
import type { AppMode, Asking } from '../access/owner.ts';
import { isOlderBeingStored } from '../batches/being-stored.ts';
import type { Identifier } from '../contract/subjects.ts';
import { bound, type Context, type Tx } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { recordset } from '../foundation/recordset.ts';
import { carriedOn, dataSubjectsOf, marksOf, typesOf } from './data-subjects.ts';
import { eraseScreened } from './erase-screened.ts';
import { areTogether, stages } from './erase-stages.ts';
import type { ErasureRow, Person, Progress, StepGroup } from './erasure-group.ts';
import { conclude } from './erasure-receipt.ts';
import { FailedItems } from './failed-items.ts';
import { heldPeople } from './holds.ts';
import { writeToJournal } from './journal.ts';

/** Seconds until work in progress is looked at again. */
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

/** Does one step. Returns false if nothing is open, if older work is still being stored, or if other processes are working on it. */
async function advance(
  ctx: Context,
  tx: Tx,
  known: KnownPeople,
  except: readonly string[],
  take: (ids: readonly string[]) => void,
): Promise<boolean> {
  const claimed = await claim(tx, except);
  const [first] = claimed;
  if (!first) return false;
  take(claimed.map(({ id }) => id));
  // Hashing many people takes seconds. Until then only the erasures are locked, which other processes skip.
  await bound(tx, 'reading');
  const people = await peopleOf(ctx, claimed, known);
  const group: StepGroup = {
    erasures: [...claimed],
    people,
    dataSubjects: dataSubjectsOf(ctx.cipher, ...people.map(({ marks }) => marks)),
    held: await heldPeople(ctx, tx, first),
    isLong: timer(STEP_MS),
  };
  const unwritten = claimed.flatMap((erasure, at) => (erasure.journaledAt === null ? [{ ...erasure, marks: people[at]!.marks }] : []));
  await writeToJournal(ctx, unwritten);
  await bound(tx, 'short');
  // Done before any waiting: a monitor that starts after this belongs to a person who has come back as a customer.
  if (unwritten.length > 0) await eraseScreened(tx, group);
  else await workThrough(ctx, tx, group);
  await storeProgress(tx, group);
  await conclude(ctx, tx, group);
  return true;
}

/** Locks the oldest open erasure, and the others of its app that are at the same place. */
function claim(tx: Tx, except: readonly string[]): Promise<Progress[]> {
  const isOpen = tx`e.finished_at is null and e.next_at <= now() and e.id <> all(${except}::uuid[]) and ${mayGoOn(tx)}`;
  return tx<Progress[]>`
    with first as (
      select app_id, live, stage, cursor, row, journaled_at is null as is_new from erasures e where ${isOpen} order by id limit 1 for update skip locked)
    select e.* from erasures e join first f on e.app_id = f.app_id and e.live = f.live and e.stage = f.stage and e.row = f.row
      and e.cursor is not distinct from f.cursor and (e.journaled_at is null) = f.is_new
    where ${isOpen} order by e.id limit ${TOGETHER} for update of e skip locked`;
}

/** Goes from stage to stage until the step has taken long enough, or the erasures part. */
async function workThrough(ctx: Context, tx: Tx, group: StepGroup): Promise<void> {
  const first = group.erasures[0]!;
  while (areTogether(group) && first.stage !== 'done' && !first.waits && !group.isLong()) await stages[first.stage](ctx, tx, group);
}

async function storeProgress(tx: Tx, { erasures }: StepGroup): Promise<void> {
  await tx`
    update erasures e set stage = t.stage, cursor = t.cursor, row = t.row, waiting = t.waiting::uuid[], waiting_jobs = t.waiting_jobs::uuid[],
      counts = t.counts::jsonb, kept = t.kept::jsonb, held = t.held::uuid[], journaled_at = coalesce(journaled_at, now()),
      next_at = case when t.waits then now() + ${WAIT_SECONDS} * interval '1 second' else now() end
    from ${recordset(tx, erasures, {
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
