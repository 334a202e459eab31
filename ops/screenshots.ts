/**
 * `npm run screenshots`: starts the service with a database of its own, invents work of every kind, and photographs every page of the console into
 * `docs/console/`. The pictures must be made again whenever a page changes. `-- home batch` makes only these. `-- --look folder` makes
 * others to look at: every whole page, light and dark, at the width of a phone, a tablet, a small
 * laptop and a desktop, and says which tables scroll sideways there.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { freePort } from '../src/foundation/free-port.ts';
import { packageRoot } from '../src/foundation/package-root.ts';
import { startSimulator } from '../src/simulator/simulator.ts';
import type { SandboxFile } from '../workers/demo-app.ts';
import { launchChromium } from './chromium.ts';
import { customers, type Invented, inventWork, sender, spendOfDays } from './invented-work.ts';

const PORT = 18180;
const BASE = `http://localhost:${PORT}`;
const OUT = join(packageRoot(), 'docs/console');
const BYTES_MAX = 50_000;
/** Of all pictures together. */
const ALL_BYTES_MAX = 1_600_000;
const DESK = { width: 1280, height: 860 };
const TELEPHONE = { width: 360, height: 740 };
/** Also in the dark, and on a telephone. */
const IN_THE_DARK = ['home', 'upload', 'price', 'row', 'review', 'money'];
const ON_A_TELEPHONE = ['home', 'upload', 'price', 'row', 'batches'];

const home = mkdtempSync(join(tmpdir(), 'confam-screenshots-'));
// Under root, Postgres runs as another user, who must reach the data.
chmodSync(home, 0o711);
const { positionals, values } = parseArgs({ allowPositionals: true, options: { look: { type: 'string' } } });
const wanted = new Set(positionals);
const LOOK = values.look ?? null;
const TABLET = { width: 768, height: 1024 };
const LAPTOP = { width: 1024, height: 768 };
const made = new Set<string>();
/** Bytes by name. */
const saved = new Map<string, number>();

interface Started {
  /** Signs the demo app's owner in. */
  link: string;
  stop(): Promise<void>;
}

function start(settings: Record<string, string>): Promise<Started> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', 'start'], {
    cwd: packageRoot(),
    env: { ...process.env, PORT: String(PORT), CONFAM_DATA_DIR: join(home, 'data'), CONFAM_LOG_LEVEL: 'warn', ...settings },
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

const inData = (name: string) => JSON.parse(readFileSync(join(home, 'data', name), 'utf8'));

function databaseUrl(): string {
  const port = readFileSync(join(home, 'data/postgres/postmaster.pid'), 'utf8').split('\n')[3];
  return `postgres://confam:${inData('postgres.json').password}@127.0.0.1:${port}/confam`;
}

/** The page as it is, and where that is asked for in the dark and on a telephone. */
async function shoot(page: Page, name: string, until?: Locator): Promise<void> {
  made.add(name);
  await until?.first().waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  if (LOOK !== null) return look(page, name, LOOK);
  await save(page, name);
  if (IN_THE_DARK.includes(name)) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await save(page, `${name}-dark`);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  if (ON_A_TELEPHONE.includes(name)) {
    await page.setViewportSize(TELEPHONE);
    await save(page, `${name}-narrow`);
    await page.setViewportSize(DESK);
  }
}

async function look(page: Page, name: string, folder: string): Promise<void> {
  if (wanted.size > 0 && !wanted.has(name)) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const viewport of [TELEPHONE, TABLET, LAPTOP, DESK]) {
      await page.setViewportSize(viewport);
      await page.waitForTimeout(100);
      if (colorScheme === 'light')
        for (const table of await tooWide(page)) console.log(`${name} at ${viewport.width}: ${table} scrolls sideways`);
      await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true, animations: 'disabled' });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.getAttribute('aria-label') ?? 'a box')`,
  );

/** A PNG of few colours: a page of text stays sharp and small. */
async function save(page: Page, name: string): Promise<void> {
  if (LOOK !== null) return look(page, name, LOOK);
  if (wanted.size > 0 && !wanted.has(name)) return;
  await page.evaluate('scrollTo(0, 0)');
  await page.waitForTimeout(300);
  // Without the place of the scrollbar, which a browser without a screen does not draw.
  const { width, height } = page.viewportSize()!;
  const gutter = (await page.evaluate('innerWidth - Math.ceil(document.body.getBoundingClientRect().width)')) as number;
  const picture = sharp(await page.screenshot({ animations: 'disabled', clip: { x: 0, y: 0, width: width - gutter, height } }));
  let bytes: Buffer | null = null;
  for (const colours of [48, 32, 16]) {
    bytes = await picture.clone().png({ palette: true, colours, compressionLevel: 9, effort: 10 }).toBuffer();
    if (bytes.length <= BYTES_MAX) break;
  }
  if (bytes!.length > BYTES_MAX) throw new Error(`${name}.png has ${bytes!.length} bytes`);
  saved.set(name, bytes!.length);
  writeFileSync(join(OUT, `${name}.png`), bytes!);
  console.log(`docs/console/${name}.png ${bytes!.length} bytes`);
}

const named = (page: Page, role: 'heading' | 'link' | 'button' | 'table' | 'row' | 'region', name: string | RegExp) =>
  page.getByRole(role, { name });

/** From the file to the price. */
async function upload(page: Page): Promise<void> {
  await page.goto(`${BASE}/console/upload`);
  await page.locator('input[type=file]').setInputFiles({
    name: 'July customers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(customers(400, 9_000, 'CU-09998,4000000,Aba\nCU-09999,not known,Wuse\n')),
  });
  const send = named(page, 'button', 'Send the file and see the price');
  await send.waitFor();
  await shoot(page, 'upload', named(page, 'heading', /cannot be checked/));
  await send.click();
  await shoot(page, 'price', named(page, 'table', 'Price by check'));
}

/** Each page of `src/console/pages.ts` by its address there: where it is, the name of its picture, and what it waits for. */
const tour = (
  page: Page,
  { batch, row, review, endpoint, app }: Invented,
): Record<string, [path: string, name: string, until: Locator]> => ({
  home: ['home', 'home', named(page, 'link', 'June customers')],
  batches: ['batches', 'batches', named(page, 'link', 'May customers')],
  'jobs/:id': [`jobs/${row}`, 'row', named(page, 'table', /Each field/)],
  approvals: ['approvals', 'approvals', named(page, 'row', /Chidi Eze/)],
  reviews: ['reviews', 'reviews', named(page, 'row', /Screening hits/)],
  'reviews/:id': [`reviews/${review}`, 'review', named(page, 'heading', 'Decide')],
  screening: ['screening', 'screening', page.locator('main table')],
  keys: ['keys', 'keys', named(page, 'row', /Nightly upload/)],
  people: ['people', 'people', named(page, 'row', /Chidi Eze/)],
  privacy: ['privacy', 'privacy', named(page, 'row', /Erasure/)],
  queues: ['queues', 'queues', page.getByText('chunks').or(page.locator('main'))],
  audit: ['audit', 'audit', page.locator('main table')],
  account: ['account', 'account', named(page, 'row', /This one/)],
  webhooks: ['webhooks', 'webhooks', page.locator('main table')],
  'webhooks/:id': [`webhooks/${endpoint}`, 'webhook', page.locator('main table')],
  requests: ['requests', 'requests', page.locator('main table')],
  'money/prices': ['money/prices', 'prices', page.locator('main table')],
  'operator/apps': ['operator/apps', 'operator-apps', page.locator('main table')],
  'operator/apps/:id': [`operator/apps/${app}`, 'operator-app', page.locator('main table')],
  'operator/approvals': ['operator/approvals', 'operator-approvals', page.locator('main h1')],
  'operator/vendors': ['operator/vendors', 'operator-vendors', named(page, 'heading', 'registry')],
  'operator/doctor': ['operator/doctor', 'operator-doctor', named(page, 'row', /Postgres/)],
  'operator/lists': ['operator/lists', 'operator-lists', page.locator('main table')],
  'operator/lists/:list': ['operator/lists/un_sc', 'operator-list', page.locator('main h1')],
  'batches/:id': [`batches/${batch}`, 'batch-done', named(page, 'region', 'Rows of the batch')],
  'money/entries': ['money/entries', 'entries', page.locator('main table')],
  'money/batches': ['money/batches', 'charges', page.locator('main table')],
  'money/statements': ['money/statements', 'statements', page.locator('main table')],
});

async function photograph(link: string, sandbox: SandboxFile): Promise<void> {
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: DESK, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${BASE}/console/sign-in`);
  await shoot(page, 'sign-in', page.getByLabel('E-mail address'));
  await page.goto(link);
  await named(page, 'button', 'Sign out').waitFor();
  await becomeAdministrator(page, sandbox);
  const work = await inventWork(BASE, sandbox, await freePort());
  await page.goto(work.link.replace('127.0.0.1', 'localhost'));
  await shoot(page, 'link', named(page, 'button', 'Download'));
  await upload(page);
  await page.goto(`${BASE}/console/try?check=bvn_match`);
  await named(page, 'button', 'Found').first().click();
  await named(page, 'button', 'Call').first().click();
  await shoot(page, 'try', page.getByText('200 All agree'));
  // Runs for as long as the pictures that show it take; those to look at are several times as many.
  const send = sender(BASE, sandbox);
  await send('POST', `admin/apps/${work.app}/topups`, { amount: 20_000_000, mode: 'test' });
  await send('PATCH', `admin/apps/${work.app}`, { settings: { approveStartAboveKobo: 10_000_000_00 } });
  const { id } = await send<{ id: string }>(
    'POST',
    'batches?checks=nin_basic,nin_advance&map.nin=National%20ID%20No&map.reference=Customer%20ref&reference=June%20customers',
    customers(LOOK === null ? 24_000 : 39_000, 10_000),
  );
  await page.goto(`${BASE}/console/batches/${id}`);
  await named(page, 'button', 'Pause').waitFor();
  await page.waitForTimeout(3_000);
  await save(page, 'batch');
  await page.emulateMedia({ colorScheme: 'dark' });
  await save(page, 'batch-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  const pages = tour(page, work);
  for (const [path, name, until] of Object.values(pages)) {
    await page.goto(`${BASE}/console/${path}`);
    await shoot(page, name, until);
  }
  await page.goto(`${BASE}/console/jobs/${work.screened}`);
  await named(page, 'button', 'Show in clear').click();
  await page.getByRole('dialog').getByLabel('What for').selectOption('screening');
  await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
  await shoot(page, 'hits', page.getByText('Musa Danjumare Balarabewa'));
  // Last, because no service has run for the weeks before today: statements do not include this spending.
  await spendOfDays(databaseUrl());
  await page.goto(`${BASE}/console/money`);
  await shoot(page, 'money', page.locator('main table'));
  await page.setViewportSize(TELEPHONE);
  await page.goto(`${BASE}/console/batches/${work.batch}`);
  await named(page, 'region', 'Rows of the batch').waitFor();
  await save(page, 'batch-narrow');
  work.close();
  await browser.close();
  const paths = [...readFileSync(join(packageRoot(), 'src/console/pages.ts'), 'utf8').matchAll(/path: '([^']+)',[^{}]*load:/g)].map(
    ([, path]) => path!,
  );
  const missing = paths.filter((path) => !(path in pages || made.has(path)));
  if (missing.length > 0) throw new Error(`there is no picture of ${missing.join(', ')}`);
  const all = [...saved.values()].reduce((sum, one) => sum + one, 0);
  console.log(`${saved.size} pictures, ${all} bytes`);
  if (all > ALL_BYTES_MAX) throw new Error(`more than ${ALL_BYTES_MAX} bytes`);
}

/** So that the pages of the operator are shown too. */
async function becomeAdministrator(page: Page, sandbox: SandboxFile): Promise<void> {
  const email = (await page.evaluate(
    `fetch('../api/v1/session').then((answer) => answer.json()).then(({ entity }) => entity.person.email)`,
  )) as string;
  const { link } = await sender(BASE, sandbox)<{ link: string }>('POST', 'admin/people', { email, administrator: true });
  await page.goto(`${BASE}/console/invitation#${link.split('#')[1]}`);
  await named(page, 'link', 'Vendors').waitFor();
}

/** A vendor for live mode. */
async function vendor(): Promise<{ settings: Record<string, string>; close(): Promise<void> }> {
  const simulator = await startSimulator({ script: { latency_ms: { p50: 160, p99: 600 } } });
  const credentials = { key: { env: 'SIMULATOR_KEY' }, app_id: { env: 'SIMULATOR_KEY' } };
  const registry = {
    adapter: 'native',
    base_url: simulator.url,
    credentials,
    requests_per_second: 50,
    cost_kobo: { nin: 80_00, bvn: 60_00 },
  };
  const path = join(home, 'upstreams.json');
  writeFileSync(path, JSON.stringify({ providers: { registry }, records: { nin: ['registry'], bvn: ['registry'] } }));
  const settings = { CONFAM_UPSTREAMS: path, SIMULATOR_KEY: 'cf_live_of_the_simulator', CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' };
  return { settings, close: () => simulator.close() };
}

mkdirSync(LOOK ?? OUT, { recursive: true });
const live = await vendor();
const service = await start(live.settings);
try {
  await photograph(service.link, inData('sandbox.json') as SandboxFile);
} finally {
  await service.stop();
  await live.close();
  rmSync(home, { recursive: true, force: true });
}
