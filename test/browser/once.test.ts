/** Actions that are carried out once, however often somebody clicks and even if an answer is lost. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs, visitAsAdministrator } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

/** Lets the next POST to `path` through and drops its answer. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() !== 'POST') return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}

/** Collects the POSTs to `path` from now on, and delays their answers. */
async function slowPosts(page: Page, path: string): Promise<string[]> {
  const sent: string[] = [];
  await page.route(path, async (route) => {
    if (route.request().method() === 'POST') {
      sent.push(route.request().url());
      await new Promise((done) => setTimeout(done, 300));
    }
    await route.continue();
  });
  return sent;
}

/** Holds such requests back until the returned function is called. */
async function hold(page: Page, method: string, path: string): Promise<() => void> {
  let go = () => {};
  const isLet = new Promise<void>((done) => (go = done));
  await page.route(path, async (route) => {
    if (route.request().method() === method) await isLet;
    await route.fallback();
  });
  return go;
}

describe.skipIf(!chromiumIsHere)(chromiumNote('what the console does once'), () => {
  test('a top-up whose answer was lost is booked once when it is sent again; with another amount the form says what happened', async () => {
    const app = await api.createApp({ naira: 0 });
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, `operator/apps/${app.app}`);
    const book = page.getByRole('button', { name: 'Book the payment' });
    const fill = async (amount: string) => {
      await page.getByLabel('Amount in naira').fill(amount);
      await page.getByRole('combobox', { name: 'Wallet' }).selectOption('test');
    };
    await loseAnswer(page, '**/topups');
    await page.getByRole('button', { name: 'Top up' }).click();
    await fill('100');
    await book.click();
    await page.getByRole('alert').getByText('Confam cannot be reached.').waitFor();
    await fill('200');
    await book.click();
    await page.getByRole('alert').getByText('This form was already sent with different entries, which were accepted.').waitFor();
    await fill('100');
    await book.click();
    await page.getByText('₦100.00 is booked.').waitFor();
    expect((await app.wallet()).available).toBe(100);
    // Another form is another payment.
    await page.getByRole('button', { name: 'Top up' }).click();
    await fill('100');
    await book.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await app.wallet()).available).toBe(200);
    expectClean();
    await close();
  });

  test('an app, a price and a key whose answers were lost are made once when they are sent again', async () => {
    const { page, close } = await visitAsAdministrator(api, chromium, 'operator/apps');
    await loseAnswer(page, '**/api/v1/admin/apps');
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByLabel('Name').fill('Once');
    const create = page.getByRole('button', { name: 'Create' });
    await create.click();
    await page.getByRole('alert').getByText('Confam cannot be reached. Your request may have gone through.').waitFor();
    // While it is being sent, the form stays: what it makes is shown only once.
    const goOn = await hold(page, 'POST', '**/api/v1/admin/apps');
    await create.click();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    const back = page.getByRole('button', { name: 'Back' });
    expect(await back.isDisabled()).toBe(true);
    // It keeps the keyboard, and does nothing.
    await back.focus();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
    await page.keyboard.press('Enter');
    goOn();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await loseAnswer(page, '**/prices');
    await page.getByRole('button', { name: 'Agree on a price' }).click();
    await page.getByRole('textbox', { name: 'Check' }).fill('nin_basic');
    await page.getByLabel('Price in naira').fill('99');
    for (let sends = 0; sends < 2; sends++) {
      await page.getByRole('button', { name: 'Agree', exact: true }).click();
      if (sends === 0) await page.getByRole('alert').getByText('Confam cannot be reached.').waitFor();
    }
    await page.getByRole('row', { name: /NIN basic/ }).waitFor();
    expect(await page.getByRole('row', { name: /NIN basic/ }).count()).toBe(1);
    const { data } = (await api.admin.get<{ data: { name: string }[] }>('/api/v1/admin/apps')).body.entity;
    expect(data.filter(({ name }) => name === 'Once').length).toBe(1);
    await close();

    const app = await api.createApp();
    const owner = await visitAs(api, chromium, app, 'owner', 'keys');
    await loseAnswer(owner.page, '**/api/v1/keys');
    await owner.page.getByRole('button', { name: 'New key' }).first().click();
    await owner.page.getByLabel('Name', { exact: true }).fill('Once');
    await owner.page.getByLabel('Expires').selectOption('30');
    for (let sends = 0; sends < 2; sends++) {
      await owner.page.getByRole('button', { name: 'Make the key' }).click();
      if (sends === 0) await owner.page.getByRole('alert').getByText('Confam cannot be reached.').waitFor();
    }
    await owner.page.getByText('It is shown only once').waitFor();
    await owner.page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await owner.page.getByRole('row', { name: /Once/ }).count()).toBe(1);
    await owner.close();
  });

  test('an endpoint, its new secret, a hold and an invitation whose answers were lost are made once when they are sent again', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'webhooks');
    const sendTwice = async (path: string, button: string) => {
      await loseAnswer(page, path);
      const send = page.getByRole('dialog').getByRole('button', { name: button });
      await send.click();
      await page.getByRole('alert').getByText('Confam cannot be reached.').waitFor();
      const [answer] = await Promise.all([page.waitForResponse(path), send.click()]);
      expect(answer.headers()['idempotency-replayed'], path).toBe('true');
    };
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    await page.getByLabel('Address').fill('https://example.com/hook');
    await sendTwice('**/webhooks/endpoints', 'Create');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'New secret' }).click();
    await sendTwice('**/rotate', 'Make a new secret');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    // An answer that comes late takes nobody off another page.
    const goOn = await hold(page, 'DELETE', '**/webhooks/endpoints/*');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the endpoint' }).click();
    await page.getByRole('link', { name: 'Privacy' }).click();
    goOn();
    await page.getByText('The endpoint is deleted.').waitFor();
    await page.getByRole('button', { name: 'Hold a person’s data' }).click();
    await page.getByRole('textbox', { name: /^Value|NIN/ }).fill('70123456789');
    await sendTwice('**/subjects/holds', 'Hold it');
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill('once@bank.test');
    await sendTwice('**/api/v1/people', 'Make the link');
    await page.getByRole('button', { name: 'Done' }).click();
    expectClean();
    await close();
  });

  test('a double click makes one new secret, and one new link', async () => {
    const app = await api.createApp();
    const made = await app.post<{ id: string }>('/api/v1/webhooks/endpoints', { url: 'https://example.com/hook' });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', `webhooks/${made.body.entity.id}`);
    const rotations = await slowPosts(page, '**/rotate');
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Make a new secret' }).dblclick();
    await page.getByRole('dialog', { name: 'The signing secret' }).getByRole('button', { name: 'I have saved it' }).click();
    expect(rotations.length).toBe(1);
    await page.goto(`${siteUrl(api)}/console/people`);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail address').fill('tunde@bank.test');
    await page.getByRole('button', { name: 'Make the link' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const links = await slowPosts(page, '**/api/v1/people');
    await page.getByRole('button', { name: /^New link/ }).dblclick();
    await page.getByRole('dialog', { name: 'The invitation is ready' }).getByRole('button', { name: 'Done' }).click();
    expect(links.length).toBe(1);
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^New link/);
    expectClean();
    await close();
  });

  test('the second click of a slow double click does not undo what the first one did', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const input = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
    const job = (await app.job({ check: 'aml_screening', input })).body.entity;
    await app.ended(`/api/v1/jobs/${job.id}`);
    const { id } = (await app.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data[0]!;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `reviews/${id}`);
    const assigned: string[] = [];
    page.on('request', (request) => request.url().endsWith('/assign') && assigned.push(request.method()));
    const assign = page.getByRole('button', { name: 'Assign to me' });
    const unassign = page.getByRole('button', { name: 'Unassign' });
    const { x, y, width, height } = (await assign.boundingBox())!;
    const click = () => page.mouse.click(x + width - 20, y + height / 2);
    // The clock stands still: this machine may be slow.
    const start = Date.now();
    await page.clock.setFixedTime(start);
    await click();
    await unassign.waitFor();
    await click();
    // Whoever has read the button means it.
    await page.clock.setFixedTime(start + 1_000);
    await click();
    await assign.waitFor();
    expect(assigned).toHaveLength(2);
    await page.clock.setFixedTime(start + 2_000);
    await assign.focus();
    await page.keyboard.press('Enter');
    await unassign.waitFor();
    await page.keyboard.press('Enter');
    await page.clock.setFixedTime(start + 3_000);
    await page.keyboard.press('Enter');
    await assign.waitFor();
    expect(assigned).toHaveLength(4);
    expectClean();
    await close();
  });

  test('neither a second press of Enter nor a key that is held down answers a question that it has opened', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'keys');
    const revoke = page.getByRole('button', { name: /^Revoke/ }).first();
    await revoke.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The first field of this form may stay empty: Enter in it would send it.
    await page.getByRole('button', { name: 'New key' }).focus();
    await page.keyboard.down('Enter');
    await page.getByRole('dialog').waitFor();
    for (let repeats = 0; repeats < 5; repeats++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.waitForTimeout(300);
    await page.getByRole('heading', { name: 'New test key' }).waitFor();
    const { data } = (await app.get<{ data: { revoked_at: string | null }[] }>('/api/v1/keys')).body.entity;
    expect(data.map(({ revoked_at }) => revoked_at)).toEqual([null]);
    expectClean();
    await close();
  });
});
