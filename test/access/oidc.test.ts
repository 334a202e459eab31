/** Signing in through an identity provider, with a real one: whom it lets in, whom it does not, and what the log says of that. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { disablePerson } from '../../src/access/people/accounts.ts';
import { inviteToApp } from '../../src/access/people/links.ts';
import { type Oidc, openOidc } from '../../src/access/people/oidc.ts';
import { openPasswords } from '../../src/access/people/passwords.ts';
import { openSession, readSession } from '../../src/access/people/sessions.ts';
import { redeemLink, signInByPassword } from '../../src/access/people/sign-in.ts';
import type { Context } from '../../src/foundation/context.ts';
import { asOwner, useDatabase } from '../setup/database.ts';
import { type IdentityProvider, startIdentityProvider } from '../setup/identity-provider.ts';

const PASSWORD = 'Ọjà-Alẹ́ opens at six';
const SOMEWHERE = { network: '198.51.100.1', browser: null };

let made = 0;
const newAddress = () => `person-${++made}@bank.test`;

const database = useDatabase();
let provider: IdentityProvider;
let own: Context;
let sso: Oidc;
const logged: string[] = [];
beforeAll(async () => {
  provider = await startIdentityProvider('https://console.bank.test/api/v1/session/oidc/callback');
  own = database.openContext({
    CONFAM_PUBLIC_URL: 'https://console.bank.test',
    CONFAM_OIDC_ISSUER: provider.issuer,
    CONFAM_OIDC_CLIENT_ID: provider.clientId,
    CONFAM_OIDC_CLIENT_SECRET: provider.clientSecret,
  });
  const log = pino({ base: null }, { write: (line) => logged.push(line) });
  sso = openOidc({ ...own, log })!;
});
afterEach(() => {
  logged.length = 0;
});
afterAll(async () => {
  await provider.close();
  await own.close();
});

const begin = async (login: string, change: (url: URL) => void = () => {}) => {
  const { url, browser } = await sso.begin();
  const changed = new URL(url);
  change(changed);
  return { browser, query: (await provider.signIn(changed.toString(), login)).searchParams };
};

const invite = async () => {
  const email = newAddress();
  const { personId } = await inviteToApp(own, { email, appId: (await createApp(own, 'Bank')).id, role: 'viewer' });
  return { email, personId };
};

/** What the log says about the refusals so far. */
const reasons = () => logged.splice(0).map((line) => (JSON.parse(line) as { reason: string }).reason);

test('an invited person signs in, and is known by their subject from then on', async () => {
  const { email, personId } = await invite();
  for (let i = 0; i < 2; i++) {
    const { query, browser } = await begin(email);
    expect(await sso.finish(query, browser)).toEqual({ personId, email, method: 'oidc', hasAccepted: null });
  }
});

test('the same subject at another issuer is another person', async () => {
  const { email, personId } = await invite();
  const first = await begin(email);
  expect(await sso.finish(first.query, first.browser)).toMatchObject({ personId });
  // Simulates a change of provider: same subject, another issuer, and an address that nobody was invited under.
  await own.sql`update people set oidc_index = ${own.cipher.index('oidc', 'https://former.test', email)}, email_index = ${own.cipher.index('email', 'former')} where id = ${personId}`;
  const again = await begin(email);
  expect(await sso.finish(again.query, again.browser)).toBeNull();
  expect(reasons()).toEqual(['no_account']);
});

test('a sign-in is finished once, by the browser that began it', async () => {
  const { email } = await invite();
  const { query, browser } = await begin(email);
  expect(await sso.finish(query, null)).toBeNull();
  expect(await sso.finish(query, browser)).toBeNull();
  const [mine, other] = [await begin(email), await begin(email)];
  expect(await sso.finish(mine.query, other.browser)).toBeNull();
  expect(reasons()).toEqual(['browser_mismatch', 'state_mismatch', 'browser_mismatch']);
});

test('another state, nonce, audience, issuer, time or signature is refused, and an empty subject', async () => {
  const { email } = await invite();
  const { query, browser } = await begin(email);
  query.set('state', 'another');
  expect(await sso.finish(query, browser)).toBeNull();
  const nonce = await begin(email, (url) => url.searchParams.set('nonce', 'another'));
  expect(await sso.finish(nonce.query, nonce.browser)).toBeNull();
  for (const change of [{ aud: 'another' }, { iss: 'https://another.test' }, { exp: 1 }, { nonce: undefined }, { sub: '' }]) {
    provider.falsify = (claims) => ({ ...claims, ...change });
    const begun = await begin(email);
    expect(await sso.finish(begun.query, begun.browser)).toBeNull();
  }
  provider.falsify = (claims) => claims;
  provider.forge = true;
  const forged = await begin(email);
  expect(await sso.finish(forged.query, forged.browser)).toBeNull();
  provider.forge = false;
  expect(reasons()).toEqual(['state_mismatch', ...Array(7).fill('invalid_answer')]);
  const begun = await begin(email);
  expect(await sso.finish(begun.query, begun.browser)).toMatchObject({ email });
  provider.falsify = null;
});

test('a code that another sign-in got is refused', async () => {
  const { email } = await invite();
  const [one, two] = [await begin(email), await begin(email)];
  one.query.set('code', two.query.get('code')!);
  expect(await sso.finish(one.query, one.browser)).toBeNull();
  expect(logged.splice(0).map((line) => JSON.parse(line))).toMatchObject([
    { reason: 'provider_error', error: 'invalid_grant', msg: 'an OIDC sign-in was refused' },
  ]);
});

test('nobody gets in uninvited, with an address that nobody has checked, or disabled', async () => {
  const stranger = await begin(newAddress());
  expect(await sso.finish(stranger.query, stranger.browser)).toBeNull();
  const email = `unverified-${newAddress()}`;
  await inviteToApp(own, { email, appId: (await createApp(own, 'Bank')).id, role: 'viewer' });
  const unchecked = await begin(email);
  expect(await sso.finish(unchecked.query, unchecked.browser)).toBeNull();
  const { email: disabled, personId } = await invite();
  await disablePerson(own, personId);
  const begun = await begin(disabled);
  expect(await sso.finish(begun.query, begun.browser)).toBeNull();
  expect(reasons()).toEqual(['no_account', 'email_not_verified', 'account_disabled']);
});

test('the log says why a known person is refused, and names nobody', async () => {
  const { email, personId } = await invite();
  const finish = async (claims: object) => {
    provider.falsify = (before) => ({ ...before, ...claims });
    const { query, browser } = await begin(email);
    const signedIn = await sso.finish(query, browser);
    provider.falsify = null;
    return signedIn;
  };
  expect(await finish({ email: undefined })).toBeNull();
  expect(await finish({})).toMatchObject({ personId });
  expect(await finish({ sub: 'another' })).toBeNull();
  await disablePerson(own, personId);
  expect(await finish({ email: undefined })).toBeNull();
  const lines = logged.join('');
  for (const secret of [email, email.split('@')[0]!, personId, 'another']) expect(lines).not.toContain(secret);
  expect(reasons()).toEqual(['email_missing', 'subject_mismatch', 'account_disabled']);
});

test('what the provider sends the browser back with is logged only if it is a known error', async () => {
  for (const [error, expected] of [
    ['access_denied', { reason: 'provider_error', error: 'access_denied' }],
    ['ada@bank.test', { reason: 'provider_error' }],
  ] as const) {
    const { url, browser } = await sso.begin();
    const state = new URL(url).searchParams.get('state')!;
    const query = new URLSearchParams({ state, error, error_description: 'Ada Obi', iss: provider.issuer });
    expect(await sso.finish(query, browser)).toBeNull();
    const [line] = logged.splice(0);
    expect(line).not.toMatch(/ada/i);
    expect(line).not.toContain(state);
    const { reason, error: named } = JSON.parse(line!) as { reason: string; error?: string };
    expect({ reason, ...(named && { error: named }) }).toEqual(expected);
  }
});

test('a wrong client secret and a provider that is gone are told apart', async () => {
  const gone = await startIdentityProvider('https://console.bank.test/api/v1/session/oidc/callback');
  const { config } = own;
  const log = pino({}, { write: (line) => logged.push(line) });
  const withSecret = (CONFAM_OIDC_CLIENT_SECRET: string) =>
    openOidc({ ...own, log, config: { ...config, CONFAM_OIDC_ISSUER: gone.issuer, CONFAM_OIDC_CLIENT_SECRET } })!;
  const back = async (one: Oidc) => {
    const { url, browser } = await one.begin();
    return { browser, query: (await gone.signIn(url, newAddress())).searchParams };
  };
  const [wrong, right] = [withSecret('wrong'), withSecret(gone.clientSecret)];
  const first = await back(wrong);
  expect(await wrong.finish(first.query, first.browser)).toBeNull();
  const second = await back(right);
  await gone.close();
  expect(await right.finish(second.query, second.browser)).toBeNull();
  expect(logged.splice(0).map((line) => JSON.parse(line))).toMatchObject([
    { reason: 'provider_error', error: 'invalid_client' },
    { reason: 'provider_unreachable', code: 'ECONNREFUSED' },
  ]);
});

test('a first sign-in that fails half-way links nothing', async () => {
  const { email, personId } = await invite();
  await asOwner(database.url, (sql) =>
    sql.unsafe(`
    create function no_reset() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger no_reset before delete on recovery_codes for each statement execute function no_reset()`),
  );
  try {
    const begun = await begin(email);
    await expect(sso.finish(begun.query, begun.browser)).rejects.toThrow();
    expect(await own.sql`select 1 from people where id = ${personId} and oidc_index is not null`).toHaveLength(0);
  } finally {
    await asOwner(database.url, (sql) => sql.unsafe('drop trigger no_reset on recovery_codes; drop function no_reset()'));
  }
  const again = await begin(email);
  expect(await sso.finish(again.query, again.browser)).toMatchObject({ personId });
});

test('the first sign-in removes what somebody else may have set up under that address', async () => {
  const email = newAddress();
  const theirs = openPasswords(own);
  const { personId, token } = await inviteToApp(own, { email, appId: (await createApp(own, 'Bank')).id, role: 'viewer' });
  await redeemLink(own, theirs, token, { password: PASSWORD }, { ...SOMEWHERE, session: null });
  const { token: session } = await openSession(own, { personId, method: 'password' }, { address: '', browser: '' });
  const { query, browser } = await begin(email);
  await sso.finish(query, browser);
  expect(await readSession(own, session)).toBeNull();
  await expect(signInByPassword(own, theirs, { email, password: PASSWORD }, SOMEWHERE)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
});

test('without its settings there is none', async () => {
  const without = database.openContext();
  expect(openOidc(without)).toBeNull();
  await without.close();
});
