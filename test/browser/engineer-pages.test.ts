/** The console for engineers: try any check and copy its call, follow a webhook, see costs and failures. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { openClient, useApi } from '../setup/api.ts';
import { expectAccessible } from '../setup/axe.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { siteUrl, visitAs } from '../setup/console.ts';

const api = useApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback', CONFAM_WEBHOOK_PRIVATE_ANSWERS: 'true' });
const chromium = useChromium();
const run = promisify(execFile);

interface CatalogueEntry {
  id: string;
  inputs: { name: string; form: string; required: boolean }[];
  samples: { label: string }[];
}

/** What only somebody who writes a program understands. */
const TO_PROGRAMS = /`|true|false|YYYY|base64|ISO \d|RFC|as a string|[A-Z]_[A-Z]|rc_number/;

describe.skipIf(!chromiumIsHere)(chromiumNote('the pages for engineers'), () => {
  test('an empty list says what to do next', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'requests');
    await page.getByText('No requests in test mode yet').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Try a check' }).waitFor();
    await page.goto(`${siteUrl(api)}/console/batches`);
    await page.getByText('Upload your first file to begin.').waitFor();
    await page.goto(`${siteUrl(api)}/console/webhooks`);
    await page.getByText('Create one, then send it a test.').waitFor();
    expectClean();
    await close();
  });

  test('a key without a name is called the same on every page', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: '70123456789' } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    const key = (await app.get<{ data: { id: string }[] }>('/api/v1/keys')).body.entity.data[0]!.id.slice(-8);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', `jobs/${id}`);
    await page.getByText(`by the key …${key}`).waitFor();
    await page.getByRole('link', { name: 'Requests' }).click();
    await page
      .getByRole('cell', { name: `Key …${key}`, exact: true })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page
      .getByRole('cell', { name: `Key …${key}`, exact: true })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('rowheader', { name: new RegExp(`^…${key}.*cf_test_`) }).waitFor();
    expectClean();
    await close();
  });

  test('a check is tried in the sandbox, and its call as curl gives the same answer', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'try');
    await page.getByRole('combobox', { name: 'Check', exact: true }).selectOption('bvn_match');
    await page.getByRole('button', { name: 'Found', exact: true }).click();
    expect(await page.getByRole('textbox', { name: 'BVN' }).inputValue()).toBe('22222222222');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByText('200 All agree').waitFor();
    await answer
      .getByText(/^\d+\sms/)
      .first()
      .waitFor();
    await answer.getByText('"confidence_value": 100').first().waitFor();
    const curl = (await page.getByRole('region', { name: 'The call in curl' }).locator('pre').textContent())!;
    const { stdout } = await run('bash', ['-c', curl], { env: { PATH: process.env.PATH, CONFAM_KEY: app.key } });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', cached: true, entity: { bvn: { value: '22222222222' } } });
    await page.getByText('Bank verification number, 11 digits', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'BVN' }).fill('123');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await answer.getByText('400 invalid_request').waitFor();
    await page.getByText('must be 11 digits', { exact: true }).waitFor();
    await answer.getByText('BVN must be 11 digits.', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'BVN' }).fill('222 2222-2222');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await answer.getByText('200 All agree').waitFor();
    await page.getByRole('button', { name: 'Not on record' }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await answer.getByText('404 Not on record').waitFor();
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('No provider answers this check in live mode.').waitFor();
    expect(await page.getByRole('button', { name: /^Call for ₦/ }).isDisabled()).toBe(true);
    expectClean();
    await close();
  });

  test('every check has a form that its declaration makes, and what its first sandbox values give', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const { data: checks } = (await app.get<{ data: CatalogueEntry[] }>('/api/v1/checks')).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'try');
    const chooser = page.getByRole('combobox', { name: 'Check', exact: true });
    await chooser.waitFor();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    for (const { id, inputs, samples } of checks) {
      await chooser.selectOption(id);
      const form = page.getByRole('form', { name: `Inputs of ${id}` });
      await form.waitFor();
      for (const { name } of inputs) expect(await form.locator(`[name="${name}"]`).count(), `${id} ${name}`).toBe(1);
      expect(await form.textContent(), id).not.toMatch(TO_PROGRAMS);
      // A picture comes from whoever tries it.
      if (samples.length === 0 || inputs.some(({ form, required }) => form === 'image' && required)) continue;
      await form.getByRole('button', { name: samples[0]!.label, exact: true }).click();
      await form.getByRole('button', { name: 'Call', exact: true }).click();
      await answer.getByText(id === 'aml_screening' ? '200 1 hit, critical' : /^200 (?!ms)/).waitFor();
      expect(await answer.getByText(/^₦\d/).count(), id).toBe(1);
    }
    expectClean();
    await close();
  });

  test('a webhook is made, tested, seen to fail and to arrive, and sent again', async () => {
    let status = 500;
    const got: string[] = [];
    const receiver = createServer((request, response) => {
      got.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.writeHead(status, { 'Retry-After': '60' }).end('thanks <b>a lot</b>'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', 'webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Address').fill('http://example.com/confam');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('The address must begin with https.', { exact: true }).waitFor();
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/confam`);
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('Nothing has been sent yet').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('row', { name: /endpoint\.test.*Failing next attempt at .*500/ }).waitFor();
    await page.getByRole('button', { name: /endpoint\.test/ }).click();
    await page.getByText('The receiver answered 500.').first().waitFor();
    await page.getByText('thanks <b>a lot</b>').first().waitFor();
    await page.getByText('"type": "endpoint.test"').first().waitFor();
    await expectAccessible(page, 'a delivery');
    status = 200;
    const resent: string[] = [];
    await page.route('**/redeliver', async (route) => {
      resent.push(route.request().url());
      await new Promise((done) => setTimeout(done, 300));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Send this again' }).dblclick();
    await page
      .getByRole('row', { name: /endpoint\.test.*Delivered.*200/ })
      .first()
      .waitFor();
    expect(resent).toHaveLength(1);
    expect(new Set(got).size).toBe(1);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0);
    expectClean();
    await close();
    receiver.close();
  });

  test('an endpoint is disabled, enabled, sent what it missed, given a new secret and deleted', async () => {
    const got: string[] = [];
    const receiver = createServer((request, response) => {
      got.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const app = await api.createApp();
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/confam`;
    const made = await app.post<{ id: string }>('/api/v1/webhooks/endpoints', { url });
    expect(made.status, made.text).toBe(201);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `webhooks/${made.body.entity.id}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('The endpoint is disabled.').waitFor();
    await app.ended(`/api/v1/jobs/${(await app.job({ check: 'nin_basic', input: { nin: '70123456789' } })).body.entity.id}`);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('What it missed can be sent again.').waitFor();
    expect(got).toEqual([]);
    await page.getByRole('button', { name: 'Send again…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 event sent again.').waitFor();
    await page.getByRole('row', { name: /job\.completed.*Delivered/ }).waitFor();
    expect(got.length).toBe(1);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByText('For 24 hours every message is signed with both').waitFor();
    await page.getByLabel('The old secret has leaked').check();
    await page.getByText('The old secret stops working at once.').waitFor();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    const secret = page.getByRole('dialog', { name: 'The signing secret' });
    expect(await secret.getByLabel('Secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
    // It is shown only once: one key too many must not lose it.
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    await secret.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the endpoint' }).click();
    await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
    await page.getByText('No endpoints').waitFor();
    expectClean();
    await close();
    receiver.close();
  });

  test('an endpoint says what its messages carry: no results, encrypted ones, or why not', async () => {
    const app = await api.createApp();
    const url = 'https://example.com/confam';
    const encryption_key = await exportJWK((await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true })).publicKey);
    const maker = (await app.post<{ id: string; key: string }>('/api/v1/keys', { scopes: ['webhooks', 'results:read'] })).body.entity;
    const plain = (await app.post<{ id: string }>('/api/v1/webhooks/endpoints', { url })).body.entity;
    const keyed = (
      await openClient(api.url, app.app, maker.key).post<{ id: string }>('/api/v1/webhooks/endpoints', { url, encryption_key })
    ).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'operator', `webhooks/${plain.id}`);
    const results = page.getByRole('definition').filter({ has: page.locator('xpath=preceding-sibling::dt[text()="Results in messages"]') });
    await expect.poll(() => results.textContent()).toBe('None');
    await page.goto(page.url().replace(plain.id, keyed.id));
    await expect.poll(() => results.textContent()).toBe('Encrypted to your key');
    expect((await app.post(`/api/v1/keys/${maker.id}/revoke`)).status).toBe(200);
    await page.reload();
    await expect
      .poll(() => results.textContent())
      .toBe('WithheldWhoever set the encryption key may not receive results now. Set it again with an API key that may.');
    await expectAccessible(page, 'webhook whose results are withheld');
    expectClean();
    await close();
  });

  test('money shows what a call has cost, and requests the code of one that failed', async () => {
    const app = await api.createApp({ settings: { dailyCap: 50_000, lowBalance: 99_990 } });
    await app.get('/api/v1/kyc/nin/advance?nin=70123456789');
    const refused = await app.get('/api/v1/kyc/nin?nin=12');
    await app.post('/api/v1/webhooks/deliveries/dlv_none/redeliver');
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'viewer', 'money');
    await page.getByText('The balance is low.').waitFor();
    await page.getByText(/Ask your administrator to top the wallet up\.$/).waitFor();
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
    // Short, to fit in one line; the button copies the whole.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await failed.getByRole('button', { name: /^Copy …/ }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(refused.body.meta.request_id);
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
    // On a phone, a long route breaks instead of being cut.
    await page.getByLabel('Request id').fill('');
    await page.keyboard.press('Enter');
    await page.setViewportSize({ width: 360, height: 740 });
    const route = page.locator('.stacked code', { hasText: 'POST /api/v1/webhooks/deliveries/:id/redeliver' });
    const { x, width } = (await route.boundingBox())!;
    expect(x + width).toBeLessThan(360);
    expectClean();
    await close();
  });
});
