/** Rights that end while a body is on its way: what began before they ended is not carried out after it. */
import { type ClientRequest, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { suspendApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import { createKey } from '../../src/access/keys.ts';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Body, type TestApp, useApi } from '../setup/api.ts';
import { type Browser, signedInAs } from '../setup/browser.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
const KEYS = '/api/v1/keys';

type Headers = Record<string, string>;
const ofKey = ({ key, app }: Pick<TestApp, 'key' | 'app'>): Headers => ({ Authorization: key, AppId: app });
const ofBrowser = (browser: Browser): Headers => ({
  Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  'X-CSRF-Token': browser.csrf,
  AppId: browser.app,
});

/** Sends the head and the first byte, lets a right end, waits for longer than a second, and sends the rest. */
async function outlasting(path: string, headers: Headers, text: string, end: () => Promise<unknown>) {
  const made: ClientRequest = request({
    host: '127.0.0.1',
    port: api.port,
    method: 'POST',
    path,
    agent: false,
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers },
  });
  const answered = new Promise<{ status: number; body: Body<BatchEntity> }>((resolve, reject) => {
    made.on('error', reject);
    made.on('response', async (response) => {
      let all = '';
      for await (const part of response.setEncoding('utf8')) all += part;
      resolve({ status: response.statusCode!, body: JSON.parse(all) as Body<BatchEntity> });
    });
  });
  made.write(text.slice(0, 1));
  await sleep(200);
  await end();
  await sleep(1_200);
  made.end(text.slice(1));
  return answered;
}

async function revoke(client: Pick<TestApp, 'post'>, id: string): Promise<void> {
  expect((await client.post(`${KEYS}/${id}/revoke`)).status).toBe(200);
}
const nothing = async () => {};

describe('a body that takes long', () => {
  test('is taken while its sender may send it', async () => {
    const app = await api.createApp();
    const { browser } = await signedInAs(api, app, 'owner');
    expect((await outlasting(KEYS, ofKey(app), '{"name":"slow"}', nothing)).status).toBe(201);
    expect((await outlasting(KEYS, ofBrowser(browser), '{"name":"slow"}', nothing)).status).toBe(201);
    expect((await outlasting('/api/v1/admin/apps', { Authorization: api.admin.key }, '{"name":"slow"}', nothing)).status).toBe(201);
  });

  test('is refused once its key was revoked or narrowed, or its app suspended', async () => {
    const app = await api.createApp();
    const appId = parseId('app', app.app)!;
    const keyOf = async () => (await app.post<{ id: string; key: string }>(KEYS, {})).body.entity;
    const one = await keyOf();
    const revoked = await outlasting(KEYS, ofKey({ ...one, app: app.app }), '{"name":"reborn"}', () => revoke(app, one.id));
    expect([revoked.status, revoked.body.code]).toEqual([401, 'unauthenticated']);
    const two = await keyOf();
    const narrow = { headers: { 'Content-Type': 'application/json' }, body: '{"scopes":["verify"]}' };
    const narrowed = await outlasting(KEYS, ofKey({ ...two, app: app.app }), '{"name":"reborn"}', () =>
      app.send('PATCH', `${KEYS}/${two.id}`, narrow),
    );
    expect([narrowed.status, narrowed.body.code]).toEqual([403, 'forbidden']);
    const suspended = await outlasting(KEYS, ofKey(app), '{"name":"reborn"}', () => suspendApp(api.service, appId, bySystem('setup')));
    expect([suspended.status, suspended.body.code]).toEqual([403, 'app_suspended']);
    expect(await api.service.sql`select 1 from api_keys where name = 'reborn'`).toHaveLength(0);
  });

  test('is refused once its admin key was revoked', async () => {
    const { id, key } = (await createKey(api.service, 'admin', null))!;
    const path = `/api/v1/admin/keys/${showId('key', id)}/revoke`;
    const made = await outlasting('/api/v1/admin/keys', { Authorization: key }, '{"name":"reborn"}', () => api.admin.post(path));
    expect([made.status, made.body.code]).toEqual([401, 'unauthenticated']);
  });

  test('is refused once its person was removed, lost the role, or signed out', async () => {
    const app = await api.createApp();
    const invitation = '{"email":"someone@bank.test","role":"viewer"}';
    const people = '/api/v1/people';
    const removed = await signedInAs(api, app, 'owner');
    const other = await signedInAs(api, app, 'owner');
    expect(
      (await outlasting(people, ofBrowser(removed.browser), invitation, () => app.send('DELETE', `${people}/${removed.id}`))).status,
    ).toBe(401);
    const left = await signedInAs(api, app, 'owner');
    const signOut = () => left.browser.send('DELETE', '/api/v1/session');
    expect((await outlasting(people, { ...ofBrowser(left.browser) }, invitation, signOut)).status).toBe(401);
    const demote = () =>
      app.send('PATCH', `${people}/${left.id}`, { headers: { 'Content-Type': 'application/json' }, body: '{"role":"viewer"}' });
    await left.browser.signIn(left.email);
    expect((await outlasting(people, ofBrowser(left.browser), invitation, demote)).status).toBe(403);
    const { data } = (await other.browser.get<{ data: { email: string }[] }>(people)).body.entity;
    expect(data.map(({ email }) => email)).not.toContain('someone@bank.test');
  });

  test('of an upload is refused as well, and what needs an approval by then waits for one', async () => {
    const app = await api.createApp({ naira: 10_000 });
    const csv = `nin\n${freshNin()}\n`;
    const path = '/api/v1/batches?checks=nin_basic';
    const one = (await app.post<{ id: string; key: string }>(KEYS, {})).body.entity;
    const type = { 'Content-Type': 'text/csv' };
    const refused = await outlasting(path, { ...ofKey({ ...one, app: app.app }), ...type }, csv, () => revoke(app, one.id));
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);
    const strict = { headers: { 'Content-Type': 'application/json' }, body: '{"settings":{"approveStartAboveKobo":0}}' };
    const waits = await outlasting(path, { ...ofKey(app), ...type }, csv, () =>
      api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, strict),
    );
    expect([waits.status, waits.body.entity]).toMatchObject([202, { status: 'awaiting_start', approval: expect.stringMatching(/^apr_/) }]);
    const listed = (await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data;
    expect(listed.map(({ id }) => id)).toEqual([waits.body.entity.id]);
  });
});
