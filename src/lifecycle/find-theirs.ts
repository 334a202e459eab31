/**
 * Finds a person in an app's stored data, a few thousand jobs or rows at a time. Erasures, exports and legal holds share this search, so they all find the same.
 */
import { openRows } from '../batches/row-blocks.ts';
import type { UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { suggest, suggestIn } from './row-marks.ts';
import type { Whom } from './subject.ts';

/** Single jobs, and records of calls, that one step looks at. */
export const JOBS = 2_000;
/** Rows that one step looks at. */
const ROWS = 8_000;
/** Rows that one step looks at where marks suggest them. */
const SUGGESTED_ROWS = 1_000;

export const theirSubjects = (tx: Tx, { subjects }: Whom) => tx`(select decode(h, 'hex') from unnest(${[...subjects]}::text[]) h)`;

/** Where a request is: what is newer than itself is not looked at. */
interface Place {
  id: string;
  appId: string;
  live: boolean;
  /** The last job that was looked at; null: none. */
  cursor: string | null;
}

/** A step through single jobs. `isHeld`: also about somebody in `held`. `next`: the last job examined; null at the end. */
export async function findJobs(
  cipher: Context['cipher'],
  tx: Tx,
  { appId, live, cursor, id }: Place,
  whom: Whom,
  held: Whom | null,
): Promise<{ theirs: { id: string; isOver: boolean; isHeld: boolean }[]; next: string | null }> {
  const jobs = await tx<{ id: string; subject: Buffer | null; input: Buffer; isOver: boolean }[]>`
    select id, subject, input, status not in ('queued', 'leased') as is_over from jobs
    where app_id = ${appId} and live = ${live} and batch_id is null and input is not null and id < ${id} and (${cursor}::uuid is null or id > ${cursor}::uuid)
    order by id limit ${JOBS}`;
  const opener = await cipher.opener(jobs.map(({ input }) => input));
  const theirs = jobs
    .filter((job) => isJobOf(opener, job, whom))
    .map((job) => ({ id: job.id, isOver: job.isOver, isHeld: held !== null && isJobOf(opener, job, held) }));
  return { theirs, next: jobs.length < JOBS ? null : jobs.at(-1)!.id };
}

/** Whether a single job, or a record of a call, is about one of these people. */
export function isJobOf(
  { open }: Opener,
  { id, subject, input }: { id: string; subject: Buffer | null; input: Buffer | null },
  whom: Whom,
): boolean {
  if (subject !== null && whom.subjects.has(subject.toString('hex'))) return true;
  if (input === null) return false;
  return Object.entries(JSON.parse(open(input, 'input', id)) as object).some(([field, value]) => whom.isTheirs(value, field));
}

/** Records of single calls about the person. */
export async function findCalls(tx: Tx, { appId, live, cursor, id }: Place, whom: Whom): Promise<string[]> {
  const calls = await tx<{ id: string }[]>`
    select id from jobs
    where app_id = ${appId} and live = ${live} and batch_id is null and input is null and id < ${id} and (${cursor}::uuid is null or id > ${cursor}::uuid)
      and subject in ${theirSubjects(tx, whom)}
    order by id limit ${JOBS}`;
  return calls.map((call) => call.id);
}

/** A batch in which the person may be. `rows`: the rows to open; null: the batch has no marks yet, so all. */
export interface Suspect {
  batch: UnopenedBatch;
  rows: number[] | null;
}

/** The batch that a request is at, or the next one in which the person may be. `upTo`: up to there they are in none. Null after the last. `row`: the last row of the batch `cursor` that was looked at; 0: all were. */
export async function nextBatch(
  tx: Tx,
  { appId, live, cursor, id, row }: Place & { row: number },
  whom: Whom,
): Promise<Suspect | { upTo: string } | null> {
  if (row > 0) {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${cursor} and deleted_at is null`;
    if (batch) return { batch, rows: await suspectRows(tx, batch, whom) };
  }
  const [unmarked] = await tx<UnopenedBatch[]>`
    select * from batches
    where app_id = ${appId} and live = ${live} and deleted_at is null and marked_rows < rows and id < ${id} and (${cursor}::uuid is null or id > ${cursor}::uuid)
    order by id limit 1`;
  const { found, upTo } = await suggest(tx, { appId, live, after: cursor, before: id }, whom.marks);
  const [first] = found;
  if (unmarked && (!first || unmarked.id <= first.batchId) && (upTo === null || first || unmarked.id <= upTo))
    return { batch: unmarked, rows: null };
  if (!first) return upTo === null ? null : { upTo };
  const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${first.batchId}`;
  return { batch: batch!, rows: first.rows };
}

/** See `Suspect.rows`. */
export async function suspectRows(tx: Tx, batch: UnopenedBatch, { marks }: Whom): Promise<Suspect['rows']> {
  if (batch.markedRows < batch.rows) return null;
  return (await suggestIn(tx, [batch.id], marks))[0]?.rows ?? [];
}

/** The rows of the step after row `after`. `last`: whether the batch is done after it. */
export function stepOf({ batch, rows }: Suspect, after: number): { among: Among; to: number; isLast: boolean } {
  if (rows === null) {
    const to = after + ROWS;
    return { among: { from: after + 1, to }, to, isLast: to >= batch.rows };
  }
  const left = rows.filter((row) => row > after);
  const among = left.slice(0, SUGGESTED_ROWS);
  return { among, to: among.at(-1) ?? after, isLast: among.length === left.length };
}

/** Some rows of a batch. */
export type Among = readonly number[] | { from: number; to: number };

/** Rows of the person, and those whose answer is that of such a row. */
export async function findRows(cipher: Context['cipher'], tx: Tx, whom: Whom, batch: UnopenedBatch, among: Among): Promise<number[]> {
  if ('length' in among && among.length === 0) return [];
  const bySubject = await tx<{ row: number }[]>`
    select distinct row_number as row from jobs
    where batch_id = ${batch.id} and ${isAmong(tx, among)} and subject in ${theirSubjects(tx, whom)}`;
  const found = new Set(bySubject.map(({ row }) => row));
  const names = fieldsOf(batch);
  const listed = 'from' in among ? null : new Set(among);
  for await (const { row, raw } of openRows({ sql: tx, cipher }, batch.id, among)) {
    if (listed?.has(row) === false) continue;
    const isTheirs = Array.isArray(raw)
      ? raw.some((cell, at) => whom.isTheirs(cell, names.get(batch.columns[at] ?? '') ?? null))
      : Object.entries(raw).some(([key, value]) => whom.isTheirs(value, names.get(key) ?? key));
    if (isTheirs) found.add(row);
  }
  for (let more = batch.duplicate > 0 && found.size > 0; more; ) {
    const twins = await tx<{ row: number }[]>`
      select distinct row_number as row from jobs
      where batch_id = ${batch.id} and status = 'duplicate' and twin_row = any(${[...found]}::int[]) and row_number <> all(${[...found]}::int[])`;
    for (const { row } of twins) found.add(row);
    more = twins.length > 0;
  }
  return [...found].toSorted((one, other) => one - other);
}

const isAmong = (tx: Tx, among: Among) =>
  'from' in among ? tx`row_number between ${among.from} and ${among.to}` : tx`row_number = any(${[...among]}::int[])`;

/** For each column its name and the inputs that are read from it. */
function fieldsOf({ columns, mapping }: UnopenedBatch): Map<string, string> {
  const names = new Map(columns.map((column) => [column, column]));
  for (const [input, column] of Object.entries(mapping)) names.set(column, `${names.get(column) ?? column} ${input}`);
  return names;
}

export async function findInvalid(cipher: Context['cipher'], tx: Tx, whom: Whom, batch: UnopenedBatch, among: Among): Promise<number[]> {
  if (batch.invalid === 0) return [];
  const rows = await tx<{ row: number; input: Buffer }[]>`
    select row_number as row, input from invalid_rows where batch_id = ${batch.id} and ${isAmong(tx, among)} and input is not null`;
  const { open } = await cipher.opener(rows.map(({ input }) => input));
  return rows.flatMap(({ row, input }) => {
    const raw: unknown = JSON.parse(open(input, 'invalid_row', `${batch.id}:${row}`));
    const cells = Array.isArray(raw) ? raw : Object.values(raw as object);
    // Its cells may stand in the wrong columns: that may be what is wrong with it.
    return cells.some((cell) => whom.isTheirs(cell, null)) || whom.isNamed(cells) ? [row] : [];
  });
}
