/** `confam batch submit` with a large file: how long it takes until the rows are accepted and until results are saved, and how much memory the command needs. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { csvOf } from './batch.ts';
import type { Report } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { peakMb } from './memory.ts';

const ACCEPTED: Size = { full: 1_000_000, tiny: 2_000 };
const SAVED: Size = { full: 100_000, tiny: 500 };
const LOOK_MS = 20;
const PEAK_MB_MAX = 150;

export async function cli(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend);
  const app = await confam.createApp('Command line');
  const [accepted, saved] = [rowsOf(options, ACCEPTED), sized(options, SAVED)];
  const first = await submit(bench, confam, app, accepted, ['--start', 'manual']);
  const second = await submit(bench, confam, app, saved, ['--output', join(bench.folder, 'results.csv')]);
  await confam.stop();
  const shown = (rows: number) => rows.toLocaleString('en');
  return {
    figures: [
      { what: `confam batch submit of ${shown(accepted)} rows, until they are accepted`, measured: `${(first.ms / 1000).toFixed(1)} s` },
      {
        what: `peak memory of the command, ${shown(accepted)} rows`,
        measured: first.peak === null ? 'skipped: needs /proc' : `${Math.round(first.peak)} MB`,
        target: `≤ ${PEAK_MB_MAX} MB`,
        ...(first.peak !== null && { ok: first.peak <= PEAK_MB_MAX }),
      },
      {
        what: `confam batch submit --output of ${shown(saved)} rows, until the results are saved`,
        measured: `${(second.ms / 1000).toFixed(1)} s`,
      },
    ],
    detail: { accepted: { rows: accepted, ...first }, saved: { rows: saved, ...second } },
  };
}

async function submit(
  bench: Bench,
  confam: Confam,
  { headers }: App,
  rows: number,
  options: string[],
): Promise<{ ms: number; peak: number | null }> {
  const path = join(bench.folder, `submitted-${rows}.csv`);
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(path));
  const began = performance.now();
  const { process: child } = bench.startCommand(['batch', 'submit', path, '--checks', 'nin_basic', '--yes', '--json', ...options], {
    CONFAM_URL: confam.baseUrl,
    CONFAM_APP: headers.AppId!,
    CONFAM_KEY: headers.Authorization!,
    CONFAM_CONFIG_DIR: bench.folder,
  });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (piece: Buffer) => (said = `${said}${piece}`.slice(-2_000)));
  const ended = once(child, 'close');
  let peak: number | null = null;
  while (child.exitCode === null && child.signalCode === null) {
    peak = peakMb(child.pid!) ?? peak;
    await Promise.race([ended, sleep(LOOK_MS)]);
  }
  if (child.exitCode !== 0) throw new Error(`confam batch submit ended with ${child.exitCode}: ${said}`);
  return { ms: performance.now() - began, peak };
}
