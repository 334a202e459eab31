/** A person's data on the page of privacy: found and saved as a file, erased after a typed confirmation, with a receipt; and what others are offered. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type BatchEntity, useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs } from '../setup/console.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
const chromium = useChromium();

describe.skipIf(!chromiumIsHere)(chromiumNote("a person's data in the console"), () => {
  test('is found, saved and erased, and the receipt stands', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const [nin, stranger] = [freshNin(), freshNin()];
    const { id } = (await app.csv('checks=nin_basic', `reference,nin\nc-1,${nin}\nc-2,${stranger}\nc-3,12\n`)).body.entity;
    await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'privacy');
    await page.getByText('No requests yet').waitFor();

    await page.getByRole('button', { name: 'Find everything about a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('NIN', { exact: true }).fill('12');
    await dialog.getByRole('button', { name: 'Find it' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/11 digits/)
      .waitFor();
    await dialog.getByLabel('NIN', { exact: true }).fill(`${nin.slice(0, 3)} ${nin.slice(3, 7)}-${nin.slice(7)}`);
    await dialog.getByRole('button', { name: 'Add another' }).click();
    await dialog.getByLabel(/^By.*\(2\)/).selectOption('passport');
    await dialog.getByLabel('Passport number').fill('12');
    await dialog.getByRole('button', { name: 'Find it' }).click();
    await dialog.getByRole('alert').getByText('Passport number must be a letter and 8 or 9 digits').waitFor();
    await dialog.getByLabel(/^By.*\(2\)/).selectOption('person');
    await dialog.getByLabel('Full name, as it was screened').fill('Ada Obi');
    await dialog.getByLabel('Born').fill('1990-02-01');
    await expectAccessible(page, 'a person to find');
    await dialog.getByLabel('Why, in words').fill('A letter of 3 May');
    await dialog.getByRole('button', { name: 'Find it' }).click();
    const found = page.getByRole('row', { name: /Export.*Ready.*1 row/ });
    await found.waitFor();
    const saved = page.waitForEvent('download');
    await found.getByRole('button', { name: 'Download' }).click();
    await dialog.getByRole('button', { name: 'Save the file' }).click();
    const text = readFileSync((await (await saved).path())!, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ reason: 'A letter of 3 May', rows: [{ row: 1 }] });
    expect(text).not.toContain(stranger);

    await found.getByRole('button', { name: 'Show places' }).click();
    const place = dialog.getByRole('row', { name: /row 1.*NIN basic.*Found/ });
    await place.waitFor();
    await expectAccessible(page, 'where a person was found');
    const shown = (await app.get<{ data: { purpose: string | null }[] }>('/api/v1/audit?action=subject.places')).body.entity.data;
    expect(shown.map(({ purpose }) => purpose)).toEqual(['subject_request']);
    await place.getByRole('link', { name: 'NIN basic' }).click();
    await page.waitForURL(/\/jobs\/job_/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await found.waitFor();

    await page.getByRole('button', { name: 'Erase a person' }).click();
    await dialog.getByLabel('NIN', { exact: true }).fill(nin);
    const erase = dialog.getByRole('button', { name: 'Erase for good' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Type ERASE to confirm').fill('erase');
    await expectAccessible(page, 'a person to erase');
    await erase.click();
    await page
      .getByRole('row', { name: /Erasure.*Erased.*1 row/ })
      .getByRole('button', { name: 'Receipt' })
      .click();
    await dialog.getByRole('button', { name: 'Check the signature' }).click();
    await page.getByText('The signature is genuine: this deployment signed this receipt.').waitFor();
    await expectAccessible(page, 'the receipt');
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    // The file of their data has gone with them.
    await page.getByRole('row', { name: /Export.*Expired/ }).waitFor();
    await expectAccessible(page, 'requests about people');
    const { data } = (await app.get<{ data: { row: number }[] }>(`/api/v1/batches/${id}/jobs`)).body.entity;
    expect(data.map(({ row }) => row)).toEqual([2]);
    const entries = (await app.get<{ data: { action: string; purpose: string | null }[] }>('/api/v1/audit?action=subject.erase')).body
      .entity.data;
    expect(entries).toMatchObject([{ purpose: 'subject_request' }]);
    await page.goto(`${siteUrl(api)}/console/batches/${id}`);
    await page.getByText('1 row is gone because the person in it was erased.').waitFor();
    await page.getByRole('row', { name: /^1.*Erased/ }).waitFor();
    await page.getByRole('row', { name: /^2.*c-2.*Found/ }).waitFor();
    await page.getByRole('row', { name: /^3.*c-3.*Invalid.*nin must be 11 digits/ }).waitFor();
    expectClean();
    await close();
  });

  test('is held until the hold is lifted; a consent is withdrawn', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'privacy');
    await page.getByText('Nobody is held').waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Hold a person’s data' }).click();
    await dialog.getByLabel('NIN', { exact: true }).fill(freshNin());
    await dialog.getByLabel('Reason, shown with the hold').fill('Suit 17');
    await expectAccessible(page, 'a person to hold');
    await dialog.getByRole('button', { name: 'Hold it' }).click();
    const held = page.getByRole('row', { name: /Suit 17.*NIN.*Held/ });
    await held.getByRole('button', { name: /Lift/ }).click();
    await dialog.getByRole('button', { name: 'Lift it' }).click();
    await page.getByRole('row', { name: /Suit 17.*Lifted/ }).waitFor();
    await page.getByRole('button', { name: 'Withdraw a consent' }).click();
    await dialog.getByLabel('Reference of the consent').fill('C-17');
    await dialog.getByRole('button', { name: 'Withdraw for good' }).click();
    // To the second, with a way to who did it.
    const withdrawal = page.getByRole('row', { name: /\d\d:\d\d:\d\d.*wdr_[0-9a-f]{32}/ });
    await withdrawal.waitFor();
    await expectAccessible(page, 'holds and consents');
    await withdrawal.getByRole('link', { name: 'See the audit' }).click();
    await page.getByRole('row', { name: /You Consent withdrawn/ }).waitFor();
    const actions = (await app.get<{ data: { action: string }[] }>('/api/v1/audit?limit=10')).body.entity.data.map(({ action }) => action);
    for (const action of ['subject.hold', 'subject.release', 'consent.withdraw']) expect(actions).toContain(action);
    expectClean();
    await close();
  });

  test('goes after as many days as an owner says, and out only where the owner allows it', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'privacy');
    const dialog = page.getByRole('dialog');
    const batches = page.getByRole('row', { name: /^Batches with rows/ });
    await batches.getByRole('button', { name: /Change/ }).click();
    await dialog.getByLabel('Days in live mode').fill('4000');
    await dialog.getByLabel('Days in test mode').fill('10');
    await dialog.getByRole('button', { name: 'Save' }).click();
    // The browser refuses what is beyond the bounds.
    expect(
      await dialog
        .getByLabel('Days in live mode')
        .evaluate((input) => (input as unknown as { validity: { rangeOverflow: boolean } }).validity.rangeOverflow),
    ).toBe(true);
    await dialog.getByLabel('Days in live mode').fill('180');
    await expectAccessible(page, 'days to keep');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^Batches with rows.*180 days.*instead of 365.*10 days.*instead of 30/ }).waitFor();
    // What is the same for everybody cannot be changed.
    const cache = page.getByRole('row', { name: /^Answers of registries in the cache.*30 days/ });
    await cache.waitFor();
    expect(await cache.getByRole('button').count()).toBe(0);
    const { data } = (await app.get<{ data: { kind: string; live_days: number; test_days: number }[] }>('/api/v1/retention')).body.entity;
    expect(data.find(({ kind }) => kind === 'batches')).toMatchObject({ live_days: 180, test_days: 10 });

    const out = page.getByRole('region', { name: 'What may go outside' });
    const [breaches, mailboxes] = [out.getByLabel(/Have I Been Pwned/), out.getByLabel(/mail host/)];
    expect([await breaches.isChecked(), await mailboxes.isChecked()]).toEqual([false, false]);
    await breaches.check();
    await out.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It applies from now on.').waitFor();
    await page.reload();
    await breaches.waitFor();
    expect([await breaches.isChecked(), await mailboxes.isChecked()]).toEqual([true, false]);
    // The operator has not offered a shared cache.
    await out.getByLabel(/shared with other apps/).check();
    await out.getByRole('button', { name: 'Save' }).click();
    await out.getByRole('alert').waitFor();
    await expectAccessible(page, 'what may go outside');
    expectClean();
    await close();
  });

  test('is counted by purpose, and kept with its batch under a legal hold', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const consent = { reference: 'form-9', purpose: 'Opening an account', obtained_at: '2025-01-02T00:00:00Z', basis: 'contract' };
    for (let times = 0; times < 2; times++)
      expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`, { Consent: JSON.stringify(consent) })).status).toBe(200);
    const { id } = (await app.csv('checks=nin_basic&reference=May', `nin\n${freshNin()}\n`)).body.entity;
    await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'privacy');
    const report = page.getByRole('region', { name: 'Look-ups by purpose' });
    const counted = report.getByRole('row', { name: /Opening an account.*Contract.*2/ });
    await expect
      .poll(
        async () => {
          await report.getByRole('button', { name: 'Count look-ups' }).click();
          await report.getByRole('table').waitFor();
          return counted.count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await report.getByRole('row', { name: /No purpose or basis given.*1/ }).waitFor();
    await expectAccessible(page, 'look-ups by purpose');
    const saved = page.waitForEvent('download');
    await report.getByRole('button', { name: 'Download as CSV' }).click();
    expect(readFileSync((await (await saved).path())!, 'utf8')).toMatch(/Opening an account,contract,nin_basic,2,2,0/);

    await page.goto(page.url().replace(/privacy$/, `batches/${id}`));
    const hold = page.getByRole('region', { name: 'Keep or delete' });
    const dialog = page.getByRole('dialog');
    await hold.getByRole('button', { name: 'Hold this batch' }).click();
    await dialog.getByRole('button', { name: 'Hold it' }).click();
    await hold.getByText(/Under a legal hold/).waitFor();
    expect(await hold.getByRole('button', { name: 'Delete this batch' }).count()).toBe(0);
    await expectAccessible(page, 'a batch under a legal hold');
    expect((await app.send('DELETE', `/api/v1/batches/${id}`)).status).toBe(409);
    await hold.getByRole('button', { name: 'Lift the hold' }).click();
    await dialog.getByRole('button', { name: 'Lift it' }).click();
    await hold.getByText(/^It is not under a legal hold/).waitFor();
    await hold.getByRole('button', { name: 'Delete this batch' }).click();
    await dialog.getByLabel('To confirm, type the name of the batch').fill('another');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText(/^Nothing was deleted: the name is not/).waitFor();
    await expectAccessible(page, 'a batch to delete');
    await dialog.getByLabel('To confirm, type the name of the batch').fill((await dialog.getByRole('strong').textContent())!);
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Its rows are being deleted.').waitFor();
    expect((await app.get<BatchEntity>(`/api/v1/batches/${id}`)).body.entity.status).toMatch(/^delet/);
    const actions = (await app.get<{ data: { action: string }[] }>('/api/v1/audit?limit=20')).body.entity.data.map(({ action }) => action);
    for (const action of ['batch.hold', 'batch.release', 'batch.delete']) expect(actions).toContain(action);
    expectClean();
    await close();
  });

  test('is not offered to an operator of the app', async () => {
    const app = await api.createApp();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'privacy');
    await page.getByRole('heading', { name: 'How long data is kept' }).waitFor();
    expect(await page.getByRole('button', { name: /person/ }).count()).toBe(0);
    await close();
  });
});
