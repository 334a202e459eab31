/** A person's data on the page of privacy: found and saved as a file, erased after a typed confirmation, with a receipt; and what others are offered. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type BatchEntity, useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { visitAs } from '../setup/console.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
const chromium = useChromium();

describe.skipIf(!chromiumIsHere)(chromiumNote("a person's data in the console"), () => {
  test('is found, saved and erased, and the receipt stands', { timeout: LOOKS_MS }, async () => {
    const app = await api.createApp();
    const [nin, stranger] = [freshNin(), freshNin()];
    const { id } = (await app.csv('checks=nin_basic', `reference,nin\nc-1,${nin}\nc-2,${stranger}\n`)).body.entity;
    await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'privacy');
    await page.getByText('Nobody has asked yet').waitFor();

    await page.getByRole('button', { name: 'Find everything about a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('NIN', { exact: true }).fill('12');
    await dialog.getByRole('button', { name: 'Find it' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/11 digits/)
      .waitFor();
    await dialog.getByLabel('NIN', { exact: true }).fill(nin);
    await dialog.getByRole('button', { name: 'Add another' }).click();
    await dialog.getByLabel(/^By.*\(2\)/).selectOption('person');
    await dialog.getByLabel('Full name, as it was screened').fill('Ada Obi');
    await dialog.getByLabel('Born').fill('1990-02-01');
    await expectAccessible(page, 'a person to find');
    await dialog.getByLabel('Why, in words').fill('A letter of 3 May');
    await dialog.getByRole('button', { name: 'Find it' }).click();
    const found = page.getByRole('row', { name: /Their data.*Ready.*1 row/ });
    await found.waitFor();
    const saved = page.waitForEvent('download');
    await found.getByRole('button', { name: 'Download' }).click();
    const text = readFileSync((await (await saved).path())!, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ reason: 'A letter of 3 May', rows: [{ row: 1 }] });
    expect(text).not.toContain(stranger);

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
    await page.getByText('This deployment has signed exactly this receipt.').waitFor();
    await expectAccessible(page, 'the receipt');
    await dialog.getByRole('button', { name: 'Close' }).click();
    // The file of their data has gone with them.
    await page.getByRole('row', { name: /Their data.*Expired/ }).waitFor();
    await expectAccessible(page, 'requests about people');
    const { data } = (await app.get<{ data: { row: number }[] }>(`/api/v1/batches/${id}/jobs`)).body.entity;
    expect(data.map(({ row }) => row)).toEqual([2]);
    const entries = (await app.get<{ data: { action: string; purpose: string | null }[] }>('/api/v1/audit?action=subject.erase')).body
      .entity.data;
    expect(entries).toMatchObject([{ purpose: 'subject_request' }]);
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
    await page.getByRole('row', { name: /wdr_/ }).waitFor();
    await expectAccessible(page, 'holds and consents');
    const actions = (await app.get<{ data: { action: string }[] }>('/api/v1/audit?limit=10')).body.entity.data.map(({ action }) => action);
    for (const action of ['subject.hold', 'subject.release', 'consent.withdraw']) expect(actions).toContain(action);
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
