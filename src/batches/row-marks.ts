/**
 * Marks: keyed hashes of what identifies a row (people's identifiers, the customer's own reference), in buckets by their first bits, so that rows are found
 * without opening every one. The sweeper marks a batch some time after its upload (`lifecycle/mark-rows.ts`); until then it is searched row by row. A mark only
 * suggests a row: the caller opens the row and compares.
 */
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { narrowed } from '../foundation/lists.ts';

/** Marks of one bucket. Looking up one mark reads its whole bucket. */
const BUCKET_ENTRIES = 256;
const ENTRY_BYTES = 8;
/** Most bits of a hash that may choose its bucket. */
const BITS = [0, 4, 8, 12] as const;
/** A bucket's bits from here on say which index key its marks were made by. */
export const KEY_SHIFT = 24;
/** Rows of one part, whose marks are held in memory while they are made: about 32 bytes a row. */
export const PART_ROWS = 262_144;
/**
 * Stored for each part as the number of an empty bucket: the version of `lifecycle/mark-rows.ts` that made its marks. Change it whenever more is recognized. Real buckets
 * have lower numbers, whatever their key.
 */
export const READING = 0x7fff_fffe;
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

/** Marks of one part. While processes have different settings, some may be by a newer key than the current one. */
export class Marks {
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

/** Rows that may have one of the hashes, in order. */
export interface Suggested {
  batchId: string;
  rows: number[];
}

/** Searches the next batches of the app for any of these hashes, and stops at the first batch without marks (`unmarked`). `upTo`: the last batch searched; null when all have been. */
export async function suggest(
  cipher: Cipher,
  tx: Tx,
  { appId, live, after, before }: { appId: string; live: boolean; after: string | null; before: string },
  hashes: readonly Buffer[],
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
  const { found, unmarked } = await suggestIn(cipher, tx, searched, hashes);
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
  sql: Sql | Tx,
  batches: readonly Sized[],
  hashes: readonly Buffer[],
): Promise<{ found: Suggested[]; unmarked: string[] }> {
  const values = new Map<number, Set<number>>();
  for (const hash of hashes) {
    const mark = markOf(cipher, hash);
    for (const bits of BITS) {
      const bucket = bucketOf(cipher.keyOf(hash), bits, mark);
      values.set(bucket, (values.get(bucket) ?? new Set()).add(restOf(mark)));
    }
  }
  const buckets = await sql<{ batchId: string; bucket: number; entries: Buffer }[]>`
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
