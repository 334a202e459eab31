/** Signing in to the console, in a real browser: invitation, password, second factor, link, and what is said when it does not work. */
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { inviteToApp, linkUrl, newSignInLink } from '../../src/access/people/links.ts';
import { useRecoveryCode } from '../../src/access/people/recovery-codes.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { useApi } from '../setup/api.ts';
import { PASSWORD, signedInAs } from '../setup/browser.ts';
import { chromiumIsHere, chromiumNote, useChromium } from '../setup/chromium.ts';
import { visitAs } from '../setup/console.ts';

const api = useApi();
const chromium = useChromium();
/** As many apps show a code. */
const spaced = (code: string) => `${code.slice(0, 3)} ${code.slice(3)} `;
const siteUrl = () => api.url.replace('127.0.0.1', 'localhost');

describe.skipIf(!chromiumIsHere)(chromiumNote('signing in to the console'), () => {
  test('an invitation sets a password; signing out and in again comes back to the page that was asked for', async () => {
    const app = await api.createApp();
    const email = `grace-${app.app.slice(-8)}@bank.test`;
    const { token } = await inviteToApp(api.service, { email, appId: parseId('app', app.app)!, role: 'operator' });
    const { page, expectClean, close } = await chromium.visit(linkUrl(siteUrl(), 'invitation', token));
    await page.getByRole('heading', { name: 'You are invited' }).waitFor();
    expect(page.url()).not.toContain(token);
    await page.getByText(/^You have been invited to join .+ as an operator\. Your account is grace-/).waitFor();
    await page.getByLabel('Your name').fill(' ');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.locator('input[name=name]:invalid').waitFor();
    await page.getByLabel('Your name').fill('Grace <b>Udo</b>');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await page.getByText('Grace <b>Udo</b>').waitFor();
    await page.goto(`${siteUrl()}/console/batches?status=failed`);
    await page.getByRole('heading', { name: 'No batch matches' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByText('Forgotten your password?').waitFor();
    await page.getByLabel('Password').fill('not this one at all');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.getByLabel('Password').getAttribute('type')).toBe('text');
    await page.getByLabel('Password').press('Enter');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No batch matches' }).waitFor();
    expectClean();
    await close();
  });

  test('a used invitation says so before a password is typed; somebody with an account signs in and has accepted it', async () => {
    const app = await api.createApp();
    const appId = parseId('app', app.app)!;
    const { email } = await signedInAs(api, await api.createApp(), 'viewer');
    const { token } = await inviteToApp(api.service, { email, appId, role: 'viewer' });
    const { page, expectClean, close } = await chromium.visit(linkUrl(siteUrl(), 'invitation', token));
    await page.getByLabel('Your name').fill('Somebody');
    await page.getByLabel('Password').fill('another long password');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('alert').getByText('There is an account for this address').waitFor();
    await page.getByRole('button', { name: 'I have an account already' }).click();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'App' }).getByRole('option').count()).toBe(2);
    expectClean();
    await close();
    const again = await chromium.visit(`${siteUrl()}/console/sign-in`);
    await again.page.route('**/api/v1/session/invitation', (route) => route.abort(), { times: 1 });
    await again.page.goto(linkUrl(siteUrl(), 'invitation', token));
    await again.page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    await again.page.getByRole('button', { name: 'Try again' }).click();
    await again.page.getByRole('alert').getByText('The link is not valid').waitFor();
    expect(await again.page.getByLabel('Password').count()).toBe(0);
    await again.page.getByRole('button', { name: 'Continue without the link' }).click();
    await again.page.getByLabel('E-mail address').waitFor();
    await again.close();
  });

  test('a link that could not be sent is tried again, and is not said to be used up', async () => {
    const { id } = await signedInAs(api, await api.createApp(), 'viewer');
    const link = linkUrl(siteUrl(), 'sign_in', await newSignInLink(api.service, parseId('per', id)!));
    const { page, close } = await chromium.visit(`${siteUrl()}/console/sign-in`);
    await page.getByLabel('E-mail address').waitFor();
    await page.route('**/api/v1/session/link', (route) => route.abort(), { times: 1 });
    await page.goto(link);
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    expect(await page.getByText('A link works once').count()).toBe(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await close();
  });

  test('a link to a file that lost its token says so', async () => {
    const { page, close } = await chromium.visit(`${siteUrl()}/console/link`);
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
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
    await page.getByLabel('Six digits').fill(spaced(totp.generate()));
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
    expect(await again.page.getByText('recovery code').count()).toBe(0);
    await Promise.all([close(), again.close()]);
  });

  test('signing in with one of the last recovery codes says how many are left', async () => {
    const { browser, id, email } = await signedInAs(api, await api.createApp(), 'owner');
    const totp = new TOTP({ secret: (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity.secret });
    const confirmed = await browser.post<{ recovery_codes: string[] }>('/api/v1/session/totp/confirm', { code: totp.generate() });
    const codes = confirmed.body.entity.recovery_codes;
    const signInBy = async (code: string) => {
      const visit = await chromium.visit(`${siteUrl()}/console/sign-in`);
      await visit.page.getByLabel('E-mail address').fill(email);
      await visit.page.getByLabel('Password').fill(PASSWORD);
      await visit.page.keyboard.press('Enter');
      await visit.page.getByRole('button', { name: 'Use a recovery code' }).click();
      await visit.page.getByLabel('recovery codes').fill(code);
      await visit.page.keyboard.press('Enter');
      return visit;
    };
    for (const code of codes.slice(3)) await useRecoveryCode(api.service, parseId('per', id)!, code);
    const third = await signInBy(codes[0]!);
    await third.page.getByRole('status').getByText('You have 2 recovery codes left. Make new ones in My account.').waitFor();
    await third.close();
    await useRecoveryCode(api.service, parseId('per', id)!, codes[1]!);
    const last = await signInBy(codes[2]!);
    await last.page.getByRole('status').getByText('That was your last recovery code. Make new ones in My account.').waitFor();
    await last.close();
  });

  test('a code that is refused is typed over; the other way begins without its message; and there is a way back', async () => {
    const { browser, email } = await signedInAs(api, await api.createApp(), 'owner');
    const totp = new TOTP({ secret: (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity.secret });
    expect((await browser.post('/api/v1/session/totp/confirm', { code: totp.generate() })).status).toBe(200);
    const { page, expectClean, close } = await chromium.visit(`${siteUrl()}/console/sign-in?failed=oidc`);
    const alert = page.getByRole('alert');
    const signIn = page.getByRole('button', { name: 'Sign in', exact: true });
    await alert.getByText('Your organization did not sign you in. Try again.').waitFor();
    const enter = async (password: string) => {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(password);
      await signIn.click();
    };
    await enter('not this one at all');
    await alert.getByText('The e-mail address or the password is wrong').waitFor();
    expect(await alert.getByText('Your organization').count()).toBe(0);
    // By keyboard, the next attempt is a key away.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Sign in');
    await enter(PASSWORD);
    const digits = page.getByLabel('Six digits');
    await digits.fill('000000');
    await signIn.click();
    await alert.getByText('The code is wrong, or was used before. Enter the one that the app shows now.').waitFor();
    await page.keyboard.type('123');
    expect(await digits.inputValue()).toBe('123');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    expect(await alert.isVisible()).toBe(false);
    await page.getByLabel('recovery codes').fill('none of them');
    await page.keyboard.press('Enter');
    await alert.getByText('Enter another of your recovery codes.').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.waitForFunction('document.activeElement.name === "email"');
    await api.service.sql`update sign_in_failures set wait_until = now() + interval '14 min 30 s'`;
    await enter(PASSWORD);
    await alert.getByText('Too many attempts to sign in. Try again in 15 min.').waitFor();
    await api.service.sql`delete from sign_in_failures`;
    expectClean();
    await close();
  });

  test('an invitation for somebody else than who is signed in says so, and is accepted after signing out', async () => {
    const app = await api.createApp();
    const { page, email, expectClean, close } = await visitAs(api, chromium, app, 'owner', '');
    const invited = `bisi-${app.app.slice(-8)}@bank.test`;
    const { token } = await inviteToApp(api.service, { email: invited, appId: parseId('app', app.app)!, role: 'viewer' });
    const link = linkUrl(siteUrl(), 'invitation', token);
    await page.goto(link);
    await page.getByRole('alert').getByText(`You are signed in as ${email}.`).waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign out and continue' }).click();
    await page.getByLabel('Your name').fill('Bisi Ade');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByTitle(invited).waitFor();
    expectClean();
    await close();
  });

  test('an app that demands a second factor is closed until an authenticator app is set up and the recovery codes are kept', async () => {
    const app = await api.createApp({ settings: { secondFactorRequired: true } });
    const { id } = await signedInAs(api, app, 'operator');
    const link = linkUrl(siteUrl(), 'sign_in', await newSignInLink(api.service, parseId('per', id)!));
    const { page, expectClean, close } = await chromium.visit(link);
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await page.goto(`${siteUrl()}/console/batches`);
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    for (const name of ['Batches', 'Home', 'My account']) expect(await page.getByRole('link', { name }).count(), name).toBe(0);
    await page.goto(`${siteUrl()}/console/account`);
    await page.getByRole('button', { name: 'Use an authenticator app' }).click();
    const secret = (await page.getByRole('textbox', { name: 'Secret' }).inputValue()).replaceAll(' ', '');
    await page.getByLabel('six digits').fill('000000');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('alert').getByText('The code is wrong. Enter the one that the app shows now.').waitFor();
    await page.getByLabel('six digits').fill(spaced(new TOTP({ secret }).generate()));
    await page.getByRole('button', { name: 'Use it' }).click();
    // Nothing is demanded any more, but the codes are shown only once.
    await page.getByRole('heading', { name: 'Your 10 recovery codes' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'Batches' }).count()).toBe(0);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await page.getByText('10 recovery codes left').waitFor();
    expectClean();
    await close();
  });

  test('signing out hides the page at once, and goes on until the service has ended the session', async () => {
    const { email } = await signedInAs(api, await api.createApp(), 'owner');
    const { page, expectClean, close } = await chromium.visit(`${siteUrl()}/console/people`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: 'Ada Obi' }).waitFor();
    await page.route('**/api/v1/session', (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in on this browser, because the session could not be ended yet.').waitFor();
    expect(await page.getByText(email).count()).toBe(0);
    const session = () => page.evaluate(`fetch('../api/v1/session').then(({ status }) => status)`);
    expect(await session()).toBe(200);
    await page.unroute('**/api/v1/session');
    await page.getByLabel('E-mail address').waitFor();
    expect(await session()).toBe(401);
    expectClean();
    await close();
  });

  test('signing out where somebody else has signed in since shows their page, and does not end their session', async () => {
    const app = await api.createApp();
    const { email } = await signedInAs(api, app, 'owner');
    const other = await signedInAs(api, app, 'viewer');
    const { page, expectClean, close } = await chromium.visit(`${siteUrl()}/console/batches`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByTitle(email).waitFor();
    const [name, value] = [...other.browser.cookies].find(([cookie]) => cookie.includes('session'))!;
    await page.context().addCookies([{ name, value, url: siteUrl() }]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByTitle(other.email).waitFor();
    expect((await other.browser.whoAmI()).status).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').waitFor();
    expect((await other.browser.whoAmI()).status).toBe(401);
    expectClean();
    await close();
  });

  test('who signs in where somebody else was sees nothing of that page, and nothing of theirs is changed for the other', async () => {
    const app = await api.createApp();
    const other = await signedInAs(api, app, 'viewer');
    const { page, email, expectClean, close } = await visitAs(api, chromium, app, 'owner', 'account');
    const changes: string[] = [];
    page.on('request', (request) => request.url().endsWith('/totp') && changes.push(request.url()));
    await page.getByRole('button', { name: 'Set up' }).waitFor();
    await api.service.sql`update sessions set created_at = now() - interval '1 hour'`;
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('E-mail address').fill(other.email);
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.evaluate(`addEventListener('pagehide', () => sessionStorage.setItem('left', document.body.innerText))`);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByTitle(other.email).waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('left')`)).not.toContain(email);
    expect(changes.length).toBe(1);
    expectClean();
    await close();
  });

  test('changing the password requires the current one, or a one-time link', async () => {
    const { email, id } = await signedInAs(api, await api.createApp(), 'viewer');
    const { page, expectClean, close } = await chromium.visit(`${siteUrl()}/console/account`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    const change = async (present: string, next: string) => {
      await page.getByLabel('Current password').fill(present);
      await page.getByLabel('New password').fill(next);
      await page.getByRole('button', { name: 'Change the password' }).click();
    };
    await change('not this one at all', 'Another long password');
    await page.getByRole('alert').getByText('The current password is wrong').waitFor();
    await change(PASSWORD, 'Football2024!');
    await page.getByRole('alert').getByText('New password is one of the most common passwords').waitFor();
    await change(PASSWORD, 'Another long password');
    await page.getByText('Password changed').waitFor();
    expectClean();
    await close();
    const forgotten = await chromium.visit(linkUrl(siteUrl(), 'sign_in', await newSignInLink(api.service, parseId('per', id)!)));
    await forgotten.page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await forgotten.page.goto(`${siteUrl()}/console/account`);
    await forgotten.page.getByLabel('New password').fill('A third long password');
    expect(await forgotten.page.getByLabel('Current password').count()).toBe(0);
    await forgotten.page.getByRole('button', { name: 'Change the password' }).click();
    await forgotten.page.getByText('Password changed').waitFor();
    await forgotten.close();
  });

  test('an app without that demand is open meanwhile', async () => {
    const app = await api.createApp({ settings: { secondFactorRequired: true } });
    const { id } = await signedInAs(api, app, 'viewer');
    const open = await api.admin.post<{ id: string }>('/api/v1/admin/apps', { name: 'Zaria Ltd' });
    await api.service.sql`
      insert into app_people (app_id, person_id, role, accepted_at)
      values (${parseId('app', open.body.entity.id)}, ${parseId('per', id)}, 'viewer', now())`;
    const link = linkUrl(siteUrl(), 'sign_in', await newSignInLink(api.service, parseId('per', id)!));
    const { page, expectClean, close } = await chromium.visit(link);
    await page.getByRole('button', { name: 'Go to Zaria Ltd instead' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'App' }).selectOption('Test');
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    expectClean();
    await close();
  });

  test('says when nothing can be reached, and fits a narrow screen', async () => {
    const { page, close } = await chromium.visit(`${siteUrl()}/console/sign-in`);
    await page.getByLabel('E-mail address').waitFor();
    // There is no identity provider.
    expect(await page.getByRole('button', { name: 'organization' }).count()).toBe(0);
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

describe.skipIf(!chromiumIsHere)(chromiumNote('where the deployment demands a second factor'), () => {
  const strict = useApi(async () => ({ CONFAM_REQUIRE_SECOND_FACTOR: 'true', PORT: String(await freePort()) }));
  const strictUrl = () => strict.url.replace('127.0.0.1', 'localhost');

  test('a passkey with recovery codes opens it, and signs in from then on', async () => {
    const app = await strict.createApp();
    const { token } = await inviteToApp(strict.service, { email: 'ngozi@bank.test', appId: parseId('app', app.app)!, role: 'operator' });
    const { page, expectClean, close } = await chromium.visit(linkUrl(strictUrl(), 'invitation', token));
    const device = await page.context().newCDPSession(page);
    await device.send('WebAuthn.enable');
    await device.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    });
    await page.getByLabel('Your name').fill('Ngozi Eze');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    expect(await page.getByRole('link', { name: 'Batches' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByLabel('A name to recognize it by').fill(' ');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('input[name=name]:invalid').waitFor();
    await page.getByLabel('A name to recognize it by').fill('This laptop');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Your 10 recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    expectClean();
    await close();
  });
});
