/** Rules for every page: no flash or layout shift while it loads, reduced motion on request, times and money as Nigerians write them. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { inviteToApp } from '../../src/access/people/links.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { PASSWORD, signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { choose, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

/** Content moves at most this much while a page loads (web.dev/cls: good is below 0.1). */
const SHIFT_MAX = 0.05;

const withBatch = async (): Promise<{ app: TestApp; id: string }> => {
  const app = await api.createApp();
  const rows = Array.from({ length: 30 }, (_, i) => 40_000_000_000 + i * 7);
  const { id } = (await app.csv('checks=nin_basic&reference=June', `nin\n${rows.join('\n')}\n12\n`)).body.entity;
  await app.ended(`/api/v1/batches/${id}`);
  return { app, id };
};

/** Answers of the API after `ms`; the session is answered at once. */
const delay = (page: Page, ms: number) =>
  page.route('**/api/v1/**', async (route) => {
    if (!route.request().url().endsWith('/session')) await new Promise((resolve) => setTimeout(resolve, ms));
    await route.continue();
  });

describe.skipIf(!chromiumIsHere)(chromiumNote('the manners of the console'), () => {
  test('what the keyboard has used goes away, and the focus stays on the page: signing in, choosing a check, calling, deciding', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'LOW' } } });
    const input = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
    const { id } = (await app.job({ check: 'aml_screening', input })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { email } = await signedInAs(api, app, 'owner');
    const { page, expectClean, close } = await chromium.visit(`${siteUrl(api)}/console/upload`);
    const isFocused = (what: Locator) =>
      expect.poll(() => what.evaluate((element) => element === element.ownerDocument.activeElement), { message: `${what}` }).toBe(true);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Upload' }).waitFor();
    await isFocused(page.getByRole('main'));

    await choose(page, { name: 'staff.csv', mimeType: 'text/csv', buffer: Buffer.from('number\n40000000007\n') });
    const check = page.getByRole('checkbox', { name: /^NIN basic/ });
    await check.focus();
    await page.keyboard.press('Space');
    await isFocused(check);
    await page.keyboard.press('Space');
    await isFocused(check);

    await page.goto(`${siteUrl(api)}/console/try?check=nin_basic`);
    await page.getByRole('button', { name: 'Found', exact: true }).click();
    const call = page.getByRole('button', { name: 'Call', exact: true });
    await call.focus();
    await page.keyboard.press('Enter');
    await page.getByText('200').first().waitFor();
    await isFocused(call);

    await page.goto(`${siteUrl(api)}/console/reviews`);
    await page.locator('tbody a').first().click();
    await page.getByLabel('Approve').check();
    await page.getByLabel('Reason').fill('Another birth date');
    const decide = page.getByRole('button', { name: 'Decide', exact: true });
    await decide.focus();
    await page.keyboard.press('Enter');
    await decide.waitFor({ state: 'detached' });
    await isFocused(page.getByRole('main'));
    expectClean();
    await close();
  });

  test('a page says that it loads, but not within the first 150 ms, in which most answers come', async () => {
    const { app } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'batches');
    await page.getByRole('link', { name: 'June' }).waitFor();
    await delay(page, 800);
    await page.evaluate(`
      document.addEventListener('click', () => { window.askedAt = performance.now(); }, true);
      new MutationObserver(() => { if (document.querySelector('.spinner')) window.spinnerAt ??= performance.now(); })
        .observe(document, { childList: true, subtree: true });`);
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByText('Loading…').first().waitFor();
    expect(await page.evaluate('spinnerAt - askedAt')).toBeGreaterThanOrEqual(150);
    await page
      .getByRole('row', { name: /NIN basic/ })
      .first()
      .waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    expectClean();
    await close();
  });

  test('what the keyboard reaches is never hidden under the bar, also on the way back', async () => {
    const { app } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'privacy');
    await page.setViewportSize({ width: 1024, height: 500 });
    await page.getByRole('button', { name: 'Change the days of rows to correct' }).waitFor();
    await page.evaluate("[...document.querySelectorAll('main button')].at(-1).focus()");
    const hidden = `(() => {
      const { bottom, top } = document.activeElement.getBoundingClientRect();
      const isInPage = document.activeElement.matches('main :is(a, button, input, select, summary)');
      return isInPage && (top < document.querySelector('.top').getBoundingClientRect().bottom || bottom > innerHeight)
        ? document.activeElement.textContent : null;
    })()`;
    for (let pressed = 0; pressed < 20; pressed++) {
      await page.keyboard.press('Shift+Tab');
      expect(await page.evaluate(hidden)).toBeNull();
    }
    expectClean();
    await close();
  });

  test('a page that a link leads to begins at its top, also in a low window', async () => {
    const { app } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'home');
    await page.setViewportSize({ width: 1024, height: 400 });
    await page.getByRole('link', { name: 'Privacy' }).click();
    await page.getByRole('heading', { name: 'Privacy', exact: true }).waitFor();
    expect(await page.evaluate('[document.activeElement.id, scrollY]')).toEqual(['main', 0]);
    expectClean();
    await close();
  });

  test('nothing jumps while a page loads, however late its parts come', async () => {
    const { app, id } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'home');
    await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await delay(page, 250);
    for (const path of ['home', 'batches', `batches/${id}`, 'money', 'requests', 'keys', 'people', 'approvals']) {
      await page.goto(`${siteUrl(api)}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate('shift'), path).toBeLessThan(SHIFT_MAX);
    }
    expectClean();
    await close();
  });

  test('an address made elsewhere leads to a page or to none, and asks the API for nothing else', async () => {
    const { app } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'home');
    const before = (await app.wallet()).available;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const lookup = 'kyc%2Fnin%2Fadvance%3Fnin%3D70123456789%23';
    for (const path of [`jobs/x%2F..%2F..%2F${lookup}`, `batches/..%5C${lookup}`, 'jobs/%', 'batches/%E0%A4%A']) {
      await page.goto(`${siteUrl(api)}/console/${path}`);
      await page.getByText('There is no such page').waitFor();
    }
    expect(asked.filter((path) => /^\/api\/v1\/(kyc|jobs|batches)/.test(path))).toEqual([]);
    expect((await app.wallet()).available).toBe(before);
    expectClean();
    await close();
  });

  test('nothing moves for who has asked for less motion', async () => {
    const { app, id } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'viewer', `batches/${id}`, { reducedMotion: 'reduce' });
    await page.locator('.bar i').first().waitFor();
    const moving = (await page.evaluate(`[...document.querySelectorAll('*')]
      .map((one) => getComputedStyle(one))
      .filter(({ transitionDuration, animationDuration }) => [transitionDuration, animationDuration].some((time) => !/^0s(, 0s)*$/.test(time))).length`)) as number;
    expect(moving).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.bar i')).transitionDuration`)).toBe('0.4s');
    await close();
  });

  test('in high contrast one sees which mode is chosen, and how many rows came out how', async () => {
    const { app, id } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'viewer', `batches/${id}`, { forcedColors: 'active' });
    await page.locator('.bar i').first().waitFor();
    const background = (selector: string) => page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await background('.mode label:has(:checked)')).not.toBe(await background('.mode label:not(:has(:checked))'));
    expect(await background('.bar .found')).not.toBe(await background('.bar .failed'));
    await close();
  });

  test('times are Lagos’s with UTC on hover, money is naira and kobo, and an address that does not exist says so', async () => {
    const { app } = await withBatch();
    await api.service.sql`update batches set created_at = '2026-11-22T13:05:09Z', started_at = '2026-11-22T13:05:10Z'`;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'batches');
    const time = page.getByText('22 Nov 2026 14:05 WAT', { exact: true });
    await time.waitFor();
    expect(await time.getAttribute('title')).toBe('22 Nov 2026 13:05:09 UTC');
    await page.getByRole('cell', { name: '₦3,750.00', exact: true }).waitFor();
    await page.goto(`${siteUrl(api)}/console/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('the tab names what its page is about, and the keyboard can skip the menu', async () => {
    const { app, id } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', `batches/${id}`);
    await page.getByRole('heading', { name: 'June' }).waitFor();
    expect(await page.title()).toBe('June · Batch · Confam');
    await page.getByRole('link', { name: 'Batches' }).first().click();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    expect(await page.title()).toBe('Batches · Confam');
    await page.reload();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('button', { name: 'Skip to content' });
    expect((await skip.boundingBox())!.width).toBeGreaterThan(50);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect((await skip.boundingBox())!.width).toBeLessThan(5);
    expectClean();
    await close();
  });

  test('a printed page is black on white, without menus, buttons and filters', async () => {
    const { app } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'viewer', 'batches', { colorScheme: 'dark' });
    await page.getByRole('link', { name: 'June' }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const part of ['.top', '.nav', '.filters', '.content button']) expect(await page.locator(`${part}:visible`).count(), part).toBe(0);
    const colours = `[getComputedStyle(document.querySelector('h1')).color, getComputedStyle(document.querySelector('.card')).backgroundColor]`;
    expect(await page.evaluate(colours)).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    await page.getByRole('link', { name: 'June' }).waitFor();
    await page.goto(`${siteUrl(api)}/console/money/statements`);
    await page.getByRole('rowheader', { name: /Closing balance/ }).waitFor();
    expect(await page.locator('.tabs').isVisible()).toBe(false);
    // Paper has neither the bar nor the choice of a month.
    await page.getByRole('heading', { name: /^Statement of [A-Z][a-z]+ 20\d\d$/ }).waitFor();
    await page.getByText(/^Confam · .+ · test mode$/).waitFor();
    await page.emulateMedia({ media: 'screen' });
    expect(await page.getByText(/^Confam · .+ · test mode$/).isVisible()).toBe(false);
    await close();
  });

  test('a printed batch says which of its rows are on paper, each note in full, and leaves out what only a screen can do', async () => {
    const { app, id } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'operator', `batches/${id}`);
    await page.getByRole('row', { name: /Found/ }).first().waitFor();
    const printed = page.getByText('Rows 1–14 of 31. Download the file for all of them.');
    expect(await printed.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await printed.isVisible()).toBe(true);
    expect(await page.getByRole('heading', { name: 'Download', exact: true }).count()).toBe(0);
    expect(await page.evaluate(`(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.long'))`)).toBe(
      0,
    );
    await close();
  });

  test('a printed record has what is folded on the screen; a printed case has no empty form', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const { id } = (await app.job({ check: 'cac_advance', input: { rc_number: 'RC1432074' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const { page, close } = await visitAs(api, chromium, app, 'operator', `jobs/${id}`);
    await page.getByText('Directors', { exact: false }).first().waitFor();
    const occupation = page.locator('dt').getByText('Occupation').first();
    expect(await occupation.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await occupation.isVisible()).toBe(true);
    const input = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
    await app.ended(`/api/v1/jobs/${(await app.job({ check: 'aml_screening', input })).body.entity.id}`);
    const [review] = (await app.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data;
    await page.goto(`${siteUrl(api)}/console/reviews/${review!.id}`);
    await page.getByText('No notes yet.').waitFor();
    expect(await page.locator('main textarea:visible').count()).toBe(0);
    await page.emulateMedia({ media: 'screen' });
    expect(await page.locator('main textarea:visible').count()).toBe(2);
    await close();
  });

  test('what is removed from a list passes the keyboard on to the row beside it, and the last to the heading', async () => {
    const app = await api.createApp();
    for (const name of ['ada', 'bola', 'chidi'])
      await inviteToApp(api.service, { email: `${name}${app.app}@bank.test`, appId: parseId('app', app.app)!, role: 'viewer' });
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'people');
    const focused = () => page.evaluate("document.activeElement.closest('tr, h2')?.textContent ?? 'neither a row nor a heading'");
    const press = async (within: Locator, name: RegExp) => {
      await within.getByRole('button', { name }).focus();
      await page.keyboard.press('Enter');
    };
    const invited = page.getByRole('row').filter({ hasText: 'Withdraw' });
    await invited.nth(2).waitFor();
    const withdraw = async (at: number) => {
      const before = await invited.count();
      await press(invited.nth(at), /^Withdraw/);
      await press(page.getByRole('dialog'), /^Withdraw$/);
      await expect.poll(() => invited.count()).toBe(before - 1);
    };
    const [first, second, third] = (await invited.allTextContents()).map((text) => /^(ada|bola|chidi)/.exec(text)![0]);
    await withdraw(1);
    expect(await focused(), second).toMatch(new RegExp(`^${third}`));
    await withdraw(1);
    expect(await focused()).toMatch(new RegExp(`^${first}`));
    await page.goto(`${siteUrl(api)}/console/account`);
    // There is one more session: that of the test.
    const sessions = page.getByRole('region', { name: 'Your sessions' });
    await press(sessions, /^End/);
    await expect.poll(() => sessions.getByRole('row').count()).toBe(2);
    expect(await focused()).toBe('Where you are signed in');
    expectClean();
    await close();
  });

  test('a role that somebody else has changed is noticed without a reload', async () => {
    const { app } = await withBatch();
    const { page, email, close } = await visitAs(api, chromium, app, 'owner', 'batches');
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    const { data } = (await app.get<{ data: { id: string; email: string }[] }>('/api/v1/people')).body.entity;
    const { id } = data.find((member) => member.email === email)!;
    await api.service.sql`update app_people set role = 'viewer' where person_id = ${parseId('per', id)}`;
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByText('Your role does not include this page.').waitFor();
    expect(await page.getByRole('link', { name: 'Keys' }).count()).toBe(0);
    await api.service.sql`update app_people set role = 'owner' where person_id = ${parseId('per', id)}`;
    await page.waitForTimeout(5_000);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('row', { name: 'Ada Obi' }).waitFor();
    await close();
  });

  test('a link into the other mode says so, and the switch leads to what it is about', async () => {
    const { app, id } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'batches');
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('LIVE: real people').waitFor();
    await page.goto(`${siteUrl(api)}/console/batches/${id}`);
    await page.getByText('There is no such batch.').waitFor();
    await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Test').click();
    await page.getByRole('heading', { name: 'June' }).waitFor();
    await close();
  });

  test('text is as large as the browser is told, and what holds it grows with it', async () => {
    const { app } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'owner', 'keys');
    const button = page.getByRole('button', { name: 'New key' });
    await button.waitFor();
    const sizes = async () => [
      ...((await page.evaluate(`['h1', '.head button'].map((one) => getComputedStyle(document.querySelector(one)).fontSize)`)) as string[]),
      (await button.boundingBox())!.height,
    ];
    expect(await sizes()).toEqual(['20px', '14px', 36]);
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    expect(await sizes()).toEqual(['40px', '28px', 72]);
    await close();
  });

  test('in a low window the navigation shows where one is', async () => {
    const { app } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'owner', 'requests', { viewport: { width: 1280, height: 400 } });
    const current = page.locator('.nav a[aria-current]');
    await current.waitFor();
    expect(await current.textContent()).toBe('Requests');
    const { y, height } = (await current.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(400);
    expect(await page.evaluate('scrollY')).toBe(0);
    await close();
  });

  test('what a page reads while nobody uses it says so, and no longer when somebody does; an ended session hides a page that reads nothing too', async () => {
    const { app } = await withBatch();
    const { page, close } = await visitAs(api, chromium, app, 'operator', 'home');
    await page.clock.install();
    await Promise.all([page.waitForResponse('**/api/v1/overview*'), page.reload()]);
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    const isUnattended = async () => {
      const [request] = await Promise.all([page.waitForRequest('**/api/v1/overview*'), page.clock.fastForward(61_000)]);
      return (await request.allHeaders())['confam-unattended'];
    };
    expect(await isUnattended()).toBe('true');
    await page.mouse.move(10, 10);
    const [request] = await Promise.all([page.waitForRequest('**/api/v1/overview*'), page.clock.fastForward(10_000)]);
    expect((await request.allHeaders())['confam-unattended']).toBeUndefined();
    // An answer that takes longer than the interval is waited for.
    let answer = () => {};
    const isHeld = new Promise<void>((done) => (answer = done));
    await page.route('**/api/v1/overview*', (route) => isHeld.then(() => route.continue()));
    const [slow] = await Promise.all([page.waitForRequest('**/api/v1/overview*'), page.clock.fastForward(10_000)]);
    await page.clock.fastForward(10_000);
    await page.waitForTimeout(200);
    answer();
    expect((await slow.response())?.status()).toBe(200);
    await page.getByRole('link', { name: 'My account' }).click();
    await page.getByRole('row', { name: /This one/ }).waitFor();
    await page.context().clearCookies();
    await page.clock.fastForward(121_000);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await close();
  });

  test('on a very wide screen menu and page stand in the middle, the bar in line with them', async () => {
    const { app } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'batches', { viewport: { width: 3840, height: 1000 } });
    await page.getByRole('link', { name: 'June' }).waitFor();
    const boxOf = async (what: Locator) => (await what.boundingBox())!;
    const [menu, main] = [await boxOf(page.locator('.nav')), await boxOf(page.locator('main'))];
    const right = 3840 - main.x - main.width;
    expect(Math.abs(menu.x - right)).toBeLessThan(30);
    expect((await boxOf(page.locator('.brand'))).x).toBeCloseTo(menu.x + 16, -1);
    expect((await boxOf(page.locator('.strip'))).x).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect((await boxOf(page.locator('.nav'))).x).toBe(0);
    expectClean();
    await close();
  });

  test('a message about what was done in a dialog can be closed there, and stays when the dialog is closed', async () => {
    const { app } = await withBatch();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    const copy = page.getByRole('button', { name: 'Copy', exact: true });
    const message = page.getByRole('status').getByText('The browser did not allow copying.');
    await copy.click();
    await message.waitFor();
    expect(await page.locator('dialog:modal [role=status]').getByText('The browser did not allow copying.').count()).toBe(1);
    await page.getByRole('button', { name: 'Close the message' }).click();
    await message.waitFor({ state: 'detached' });
    await copy.click();
    await message.waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await message.waitFor();
    await page.getByRole('button', { name: 'Close the message' }).click();
    await message.waitFor({ state: 'detached' });
    expectClean();
    await close();
  });
});
