/**
 * Finds the rows of an app's batches in which somebody may be, without opening every row. Marks are hashes of each row's identifiers, in buckets by their first
 * bits. The sweeper marks a batch some time after its upload; until then it is searched row by row. A mark only suggests a row: `find-theirs.ts` opens it.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { openRows } from '../batches/row-blocks.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { narrowed } from '../foundation/lists.ts';
import { recordset } from '../foundation/recordset.ts';
import type { PersonMarks } from '../schema/lifecycle.ts';
import { FailedItems } from './failed-items.ts';
import { marksInCell, marksInName } from './subject.ts';

/** Rows that are opened at a time: some milliseconds. */
const STEP_ROWS = 512;
/** Rows of one part, whose marks are held in memory: about 24 bytes a row. */
const PART_ROWS = 262_144;
/** Marks of one bucket. Looking up one mark reads its whole bucket. */
const BUCKET_ENTRIES = 256;
const ENTRY_BYTES = 8;
/** Most bits of a hash that may choose its bucket. */
const BITS = [0, 4, 8, 12] as const;
/** A bucket's bits from here on say which index key its marks were made by. */
const KEY_SHIFT = 24;
/** Buckets written in one statement. */
const WRITTEN_AT_ONCE = 512;
/**
 * In place of a bucket's number, for each part: that its marks are by this reading of cells (`subject.ts`). To be changed whenever that recognises more. No
 * bucket has so high a number, whatever its key.
 */
const READING = 0x7fff_ffff;
/** Batches searched in one statement, and how many rows they may have together: for hundreds of people most of their marks are read, 16 bytes a row. */
const BATCHES = 500;
const SEARCHED_ROWS = 1_000_000;

/** `mark`: the first bytes of a hash, without the id of its index key `key`. Buckets of the first key are numbered as those of earlier releases. */
const bucketOf = (key: number, bits: number, mark: Buffer): number =>
  ((key - 1) << KEY_SHIFT) | (bits << 16) | (bits === 0 ? 0 : mark.readUInt16BE(0) >>> (16 - bits));
/** The bytes of a hash that count: the first six after the id of its key. */
const markOf = ({ keyOf }: Cipher, hash: Buffer): Buffer => hash.subarray(keyOf(hash) === 1 ? 0 : 1).subarray(0, 6);
/** Bytes of a mark that are compared within its bucket. */
const restOf = (mark: Buffer): number => mark.readUInt32BE(2);

/** Key of the advisory lock that keeps searches and changes of marks apart. An arbitrary fixed number. */
const MARKS_LOCK = 7_266_202;

/**
 * Until the transaction ends, no batch gains or loses its marks. A search first looks through the batches that have marks and then through those that have none; a
 * batch that gained its marks in between would be missed by both. To avoid deadlocks, call this before the transaction locks any batch, as changes of marks do.
 */
export const keepMarks = (tx: Tx) => tx`select pg_advisory_xact_lock_shared(${MARKS_LOCK})`;

/** Until the transaction ends, it alone may give batches marks or take them away. */
export const changeMarks = (tx: Tx) => tx`select pg_advisory_xact_lock(${MARKS_LOCK})`;

type Cipher = Context['cipher'];
type Marking = Pick<Context, 'sql' | 'cipher'>;

/** Marks batches, oldest first, until all are or `stop`. Rests between steps as long as they took, unless `restless`. Throws at the end if any failed. */
export async function markRows(ctx: Marking, stop: AbortSignal, { restless = false, failed = new FailedItems() } = {}): Promise<void> {
  while (!stop.aborted) {
    const [batch] = await ctx.sql<Unmarked[]>`
      select id, rows, invalid, marked_rows from batches
      where marked_rows < rows and deleted_at is null and status not in ('queued', 'running', 'canceling') and id <> all(${failed.ids()}::uuid[])
        and not exists (select 1 from apps a where a.id = batches.app_id and a.deleted_at is not null)
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

interface Unmarked {
  id: string;
  rows: number;
  invalid: number;
  markedRows: number;
}

/** Writes nothing if it was stopped, or if another process got there first. */
async function markPart(ctx: Marking, { id, rows, invalid, markedRows }: Unmarked, stop: AbortSignal, restless: boolean): Promise<void> {
  const to = Math.min(rows, markedRows + PART_ROWS);
  const marks = new Marks(ctx.cipher);
  for (let from = markedRows + 1; from <= to; from += STEP_ROWS) {
    if (stop.aborted) return;
    const began = performance.now();
    await readMarks(ctx, marks, { id, invalid }, from, Math.min(to, from + STEP_ROWS - 1));
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

async function readMarks(
  { sql, cipher }: Marking,
  marks: Marks,
  { id, invalid }: { id: string; invalid: number },
  from: number,
  to: number,
): Promise<void> {
  const subjects = await sql<{ row: number; subject: Buffer }[]>`
    select distinct row_number as row, subject from jobs where batch_id = ${id} and row_number between ${from} and ${to} and subject is not null`;
  for (const { row, subject } of subjects) marks.add(cipher.renewed(subject), row);
  for await (const { row, raw } of openRows({ sql, cipher }, id, { from, to })) {
    if (row >= from && row <= to) for (const mark of marksInCell(cipher, raw)) marks.addHex(mark, row);
  }
  if (invalid === 0) return;
  const refused = await sql<{ row: number; input: Buffer }[]>`
    select row_number as row, input from invalid_rows where batch_id = ${id} and row_number between ${from} and ${to} and input is not null`;
  for (const { row, input } of refused) {
    const raw: unknown = JSON.parse(await cipher.open(input, 'invalid_row', `${id}:${row}`));
    for (const mark of [...marksInCell(cipher, raw), ...marksInName(cipher, raw)]) marks.addHex(mark, row);
  }
}

/** Marks the next batch again whose marks are by an older index key than the current one. Until then it is searched row by row. Returns 0 if there is none. */
export async function markAgain(ctx: Marking, stop: AbortSignal): Promise<number> {
  const [batch] = await ctx.sql<Unmarked[]>`
    select id, rows, invalid, 0 as marked_rows from batches b
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

/** Marks of one part. While processes have different settings, some may be by a newer key than the current one. */
class Marks {
  private readonly cipher: Cipher;
  private readonly byKey = new Map<number, MarksOfKey>();

  constructor(cipher: Cipher) {
    this.cipher = cipher;
  }

  add(hash: Buffer, row: number): void {
    const key = this.cipher.keyOf(hash);
    const marks = this.byKey.get(key) ?? new MarksOfKey(key);
    this.byKey.set(key, marks);
    marks.add(markOf(this.cipher, hash), row);
  }

  addHex(hash: string, row: number): void {
    this.add(Buffer.from(hash, 'hex'), row);
  }

  inBuckets(): { bucket: number; entries: Buffer }[] {
    return [...this.byKey.values()].flatMap((marks) => marks.inBuckets());
  }
}

/** Six bytes of each with its row. */
class MarksOfKey {
  private readonly key: number;
  private size = 0;
  private hashes = Buffer.alloc(6 * 4_096);
  private rows = new Uint32Array(4_096);

  constructor(key: number) {
    this.key = key;
  }

  add(mark: Buffer, row: number): void {
    if (this.size === this.rows.length) this.grow();
    mark.copy(this.hashes, this.size * 6);
    this.rows[this.size++] = row;
  }

  inBuckets(): { bucket: number; entries: Buffer }[] {
    const bits = BITS.find((some) => this.size / 2 ** some <= BUCKET_ENTRIES) ?? BITS.at(-1)!;
    const sizes = new Uint32Array(2 ** bits);
    const of = (at: number) => bucketOf(this.key, bits, this.hashes.subarray(at * 6)) & 0xffff;
    for (let at = 0; at < this.size; at++) sizes[of(at)]! += 1;
    const buckets = Array.from(sizes, (size) => Buffer.allocUnsafe(size * ENTRY_BYTES));
    const filled = new Uint32Array(sizes.length);
    for (let at = 0; at < this.size; at++) {
      const bucket = of(at);
      const offset = filled[bucket]! * ENTRY_BYTES;
      filled[bucket]! += 1;
      buckets[bucket]!.writeUInt32BE(this.hashes.readUInt32BE(at * 6 + 2), offset);
      buckets[bucket]!.writeUInt32BE(this.rows[at]!, offset + 4);
    }
    return buckets.flatMap((entries, bucket) =>
      entries.length === 0 ? [] : [{ bucket: ((this.key - 1) << KEY_SHIFT) | (bits << 16) | bucket, entries }],
    );
  }

  private grow(): void {
    const [hashes, rows] = [Buffer.alloc(this.hashes.length * 2), new Uint32Array(this.rows.length * 2)];
    this.hashes.copy(hashes);
    rows.set(this.rows);
    [this.hashes, this.rows] = [hashes, rows];
  }
}

/** Rows in which they may be, in order. */
export interface Suggested {
  batchId: string;
  rows: number[];
}

/** Looks at some batches of the app, up to the first without marks (`unmarked`). `upTo`: the last of them; null after the last of all. */
export async function suggest(
  cipher: Cipher,
  tx: Tx,
  { appId, live, after, before }: { appId: string; live: boolean; after: string | null; before: string },
  marks: PersonMarks,
): Promise<{ found: Suggested[]; unmarked: string | null; upTo: string | null }> {
  const batches = await tx<Sized[]>`
    select id, rows from batches
    where app_id = ${appId} and live = ${live} and deleted_at is null and id < ${before} ${narrowed(tx, [after !== null && tx`id > ${after}`])}
    order by id limit ${BATCHES}`;
  const searched: Sized[] = [];
  for (let at = 0, rows = 0; at < batches.length && (at === 0 || rows + batches[at]!.rows <= SEARCHED_ROWS); at++) {
    searched.push(batches[at]!);
    rows += batches[at]!.rows;
  }
  const { found, unmarked } = await suggestIn(cipher, tx, searched, marks);
  const [first = null] = unmarked;
  if (first !== null) return { found: found.filter(({ batchId }) => batchId < first), unmarked: first, upTo: first };
  const isAll = searched.length === batches.length && batches.length < BATCHES;
  return { found, unmarked: null, upTo: isAll ? null : searched.at(-1)!.id };
}

interface Sized {
  id: string;
  rows: number;
}

/** Rows of these batches. `unmarked`: those that must be searched row by row, in order; they are new or running, or an earlier release marked them. */
export async function suggestIn(
  cipher: Cipher,
  tx: Tx,
  batches: readonly Sized[],
  { subjects, cells }: PersonMarks,
): Promise<{ found: Suggested[]; unmarked: string[] }> {
  const wanted = [...subjects, ...Object.values(cells).flat()].map((hash) => Buffer.from(hash, 'hex'));
  const values = new Map<number, Set<number>>();
  for (const hash of wanted) {
    const mark = markOf(cipher, hash);
    for (const bits of BITS) {
      const bucket = bucketOf(cipher.keyOf(hash), bits, mark);
      values.set(bucket, (values.get(bucket) ?? new Set()).add(restOf(mark)));
    }
  }
  const buckets = await tx<{ batchId: string; bucket: number; entries: Buffer }[]>`
    select batch_id, bucket, entries from row_marks
    where batch_id = any(${batches.map(({ id }) => id)}::uuid[]) and bucket = any(${[...values.keys(), READING]}::int[]) order by batch_id`;
  const rows = new Map<string, Set<number>>();
  const marked = new Map<string, number>();
  for (const { batchId, bucket, entries } of buckets) {
    if (bucket === READING) marked.set(batchId, (marked.get(batchId) ?? 0) + PART_ROWS);
    const sought = values.get(bucket);
    for (let at = 0; sought && at < entries.length; at += ENTRY_BYTES) {
      if (!sought.has(entries.readUInt32BE(at))) continue;
      rows.set(batchId, (rows.get(batchId) ?? new Set()).add(entries.readUInt32BE(at + 4)));
    }
  }
  return {
    found: [...rows].map(([batchId, found]) => ({ batchId, rows: [...found].toSorted((one, other) => one - other) })),
    unmarked: batches.flatMap((batch) => ((marked.get(batch.id) ?? 0) < batch.rows ? [batch.id] : [])),
  };
}
