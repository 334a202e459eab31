/**
 * Finds a person in an app's stored data, a few thousand jobs or rows at a time. Erasures, exports and legal holds share this search, so they all find the same.
 */

import { openRows } from '../batches/row-blocks.ts';
import { keepMarks, suggest, suggestIn } from '../batches/row-marks.ts';
import { openAbout } from '../contract/about.ts';
import type { UnopenedBatch } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { JOB_IS_OVER } from '../jobs/job.ts';
import { type DataSubjects, type Matches, union, valuesIn } from './data-subjects.ts';

/** Single jobs, and records of calls, that one step looks at. */
export const JOBS = 2_000;
/** Rows that one step looks at. */
const ROWS = 8_000;
/** Rows that one step looks at where marks suggest them: each is in a block of its own, and opening one of results and sealing it again takes half a millisecond. */
const SUGGESTED_ROWS = 64;

/** SQL fragment: the hashes of the people's subjects. */
export const hashesOf = (tx: Tx, { bySubject }: DataSubjects) => tx`(select unnest(${byteaArray([...bySubject.keys()])}::bytea[]))`;

/** How far a request has got. It ignores data newer than itself. */
interface Place {
  id: string;
  appId: string;
  live: boolean;
  /** The last job examined; null if none. */
  cursor: string | null;
}

/** A job or call that was found, and the people whom it is about. */
interface FoundJob {
  id: string;
  matches: Matches;
}

/** A step through single jobs. `isHeld`: also about somebody in `held`. `next`: the last job examined; null at the end. */
export async function findJobs(
  cipher: Context['cipher'],
  tx: Tx,
  { appId, live, cursor, id }: Place,
  dataSubjects: DataSubjects,
  held: DataSubjects | null,
): Promise<{ jobs: (FoundJob & { isOver: boolean; isHeld: boolean })[]; next: string | null }> {
  const rows = await tx<(SoughtJob & { id: string; isOver: boolean })[]>`
    select id, ${soughtColumns(tx)}, ${tx.unsafe(JOB_IS_OVER)} as is_over from jobs
    where app_id = ${appId} and live = ${live} and batch_id is null and input is not null and id < ${id} ${narrowed(tx, [cursor !== null && tx`id > ${cursor}`])}
    order by id limit ${JOBS}`;
  const opener = await cipher.opener(rows.flatMap(sealedIn));
  const jobs = rows.flatMap((job) => {
    const matches = matchJob(opener, job, dataSubjects);
    if (matches.length === 0) return [];
    return [{ id: job.id, matches, isOver: job.isOver, isHeld: held !== null && matchJob(opener, job, held).length > 0 }];
  });
  return { jobs, next: rows.length < JOBS ? null : rows.at(-1)!.id };
}

/** The columns that show whom a single job, or the record of a call, is about. */
export interface SoughtJob {
  subject: Buffer | null;
  /** Null for a record of a call. */
  input: Buffer | null;
  about: Buffer | null;
  /** In the clear in rows of earlier releases; likewise `metadata`. */
  reference: string | null;
  metadata: Record<string, unknown> | null;
}

export const soughtColumns = (tx: Tx) => tx`subject, input, about, reference, metadata`;

export const sealedIn = ({ input, about }: SoughtJob): (Buffer | null)[] => [input, about];

/** Which of these people it is about, or names in what its app says about it. */
export function matchJob(
  opener: Opener,
  { id, subject, input, about, reference, metadata }: SoughtJob & { id: string },
  dataSubjects: DataSubjects,
): Matches {
  const bySubject = (subject && dataSubjects.bySubject.get(subject.toString('hex'))) ?? [];
  const known = { reference, metadata, ...openAbout(opener, showId('job', id), about) };
  const looked = input === null ? {} : (JSON.parse(opener.open(input, 'input', id)) as object);
  const members: [string | null, unknown][] = [...Object.entries(looked), ...Object.entries(known.metadata ?? {})];
  members.push([null, known.reference], [null, known.consent?.reference]);
  return union(bySubject, ...members.map(([field, value]) => dataSubjects.match(value, field)));
}

/** Records of single calls about them, in order. */
export async function findCalls(tx: Tx, { appId, live, cursor, id }: Place, dataSubjects: DataSubjects): Promise<FoundJob[]> {
  const calls = await tx<{ id: string; subject: Buffer }[]>`
    select id, subject from jobs
    where app_id = ${appId} and live = ${live} and batch_id is null and input is null and id < ${id} ${narrowed(tx, [cursor !== null && tx`id > ${cursor}`])}
      and subject in ${hashesOf(tx, dataSubjects)}
    order by id limit ${JOBS}`;
  return calls.map((call) => ({ id: call.id, matches: dataSubjects.bySubject.get(call.subject.toString('hex'))! }));
}

/** A batch in which they may be. `rows`: the rows to open; null: the batch has no marks yet, so all. */
export interface Suspect {
  batch: UnopenedBatch;
  rows: number[] | null;
}

/**
 * The next batches in which the people may be, in order, beginning with the batch that the request has reached. `row`: the last row looked at in the batch
 * `cursor`; 0: all of its rows were. `upTo`: up to this batch id, the people are in no other batch; null: in no other at all.
 */
export async function nextBatches(
  cipher: Context['cipher'],
  tx: Tx,
  { appId, live, cursor, id, row }: Place & { row: number },
  dataSubjects: DataSubjects,
): Promise<{ suspects: Suspect[]; upTo: string | null }> {
  await keepMarks(tx);
  if (row > 0) {
    const [batch] = await tx<UnopenedBatch[]>`select * from batches where id = ${cursor} and deleted_at is null`;
    return { suspects: batch ? [{ batch, rows: await suspectRows(cipher, tx, batch, dataSubjects) }] : [], upTo: cursor };
  }
  const { found, unmarked, upTo } = await suggest(cipher, tx, { appId, live, after: cursor, before: id }, marksOfRows(dataSubjects));
  const ids = [...found.map(({ batchId }) => batchId), ...(unmarked === null ? [] : [unmarked])];
  const rowsOf = new Map(found.map(({ batchId, rows }) => [batchId, rows]));
  const batches = await tx<UnopenedBatch[]>`select * from batches where id = any(${ids}::uuid[]) order by id`;
  return { suspects: batches.map((batch) => ({ batch, rows: rowsOf.get(batch.id) ?? null })), upTo };
}

/** The hashes by which the rows of these people are marked. */
const marksOfRows = ({ marks: { subjects, cells } }: DataSubjects): Buffer[] =>
  [...subjects, ...Object.values(cells).flat()].map((hash) => Buffer.from(hash, 'hex'));

/** See `Suspect.rows`. */
export async function suspectRows(
  cipher: Context['cipher'],
  tx: Tx,
  batch: UnopenedBatch,
  dataSubjects: DataSubjects,
): Promise<Suspect['rows']> {
  const { found, unmarked } = await suggestIn(cipher, tx, [batch], marksOfRows(dataSubjects));
  return unmarked.length > 0 ? null : (found[0]?.rows ?? []);
}

/** The rows of the step after row `after`. `to`: the last of them. `isLast`: whether the batch is done after this step. */
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

export interface FoundRow {
  row: number;
  matches: Matches;
}

/** Their rows in order, and the rows that share the answer of such a row. */
export async function findRows(
  cipher: Context['cipher'],
  tx: Tx,
  dataSubjects: DataSubjects,
  batch: UnopenedBatch,
  among: Among,
): Promise<FoundRow[]> {
  if ('length' in among && among.length === 0) return [];
  const bySubject = await tx<{ row: number; subject: Buffer }[]>`
    select distinct row_number as row, subject from jobs
    where batch_id = ${batch.id} and ${isAmong(tx, among)} and subject in ${hashesOf(tx, dataSubjects)}`;
  const found = new Map<number, Matches>();
  const note = (row: number, matches: Matches) => void (matches.length > 0 && found.set(row, union(found.get(row) ?? [], matches)));
  for (const { row, subject } of bySubject) note(row, dataSubjects.bySubject.get(subject.toString('hex'))!);
  const names = fieldsOf(batch);
  const listed = 'from' in among ? null : new Set(among);
  for await (const { row, raw } of openRows({ sql: tx, cipher }, batch.id, among)) {
    if (listed?.has(row) === false) continue;
    const cells: [unknown, string | null][] = Array.isArray(raw)
      ? raw.map((cell, at) => [cell, names.get(batch.columns[at] ?? '') ?? null])
      : Object.entries(raw).map(([key, value]) => [value, names.get(key) ?? key]);
    for (const [value, field] of cells) note(row, dataSubjects.match(value, field));
  }
  for (let more = batch.duplicate > 0 && found.size > 0; more; ) {
    const twins = await tx<{ row: number; twin: number }[]>`
      select distinct row_number as row, twin_row as twin from jobs
      where batch_id = ${batch.id} and status = 'duplicate' and twin_row = any(${[...found.keys()]}::int[])`;
    const known = new Map(found);
    for (const { row, twin } of twins) note(row, known.get(twin)!);
    more = twins.some(({ row }) => found.get(row)!.length > (known.get(row)?.length ?? 0));
  }
  return inOrder(found);
}

const inOrder = (found: ReadonlyMap<number, Matches>): FoundRow[] =>
  [...found].map(([row, matches]) => ({ row, matches })).toSorted((one, other) => one.row - other.row);

const isAmong = (tx: Tx, among: Among) =>
  'from' in among ? tx`row_number between ${among.from} and ${among.to}` : tx`row_number = any(${[...among]}::int[])`;

/** For each column its name and the inputs that are read from it. */
function fieldsOf({ columns, mapping }: UnopenedBatch): Map<string, string> {
  const names = new Map(columns.map((column) => [column, column]));
  for (const [input, column] of Object.entries(mapping)) names.set(column, `${names.get(column) ?? column} ${input}`);
  return names;
}

/** As `findRows`, of rows to correct. */
export async function findInvalid(
  cipher: Context['cipher'],
  tx: Tx,
  dataSubjects: DataSubjects,
  batch: UnopenedBatch,
  among: Among,
): Promise<FoundRow[]> {
  if (batch.invalid === 0) return [];
  const rows = await tx<{ row: number; input: Buffer }[]>`
    select row_number as row, input from invalid_rows where batch_id = ${batch.id} and ${isAmong(tx, among)} and input is not null`;
  const { open } = await cipher.opener(rows.map(({ input }) => input));
  const found = rows.map(({ row, input }): [number, Matches] => {
    const raw: unknown = JSON.parse(open(input, 'invalid_row', `${batch.id}:${row}`));
    // Its cells may be in the wrong columns; that may be why it is invalid.
    const cells = valuesIn(raw).map(([cell]) => cell);
    return [row, cells.reduce<Matches>((all, cell) => union(all, dataSubjects.match(cell, null)), dataSubjects.matchCells(cells))];
  });
  return inOrder(new Map(found.filter(([, matches]) => matches.length > 0)));
}
