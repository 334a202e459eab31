/** Keys, people, approvals, audit, the own account and the page of a signed link, in a real browser. */

import { TOTP } from 'otpauth';
import { decodeQR } from 'qr/decode.js';
import { describe, expect, test } from 'vitest';
import { inviteToApp } from '../../src/access/people/links.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Client, useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { PASSWORD, signedInAs, tokenIn } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { sayWhatFor, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

const ROWS = 'nin\n40000000007\n40000000014\n';

describe.skipIf(!chromiumIsHere)(chromiumNote('the pages about people and keys'), () => {
  test('a key is made with one scope, works over HTTP, and is refused once it is revoked', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Nightly <b>upload</b>');
    await page.getByLabel('Make single calls').uncheck();
    await page.getByLabel('Networks').fill('203.0.113.0/24\n\n300.1.1.1/8');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('alert').getByText('Networks it may be used from (line 3) must be a network such as').waitFor();
    await page.getByLabel('Networks').fill('');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('It is shown only once').waitFor();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page
      .getByRole('row', { name: /Nightly <b>upload<\/b>/ })
      .getByText('Active')
      .waitFor();
    expect(await page.content()).not.toContain(key);
    const asked = (path: string) =>
      fetch(`${api.url}${path}`, { headers: { Authorization: key, AppId: app.app } }).then(({ status }) => status);
    expect([await asked('/api/v1/batches'), await asked('/api/v1/wallet')]).toEqual([200, 403]);
    await page.getByRole('button', { name: 'Revoke Nightly <b>upload</b>' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('The key is revoked.').waitFor();
    expect(await asked('/api/v1/batches')).toBe(401);
    expectClean();
    await close();
  });

  test('somebody invited as a viewer signs in by the link, and is offered neither keys nor people', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'people');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill(`bisi-${app.app.slice(-8)}@bank.test`);
    await page.getByRole('radio', { name: /^Viewer/ }).check();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const token = tokenIn(await page.getByRole('textbox', { name: 'Link' }).inputValue());
    const guest = await chromium.visit(`${siteUrl(api)}/console/invitation#${token}`);
    await guest.page.getByLabel('Your name').fill('Bisi Ade');
    await guest.page.getByLabel('Password').fill(PASSWORD);
    await guest.page.getByRole('button', { name: 'Join' }).click();
    await guest.page.getByRole('link', { name: 'Approvals' }).waitFor();
    for (const name of ['Keys', 'People', 'Audit', 'Screening']) expect(await guest.page.getByRole('link', { name }).count()).toBe(0);
    await guest.page.goto(`${siteUrl(api)}/console/keys`);
    await guest.page.getByText('Your role does not include this page.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Change role Bisi Ade' }).click();
    await page.getByRole('radio', { name: /^Operator/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Bisi Ade.*Operator/ }).waitFor();
    // It counts from the next click on.
    await guest.page.goto(`${siteUrl(api)}/console/upload`);
    await guest.page.getByText('Drop a spreadsheet').waitFor();
    await page.getByRole('button', { name: 'Remove Bisi Ade' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Bisi Ade no longer belongs to the app.').waitFor();
    expectClean();
    await Promise.all([close(), guest.close()]);
  });

  test('people are found by part of a name or address, by role and by state; a pasted key stays out of the address', async () => {
    const app = await api.createApp();
    const appId = parseId('app', app.app)!;
    await inviteToApp(api.service, { email: `chidi${app.app}@bank.test`, appId, role: 'viewer' });
    await inviteToApp(api.service, { email: `dayo${app.app}@bank.test`, appId, role: 'approver' });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'people');
    const people = page.getByRole('table', { name: 'People of the app, and those who are invited' }).locator('tbody tr');
    await expect.poll(() => people.count()).toBe(3);
    const name = page.getByLabel('Who');
    await name.fill('CHID');
    await name.press('Enter');
    await expect.poll(() => people.count()).toBe(1);
    await page.reload();
    await page.getByRole('rowheader', { name: /^chidi/ }).waitFor();
    await page.getByLabel('Role').selectOption('Approver');
    await page.getByRole('heading', { name: 'Nobody matches' }).waitFor();
    await page.getByRole('button', { name: 'Show everybody' }).click();
    await expect.poll(() => people.count()).toBe(3);
    await page.getByLabel('State').selectOption('Active');
    await expect.poll(() => people.count()).toBe(1);
    await page.getByRole('rowheader', { name: /^Ada Obi \(you\)/ }).waitFor();
    // On a phone the search is as wide as the page, and not half a row.
    await page.setViewportSize({ width: 360, height: 740 });
    expect((await name.boundingBox())!.width).toBeGreaterThan(300);
    await page.setViewportSize({ width: 1280, height: 720 });

    await page.getByRole('link', { name: 'Keys' }).click();
    const key = page.getByLabel('Name or first characters');
    await key.fill(app.key);
    await key.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('name')).toBe(app.key.slice(0, 12));
    await page.getByRole('row', { name: new RegExp(app.key.slice(0, 12)) }).waitFor();
    expectClean();
    await close();
  });

  test('whoever removes somebody sees the keys that they made in both modes, and revokes those that they choose', async () => {
    const app = await api.createApp();
    const leaving = await signedInAs(api, app, 'owner');
    const make = async (name: string, mode: string) =>
      (await leaving.browser.post<{ id: string; made_by: string }>('/api/v1/keys', { name }, { 'Confam-Mode': mode })).body.entity;
    const [live, test, revoked] = [await make('Core banking', 'live'), await make('Mobile app', 'test'), await make('Old', 'test')];
    expect(live.made_by).toBe(leaving.id);
    await leaving.browser.post(`/api/v1/keys/${revoked.id}/revoke`, undefined, { 'Confam-Mode': 'test' });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'people');
    await page
      .getByRole('row', { name: new RegExp(leaving.email) })
      .getByRole('button', { name: /^Remove/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /^Mobile app test/ }).waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(2);
    await dialog.getByRole('checkbox', { name: /^Core banking live/ }).check();
    await expectAccessible(page, 'the removal of somebody who made keys', [360]);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('1 key revoked.').waitFor();
    const keyOf = async (client: Client, id: string) => (await client.get<{ revoked_at: string | null }>(`/api/v1/keys/${id}`)).body.entity;
    expect((await keyOf(app.live, live.id)).revoked_at).not.toBeNull();
    expect((await keyOf(app, test.id)).revoked_at).toBeNull();
    expectClean();
    await close();
  });

  test('if a key of somebody who is removed cannot be revoked, the others are, and the message names both', async () => {
    const app = await api.createApp();
    const leaving = await signedInAs(api, app, 'owner');
    const make = async (name: string) => (await leaving.browser.post<{ id: string }>('/api/v1/keys', { name })).body.entity;
    const stuck = await make('Mobile app');
    await make('Core banking');
    const { page, close } = await visitAs(api, chromium, app, 'owner', 'people');
    await page.route(`**/api/v1/keys/${stuck.id}/revoke`, (route) =>
      route.fulfill({
        status: 500,
        json: { status: 'error', error: 'Something went wrong', code: 'internal', meta: { request_id: 'req_1' } },
      }),
    );
    await page
      .getByRole('row', { name: new RegExp(leaving.email) })
      .getByRole('button', { name: /^Remove/ })
      .click();
    const dialog = page.getByRole('dialog');
    for (const name of [/^Mobile app/, /^Core banking/]) await dialog.getByRole('checkbox', { name }).check();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page
      .getByText(
        /Not revoked: Mobile app \((test|live)\)\. Something went wrong\. Tell your administrator this id: req_1\. Revoked: Core banking/,
      )
      .waitFor();
    await close();
  });

  test('a second person approves the start of a batch, the one who asked cannot, and the audit shows both', async () => {
    const app = await api.createApp({ naira: 10_000 });
    const owner = await visitAs(api, chromium, app, 'owner', 'approvals');
    await owner.page.getByLabel('Starting a batch above an amount').check();
    await owner.page.getByLabel('Above, in naira').fill('10000000');
    await owner.page.getByText('₦10,000,000.00', { exact: true }).waitFor();
    await owner.page.getByLabel('Above, in naira').fill('1');
    await owner.page.getByRole('button', { name: 'Save' }).click();
    await owner.page.getByText('Saved. It applies from now on.').waitFor();
    const { id } = (await app.csv('checks=nin_basic&start=manual', ROWS)).body.entity;
    const asker = await visitAs(api, chromium, app, 'approver', 'approvals');
    await asker.page.getByText('Nothing is waiting').waitFor();
    await asker.page.evaluate(`fetch('../api/v1/session')
      .then((answer) => answer.json())
      .then(({ entity }) => fetch('../api/v1/batches/${id}/start', { method: 'POST', headers: { AppId: '${app.app}', 'X-CSRF-Token': entity.csrf_token } }))`);
    await asker.page.reload();
    await asker.page.getByText('Somebody else approves').waitFor();
    expect(await asker.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await owner.page.reload();
    await owner.page.getByRole('button', { name: 'Approve Start a batch' }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await owner.page.getByText('Approved and done.').waitFor();
    await app.ended(`/api/v1/batches/${id}`);
    // To need fewer approvals needs one itself.
    await owner.page.getByLabel('Starting a batch above an amount').uncheck();
    await owner.page.getByRole('button', { name: 'Save' }).click();
    await owner.page.getByText('Starting a batch needs no approval').waitFor();
    await owner.page.getByRole('link', { name: 'Audit' }).click();
    await owner.page.locator('select[name=action]').selectOption('Approved');
    await owner.page.getByRole('button', { name: 'Find' }).click();
    await owner.page.getByRole('row', { name: /You Approved/ }).waitFor();
    await owner.page.locator('select[name=action]').selectOption('Approval requested');
    await owner.page.getByRole('button', { name: 'Find' }).click();
    await owner.page.getByRole('row', { name: /Ada Obi Approval requested/ }).waitFor();
    const who = owner.page.getByLabel('Who');
    const find = async (text: string) => {
      await who.fill(text);
      await owner.page.getByRole('button', { name: 'Find' }).click();
    };
    await find('nobody at all');
    await owner.page.getByText('Nobody in this app has this name or address.').waitFor();
    await find('ada obi');
    await owner.page.getByText('Several have this name: choose one.').waitFor();
    await find(asker.email);
    await owner.page.waitForURL(/actor=per_/);
    await owner.page.getByRole('row', { name: /Ada Obi Approval requested/ }).waitFor();
    expect(await who.inputValue()).toBe(asker.email);
    await find('');
    await owner.page.getByRole('link', { name: 'Requests' }).click();
    await owner.page.getByRole('combobox', { name: 'By' }).selectOption('person');
    await owner.page
      .getByRole('row', { name: /Ada Obi/ })
      .first()
      .waitFor();
    await owner.page.getByRole('link', { name: 'Audit' }).click();
    const saved = owner.page.waitForEvent('download');
    await owner.page.getByRole('button', { name: 'Save as CSV' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^audit-test-\d{4}-\d\d-\d\d\.csv$/);
    for (const { expectClean, close } of [owner, asker]) {
      expectClean();
      await close();
    }
  });

  test('an authenticator app is set up by its QR code, after signing in again if that was too long ago', async () => {
    const app = await api.createApp();
    const { page, email, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'account');
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    await api.service.sql`update sessions set created_at = now() - interval '1 hour'`;
    await page.getByRole('button', { name: 'Set up' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    expect(await again.getByLabel('E-mail address').inputValue()).toBe(email);
    await again.getByLabel('Password').fill(PASSWORD);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    const path = page.locator('.qr path');
    await path.and(page.locator('[d^="M"]')).waitFor({ state: 'attached' });
    const uri = qrText((await path.getAttribute('d'))!, Number((await page.locator('.qr').getAttribute('viewBox'))!.split(' ')[2]));
    const secret = new URL(uri).searchParams.get('secret')!;
    expect((await page.getByRole('textbox', { name: 'Secret' }).inputValue()).replaceAll(' ', '')).toBe(secret);
    await page.getByLabel('six digits').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('heading', { name: 'Your 10 recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 recovery codes left').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Move to another phone');
    expectClean();
    await close();
  });

  test('a session that is ended elsewhere asks to sign in again', async () => {
    const app = await api.createApp();
    const here = await visitAs(api, chromium, app, 'viewer', 'account');
    const there = await chromium.visit(`${siteUrl(api)}/console/account`);
    await there.page.getByLabel('E-mail address').fill(here.email);
    await there.page.getByLabel('Password').fill(PASSWORD);
    await there.page.keyboard.press('Enter');
    await there.page.getByRole('heading', { name: 'My account' }).waitFor();
    await here.page.reload();
    await here.page.getByRole('row', { name: /This one/ }).waitFor();
    await here.page.getByRole('button', { name: 'End all others' }).click();
    await here.page.getByText('All other sessions ended.').waitFor();
    await there.page.getByRole('button', { name: 'Save', exact: true }).click();
    await there.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    for (const { expectClean, close } of [here, there]) {
      expectClean();
      await close();
    }
  });

  test('a signed link shows a stranger what it is and saves the file; ended or altered it says so', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const { id } = (await app.csv('checks=nin_basic&reference=June%20payroll', ROWS)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const maker = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await maker.page.getByRole('button', { name: 'Make a link' }).click();
    await sayWhatFor(maker.page.getByRole('dialog'), 'An audit');
    await maker.page.getByRole('dialog').getByRole('button', { name: 'Make the link' }).click();
    const url = (await maker.page.getByRole('textbox', { name: 'Link' }).inputValue()).replace('127.0.0.1', 'localhost');
    const { page, expectClean, close } = await chromium.visit(url);
    await page.getByRole('heading', { name: 'Results: June payroll' }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await saved).suggestedFilename()).toBe(`June-payroll-${id}.csv`);
    await maker.page.getByRole('button', { name: 'Done' }).click();
    await maker.page.getByRole('button', { name: /^End \(made/ }).click();
    await maker.page.getByRole('button', { name: 'End the link' }).click();
    await maker.page.getByText('No active links.').waitFor();
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.goto(`${url.slice(0, -3)}xyz`);
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    // Two summaries and the file.
    const { rows } = await auditOf(app.app);
    expect(rows).toBe(3);
    expectClean();
    await Promise.all([close(), maker.close()]);
  });
});

/** What a QR code says, from the squares of its path. */
function qrText(path: string, size: number): string {
  const SCALE = 4;
  const data = new Uint8ClampedArray(size * size * SCALE * SCALE * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h/g)) {
    for (let dy = 0; dy < SCALE; dy++) {
      const from = ((Number(y) * SCALE + dy) * size * SCALE + Number(x) * SCALE) * 4;
      for (let at = from; at < from + SCALE * 4; at += 4) data.fill(0, at, at + 3);
    }
  }
  return decodeQR({ width: size * SCALE, height: size * SCALE, data });
}

async function auditOf(app: string): Promise<{ rows: number }> {
  const [found] = await api.service.sql<{ rows: number }[]>`
    select count(*)::int as rows from audit_entries where app_id = ${parseId('app', app)} and action = 'link.read' and outcome = 'allowed'`;
  return found!;
}
