/** Signing in to the console, in a real browser: invitation, password, second factor, link, and what is said when it does not work. */
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { inviteToApp, linkUrl, newSignInLink } from '../../src/access/people/links.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { useApi } from '../setup/api.ts';
import { PASSWORD, signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';

const api = useApi();
const chromium = useChromium();
const siteUrl = () => api.url.replace('127.0.0.1', 'localhost');

describe.skipIf(!chromiumIsHere)(chromiumNote('signing in to the console'), () => {
  test('an invitation sets a password; signing out and in again comes back to the page that was asked for', async () => {
    const app = await api.createApp();
    const email = `grace-${app.app.slice(-8)}@bank.test`;
    const { token } = await inviteToApp(api.service, { email, appId: parseId('app', app.app)!, role: 'operator' });
    const { page, expectClean, close } = await chromium.visit(linkUrl(siteUrl(), 'invitation', token));
    await page.getByRole('heading', { name: 'You are invited' }).waitFor();
    expect(page.url()).not.toContain(token);
    await page.getByLabel('Your name').fill('Grace <b>Udo</b>');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await page.getByText('Grace <b>Udo</b>').waitFor();
    await page.goto(`${siteUrl()}/console/batches?status=failed`);
    await page.getByRole('heading', { name: 'No batch fits' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill('not this one at all');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No batch fits' }).waitFor();
    expectClean();
    await close();
  });

  test('a link signs in once, and asks for the second factor, which may be a recovery code', async () => {
    const app = await api.createApp();
    const { browser, id } = await signedInAs(api, app, 'owner');
    const personId = parseId('per', id)!;
    const enrolled = (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity;
    const totp = new TOTP({ secret: enrolled.secret });
    const confirmed = await browser.post<{ recovery_codes: string[] }>('/api/v1/session/totp/confirm', { code: totp.generate() });
    expect(confirmed.status).toBe(200);
    // The code that confirmed it is used up.
    await api.service.sql`update people set totp_step = null where id = ${personId}`;
    const link = linkUrl(siteUrl(), 'sign_in', await newSignInLink(api.service, personId));
    const { page, expectClean, close } = await chromium.visit(link);
    await page.getByLabel('Six digits').fill(totp.generate());
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    expectClean();
    // Also in a tab that shows the page already, where only the fragment changes.
    const again = await chromium.visit(`${siteUrl()}/console/sign-in`);
    await again.page.goto(link);
    await again.page.getByRole('alert').getByText('The link is not valid').waitFor();
    const other = linkUrl(siteUrl(), 'sign_in', await newSignInLink(api.service, personId));
    await again.page.goto(other);
    await again.page.getByRole('button', { name: 'Use a recovery code' }).click();
    await again.page.getByLabel('recovery codes').fill(confirmed.body.entity.recovery_codes[0]!);
    await again.page.keyboard.press('Enter');
    await again.page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await Promise.all([close(), again.close()]);
  });

  test('says when nothing can be reached, and fits a narrow screen', async () => {
    const { page, close } = await chromium.visit(`${siteUrl()}/console/sign-in`);
    await page.getByLabel('E-mail address').waitFor();
    // There is no identity provider.
    expect(await page.getByRole('button', { name: 'organisation' }).count()).toBe(0);
    await page.setViewportSize({ width: 360, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.route('**/api/**', (route) => route.abort());
    await page.getByLabel('E-mail address').fill('ada@bank.test');
    await page.getByLabel('Password').fill('whatever it was');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await close();
  });
});
