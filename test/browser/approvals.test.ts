/** Approvals in the console: a request that waits never looks done, and approvers see everything that they approve. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JobEntity, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

describe.skipIf(!chromiumIsHere)(chromiumNote('approvals in the console'), () => {
  test('a report is saved as a PDF once it is approved, and until then the page says what it waits for', async () => {
    const app = await api.createApp({ settings: { approveReveal: true } });
    const { id } = (await app.job({ check: 'aml_screening', input: { name: 'Gleb Voronetzky' } })).body.entity;
    await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    const downloads: string[] = [];
    page.on('download', (download) => downloads.push(download.suggestedFilename()));
    await page.getByRole('button', { name: 'Save as PDF' }).click();
    await sayWhatFor(page.getByRole('dialog'));
    await page.getByRole('button', { name: 'Save the file' }).click();
    await page.getByText('A second person must approve this first.').waitFor();
    expect(downloads).toEqual([]);
    const approver = await visitAs(api, chromium, app, 'approver', 'approvals');
    await approver.page.getByRole('button', { name: 'Approve See a job in clear' }).click();
    await approver.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await approver.page.getByText('Approved and done.').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as PDF' }).click();
    await page.getByRole('button', { name: 'Save the file' }).click();
    expect(readFileSync(await (await saved).path(), 'latin1')).toMatch(/^%PDF-/);
    for (const { expectClean: expectOther, close: closeOther } of [{ expectClean, close }, approver]) {
      expectOther();
      await closeOther();
    }
  });

  test('whoever approves sees every term of what is asked for', async () => {
    const app = await api.createApp({ settings: { approveReveal: true, approveExport: true, emailBreaches: false } });
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { browser } = await signedInAs(api, app, 'owner');
    const settings = { outside: { email_breaches: true }, second_factor_required: false };
    expect((await browser.send('PATCH', '/api/v1/settings', settings)).status).toBe(202);
    expect((await browser.post(`/api/v1/jobs/${id}/reveal`, { purpose: 'complaint' })).status).toBe(202);
    const batch = (await app.csv('checks=nin_basic', 'nin\n70123456789\n')).body.entity.id;
    await app.ended(`/api/v1/batches/${batch}`);
    expect((await browser.post(`/api/v1/batches/${batch}/links`, { format: 'csv', expires_in_seconds: 7200 })).status).toBe(202);
    const operator = await visitAs(api, chromium, app, 'operator', `batches/${batch}`);
    await sayWhatFor(operator.page);
    await operator.page.getByRole('button', { name: 'Download' }).click();
    await operator.page.getByText('A second person must approve this first.').waitFor();
    await operator.close();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'approver', 'approvals');
    await page
      .getByRole('row', { name: /Loosen settings.*A second factor is not required.*Addresses are sent to Have I Been Pwned/ })
      .waitFor();
    await page.getByRole('row', { name: /See a job in clear.*For: A complaint/ }).waitFor();
    await page.getByRole('row', { name: /Export data.*Public link to the results.*Anybody who has the link.*for 2 h/ }).waitFor();
    await page.getByRole('row', { name: /Export data.*Download of the results/ }).waitFor();
    expect(await page.getByText(/for 1 min/).count()).toBe(0);
    await page.getByRole('button', { name: 'Approve Loosen settings' }).click();
    await page.getByRole('dialog').getByText('Addresses are sent to Have I Been Pwned to find breaches').waitFor();
    expectClean();
    await close();
  });

  test('a start whose batch is canceled while the approver looks at it is not done, and is told so as a failure', async () => {
    const app = await api.createApp({ settings: { approveStartAboveKobo: 0 } });
    const { id } = (await app.csv('checks=nin_basic', 'nin\n70123456789\n')).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'approver', 'approvals');
    await page.getByRole('button', { name: 'Approve Start a batch' }).click();
    await app.post(`/api/v1/batches/${id}/cancel`);
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').getByText('This request was already decided').waitFor();
    await page.goto(`${siteUrl(api)}/console/approvals?status=void`);
    await page.getByRole('row', { name: /Start a batch.*No longer valid/ }).waitFor();
    expectClean();
    await close();
  });

  test('an operator withdraws what they have asked for, and is not offered to decide what others ask', async () => {
    const app = await api.createApp({ settings: { approveStartAboveKobo: 0 } });
    await app.csv('checks=nin_basic', 'nin\n70123456789\n');
    const { id } = (await app.csv('checks=nin_basic&start=manual&reference=Mine', 'nin\n70123456789\n')).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.getByRole('button', { name: 'Ask for approval to start' }).click();
    await page.getByText('A second person must approve the start.').waitFor();
    await page.goto(`${siteUrl(api)}/console/approvals`);
    await page.getByRole('row', { name: /Mine.*An approver decides.*Withdraw/ }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'An approver decides' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Withdraw Start a batch' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Wrong file');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Withdrawn.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Withdraw|Approve|Decline/ }).count()).toBe(0);
    expectClean();
    await close();
  });

  test('an owner who saves settings leaves alone what another has changed meanwhile', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'approvals');
    const downloads = page.getByLabel('Downloading results or rows to correct');
    await downloads.check();
    const { browser } = await signedInAs(api, app, 'owner');
    expect((await browser.send('PATCH', '/api/v1/settings', { reveal_needs_reason: true })).status).toBe(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It applies from now on.').waitFor();
    expect((await app.get('/api/v1/settings')).body.entity).toMatchObject({
      approvals: { export: true, reveal: false },
      reveal_needs_reason: true,
    });
    expect(await page.getByLabel('A reason, to see a job in clear').isChecked()).toBe(true);
    expectClean();
    await close();
  });

  test('a request that somebody else has decided, and a key that somebody else has revoked, are gone once the form that says so is closed', async () => {
    const app = await api.createApp({ settings: { approveReveal: true } });
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { browser } = await signedInAs(api, app, 'operator');
    const asked = (await browser.post<{ id: string }>(`/api/v1/jobs/${id}/reveal`, { purpose: 'complaint' })).body.entity;
    const { page, close } = await visitAs(api, chromium, app, 'owner', 'approvals');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Approve See a job in clear' }).click();
    const other = (await signedInAs(api, app, 'approver')).browser;
    expect((await other.post(`/api/v1/approvals/${asked.id}/decline`, { reason: 'By mistake' })).status).toBe(200);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByText('This request was already decided').waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Nothing is waiting').waitFor();
    const key = (await app.post<{ id: string }>('/api/v1/keys', { name: 'Nightly' })).body.entity;
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Change Nightly' }).click();
    await app.post(`/api/v1/keys/${key.id}/revoke`);
    await dialog.getByLabel('Name').fill('Weekly');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The key has expired, or was revoked or rotated.').waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Change Nightly' }).waitFor({ state: 'detached' });
    await close();
  });
});
