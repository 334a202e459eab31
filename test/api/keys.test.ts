/** What keys may do: scopes on every route, checks, addresses, expiry; rotation; an app's own keys; links that die with their key. */
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { UNRESTRICTED } from '../../src/access/keys.ts';
import { excesses } from '../../src/access/restrictions.ts';
import { routes } from '../../src/api/routes.ts';
import { type Scope, scopes } from '../../src/contract/scopes.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { type Client, openClient, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { loadFactor, withinASecond } from '../setup/process.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1/32,::1/128' });
const ALL = Object.keys(scopes) as Scope[];

interface KeyEntity {
  id: string;
  key: string;
  hint: string;
  name: string | null;
  scopes: string[] | null;
  checks: string[] | null;
  addresses: string[] | null;
  daily_cap: number | null;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  rotated_to: string | null;
}
type Key = Client & { entity: KeyEntity };

const json = (body: object) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
const clientOf = (app: TestApp, entity: KeyEntity): Key => ({ ...openClient(api.url, app.app, entity.key), entity });

async function keyWith(app: TestApp, terms: object, mode = 'test'): Promise<Key> {
  const made = await api.admin.post<KeyEntity>(`/api/v1/admin/apps/${app.app}/keys`, { mode, ...terms });
  expect(made.status, made.text).toBe(201);
  return clientOf(app, made.body.entity);
}
/** A download of which only the head was read. `rest` reads what is left, and says whether the file is whole. */
function openDownload(path: string): Promise<{ response: IncomingMessage; rest: () => Promise<boolean> }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: api.port, path, agent: false });
    asked.on('error', reject);
    asked.on('response', (response) => {
      expect(response.statusCode).toBe(200);
      const closed = new Promise<void>((ended) => response.once('close', ended));
      response.on('error', () => {}).pause();
      const rest = async () => {
        response.resume();
        await closed;
        return response.complete;
      };
      resolve({ response, rest });
    });
    asked.end();
  });
}

const call = (client: Client, headers = {}) => client.get(`/api/v1/kyc/nin?nin=${freshNin()}`, headers);

/** Used once, before the tests: when that was is shown only half a minute later, after the last of them. */
let used: { app: TestApp; key: Key };
beforeAll(async () => {
  const app = await api.createApp();
  used = { app, key: await keyWith(app, {}) };
  expect((await call(used.key)).status).toBe(200);
});

describe('scopes', () => {
  const ofApps = routes.filter(({ who }) => who === 'app' || who === 'test');
  // Only the scope is asked about: a request without a body, about something that does not exist, does nothing even where it is let in.
  const ask = (client: Client, { method, path }: (typeof routes)[number]) =>
    client.send(method.toUpperCase(), path.replaceAll(/:[^/]+/g, showId('bat', newId())));

  test('every route of an app has one', () => {
    expect(ofApps.length).toBeGreaterThan(80);
    expect(ofApps.filter(({ scope }) => scope === undefined).map(({ path }) => path)).toEqual([]);
  });

  test('each route refuses a key with every scope but its own, and no other key', { timeout: 120_000 }, async () => {
    const app = await api.createApp();
    const without = new Map<Scope, Key>();
    const only = new Map<Scope, Key>();
    for (const scope of ALL) {
      without.set(scope, await keyWith(app, { scopes: ALL.filter((other) => other !== scope) }));
      only.set(scope, await keyWith(app, { scopes: [scope] }));
    }
    for (const route of ofApps) {
      const lacking = await ask(without.get(route.scope!)!, route);
      expect({ route: route.path, status: lacking.status, code: lacking.body.code }).toEqual({
        route: route.path,
        status: 403,
        code: 'forbidden',
      });
      expect(lacking.body.error).toContain(route.scope);
      for (const scope of ALL) {
        const { status, body } = await ask(only.get(scope)!, route);
        expect(status === 403 && body.details?.[0]?.rule === 'scope', `${route.path} with ${scope}`).toBe(scope !== route.scope);
      }
    }
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  test('a key without scopes may do everything, as keys of earlier releases may', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, {});
    expect(key.entity.scopes).toBeNull();
    expect((await call(key)).status).toBe(200);
    expect((await key.get('/api/v1/keys')).status).toBe(200);
  });
});

describe('what else a key may be held to', () => {
  test('checks: as calls, jobs and batches', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, { checks: ['nin_basic'] });
    expect((await call(key)).status).toBe(200);
    expect((await key.job({ check: 'nin_basic', input: { nin: freshNin() } })).status).toBe(202);
    const before = (await app.wallet()).available;
    for (const refused of [
      await key.get(`/api/v1/kyc/nin/advance?nin=${freshNin()}`),
      await key.job({ check: 'nin_advance', input: { nin: freshNin() } }),
      await key.csv('checks=nin_basic,nin_advance', `nin\n${freshNin()}\n`),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
      expect(refused.body.error).toContain('nin_advance');
    }
    expect((await app.wallet()).available).toBe(before);
  });

  test('addresses, as trusted proxies report them', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, { addresses: ['203.0.113.0/24', '2001:db8::/32', '192.0.2.7'] });
    expect(key.entity.addresses).toEqual(['203.0.113.0/24', '2001:db8::/32', '192.0.2.7/32']);
    const from = async (address: string) => (await call(key, { 'X-Forwarded-For': address })).status;
    for (const address of ['203.0.113.9', '2001:db8:1::5', '192.0.2.7', '::ffff:192.0.2.7']) expect(await from(address), address).toBe(200);
    for (const address of ['203.0.114.9', '2001:db9::1', '192.0.2.8', '203.0.113.9, 198.51.100.1', 'nonsense'])
      expect(await from(address), address).toBe(403);
    for (const address of ['203.0.113.9:4711', '[2001:db8::1]', '[2001:db8::1]:4711']) expect(await from(address), address).toBe(200);
    for (const address of ['198.51.100.1:4711', '[2001:db9::1]:4711']) expect(await from(address), address).toBe(403);
  });

  test('that the proxy may use are not for clients whom it names in a way that nobody can read', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, { addresses: ['127.0.0.0/8'] });
    expect((await call(key, { 'X-Forwarded-For': '127.0.0.1' })).status).toBe(200);
    for (const address of ['unknown', '_hidden', '1.2.3', '127.0.0.1, nonsense', '127.0.0.1,', '[::1'])
      expect((await call(key, { 'X-Forwarded-For': address })).status, address).toBe(403);
  });

  test('an expiry, by Postgres’s clock and at once', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, { expires_at: '2999-01-01T00:00:00+01:00' });
    expect(key.entity.expires_at).toBe('2998-12-31T23:00:00.000Z');
    expect((await call(key)).status).toBe(200);
    await api.service.sql`update api_keys set expires_at = now() where id = ${parseId('key', key.entity.id)}`;
    await api.service.sql.notify('confam_keys', '');
    await expect.poll(async () => (await call(key)).status).toBe(401);
    expect((await app.get<KeyEntity>(`/api/v1/keys/${key.entity.id}`)).body.entity.expires_at).not.toBeNull();
  });

  test('a remembered key ends when it expires, without an announcement', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, {});
    await api.service
      .sql`update api_keys set expires_at = now() + interval '1500 milliseconds' where id = ${parseId('key', key.entity.id)}`;
    expect((await call(key)).status).toBe(200);
    await expect.poll(async () => (await call(key)).status, { timeout: 4_000 }).toBe(401);
  });

  test('terms that make no sense are refused by name', async () => {
    const app = await api.createApp();
    const refusals: [object, string][] = [
      [{ scopes: ['verfy'] }, 'scopes.0'],
      [{ scopes: [] }, 'scopes'],
      [{ checks: ['nin_basics'] }, 'checks.0'],
      [{ addresses: ['203.0.113.0/33'] }, 'addresses.0'],
      [{ addresses: ['everywhere'] }, 'addresses.0'],
      ...['1', '1.2.3', '0x7f.1', '010.0.0.1', '1.2.3/24', '010.0.0.0/8', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::/129'].map(
        (network): [object, string] => [{ addresses: [network] }, 'addresses.0'],
      ),
      [{ expires_at: '2020-01-01' }, 'expires_at'],
      [{ name: '' }, 'name'],
      [{ scope: ['verify'] }, 'scope'],
    ];
    for (const [terms, path] of refusals) {
      const { status, body } = await api.admin.post(`/api/v1/admin/apps/${app.app}/keys`, { mode: 'test', ...terms });
      expect([status, body.code, body.details[0]!.path]).toEqual([400, 'invalid_request', path]);
    }
  });
});

describe('an app’s own keys', () => {
  test('are listed, made, changed and revoked by a key that may manage them', async () => {
    const app = await api.createApp();
    const made = await app.post<KeyEntity>('/api/v1/keys', { name: 'Nightly', scopes: ['verify'], daily_cap: 500 });
    expect(made.status).toBe(201);
    expect(made.body.entity).toMatchObject({ name: 'Nightly', scopes: ['verify'], daily_cap: 500, checks: null });
    const key = clientOf(app, made.body.entity);
    expect((await call(key)).status).toBe(200);
    const list = (await app.get<{ data: KeyEntity[] }>('/api/v1/keys')).body.entity.data;
    expect(list.map(({ id }) => id)).toEqual([key.entity.id, app.keyId]);
    expect(JSON.stringify(list)).not.toContain(key.entity.key);
    const changed = await app.send<KeyEntity>('PATCH', `/api/v1/keys/${key.entity.id}`, json({ name: null, scopes: ['wallet:read'] }));
    expect(changed.body.entity).toMatchObject({ name: null, scopes: ['wallet:read'], daily_cap: 500 });
    expect((await call(key)).status).toBe(403);
    expect((await app.post<KeyEntity>(`/api/v1/keys/${key.entity.id}/revoke`)).body.entity.revoked_at).not.toBeNull();
    expect((await key.get('/api/v1/wallet')).status).toBe(401);
    const over = [
      await app.post(`/api/v1/keys/${key.entity.id}/revoke`),
      await app.post(`/api/v1/keys/${key.entity.id}/rotate`),
      await app.send('PATCH', `/api/v1/keys/${key.entity.id}`, json({ name: 'x' })),
    ];
    expect(over.map(({ status }) => status)).toEqual([409, 409, 409]);
  });

  test('are narrowed by part of the name or of the first characters, and by whether they work', async () => {
    const app = await api.createApp();
    const nightly = await keyWith(app, { name: 'Nightly_upload' });
    const unnamed = await keyWith(app, {});
    const expired = await keyWith(app, { name: 'nightlyXupload' });
    const revoked = await keyWith(app, { name: 'Old nightly' });
    await keyWith(app, { name: 'Nightly, of live mode' }, 'live');
    await api.service.sql`update api_keys set expires_at = now() - interval '1 second' where id = ${parseId('key', expired.entity.id)}`;
    await app.post(`/api/v1/keys/${revoked.entity.id}/revoke`);
    const listed = async (query: string) => {
      const { status, text, body } = await app.get<{ data: KeyEntity[]; next_cursor: string | null }>(`/api/v1/keys?${query}`);
      expect(status, text).toBe(200);
      return { ids: body.entity.data.map(({ id }) => id), next: body.entity.next_cursor };
    };
    const [one, two, three, four] = [nightly, unnamed, expired, revoked].map(({ entity }) => entity.id);
    expect((await listed('name=NIGHTLY')).ids).toEqual([four, three, one]);
    expect((await listed('name=nightly_')).ids).toEqual([one]);
    expect((await listed('name=%25')).ids).toEqual([]);
    expect((await listed(`name=${unnamed.entity.hint.toUpperCase()}`)).ids).toEqual([two]);
    expect((await listed(`name=${unnamed.entity.key}`)).ids).toEqual([]);
    expect((await listed('active=true')).ids).toEqual([two, one, app.keyId]);
    expect((await listed('active=false&name=')).ids).toEqual([four, three]);
    const first = await listed('name=nightly&limit=2');
    expect((await listed(`name=nightly&limit=2&cursor=${first.next}`)).ids).toEqual([one]);
    for (const wrong of ['active=yes', 'name=a%00b', `name=${'a'.repeat(101)}`])
      expect((await app.get(`/api/v1/keys?${wrong}`)).status, wrong).toBe(400);
  });

  test('are of one app and one mode', async () => {
    const [app, other] = [await api.createApp(), await api.createApp()];
    for (const stranger of [other, app.live]) {
      expect((await stranger.get(`/api/v1/keys/${app.keyId}`)).status).toBe(404);
      expect((await stranger.post(`/api/v1/keys/${app.keyId}/revoke`)).status).toBe(404);
      expect((await stranger.post(`/api/v1/keys/${app.keyId}/rotate`)).status).toBe(404);
    }
    expect((await call(app)).status).toBe(200);
  });

  test('a key never gives more than it has, by making, changing or rotating', async () => {
    const app = await api.createApp();
    const expires_at = '2990-01-01T00:00:00.000Z';
    const own = { scopes: ['keys', 'verify'], checks: ['nin_basic'], addresses: ['198.18.0.0/15'], daily_cap: 100, expires_at };
    const key = await keyWith(app, own);
    const beyond: [object, string][] = [
      [{ scopes: ['verify', 'webhooks'] }, 'scopes'],
      [{ scopes: null }, 'scopes'],
      [{ checks: ['nin_advance'] }, 'checks'],
      [{ checks: null }, 'checks'],
      [{ addresses: ['198.16.0.0/14'] }, 'addresses'],
      [{ addresses: null }, 'addresses'],
      [{ daily_cap: 100.01 }, 'daily_cap'],
      [{ daily_cap: null }, 'daily_cap'],
      [{ expires_at: '2990-01-02' }, 'expires_at'],
      [{ expires_at: null }, 'expires_at'],
    ];
    for (const [terms, path] of beyond) {
      for (const refused of [
        await key.post('/api/v1/keys', terms),
        await key.send('PATCH', `/api/v1/keys/${key.entity.id}`, json(terms)),
      ]) {
        expect([refused.status, refused.body.details?.map((detail) => detail.path)]).toEqual([403, [path]]);
      }
    }
    expect((await key.post(`/api/v1/keys/${app.keyId}/rotate`)).status).toBe(403);
    const made = await key.post<KeyEntity>('/api/v1/keys', { checks: ['nin_basic'], addresses: ['198.18.3.0/24'] });
    expect(made.body.entity).toMatchObject({ ...own, addresses: ['198.18.3.0/24'] });
  });

  test('of a key that may do what the other may not, it lifts no limit, and may set tighter ones', async () => {
    const app = await api.createApp();
    const other = await keyWith(app, { scopes: ['verify'], checks: ['nin_basic'], daily_cap: 10, addresses: ['127.0.0.1'] });
    const key = await keyWith(app, { scopes: ['keys'] });
    const patch = (terms: object) => key.send('PATCH', `/api/v1/keys/${other.entity.id}`, json(terms));
    for (const [path, terms] of [
      ['checks', { checks: null }],
      ['daily_cap', { daily_cap: 11 }],
      ['addresses', { addresses: ['127.0.0.0/8'] }],
    ] as const) {
      const refused = await patch(terms);
      expect([refused.status, refused.body.details]).toEqual([403, [{ path, message: expect.any(String), rule: 'exceeds_own' }]]);
    }
    expect((await patch({ daily_cap: 5, expires_at: '2990-01-01', name: 'Tighter' })).status).toBe(200);
  });

  test('rotation: both keys work for a while, then only the new one', async () => {
    const app = await api.createApp();
    const old = await keyWith(app, { name: 'Server', scopes: ['verify'], daily_cap: 50_000 });
    const rotated = await app.post<KeyEntity>(`/api/v1/keys/${old.entity.id}/rotate`, { overlap_seconds: 2 });
    expect(rotated.status).toBe(201);
    expect(rotated.body.entity).toMatchObject({ name: 'Server', scopes: ['verify'], daily_cap: 50_000, expires_at: null });
    const fresh = clientOf(app, rotated.body.entity);
    expect([(await call(old)).status, (await call(fresh)).status]).toEqual([200, 200]);
    expect((await app.get<KeyEntity>(`/api/v1/keys/${old.entity.id}`)).body.entity.rotated_to).toBe(fresh.entity.id);
    expect((await app.post(`/api/v1/keys/${old.entity.id}/rotate`)).status).toBe(409);
    for (const terms of [{ expires_at: null }, { expires_at: '2990-01-01' }, { name: 'Old' }])
      expect((await app.send('PATCH', `/api/v1/keys/${old.entity.id}`, json(terms))).status).toBe(409);
    await expect.poll(async () => (await call(old)).status, { timeout: 5_000 }).toBe(401);
    expect((await call(fresh)).status).toBe(200);
  });

  test('an overlap beyond every bound is refused by the one that is meant', async () => {
    const app = await api.createApp();
    const refused = await app.post(`/api/v1/keys/${app.keyId}/rotate`, { overlap_seconds: 1e18 });
    expect(refused.body.details).toEqual([{ path: 'overlap_seconds', message: 'must be at most 2592000', rule: 'too_big' }]);
  });

  test('of many rotations at once one is made', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, {});
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.post(`/api/v1/keys/${key.entity.id}/rotate`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });
});

test('networks and limits are compared by what they hold, not by how they are written', () => {
  const within = (own: object, wanted: object) => excesses({ ...UNRESTRICTED, ...own }, { ...UNRESTRICTED, ...wanted });
  expect(within({ addresses: ['10.0.0.0/8'] }, { addresses: ['10.1.0.0/16', '10.0.0.0/8'] })).toEqual([]);
  expect(within({ addresses: ['10.0.0.0/8'] }, { addresses: ['0.0.0.0/0'] })).toEqual(['addresses']);
  expect(within({ addresses: ['::/0'] }, { addresses: ['10.0.0.0/8'] })).toEqual(['addresses']);
  expect(within({ expiresAt: '2990-01-01T01:00:00+01:00' }, { expiresAt: '2990-01-01T00:00:00Z' })).toEqual([]);
  expect(within({}, { scopes: ['verify'], dailyCapKobo: 5 })).toEqual([]);
});

test('an event stream ends with its key within a second, by revocation or expiry, and no other does', async () => {
  const app = await api.createApp();
  const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
  const [revoked, expired, other] = [await keyWith(app, {}), await keyWith(app, {}), await keyWith(app, {})];
  const readers = await Promise.all(
    [revoked, expired, other].map(async ({ key }) => {
      const stream = await fetch(`${api.url}/api/v1/batches/${id}/events`, { headers: { Authorization: key, AppId: app.app } });
      const reader = stream.body!.getReader();
      await reader.read();
      const end = (async () => {
        for (;;) if ((await reader.read()).done) return;
      })().catch(() => 'cut');
      return { reader, end };
    }),
  );
  const inTime = withinASecond();
  await app.post(`/api/v1/keys/${revoked.entity.id}/revoke`);
  await api.service.sql`update api_keys set expires_at = now() where id = ${parseId('key', expired.entity.id)}`;
  expect(await Promise.all([readers[0]!.end, readers[1]!.end])).toEqual(['cut', 'cut']);
  inTime('the end of the streams');
  expect(await Promise.race([readers[2]!.end, other.get('/api/v1/wallet').then(({ status }) => status)])).toBe(200);
  await readers[2]!.reader.cancel();
  await app.post(`/api/v1/batches/${id}/cancel`);
});

describe('links', () => {
  async function linkOf(app: TestApp, maker: Pick<Client, 'post'>) {
    const batch = (await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`)).body.entity;
    await app.ended(`/api/v1/batches/${batch.id}`);
    const link = (await maker.post<{ id: string; path: string }>(`/api/v1/batches/${batch.id}/links`, { format: 'csv' })).body.entity;
    return { batch, link, follow: async () => (await openClient(api.url, '', '').get(link.path)).body.code ?? 'works' };
  }

  test('are revoked one by one', async () => {
    const app = await api.createApp();
    const [one, other] = [await linkOf(app, app), await linkOf(app, app)];
    expect(await one.follow()).toBe('works');
    expect((await (await api.createApp()).post(`/api/v1/links/${one.link.id}/revoke`)).status).toBe(404);
    expect((await app.live.post(`/api/v1/links/${one.link.id}/revoke`)).status).toBe(404);
    expect((await app.post(`/api/v1/links/${one.link.id}/revoke`)).status).toBe(200);
    expect((await app.post(`/api/v1/links/${one.link.id}/revoke`)).status).toBe(404);
    expect([await one.follow(), await other.follow()]).toEqual(['link_expired', 'works']);
    const { data } = (await app.get<{ data: { id: string; revoked_at: string | null }[] }>(`/api/v1/batches/${one.batch.id}/links`)).body
      .entity;
    expect(data).toMatchObject([{ id: one.link.id, revoked_at: expect.any(String) }]);
    expect(JSON.stringify(data)).not.toContain(one.link.path.split('/').at(-1));
  });

  test('are listed by whether they work: not if they are revoked, expired, or their key has ended', async () => {
    const app = await api.createApp();
    const { batch, link } = await linkOf(app, app);
    const path = `/api/v1/batches/${batch.id}/links`;
    const made = async (maker: Pick<Client, 'post'>) => (await maker.post<{ id: string }>(path, { format: 'csv' })).body.entity.id;
    const key = (await app.post<{ id: string; key: string }>('/api/v1/keys', { name: 'ends' })).body.entity;
    const [revoked, expired, ended, last] = [
      await made(app),
      await made(app),
      await made(openClient(api.url, app.app, key.key)),
      await made(app),
    ];
    await app.post(`/api/v1/links/${revoked}/revoke`);
    await app.post(`/api/v1/keys/${key.id}/revoke`);
    await api.service.sql`update links set expires_at = now() - interval '1 second' where id = ${parseId('lnk', expired)}`;
    const listed = async (query: string) =>
      (await app.get<{ data: { id: string }[] }>(`${path}${query}`)).body.entity.data.map(({ id }) => id);
    expect(await listed('?active=true')).toEqual([last, link.id]);
    expect(await listed('?active=false')).toEqual([ended, expired, revoked]);
    expect(await listed('')).toEqual([last, ended, expired, revoked, link.id]);
    const page = (await app.get<{ next_cursor: string }>(`${path}?active=true&limit=1`)).body.entity;
    expect(await listed(`?active=true&cursor=${page.next_cursor}`)).toEqual([link.id]);
    expect((await app.get(`${path}?active=yes`)).status).toBe(400);
  });

  test('of a person end when they leave the app or are disabled', async () => {
    const app = await api.createApp();
    const [leaver, disabled, stayer] = [
      await signedInAs(api, app, 'operator'),
      await signedInAs(api, app, 'operator'),
      await signedInAs(api, app, 'owner'),
    ];
    const links: Awaited<ReturnType<typeof linkOf>>[] = [];
    for (const { browser } of [leaver, disabled, stayer]) links.push(await linkOf(app, browser));
    const follow = () => Promise.all(links.map((link) => link.follow()));
    expect(await follow()).toEqual(['works', 'works', 'works']);
    expect((await stayer.browser.send('DELETE', `/api/v1/people/${leaver.id}`)).status).toBe(200);
    const body = JSON.stringify({ disabled: true });
    const changed = await api.admin.send('PATCH', `/api/v1/admin/people/${disabled.id}`, {
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(changed.status, changed.text).toBe(200);
    expect(await follow()).toEqual(['link_expired', 'link_expired', 'works']);
  });

  test('a download by a link is cut within a second of the revocation of the link, of its key, and of the end of its person', async () => {
    const app = await api.createApp({ naira: 10_000_000 });
    const [key, person] = [await keyWith(app, {}), await signedInAs(api, app, 'operator')];
    // Longer than what the kernel buffers for a client.
    const note = 'n'.repeat(1_000);
    const rows = Array.from({ length: 16_000 }, (_, i) => `${50_000_000_000 + i},${note}${i}\n`).join('');
    const batch = (await app.csv('checks=nin_basic&start=manual', `nin,note\n${rows}`)).body.entity;
    const link = async (maker: Pick<Client, 'post'>) =>
      (await maker.post<{ id: string; path: string }>(`/api/v1/batches/${batch.id}/links`, { format: 'csv' })).body.entity;
    const [revoked, ofKey, ofPerson, other] = [await link(app), await link(key), await link(person.browser), await link(app)];
    const downloads = await Promise.all([revoked, ofKey, ofPerson, other].map(({ path }) => openDownload(path)));
    expect((await app.post(`/api/v1/links/${revoked.id}/revoke`)).status).toBe(200);
    expect((await app.post(`/api/v1/keys/${key.entity.id}/revoke`)).status).toBe(200);
    expect((await app.send('DELETE', `/api/v1/people/${person.id}`)).status).toBe(200);
    for (const began = performance.now(); performance.now() - began < 1_000 * loadFactor(); await sleep(25))
      for (const { response } of downloads) response.read(1_024);
    // What is left is read at full speed: a download that was not cut would be whole.
    const whole = await Promise.all(downloads.map(({ rest }) => rest()));
    expect(whole).toEqual([false, false, false, true]);
    await app.post(`/api/v1/batches/${batch.id}/cancel`);
  });

  test('die with the key that made them', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, {});
    const [theirs, ours] = [await linkOf(app, key), await linkOf(app, app)];
    await app.post(`/api/v1/keys/${key.entity.id}/revoke`);
    expect([await theirs.follow(), await ours.follow()]).toEqual(['link_expired', 'works']);
  });
});

test('when a key was last used is known to the minute within half a minute', async () => {
  expect(used.key.entity.last_used_at).toBeNull();
  const shown = async () => (await used.app.get<KeyEntity>(`/api/v1/keys/${used.key.entity.id}`)).body.entity.last_used_at;
  await expect.poll(shown, { timeout: 40_000, interval: 1_000 }).toMatch(/:00\.000Z$/);
}, 60_000);
