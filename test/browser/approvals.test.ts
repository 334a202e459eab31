/** What needs a second person in the console: what waits is never mistaken for what was asked for, and approvers see all that they approve. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JobEntity, useApi } from '../setup/api.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { visitAs } from '../setup/console.ts';

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
    await page.getByText('A second person must approve this first.').waitFor();
    expect(downloads).toEqual([]);
    const approver = await visitAs(api, chromium, app, 'approver', 'approvals');
    await approver.page.getByRole('button', { name: 'Approve See a job in clear' }).click();
    await approver.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await approver.page.getByText('Approved and done.').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as PDF' }).click();
    expect(readFileSync(await (await saved).path(), 'latin1')).toMatch(/^%PDF-/);
    for (const { expectClean: expectOther, close: closeOther } of [{ expectClean, close }, approver]) {
      expectOther();
      await closeOther();
    }
  });
});
