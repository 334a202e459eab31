/** Erases a person from the rows of a batch, some thousand rows at a time. `erase.ts` says which batch is next. */
import { eraseRows, openRows } from '../batches/row-blocks.ts';
import { isBatchOver, type UnopenedBatch } from '../contract/batches.ts';
import type { Identifier } from '../contract/subjects.ts';
import type { Context, Tx } from '../foundation/context.ts';
import type { erasures } from '../schema/lifecycle.ts';
import { forgetRows } from './purge.ts';
import type { IsTheirs } from './subject.ts';

export type ErasureRow = typeof erasures.$inferSelect;

/** Rows that one step looks at. */
const ROWS = 8_000;

/** The person whom a step looks for. */
export interface Whom {
  identifiers: Identifier[];
  /** Hex. */
  subjects: string[];
  isTheirs: IsTheirs;
  isNamed: (cells: readonly unknown[]) => boolean;
}

/** Counts what was erased. */
export const add = (erasure: ErasureRow, what: string, more: number): void => {
  if (more > 0) erasure.counts = { ...erasure.counts, [what]: (erasure.counts[what] ?? 0) + more };
};

export const theirSubjects = (tx: Tx, { subjects }: Whom) => tx`(select decode(h, 'hex') from unnest(${subjects}::text[]) h)`;

/** Looks at the next rows after `after`. Returns the last of them, `done` after the last of all, or `in_work` if the person is in a batch that has not ended. */
export async function eraseInBatch(
  { cipher }: Context,
  tx: Tx,
  erasure: ErasureRow,
  whom: Whom,
  batch: UnopenedBatch,
  after: number,
): Promise<number | 'done' | 'in_work'> {
  const to = after + ROWS;
  const rows = await findRows(cipher, tx, whom, batch, after + 1, to);
  const invalid = await findInvalid(cipher, tx, whom, batch, after + 1, to);
  if (rows.length + invalid.length > 0) {
    // Jobs before their batch, as everywhere.
    await tx`select 1 from jobs where batch_id = ${batch.id} and row_number = any(${rows}::int[]) order by id for update`;
    const [now] = await tx<UnopenedBatch[]>`select * from batches where id = ${batch.id} for update`;
    if (now!.deletedAt !== null) return 'done';
    if (now!.legalHoldAt !== null) {
      erasure.held = [...erasure.held, batch.id];
      return 'done';
    }
    if (!isBatchOver(now!)) return 'in_work';
    await forgetRows(tx, batch.id, rows);
    await eraseRows(tx, cipher, batch.id, rows);
    await tx`delete from invalid_rows where batch_id = ${batch.id} and row_number = any(${invalid}::int[])`;
    add(erasure, 'rows', rows.length);
    add(erasure, 'invalid_rows', invalid.length);
  }
  return to >= batch.rows ? 'done' : to;
}

/** Rows of the person, and those whose answer is that of such a row. */
async function findRows(cipher: Context['cipher'], tx: Tx, whom: Whom, batch: UnopenedBatch, from: number, to: number): Promise<number[]> {
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

async function findInvalid(
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
