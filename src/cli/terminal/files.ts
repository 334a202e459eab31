/** Files on this machine: the one that is uploaded, and those that results are written to. */
import { createWriteStream, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readChunks } from '../../client/chunks.ts';
import { fileTypes, isText } from '../../client/sources.ts';
import { CommandError } from './exits.ts';
import { writeOut } from './output.ts';

/** A file to upload. */
export interface LocalFile {
  path: string;
  name: string;
  size: number;
  /** Content-Type. */
  type: string;
  /** What a gzip file holds. */
  format: string | null;
  /** Whether its beginning is enough for a preview. */
  isText: boolean;
}

const { gz: GZIP, ...TYPES } = fileTypes;

/** By its name: `customers.csv`, `customers.xlsx`, `customers.csv.gz`. */
export function openLocalFile(path: string): LocalFile {
  const stats = statSync(path);
  if (!stats.isFile()) throw new CommandError('usage', `${path} is not a file.`);
  if (stats.size === 0) throw new CommandError('usage', `${path} is empty.`);
  const name = basename(path);
  const isPacked = /\.gz$/i.test(name);
  const ending = extname(isPacked ? name.slice(0, -3) : name)
    .slice(1)
    .toLowerCase();
  const held = TYPES[ending];
  if (!held && !(isPacked && ending === ''))
    throw new CommandError(
      'usage',
      `${name}: the name does not say what is in it.`,
      `Expected .${Object.keys(TYPES).join(', .')}, or one of them with .gz after it.`,
    );
  const type = isPacked ? GZIP! : held!;
  return { path, name, size: stats.size, type, format: isPacked && ending ? ending : null, isText: isText(type) };
}

const RESULT_FORMATS = ['csv', 'jsonl', 'xlsx'];

/** By `--format`, or the name of the file that is written. */
export function resultFormat(asked: string | undefined, path: string | undefined): string {
  const byName = extname(path ?? '')
    .slice(1)
    .toLowerCase();
  const format = asked ?? (byName === 'ndjson' ? 'jsonl' : byName || 'csv');
  if (RESULT_FORMATS.includes(format)) return format;
  throw new CommandError('usage', `${format} is not a format of results.`, `--format takes ${RESULT_FORMATS.join(', ')}.`);
}

/** Before anything is spent: throws if the file could not be written later. */
export function refuseUnwritable(path: string, isForced: boolean): void {
  if (path === '-') return;
  if (existsSync(path) && !isForced) throw new CommandError('usage', `${path} already exists.`, '--force replaces it.');
  openSync(partOf(path), 'w', 0o600);
  rmSync(partOf(path));
}

const partOf = (path: string): string => `${path}.part`;

/** The service never pauses this long within a file. */
const SILENCE_MS = 60_000;

/** Streams an answer into a file, which appears once it is complete and only its owner may read; `-` is standard output. Returns the number of bytes. Throws `Unreachable` if the connection is cut. */
export async function saveBody(response: Response, path: string, signal?: AbortSignal): Promise<number> {
  let size = 0;
  const body = readChunks(response.body!, SILENCE_MS);
  const counted = async function* (pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      size += piece.length;
      yield piece;
    }
  };
  if (path === '-') {
    for await (const piece of counted(body)) await writeOut(piece);
    return size;
  }
  try {
    await pipeline(body, counted, createWriteStream(partOf(path), { mode: 0o600 }), { signal });
    renameSync(partOf(path), path);
  } catch (error) {
    rmSync(partOf(path), { force: true });
    throw error;
  }
  return size;
}
