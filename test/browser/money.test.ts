/** The charges of batches in the console: a line for each batch, check and price, which opens into the rows behind it. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();
const OPTIONS = 'checks=nin_basic&map.reference=customer';

/** Customers `from` to `to`, each with a NIN of their own. */
const rows = (from: number, to: number): string =>
  `customer,nin\n${Array.from({ length: to - from + 1 }, (_, i) => `c-${from + i},${40_000_000_000 + (from + i) * 7}`).join('\n')}\n`;

const lines = (page: Page) => page.getByRole('region', { name: 'Charges by batch' });

describe.skipIf(!chromiumIsHere)(chromiumNote('the charges of batches'), () => {
  test('open into their rows by the keyboard, a page at a time, and add up to them', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const submit = async (reference: string, csv: string) => {
      const { id } = (await app.csv(`${OPTIONS}&reference=${encodeURIComponent(reference)}`, csv)).body.entity;
      await app.ended(`/api/v1/batches/${id}`);
      return id;
    };
    const may = await submit('May <i>customers</i>', rows(1, 30));
    const june = await submit('June customers', `${rows(1, 450)}c-nobody,00000000001\n`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'money/batches');
    const pages: string[] = [];
    page.on('request', (request) => {
      if (/\/batches\/bat_\w+\/jobs/.test(request.url())) pages.push(new URL(request.url()).search);
    });

    // Newest batch first. Thirty of June's customers were known from May, for less.
    await lines(page).getByRole('row').nth(3).waitFor();
    const shown = await lines(page)
      .getByRole('row')
      .evaluateAll((found) => found.slice(1).map((row) => row.textContent));
    expect(shown).toEqual([
      expect.stringMatching(/June customers.*NIN basic.* WAT30₦50\.00₦1,500\.00/),
      expect.stringMatching(/June customers.*NIN basic.* WAT420₦125\.00₦52,500\.00/),
      expect.stringMatching(/May <i>customers<\/i>.*NIN basic.* WAT30₦125\.00₦3,750\.00/),
    ]);
    await expectAccessible(page, 'charges by batch');
    expect(pages).toEqual([]);

    const line = page.getByRole('button', { name: 'June customers (NIN basic at ₦125.00)' });
    await line.focus();
    await page.keyboard.press('Enter');
    const opened = page.getByRole('region', { name: 'Rows charged: June customers, NIN basic at ₦125.00' });
    await opened.getByRole('link', { name: 'c-31', exact: true }).waitFor();
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await expectAccessible(page, 'charges by batch, a line opened');
    expect(pages).toHaveLength(1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Open the batch');
    await page.keyboard.press('Tab');
    const last = opened.getByRole('link', { name: 'c-450', exact: true });
    const atEnd = async () => {
      await page.keyboard.press('End');
      return last.count();
    };
    await expect.poll(atEnd, { timeout: 20_000 }).toBe(1);
    expect(pages).toHaveLength(3);
    expect(new Set(pages.map((query) => new URLSearchParams(query).get('billed')))).toEqual(new Set(['125']));
    expect(await opened.getByRole('table').getAttribute('aria-rowcount')).toBe('421');
    await last.click();
    await page.waitForURL(/\/console\/jobs\/job_\w+$/);
    await page.goBack();

    // The others cost less, and say why.
    const cheaper = page.getByRole('button', { name: 'June customers (NIN basic at ₦50.00)' });
    await cheaper.click();
    const cached = page.getByRole('region', { name: 'Rows charged: June customers, NIN basic at ₦50.00' });
    await cached.getByRole('row', { name: '1 c-1 ₦50.00 Cached', exact: true }).waitFor();
    await cheaper.press('Space');
    await cached.waitFor({ state: 'detached' });

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('charges.csv');
    const csv = readFileSync((await file.path())!, 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(csv.slice(1).map((one) => one.split(',')[0])).toEqual([june, june, may]);

    await page.getByRole('combobox', { name: 'Month' }).selectOption({ index: 2 });
    await page.getByRole('heading', { name: /^No batch submitted in \w+ \d{4} was charged$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Month' }).selectOption({ index: 1 });
    await lines(page).getByRole('row').nth(3).waitFor();
    expect(new URL(page.url()).searchParams.get('month')).toBe(new Date().toISOString().slice(0, 7));
    expectClean();
    await close();
  });

  test('stay when a batch is deleted, and the line says that its rows are gone', async () => {
    const app = await api.createApp({ naira: 10_000 });
    const { id } = (await app.csv(`${OPTIONS}&reference=Gone`, rows(1_001, 1_003))).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'money/batches');
    await page.getByRole('button', { name: 'Gone (NIN basic at ₦125.00)' }).waitFor();
    expect((await app.send('DELETE', `/api/v1/batches/${id}`)).status).toBe(202);
    await page.goto(`${siteUrl(api)}/console/money/batches`);
    await page.getByRole('button', { name: new RegExp(`Batch …${id.slice(-8)} .NIN basic`) }).click();
    await page.getByRole('heading', { name: 'The batch was deleted: its rows and results are gone.' }).waitFor();
    await lines(page).getByText('₦375.00').waitFor();
    expectClean();
    await close();
  });
});
