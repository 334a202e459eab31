/** What people leave in the audit when they sign in and change their own account. */
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { startApi, type TestApi, type TestApp } from '../setup/api.ts';
import { type AuditEntry, auditEntries, expectWholeAudit } from '../setup/audit.ts';
import { Authenticator } from '../setup/authenticator.ts';
import { Browser, PASSWORD, signedInAs, tokenIn } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';

let api: TestApi;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  api = await startApi({ CONFAM_FACE_MODELS: '/nowhere' });
  [app, other] = [await api.createApp(), await api.createApp()];
});
afterAll(async () => {
  await expectWholeAudit(api);
  await api.stop();
});

const own = async (id: string, query = '') =>
  (await api.admin.get<{ data: AuditEntry[] }>(`/api/v1/admin/audit?object=${id}&limit=50&${query}`)).body.entity.data;

test('a failed sign-in is kept for a known account, without its address, and a sign-in names how', async () => {
  const [person, before] = [await signedInAs(api, other, 'viewer'), await auditEntries(api, other.app)];
  expect((await new Browser(api).signIn(person.email, 'wrong')).status).toBe(401);
  expect((await new Browser(api).signIn('nobody@bank.test', 'wrong')).status).toBe(401);
  const failed = await waitFor('the entry', async () =>
    (await auditEntries(api, other.app, 'limit=1')).find(({ outcome }) => outcome === 'refused'),
  );
  expect(failed).toMatchObject({
    action: 'session.begin',
    target: person.id,
    actor: { kind: 'anonymous', id: 'unknown' },
    code: 'unauthenticated',
  });
  expect((await new Browser(api).signIn(person.email)).status).toBe(200);
  const [began] = await auditEntries(api, other.app, 'limit=1');
  expect(began).toMatchObject({
    action: 'session.begin',
    outcome: 'allowed',
    actor: { kind: 'person', id: person.id },
    detail: { method: 'password' },
  });
  // One failed, one succeeded; the unknown address left none.
  expect((await auditEntries(api, other.app)).length).toBe(before.length + 2);
  expect(JSON.stringify(await own(person.id))).not.toContain(person.email);
});

test('a failed sign-in with a passkey or with a link is kept too; the metric counts each', async () => {
  const person = await signedInAs(api, await api.createApp(), 'viewer');
  const authenticator = new Authenticator('http://localhost:0');
  const { options } = (await person.browser.post<{ options: never }>('/api/v1/session/passkeys/options')).body.entity;
  const passkey = authenticator.create(options);
  expect((await person.browser.post('/api/v1/session/passkeys', { name: 'Phone', passkey })).status).toBe(201);
  const wrong = async () => (await api.service.metrics.failedSignIns.get()).values.find(({ labels }) => labels.reason === 'wrong_password');
  const before = (await wrong())?.value ?? 0;
  const byPasskey = async (from: Authenticator) => {
    const challenge = await new Browser(api).post<{ options: never }>('/api/v1/session/passkey');
    return new Browser(api).post('/api/v1/session', { passkey: from.get(challenge.body.entity.options) });
  };
  const byLink = async () => {
    const { link } = (await api.admin.post<{ link: string }>(`/api/v1/admin/people/${person.id}/sign-in-link`)).body.entity;
    return new Browser(api).post('/api/v1/session/link', { token: tokenIn(link), code: '000000' });
  };
  // A copy of the authenticator counts signatures that the original has made already.
  await api.service.sql`update passkeys set counter = 1000 where person_id = ${parseId('per', person.id)}`;
  for (const refused of [await byPasskey(authenticator), await byLink()]) expect(refused.status).toBe(401);
  expect((await byPasskey(new Authenticator('http://localhost:0'))).status).toBe(401);
  const failed = async () => (await own(person.id, 'action=session.begin')).filter(({ outcome }) => outcome === 'refused');
  await waitFor('both entries', async () => (await failed()).length === 2);
  expect(new Set((await failed()).map(({ actor }) => actor.kind))).toEqual(new Set(['anonymous']));
  expect((await wrong())!.value).toBe(before + 3);
});

test('somebody of two apps leaves an entry in both; password, factors and sessions all leave theirs', async () => {
  const person = await signedInAs(api, app, 'viewer');
  const second = await api.admin.post<{ link: string }>('/api/v1/admin/people', { email: person.email, app: other.app, role: 'viewer' });
  const { browser } = person;
  await browser.post('/api/v1/session/link', { token: second.body.entity.link.split('#')[1] });
  await browser.send('PUT', '/api/v1/session/password', { password: 'another long password', current_password: PASSWORD });
  const { secret } = (await browser.post<{ secret: string }>('/api/v1/session/totp')).body.entity;
  const confirmed = await browser.post('/api/v1/session/totp/confirm', { code: new TOTP({ secret }).generate() });
  expect(confirmed.status, confirmed.text).toBe(200);
  await browser.send('DELETE', '/api/v1/session/totp');
  await browser.send('DELETE', '/api/v1/session');
  for (const of of [app, other]) {
    const left = (await own(person.id, `app=${of.app}`)).map(({ action, detail }) => [action, detail]);
    expect(left).toEqual(
      expect.arrayContaining([
        ['person.accept', null],
        ['person.change', { changed: 'password' }],
        ['person.change', { added: 'totp' }],
        ['person.change', { replaced: 'recovery_codes' }],
        ['person.change', { removed: 'totp' }],
        ['session.end', { session: expect.stringMatching(/^ses_/) }],
      ]),
    );
  }
  expect(JSON.stringify(await own(person.id))).not.toContain(PASSWORD);
});
