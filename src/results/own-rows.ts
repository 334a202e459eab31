/** Takes the submitted row out of a JSON line of our own results or rows to correct, when such a file is uploaded. For tables, see `own-columns.ts`. */
import type { OwnLines } from '../rows/ndjson.ts';
import { isObject } from '../rows/object-row.ts';

/** Columns of a corrections file beside the row itself: its number in the old file, and its errors. */
export const ERROR_COLUMNS = ['confam_row', 'confam_error'] as const;

/** Members of a line of results, in the order in which `jsonl.ts` writes them. `input` is the row as submitted. */
const RESULT_MEMBERS = ['row', 'reference', 'input', 'status', 'errors', 'checks'] as const;

/** A line of results, by member. */
export type ResultLine = Record<(typeof RESULT_MEMBERS)[number], unknown>;

/** Returns any other value unchanged. */
export function submittedRow(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, 'checks') && Object.keys(value).join() === RESULT_MEMBERS.join()) return value.input;
  if (!ERROR_COLUMNS.some((name) => Object.hasOwn(value, name))) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !(ERROR_COLUMNS as readonly string[]).includes(name)));
}

export const ownLines: OwnLines = { start: Buffer.from(`{"${RESULT_MEMBERS[0]}":`), unwrap: submittedRow };
