/** The whole path of somebody with a spreadsheet: a file that cannot be read, one with mistakes, columns, price, start, results; and what may go wrong on it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { PASSWORD } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { checkOnly, choose, sayWhatFor, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();
const folder = mkdtempSync(join(tmpdir(), 'console-upload-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const customers = (count: number, bad = ''): string =>
  `Customer ref,National ID No,Notes\n${Array.from({ length: count }, (_, i) => `c-${i + 1},${40_000_000_000 + i * 7},ọ̀rẹ́`).join('\n')}\n${bad}`;

describe.skipIf(!chromiumIsHere)(chromiumNote('an upload in the console'), () => {
  test('takes one file that is dropped, no file that is dropped elsewhere, and none in place of one on its way without asking', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    /** Whether the page, and not the browser, decides what becomes of the files. */
    const drop = (on: string, ...names: string[]) =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        for (const name of ${JSON.stringify(names)}) dataTransfer.items.add(new File(['nin\\n40000000000\\n'], name));
        const event = (type) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
        const element = document.querySelector('${on}');
        return [event('dragover'), event('drop')].map((one) => !element.dispatchEvent(one))[0];
      })()`);
    await page.getByText('Drop a spreadsheet of customers here.').waitFor();
    expect(await drop('h1', 'a.csv')).toBe(true);
    await drop('.drop', 'a.csv', 'b.csv');
    await page.getByRole('alert').getByText('Choose one file at a time').waitFor();
    await drop('.drop', 'a.csv');
    await checkOnly(page, /^NIN basic/);
    const asked: string[] = [];
    page.on('dialog', (question) => {
      asked.push(question.message());
      void question.dismiss();
    });
    await page.route('**/api/v1/batches?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    await page.getByRole('region', { name: 'Sending' }).waitFor();
    await drop('.drop', 'c.csv');
    expect(asked).toEqual([expect.stringContaining('The file is still being sent.')]);
    await page.getByRole('heading', { name: 'Price', exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('from a wrong file to results, with nothing serious that axe finds on the way', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await choose(page, fileOf('photo.pdf', 'x'));
    await page.getByRole('alert').getByText('A .pdf file cannot be read').waitFor();
    await choose(page, fileOf('<img src=x> customers.csv', customers(60, 'c-bad,12,<script>alert(1)</script>\nc-twin,40000000000,\n')));
    await checkOnly(page, /^NIN basic/);
    await page.getByRole('heading', { name: /1 of 62 rows examined cannot be checked/ }).waitFor();
    await page.getByText('The first 6 rows are shown.').waitFor();
    await expectAccessible(page, 'a file that was chosen');
    await page.getByLabel('Name of the batch').fill('June customers');
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    await page.getByRole('heading', { name: 'Price', exact: true }).waitFor();
    await page.getByRole('cell', { name: '₦125.00', exact: true }).waitFor();
    await expectAccessible(page, 'the price');
    await sayWhatFor(page);
    const corrections = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save 1 row to correct' }).click();
    expect((await corrections).suggestedFilename()).toMatch(/-errors\.csv$/);
    await page.getByRole('button', { name: /^Start now for at most ₦/ }).click();
    await page.getByRole('heading', { name: 'June customers' }).waitFor();
    await page.locator('.head .state').getByText('Completed').waitFor();
    await page.getByRole('link', { name: 'c-1', exact: true }).click();
    await page.getByRole('heading', { name: /NIN basic, row 1/ }).waitFor();
    await page.getByRole('heading', { name: 'Submitted and found' }).waitFor();
    expect(await page.locator('main').textContent()).not.toContain('40000000000');
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await page.getByLabel('Why, in words').fill('The customer asks');
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('row', { name: /NIN 40000000000 40000000000 .*Agrees/ }).waitFor();
    await expectAccessible(page, 'a row');
    expectClean();
    await close();
  });

  test('by keyboard alone: a file, a column, the price, the start and the results, each step spoken once and the keyboard never lost', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await page.getByText('Drop a spreadsheet of customers here.').waitFor();
    await page.evaluate(`
      window.spoken = [];
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const text = target.parentElement?.closest('[aria-live]')?.textContent ?? '';
          if (text) spoken.push(text);
        }
      }).observe(document.body, { childList: true, characterData: true, subtree: true });`);
    const isFocused = (what: Locator) =>
      what.evaluateAll((elements) => elements.some((element) => element === element.ownerDocument.activeElement));
    const tabTo = async (what: Locator) => {
      for (let pressed = 0; pressed < 60; pressed++) {
        await page.keyboard.press('Tab');
        if (await isFocused(what)) return;
      }
      throw new Error(`The keyboard does not reach ${what}`);
    };
    const lostAt = () => page.evaluate('document.activeElement === document.body');
    const chooser = page.waitForEvent('filechooser');
    await tabTo(page.getByLabel('Choose a file'));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(fileOf('keyboard.csv', customers(200).replace('National ID No', 'col_x')));
    await page.getByRole('heading', { name: 'What to check' }).waitFor();
    await tabTo(page.getByRole('checkbox', { name: /^NIN basic/ }));
    await page.keyboard.press('Space');
    await page.getByLabel(/^Column for NIN/).waitFor();
    await tabTo(page.getByLabel(/^Column for NIN/));
    await page.keyboard.type('col_x');
    await page.getByRole('row', { name: /NIN.*Chosen/ }).waitFor();
    await tabTo(page.getByLabel('Name of the batch'));
    const let_: (() => void)[] = [];
    await page.route(/\/api\/v1\/batches\?/, async (route) => {
      await new Promise<void>((go) => let_.push(go));
      await route.continue();
    });
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    await tabTo(send);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Sending' }).waitFor();
    expect(await lostAt()).toBe(false);
    await tabTo(page.getByRole('button', { name: 'Stop' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused(send)).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => let_.length).toBe(2);
    let_[1]!();
    await expect.poll(() => isFocused(page.getByRole('heading', { name: 'Price', exact: true }))).toBe(true);
    await tabTo(page.getByRole('button', { name: /^Start now for at most/ }));
    await page.keyboard.press('Enter');
    await page.locator('.head .state').getByText('Completed').waitFor();
    expect(await lostAt()).toBe(false);
    await tabTo(page.getByRole('combobox', { name: 'Rows', exact: true }));
    await tabTo(page.getByRole('combobox', { name: 'What for' }));
    await page.keyboard.type('A customer');
    await tabTo(page.getByRole('button', { name: 'Download', exact: true }));
    const saved = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    await saved;
    const spoken = (await page.evaluate('spoken')) as string[];
    expect(spoken).toContain('The file has been read. What to check comes next.');
    expect(spoken.filter((text) => text.startsWith('Sending, 0'))).toHaveLength(2);
    expect(spoken.filter((text) => text.startsWith('Completed'))).toHaveLength(1);
    expect(spoken.length).toBeLessThan(30);
    expectClean();
    await close();
  });

  test('in live mode without vendors, checks that nobody answers are marked and not offered; a file without headings is warned about', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await page.getByText('Live', { exact: true }).click();
    await choose(page, fileOf('clean.csv', 'nin\n40000000000\n40000000007\n'));
    await page.getByText('None of the checks that are configured in live mode has all its columns').waitFor();
    const nin = page.getByRole('checkbox', { name: /^NIN basic – not configured/ });
    expect(await nin.isDisabled()).toBe(true);
    const warning = page.getByText('The first row looks like data, not like a heading: add a row of headings.');
    expect(await warning.count()).toBe(0);
    await choose(page, fileOf('bare.csv', '40000000000\n40000000007\n40000000014\n'));
    await warning.waitFor();
    expectClean();
    await close();
  });

  test('a column that may be an input and is left out is warned about before and after the upload', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await choose(page, fileOf('companies.csv', 'rc_number,type\n1432074,BUSINESS_NAME\n'));
    await checkOnly(page, /^CAC basic/);
    const warning = page.getByText('The column "type" is not read as company type.');
    const column = page.getByLabel('Column for Company type');
    await expect.poll(() => column.inputValue(), { timeout: 15_000 }).toBe('type');
    expect(await warning.count()).toBe(0);
    await column.selectOption('Not in the file');
    await warning.waitFor();
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    await page.getByRole('region', { name: 'Price' }).getByText('If it should be, discard this batch').waitFor();
    expect(await warning.count()).toBe(1);
    expectClean();
    await close();
  });

  test('a mapping that was corrected is proposed the next time; one that lacks a column cannot be sent', async () => {
    const app = await api.createApp();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    const file = fileOf('odd.csv', 'who,col_x\nA,40000000000\nB,40000000007\n');
    await choose(page, file);
    await checkOnly(page, /^NIN basic/);
    const column = page.getByLabel(/^Column for NIN/);
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    let look = () => {};
    const looked = new Promise<void>((resolve) => {
      look = resolve;
    });
    await page.route(/\/batches\/preview/, (route) => looked.then(() => route.continue()));
    await column.selectOption('col_x');
    // Until the file was looked at with this column, others may still change.
    await page.locator('button:disabled', { hasText: 'Send the file' }).waitFor();
    look();
    await page.getByRole('row', { name: /NIN.*Chosen/ }).waitFor();
    await send.press('Enter');
    await page.locator('h2:focus', { hasText: 'Price' }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    await page.getByText('Drop a spreadsheet').waitFor();
    await page.locator('input[type=file]:focus').waitFor({ state: 'attached' });
    await choose(page, file);
    await page.getByRole('row', { name: /NIN.*As last time/ }).waitFor();
    await close();
  });

  test('without money nothing is started, and it says so; a viewer is not offered to upload', async () => {
    const poor = await api.createApp({ naira: 0 });
    const { page, close } = await visitAs(api, chromium, poor, 'operator', 'upload');
    await choose(page, fileOf('poor.csv', customers(5)));
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    await page.getByRole('alert').getByText('This needs ₦625.00, and the wallet has ₦0.00: ₦625.00 is missing.').waitFor();
    await page.getByRole('alert').getByText('Nothing was started').waitFor();
    await close();
    const viewer = await visitAs(api, chromium, poor, 'viewer', 'upload');
    await viewer.page.getByText('Your role does not include this page').waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Upload' }).count()).toBe(0);
    await viewer.close();
  });

  test('a price above the app’s limit is handed to an approver, who starts it; an upload can be stopped', async () => {
    const app = await api.createApp({ settings: { approveStartAboveKobo: 100_00 } });
    const asker = await visitAs(api, chromium, app, 'operator', 'upload');
    const send = asker.page.getByRole('button', { name: 'Send the file and see the price' });
    await choose(asker.page, fileOf('above.csv', customers(5)));
    // Held back, so that there is something to stop.
    await asker.page.route(/\/api\/v1\/batches\?/, () => {});
    await send.click();
    await asker.page.getByRole('button', { name: 'Stop' }).click();
    await send.waitFor();
    await asker.page.unroute(/\/api\/v1\/batches\?/);
    await send.click();
    await asker.page.getByRole('button', { name: 'Ask for approval to start for at most ₦625.00' }).waitFor();
    await asker.page.getByRole('link', { name: 'Leave it for somebody else to start' }).click();
    await asker.page.getByRole('button', { name: 'Ask for approval to start for ₦625.00' }).click();
    await asker.page.getByText('A second person must approve the start.').waitFor();
    await asker.page.locator('.head .state').getByText('Waits for approval').waitFor();
    expect(await asker.page.getByRole('navigation').getByRole('link', { name: 'Approvals', exact: true }).count()).toBe(1);
    await asker.page.getByText('Waiting for a second person.').waitFor();
    expect(await asker.page.getByRole('button', { name: /^Start/ }).count()).toBe(0);
    const approver = await visitAs(api, chromium, app, 'approver', '');
    await approver.page.getByRole('row', { name: /Waits for approval/ }).waitFor();
    await approver.page.getByRole('link', { name: '1 request', exact: true }).waitFor();
    await approver.page.getByRole('link', { name: 'Approvals 1 waiting' }).click();
    await approver.page
      .getByRole('row', { name: /Start a batch above .*₦625\.00.*Ada Obi/ })
      .getByRole('button', { name: 'Approve' })
      .click();
    await approver.page.getByRole('dialog').getByRole('link', { name: 'above', exact: true }).waitFor();
    await approver.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await approver.page.getByText('Approved and done.').waitFor();
    await approver.page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
    await asker.page.locator('.head .state').getByText('Completed').waitFor();
    for (const { expectClean, close } of [asker, approver]) {
      expectClean();
      await close();
    }
  });

  test('a session that has ended is noticed by an upload, which is sent after signing in again', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await choose(page, { name: 'june.csv', mimeType: 'text/csv', buffer: Buffer.from('nin\n70123456789\n') });
    await checkOnly(page, /^NIN basic/);
    await page.waitForLoadState('networkidle');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.getByText('Your session had ended before this was done. Sign in, then do it again.').waitFor({ state: 'attached' });
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Your session had ended before this was done.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send the file and see the price' }).click();
    await page.getByRole('button', { name: /^Start now for at most/ }).waitFor();
    expectClean();
    await close();
  });

  test('an upload goes on until its person agrees to leave it: by Back, by another mode or app, or by signing out', async () => {
    const app = await api.createApp();
    const { page, email, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'batches');
    const other = await api.createApp();
    await api.admin.post('/api/v1/admin/people', { email, app: other.app, role: 'operator' });
    await api.service.sql`update app_people set accepted_at = now()`;
    await page.reload();
    await page.getByRole('link', { name: 'Upload', exact: true }).click();
    await choose(page, fileOf('long.csv', customers(5)));
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    await send.waitFor();
    await page.route(/\/api\/v1\/batches\?/, () => {});
    await send.click();
    const sending = page.getByRole('region', { name: 'Sending' });
    await sending.waitFor();
    const answers: boolean[] = [];
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return answers.shift() ? dialog.accept() : dialog.dismiss();
    });
    const mode = (name: string) => page.getByRole('radio', { name, exact: true });
    const apps = page.getByRole('combobox', { name: 'App', exact: true });
    await page.evaluate('history.back()');
    await expect.poll(() => asked.length).toBe(1);
    await expect.poll(() => page.url()).toBe(`${siteUrl(api)}/console/upload`);
    await page.getByText('Live', { exact: true }).click();
    expect(asked.length).toBe(2);
    expect([await mode('Test').isChecked(), await mode('Live').isChecked()]).toEqual([true, false]);
    await apps.selectOption(other.app);
    expect(asked.length).toBe(3);
    expect(await apps.inputValue()).toBe(app.app);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(asked.length).toBe(4);
    await sending.waitFor();
    expect(new Set(asked)).toEqual(new Set(['The file is still being sent. If you leave now, none of it is kept. Leave anyway?']));
    answers.push(true);
    await page.getByText('Live', { exact: true }).click();
    await sending.waitFor({ state: 'detached' });
    expect([await mode('Test').isChecked(), await mode('Live').isChecked()]).toEqual([false, true]);
    // Nothing is being sent any more.
    await page.evaluate('history.back()');
    await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
    expect(asked.length).toBe(5);
    expectClean();
    await close();
  });

  test('on a telephone, and with the connection cut while the file is sent', async () => {
    const app = await api.createApp();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    await page.setViewportSize({ width: 360, height: 740 });
    await choose(page, fileOf('phone.csv', customers(30)));
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    await send.waitFor();
    await page.route(/\/api\/v1\/batches\?/, (route) => route.abort('connectionreset'));
    await send.click();
    await page.getByRole('alert').getByText('The connection was lost while the file was sent').waitFor();
    expect((await app.get<{ data: unknown[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
    await page.unroute(/\/api\/v1\/batches\?/);
    await page.getByText('Connected again').waitFor();
    await send.click();
    await page.getByRole('button', { name: /^Start now/ }).click();
    await page.locator('.head .state').getByText('Completed').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await close();
  });

  test('columns are shown only as they are for the chosen checks, however slow the network is', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'upload');
    let go = () => {};
    const isLet = new Promise<void>((done) => (go = done));
    await page.route(/\/batches\/preview\?.*checks=/, (route) => isLet.then(() => route.continue()));
    await choose(page, {
      name: 'staff.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('customer name,nin,d.o.b\nAda Obi,40000000007,03/04/1985\n'),
    });
    await page.getByRole('checkbox', { name: /^NIN basic/ }).waitFor();
    await page.getByText('Matching the columns').waitFor();
    expect(await page.getByRole('heading', { name: 'Columns' }).count()).toBe(0);
    go();
    await page.getByRole('row', { name: /^NIN / }).waitFor();
    await page.getByRole('row', { name: /^Reference .*Results show it beside each row/ }).waitFor();
    expect(await page.getByRole('row', { name: /^Date of birth/ }).count()).toBe(0);
    expectClean();
    await close();
  });
});
