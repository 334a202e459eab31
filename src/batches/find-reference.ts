/**
 * Finds the row of a batch by its reference. References are sealed with their rows and marked some time after the upload (`row-marks.ts`); until then the blocks
 * are opened one after the other, for as long as a request may take. A reference is unique in its batch, so the first row is the only one.
 */
import { referenceIndexes } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { openRows, type ScannedBlock, scanBlocks } from './row-blocks.ts';
import { suggestIn } from './row-marks.ts';
import { isTable, type RawRow, REFERENCE, rowReader, storedReference } from './row-reader.ts';

/** How long one search may take. */
export const LOOK_MS = 400;
/** How many suggested rows are opened at a time. Each is usually in a different block. */
const TOGETHER = 64;

export interface Look {
  /** The row that has the reference; null if it was not among the rows searched. */
  row: number | null;
  /** The last row searched. */
  lookedTo: number;
}

/** The rows of a batch that may have the reference, in order. Null: the batch has no marks yet, and every row must be searched. */
export type Suggestion = readonly number[] | null;

/** The suggestion for each batch, by id. All batches must belong to one app and mode. */
export async function suggestRows(
  { sql, cipher }: Context,
  batches: readonly BatchRow[],
  reference: string,
): Promise<ReadonlyMap<string, Suggestion>> {
  const [first] = batches;
  if (!first) return new Map();
  const { found, unmarked } = await suggestIn(cipher, sql, batches, referenceIndexes(cipher, first, reference));
  return new Map<string, Suggestion>([
    ...batches.map(({ id }): [string, Suggestion] => [id, []]),
    ...found.map(({ batchId, rows }): [string, Suggestion] => [batchId, rows]),
    ...unmarked.map((id): [string, Suggestion] => [id, null]),
  ]);
}

/** Searches from `fromRow` on, for about `ms`. */
export async function findReference(
  ctx: Context,
  batch: BatchRow,
  reference: string,
  { fromRow, suggestion, ms = LOOK_MS }: { fromRow: number; suggestion: Suggestion; ms?: number },
): Promise<Look> {
  const { id, rows, mapping, format, columns } = batch;
  if (mapping[REFERENCE] === undefined) return { row: null, lookedTo: rows };
  const read = rowReader(isTable(format) ? columns : null, mapping);
  const hasIt = (raw: RawRow): boolean => storedReference((key) => read(raw, key)) === reference;
  const until = performance.now() + ms;
  const giveWay = ctx.yielding.long();
  if (suggestion !== null) {
    const left = suggestion.filter((row) => row >= fromRow);
    for (let at = 0; at < left.length; at += TOGETHER) {
      if (performance.now() > until && at > 0) return { row: null, lookedTo: left[at]! - 1 };
      for await (const { row, raw } of openRows(ctx, id, left.slice(at, at + TOGETHER)))
        if (row >= fromRow && hasIt(raw)) return { row, lookedTo: row };
      await giveWay();
    }
    return { row: null, lookedTo: rows };
  }
  const texts = textsOf(reference);
  const mayHaveIt = ({ json }: ScannedBlock) => texts.some((text) => json.includes(text));
  for await (const block of scanBlocks(ctx, id, fromRow)) {
    if (performance.now() > until && block.firstRow > fromRow) return { row: null, lookedTo: block.firstRow - 1 };
    if (mayHaveIt(block)) {
      const at = block.rows().findIndex((raw) => raw !== null && hasIt(raw));
      if (at !== -1 && block.firstRow + at >= fromRow) return { row: block.firstRow + at, lookedTo: block.firstRow + at };
    }
    await giveWay();
  }
  return { row: null, lookedTo: rows };
}

/** The ways a block's JSON may spell the reference. Within `="…"`, which makes Excel keep a number as text, quotes are doubled. */
const textsOf = (reference: string): string[] =>
  [...new Set([reference, reference.replaceAll('"', '""')])].map((text) => JSON.stringify(text).slice(1, -1));
