/**
 * `npm run screenshots`: starts the service with a database of its own, invents an app with work of every kind, and photographs the console's pages into
 * `docs/console/`. The pictures show what is there, so they are made anew whenever a page changes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { packageRoot } from '../src/foundation/package-root.ts';
import { launchChromium } from './chromium.ts';

const PORT = '18180';
const BASE = `http://localhost:${PORT}`;
const OUT = join(packageRoot(), 'docs/console');
const data = mkdtempSync(join(tmpdir(), 'confam-screenshots-'));

const customers = (count: number, from: number, bad = ''): string =>
  `Customer ref,National ID No,Branch\n${Array.from(
    { length: count },
    (_, i) => `CU-${String(from + i).padStart(5, '0')},${40_000_000_000 + (from + i) * 7},${['Ikeja', 'Wuse', 'Aba'][i % 3]}`,
  ).join('\n')}\n${bad}`;

/** Starts the service; resolves with the link that signs the demo app's owner in. */
function start(): Promise<{ link: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'start'], {
    cwd: packageRoot(),
    env: { ...process.env, PORT, CONFAM_DATA_DIR: join(data, 'data'), CONFAM_LOG_LEVEL: 'warn' },
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (text: Buffer) => {
      printed += text;
      const link = /http:\/\/localhost\S+sign-in#\S+/.exec(printed)?.[0];
      if (link) resolve({ link, stop });
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${printed}`)));
  });
}

/** A PNG of few colours: a page of text stays sharp and small. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(400);
  const picture = await page.screenshot({ animations: 'disabled' });
  writeFileSync(join(OUT, `${name}.png`), await sharp(picture).png({ palette: true, colours: 64, compressionLevel: 9 }).toBuffer());
  console.log(`docs/console/${name}.png`);
}

async function invent(): Promise<{ done: string }> {
  const { test_key, app_id } = JSON.parse(readFileSync(join(data, 'data/sandbox.json'), 'utf8')) as Record<string, string>;
  const send = async (query: string, text: string) => {
    const response = await fetch(`${BASE}/api/v1/batches?${query}`, {
      method: 'POST',
      headers: { Authorization: test_key!, AppId: app_id!, 'Content-Type': 'text/csv' },
      body: text,
    });
    return ((await response.json()) as { entity: { id: string } }).entity.id;
  };
  const map = 'map.nin=National%20ID%20No&map.reference=Customer%20ref';
  const done = await send(`checks=nin_basic&${map}&reference=May%20customers`, customers(1_200, 1, 'CU-09999,12,Aba\n'));
  await send(`checks=nin_advance&${map}&reference=Staff%20of%20Kano`, customers(80, 2_000));
  await send(`checks=nin_basic&${map}&reference=Waits%20for%20Ada&start=manual`, customers(300, 3_000));
  for (;;) {
    const response = await fetch(`${BASE}/api/v1/batches/${done}?wait=30`, { headers: { Authorization: test_key!, AppId: app_id! } });
    if (((await response.json()) as { entity: { status: string } }).entity.status === 'completed') break;
  }
  await send(`checks=nin_basic,nin_advance&${map}&reference=June%20customers`, customers(9_000, 5_000));
  return { done };
}

async function photograph(link: string): Promise<void> {
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${BASE}/console/sign-in`);
  await page.getByLabel('E-mail address').waitFor();
  await shoot(page, 'sign-in');
  const { done } = await invent();
  await page.goto(link);
  await page.getByRole('link', { name: 'June customers' }).waitFor();
  await shoot(page, 'home');
  await page.getByRole('link', { name: 'June customers' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.waitForTimeout(4_000);
  await shoot(page, 'batch');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, 'batch-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${BASE}/console/batches`);
  await page.getByRole('link', { name: 'May customers' }).waitFor();
  await shoot(page, 'batches');
  await page.goto(`${BASE}/console/upload`);
  await page.locator('input[type=file]').setInputFiles({
    name: 'July customers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(customers(400, 9_000, 'CU-09998,4000000\nCU-09999,not known\n')),
  });
  await page.getByRole('button', { name: 'Send the file and see the price' }).waitFor();
  await page.getByRole('heading', { name: /cannot be checked/ }).waitFor();
  await shoot(page, 'upload');
  await page.getByRole('button', { name: 'Send the file and see the price' }).click();
  await page.getByRole('table', { name: 'Price by check' }).waitFor();
  await shoot(page, 'price');
  await page.goto(`${BASE}/console/batches/${done}`);
  await page.getByRole('link', { name: 'CU-00001' }).click();
  await page.getByRole('table', { name: /Each field/ }).waitFor();
  await shoot(page, 'row');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${BASE}/console/batches/${done}`);
  await page.getByRole('region', { name: 'Rows of the batch' }).waitFor();
  await shoot(page, 'batch-narrow');
  await browser.close();
}

mkdirSync(OUT, { recursive: true });
const service = await start();
try {
  await photograph(service.link);
} finally {
  await service.stop();
  rmSync(data, { recursive: true, force: true });
}
