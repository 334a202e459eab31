/**
 * The submitted rows of a batch, sealed in blocks of consecutive rows. A chunk or a page of results reads neighbours, and sealing and opening
 * each row alone took longer than anything else done with a row.
 */

import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import type { Cipher } from '../foundation/data-keys.ts';
import { endOfValue, type JsonBytes, OPEN_BRACE, OPEN_BRACKET } from '../foundation/json-bytes.ts';
import { recordset, type WrittenRows, writeRows, writtenRecordset } from '../foundation/recordset.ts';
import type { RawRow } from './row-reader.ts';

/** Small enough that a block of ordinary rows is stored inline in its table row. */
export const BLOCK_ROWS = 32;

export interface SealedBlock {
  /** Counted from 0. */
  block: number;
  rows: Buffer;
}

const blockOf = (row: number): number => Math.floor((row - 1) / BLOCK_ROWS);

const PURPOSE = 'rows';
const bindingOf = (batchId: string, block: number): string => `${batchId}:${block}`;

/** Takes the rows of a batch in order. Rows it was not given are null in their block. */
export class BlockWriter {
  private block = 0;
  private rows: (RawRow | null)[] = [];
  private readonly sealer: Sealer;
  private readonly batchId: string;

  constructor(sealer: Sealer, batchId: string) {
    this.sealer = sealer;
    this.batchId = batchId;
  }

  /** The same row may be added again (for another of its checks). Returns the previous block once a row belongs to the next. */
  add(row: number, raw: RawRow): SealedBlock | null {
    const block = blockOf(row);
    const complete = block === this.block ? null : this.end();
    this.block = block;
    const at = row - 1 - block * BLOCK_ROWS;
    while (this.rows.length < at) this.rows.push(null);
    this.rows[at] = raw;
    return complete;
  }

  /** The last, incomplete block; null if it has no row. */
  end(): SealedBlock | null {
    const { rows, block } = this;
    if (rows.length === 0) return null;
    this.rows = [];
    return { block, rows: this.sealer.seal(JSON.stringify(rows), PURPOSE, bindingOf(this.batchId, block)) };
  }
}

export const writeBlocks = (blocks: readonly SealedBlock[]): WrittenRows =>
  writeRows(blocks, { block: ['int', (b) => b.block], rows: ['bytea', (b) => b.rows] });

export async function insertBlocks(tx: Tx, batchId: string, blocks: WrittenRows): Promise<void> {
  await tx`
    insert into row_blocks (batch_id, block, rows)
    select ${batchId}, block, rows from ${writtenRecordset(tx, blocks)} t`;
}

/** Blocks that a scan reads together: about 2 MB of ordinary rows. */
const SCAN_BLOCKS = 500;

/** A block of a scan. `rows` parses it; `json` has the same as text, which costs less to search. */
export interface ScannedBlock {
  firstRow: number;
  json: Buffer;
  rows(): (RawRow | null)[];
}

/** The batch's blocks in order, from the one with `fromRow` on. */
export async function* scanBlocks({ sql, cipher }: Context, batchId: string, fromRow: number): AsyncGenerator<ScannedBlock> {
  for (let next = blockOf(fromRow); ; ) {
    const page = await sql<SealedBlock[]>`
      select block, rows from row_blocks where batch_id = ${batchId} and block >= ${next} order by block limit ${SCAN_BLOCKS}`;
    const { openBytes } = await cipher.opener(page.map(({ rows }) => rows));
    for (const { block, rows } of page) {
      const json = openBytes(rows, PURPOSE, bindingOf(batchId, block));
      yield { firstRow: block * BLOCK_ROWS + 1, json, rows: () => JSON.parse(json.toString()) };
    }
    if (page.length < SCAN_BLOCKS) return;
    next = page.at(-1)!.block + 1;
  }
}

/** Opens a row by its number. Throws if it is missing or its block does not open. */
export type RowOpener = (row: number) => RawRow;

export interface SubmittedRows {
  open: RowOpener;
  /** The row's JSON, not parsed. */
  json(row: number): JsonBytes;
}

/** Reads these rows of a batch, with their neighbours. A block is opened when one of its rows is asked for, so ask in order. */
export async function readBlocks({ sql, cipher }: Context, batchId: string, rows: Iterable<number>): Promise<SubmittedRows> {
  const wanted = [...new Set(Array.from(rows, blockOf))];
  const found = await sql<SealedBlock[]>`select block, rows from row_blocks where batch_id = ${batchId} and block = any(${wanted}::int[])`;
  const sealed = new Map(found.map(({ block, rows }) => [block, rows]));
  return submittedRows(await cipher.opener(sealed.values()), batchId, sealed);
}

/** The rows `from` … `to`, both included. */
export interface RowRange {
  from: number;
  to: number;
}

/** Selects the blocks of these rows: number and ciphertext. For COPY, which takes no parameters. */
export const blocksQuery = (batchId: string, { from, to }: RowRange): string =>
  `select block, rows from row_blocks where batch_id = '${batchId}' and block between ${blockOf(from)} and ${blockOf(to)}`;

/** `sealed`: blocks by number. */
export function submittedRows(opener: Opener, batchId: string, sealed: ReadonlyMap<number, Uint8Array>): SubmittedRows {
  /** The block opened last. */
  const keepOne = <T>(read: (json: Buffer) => T): ((block: number) => T | null) => {
    let current: { block: number; content: T | null } | null = null;
    return (block) => {
      if (current?.block === block) return current.content;
      const bytes = sealed.get(block);
      current = { block, content: bytes ? read(opener.openBytes(bytes, PURPOSE, bindingOf(batchId, block))) : null };
      return current.content;
    };
  };
  const parsed = keepOne((json) => JSON.parse(json.toString()) as (RawRow | null)[]);
  const cut = keepOne(cutRows);
  return {
    open(row) {
      const block = blockOf(row);
      return parsed(block)?.[row - 1 - block * BLOCK_ROWS] ?? missing();
    },
    json(row) {
      const block = blockOf(row);
      return cut(block)?.[row - 1 - block * BLOCK_ROWS] ?? missing();
    },
  };
}

function missing(): never {
  throw new Error('a submitted row is missing');
}

/** The rows of an opened block in their places; null where a row was never added. */
function cutRows(json: Buffer): (JsonBytes | null)[] {
  const rows: (JsonBytes | null)[] = [];
  for (let start = 1; start < json.length; ) {
    const end = endOfValue(json, start);
    if (end === -1) throw new Error('a block of submitted rows is not a list');
    rows.push(json[start] === OPEN_BRACKET || json[start] === OPEN_BRACE ? { bytes: json, start, end } : null);
    start = end + 1;
  }
  return rows;
}

/** The rows of whole blocks: of those that hold `rows`, or of all from the first row to the last. Leaves out rows that were refused or erased. */
export async function* openRows(
  { sql, cipher }: { sql: Sql | Tx; cipher: Cipher },
  batchId: string,
  rows: readonly number[] | { from: number; to: number },
): AsyncGenerator<{ row: number; raw: RawRow }> {
  const blocks = await sql<SealedBlock[]>`
    select block, rows from row_blocks
    where batch_id = ${batchId} and ${
      'from' in rows
        ? sql`block between ${blockOf(rows.from)} and ${blockOf(rows.to)}`
        : sql`block = any(${[...new Set(rows.map(blockOf))]}::int[])`
    } order by block`;
  const { open } = await cipher.opener(blocks.map((block) => block.rows));
  for (const { block, rows } of blocks) {
    const opened = JSON.parse(open(rows, PURPOSE, bindingOf(batchId, block))) as (RawRow | null)[];
    for (const [at, raw] of opened.entries()) if (raw !== null) yield { row: block * BLOCK_ROWS + at + 1, raw };
  }
}

/** Removes rows from their blocks for good. Nothing may ask for them any more. */
export async function eraseRows(
  tx: Tx,
  cipher: Cipher,
  { id: batchId, appId }: { id: string; appId: string },
  rows: readonly number[],
): Promise<void> {
  const blocks = [...new Set(rows.map(blockOf))];
  const found = await tx<SealedBlock[]>`
    select block, rows from row_blocks where batch_id = ${batchId} and block = any(${blocks}::int[]) order by block for update`;
  const [{ open }, { seal }] = await Promise.all([cipher.opener(found.map((one) => one.rows)), cipher.sealer({ appId, batchId })]);
  const kept = found.map(({ block, rows: sealed }) => {
    const binding = bindingOf(batchId, block);
    const left = JSON.parse(open(sealed, PURPOSE, binding)) as (RawRow | null)[];
    for (const row of rows) if (blockOf(row) === block) left[row - 1 - block * BLOCK_ROWS] = null;
    return { block, rows: seal(JSON.stringify(left), PURPOSE, binding) };
  });
  await tx`
    update row_blocks b set rows = k.rows
    from ${recordset(tx, kept, { block: ['int', (k) => k.block], rows: ['bytea', (k) => k.rows] })} k where b.batch_id = ${batchId} and b.block = k.block`;
}
