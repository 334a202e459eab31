/** How fast the results of a completed batch can be downloaded, and how much memory the API needs for that. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecretKey } from '../src/foundation/crypto.ts';
import { showId } from '../src/foundation/ids.ts';
import { untilCompleted } from './batch.ts';
import { type Figure, perSecond, type Report } from './figure.ts';
import { type App, type Bench, type Options, rowsOf, type Size } from './harness.ts';
import { cpuSeconds, peakMb } from './memory.ts';

const ROWS: Size = { full: 1_000_000, tiny: 2_000 };
const ROWS_A_SECOND_MIN = 150_000;
const MB_MAX = 300;
const PORTRAIT_ROWS: Size = { full: 20_000, tiny: 200 };
const PICTURE_BYTES = 20_000;
/** After this a start is over, on a slow machine too. */
const SETTLED_MS = 10_000;

interface Download {
  rows: number;
  bytes: number;
  ms: number;
  firstByteMs: number;
}

const CSV = { format: 'csv', header: 1 } as const;
const JSON_LINES = { format: 'jsonl', header: 0 } as const;

export async function results(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, ROWS);
  const { run, peakMb, cpuSeconds } = await measure(bench, options, rows, CSV);
  const rate = (run.rows / run.ms) * 1000;
  return {
    figures: [
      {
        what: `results as CSV, ${rows.toLocaleString('en')} rows`,
        measured: perSecond(rate, 'rows'),
        target: `≥ ${ROWS_A_SECOND_MIN.toLocaleString('en')}`,
        ok: rate >= ROWS_A_SECOND_MIN,
      },
      memoryFigure('peak memory of the API during the download', peakMb),
    ],
    detail: { ...run, peakMb, cpuSeconds },
  };
}

/** The same as JSON Lines, with pictures as large as those of real registries. */
export async function portraits(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, PORTRAIT_ROWS);
  const simulator = await bench.startSimulator({ picture_bytes: PICTURE_BYTES });
  const { run, peakMb, cpuSeconds, storedBytes } = await measure(
    bench,
    options,
    rows,
    JSON_LINES,
    bench.upstreams({ nin: { simulator, settings: {} } }),
  );
  await simulator.stop();
  const what = `results as JSON Lines, ${rows.toLocaleString('en')} rows with two pictures of ${PICTURE_BYTES / 1000} kB`;
  return {
    figures: [
      { what, measured: `${perSecond((run.rows / run.ms) * 1000, 'rows')}, ${Math.round(run.bytes / run.ms / 1000)} MB/s` },
      memoryFigure('peak memory of the API during the download', peakMb),
      { what: 'stored for each row, including indexes', measured: `${Math.round(storedBytes / rows / 1000)} kB` },
    ],
    detail: { ...run, peakMb, cpuSeconds, storedBytes },
  };
}

const memoryFigure = (what: string, peak: number | null): Figure => ({
  what,
  measured: peak === null ? 'unknown: not Linux' : `${Math.round(peak)} MB`,
  target: `≤ ${MB_MAX} MB`,
  ...(peak !== null && { ok: peak <= MB_MAX }),
});

/** `upstreams`: the environment of a vendor to ask; without it the sandbox answers. */
async function measure(
  bench: Bench,
  { backend }: Options,
  rows: number,
  { format, header }: typeof CSV | typeof JSON_LINES,
  upstreams?: Record<string, string>,
) {
  const environment = { CONFAM_KEYS: `1:${newSecretKey()}`, CONFAM_INDEX_KEY: newSecretKey(), ...upstreams };
  const uploader = await bench.startConfam(backend, environment);
  const app = await uploader.createApp('Results', upstreams ? 'live' : 'test');
  const { id } = await app.upload(rows);
  await untilCompleted(uploader.sql, id);
  const [stored] = await uploader.sql<{ bytes: number }[]>`select pg_database_size(current_database())::float8 as bytes`;
  await uploader.stop();
  // A new process over the same database, whose memory is that of the download alone.
  const confam = await bench.startConfam(backend, { ...environment, DATABASE_URL: uploader.databaseUrl });
  // The process of the dispatcher loads after the start, beside what would be the first seconds of the download.
  await sleep(SETTLED_MS);
  const cpuBefore = cpuSeconds(confam.pid);
  const run = await download(`${confam.baseUrl}/api/v1/batches/${showId('bat', id)}/results?format=${format}`, app, header);
  const cpu = cpuSeconds(confam.pid);
  const peak = peakMb(confam.pid);
  await confam.stop();
  if (run.rows !== rows) throw new Error(`got ${run.rows} rows`);
  return { run, peakMb: peak, cpuSeconds: cpu === null || cpuBefore === null ? null : cpu - cpuBefore, storedBytes: stored!.bytes };
}

/** Counts lines without keeping them; header lines are not rows. */
function download(url: string, app: App, header: number): Promise<Download> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const made = request(url, { headers: app.headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`results: ${response.statusCode}`));
      const firstByteMs = performance.now() - began;
      let [lines, bytes] = [0, 0];
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines++;
      });
      response.on('end', () => resolve({ rows: lines - header, bytes, ms: performance.now() - began, firstByteMs }));
      response.on('error', reject);
    });
    made.on('error', reject);
    made.end();
  });
}
