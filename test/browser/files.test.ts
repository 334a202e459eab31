/** Uploads by every kind of person and of every kind of file: by keyboard alone, by touch, hostile names, odd and broken files, files that change, tabs that close. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { useApi } from '../setup/api.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { checkOnly, choose, sayWhatFor, visitAs } from '../setup/console.ts';
import { waitFor } from '../setup/database.ts';
import { xlsx } from '../setup/xlsx.ts';
import { archive } from '../setup/zip.ts';

const api = useApi();
const chromium = useChromium();
const folder = mkdtempSync(join(tmpdir(), 'console-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CSV = 'text/csv';
const customers = (count: number): string =>
  `Customer ref,National ID No\n${Array.from({ length: count }, (_, i) => `c-${i + 1},${40_000_000_000 + i * 7}`).join('\n')}\n`;
const fileOf = (name: string, content: string | Buffer, mimeType = CSV) => ({ name, mimeType, buffer: Buffer.from(content) });
const SEND = 'Send the file and see the price';

/** Presses Tab until the focus is on what has this name, which must be seen to have it. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    const { label, isShown } = (await page.evaluate(`(() => {
      const at = document.activeElement;
      const marked = at.matches('.unseen') ? at.previousElementSibling : at;
      const { outlineStyle, outlineWidth } = getComputedStyle(marked);
      return {
        label: at.getAttribute('aria-label') ?? (at.labels?.length ? at.labels[0].textContent : at.textContent),
        isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1,
      };
    })()`)) as { label: string; isShown: boolean };
    seen.push(label.trim().slice(0, 40));
    if (typeof name === 'string' ? label.trim() !== name : !name.test(label)) continue;
    expect(isShown, `the focus on ${label} is seen`).toBe(true);
    return;
  }
  throw new Error(`the keyboard does not reach ${name}; it reaches ${[...new Set(seen)].join(', ')}`);
}

describe.skipIf(!chromiumIsHere)(chromiumNote('files in the console'), () => {
  test('by the keyboard alone, from the first page to a row in clear', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', '');
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await tabTo(page, 'Upload');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Upload', exact: true }).waitFor();
    const chooser = page.waitForEvent('filechooser');
    await tabTo(page, 'Choose a file');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(fileOf('keys.csv', customers(40)));
    await page.getByRole('heading', { name: 'What to check' }).waitFor();
    await page.getByRole('button', { name: SEND }).waitFor();
    await tabTo(page, /^Column for NIN$/);
    await page.keyboard.press('ArrowUp');
    await page.getByRole('row', { name: /^NIN .*Chosen/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.getByLabel('Column for NIN', { exact: true }).inputValue()).toBe('National ID No');
    await tabTo(page, SEND);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Price', exact: true }).waitFor();
    await tabTo(page, /^Start now/);
    await page.keyboard.press('Enter');
    await page.locator('.head .state').getByText('Completed').waitFor();
    await tabTo(page, 'Rows of the batch');
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'c-40', exact: true }).waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: 'c-1', exact: true }).waitFor();
    await tabTo(page, 'c-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /row 1/ }).waitFor();
    await tabTo(page, 'Show in clear');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The keyboard is where it was before the dialog.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Show in clear');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('What for').press('ArrowDown');
    await tabTo(page, 'Show in clear');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '40000000000' }).first().waitFor();
    expectClean();
    await close();
  });

  test('on a telephone, by touch', async () => {
    const app = await api.createApp();
    const touch = { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } };
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', '', touch);
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Upload' }).tap();
    const chooser = page.waitForEvent('filechooser');
    await page.getByText('Choose a file').tap();
    await (await chooser).setFiles(fileOf('touch.csv', customers(60)));
    await page.getByRole('button', { name: SEND }).tap();
    await page.getByRole('button', { name: /^Start now/ }).tap();
    await page.locator('.head .state').getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'c-1', exact: true }).tap();
    await page.getByRole('button', { name: 'Show in clear' }).tap();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).tap();
    await page.getByRole('cell', { name: '40000000000' }).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    // What is tapped is large enough for a finger (WCAG 2.2, 2.5.8).
    const small = await page.evaluate(`[...document.querySelectorAll('button, .button, select, summary, .nav a')]
      .map((one) => [one.textContent || one.name, one.getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 1 && (width < 24 || height < 24))
      .map(([name, { width, height }]) => name + ' ' + width + ' × ' + height)`);
    expect(small).toEqual([]);
    expectClean();
    await close();
  });

  test('a workbook of 200 columns is read, mapped and fits every screen', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    const heads = Array.from({ length: 200 }, (_, at) =>
      at === 137 ? 'National ID No' : at === 3 ? 'Customer ref' : `Question ${at + 1} of the survey`,
    );
    const row = (n: number) => heads.map((_, at) => (at === 137 ? String(40_000_000_000 + n * 7) : at === 3 ? `c-${n}` : `answer ${at}`));
    const buffer = await xlsx(heads, ...Array.from({ length: 30 }, (_, n) => row(n)));
    await choose(page, { name: 'wide.xlsx', mimeType: 'application/octet-stream', buffer });
    await page.getByText('200 columns').waitFor();
    await checkOnly(page, /^NIN basic/);
    expect(await page.getByLabel('Column for NIN', { exact: true }).inputValue()).toBe('National ID No');
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} px`).toBeLessThanOrEqual(width);
    }
    await page.getByRole('button', { name: SEND }).click();
    await page.getByRole('button', { name: /^Start now/ }).click();
    await page.locator('.head .state').getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'c-0', exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('of a large file only the beginning is sent to be looked at, and lines from all of it for an estimate', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    const sent: Record<'preview' | 'quote', number[]> = { preview: [], quote: [] };
    page.on('requestfinished', async (request) => {
      const [, what] = /\/api\/v1\/batches\/(preview|quote)/.exec(request.url()) ?? [];
      if (what) sent[what as keyof typeof sent].push(Number(await request.headerValue('content-length')));
    });
    // Long cells make the file large and keep its rows few.
    const note = 'x'.repeat(20_000);
    const rows = Array.from({ length: 1_050 }, (_, i) => `c-${i},${50_000_000_000 + i * 7},${note}`);
    const csv = Buffer.from(`reference,nin,note\n${rows.join('\n')}\nlast,12,${note}\n`);
    await choose(page, { name: 'large.csv', mimeType: 'text/csv', buffer: csv });
    await page.getByText(/first \d+ rows examined/).waitFor();
    await checkOnly(page, /^NIN basic/);
    await page.getByText('Only the beginning has been read.').waitFor();
    expect(Math.max(...sent.preview)).toBe(256 * 1024);
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    await page.getByText(/^Likely about ₦1\d\d,\d{3}\.\d\d/).waitFor();
    await page.getByText('1 row cannot be checked.').waitFor();
    expect(sent.quote.length).toBe(1);
    expect(sent.quote[0]).toBeGreaterThan(1_000_000);
    expect(sent.quote[0]).toBeLessThan(csv.length / 4);
    await close();
  });

  test('files that cannot be read say so in words', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const zip = archive([{ name: 'notes.docx', content: 'x' }]);
    const files: [ReturnType<typeof fileOf>, RegExp][] = [
      [fileOf('old.xls', png), /Save the spreadsheet as XLSX or CSV/],
      [fileOf('empty.csv', ''), /The file is empty/],
      [fileOf('customers', customers(3)), /This file cannot be read/],
      [fileOf('photo.csv', Buffer.concat([png, Buffer.alloc(500, 7)])), /neither UTF-8 nor UTF-16 text\. Save the file as UTF-8 text/],
      [fileOf('secret.xlsx', Buffer.from('d0cf11e0a1b11ae1', 'hex')), /is password-protected\. Save it as XLSX or CSV, without a password/],
      [fileOf('letters.zip', zip), /The archive has no manifest\.csv at its root/],
      [fileOf('half.json', '[{"nin": "40000000000"}, {'), /The document is not valid JSON/],
      [fileOf('letter.docx', zip), /A \.docx file cannot be read\. Choose CSV, Excel/],
    ];
    for (const [file, told] of files) {
      await choose(page, file);
      const alert = page.getByRole('alert').filter({ hasText: told, visible: true }).first();
      await alert.waitFor();
      const text = (await alert.textContent())!;
      expect(text, file.name).not.toMatch(/fault of|undefined|null|Error|unexpected token/i);
      expect(await page.getByRole('button', { name: SEND }).count(), `${file.name}: ${text}`).toBe(0);
    }
    expectClean();
    await close();
  });

  test('a file that another program changes meanwhile is refused, and sent once it is chosen again', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    const path = join(folder, 'changing.csv');
    writeFileSync(path, customers(30));
    await choose(page, path);
    const send = page.getByRole('button', { name: SEND });
    await send.waitFor();
    writeFileSync(path, customers(31));
    utimesSync(path, new Date(), new Date(Date.now() + 5_000));
    await send.click();
    await page.getByRole('alert').getByText('The file has changed since you chose it.').waitFor();
    expect((await app.get<{ data: unknown[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
    await choose(page, path);
    await send.click();
    await page.getByRole('button', { name: /^Start now/ }).waitFor();
    const { data } = (await app.get<{ data: { counts: { rows: number } }[] }>('/api/v1/batches')).body.entity;
    expect(data.map(({ counts }) => counts.rows)).toEqual([31]);
    expectClean();
    await close();
  });

  test('closing the tab while a file is sent leaves nothing', async () => {
    const app = await api.createApp();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    const uploads = async () =>
      (await api.service.sql`select 1 from idempotency_keys where app_id = ${parseId('app', app.app)} and status is null`).length;
    const path = join(folder, 'long.csv');
    writeFileSync(path, customers(400_000));
    await choose(page, path);
    await page.getByRole('button', { name: SEND }).waitFor();
    // Slow enough to be under way for most of a minute, however busy the machine is.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 150_000,
    });
    await page.getByRole('button', { name: SEND }).click();
    await page.getByText(/^Sending long\.csv: [1-9]\d* %/).waitFor();
    expect(await uploads()).toBe(1);
    // The browser asks first, as the page would lose what it has sent.
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await waitFor('the upload to be gone', async () => (await uploads()) === 0);
    expect((await app.get<{ data: unknown[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
    await close();
  });
});
