/**
 * The rows of a batch as they were submitted, sealed in blocks of consecutive rows. Whoever reads them (a chunk, a page of results) reads
 * neighbours, and to seal and open each on its own took longer than anything else that is done with a row.
 */
import type { Context, Tx } from '../foundation/context.ts';
import type { Cipher } from '../foundation/crypto.ts';
import type { RawRow } from './columns.ts';

/** Small enough that a block of usual rows stays within its line of the table. */
export const BLOCK_ROWS = 32;

export interface SealedBlock {
  /** From 0. */
  block: number;
  rows: Buffer;
}

const blockOf = (row: number): number => Math.floor((row - 1) / BLOCK_ROWS);

const PURPOSE = 'rows';
const bindingOf = (batchId: string, block: number): string => `${batchId}:${block}`;

/** Takes the rows of a batch in their order; those that it was not given are null in their block. */
export class BlockWriter {
  private block = 0;
  private rows: (RawRow | null)[] = [];
  private readonly cipher: Cipher;
  private readonly batchId: string;

  constructor(cipher: Cipher, batchId: string) {
    this.cipher = cipher;
    this.batchId = batchId;
  }

  /** A row may be given again (by another of its checks). Answers the block before, once a row comes that is not in it. */
  add(row: number, raw: RawRow): SealedBlock | null {
    const block = blockOf(row);
    const complete = block === this.block ? null : this.end();
    this.block = block;
    const at = row - 1 - block * BLOCK_ROWS;
    while (this.rows.length < at) this.rows.push(null);
    this.rows[at] = raw;
    return complete;
  }

  /** The block that is not complete; null: it has no row. */
  end(): SealedBlock | null {
    const { rows, block } = this;
    if (rows.length === 0) return null;
    this.rows = [];
    return { block, rows: this.cipher.seal(JSON.stringify(rows), PURPOSE, bindingOf(this.batchId, block)) };
  }
}

export async function insertBlocks(tx: Tx, batchId: string, blocks: readonly SealedBlock[]): Promise<void> {
  await tx`
    insert into row_blocks (batch_id, block, rows)
    select ${batchId}, block, decode(rows, 'base64')
    from unnest(${blocks.map(({ block }) => block)}::int[], ${blocks.map(({ rows }) => rows.toString('base64'))}::text[]) as t(block, rows)`;
}

/** Row by its number. Throws where there is none, or its block does not open. */
export type RowOpener = (row: number) => RawRow;

/** Of these rows of a batch and their neighbours. A block is opened when one of its rows is asked for; best is in their order. `bytes` they take sealed. */
export async function readBlocks(
  { sql, cipher }: Context,
  batchId: string,
  rows: Iterable<number>,
): Promise<{ open: RowOpener; bytes: number }> {
  const wanted = [...new Set(Array.from(rows, blockOf))];
  const found = await sql<SealedBlock[]>`select block, rows from row_blocks where batch_id = ${batchId} and block = any(${wanted}::int[])`;
  const sealed = new Map(found.map(({ block, rows }) => [block, rows]));
  let current: { block: number; rows: (RawRow | null)[] } | null = null;
  const open = (row: number): RawRow => {
    const block = blockOf(row);
    if (current?.block !== block) {
      const bytes = sealed.get(block);
      current = { block, rows: bytes ? JSON.parse(cipher.open(bytes, PURPOSE, bindingOf(batchId, block))) : [] };
    }
    const raw = current.rows[row - 1 - block * BLOCK_ROWS];
    if (!raw) throw new Error('a submitted row is missing');
    return raw;
  };
  return { open, bytes: found.reduce((sum, block) => sum + block.rows.length, 0) };
}
