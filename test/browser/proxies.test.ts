/** A proxy in front of the service answers with pages of its own: while the service is away, or because it refuses something. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { checkOnly, choose, visitAs, visitAsAdministrator } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

const html = (status: number) => ({
  status,
  contentType: 'text/html',
  body: `<html><head><title>${status}</title></head><body><h1>nginx</h1></body></html>`,
});

const AWAY = 'The connection to Confam is lost.';

describe.skipIf(!chromiumIsHere)(chromiumNote('answers of a proxy'), () => {
  test('while the service is away the page says that the connection is lost, and continues by itself', async () => {
    const app = await api.createApp();
    await app.csv('checks=nin_basic&reference=June', 'nin\n40000000007\n');
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'home');
    // With 200, the page on which a network wants a sign-in.
    for (const status of [502, 200]) {
      await page.route(/readyz|api\/v1\/batches/, (route) => route.fulfill(html(status)));
      await page.getByRole('link', { name: 'Batches' }).first().click();
      await page.getByText(AWAY).waitFor();
      await page.getByText('Confam cannot be reached.').waitFor();
      await page.unroute(/readyz|api\/v1\/batches/);
      await page.getByRole('link', { name: 'June' }).waitFor();
      await page.getByText(AWAY).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Home' }).click();
      await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    }
    await close();
  });

  test('a payment whose answer a proxy gave up waiting for may have been booked, and is booked once', async () => {
    const app = await api.createApp({ naira: 0 });
    const { page, close } = await visitAsAdministrator(api, chromium, `operator/apps/${app.app}`);
    await page.route(
      '**/topups',
      async (route) => {
        await route.fetch();
        await route.fulfill(html(504));
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Top up' }).click();
    await page.getByLabel('Amount in naira').fill('100');
    await page.getByRole('combobox', { name: 'Wallet' }).selectOption('test');
    const book = page.getByRole('button', { name: 'Book the payment' });
    await book.click();
    await page.getByRole('alert').getByText('Your request may have gone through.').waitFor();
    await book.click();
    await page.getByText('₦100.00 is booked.').waitFor();
    expect((await app.wallet()).available).toBe(100);
    await close();
  });

  test('a file that a proxy refuses is said to be too large for it; one that it lost may have arrived, and becomes one batch', async () => {
    const app = await api.createApp();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await choose(page, { name: 'June.csv', mimeType: 'text/csv', buffer: Buffer.from('nin\n40000000007\n') });
    await checkOnly(page, /^NIN basic/);
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    const failing = (status: number, isDone: boolean) =>
      page.route(
        /\/api\/v1\/batches\?/,
        async (route) => {
          if (isDone) await route.fetch();
          await route.fulfill(html(status));
        },
        { times: 1 },
      );
    await failing(413, false);
    await send.click();
    await page.getByText('A proxy in front of Confam refuses files of this size. Nothing has arrived.').waitFor();
    expect(await page.getByText('fault of the service').count()).toBe(0);
    await failing(403, false);
    await send.click();
    await page.getByText('A proxy in front of Confam refused this with 403. Tell your administrator.').waitFor();
    await failing(504, true);
    await send.click();
    await page.getByText('The connection was lost while the file was sent.').waitFor();
    await send.click();
    await page.getByRole('heading', { name: 'Price' }).waitFor();
    expect(await batchesIn(page)).toBe(1);
    await close();
  });

  test('a failure of the service itself says when to try again, or whom to tell which id', async () => {
    const app = await api.createApp();
    const { page, close } = await visitAs(api, chromium, app, 'owner', 'account');
    const said = {
      503: [{ code: 'unavailable', error: 'The service is briefly unavailable' }, 'The service is briefly unavailable. Try again in 5 s.'],
      500: [
        { code: 'internal', error: 'Something went wrong on our side; quote the request id' },
        'Something went wrong on our side. Tell your administrator this id: req_1.',
      ],
    } as const;
    for (const [status, [body, text]] of Object.entries(said)) {
      const answer = {
        status: Number(status),
        headers: { 'retry-after': '5' },
        json: { status: 'error', ...body, meta: { request_id: 'req_1' } },
      };
      await page.route('**/api/v1/session', (route) => (route.request().method() === 'PATCH' ? route.fulfill(answer) : route.continue()));
      await page.getByLabel('As others see it').fill(`Ada ${status}`);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText(text, { exact: true }).waitFor();
      await page.unroute('**/api/v1/session');
    }
    await close();
  });
});

const batchesIn = async (page: Page): Promise<number> => {
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.locator('tbody tr').first().waitFor();
  return page.locator('tbody tr').count();
};
