/** A publication on its way in: its entries in one canonical form, copied into a table of the transaction's own as they are read. */
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ListEntry, ListFileError } from '../engines/aml/list.ts';
import type { Tx } from '../foundation/context.ts';

/** Sent to Postgres at a time. */
const SLICE_CHARACTERS = 256 * 1024;
const DIGEST_BYTES = 8;

export interface Incoming {
  entries: number;
  names: number;
}

/** Fills the temporary table `aml_incoming` (source_id, digest, entry), which ends with the transaction. Throws what `entries` throw. */
export async function receive(tx: Tx, entries: AsyncIterable<ListEntry>): Promise<Incoming> {
  await tx`create temporary table aml_incoming (source_id text not null, digest bytea not null, entry text not null) on commit drop`;
  const copy: Writable = await tx`copy aml_incoming (source_id, digest, entry) from stdin`.writable();
  const copied = finished(copy);
  // Awaited below; until then it is not unhandled.
  copied.catch(() => {});
  const received: Incoming = { entries: 0, names: 0 };
  let lines: string[] = [];
  let held = 0;
  const send = async () => {
    const text = Buffer.from(lines.join(''));
    lines = [];
    held = 0;
    // The stream reports its end, and with it what Postgres refused, by `copied`.
    await Promise.race([new Promise<void>((resolve) => copy.write(text, () => resolve())), copied]);
  };
  try {
    for await (const entry of entries) {
      received.entries += 1;
      received.names += entry.names.length;
      const line = copyLine(entry, received.entries);
      held += line.length;
      lines.push(line);
      if (held >= SLICE_CHARACTERS) await send();
    }
    await send();
  } catch (error) {
    // A ROLLBACK in the middle of a COPY would cost the connection, and hide the error that led to it.
    copy.end();
    await copied.catch(() => {});
    throw error;
  }
  copy.end();
  await copied;
  await tx`analyze aml_incoming`;
  const [counted] = await tx<{ ids: number }[]>`select count(distinct source_id)::int as ids from aml_incoming`;
  if (counted!.ids !== received.entries)
    throw new ListFileError('duplicate_id', `${received.entries - counted!.ids} of ${received.entries} entries have the id of another one`);
  return received;
}

function copyLine(entry: ListEntry, record: number): string {
  const json = canonicalJson(entry);
  if (NOT_STORABLE.test(json))
    throw new ListFileError('not_text', `entry ${record} has a character that no text has (NUL or half of a pair)`);
  return `${escapeCopy(entry.sourceId)}\t\\\\x${digestOf(json).toString('hex')}\t${escapeCopy(json)}\n`;
}

/** By which an entry, in its canonical form, is known from what it becomes when its publisher changes it. */
export const digestOf = (json: string): Buffer => createHash('sha256').update(json).digest().subarray(0, DIGEST_BYTES);

/** The escapes of JSON for U+0000 and lone surrogates, which Postgres cannot keep. An even number of backslashes before is text. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/**
 * The same entry in the same words whatever order its publisher writes them in today: else a mere reshuffle would count as a change, and
 * undo what analysts have cleared. The primary name stays the first.
 */
export function canonicalJson(entry: ListEntry): string {
  const [primary, ...others] = entry.names.map(({ text, kind, family }) => ({ text, kind, ...(family !== undefined && { family }) }));
  return JSON.stringify({
    sourceId: entry.sourceId,
    category: entry.category,
    names: [primary, ...inOrder(others)],
    births: inOrder(entry.births.map(({ from, to, circa }) => ({ from, to, circa }))),
    countries: inOrder(entry.countries),
    gender: entry.gender,
    programs: inOrder(entry.programs),
    listedOn: entry.listedOn,
    endedOn: entry.endedOn,
    url: entry.url,
  });
}

/** Each once, by its JSON. */
function inOrder<Value>(values: readonly Value[]): Value[] {
  if (values.length < 2) return [...values];
  const byJson = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byJson.keys()].sort().map((json) => byJson.get(json)!);
}

/** Text format of COPY: backslash and the separators are escaped. */
const escapeCopy = (text: string): string =>
  text.replace(/[\\\t\n\r]/g, (c) => (c === '\\' ? '\\\\' : c === '\t' ? '\\t' : c === '\n' ? '\\n' : '\\r'));
