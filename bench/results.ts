/** How fast the results of a completed batch can be downloaded as CSV, and what memory the API takes for that. */
import { request } from 'node:http';
import { newSecretKey } from '../src/crypto.ts';
import { showId } from '../src/ids.ts';
import { untilCompleted } from './batch.ts';
import { perSecond, type Report } from './figure.ts';
import type { App, Bench, Confam, Options } from './harness.ts';
import { cpuSeconds, peakMb } from './memory.ts';

const ROWS = 1_000_000;
const ROWS_A_SECOND_MIN = 50_000;
const MB_MAX = 300;

interface Download {
  rows: number;
  bytes: number;
  ms: number;
  firstByteMs: number;
}

export async function results(bench: Bench, options: Options): Promise<Report> {
  const keys = { CONFAM_KEYS: `1:${newSecretKey()}`, CONFAM_INDEX_KEY: newSecretKey() };
  const uploader = await bench.startConfam(options.backend, keys);
  const app = await uploader.createApp('Results');
  const { id } = await app.upload(options.rows ?? ROWS);
  await untilCompleted(uploader.sql, id);
  await uploader.stop();
  // Another process over the same database: the memory of this one is the download's.
  const confam = await bench.startConfam(options.backend, { ...keys, DATABASE_URL: uploader.databaseUrl });
  const cpuBefore = cpuSeconds(confam.pid);
  const run = await download(confam, app, id);
  const cpu = cpuSeconds(confam.pid);
  const peak = peakMb(confam.pid);
  if (run.rows !== (options.rows ?? ROWS)) throw new Error(`${run.rows} rows came`);
  await confam.stop();
  const rate = (run.rows / run.ms) * 1000;
  return {
    figures: [
      {
        what: `results as CSV, ${run.rows.toLocaleString('en')} rows`,
        measured: perSecond(rate, 'rows'),
        target: `≥ ${ROWS_A_SECOND_MIN.toLocaleString('en')}`,
        ok: rate >= ROWS_A_SECOND_MIN,
      },
      {
        what: 'peak memory of the API meanwhile',
        measured: peak === null ? 'unknown: not Linux' : `${Math.round(peak)} MB`,
        target: `≤ ${MB_MAX} MB`,
        ...(peak !== null && { ok: peak <= MB_MAX }),
      },
    ],
    detail: { ...run, peakMb: peak, cpuSeconds: cpu === null || cpuBefore === null ? null : cpu - cpuBefore },
  };
}

/** Lines are counted, not kept: the header is none of the rows. */
function download(confam: Confam, app: App, batchId: string): Promise<Download> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const made = request(`${confam.baseUrl}/api/v1/batches/${showId('bat', batchId)}/results`, { headers: app.headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`results: ${response.statusCode}`));
      const firstByteMs = performance.now() - began;
      let [lines, bytes] = [0, 0];
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines++;
      });
      response.on('end', () => resolve({ rows: lines - 1, bytes, ms: performance.now() - began, firstByteMs }));
      response.on('error', reject);
    });
    made.on('error', reject);
    made.end();
  });
}
