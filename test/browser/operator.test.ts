/** What administrators do in the console: run the apps of a deployment, with a second administrator where money is concerned, and look at the service itself. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, siteUrl, visitAs, visitAsAdministrator } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

/** The text of the file that a click saves. */
async function saved(page: Page, button: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFileSync(await download.path(), 'utf8');
}

describe.skipIf(!chromiumIsHere)(chromiumNote('the pages of the operator'), () => {
  test('an administrator suspends, resumes and tops up an app; nobody else is offered any of it', async () => {
    const app = await api.createApp({ naira: 0 });
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, `operator/apps/${app.app}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend the app' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await app.get('/api/v1/wallet')).body.code).toBe('app_suspended');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    await page.getByRole('button', { name: 'Top up' }).click();
    await page.getByLabel('Amount in naira').fill('1250.50');
    await page.getByRole('combobox', { name: 'Wallet' }).selectOption('test');
    await page.getByRole('button', { name: 'Book the payment' }).click();
    await page.getByText('₦1,250.50 is booked.').waitFor();
    expect((await app.wallet()).available).toBe(1_250.5);
    await page.getByRole('button', { name: 'Agree on a price' }).click();
    await page.getByRole('textbox', { name: 'Check' }).fill('nin_basic');
    await page.getByLabel('Price in naira').fill('99.5');
    await page.getByRole('button', { name: 'Agree', exact: true }).click();
    await page.getByRole('row', { name: /NIN basic.*₦99\.50/ }).waitFor();
    await expectAccessible(page, 'an app');
    await page.getByRole('link', { name: 'Watch lists' }).click();
    await page.getByText('Live screenings are waiting for a required list.').waitFor();
    await page.getByRole('link', { name: 'Vendors' }).click();
    await page.getByRole('heading', { name: 'screening' }).waitFor();
    await page.getByRole('link', { name: 'Changes to approve' }).click();
    await page.getByText('Nothing is waiting').waitFor();
    expectClean();
    await close();
    const owner = await visitAs(api, chromium, app, 'owner', 'operator/apps');
    await owner.page.getByText('This page is for the administrators of the deployment.').waitFor();
    expect(await owner.page.getByRole('link', { name: 'Vendors' }).count()).toBe(0);
    const refused = await owner.page.evaluate(`fetch('../../api/v1/admin/apps').then(({ status }) => status)`);
    expect(refused).toBe(403);
    await owner.close();
  });

  test('a new app has its webhook secret shown once, and is found by its state', async () => {
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, 'operator/apps');
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByLabel('Name').fill('Zaria <b>Microfinance</b>');
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByLabel('Webhook secret').inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { name: 'Zaria <b>Microfinance</b>' }).waitFor();
    await page.getByText('The price list applies').waitFor();
    await page.goto(`${siteUrl(api)}/console/operator/apps?suspended=true`);
    await page.getByText('No app matches').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('false');
    const zaria = page.getByRole('link', { name: 'Zaria <b>Microfinance</b>' });
    await zaria.waitFor();
    const sought = page.getByRole('searchbox', { name: 'App' });
    await sought.fill('Kano');
    await sought.press('Enter');
    await page.getByText('No app matches').waitFor();
    await page.getByRole('button', { name: 'Show all apps' }).click();
    await zaria.waitFor();
    await sought.fill(String(await zaria.getAttribute('href')).replace('operator/apps/', ''));
    await page.getByRole('button', { name: 'Find' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await zaria.waitFor();
    expectClean();
    await close();
  });

  test('an administrator without an app begins at the apps, invites the first owner of one, and changes its settings', async () => {
    const app = await api.createApp({ naira: 0, settings: { dailyCap: 5_000, keepImagesDays: 3 } });
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, '');
    await page.getByRole('heading', { name: 'Apps' }).waitFor();
    await page.goto(`${siteUrl(api)}/console/batches`);
    await page.getByText('You administer this deployment.').waitFor();
    await page.goto(`${siteUrl(api)}/console/operator/apps/${app.app}`);
    await page.getByRole('button', { name: 'Invite an owner' }).click();
    await page.getByLabel('E-mail address').fill('first-owner@bank.test');
    await page.getByRole('button', { name: 'Make the link' }).click();
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toContain('/console/invitation#');
    await page.getByRole('button', { name: 'Done' }).click();
    expect((await app.get<{ data: object[] }>('/api/v1/people')).body.entity.data).toMatchObject([
      { email: 'first-owner@bank.test', role: 'owner', status: 'invited' },
    ]);

    const change = async () => {
      await page.getByRole('button', { name: 'Change settings' }).click();
      await page.getByRole('dialog').waitFor();
    };
    const settings = async () => (await api.admin.get<{ settings: object }>(`/api/v1/admin/apps/${app.app}`)).body.entity.settings;
    await change();
    await expectAccessible(page, 'the settings of an app');
    await page.getByLabel('Live checks need the customer’s consent').check();
    await page.getByLabel('Low balance, in naira').fill('20000');
    await page.getByLabel('Daily cap, in naira').fill('');
    await page.getByLabel('Selfies that may not be live').check();
    await page.getByLabel('Screenings with a hit open a case').selectOption('HIGH');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings are saved.').waitFor();
    const saved = { consentRequired: true, lowBalance: 20_000, keepImagesDays: 3, reviews: { liveness: true, amlLevel: 'HIGH' } };
    expect(await settings()).toEqual(saved);
    await page.locator('dl.lines').getByText('₦20,000.00', { exact: true }).waitFor();
    await page.getByText('selfies that may not be live, screenings with a hit from high risk up').waitFor();
    // What is wrong is said beside the form, and nothing that was not changed is sent.
    await change();
    await page.getByLabel('Low balance, in naira').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Low balance, in naira must be/).waitFor();
    await page.getByLabel('Low balance, in naira').fill('20000');
    await page.getByLabel('Live checks need the customer’s consent').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await settings()).toEqual({ ...saved, consentRequired: false });
    const { data } = (await api.admin.get<{ data: { detail: object }[] }>(`/api/v1/admin/audit?app=${app.app}&action=app.settings`)).body
      .entity;
    expect(data.map(({ detail }) => detail)).toMatchObject([
      { settings: { consentRequired: false } },
      { settings: { consentRequired: true, dailyCap: null, lowBalance: 20_000, reviews: saved.reviews } },
    ]);
    expectClean();
    await close();
  });

  test('the doctor shows the state of the service, faults first, and looks again', { timeout: LOOKS_MS }, async () => {
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, 'operator/doctor');
    const table = page.getByRole('table', { name: 'Checks, faults first' });
    await table.getByRole('row', { name: /Database.*Fine.*Postgres/ }).waitFor();
    await table.getByRole('row', { name: /Watch lists.*Worth knowing.*confam lists update/ }).waitFor();
    // What is worth knowing comes before what is fine, and nothing is broken.
    const states = async () => (await table.locator('tbody .state').allTextContents()).join(' ');
    expect(await states()).toMatch(/^(Worth knowing )+(Fine ?)+$/);
    expect(await page.getByRole('alert').count()).toBe(0);
    // Nobody works on jobs: a fault of the service itself.
    const [{ families } = {}] = await api.service.sql<{ families: string[] }[]>`select families from processes`;
    await api.service.sql`update processes set families = '{}'`;
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('alert').getByText('One thing is broken').waitFor();
    await table.getByRole('row', { name: /Processes.*Broken.*Nobody works on jobs: batches and jobs wait; start a worker/ }).waitFor();
    expect(await states()).toMatch(/^Broken (Worth knowing )+(Fine ?)+$/);
    await expectAccessible(page, 'the doctor with a fault');
    await api.service.sql`update processes set families = ${families as string[]}`;
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expectClean();
    await close();
  });

  test('a suspended app is deleted by its typed name, and its certificate is saved', async () => {
    const app = await api.createApp({ naira: 0 });
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 50, mode: 'live' });
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, `operator/apps/${app.app}`);
    await page.getByText('Suspend the app to download everything it holds').waitFor();
    expect(await page.getByRole('button', { name: 'Delete the app' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend the app' }).click();
    await page.getByRole('button', { name: 'Download everything' }).click();
    await sayWhatFor(page.getByRole('dialog'), 'A legal duty');
    const everything = await saved(page, page.getByRole('button', { name: 'Save the file' }));
    const [exported] = await api.service.sql<{ purpose: string }[]>`
      select purpose from audit_entries where app_id = ${parseId('app', app.app)} and action = 'app.export'`;
    expect(exported).toEqual({ purpose: 'legal' });
    expect(JSON.parse(everything.trimEnd().split('\n').at(-1)!)).toMatchObject({ object: 'end' });
    await page.getByRole('button', { name: 'Delete the app' }).click();
    await page.getByLabel('The live wallet has ₦50.00').selectOption('refunded');
    const name = page.getByLabel('To confirm, type the name of the app');
    await name.fill('Tset');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('alert').getByText('Nothing was deleted: the name is not “Test”.').waitFor();
    await expectAccessible(page, 'the question before a deletion');
    await name.fill('Test');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    const certificate = page.getByRole('button', { name: 'Download the certificate' });
    await certificate.waitFor();
    for (const change of ['Top up', 'Agree on a price']) expect(await page.getByRole('button', { name: change }).count(), change).toBe(0);
    const signed = JSON.parse(await saved(page, certificate)) as { receipt: string; signature: string };
    expect(JSON.parse(signed.receipt)).toMatchObject({ app: app.app, balance: { amount: 50, became: 'refunded' } });
    expect((await api.admin.post<{ valid: boolean }>('/api/v1/admin/receipts', signed)).body.entity.valid).toBe(true);
    expectClean();
    await close();
  });

  test('switching the mode stays on a page that needs no app', async () => {
    const { page, expectClean, close } = await visitAs(api, chromium, await api.createApp(), 'owner', 'account');
    await page.getByText('Live', { exact: true }).click();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await api.service.sql`update people set administrator = true`;
    await page.goto(`${siteUrl(api)}/console/operator/vendors`);
    await page.locator('.mode').getByText('Test').click();
    await page.getByText('TEST: invented people').waitFor();
    await page.getByRole('heading', { name: 'Vendors', exact: true }).waitFor();
    expectClean();
    await close();
  });
});

describe.skipIf(!chromiumIsHere)(chromiumNote('where a second administrator is needed'), () => {
  const careful = useApi({ CONFAM_APPROVALS: 'top_up,prices,app_deletion' });

  test('a top-up and a deletion wait until another administrator approves them; a price is declined with a reason', async () => {
    const app = await careful.createApp({ naira: 0 });
    const [asker, other] = await Promise.all(
      ['operator/apps', 'operator/approvals'].map((path) => visitAsAdministrator(careful, chromium, path)),
    );
    const { page } = asker!;
    await page.goto(`${siteUrl(careful)}/console/operator/apps/${app.app}`);
    await page.getByRole('button', { name: 'Top up' }).click();
    await page.getByLabel('Amount in naira').fill('5000');
    await page.getByRole('combobox', { name: 'Wallet' }).selectOption('test');
    await page.getByLabel('Note').fill('Invoice 17');
    await page.getByRole('button', { name: 'Book the payment' }).click();
    await page.getByText('It waits for a second administrator.').waitFor();
    expect((await app.wallet()).available).toBe(0);
    await page.getByRole('link', { name: 'Changes to approve' }).click();
    const waiting = page.getByRole('row', { name: /Top-up of ₦5,000\.00 \(test\)/ });
    await waiting.getByRole('button', { name: 'Withdraw' }).waitFor();
    expect(await waiting.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await other!.page.reload();
    await other!.page
      .getByRole('row', { name: /Top-up of ₦5,000\.00 \(test\).*Invoice 17/ })
      .getByRole('button', { name: 'Approve' })
      .click();
    await other!.page.getByText('Approved and done.').waitFor();
    expect((await app.wallet()).available).toBe(5_000);
    await page.goto(`${siteUrl(careful)}/console/operator/apps/${app.app}`);
    await page.getByRole('button', { name: 'Agree on a price' }).click();
    await page.getByRole('textbox', { name: 'Check' }).fill('nin_basic');
    await page.getByLabel('Price in naira').fill('1');
    await page.getByRole('button', { name: 'Agree', exact: true }).click();
    await page.getByText('It waits for a second administrator.').waitFor();
    await other!.page.reload();
    await other!.page
      .getByRole('row', { name: /NIN basic for ₦1\.00/ })
      .getByRole('button', { name: 'Decline' })
      .click();
    await other!.page.getByLabel('Reason').fill('Below cost');
    await other!.page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await other!.page.getByRole('row', { name: /NIN basic for ₦1\.00.*Declined/ }).waitFor();
    await careful.admin.post(`/api/v1/admin/apps/${app.app}/suspend`);
    await page.reload();
    await page.getByRole('button', { name: 'Delete the app' }).click();
    await page.getByLabel('To confirm, type the name of the app').fill('Test');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('Nothing is deleted yet: it waits for a second administrator.').waitFor();
    await page.getByRole('button', { name: 'Delete the app' }).waitFor();
    await other!.page.reload();
    await other!.page
      .getByRole('row', { name: /Delete the app/ })
      .getByRole('button', { name: 'Approve' })
      .click();
    const dialog = other!.page.getByRole('dialog');
    await dialog.getByText('It is Test, the app').waitFor();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await other!.page.getByText('Approved and done.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Download the certificate' }).waitFor();
    for (const visit of [asker!, other!]) {
      visit.expectClean();
      await visit.close();
    }
  });

  test('a price is approved with all its terms in sight; one whose app has changed meanwhile is told to be undone', async () => {
    const app = await careful.createApp({ naira: 0 });
    const prices = `/api/v1/admin/apps/${app.app}/prices`;
    const ends = { valid_from: '2027-01-01T00:00:00Z', valid_until: '2028-01-01T00:00:00Z' };
    for (const body of [
      { check: 'nin_basic', price: 90, cached_price: 30, ...ends },
      { check: 'nin_basic', price: 80 },
    ])
      expect((await careful.admin.post(prices, body)).status).toBe(202);
    const { page, expectClean, close } = await visitAsAdministrator(careful, chromium, 'operator/approvals');
    const waiting = page.getByRole('row', { name: /NIN basic for ₦90\.00/ });
    for (const term of ['From the cache ₦30.00', 'From 1 Jan 2027 01:00 WAT', 'Until 1 Jan 2028 01:00 WAT'])
      await waiting.getByText(term).waitFor();
    await page.getByRole('row', { name: /NIN basic for ₦80\.00.*Until further notice/ }).waitFor();
    await waiting.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved and done.').waitFor();
    await page
      .getByRole('row', { name: /NIN basic for ₦80\.00/ })
      .getByRole('button', { name: 'Approve' })
      .click();
    await page.getByText('Nothing was done: what it was about has changed since').waitFor();
    expectClean();
    await close();
  });
});
