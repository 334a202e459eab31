/** Small JSON files of the data folder. They are written whole and are on the disk before anything relies on them, whatever fails in the meantime. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

/** Replaces the file. */
export function writeDurably(path: string, text: string, mode: number): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  createDurably(temporary, text, mode);
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

/** Throws EEXIST if the file exists. */
export function createDurably(path: string, text: string, mode: number): void {
  const handle = openSync(path, 'wx', mode);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } catch (error) {
    rmSync(path);
    throw error;
  } finally {
    closeSync(handle);
  }
  syncFolder(dirname(path));
}

export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // Windows cannot open a folder.
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** Null if missing or damaged; throws if it may not be read. */
export function readWhole<T>(path: string, shape: z.ZodType<T>): T | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
