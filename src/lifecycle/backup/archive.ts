/**
 * The file of a backup: a gzipped tar. First `manifest.json`, then the rows of each table as `COPY` writes them, in parts, then `end.json` with their numbers,
 * so that a truncated file can be told from a whole one.
 */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { ConfigError } from '../../foundation/config.ts';

/** Purpose of the ciphertext and the signature in the manifest. */
export const BACKUP = 'backup';
export const MANIFEST = 'manifest.json';
export const END = 'end.json';

/** Size of a part of a table, which is held in memory. */
export const PART_BYTES = 4 * 1024 * 1024;

export const partName = (table: string, part: number): string => `tables/${table}/${String(part).padStart(6, '0')}`;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Every line of `COPY` is a row: line ends in values are escaped. */
export function rowsIn(bytes: Buffer): number {
  let rows = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) rows += 1;
  return rows;
}

const LINE_END = 0x0a;

const manifest = z.object({
  format: z.literal(1),
  /** Bound into `proof`. */
  id: z.string(),
  release: z.string(),
  taken_at: z.iso.datetime({ offset: true }),
  /** `drizzle/meta/_journal.json`: when each migration that the database had was made. */
  migrations: z.array(z.number()),
  /** Ciphertext and signature of `id`: whether a deployment has the keys of this backup. */
  proof: z.object({ sealed: z.string(), signature: z.string() }),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  /** The next value of each sequence follows this one; null if it was never used. */
  sequences: z.record(z.string(), z.string().nullable()),
});
export type Manifest = z.infer<typeof manifest>;

const end = z.object({ rows: z.record(z.string(), z.number()) });
export type End = z.infer<typeof end>;

export interface OpenedBackup {
  manifest: Manifest;
  /** The tables in order, each with its rows. Each must be read to its end before the next. */
  tables(): AsyncGenerator<{ name: string; rows: AsyncIterable<Buffer> }>;
  /** After the last table. */
  end(): End;
  close(): void;
}

/** Throws `ConfigError` if the file is not a backup, has another format, or is damaged; reading its tables throws it if the file is truncated. */
export async function openBackup(path: string): Promise<OpenedBackup> {
  const source = createReadStream(path);
  const entries = entriesOf(path, source);
  const first = await entries.next();
  if (first.done || first.value.name !== MANIFEST) throw new ConfigError(`${path} is not a backup of Confam`);
  const read = manifest.safeParse(parsed(first.value.bytes));
  if (!read.success) throw new ConfigError(`${path} is a backup in a format that this release does not read`);
  let next = await entries.next();
  let ended: End | null = null;

  async function* rowsOf(table: string): AsyncGenerator<Buffer> {
    for (; !next.done && next.value.name.startsWith(`tables/${table}/`); next = await entries.next()) yield next.value.bytes;
  }
  return {
    manifest: read.data,
    async *tables() {
      for (const { name } of read.data.tables) yield { name, rows: rowsOf(name) };
      const last = next.done || next.value.name !== END ? null : end.safeParse(parsed(next.value.bytes));
      if (!last?.success) throw new ConfigError(`${path} is incomplete: its end is missing`);
      ended = last.data;
    },
    end() {
      if (!ended) throw new Error('the tables were not read to their end');
      return ended;
    },
    close: () => source.destroy(),
  };
}

async function* entriesOf(path: string, source: Readable): AsyncGenerator<{ name: string; bytes: Buffer }> {
  const entries = extract();
  const unpacked = pipeline(source, createGunzip(), entries);
  // Reading the entries throws the same error.
  unpacked.catch(() => {});
  try {
    for await (const entry of entries) {
      if ((entry.header.size ?? 0) > 2 * PART_BYTES) throw new ConfigError(`${path} is damaged: ${entry.header.name} is too large`);
      yield { name: entry.header.name, bytes: await buffer(entry) };
    }
    await unpacked;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw new ConfigError(`${path} is a folder: name the file that \`confam backup\` wrote`);
    // Only the file system names a call; anything else was found in the file.
    throw new ConfigError(syscall ? `${path} cannot be read: ${code}` : `${path} is damaged: ${message}`);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
