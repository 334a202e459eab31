/** Batches in the console: what runs is seen and steered, two tabs agree, and nothing is offered that a role may not do. */
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { registries } from '../../src/sandbox/registries.ts';
import { type Page, useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { PASSWORD } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

const rows = (count: number): string =>
  `customer ref,nin\n${Array.from({ length: count }, (_, i) => `c-${i + 1},${40_000_000_000 + i * 7}`).join('\n')}\n`;
const OPTIONS = 'checks=nin_basic&map.reference=customer%20ref';

describe.skipIf(!chromiumIsHere)(chromiumNote('a batch in the console'), () => {
  test('is started, paused, resumed and canceled, and a second tab sees the same', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    const { id } = (await app.csv(`${OPTIONS}&start=manual&reference=${encodeURIComponent('June <i>payroll</i>')}`, rows(5_000))).body
      .entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'batches');
    await page.getByRole('link', { name: 'June <i>payroll</i>' }).click();
    await page.getByRole('button', { name: /^Start for ₦/ }).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${siteUrl(api)}/console/batches/${id}`);
    await page.getByRole('button', { name: /^Start for ₦/ }).click();
    await second.getByRole('button', { name: 'Pause' }).click();
    // Resume takes its place, and the keyboard stays there.
    await second.getByRole('button', { name: 'Resume' }).waitFor();
    await expect.poll(() => second.evaluate('document.activeElement.textContent')).toBe('Resume');
    await page.getByRole('button', { name: 'Resume' }).click();
    await second.getByRole('button', { name: 'Cancel', exact: true }).click();
    await second.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await second.getByRole('button', { name: 'Cancel', exact: true }).click();
    await second.getByRole('button', { name: 'Cancel the batch' }).click();
    for (const tab of [page, second]) await tab.locator('.head .state').getByText('Canceled', { exact: true }).waitFor();
    expect((await app.get<{ status: string }>(`/api/v1/batches/${id}`)).body.entity.status).toBe('canceled');
    expectClean();
    await close();
  });

  test('finds one customer in all batches by the reference of a row', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    const submit = async (name: string, text: string) => {
      const { id } = (await app.csv(`${OPTIONS}&reference=${name}`, `customer ref,nin\n${text}\n`)).body.entity;
      await app.ended(`/api/v1/batches/${id}`);
    };
    await submit('March', 'c-1,70123456789\nc-2,70123456780');
    await submit('April', 'c-9,70123456781\nc-2,123');
    const job = { check: 'nin_basic', input: { nin: '70123456782' }, reference: 'c-2' };
    await app.ended(`/api/v1/jobs/${(await app.job(job)).body.entity.id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'batches');
    await page.getByRole('searchbox', { name: 'Reference' }).fill('c-2');
    await page.keyboard.press('Enter');
    const found = page.getByRole('region', { name: 'Rows with the reference “c-2”' });
    await found.getByRole('row', { name: /April.*row 2.*Invalid.*must be 11 digits/ }).waitFor();
    await found.getByRole('row', { name: /A single job.*Found/ }).waitFor();
    await page.reload();
    await found
      .getByRole('row', { name: /March.*row 2.*NIN basic.*Found/ })
      .getByRole('link', { name: 'March' })
      .click();
    await page.getByRole('heading', { name: 'March' }).waitFor();
    await page.getByRole('region', { name: 'The row with this reference' }).getByRole('cell', { name: 'c-2', exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('a batch whose rows are all invalid shows them', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=nin_basic', 'nin\n12\n34\n')).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', `batches/${id}`);
    const rows = page.getByRole('region', { name: 'Rows of the batch' });
    await rows.getByText('nin must be 11 digits').nth(1).waitFor();
    expectClean();
    await close();
  });

  test('what is wrong with an invalid row is read in full with the keyboard', async () => {
    const app = await api.createApp();
    const { id } = (
      await app.csv('checks=bvn_match', 'bvn,first_name,last_name,date_of_birth\n12,Ada,Obi,31-31-1990\n22222222222,Ada,Obi,1990-01-31\n')
    ).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', `batches/${id}?rows=invalid`);
    const note = page.getByRole('button', { name: /bvn must be 11 digits/ });
    await note.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'What is wrong with row 1' });
    await dialog.getByText('bvn must be 11 digits').waitFor();
    expect(await dialog.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toContain('bvn must be 11 digits');
    expectClean();
    await close();
  });

  test('says how many answers to look at, and shows them by themselves', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    const people = ['c-1,Chinyere Okwuosa,1990-02-03,NG', 'c-2,Musa Danjumare Balarabewa,1968-03-14,NG', 'c-3,Bola Adeyinka,1985-07-08,NG'];
    const { id } = (await app.csv('checks=aml_screening', `reference,name,date_of_birth,country\n${people.join('\n')}\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.getByRole('definition').getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('combobox', { name: 'Show' }).getByText('Flagged').waitFor({ state: 'attached' });
    await page.getByRole('row', { name: /c-2.*1 hit/ }).waitFor();
    expect(await page.getByRole('region', { name: 'Rows', exact: true }).getByRole('row').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('flagged');
    await sayWhatFor(page);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    expect((await saved).suggestedFilename()).toMatch(/csv$/);
    expectClean();
    await close();
  });

  test('shows its rows at any place and by outcome, and saves them as a file', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    const { id } = (await app.csv(OPTIONS, `${rows(1_000)}c-bad,12\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.getByRole('cell', { name: 'c-1', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Rows of the batch' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('row', { name: /1,001.*c-bad.*Invalid.*nin must be 11 digits/ }).waitFor();
    await page.keyboard.press('PageUp');
    await page.getByRole('link', { name: 'c-980', exact: true }).click();
    await page.getByRole('heading', { name: /c-980/ }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'c-980', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Reference of a row' }).fill('c-500');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'The row with this reference' }).getByRole('cell', { name: 'c-500', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'c-500', exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Reference of a row' }).fill('c-5000');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('heading', { name: 'No row of this batch has the reference “c-5000”.' }).waitFor();
    await page.getByRole('searchbox', { name: 'Reference of a row' }).fill('c-bad');
    await page.getByRole('button', { name: 'Find' }).click();
    const found = page.getByRole('region', { name: 'The row with this reference' });
    await found.getByRole('row', { name: /1,001.*c-bad.*Invalid.*nin must be 11 digits/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Reference of a row' }).fill('c-5000');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('button', { name: 'Show all rows' }).click();
    await page.getByRole('cell', { name: 'c-1', exact: true }).waitFor();
    await sayWhatFor(page);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await saved).suggestedFilename()).toBe(`${id}.csv`);
    const corrections = page.waitForEvent('download');
    await page.getByRole('button', { name: '1 row to correct' }).click();
    expect((await corrections).suggestedFilename()).toBe(`${id}-errors.csv`);
    const workbook = page.waitForEvent('download');
    await page.getByLabel('Rows to correct as').selectOption({ label: 'Excel' });
    await page.getByRole('button', { name: '1 row to correct' }).click();
    expect((await workbook).suggestedFilename()).toBe(`${id}-errors.xlsx`);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('invalid');
    await page.getByRole('row', { name: /1,001.*c-bad.*Invalid.*nin must be 11 digits/ }).waitFor();
    expect(await page.getByRole('cell', { name: 'c-1', exact: true }).count()).toBe(0);
    const unstarted = (await app.csv(`${OPTIONS}&start=manual`, `${rows(1)}c-bad,12\n`)).body.entity.id;
    await page.goto(`${siteUrl(api)}/console/batches/${unstarted}`);
    const early = page.waitForEvent('download');
    await page.getByRole('button', { name: '1 row to correct' }).click();
    expect((await early).suggestedFilename()).toBe(`${unstarted}-errors.csv`);
    expectClean();
    await close();
  });

  test('a download says what for: once in a tab, in sight each time, and the audit keeps it; the next person chooses anew', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    const { id } = (await app.csv(OPTIONS, `${rows(2)}c-bad,12\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', `batches/${id}`);
    const whatFor = page.getByLabel('What for');
    await page.getByRole('button', { name: 'Download' }).click();
    // The browser asks for it.
    expect(await whatFor.evaluate((field) => (field as unknown as { validity: { valid: boolean } }).validity.valid)).toBe(false);
    await sayWhatFor(page, 'A legal duty');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    await saved;
    await page.reload();
    const corrections = page.waitForEvent('download');
    await page.getByRole('button', { name: '1 row to correct' }).click();
    await corrections;
    const entries = (await app.get<{ data: { purpose: string }[] }>('/api/v1/audit?action=link.create')).body.entity.data;
    expect(entries.map(({ purpose }) => purpose)).toEqual(['legal', 'legal']);
    await page.getByRole('button', { name: 'Make a link' }).click();
    expect(await page.getByRole('dialog').getByLabel('What for').inputValue()).toBe('legal');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('What for').selectOption({ label: 'A legal duty' });
    await page.getByRole('button', { name: 'Find' }).click();
    await page
      .getByRole('row', { name: /Link made/ })
      .nth(1)
      .waitFor();
    expect(await page.getByRole('row', { name: /Batch submitted/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').waitFor();
    expect(await page.evaluate("sessionStorage.getItem('confam.purpose')")).toBe('');
    expectClean();
    await close();
  });

  test('rows that failed are seen by their filter and reason, and are tried again', async () => {
    const app = await api.createApp();
    // The registry is down for this number alone.
    const { id } = (await app.csv(`${OPTIONS}&reference=mine`, `${rows(20)}c-down,00000000003\nc-nobody,00000000001\nc-twin,00000000003\n`))
      .body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'batches?status=failed');
    await page.getByRole('heading', { name: 'No batch matches' }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('completed');
    await page.getByRole('link', { name: 'mine' }).click();
    const reasons = page.getByRole('region', { name: 'Why checks failed' });
    await reasons.getByRole('row', { name: /^The provider was asked and failed; nothing was charged\. 1 21$/ }).waitFor();
    await reasons.getByRole('link', { name: 'Show these rows' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('rows-shown');
    await page.getByRole('row', { name: /c-down.*Failed.*₦0\.00/ }).waitFor();
    await page.getByRole('row', { name: /c-twin.*Failed.*; Same as row 21/ }).waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('not_found');
    await page.getByRole('row', { name: /c-nobody.*Not found.*₦0\.00/ }).waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('failed');
    await page.getByRole('link', { name: 'c-down' }).click();
    await page.getByRole('alert').getByText('provider_failed').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Retry 1 failed' }).click();
    await page.getByText('The failed rows are being retried.').waitFor();
    await page
      .locator('.head .state')
      .getByText(/Queued|Running/)
      .waitFor();
    // One that failed for this very reason is what is tried again first of all.
    const stopped = (await app.csv(`${OPTIONS}&max_failure_percent=10`, 'customer ref,nin\nc-down,00000000003\n')).body.entity.id;
    await app.ended(`/api/v1/batches/${stopped}`);
    await page.goto(`${siteUrl(api)}/console/batches/${stopped}`);
    await page.getByText('More of its rows failed than the upload allowed.').waitFor();
    await page.getByRole('button', { name: 'Retry 1 failed' }).waitFor();
    expectClean();
    await close();
  });

  test('the page of a duplicate row waits with its original and shows its answer by itself; a canceled row says that it was canceled', async () => {
    const app = await api.createApp();
    const twins = 'customer ref,nin\nc-1,40000000007\nc-2,40000000007\n';
    const upload = async () => (await app.csv(`${OPTIONS}&start=manual`, twins)).body.entity.id;
    const duplicateOf = async (id: string) =>
      (await app.get<Page>(`/api/v1/batches/${id}/jobs`)).body.entity.data.find(({ status }) => status === 'duplicate')!.id;
    const id = await upload();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${await duplicateOf(id)}`);
    await page.getByRole('heading', { name: 'No answer yet' }).waitFor();
    expect(await page.getByRole('button', { name: 'Show in clear' }).count()).toBe(0);
    expect((await app.post(`/api/v1/batches/${id}/start`)).status).toBe(200);
    await page.locator('.head .state').getByText('Found', { exact: true }).waitFor();
    const canceled = await upload();
    expect((await app.post(`/api/v1/batches/${canceled}/cancel`)).status).toBeLessThan(300);
    await app.ended(`/api/v1/batches/${canceled}`);
    await page.goto(`${siteUrl(api)}/console/jobs/${await duplicateOf(canceled)}`);
    await page.getByRole('heading', { name: 'Canceled' }).waitFor();
    await page.getByRole('region', { name: 'Submitted', exact: true }).getByRole('row', { name: /^NIN/ }).waitFor();
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await page.getByRole('row', { name: 'NIN 40000000007' }).waitFor();
    await page.locator('.head .state').getByText('Canceled', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('a screening is told by its hits, in the table and on its own page, and the table fills by itself when the batch ends', async () => {
    const app = await api.createApp();
    const people = 'name,date_of_birth,country\nMusa Danjumare Balarabewa,1968-03-14,NG\nZzyx Qwertel,1990-01-01,NG\n';
    const { id } = (await app.csv('checks=aml_screening&start=manual', people)).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.getByRole('button', { name: /^Start for ₦/ }).click();
    await page.locator('.head .state').getByText('Completed', { exact: true }).waitFor();
    await page.locator('.key').getByText('Screened 2').waitFor();
    await page.getByRole('combobox', { name: 'Show' }).locator('option', { hasText: 'Screened' }).waitFor({ state: 'attached' });
    await page.locator('.state.bad').getByText('1 hit, critical').waitFor();
    await page.locator('.state.good').getByText('No hits').waitFor();
    expect(await page.getByRole('button', { name: 'Show new results' }).count()).toBe(0);
    await page.getByRole('link', { name: '1 hit, critical' }).click();
    await page.locator('.head .state.bad').getByText('1 hit, critical').waitFor();
    expectClean();
    await close();
  });

  test('one that is paused for funds says how much is missing, is offered to resume, and resumes by itself after a top-up', async () => {
    const app = await api.createApp({ naira: 250, settings: { partialRuns: true } });
    const { id } = (await app.csv(OPTIONS, rows(5))).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.getByText('Paused: ₦375.00 more is needed.').waitFor();
    await page.getByText(/^The 3 checks left cost up to ₦375\.00 more than is held .* the wallet has ₦0\.00\./).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('This needs ₦375.00, and the wallet has ₦0.00: ₦375.00 is missing.').waitFor();
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 375, mode: 'test' });
    await page.locator('.head .state').getByText('Completed', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('flagged rows are those that were flagged when they were answered, and a row whose hits are cleared since says so', async () => {
    const app = await api.createApp();
    const people = 'name,date_of_birth,country\nMusa Danjumare Balarabewa,1968-03-14,NG\n';
    const { id } = (await app.csv('checks=aml_screening', people)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const [job] = (await app.get<{ data: { id: string }[] }>(`/api/v1/batches/${id}/jobs`)).body.entity.data;
    const [hit] = (await app.get<{ result: { hits: { list: string; source_id: string }[] } }>(`/api/v1/jobs/${job!.id}`)).body.entity.result
      .hits;
    const { list, source_id } = hit!;
    expect(
      (await app.post('/api/v1/aml/clearances', { job: job!.id, list, source_id, reason: 'Born elsewhere', cleared_by: 'Ada Obi' })).status,
    ).toBe(201);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    const show = page.getByRole('combobox', { name: 'Show' });
    await show.selectOption({ label: 'Flagged when answered' });
    await page.getByText('A row whose hits have all been cleared since says so').waitFor();
    await page.locator('.state.good').getByText('1 hit, cleared').waitFor();
    await page.getByRole('combobox', { name: 'Rows' }).getByText('Flagged when answered (1)').waitFor({ state: 'attached' });
    expectClean();
    await close();
  });

  test('a portrait and a signature that were found are shown as pictures, once the row is shown in clear', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'nin_advance', input: { nin: '70123456789' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    for (const name of ['Photo', 'Signature']) {
      await page.getByRole('row', { name }).getByRole('img', { name }).waitFor();
      expect(await page.evaluate(`document.querySelector('img[alt="${name}"]').naturalWidth`), name).toBeGreaterThan(0);
    }
    await expectAccessible(page, 'a row with pictures');
    expectClean();
    await close();
  });

  test('a match says in the table and on its own page what differs, masked and in clear', async () => {
    const app = await api.createApp();
    const bvn = '22345678907';
    const { last_name, date_of_birth } = registries.bvn!.record(bvn) as Record<string, string>;
    const people = `bvn,first_name,last_name,dob\n${bvn},Zzyx,${last_name},${date_of_birth}\n${bvn},,${last_name},${date_of_birth}\n`;
    const { id } = (await app.csv('checks=bvn_match', people)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.locator('.state.good').getByText('All agree').waitFor();
    await page.getByRole('link', { name: '1 of 3 differs' }).click();
    await page.locator('.head .state.warn').getByText('1 of 3 differs').waitFor();
    const fields = page.getByRole('region', { name: 'Submitted and compared' });
    await fields.getByRole('row', { name: /^First name Z••• .*Differs \(\d+ of 100\)/ }).waitFor();
    await fields.getByRole('row', { name: /^Last name .••• .*Agrees$/ }).waitFor();
    await fields.getByRole('row', { name: /^Date of birth .*Agrees$/ }).waitFor();
    expect(await fields.locator('details').count()).toBe(0);
    await page.getByRole('button', { name: 'Show in clear' }).click();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('dialog').getByRole('button', { name: 'Show in clear' }).click();
    await fields.getByRole('row', { name: /^First name Zzyx .*Differs/ }).waitFor();
    expectClean();
    await close();
  });

  test('a canceled batch says how many checks were made and canceled, not that all is done', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv(`${OPTIONS}&start=manual&reference=stopped`, rows(3))).body.entity;
    await app.post(`/api/v1/batches/${id}/cancel`);
    await app.ended(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'batches');
    await page.getByRole('row', { name: /stopped.*Canceled.*0 of 3/ }).waitFor();
    await page.getByRole('link', { name: 'stopped' }).click();
    await page.getByText('of 3 checks, 3 canceled').waitFor();
    await page.getByRole('status').getByText('Canceled, 0 checks done, 3 canceled').waitFor({ state: 'attached' });
    expect(await page.locator('main').textContent()).not.toContain('100 %');
    expectClean();
    await close();
  });

  test('a link that works is in sight however many downloads came after it, and while links cannot be read it does not say that there is none', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv(OPTIONS, rows(3))).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { page, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    const links = page.getByRole('region', { name: 'Links for people without an account' });
    await links.getByText('No active links.').waitFor();
    await app.post(`/api/v1/batches/${id}/links`, { format: 'csv' });
    await api.service.sql`
      insert into links (id, app_id, live, batch_id, key_id, created_at, expires_at)
      select overlay(l.id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, l.app_id, l.live, l.batch_id, l.key_id, now() - interval '2 minutes', now() - interval '1 minute'
      from links l, generate_series(1, 60) n where l.batch_id = ${parseId('bat', id)}`;
    await api.service
      .sql`update links set id = overlay(id::text placing '000000000000' from 25)::uuid where expires_at > now() and batch_id = ${parseId('bat', id)}`;
    await page.reload();
    await links.getByRole('button', { name: /^End/ }).waitFor();
    expect(await links.getByRole('button', { name: /^End/ }).count()).toBe(1);
    await page.route('**/links?*', (route) => route.fulfill({ status: 503, json: { code: 'unavailable', error: 'Not now' } }));
    await page.reload();
    await links.getByText('Not now').waitFor();
    expect(await links.getByText('No active links.').count()).toBe(0);
    await close();
  });

  test('a viewer is offered nothing that changes or reveals, and the API refuses it', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    const { id } = (await app.csv(`${OPTIONS}&start=manual`, rows(3))).body.entity;
    const { page, close } = await visitAs(api, chromium, app, 'viewer', `batches/${id}`);
    await page.getByText('Not started').first().waitFor();
    expect(await page.getByRole('button', { name: /Start|Cancel|Download/ }).count()).toBe(0);
    const refused = await page.evaluate(
      `fetch('../api/v1/batches/${id}/start', { method: 'POST', headers: { AppId: '${app.app}' } }).then(({ status }) => status)`,
    );
    expect(refused).toBe(403);
    await close();
  });

  test('a session that ends hides the page and asks to sign in again, in every tab, and each goes on where it was', async () => {
    const app = await api.createApp({ naira: 5_000_000 });
    await app.csv(`${OPTIONS}&start=manual&reference=mine`, rows(3));
    const { page, close } = await visitAs(api, chromium, app, 'owner', 'batches');
    await page.getByRole('link', { name: 'mine' }).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${siteUrl(api)}/console/keys`);
    await second.getByRole('button', { name: 'New key' }).first().click();
    await second.getByLabel('Name', { exact: true }).fill('Not sent yet');
    await page.context().clearCookies();
    await second.getByRole('button', { name: 'Make the key' }).click();
    const other = second.getByRole('dialog', { name: 'Your session has ended' });
    await other.waitFor();
    const ended = second.getByText('Your session had ended before this was done.');
    await ended.waitFor({ state: 'attached' });
    for (let presses = 0; presses < 3; presses++) await second.keyboard.press('Escape');
    await other.waitFor();
    // The browser may do this at a single Escape.
    await second.evaluate("for (const one of document.querySelectorAll('dialog')) one.close()");
    await other.waitFor();
    expect(await second.getByLabel('Name', { exact: true }).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'mine' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    for (const name of ['mine', 'Batches']) expect(await page.getByText(name, { exact: true }).first().isVisible()).toBe(false);
    await dialog.getByLabel('Password').fill(PASSWORD);
    const isReadAgain = second.waitForRequest('**/api/v1/keys*');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'mine' }).waitFor();
    await page.getByRole('button', { name: /^Start for ₦/ }).waitFor();
    await other.waitFor({ state: 'detached' });
    await isReadAgain;
    await ended.waitFor({ state: 'detached' });
    expect(await second.getByLabel('Name', { exact: true }).inputValue()).toBe('Not sent yet');
    await second.getByRole('button', { name: 'Make the key' }).click();
    await second.getByText('It is shown only once').waitFor();
    // Events that are refused for a while are no lost connection.
    await page.route('**/events', (route) => route.fulfill({ status: 503, json: { code: 'overloaded', error: 'Too much to do' } }));
    await Promise.all([page.waitForResponse('**/events'), page.reload()]);
    await page.waitForTimeout(200);
    expect(await page.getByText('The connection to Confam is lost.').count()).toBe(0);
    await close();
  });
});
