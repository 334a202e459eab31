/**
 * Legal holds of people: retention, deletion and erasure keep everything about them. A hold stores keyed hashes of the person's identifiers, never the identifiers.
 * Placing one searches nothing; each deletion checks whether it would touch a held person.
 */
import { type Author, record } from '../access/audit/append.ts';
import type { AppMode, Asking } from '../access/owner.ts';
import { endedInput } from '../aml/start-monitoring.ts';
import { keepMarks } from '../batches/row-marks.ts';
import type { UnopenedBatch } from '../contract/batches.ts';
import type { Identifier } from '../contract/subjects.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed, ownedBy } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { subjectHolds } from '../schema/lifecycle.ts';
import { carriedOn, type DataSubjects, dataSubjectsOf, marksOf, typesOf } from './data-subjects.ts';
import { findInvalid, findRows, matchJob, type SoughtJob, sealedIn, soughtColumns, stepOf, suspectRows } from './find-data-subjects.ts';

export type HoldRow = typeof subjectHolds.$inferSelect;

const REASON = 'subject_hold';

/** `placed` runs last in the transaction. */
export async function placeHold(
  { sql, cipher }: Context,
  { appId, live, keyId = null, personId = null }: Asking,
  { identifiers, reason }: { identifiers: readonly Identifier[]; reason: string | null },
  by: Author,
  placed: (tx: Tx, row: HoldRow) => Promise<void>,
): Promise<HoldRow> {
  const id = newId();
  const marks = marksOf(cipher, { appId, live }, identifiers);
  const { seal } = await cipher.sealer({ appId });
  return sql.begin(async (tx) => {
    const [row] = await tx<HoldRow[]>`
      insert into subject_holds (id, app_id, live, key_id, person_id, about, marks, subjects)
      values (${id}, ${appId}, ${live}, ${keyId}, ${personId}, ${reason && seal(reason, REASON, id)}, ${JSON.stringify(marks)}::text::jsonb,
        ${byteaArray(marks.subjects)}::bytea[]) returning *`;
    await record(tx, by, { appId, live, action: 'subject.hold', object: showId('hld', id), detail: { types: typesOf(identifiers) } });
    await placed(tx, row!);
    return row!;
  });
}

/** Null if the app has no such hold in this mode. Lifting one twice is not an error. */
export async function liftHold({ sql }: Context, { appId, live }: AppMode, id: string, by: Author): Promise<HoldRow | null> {
  return sql.begin(async (tx) => {
    const [hold] = await tx<HoldRow[]>`select * from subject_holds where id = ${id} and app_id = ${appId} and live = ${live} for update`;
    if (!hold || hold.liftedAt !== null) return hold ?? null;
    const [lifted] = await tx<HoldRow[]>`update subject_holds set lifted_at = now() where id = ${id} returning *`;
    await tx`
      update aml_monitors m set input = ${endedInput(tx, 'm')}
      where app_id = ${appId} and live = ${live} and ended_at is not null and subject = any(${byteaArray(hold.subjects)}::bytea[])`;
    // Each place may also be recorded for holds that do not concern it, so all its entries go and the next sweep checks again.
    await tx`delete from held_places where place in (select place from held_places where hold_id = ${id})`;
    await record(tx, by, { appId, live, action: 'subject.release', object: showId('hld', id) });
    return lifted!;
  });
}

/** Newest first. `id`: only that one; `before`: only older ones. */
export const readHolds = (
  { sql }: Context,
  { appId, live }: AppMode,
  { id, before, limit }: { id: string | null; before: string | null; limit: number },
): Promise<HoldRow[]> => sql<HoldRow[]>`
  select * from subject_holds
  where ${ownedBy(sql, { appId, live })} ${narrowed(sql, [id !== null && sql`id = ${id}`, before !== null && sql`id < ${before}`])}
  order by live desc, id desc limit ${limit}`;

export const reasonOf = async ({ cipher }: Pick<Context, 'cipher'>, { id, about }: HoldRow): Promise<string | null> =>
  about && cipher.open(about, REASON, id);

/** Everybody under a hold of the app in this mode; null if nobody is. */
export const heldPeople = async ({ cipher }: Pick<Context, 'cipher'>, sql: Sql | Tx, owner: AppMode): Promise<DataSubjects | null> =>
  peopleIn(cipher, await openHolds(sql, owner));

type OpenHold = Pick<HoldRow, 'id' | 'marks'>;

const openHolds = (sql: Sql | Tx, { appId, live }: AppMode) => sql<OpenHold[]>`
  select id, marks from subject_holds where app_id = ${appId} and live = ${live} and lifted_at is null`;

const peopleIn = (cipher: Context['cipher'], holds: readonly OpenHold[]): DataSubjects | null =>
  holds.length === 0 ? null : dataSubjectsOf(cipher, ...holds.map(({ marks }) => carriedOn(cipher, marks)));

/**
 * Whether a batch has a row about somebody in `held`. Null: unknown yet, because the batch has no marks and is too large to search now. The caller has locked the
 * batch or called `keepMarks` before reading it: its marks must not change in between.
 */
export async function isHeldIn(
  { cipher }: Pick<Context, 'cipher'>,
  tx: Tx,
  held: DataSubjects,
  batch: UnopenedBatch,
): Promise<boolean | null> {
  const rows = await suspectRows(cipher, tx, batch, held);
  for (let after = 0, isLast = false; !isLast; ) {
    const step = stepOf({ batch, rows }, after);
    if (rows === null && !step.isLast) return null;
    if ((await findRows(cipher, tx, held, batch, step.among)).length > 0) return true;
    if ((await findInvalid(cipher, tx, held, batch, step.among)).length > 0) return true;
    ({ to: after, isLast } = step);
  }
  return false;
}

/** SQL condition: the row is not known to be about a held person. */
export const isFree = (id: string): string => `not exists (select 1 from held_places p where p.place = ${id})`;

/** Keeps due batches and single jobs about a held person, and returns the others. A batch that is still unknown waits for a later sweep. */
export async function withoutHeld(
  ctx: Context,
  due: readonly (AppMode & { id: string })[],
  kind: 'batches' | 'jobs',
): Promise<(AppMode & { id: string })[]> {
  const free: (AppMode & { id: string })[] = [];
  const known = new Map<string, { ids: string[]; held: DataSubjects | null }>();
  for (const one of due) {
    const owner = `${one.appId} ${one.live}`;
    if (!known.has(owner)) {
      const holds = await openHolds(ctx.sql, one);
      known.set(owner, { ids: holds.map(({ id }) => id), held: peopleIn(ctx.cipher, holds) });
    }
    const { ids, held } = known.get(owner)!;
    const isHeld =
      held === null
        ? false
        : await ctx.sql.begin((tx) => (kind === 'jobs' ? isHeldJob(ctx, tx, held, one.id) : isHeldBatch(ctx, tx, held, one.id)));
    if (isHeld === false) free.push(one);
    if (isHeld) await keep(ctx, one.id, ids);
  }
  return free;
}

async function isHeldBatch(ctx: Context, tx: Tx, held: DataSubjects, id: string): Promise<boolean | null> {
  await keepMarks(tx);
  const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${id}`;
  return batch ? isHeldIn(ctx, tx, held, batch) : false;
}

/** Works for records of calls too, which have no input. */
export async function isHeldJob({ cipher }: Pick<Context, 'cipher'>, tx: Tx, held: DataSubjects, id: string): Promise<boolean> {
  const [job] = await tx<SoughtJob[]>`select ${soughtColumns(tx)} from jobs where id = ${id}`;
  return job !== undefined && matchJob(await cipher.opener(sealedIn(job)), { id, ...job }, held).length > 0;
}

/** Holds whose hashes are carried on in one statement. */
const HOLDS = 200;

/**
 * Carries the hashes of holds on to newer index keys: a job indexed by the new key may be about a held person, and retention compares hashes in SQL.
 */
export async function carryHoldsOn({ sql, cipher }: Pick<Context, 'sql' | 'cipher'>): Promise<void> {
  const { newestKey } = cipher;
  if (newestKey === 1) return;
  for (;;) {
    const due = await sql<Pick<HoldRow, 'id' | 'marks'>[]>`
      select id, marks from subject_holds h
      where lifted_at is null and not exists (select 1 from unnest(h.subjects) s where octet_length(s) = 33 and get_byte(s, 0) = ${newestKey})
      order by id limit ${HOLDS}`;
    if (due.length === 0) return;
    for (const { id, marks } of due) {
      const carried = carriedOn(cipher, marks);
      await sql`
        update subject_holds set marks = ${JSON.stringify(carried)}::text::jsonb,
          subjects = ${byteaArray(carried.subjects.map((hash) => Buffer.from(hash, 'hex')))}::bytea[]
        where id = ${id}`;
    }
  }
}

/** Drops hashes of holds by older index keys, once everything that they protect is by the current one. Those of cached answers stay. Returns how many holds. */
export async function dropOlderHashes({ sql, cipher }: Pick<Context, 'sql' | 'cipher'>): Promise<number> {
  const { currentKey, keyOf } = cipher;
  const isCurrent = (hash: string): boolean => keyOf(Buffer.from(hash, 'hex')) === currentKey;
  let dropped = 0;
  for (let after: string | null = null; ; ) {
    const holds: Pick<HoldRow, 'id' | 'marks'>[] = await sql<Pick<HoldRow, 'id' | 'marks'>[]>`
      select id, marks from subject_holds where lifted_at is null ${narrowed(sql, [after !== null && sql`id > ${after}`])} order by id limit ${HOLDS}`;
    if (holds.length === 0) return dropped;
    after = holds.at(-1)!.id;
    for (const { id, marks } of holds) {
      if (marks.subjects.every(isCurrent)) continue;
      const cells = Object.fromEntries(Object.entries(marks.cells).map(([kind, hashes]) => [kind, hashes.filter(isCurrent)]));
      const subjects = marks.subjects.filter(isCurrent);
      const kept = { ...marks, subjects, cells, portraits: marks.portraits.filter(({ subject }) => isCurrent(subject)) };
      const changed = await sql`
        update subject_holds set marks = ${JSON.stringify(kept)}::text::jsonb, subjects = ${byteaArray(subjects.map((hash) => Buffer.from(hash, 'hex')))}::bytea[]
        where id = ${id} and marks = ${JSON.stringify(marks)}::text::jsonb`;
      dropped += changed.count;
    }
  }
}

/** Records that these holds keep the place, so that later sweeps skip it until one of them is lifted. Does nothing if one has been lifted meanwhile. */
async function keep({ sql }: Context, place: string, holds: readonly string[]): Promise<void> {
  await sql`
    with still as (select id from subject_holds where id = any(${[...holds]}::uuid[]) and lifted_at is null for share)
    insert into held_places (place, hold_id) select ${place}, id from still where (select count(*) from still) = ${holds.length} on conflict do nothing`;
}
