/** The console in a real Chromium: what its first page loads, how soon it can be used, and whether the table of a large batch scrolls without a hitch. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { chromiumIsHere, launchChromium } from '../ops/chromium.ts';
import { showId } from '../src/foundation/ids.ts';
import { untilStarted } from './batch.ts';
import { consolePages } from './console-pages.ts';
import { consoleUpload } from './console-upload.ts';
import { type Figure, ms, type Report, summarize } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { newContext, signIn } from './signed-in.ts';

const ROWS: Size = { full: 1_000_000, tiny: 2_000 };
const VISITS: Size = { full: 9, tiny: 1 };
const JUMPS: Size = { full: 20, tiny: 2 };
/** How often the wheel is turned. Keys are pressed half as often. */
const TURNS: Size = { full: 60, tiny: 4 };
const KB_MAX = 60;
const INTERACTIVE_MS_MAX = 1_000;

/** `console` on the command line means all of them, `console/page` one. */
export const consoleParts = { page, pages: consolePages, upload: consoleUpload };

async function page(bench: Bench, options: Options): Promise<Report> {
  if (!chromiumIsHere) return { figures: [{ what: 'the console in a browser', measured: 'skipped: needs chromium' }], detail: {} };
  const rows = rowsOf(options, ROWS);
  const confam = await bench.startConfam(options.backend);
  const app = await confam.createApp('Console');
  const cookie = await signIn(confam, app);
  const browser = await launchChromium();
  try {
    const visits: number[] = [];
    let bytes = 0;
    // The first visit finds nothing warm in the service either, and is not counted.
    for (let visit = 0; visit <= sized(options, VISITS); visit++) {
      const { interactiveMs, assets } = await visitHome(browser, confam, cookie);
      if (visit > 0) visits.push(interactiveMs);
      else for (const url of assets) bytes += await gzipBytes(url);
    }
    const scrolled = await scrollRows(browser, confam, app, cookie, options);
    const [interactive, jump] = [summarize(visits), summarize(scrolled.jumps)];
    return {
      figures: [
        { what: 'scripts and styles until Home is shown, gzip', ...most(bytes / 1000, KB_MAX, `${(bytes / 1000).toFixed(1)} kB`, 'kB') },
        {
          what: 'Home can be used, nothing cached, p50 (max)',
          ...most(interactive.p50, INTERACTIVE_MS_MAX, `${ms(interactive.p50)} (${ms(interactive.max)})`, 'ms'),
        },
        {
          what: `tasks over 50 ms while ${rows.toLocaleString('en')} rows scroll`,
          ...most(scrolled.tasks.length, 0, `${scrolled.tasks.length} in ${scrolled.seconds.toFixed(0)} s`, ''),
        },
        { what: 'from a jump to any place until its rows are shown, p50 (max)', measured: `${ms(jump.p50)} (${ms(jump.max)})` },
      ],
      detail: { bytes, visits, ...scrolled },
    };
  } finally {
    await browser.close();
    await confam.stop();
  }
}

const most = (value: number, limit: number, measured: string, unit: string): Omit<Figure, 'what'> => ({
  measured,
  target: `≤ ${limit} ${unit}`.trim(),
  ok: value <= limit,
});

/** The page's tasks of more than 50 ms, and the time at which the awaited content was shown. */
const WATCH = `
  window.tasks = [];
  window.shownAt = null;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push({ startTime, duration });
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver(() => {
    if (shownAt === null && document.querySelector('#open')) shownAt = performance.now();
  }).observe(document, { childList: true, subtree: true });`;

interface Task {
  startTime: number;
  duration: number;
}

/** A visit with an empty cache, until Home shows its data and no long task is running. */
async function visitHome(browser: Browser, confam: Confam, cookie: string): Promise<{ interactiveMs: number; assets: string[] }> {
  const context = await newContext(browser, confam, cookie);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const assets: string[] = [];
  page.on('response', (response) => void (response.url().includes('/console/assets/') && assets.push(response.url())));
  await page.goto(`${confam.baseUrl}/console/`);
  await page.waitForSelector('#open');
  await page.waitForTimeout(300);
  const [shownAt, tasks] = (await page.evaluate('[shownAt, tasks]')) as [number, Task[]];
  await context.close();
  return { interactiveMs: Math.max(shownAt, ...tasks.map(({ startTime, duration }) => startTime + duration)), assets };
}

/** The bytes sent to a client that accepts only gzip. */
const gzipBytes = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
    })
      .on('error', reject)
      .end();
  });

/** Scrolls with keys, the wheel and the scrollbar. The batch has started, so its rows are shown, and is paused, so nothing else runs. */
async function scrollRows(browser: Browser, confam: Confam, app: App, cookie: string, options: Options) {
  const [turns, jumps] = [sized(options, TURNS), sized(options, JUMPS)];
  const { id } = await app.upload(rowsOf(options, ROWS));
  await untilStarted(confam.sql, id);
  await untilQuiet(confam, app, id);
  const context = await newContext(browser, confam, cookie);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  await page.goto(`${confam.baseUrl}/console/batches/${showId('bat', id)}`);
  const box = page.locator('section.long');
  await box.locator('tbody a').first().waitFor();
  await page.waitForTimeout(500);
  await page.evaluate('tasks.length = 0');
  const began = performance.now();
  await box.hover();
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, 120);
  await box.focus();
  for (let press = 0; press < turns / 2; press++) await page.keyboard.press('PageDown', { delay: 10 });
  await drag(page);
  const times: number[] = [];
  for (let jump = 1; jump <= jumps; jump++) times.push(await jumpTo(page, jump / (jumps + 1)));
  const seconds = (performance.now() - began) / 1000;
  const tasks = (await page.evaluate('tasks')) as Task[];
  await context.close();
  return { seconds, tasks, jumps: times };
}

async function untilQuiet(confam: Confam, app: App, id: string): Promise<void> {
  const path = `${confam.baseUrl}/api/v1/batches/${showId('bat', id)}`;
  // Refused if it is over already.
  await fetch(`${path}/pause`, { method: 'POST', headers: app.headers });
  for (;;) {
    const { status, counts } = (await app.batch(id)) as { status: string; counts: { leased: number } };
    if (['paused', 'completed'].includes(status) && counts.leased === 0) return;
    await sleep(100);
  }
}

/** Drags the scrollbar to the bottom and back in three seconds, one step per frame. */
const drag = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('section.long');
    const began = performance.now();
    const step = () => {
      const share = (performance.now() - began) / 3000;
      box.scrollTop = (box.scrollHeight - box.clientHeight) * (share < 0.5 ? 2 * share : 2 - 2 * share);
      if (share < 1) requestAnimationFrame(step);
      else resolve();
    };
    step();
  })`);

/** Milliseconds until the rows at this share of the table are shown. */
const jumpTo = async (page: Page, share: number): Promise<number> =>
  (await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('section.long');
    const began = performance.now();
    box.scrollTop = (box.scrollHeight - box.clientHeight) * ${share};
    const look = () => {
      const line = box.querySelector('tbody tr');
      const isThere = Number(line.getAttribute('aria-rowindex')) > 2 && line.querySelector('a');
      if (isThere) resolve(performance.now() - began);
      else setTimeout(look, 5);
    };
    setTimeout(look, 30);
  })`)) as number;
