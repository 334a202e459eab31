/** A file of 500 MB, sent by the page of the console in a real Chromium: how long it takes, and the memory of the browser and of the service. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Browser } from 'playwright-core';
import { chromiumIsHere, launchChromium } from '../ops/chromium.ts';
import { freshNins } from './batch.ts';
import { type Figure, ms, type Report } from './figure.ts';
import { type Bench, type Options, rowsOf, type Size } from './harness.ts';
import { peakMb } from './memory.ts';
import { newContext, signIn } from './signed-in.ts';

const ROWS: Size = { full: 1_000_000, tiny: 2_000 };
/** A million of them are just below 500 MiB. */
const NOTES = 'x'.repeat(480);
const SLICE_ROWS = 1_000;
const BROWSER_MB_MAX = 100;
const SERVICE_MB_MAX = 400;
const SENT_MS_MAX = 300_000;

export async function consoleUpload(bench: Bench, options: Options): Promise<Report> {
  if (!chromiumIsHere) return { figures: [{ what: 'an upload in a browser', measured: 'skipped: needs chromium' }], detail: {} };
  const rows = rowsOf(options, ROWS);
  const file = join(bench.folder, 'customers.csv');
  await pipeline(Readable.from(lines(rows)), createWriteStream(file));
  const confam = await bench.startConfam(options.backend);
  const app = await confam.createApp('Upload');
  const cookie = await signIn(confam, app);
  const browser = await launchChromium();
  try {
    const page = await (await newContext(browser, confam, cookie)).newPage();
    await page.goto(`${confam.baseUrl}/console/upload`);
    await page.locator('input[type=file]').setInputFiles(file);
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    await send.waitFor();
    const [browserBefore, serviceBefore] = [await browserMb(browser), peakMb(confam.pid)];
    const began = performance.now();
    await send.click();
    await page.getByText('The file has arrived.').waitFor({ timeout: SENT_MS_MAX });
    const sentMs = performance.now() - began;
    await page.getByRole('heading', { name: 'Price', exact: true }).waitFor({ timeout: SENT_MS_MAX });
    const wholeMs = performance.now() - began;
    const [browserAfter, serviceAfter] = [await browserMb(browser), peakMb(confam.pid)];
    const [batch] = await confam.sql<{ rows: number; jobs: number }[]>`select rows, jobs from batches`;
    if (batch?.rows !== rows || batch.jobs !== rows) throw new Error(`of ${rows} rows ${batch?.jobs} became jobs`);
    const megabytes = Math.round((rows * (NOTES.length + 24)) / 1e6);
    const grown = browserAfter === null || browserBefore === null ? null : browserAfter - browserBefore;
    return {
      figures: [
        {
          what: `${megabytes} MB sent by the page of the console, until sent / until the price`,
          measured: `${ms(sentMs)} / ${ms(wholeMs)}`,
        },
        memoryFigure('growth of the browser’s peak memory, all its processes', grown, BROWSER_MB_MAX),
        memoryFigure('peak memory of the API', serviceAfter, SERVICE_MB_MAX),
      ],
      detail: { rows, sentMs, wholeMs, browserBefore, browserAfter, serviceBefore, serviceAfter },
    };
  } finally {
    await browser.close();
    await confam.stop();
  }
}

const memoryFigure = (what: string, megabytes: number | null, limit: number): Figure => ({
  what,
  measured: megabytes === null ? 'unknown: not Linux' : `${Math.round(megabytes)} MB`,
  target: `≤ ${limit} MB`,
  ...(megabytes !== null && { ok: megabytes <= limit }),
});

function* lines(rows: number): Generator<string> {
  yield 'Customer ref,National ID No,Notes\n';
  for (let at = 0; at < rows; at += SLICE_ROWS) {
    const nins = freshNins(Math.min(SLICE_ROWS, rows - at));
    yield nins.map((nin, i) => `CU-${at + i},${nin},${NOTES}\n`).join('');
  }
}

/** Peak resident memory of the browser's processes together; null on other systems than Linux. */
async function browserMb(browser: Browser): Promise<number | null> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  const peaks = processInfo.map(({ id }) => peakMb(id)).filter((peak) => peak !== null);
  return peaks.length === 0 ? null : peaks.reduce((sum, peak) => sum + peak, 0);
}
