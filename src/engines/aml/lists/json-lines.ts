/** Streams JSON Lines (one object a line) within fixed bounds. */
import { type ListFile, ListFileError } from '../list.ts';
import { readText } from './text.ts';

export interface JsonLine {
  /** From 1. */
  line: number;
  value: Record<string, unknown>;
}

/** The largest lines of OpenSanctions' nested targets are about 1 MB. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Skips blank lines. */
export async function* readJsonLines(file: ListFile): AsyncGenerator<JsonLine> {
  let line = 1;
  let held: Buffer[] = [];
  /** Bytes consumed since the last complete line with an object. */
  let pendingBytes = 0;
  for await (const piece of readText(file)) {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      if (end > start || held.length > 0) {
        const text = textOf(held, piece.subarray(start, end));
        held = [];
        if (text !== '') {
          yield { line, value: parseLine(text, { name: file.name, line }) };
          pendingBytes = -end;
        }
      }
      line += 1;
      start = end + 1;
    }
    if (start < piece.length) held.push(piece.subarray(start));
    pendingBytes += piece.length;
    if (pendingBytes > LINE_BYTES_MAX)
      throw new ListFileError('too_large', `${file.name}, line ${line}: more than ${LINE_BYTES_MAX} bytes`);
  }
  const text = textOf(held);
  if (text !== '') yield { line, value: parseLine(text, { name: file.name, line, mayBeCutOff: true }) };
}

const textOf = (held: Buffer[], last?: Buffer): string =>
  Buffer.concat(last ? [...held, last] : held)
    .toString('utf8')
    .trim();

interface Place {
  name: string;
  line: number;
  /** The file ends with this line, and not with a line feed. */
  mayBeCutOff?: boolean;
}

function parseLine(text: string, { name, line, mayBeCutOff = false }: Place): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the line.
    throw mayBeCutOff
      ? new ListFileError('truncated', `${name}, line ${line}: the last line is incomplete`)
      : new ListFileError('malformed', `${name}, line ${line} is not valid JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ListFileError('malformed', `${name}, line ${line} is not a JSON object`);
  }
  return value as Record<string, unknown>;
}
