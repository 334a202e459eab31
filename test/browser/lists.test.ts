/** Lists in the console: further pages survive a refresh, and rows that could not be read are read at the next try. */
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs } from '../setup/console.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' });
const chromium = useChromium();

const ROWS = `reference,nin\n${Array.from({ length: 20 }, (_, i) => `c-${i + 1},${40_000_000_000 + i * 7}`).join('\n')}\n`;

describe.skipIf(!chromiumIsHere)(chromiumNote('lists in the console'), () => {
  test('a new batch pushes none out of the pages that are shown', async () => {
    const app = await api.createApp();
    const upload = (name: string) => app.csv(`checks=nin_basic&start=manual&reference=${name}`, 'nin\n40000000007\n');
    for (let made = 0; made < 55; made += 11) await Promise.all(Array.from({ length: 11 }, (_, at) => upload(`b-${made + at}`)));
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'batches');
    const onPaper = page.getByText('The first 50. More follow in the console.');
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    expect(await onPaper.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await onPaper.isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('button', { name: 'Show more' }).click();
    const links = page.getByRole('table', { name: 'Batches' }).locator('tbody tr');
    await expect.poll(() => links.count()).toBe(55);
    await upload('newest');
    await page.getByRole('link', { name: 'newest' }).waitFor();
    const names = await page.getByRole('link', { name: /^(b-\d+|newest)$/ }).allTextContents();
    expect(new Set(names).size).toBe(56);
    expect(names.length).toBe(56);
    expectClean();
    await close();
  });

  test('somebody who comes back to a list, or reloads it, finds its pages and the place where they were', async () => {
    const app = await api.createApp();
    const upload = (name: string) => app.csv(`checks=nin_basic&start=manual&reference=${name}`, 'nin\n40000000007\n');
    for (let made = 0; made < 55; made += 11) await Promise.all(Array.from({ length: 11 }, (_, at) => upload(`b-${made + at}`)));
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'batches');
    await page.getByLabel('State').selectOption('Not started');
    await page.getByRole('button', { name: 'Show more' }).click();
    const rows = page.getByRole('table', { name: 'Batches' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(55);
    const last = rows.nth(54).getByRole('link').first();
    await last.scrollIntoViewIfNeeded();
    const scrolled = () => page.evaluate<number>('scrollY');
    const before = await scrolled();
    expect(before).toBeGreaterThan(500);
    await last.click();
    await page.getByRole('heading', { name: 'Rows', exact: true }).or(page.getByText('Not started').first()).first().waitFor();
    expect(await scrolled()).toBe(0);
    const isAsBefore = async () => {
      await expect.poll(() => rows.count()).toBe(55);
      await expect.poll(scrolled).toBe(before);
    };
    await page.goBack();
    await isAsBefore();
    await page.reload();
    await isAsBefore();
    expect(await page.getByLabel('State').inputValue()).toBe('awaiting_start');
    // What the person does first counts instead.
    await page.mouse.wheel(0, -10_000);
    await expect.poll(scrolled).toBe(0);
    await page.waitForTimeout(400);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(55);
    expect(await scrolled()).toBe(0);
    expectClean();
    await close();
  });

  test('long references, names and routes break into lines: neither the page nor its table scrolls sideways', async () => {
    const app = await api.createApp();
    const long = `CUSTOMERS_OF_LAGOS_ISLAND_${'0'.repeat(70)}1`;
    await api.service.sql`update apps set name = ${long} where id = ${parseId('app', app.app)}`;
    await api.service.sql`update api_keys set name = ${long} where id = ${parseId('key', app.keyId)}`;
    const { id } = (await app.csv(`checks=nin_basic&reference=${long}`, `reference,nin\n${long},40000000007\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const [job] = (await app.get<{ data: { id: string }[] }>(`/api/v1/batches/${id}/jobs`)).body.entity.data;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'home');
    const wide = () =>
      page.evaluate(`[document.documentElement, ...document.querySelectorAll('.scroll')]
        .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.scrollWidth + ' of ' + box.clientWidth + ' px')`);
    for (const path of ['batches', `batches/${id}`, `jobs/${job!.id}`, 'requests', 'money/entries', 'screening']) {
      await page.goto(`${siteUrl(api)}/console/${path}`);
      await page.locator('main table, main .empty').first().waitFor();
      for (const width of [320, 768, 1024, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(wide, { message: `${path}, ${width} px` }).toEqual([]);
      }
    }
    expect(await page.locator('.app-name').getAttribute('title')).toBe(long);
    expectClean();
    await close();
  });

  test('a long reference pushes neither the outcome of a row on a phone nor the actions of a key in a window out of place; no fact stands alone', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'LOW' } } });
    const long = `CUSTOMERS_OF_LAGOS_ISLAND_${'0'.repeat(53)}1`;
    const { id } = (await app.csv('checks=nin_basic', `reference,nin\n${long},40000000007\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { browser } = await signedInAs(api, app, 'owner');
    const input = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
    const screened = (await app.job({ check: 'aml_screening', input })).body.entity;
    await app.ended(`/api/v1/jobs/${screened.id}`);
    await browser.send('PATCH', '/api/v1/settings', { approvals: { reveal: true } });
    await browser.post(`/api/v1/jobs/${screened.id}/reveal`, { purpose: 'screening', reason: 'The regulator asks' });
    await browser.post('/api/v1/keys', { name: long, checks: ['nin_basic'], addresses: ['2001:db8:1234:5678::/64'], daily_cap: 100_000 });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', `batches/${id}`, {
      viewport: { width: 360, height: 800 },
    });
    const outcome = (await page.getByRole('region', { name: 'Rows of the batch' }).getByText('Found', { exact: true }).boundingBox())!;
    expect(outcome.x + outcome.width).toBeLessThan(344);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${siteUrl(api)}/console/keys`);
    const tops = async (name: RegExp) => (await page.getByRole('button', { name }).boundingBox())!.y;
    expect(await tops(/^Change CUST/)).toBe(await tops(/^Revoke CUST/));
    await page.goto(`${siteUrl(api)}/console/audit`);
    await page.getByRole('cell', { name: long }).waitFor();
    const audit = page.getByRole('region', { name: 'Entries of the audit' });
    expect(await audit.evaluate((box) => (box as unknown as { scrollWidth: number }).scrollWidth)).toBeLessThan(1020);
    await page.goto(`${siteUrl(api)}/console/home`);
    await page.getByText('To approve').waitFor();
    await page.getByText('To review').waitFor();
    const rows = `[...document.querySelector('.facts').children].map((one) => one.offsetTop)`;
    for (const width of [360, 700, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const all = (await page.evaluate(rows)) as number[];
      expect(all.filter((top) => top === all.at(-1)).length, `${width} px: ${all}`).toBeGreaterThan(1);
    }
    // Five, as for people who do not review.
    await page.evaluate(`document.querySelector('.facts').lastElementChild.remove()`);
    for (const width of [360, 480, 599, 700, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const all = (await page.evaluate(rows)) as number[];
      expect(all.length).toBe(5);
      expect(all.filter((top) => top === all.at(-1)).length, `${width} px: ${all}`).toBeGreaterThan(1);
    }
    expectClean();
    await close();
  });

  test('keys beyond the first pages are known and found by name, also behind pages of revoked ones', async () => {
    const app = await api.createApp();
    const { browser } = await signedInAs(api, app, 'owner');
    const create = async (name: string) => (await browser.post<{ id: string }>('/api/v1/keys', { name })).body.entity.id;
    await create('the-oldest');
    for (let made = 0; made < 100; made += 10) {
      const ids = await Promise.all(Array.from({ length: 10 }, (_, at) => create(`short-lived-${made + at}`)));
      if (made >= 50) await Promise.all(ids.map((id) => browser.post(`/api/v1/keys/${id}/revoke`)));
    }
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'keys');
    const rows = page.getByRole('table', { name: 'Keys, newest first' }).locator('tbody tr');
    await page
      .getByRole('row', { name: /short-lived-4/ })
      .first()
      .waitFor();
    expect(await rows.count()).toBe(50);
    const name = page.getByLabel('Name or first characters');
    await name.fill('THE-OLD');
    await name.press('Enter');
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await page.getByRole('rowheader', { name: /^the-oldest/ }).waitFor();
    await page.getByLabel('State').selectOption('No longer working');
    await page.getByRole('heading', { name: 'No key matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all keys' }).click();
    await page
      .getByRole('row', { name: /short-lived-99.*Revoked/ })
      .first()
      .waitFor();
    await page.goto(`${siteUrl(api)}/console/audit`);
    await page.getByLabel('Who').fill('the-oldest');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor();
    expectClean();
    await close();
  });

  test('deliveries on their way are followed on every page that is shown', async () => {
    const app = await api.createApp();
    const { id } = (await app.post<{ id: string }>('/api/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook' })).body.entity;
    for (let sent = 0; sent < 30; sent++) expect((await app.post(`/api/v1/webhooks/endpoints/${id}/test`)).status).toBeLessThan(300);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'webhooks');
    // However soon they fail, they are on their way here.
    await page.route('**/deliveries?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { entity: { data: object[] } };
      const data = body.entity.data.map((delivery) => ({ ...delivery, status: 'sending' }));
      await route.fulfill({ response, json: { ...body, entity: { ...body.entity, data } } });
    });
    await page.getByRole('link', { name: '127.0.0.1' }).click();
    await page.getByRole('button', { name: 'Show more' }).click();
    const deliveries = page.getByRole('button', { name: /endpoint\.test/ });
    await expect.poll(() => deliveries.count()).toBe(30);
    const reads: string[] = [];
    page.on('response', (response) => void (response.url().includes('/deliveries?') && reads.push(response.url())));
    await expect.poll(() => reads.filter((url) => url.includes('cursor=')).length, { timeout: 15_000 }).toBeGreaterThan(0);
    expect(await deliveries.count()).toBe(30);
    expectClean();
    await close();
  });

  test('rows that could not be read are read by Try again, and by themselves when the connection is back', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=nin_basic', ROWS)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'batches');
    const rows = /\/jobs\?from_row/;
    await page.route(rows, (route) => route.fulfill({ status: 503, json: { code: 'unavailable', error: 'Not now' } }));
    await page.getByRole('row', { name: /20/ }).getByRole('link').first().click();
    await page.getByText('Not now.').waitFor();
    await page.unroute(rows);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: 'c-1', exact: true }).waitFor();
    await page.route(rows, (route) => route.abort('connectionreset'));
    await page.reload();
    await page.getByRole('alert').getByText('Confam cannot be reached.').waitFor();
    await page.unroute(rows);
    await page.getByRole('cell', { name: 'c-1', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await close();
  });

  test('rows that were read stay when the next ones cannot be read, and Try again reads those', async () => {
    const app = await api.createApp();
    const rows = Array.from({ length: 260 }, (_, i) => `c-${i + 1},${40_000_000_000 + i * 7}`);
    const { id } = (await app.csv('checks=nin_basic', `reference,nin\n${rows.join('\n')}\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}?rows=found`);
    await page.getByRole('link', { name: 'c-1', exact: true }).waitFor();
    const next = /\/jobs\?.*cursor=/;
    await page.route(next, (route) => route.fulfill({ status: 503, json: { code: 'unavailable', error: 'Not now' } }));
    const table = page.getByRole('region', { name: 'Rows that match the filter' });
    await table.focus();
    await page.keyboard.press('End');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    await page.getByRole('link', { name: 'c-200', exact: true }).waitFor();
    await page.unroute(next);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await table.focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'c-260', exact: true }).waitFor();
    expectClean();
    await close();
  });
});
