/**
 * Finds the row of a batch by its reference. References are sealed with their rows, and an index of them would slow every upload. Instead the blocks are
 * opened one after the other, for as long as a request may take. A reference is unique in its batch, so the first row is the only one.
 */
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { isTable, REFERENCE, rowReader, storedReference } from './columns.ts';
import { type ScannedBlock, scanBlocks } from './row-blocks.ts';

/** How long one look may take. */
export const LOOK_MS = 400;

export interface Look {
  /** The row that has the reference; null if it was not among the rows searched. */
  row: number | null;
  /** The last row searched. */
  lookedTo: number;
}

/** Searches from `fromRow` on, for about `ms`. */
export async function findReference(ctx: Context, batch: BatchRow, reference: string, fromRow: number, ms = LOOK_MS): Promise<Look> {
  const { id, rows, mapping, format, columns } = batch;
  if (mapping[REFERENCE] === undefined) return { row: null, lookedTo: rows };
  const read = rowReader(isTable(format) ? columns : null, mapping);
  const texts = textsOf(reference);
  const hasIt = ({ json }: ScannedBlock) => texts.some((text) => json.includes(text));
  const until = performance.now() + ms;
  const giveWay = ctx.yielding.long();
  for await (const block of scanBlocks(ctx, id, fromRow)) {
    if (performance.now() > until && block.firstRow > fromRow) return { row: null, lookedTo: block.firstRow - 1 };
    if (hasIt(block)) {
      const at = block.rows().findIndex((raw) => raw !== null && storedReference((key) => read(raw, key)) === reference);
      if (at !== -1 && block.firstRow + at >= fromRow) return { row: block.firstRow + at, lookedTo: block.firstRow + at };
    }
    await giveWay();
  }
  return { row: null, lookedTo: rows };
}

/** The ways a block's JSON may spell the reference. Within `="…"`, which makes Excel keep a number as text, quotes are doubled. */
const textsOf = (reference: string): string[] =>
  [...new Set([reference, reference.replaceAll('"', '""')])].map((text) => JSON.stringify(text).slice(1, -1));
