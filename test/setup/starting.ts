/** Helpers for tests of `confam start`: data folders, starting, stopping within the promised time, and reporting how long it took. */
import { afterAll, expect } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { waitFor } from './database.ts';
import { type Confam, killConfams, loadFactor, makeDataDir, processesMentioning, startConfam, untilReady, watchLoad } from './process.ts';

export const STOP_MS = 15_000;

/** Creates data folders for the tests in a file. After the last test it stops every Confam process and removes the folders. */
export function useDataDirs(): () => string {
  const folders: { remove(): void }[] = [];
  afterAll(async () => {
    await killConfams();
    for (const folder of folders) folder.remove();
  });
  return () => {
    const folder = makeDataDir();
    folders.push(folder);
    return folder.path;
  };
}

export async function start(
  folder: string,
  extra: Record<string, string> = {},
): Promise<{ confam: Confam; port: number; ms: number; load: number }> {
  const port = await freePort();
  const loadOf = watchLoad();
  const confam = startConfam(['start'], { CONFAM_DATA_DIR: folder, PORT: String(port), ...extra });
  const ms = await untilReady(confam, port);
  const load = loadOf();
  await waitFor('the greeting', () => confam.stdout().includes('Try it:\n  curl'));
  return { confam, port, ms, load };
}

/** Ends by itself within the promised time, with code 0, and stops its Postgres. */
export async function expectToStop(confam: Confam, folder: string): Promise<number> {
  const { code, ms } = await confam.ended(STOP_MS * loadFactor());
  expect(code, confam.stderr()).toBe(0);
  expect(processesMentioning(folder)).toEqual([]);
  return ms;
}

export function report(what: string, ms: number, limitMs: number, factor = loadFactor()): void {
  console.log(`${what}: ${ms} ms (limit ${limitMs} ms${factor > 1 ? ` × ${factor.toFixed(1)} for the machine's load` : ''})`);
  expect(ms).toBeLessThan(limitMs * factor);
}
