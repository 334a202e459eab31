/** Makes the marks by which rows are found (`batches/row-marks.ts`), some time after their upload: of people's identifiers, and of references. */
import { setTimeout as rest } from 'node:timers/promises';
import { openRows } from '../batches/row-blocks.ts';
import { changeMarks, KEY_SHIFT, Marks, PART_ROWS, READING } from '../batches/row-marks.ts';
import { isTable, type RawRow, REFERENCE, rowReader, storedReference } from '../batches/row-reader.ts';
import { referenceIndex } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { recordset } from '../foundation/recordset.ts';
import { marksInCell, marksInName } from './data-subjects.ts';
import { FailedItems } from './failed-items.ts';

/** Rows that are opened at a time: some milliseconds. */
const STEP_ROWS = 512;
/** Buckets written in one statement. */
const WRITTEN_AT_ONCE = 512;

type Marking = Pick<Context, 'sql' | 'cipher'>;

/** Marks batches, oldest first, until all are or `stop`. Rests between steps as long as they took, unless `restless`. Throws at the end if any failed. */
export async function markRows(ctx: Marking, stop: AbortSignal, { restless = false, failed = new FailedItems() } = {}): Promise<void> {
  while (!stop.aborted) {
    const [batch] = await ctx.sql<Unmarked[]>`
      select ${marked(ctx.sql)}, marked_rows from batches b
      where marked_rows < rows and deleted_at is null and status not in ('queued', 'running', 'canceling') and b.id <> all(${failed.ids()}::uuid[])
        and not exists (select 1 from apps a where a.id = b.app_id and a.deleted_at is not null)
      order by id limit 1`;
    if (!batch) break;
    await failed.attempt('bat', async (take) => {
      take([batch.id]);
      await markPart(ctx, batch, stop, restless);
      return true;
    });
  }
  failed.tell();
}

type Marked = Pick<BatchRow, 'id' | 'appId' | 'live' | 'rows' | 'invalid' | 'format' | 'columns' | 'mapping'>;
type Unmarked = Marked & Pick<BatchRow, 'markedRows'>;

/** The columns of `Marked`. */
const marked = (sql: Sql) => sql`b.id, b.app_id, b.live, b.rows, b.invalid, b.format, b.columns, b.mapping`;

/** Writes nothing if it was stopped, or if another process got there first. */
async function markPart(ctx: Marking, batch: Unmarked, stop: AbortSignal, restless: boolean): Promise<void> {
  const { id, rows, markedRows } = batch;
  const to = Math.min(rows, markedRows + PART_ROWS);
  const marks = new Marks(ctx.cipher);
  for (let from = markedRows + 1; from <= to; from += STEP_ROWS) {
    if (stop.aborted) return;
    const began = performance.now();
    await readMarks(ctx, marks, batch, from, Math.min(to, from + STEP_ROWS - 1));
    if (!restless) await rest(performance.now() - began);
  }
  const part = Math.floor(markedRows / PART_ROWS);
  await ctx.sql.begin(async (tx) => {
    await changeMarks(tx);
    const moved = await tx`update batches set marked_rows = ${to} where id = ${id} and marked_rows = ${markedRows} and deleted_at is null`;
    if (moved.count === 0) return;
    const buckets = [...marks.inBuckets(), { bucket: READING, entries: Buffer.alloc(0) }];
    for (let at = 0; at < buckets.length; at += WRITTEN_AT_ONCE) {
      await tx`
        insert into row_marks (batch_id, bucket, part, entries)
        select ${id}, bucket, ${part}, entries
        from ${recordset(tx, buckets.slice(at, at + WRITTEN_AT_ONCE), { bucket: ['int', (b) => b.bucket], entries: ['bytea', (b) => b.entries] })} t`;
    }
  });
}

async function readMarks({ sql, cipher }: Marking, marks: Marks, batch: Marked, from: number, to: number): Promise<void> {
  const { id } = batch;
  const addReference = referenceMarker(cipher, marks, batch);
  const subjects = await sql<{ row: number; subject: Buffer }[]>`
    select distinct row_number as row, subject from jobs where batch_id = ${id} and row_number between ${from} and ${to} and subject is not null`;
  for (const { row, subject } of subjects) marks.add(cipher.renewed(subject), row);
  for await (const { row, raw } of openRows({ sql, cipher }, id, { from, to })) {
    if (row < from || row > to) continue;
    for (const mark of marksInCell(cipher, raw)) marks.addHex(mark, row);
    addReference(raw, row);
  }
  if (batch.invalid === 0) return;
  const refused = await sql<{ row: number; input: Buffer }[]>`
    select row_number as row, input from invalid_rows where batch_id = ${id} and row_number between ${from} and ${to} and input is not null`;
  for (const { row, input } of refused) {
    const raw: RawRow = JSON.parse(await cipher.open(input, 'invalid_row', `${id}:${row}`));
    for (const mark of [...marksInCell(cipher, raw), ...marksInName(cipher, raw)]) marks.addHex(mark, row);
    addReference(raw, row);
  }
}

function referenceMarker(cipher: Context['cipher'], marks: Marks, batch: Marked): (raw: RawRow, row: number) => void {
  if (batch.mapping[REFERENCE] === undefined) return () => {};
  const read = rowReader(isTable(batch.format) ? batch.columns : null, batch.mapping);
  return (raw, row) => {
    const reference = storedReference((key) => read(raw, key));
    if (reference !== null) marks.add(referenceIndex(cipher, batch, reference), row);
  };
}

/** Marks the next batch again whose marks are by an older index key than the current one. Until then it is searched row by row. Returns 0 if there is none. */
export async function markAgain(ctx: Marking, stop: AbortSignal): Promise<number> {
  const [batch] = await ctx.sql<Unmarked[]>`
    select ${marked(ctx.sql)}, 0 as marked_rows from batches b
    where marked_rows > 0 and deleted_at is null and not exists (select 1 from apps a where a.id = b.app_id and a.deleted_at is not null)
      and exists (select 1 from row_marks m where m.batch_id = b.id and m.bucket < ${(ctx.cipher.currentKey - 1) << KEY_SHIFT})
    order by id limit 1`;
  if (!batch) return 0;
  await forgetMarks(ctx, batch.id);
  for (let markedRows = 0; markedRows < batch.rows && !stop.aborted; markedRows += PART_ROWS)
    await markPart(ctx, { ...batch, markedRows }, stop, false);
  return 1;
}

const forgetMarks = ({ sql }: Pick<Context, 'sql'>, id: string): Promise<unknown> =>
  sql.begin(async (tx) => {
    await changeMarks(tx);
    await tx`update batches set marked_rows = 0 where id = ${id}`;
    await tx`delete from row_marks where batch_id = ${id}`;
  });

/** `markRows`; the first run also looks at every batch, to redo marks that earlier releases made. */
export function openMarker(ctx: Marking): (stop: AbortSignal, failed: FailedItems) => Promise<void> {
  let isCurrent = false;
  return async (stop, failed) => {
    if (!isCurrent) await forgetOlderMarks(ctx, stop);
    isCurrent = true;
    await markRows(ctx, stop, { failed });
  };
}

async function forgetOlderMarks(ctx: Marking, stop: AbortSignal): Promise<void> {
  const older = await ctx.sql<{ id: string }[]>`
    select id from batches b where marked_rows > 0 and deleted_at is null
      and (select count(*) from row_marks m where m.batch_id = b.id and m.bucket = ${READING}) * ${PART_ROWS} < marked_rows`;
  for (const { id } of older) {
    if (stop.aborted) return;
    await forgetMarks(ctx, id);
  }
}
