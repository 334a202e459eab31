/** A publication being read: its entries in canonical form, copied into a temporary table as they arrive. */
import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ListEntry, ListFileError } from '../engines/aml/list.ts';
import type { Tx } from '../foundation/context.ts';

/** Characters sent to Postgres at a time. */
const SLICE_CHARACTERS = 256 * 1024;
const DIGEST_BYTES = 8;

export interface Incoming {
  entries: number;
  names: number;
}

/** Fills the temporary table `aml_incoming` (source_id, digest, entry), which the transaction drops at its end. Throws what `entries` throw. */
export async function receive(tx: Tx, entries: AsyncIterable<ListEntry>): Promise<Incoming> {
  await tx`create temporary table aml_incoming (source_id text not null, digest bytea not null, entry text not null) on commit drop`;
  const copy: Writable = await tx`copy aml_incoming (source_id, digest, entry) from stdin`.writable();
  const copied = finished(copy);
  // Awaited below; until then a rejection must not count as unhandled.
  copied.catch(() => {});
  const received: Incoming = { entries: 0, names: 0 };
  let lines: string[] = [];
  let held = 0;
  const send = async () => {
    const text = Buffer.from(lines.join(''));
    lines = [];
    held = 0;
    // The stream's end, and any refusal by Postgres, arrive through `copied`.
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
    // A ROLLBACK in the middle of a COPY would cost the connection and hide the error behind it.
    copy.end();
    await copied.catch(() => {});
    throw error;
  }
  copy.end();
  await copied;
  await tx`analyze aml_incoming`;
  const [counted] = await tx<{ ids: number }[]>`select count(distinct source_id)::int as ids from aml_incoming`;
  if (counted!.ids !== received.entries)
    throw new ListFileError(
      'duplicate_id',
      `${received.entries - counted!.ids} of ${received.entries} entries repeat the id of another entry`,
    );
  return received;
}

function copyLine(entry: ListEntry, record: number): string {
  const json = canonicalJson(entry);
  if (NOT_STORABLE.test(json))
    throw new ListFileError('not_text', `entry ${record} contains an invalid character (NUL or a lone surrogate)`);
  return `${escapeCopy(entry.sourceId)}\t\\\\x${digestOf(json).toString('hex')}\t${escapeCopy(json)}\n`;
}

/** Identifies one state of an entry: it changes whenever the publisher changes the entry. */
export const digestOf = (json: string): Buffer => createHash('sha256').update(json).digest().subarray(0, DIGEST_BYTES);

/** JSON escapes of U+0000 and lone surrogates, which Postgres cannot store. After an even number of backslashes the match is plain text. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Sorts an entry's parts, so that a publisher's reshuffle does not count as a change and undo clearances. The primary name stays first. */
export function canonicalJson(entry: ListEntry): string {
  const [primary, ...others] = entry.names.map(({ text, kind, family }) => ({ text, kind, ...(family !== undefined && { family }) }));
  return JSON.stringify({
    sourceId: entry.sourceId,
    category: entry.category,
    ...(entry.type !== undefined && { type: entry.type }),
    names: [primary, ...inOrder(others)],
    births: inOrder(entry.births.map(({ from, to, circa }) => ({ from, to, circa }))),
    countries: inOrder(entry.countries),
    gender: entry.gender,
    ...(entry.registrations !== undefined && { registrations: inOrder(entry.registrations) }),
    programs: inOrder(entry.programs),
    listedOn: entry.listedOn,
    endedOn: entry.endedOn,
    url: entry.url,
  });
}

/** Sorted by JSON, without duplicates. */
function inOrder<Value>(values: readonly Value[]): Value[] {
  if (values.length < 2) return [...values];
  const byJson = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byJson.keys()].sort().map((json) => byJson.get(json)!);
}

/** COPY text format: escapes the backslash and the separators. */
const escapeCopy = (text: string): string =>
  text.replace(/[\\\t\n\r]/g, (c) => (c === '\\' ? '\\\\' : c === '\t' ? '\\t' : c === '\n' ? '\\n' : '\\r'));
