/** The console of a service with a vendor and an identity provider: a vendor that is down, and the ways to sign in that need more than a password. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { OIDC_CALLBACK } from '../../src/access/people/oidc.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { useApi } from '../setup/api.ts';
import { expectAccessible, LOOKS_MS } from '../setup/axe.ts';
import { signedInAs, tokenIn } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { checkOnly, choose, siteUrl, visitAs, visitAsAdministrator } from '../setup/console.ts';
import { type IdentityProvider, startIdentityProvider } from '../setup/identity-provider.ts';
import { freshNin } from '../setup/work.ts';

let vendor: Simulator;
let provider: IdentityProvider;
const folder = mkdtempSync(join(tmpdir(), 'console-live-'));
afterAll(async () => {
  await Promise.all([vendor.close(), provider.close()]);
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});
const api = useApi(async () => {
  const port = await freePort();
  // Passkeys and the provider's way back need the address that people see.
  const publicUrl = `http://localhost:${port}`;
  vi.stubEnv('SIMULATOR_KEY', 'cf_live_of_the_simulator');
  [vendor, provider] = await Promise.all([startSimulator(), startIdentityProvider(`${publicUrl}${OIDC_CALLBACK}`)]);
  const path = join(folder, 'upstreams.json');
  const credentials = { key: { env: 'SIMULATOR_KEY' }, app_id: { env: 'SIMULATOR_KEY' } };
  const registry = { adapter: 'native', credentials, timeout_ms: 500, base_url: vendor.url };
  writeFileSync(path, JSON.stringify({ providers: { registry }, records: { nin: ['registry'] } }));
  return {
    PORT: String(port),
    CONFAM_PUBLIC_URL: publicUrl,
    CONFAM_UPSTREAMS: path,
    CONFAM_OIDC_ISSUER: provider.issuer,
    CONFAM_OIDC_CLIENT_ID: provider.clientId,
    CONFAM_OIDC_CLIENT_SECRET: provider.clientSecret,
  };
});
const chromium = useChromium();

describe.skipIf(!chromiumIsHere)(chromiumNote('the console of a live service'), () => {
  test('says in words that a vendor is down, what that means for each thing, and goes on when it is back', {
    timeout: LOOKS_MS,
  }, async () => {
    const app = await api.createApp();
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 100_000_00, null);
    vendor.setScript({ error_rate: 1 });
    const csv = `nin\n${Array.from({ length: 40 }, freshNin).join('\n')}\n`;
    const { id } = (await app.live.csv('checks=nin_basic&reference=waits', csv)).body.entity;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', '');
    await page.getByText('Live', { exact: true }).click();
    await page.getByText('LIVE: real people').waitFor();
    await page.goto(`${siteUrl(api)}/console/batches/${id}`);
    await page.getByText('A vendor is not answering.').waitFor();
    await page.getByText('The rows wait and continue automatically; nothing is lost or charged.').waitFor();
    await expectAccessible(page, 'a batch whose vendor is down');
    await page.goto(`${siteUrl(api)}/console/home`);
    await page.getByRole('row', { name: /^NIN/ }).getByText('Not answering').waitFor();
    await expectAccessible(page, 'home while a vendor is down');
    await page.goto(`${siteUrl(api)}/console/try?check=nin_basic`);
    await page.getByRole('textbox', { name: 'NIN' }).fill(freshNin());
    const consent = page.getByRole('checkbox');
    if (await consent.count()) await consent.first().check();
    await page.getByRole('button', { name: /^Call for ₦/ }).click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByRole('alert').waitFor();
    expect(await answer.getByRole('alert').textContent()).toMatch(/Try again/);
    vendor.setScript({});
    await page.goto(`${siteUrl(api)}/console/batches/${id}`);
    await page.locator('.head .state').getByText('Completed').waitFor();
    // Who was asked for a row, and what came of each attempt.
    await page.locator('section.long tbody a').first().click();
    await page
      .getByRole('row', { name: /registry.*tier.*down/i })
      .first()
      .waitFor();
    await page.getByRole('row', { name: /registry.*tier.*Found/ }).waitFor();
    expectClean();
    await close();
  });

  test('while a batch is retried, its page keeps one stream of events, and its rows change by themselves when it has ended', async () => {
    vendor.setScript({});
    const app = await api.createApp();
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 100_000_00, null);
    const { id } = (await app.live.csv('checks=nin_basic', `reference,nin\nc-1,${freshNin()}\nc-2,00000000001\n`)).body.entity;
    await app.live.ended(`/api/v1/batches/${id}`);
    // As if the vendor had been down for this number.
    const batch = parseId('bat', id)!;
    await api.service
      .sql`update jobs set status = 'failed', outcome = null, error_code = 'provider_failed' where batch_id = ${batch} and row_number = 2`;
    await api.service.sql`update batches set failed = 1, completed = 1, not_found = 0 where id = ${batch}`;
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', '');
    await page.getByText('Live', { exact: true }).click();
    await page.goto(`${siteUrl(api)}/console/batches/${id}`);
    await page.getByRole('row', { name: /c-2.*Failed/ }).waitFor();
    vendor.setScript({ error_rate: 1 });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Retry 1 failed' }).click();
    await page.getByText('The failed rows are being retried.').waitFor();
    await page.waitForTimeout(1_000);
    expect(asked.filter((path) => path.endsWith('/events'))).toHaveLength(1);
    expect(asked.length).toBeLessThan(20);
    vendor.setScript({});
    await page.getByRole('row', { name: /c-2.*Not found/ }).waitFor();
    await page.locator('.head .state').getByText('Completed', { exact: true }).waitFor();
    expectClean();
    await close();
  });

  test('a file is uploaded with the consent that the app requires, which the report of look-ups counts; otherwise it is optional', async () => {
    vendor.setScript({});
    const app = await api.createApp({ settings: { consentRequired: true } });
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 100_000_00, null);
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'upload');
    const file = (nin: string) => ({ name: 'june.csv', mimeType: 'text/csv', buffer: Buffer.from(`nin\n${nin}\n`) });
    const send = page.getByRole('button', { name: 'Send the file and see the price' });
    const state = async (purpose: string) => {
      await page.getByLabel('Purpose').fill(purpose);
      await page.getByLabel('Where it is recorded').fill('KYC-policy-4');
      await page.getByLabel('Since when it holds').fill('2026-11-20T09:30');
    };
    // Optional in test mode; but then all of it must be given.
    await choose(page, file('70123456789'));
    await checkOnly(page, /^NIN basic/);
    const group = page.getByText('Consent of the people in the file');
    await group.click();
    await page.getByLabel('Purpose').fill('onboarding');
    await group.click();
    await send.click();
    await page.getByLabel('Where it is recorded').waitFor();
    await page.getByLabel('Purpose').fill('');
    await group.click();
    await send.click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Live', { exact: true }).click();
    await choose(page, file(freshNin()));
    await checkOnly(page, /^NIN basic/);
    await page.getByText('This app needs the customers’ consent, or another lawful basis, for live checks').waitFor();
    await send.click();
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
    await page.getByLabel('Lawful basis').selectOption('contract');
    await state('onboarding');
    await expectAccessible(page, 'an upload that needs consent');
    await send.click();
    await page.getByRole('button', { name: /^Start now for at most ₦/ }).click();
    await page.locator('.head .state').getByText('Completed').waitFor();
    await page.goto(`${siteUrl(api)}/console/privacy`);
    await page.getByRole('button', { name: 'Count look-ups' }).click();
    await page.getByRole('row', { name: /onboarding.*Contract.*NIN basic/ }).waitFor();
    expectClean();
    await close();
  });

  test('an administrator pauses a vendor for a while and asks it again; nobody else is offered that, and the API refuses it', {
    timeout: LOOKS_MS,
  }, async () => {
    vendor.setScript({});
    const app = await api.createApp();
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 100_000_00, null);
    const ask = () => app.live.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    const { page, expectClean, close } = await visitAsAdministrator(api, chromium, 'operator/vendors');
    const card = page.getByRole('region', { name: 'registry', exact: true });
    await card.getByText('Healthy', { exact: true }).waitFor();
    const screening = page.getByRole('region', { name: 'screening', exact: true });
    await screening.getByText('Cannot answer', { exact: true }).waitFor();
    await screening.getByText('Not loaded: ofac_sdn, un_sc. Watch lists says what to do.').waitFor();
    expect((await ask()).status).toBe(200);
    await card.getByRole('button', { name: 'Pause registry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause registry?' });
    await dialog.getByText('Jobs that only registry can answer wait').waitFor();
    const minutes = dialog.getByLabel('For how many minutes');
    await minutes.fill('2000');
    await dialog.getByRole('button', { name: 'Pause it' }).click();
    expect(await minutes.evaluate((field) => (field as unknown as { validity: { valid: boolean } }).validity.valid)).toBe(false);
    await expectAccessible(page, 'pausing a vendor');
    await minutes.fill('5');
    await page.keyboard.press('Enter');
    await page.getByText('registry is paused.').waitFor();
    await card.getByText('Paused', { exact: true }).waitFor();
    await card.getByText(/^ ?for (5\smin|4\smin 5\d\ss)$/).waitFor();
    await expectAccessible(page, 'a vendor that is paused');
    expect(await ask()).toMatchObject({ status: 503, body: { code: 'provider_unavailable' } });
    const { id } = (await app.live.csv('checks=nin_basic', `nin\n${freshNin()}\n`)).body.entity;
    await card.getByRole('button', { name: 'Resume now' }).click();
    await page.getByText('registry is resumed.').waitFor();
    await card.getByText('Healthy', { exact: true }).waitFor();
    expect((await ask()).status).toBe(200);
    expect(await app.live.ended<{ status: string }>(`/api/v1/batches/${id}`)).toMatchObject({ counts: { found: 1 } });
    expectClean();
    await close();
    const { browser } = await signedInAs(api, app, 'owner');
    expect((await browser.post('/api/v1/admin/providers/registry/pause', { minutes: 5 })).status).toBe(403);
    expect((await browser.post('/api/v1/admin/providers/registry/resume')).status).toBe(403);
    const owner = await visitAs(api, chromium, app, 'owner', 'operator/vendors');
    await owner.page.getByText('This page is for the administrators of the deployment.').waitFor();
    expect(await owner.page.getByRole('button', { name: /Pause|Ask it again/ }).count()).toBe(0);
    await owner.close();
  });

  test('a passkey is added and signs in by itself', async () => {
    const app = await api.createApp();
    const { page, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'account');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('A name to recognize it by').fill('Work laptop');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The passkey is added.').waitFor();
    await page.getByRole('row', { name: /Work laptop.*Not yet/ }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByRole('row', { name: /Work laptop/ }).waitFor();
    expect(await page.getByRole('row', { name: /Work laptop.*Not yet/ }).count()).toBe(0);
    expectClean();
    await close();
  });

  test('people sign in through their organization; whom it sends and nobody has invited is told so', async () => {
    const app = await api.createApp();
    const invitation = await api.admin.post<{ link: string }>('/api/v1/admin/people', {
      email: 'chika@bank.test',
      app: app.app,
      role: 'operator',
    });
    const signIn = async (login: string, path = 'batches') => {
      const visit = await chromium.visit(`${siteUrl(api)}/console/${path}`);
      const { page } = visit;
      await page.getByRole('button', { name: 'Sign in with your organization' }).click();
      await page.locator('input[name=login]').fill(login);
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.locator('button[type=submit]').click();
      await page.waitForURL(/\/console\//);
      return visit;
    };
    const stranger = await signIn('stranger@bank.test');
    await stranger.page.getByRole('alert').getByText('Your organization did not sign you in.').waitFor();
    await stranger.close();
    const { page, expectClean, close } = await signIn('chika@bank.test');
    await page.getByText('You do not belong to any app').waitFor();
    // The page that was asked for before.
    expect(new URL(page.url()).pathname).toBe('/console/batches');
    await page.goto(`${siteUrl(api)}/console/invitation#${tokenIn(invitation.body.entity.link)}`);
    await page.getByRole('link', { name: 'Upload', exact: true }).waitFor();
    expectClean();
    await close();
    // Somebody else who has the invitation open and goes there from its page has accepted it on coming back.
    const email = 'dele@bank.test';
    const next = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email, app: app.app, role: 'viewer' });
    const dele = await signIn(email, `invitation#${tokenIn(next.body.entity.link)}`);
    await dele.page.getByRole('heading', { name: 'Home' }).waitFor();
    dele.expectClean();
    await dele.close();
    // Under another address than the invited one it stays open, and the person is told.
    const open = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: 'efe@bank.test', app: app.app, role: 'viewer' });
    const again = await signIn(email, `invitation#${tokenIn(open.body.entity.link)}`);
    await again.page.getByText('You are signed in, but the invitation is not accepted: it is for another address').waitFor();
    expect(new URL(again.page.url()).search).toBe('');
    again.expectClean();
    await again.close();
  });
});
