/** What engineers and the operator do in the console: try a check and copy its call, follow a webhook, see what it cost and what failed, run the deployment. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { PASSWORD, tokenIn } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs } from '../setup/console.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback', CONFAM_WEBHOOK_PRIVATE_ANSWERS: 'true' });
const chromium = useChromium();
const run = promisify(execFile);

describe.skipIf(!chromiumIsHere)(chromiumNote('the pages for engineers'), () => {
  test('a check is tried in the sandbox, and its call as curl gives the same answer', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'try');
    await page.getByRole('combobox', { name: 'Check', exact: true }).selectOption('bvn_match');
    await page.getByRole('button', { name: 'Found', exact: true }).click();
    expect(await page.getByRole('textbox', { name: 'BVN' }).inputValue()).toBe('22222222222');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByText('200 Found').waitFor();
    await answer
      .getByText(/^\d+ ms/)
      .first()
      .waitFor();
    await answer.getByText('"confidence_value": 100').first().waitFor();
    const curl = (await page.getByRole('region', { name: 'The call in curl' }).locator('pre').textContent())!;
    const { stdout } = await run('bash', ['-c', curl], { env: { PATH: process.env.PATH, CONFAM_KEY: app.key } });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', cached: true, entity: { bvn: { value: '22222222222' } } });
    await page.getByRole('textbox', { name: 'BVN' }).fill('123');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await answer.getByText('400 invalid_request').waitFor();
    await page.getByText('must be 11 digits', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Not on record' }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await answer.getByText('404 Not on record').waitFor();
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('Nobody answers this check in live mode.').waitFor();
    expect(await page.getByRole('button', { name: /^Call for ₦/ }).isDisabled()).toBe(true);
    expectClean();
    await close();
  });

  test('a webhook is made, tested, seen to fail and to arrive, and sent again', async () => {
    let status = 500;
    const got: string[] = [];
    const receiver = createServer((request, response) => {
      got.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.writeHead(status).end('thanks <b>a lot</b>'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Address').fill('ftp://example.com/confam');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/confam`);
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('Nothing was sent yet').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('row', { name: /endpoint\.test.*500/ }).waitFor();
    await page.getByRole('button', { name: /endpoint\.test/ }).click();
    await page.getByText('The receiver answered 500.').first().waitFor();
    await page.getByText('thanks <b>a lot</b>').first().waitFor();
    await page.getByText('"type": "endpoint.test"').first().waitFor();
    await expectAccessible(page, 'a delivery');
    status = 200;
    await page.getByRole('button', { name: 'Send this again' }).click();
    await page
      .getByRole('row', { name: /endpoint\.test.*Delivered.*200/ })
      .first()
      .waitFor();
    expect(new Set(got).size).toBe(1);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0);
    expectClean();
    await close();
    receiver.close();
  });

  test('money shows what a call has cost, and requests the code of one that failed', async () => {
    const app = await api.createApp({ settings: { dailyCap: 50_000, lowBalance: 99_990 } });
    await app.get('/api/v1/kyc/nin/advance?nin=70123456789');
    const refused = await app.get('/api/v1/kyc/nin?nin=12');
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'money');
    await page.getByText('The balance is low.').waitFor();
    await page.getByText('₦50,000.00').waitFor();
    await page
      .getByRole('row', { name: /NIN advance.*₦125\.00/ })
      .first()
      .waitFor();
    await page.getByRole('img', { name: /Spend by day/ }).waitFor();
    await expectAccessible(page, 'money');
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Statements' }).click();
    await page.getByRole('row', { name: /Closing balance.*₦99,875\.00/ }).waitFor();
    await page.getByRole('button', { name: 'Download CSV' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^statement-\d{4}-\d{2}\.csv$/);
    await page.getByRole('link', { name: 'Entries' }).click();
    await page.getByRole('row', { name: /Charged.*₦125\.00/ }).waitFor();
    await page.getByRole('link', { name: 'Requests' }).click();
    const failed = page.getByRole('row', { name: new RegExp(refused.body.meta.request_id) });
    await failed.getByText('invalid_request').waitFor();
    await page.getByLabel('Answer').selectOption('2xx');
    await failed.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /\/api\/v1\/kyc\/nin\/advance/ }).waitFor();
    await page.getByLabel('Answer').selectOption('');
    await page.getByLabel('Request id').fill(refused.body.meta.request_id);
    await page.keyboard.press('Enter');
    await failed.waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await expectAccessible(page, 'requests');
    expect(await page.content()).not.toMatch(/70123456789/);
    expectClean();
    await close();
  });

  test('an administrator suspends, resumes and tops up an app; nobody else is offered any of it', async () => {
    const app = await api.createApp({ naira: 0 });
    const invited = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'root@bank.test', administrator: true });
    const { page, expectClean, close } = await chromium.visit(`${siteUrl(api)}/console/invitation#${tokenIn(invited.body.entity.link)}`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('link', { name: 'Apps' }).waitFor();
    await page.goto(`${siteUrl(api)}/console/operator/apps/${app.app}`);
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
    await page.getByText('Live screenings wait for a required list.').waitFor();
    await page.getByRole('link', { name: 'Vendors' }).click();
    await page.getByRole('heading', { name: 'screening' }).waitFor();
    await page.getByRole('link', { name: 'Top-ups and prices' }).click();
    await page.getByText('Nothing waits').waitFor();
    expectClean();
    await close();
    const owner = await visitAs(api, chromium, app, 'owner', 'operator/apps');
    await owner.page.getByText('Your role does not include this page.').waitFor();
    expect(await owner.page.getByRole('link', { name: 'Vendors' }).count()).toBe(0);
    const refused = await owner.page.evaluate(`fetch('../../api/v1/admin/apps').then(({ status }) => status)`);
    expect(refused).toBe(403);
    await owner.close();
  });
});
