/** The whole way of an OIDC sign-in, with a real provider; and the cookies of a service that is reached by https. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OIDC_CALLBACK } from '../../src/access/people/oidc.ts';
import { useApi } from '../setup/api.ts';
import { Browser, PASSWORD, type SessionEntity, tokenIn } from '../setup/browser.ts';
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
}));

async function invite(email: string): Promise<string> {
  const app = await api.createApp();
  const { body } = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email, app: app.app, role: 'operator' });
  expect(body.entity.link).toMatch(/^https:\/\/console\.bank\.test\/console\/invitation#/);
  return tokenIn(body.entity.link);
}

async function through(browser: Browser, login: string): Promise<string> {
  const begun = await browser.post<{ url: string }>('/api/v1/session/oidc');
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

test('who was not invited, another browser and a repetition come back to the sign-in page', async () => {
  await invite('bisi@bank.test');
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
});

test('a password and the provider are not both in use', async () => {
  const token = await invite('chi@bank.test');
  const browser = new Browser(api);
  await browser.get(await through(browser, 'chi@bank.test'));
  const refused = await new Browser(api).post('/api/v1/session/link', { token, password: PASSWORD });
  expect(refused.status).toBe(401);
});
