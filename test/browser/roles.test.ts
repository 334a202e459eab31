/** What each role is offered and refused, names that would break a page, and tabs that agree on who is signed in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/access/roles.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { useApi } from '../setup/api.ts';
import { PASSWORD, signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { choose, siteUrl, visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();

const ROLES: readonly Role[] = ['viewer', 'operator', 'approver', 'owner'];
const has = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

/** Pages and the least role that is offered them; null: nobody who is no administrator. */
const PAGES: readonly (readonly [link: string, path: string, least: Role | null])[] = [
  ['Home', 'home', 'viewer'],
  ['Batches', 'batches', 'viewer'],
  ['Approvals', 'approvals', 'viewer'],
  ['Requests', 'requests', 'viewer'],
  ['Privacy', 'privacy', 'viewer'],
  ['Money', 'money', 'viewer'],
  ['Upload', 'upload', 'operator'],
  ['Review', 'reviews', 'operator'],
  ['Screening', 'screening', 'operator'],
  ['Try', 'try', 'operator'],
  ['Webhooks', 'webhooks', 'operator'],
  ['Keys', 'keys', 'owner'],
  ['People', 'people', 'owner'],
  ['Audit', 'audit', 'owner'],
  ['Apps', 'operator/apps', null],
  ['Changes to approve', 'operator/approvals', null],
  ['Vendors', 'operator/vendors', null],
  ['Doctor', 'operator/doctor', null],
  ['Watch lists', 'operator/lists', null],
];

/** The paths of `pages.ts` that the navigation has. */
const IN_NAVIGATION = [
  ...readFileSync(join(packageRoot(), 'src/console/pages.ts'), 'utf8').matchAll(/path: '([^']+)',\s+title: '[^']+',\s+nav: '/g),
].map(([, path]) => path!);

/** Requests behind them. */
const CALLS: readonly (readonly [method: string, path: string, body: unknown, least: Role | null])[] = [
  ['GET', '/api/v1/batches', undefined, 'viewer'],
  ['GET', '/api/v1/wallet', undefined, 'viewer'],
  ['GET', '/api/v1/kyc/nin?nin=70123456789', undefined, 'operator'],
  ['POST', '/api/v1/jobs', { check: 'nin_basic', input: { nin: '70123456789' } }, 'operator'],
  ['POST', '/api/v1/jobs/job_1/reveal', { purpose: 'support' }, 'operator'],
  ['POST', '/api/v1/reviews/rev_1/comment', { text: 'Seen' }, 'operator'],
  ['GET', '/api/v1/webhooks/endpoints', undefined, 'operator'],
  ['POST', '/api/v1/approvals/apr_1/approve', undefined, 'approver'],
  ['GET', '/api/v1/keys', undefined, 'owner'],
  ['GET', '/api/v1/people', undefined, 'owner'],
  ['GET', '/api/v1/audit', undefined, 'owner'],
  ['GET', '/api/v1/subjects/erasures', undefined, 'owner'],
  ['GET', '/api/v1/admin/apps', undefined, null],
  ['GET', '/api/v1/admin/doctor', undefined, null],
  ['GET', '/api/v1/admin/providers', undefined, null],
  ['POST', '/api/v1/admin/providers/screening/pause', { minutes: 1 }, null],
  ['GET', '/console/queues', undefined, null],
];

/** Hebrew, an override that nothing ends, and a tag. */
const HOSTILE = 'שלום \u202e<img src=x onerror="alert(1)">';
/** The same as a person's name, which may not contain direction marks. */
const HOSTILE_NAME = HOSTILE.replace('\u202e', '');

/** Each text with the hostile name stands alone in its part of the line, or is isolated from what is beside it; and none of it became an element. */
async function expectIsolated(page: Page, where: string): Promise<void> {
  await page.getByText('<img src=x').filter({ visible: true }).first().waitFor();
  const loose = await page.evaluate(`(() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      if (!node.data.includes('שלום') || node.parentElement.closest('bdi, [dir=auto], option')) continue;
      let box = node.parentElement;
      while (getComputedStyle(box).display === 'inline') box = box.parentElement;
      if (box.textContent.trim() !== node.data.trim()) found.push(box.tagName + '.' + box.className + ': ' + box.textContent.trim());
    }
    return found;
  })()`);
  expect(loose, where).toEqual([]);
  expect(await page.locator('img[src=x]').count(), where).toBe(0);
}

test('every page of the navigation is tried by every role', () => {
  // Queues and the documentation are beside the pages.
  expect(PAGES.map(([, path]) => path).sort()).toEqual(IN_NAVIGATION.filter((path) => path !== 'queues' && path !== '../docs').sort());
});

describe.skipIf(!chromiumIsHere)(chromiumNote('people in the console'), () => {
  test.each(ROLES)(
    'a person with the role of %s is offered what it allows, and refused the rest by the page and by the API',
    async (role) => {
      const app = await api.createApp();
      const { page, expectClean, close } = await visitAs(api, chromium, app, role, '');
      await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
      const offered = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
      expect(offered).not.toContain('Queues');
      for (const [link, path, least] of PAGES) {
        const isAllowed = least !== null && has(role, least);
        expect(offered.includes(link), link).toBe(isAllowed);
        if (isAllowed) continue;
        await page.goto(`${siteUrl(api)}/console/${path}`);
        const told = path.startsWith('operator/')
          ? 'This page is for the administrators of the deployment.'
          : 'Your role does not include this page.';
        await page.getByText(told).waitFor();
      }
      expectClean();
      await close();
      const { browser } = await signedInAs(api, app, role);
      for (const [method, path, body, least] of CALLS) {
        const { status, text } = await browser.send(method, path, body);
        if (least !== null && has(role, least)) expect([200, 202, 404], `${method} ${path}: ${text}`).toContain(status);
        else expect(status, `${method} ${path}: ${text}`).toBe(403);
      }
    },
  );

  test('names with tags and marks of direction are shown as text, and turn nothing beside them around', async () => {
    const app = await api.createApp();
    await api.service.sql`update apps set name = ${HOSTILE} where id = ${parseId('app', app.app)}`;
    const csv = `"${HOSTILE.replaceAll('"', '""')} column",nin\n"${HOSTILE.replaceAll('"', '""')} 1",40000000007\nplain,40000000014\nplain,12\n`;
    const map = encodeURIComponent(JSON.stringify({ reference: `${HOSTILE} column` }));
    const { id } = (await app.csv(`checks=nin_basic&reference=${encodeURIComponent(HOSTILE)}&mapping=${map}`, csv)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const { data } = (await app.get<{ data: { id: string }[] }>(`/api/v1/batches/${id}/jobs`)).body.entity;
    const { browser } = await signedInAs(api, app, 'owner');
    expect((await browser.send('PATCH', '/api/v1/session', { name: HOSTILE_NAME })).status).toBe(200);
    expect((await browser.post('/api/v1/keys', { name: HOSTILE })).status).toBe(201);
    expect((await browser.send('PATCH', '/api/v1/settings', { approvals: { reveal: true } })).status).toBe(200);
    expect((await browser.post(`/api/v1/jobs/${data[0]!.id}/reveal`, { purpose: 'support', reason: HOSTILE })).status).toBe(202);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'account');
    await page.getByLabel('As others see it').fill(HOSTILE_NAME);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Name changed').waitFor();
    await expectIsolated(page, 'account');
    for (const path of ['batches', `batches/${id}`, `jobs/${data[0]!.id}`, 'approvals', 'keys', 'people', 'audit']) {
      await page.goto(`${siteUrl(api)}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main table').first().waitFor();
      await expectIsolated(page, path);
    }
    await page.goto(`${siteUrl(api)}/console/upload`);
    await choose(page, { name: `${HOSTILE.replaceAll('/', '')}.csv`, mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('heading', { name: 'What to check' }).waitFor();
    await expectIsolated(page, 'upload');
    const link = (await app.post<{ page_url: string }>(`/api/v1/batches/${id}/links`, { format: 'csv' })).body.entity;
    const stranger = await chromium.visit(link.page_url.replace('127.0.0.1', 'localhost'));
    await stranger.page.getByRole('button', { name: 'Download' }).waitFor();
    await expectIsolated(stranger.page, 'a signed link');
    expectClean();
    stranger.expectClean();
    await Promise.all([close(), stranger.close()]);
  });

  test('signing out in one tab takes the page of every other away; after signing in each goes on where it was, in its own mode', async () => {
    const app = await api.createApp();
    const { page, email, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'batches');
    const second = await page.context().newPage();
    await second.goto(`${siteUrl(api)}/console/batches`);
    await second.getByText('Live', { exact: true }).click();
    await second.getByText('LIVE: real people').waitFor();
    await page.reload();
    await page.getByText('TEST: invented people').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await second.getByLabel('E-mail address').waitFor();
    expect(await second.getByRole('heading', { name: 'Batches', exact: true }).count()).toBe(0);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
    await second.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
    await second.getByText('LIVE: real people').waitFor();
    expectClean();
    await close();
  });
});
