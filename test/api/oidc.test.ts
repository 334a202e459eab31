/** The whole way of an OIDC sign-in, with a real provider; and the cookies of a service that is reached by https. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { inviteAdministrator } from '../../src/access/people/links.ts';
import { OIDC_CALLBACK } from '../../src/access/people/oidc.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { Authenticator } from '../setup/authenticator.ts';
import { Browser, PASSWORD, type SessionEntity, tokenIn } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { type IdentityProvider, startIdentityProvider } from '../setup/identity-provider.ts';

const PUBLIC_URL = 'https://console.bank.test';
let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider(`${PUBLIC_URL}${OIDC_CALLBACK}`);
});
afterAll(() => provider.close());
const api = useApi(() => ({
  CONFAM_PUBLIC_URL: PUBLIC_URL,
  CONFAM_OIDC_ISSUER: provider.issuer,
  CONFAM_OIDC_CLIENT_ID: provider.clientId,
  CONFAM_OIDC_CLIENT_SECRET: provider.clientSecret,
  CONFAM_OIDC_ACR_VALUES: 'phr phrh',
}));
afterEach(() => {
  provider.falsify = null;
});

async function invite(email: string, app?: TestApp): Promise<string> {
  app ??= await api.createApp();
  const { body } = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email, app: app.app, role: 'operator' });
  expect(body.entity.link).toMatch(/^https:\/\/console\.bank\.test\/console\/invitation#/);
  return tokenIn(body.entity.link);
}

async function through(browser: Browser, login: string, body?: { token: string }): Promise<string> {
  const begun = await browser.post<{ url: string }>('/api/v1/session/oidc', body);
  expect(browser.set[0]).toMatch(/^__Host-confam_oidc=.*SameSite=Lax/i);
  const back = await provider.signIn(begun.body.entity.url, login);
  return `${back.pathname}${back.search}`;
}

test('an invited person signs in through the provider, and accepts the invitation', async () => {
  const token = await invite('ada@bank.test');
  const browser = new Browser(api);
  const finished = await browser.get(await through(browser, 'ada@bank.test'));
  expect([finished.status, finished.headers.get('location')]).toEqual([303, '/console/']);
  const session = browser.set.find((line) => line.startsWith('__Host-confam_session='))!;
  expect(session).toMatch(/HttpOnly/i);
  expect(session).toMatch(/Secure/i);
  expect(session).toMatch(/SameSite=Strict/i);
  expect(session).toMatch(/Path=\//i);
  expect(browser.cookies.has('__Host-confam_oidc')).toBe(false);
  expect((await browser.whoAmI()).body.entity).toMatchObject({ person: { email: 'ada@bank.test' }, apps: [] });
  const accepted = await browser.post<SessionEntity>('/api/v1/session/link', { token });
  expect(accepted.body.entity.apps).toMatchObject([{ role: 'operator' }]);
});

test('an invitation that somebody had open is accepted on the way, once, and only by the person whom it is for', async () => {
  const app = await api.createApp();
  const token = await invite('emeka@bank.test', app);
  await invite('funmi@bank.test');
  const roles = async (browser: Browser) => (await browser.whoAmI()).body.entity.apps.map(({ id, role }) => [id, role]);
  const other = new Browser(api);
  const led = (await other.get(await through(other, 'funmi@bank.test', { token }))).headers.get('location');
  expect([led, await roles(other)]).toEqual(['/console/?invitation=open', []]);
  const invited = new Browser(api);
  const accepted = (await invited.get(await through(invited, 'emeka@bank.test', { token }))).headers.get('location');
  expect([accepted, await roles(invited)]).toEqual(['/console/', [[app.app, 'operator']]]);
  const { data } = (
    await api.admin.get<{ data: { actor: { kind: string; id: string } }[] }>(`/api/v1/admin/audit?app=${app.app}&action=person.accept`)
  ).body.entity;
  expect(data.map(({ actor }) => actor)).toEqual([{ kind: 'person', id: (await invited.whoAmI()).body.entity.person.id }]);
  const again = await new Browser(api).post('/api/v1/session/oidc', { token });
  expect([again.status, again.body.code]).toEqual([403, 'link_invalid']);
  // An invitation to administer likewise; one that is withdrawn meanwhile is not.
  const { token: toAdminister } = await inviteAdministrator(api.service, 'gozie@bank.test');
  const administrator = new Browser(api);
  await administrator.get(await through(administrator, 'gozie@bank.test', { token: toAdminister }));
  expect((await administrator.whoAmI()).body.entity.administrator).toBe(true);
  const withdrawn = await invite('hauwa@bank.test', app);
  const late = new Browser(api);
  const back = await through(late, 'hauwa@bank.test', { token: withdrawn });
  await api.service.sql`delete from person_links where kind = 'invitation'`;
  await late.get(back);
  expect(await roles(late)).toEqual([]);
});

test('somebody who was not invited, another browser and a repetition come back to the sign-in page', async () => {
  await invite('bisi@bank.test');
  const counted = async () => {
    const { values } = await api.service.metrics.failedSignIns.get();
    return values.find(({ labels }) => labels.reason === 'identity_provider')?.value ?? 0;
  };
  const before = await counted();
  const failed = [303, '/console/sign-in?failed=oidc'];
  const stranger = new Browser(api);
  const uninvited = await stranger.get(await through(stranger, 'stranger@bank.test'));
  expect([uninvited.status, uninvited.headers.get('location')]).toEqual(failed);
  const [mine, other] = [new Browser(api), new Browser(api)];
  const back = await through(mine, 'bisi@bank.test');
  const elsewhere = await other.get(back);
  expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual(failed);
  const again = await mine.get(back);
  expect([again.status, again.headers.get('location')]).toEqual(failed);
  const refused = await mine.get(`${OIDC_CALLBACK}?error=access_denied&state=none`);
  expect([refused.status, refused.headers.get('location')]).toEqual(failed);
  for (const browser of [stranger, mine, other]) expect((await browser.whoAmI()).status).toBe(401);
  expect((await counted()) - before).toBe(4);
});

test('an answer of the provider that is too long is not read', async () => {
  await invite('ebun@bank.test');
  const browser = new Browser(api);
  const signInWith = async (letters: number) => {
    provider.falsify = (claims) => ({ ...claims, note: 'x'.repeat(letters) });
    return (await browser.get(await through(browser, 'ebun@bank.test'))).headers.get('location');
  };
  expect(await signInWith(2 * 1024 * 1024)).toBe('/console/sign-in?failed=oidc');
  expect(await signInWith(64 * 1024)).toBe('/console/');
});

test('a sign-in to an account that is disabled is in the audit', async () => {
  const app = await api.createApp();
  await invite('zainab@bank.test', app);
  const browser = new Browser(api);
  await browser.get(await through(browser, 'zainab@bank.test'));
  const { id } = (await browser.whoAmI()).body.entity.person;
  const attempts = async () => {
    const { data } = (
      await api.admin.get<{ data: { outcome: string; actor: { kind: string } }[] }>(`/api/v1/admin/audit?object=${id}&action=session.begin`)
    ).body.entity;
    return data.map(({ outcome, actor }) => [outcome, actor.kind]);
  };
  const disabled = { body: JSON.stringify({ disabled: true }), headers: { 'Content-Type': 'application/json' } };
  expect((await api.admin.send('PATCH', `/api/v1/admin/people/${id}`, disabled)).status).toBe(200);
  const other = new Browser(api);
  const refused = await other.get(await through(other, 'zainab@bank.test'));
  expect(refused.headers.get('location')).toBe('/console/sign-in?failed=oidc');
  await waitFor('the entry', async () => (await attempts()).length === 2);
  expect(await attempts()).toEqual([
    ['refused', 'anonymous'],
    ['allowed', 'person'],
  ]);
});

test('a password and the provider are not both in use', async () => {
  const token = await invite('chi@bank.test');
  const browser = new Browser(api);
  await browser.get(await through(browser, 'chi@bank.test'));
  const refused = await new Browser(api).post('/api/v1/session/link', { token, password: PASSWORD });
  expect(refused.status).toBe(401);
});

test('where a second factor is demanded, a sign-in counts if the provider says that it asked for one', async () => {
  const app = await api.createApp({ settings: { secondFactorRequired: true } });
  const token = await invite('dayo@bank.test', app);
  const browser = new Browser(api);
  browser.app = app.app;
  const signInWith = async (claims: object) => {
    provider.falsify = (before) => ({ ...before, ...claims });
    await browser.get(await through(browser, 'dayo@bank.test'));
    await browser.whoAmI();
  };
  const reads = async () => {
    const { status, body } = await browser.get('/api/v1/batches');
    const [own] = (await browser.whoAmI()).body.entity.apps as unknown as { second_factor_setup_required: boolean }[];
    expect(own!.second_factor_setup_required).toBe(status !== 200);
    return status === 200 ? 'allowed' : body.code;
  };
  await signInWith({});
  await browser.post('/api/v1/session/link', { token });
  expect(await reads()).toBe('second_factor_setup_required');
  for (const [claims, expected] of [
    [{ amr: ['pwd', 'mfa'] }, 'allowed'],
    [{ amr: ['otp'] }, 'second_factor_setup_required'],
    [{ amr: 'mfa' }, 'second_factor_setup_required'],
    [{ acr: 'phr' }, 'allowed'],
    [{ acr: 'phr phrh' }, 'second_factor_setup_required'],
  ] as const) {
    await signInWith(claims);
    expect([claims, await reads()]).toEqual([claims, expected]);
  }
  // It is asked for what would count.
  const { url } = (await browser.post<{ url: string }>('/api/v1/session/oidc')).body.entity;
  expect(new URL(url).searchParams.get('acr_values')).toBe('phr phrh');

  // Without a word of the provider, our own factor is demanded: setting it up is not enough, it must be shown.
  await signInWith({});
  const phone = new Authenticator(PUBLIC_URL);
  const creation = await browser.post<{ options: never }>('/api/v1/session/passkeys/options');
  const passkey = phone.create(creation.body.entity.options);
  expect((await browser.post('/api/v1/session/passkeys', { name: 'Phone', passkey })).status).toBe(201);
  expect(await reads()).toBe('second_factor_setup_required');
  // The recovery codes belong to setting it up. Another session with one factor alone changes nothing.
  expect((await browser.post('/api/v1/session/recovery-codes')).status).toBe(200);
  await signInWith({});
  for (const [method, path] of [
    ['POST', 'passkeys/options'],
    ['POST', 'totp'],
    ['POST', 'recovery-codes'],
    ['DELETE', 'totp'],
  ] as const) {
    const { status, body } = await browser.send(method, `/api/v1/session/${path}`);
    expect([path, status, body.code]).toEqual([path, 403, 'second_factor_setup_required']);
  }
  const weak = await browser.send('PUT', '/api/v1/session/password', { password: PASSWORD });
  expect(weak.body.code).toBe('second_factor_setup_required');
  const challenge = await browser.post<{ options: never }>('/api/v1/session/passkey');
  expect((await browser.post('/api/v1/session', { passkey: phone.get(challenge.body.entity.options) })).status).toBe(200);
  expect(await reads()).toBe('allowed');
  expect((await browser.post('/api/v1/session/passkeys/options')).status).toBe(200);
});

test('the doctor of a running service looks at the provider', async () => {
  const { body } = await api.admin.get<{ data: { subject: string; state: string; says: string }[] }>('/api/v1/admin/doctor');
  const found = body.entity.data.find(({ subject }) => subject === 'identity provider');
  expect(found).toMatchObject({ state: 'note', says: expect.stringContaining(`${provider.issuer} answers`) });
  expect(JSON.stringify(body)).not.toContain(provider.clientSecret);
});
