/**
 * A file in the data folder that marks an unfinished restore. While it exists, only `confam restore` may use the database, which may be empty or still contain
 * people who were erased.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readWhole, syncFolder, writeDurably } from '../foundation/durable-files.ts';
import { EmbeddedPostgresError } from './error.ts';
import { findState, openDataDir } from './folders.ts';

const Restoring = z.object({
  /** Absolute paths; null: the journal of the data folder. */
  file: z.string(),
  journal: z.string().nullable(),
  /** The id of the backup, once its rows are being loaded. */
  backup: z.string().nullable(),
});
export type Restoring = z.infer<typeof Restoring>;

/** Null unless a restore is running or was interrupted. */
export const findRestoring = (dataDir: string): Restoring | null => readWhole(pathIn(dataDir), Restoring);

/** On the disk once it returns. */
export const markRestoring = (dataDir: string, restoring: Restoring): void =>
  writeDurably(pathIn(openDataDir(dataDir)), `${JSON.stringify(restoring, null, 2)}\n`, 0o600);

export function unmarkRestoring(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
  syncFolder(dataDir);
}

/** Whether the folder has, or has had, a database. */
export const hasDatabase = (dataDir: string): boolean => findState(dataDir) !== null;

/** Throws `EmbeddedPostgresError`, with what the operator can do. */
export function refuseRestoring(dataDir: string): void {
  const found = findRestoring(dataDir);
  if (!found) return;
  const command = `confam restore ${found.file}${found.journal === null ? '' : ` --journal ${found.journal}`}`;
  throw new EmbeddedPostgresError(
    `The restore into ${dataDir} has not ended: it is running, or was interrupted. Run \`${command}\` again, and it goes on. ` +
      'To start over, delete everything in the folder except keys.json, sandbox.json and erasures.jsonl.',
  );
}

const pathIn = (dataDir: string): string => join(dataDir, 'restoring.json');
