/**
 * Finds a person in an app's stored data, some thousand jobs or rows at a time: for an erasure, and for a file of everything held on them. What one finds, the
 * other finds too.
 */
import { openRows } from '../batches/row-blocks.ts';
import type { UnopenedBatch } from '../contract/batches.ts';
import type { Identifier } from '../contract/subjects.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { cellMatcher, type IsTheirs, personMatcher, subjectIndexes } from './subject.ts';

/** Single jobs, and records of calls, that one step looks at. */
export const JOBS = 2_000;
/** Rows that one step looks at. */
export const ROWS = 8_000;

/** The person whom a step looks for. */
export interface Whom {
  identifiers: Identifier[];
  /** Hex. */
  subjects: string[];
  isTheirs: IsTheirs;
  isNamed: (cells: readonly unknown[]) => boolean;
}

export const whomOf = (cipher: Context['cipher'], identifiers: Identifier[]): Whom => ({
  identifiers,
  subjects: subjectIndexes(cipher, identifiers),
  isTheirs: cellMatcher(identifiers),
  isNamed: personMatcher(identifiers),
});

export const theirSubjects = (tx: Tx, { subjects }: Whom) => tx`(select decode(h, 'hex') from unnest(${subjects}::text[]) h)`;

/** Where a request is: what is newer than itself is not looked at. */
interface Place {
  id: string;
  appId: string;
  live: boolean;
  /** The last job that was looked at; null: none. */
  cursor: string | null;
}

/** A step through single jobs. `next`: the last one that was looked at; null after the last of all. */
export async function findJobs(
  cipher: Context['cipher'],
  tx: Tx,
  { appId, live, cursor, id }: Place,
  whom: Whom,
): Promise<{ theirs: { id: string; isOver: boolean }[]; next: string | null }> {
  const jobs = await tx<{ id: string; subject: Buffer | null; input: Buffer; isOver: boolean }[]>`
    select id, subject, input, status not in ('queued', 'leased') as is_over from jobs
    where app_id = ${appId} and live = ${live} and batch_id is null and input is not null and id < ${id} and (${cursor}::uuid is null or id > ${cursor}::uuid)
    order by id limit ${JOBS}`;
  const known = new Set(whom.subjects);
  const theirs = jobs.filter(({ id: job, subject, input }) => {
    if (subject !== null && known.has(subject.toString('hex'))) return true;
    return Object.entries(JSON.parse(cipher.open(input, 'input', job))).some(([field, value]) => whom.isTheirs(value, field));
  });
  return { theirs, next: jobs.length < JOBS ? null : jobs.at(-1)!.id };
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

/** The batch that a request is at, or the next one; null after the last. `row`: the last row of the batch `cursor` that was looked at; 0: all were. */
export async function nextBatch(tx: Tx, { appId, live, cursor, id }: Place, row: number): Promise<UnopenedBatch | null> {
  const [batch] = await tx<UnopenedBatch[]>`
    select * from batches
    where app_id = ${appId} and live = ${live} and deleted_at is null and id < ${id}
      and (${cursor}::uuid is null or id > ${cursor}::uuid or (id = ${cursor}::uuid and ${row}::int > 0)) order by id limit 1`;
  return batch ?? null;
}

/** Rows of the person, and those whose answer is that of such a row. */
export async function findRows(
  cipher: Context['cipher'],
  tx: Tx,
  whom: Whom,
  batch: UnopenedBatch,
  from: number,
  to: number,
): Promise<number[]> {
  const bySubject = await tx<{ row: number }[]>`
    select distinct row_number as row from jobs
    where batch_id = ${batch.id} and row_number between ${from} and ${to} and subject in ${theirSubjects(tx, whom)}`;
  const found = new Set(bySubject.map(({ row }) => row));
  const names = fieldsOf(batch);
  for await (const { row, raw } of openRows({ sql: tx, cipher }, batch.id, from, to)) {
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

/** For each column its name and the inputs that are read from it. */
function fieldsOf({ columns, mapping }: UnopenedBatch): Map<string, string> {
  const names = new Map(columns.map((column) => [column, column]));
  for (const [input, column] of Object.entries(mapping)) names.set(column, `${names.get(column) ?? column} ${input}`);
  return names;
}

export async function findInvalid(
  cipher: Context['cipher'],
  tx: Tx,
  whom: Whom,
  batch: UnopenedBatch,
  from: number,
  to: number,
): Promise<number[]> {
  if (batch.invalid === 0) return [];
  const rows = await tx<{ row: number; input: Buffer }[]>`
    select row_number as row, input from invalid_rows where batch_id = ${batch.id} and row_number between ${from} and ${to} and input is not null`;
  return rows.flatMap(({ row, input }) => {
    const raw: unknown = JSON.parse(cipher.open(input, 'invalid_row', `${batch.id}:${row}`));
    const cells = Array.isArray(raw) ? raw : Object.values(raw as object);
    // Its cells may stand in the wrong columns: that may be what is wrong with it.
    return cells.some((cell) => whom.isTheirs(cell, null)) || whom.isNamed(cells) ? [row] : [];
  });
}
