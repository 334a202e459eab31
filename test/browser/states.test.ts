/**
 * Every page of the console in each of its states, as axe sees it: with something on it, with nothing, while it loads, when the service fails, when only a part
 * can be read, and when the role no longer allows it. `pages.test.ts` looks at dialogs and at what has no page of its own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs } from '../setup/console.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' });
const chromium = useChromium();
const SANCTIONED = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
/** As systems make them, without a space. */
const LONG_REFERENCE = `CUSTOMERS_OF_LAGOS_ISLAND_${'0'.repeat(70)}1`;
/** Each page makes six looks, and there are many. */
const MANY_LOOKS_MS = 600_000;

/** Addresses as `pages.ts` has them, with ids in place of their parameters. */
let addresses: Record<string, string>;
let app: TestApp;

beforeAll(async () => {
  app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
  const csv = `reference,nin\n${Array.from({ length: 30 }, (_, i) => `c-${i},${40_000_000_000 + i * 7}`).join('\n')}\nbad,12\nnobody,00000000001\n`;
  const batch = (await app.csv('checks=nin_basic&reference=June%20customers', csv)).body.entity;
  await app.ended(`/api/v1/batches/${batch.id}`);
  await app.csv('checks=nin_basic&start=manual&reference=Waits', csv);
  await app.csv(`checks=nin_basic&start=manual&reference=${LONG_REFERENCE}`, csv);
  const screened = (await app.job({ check: 'aml_screening', input: SANCTIONED })).body.entity;
  await app.ended(`/api/v1/jobs/${screened.id}`);
  const { browser } = await signedInAs(api, app, 'owner');
  const endpoint = await browser.post<{ id: string }>('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/confam' });
  expect(endpoint.status, endpoint.text).toBe(201);
  const reviews = (await app.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data;
  const settings = { approvals: { reveal: true } };
  expect((await browser.send('PATCH', '/api/v1/settings', settings)).status).toBe(200);
  expect((await browser.post(`/api/v1/jobs/${screened.id}/reveal`, { purpose: 'screening', reason: 'The regulator asks' })).status).toBe(
    202,
  );
  addresses = {
    'batches/:id': `batches/${batch.id}`,
    'jobs/:id': `jobs/${screened.id}`,
    'reviews/:id': `reviews/${reviews[0]!.id}`,
    'webhooks/:id': `webhooks/${endpoint.body.entity.id}`,
    'operator/apps/:id': `operator/apps/${app.app}`,
    'operator/lists/:list': 'operator/lists/un_sc',
  };
});

/** So that a new page is looked at without anybody thinking of it. */
const PATHS = [...readFileSync(join(packageRoot(), 'src/console/pages.ts'), 'utf8').matchAll(/path: '([^']+)',[^{}]*load:/g)].map(
  ([, path]) => path!,
);

type Mode = 'answers' | 'hangs' | 'fails' | 'refuses';

const REFUSALS = {
  fails: [500, { status: 'error', error: 'Something went wrong', code: 'internal', meta: { request_id: 'req_1' } }],
  refuses: [403, { status: 'error', error: 'Your role does not allow this', code: 'forbidden', meta: { request_id: 'req_1' } }],
} as const;

/** An owner who is an administrator too, and a switch for how the service answers what `which` matches; it always tells who is signed in. */
async function visitAll(of: TestApp) {
  const visit = await visitAs(api, chromium, of, 'owner', 'account');
  await api.service.sql`update people set administrator = true
    where id in (select person_id from sessions) and id in (select person_id from app_people where app_id = ${parseId('app', of.app)})`;
  let [mode, which]: [Mode, RegExp] = ['answers', /./];
  const answer = (route: Route) => {
    const path = new URL(route.request().url()).pathname;
    if (mode === 'answers' || path === '/api/v1/session' || !which.test(path)) return route.continue();
    if (mode === 'hangs') return;
    const [status, body] = REFUSALS[mode];
    return route.fulfill({ status, json: body });
  };
  await visit.page.route('**/api/v1/**', answer);
  return {
    ...visit,
    become: (next: Mode, paths = /./) => {
      [mode, which] = [next, paths];
    },
    open: async (path: string) => {
      await visit.page.goto(`${siteUrl(api)}/console/${addresses[path] ?? path}`);
      await visit.page.locator('main').waitFor();
    },
  };
}

const settled = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByText('Loading…').count()).toBe(0);
};

/** Neither a page nor a table is wider than its place: what would be cut off, such as the buttons of a row, nobody looks for. */
async function expectNothingCut(page: Page, path: string): Promise<void> {
  for (const width of [320, 360, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const cut = () =>
      page.evaluate(`[document.documentElement, ...document.querySelectorAll('.scroll')]
        .filter((box) => (box.querySelector('table') || box === document.documentElement) && box.scrollWidth > box.clientWidth + 1)
        .map((box) => (box.getAttribute('aria-label') ?? 'the page') + ': ' + box.scrollWidth + ' of ' + box.clientWidth + ' px')`);
    await expect.poll(cut, { message: `${path}, ${width} px` }).toEqual([]);
  }
}

describe.skipIf(!chromiumIsHere)(chromiumNote('every page of the console'), () => {
  test('with something on it', { timeout: MANY_LOOKS_MS }, async () => {
    const { page, open, expectClean, close } = await visitAll(app);
    for (const path of PATHS) {
      await open(path);
      await settled(page);
      expect(await page.getByRole('button', { name: 'Try again' }).count(), path).toBe(0);
      await expectAccessible(page, path);
      await expectNothingCut(page, path);
    }
    expectClean();
    await close();
  });

  test('with nothing on it', { timeout: MANY_LOOKS_MS }, async () => {
    const nobody = await api.createApp({ naira: 0 });
    const { page, open, expectClean, close } = await visitAll(nobody);
    for (const path of PATHS.filter((one) => !one.includes(':') && !one.startsWith('operator/'))) {
      await open(path);
      await settled(page);
      await expectAccessible(page, `${path}, empty`);
    }
    expectClean();
    await close();
  });

  // What Upload shows needs no answer.
  const READING = PATHS.filter((path) => path !== 'upload');

  test.each<[string, Mode, (page: Page) => Locator]>([
    ['while it loads', 'hangs', (page) => page.getByText('Loading…')],
    ['when the service fails', 'fails', (page) => page.getByRole('alert').getByText('This is a fault of the service, not yours.')],
    ['when the role no longer allows it', 'refuses', (page) => page.getByRole('alert').getByText('Your role in this app is owner.')],
  ])('%s', { timeout: MANY_LOOKS_MS }, async (state, mode, sign) => {
    const { page, open, become, close } = await visitAll(app);
    become(mode);
    for (const path of READING) {
      await open(path);
      await sign(page).first().waitFor();
      await expectAccessible(page, `${path}, ${state}`);
    }
    await close();
  });

  test('when only a part can be read, what is known stays', { timeout: MANY_LOOKS_MS }, async () => {
    const { page, open, become, close } = await visitAll(app);
    become('fails', /\/(history|jobs)$/);
    await open('batches/:id');
    await page.getByRole('heading', { name: 'June customers' }).waitFor();
    await page.getByRole('alert').first().waitFor();
    await expectAccessible(page, 'a batch without its history');
    become('answers');
    await open('home');
    await page.getByRole('link', { name: 'Waits' }).waitFor();
    become('fails');
    // It is read again every few seconds.
    await page.getByRole('alert').getByText('This is a fault of the service, not yours.').waitFor();
    await page.getByRole('link', { name: 'Waits' }).waitFor();
    await expectAccessible(page, 'home that is not up to date');
    become('answers');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.context().setOffline(true);
    await page.getByText('The connection to Confam is lost.').waitFor();
    await expectAccessible(page, 'home without a connection');
    await page.context().setOffline(false);
    await page.getByText('Connected again.').waitFor();
    await close();
    const viewer = await visitAs(api, chromium, app, 'viewer', 'keys');
    await viewer.page.getByText('Your role does not include this page.').waitFor();
    await expectAccessible(viewer.page, 'a page that the role does not include');
    await viewer.page.setViewportSize({ width: 360, height: 740 });
    await viewer.page.getByRole('button', { name: 'Menu' }).click();
    await expectAccessible(viewer.page, 'the menu on a telephone', [360]);
    await viewer.close();
  });
});
