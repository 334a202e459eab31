/** Admin keys: name, addresses, expiry and last use; their list, change, rotation and revocation; what each leaves in the audit. */
import { describe, expect, test } from 'vitest';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { runRoles } from '../../workers/main.ts';
import { type Client, openClient, useApi } from '../setup/api.ts';
import { Browser, PASSWORD, tokenIn } from '../setup/browser.ts';

const CONFIGURED = newSecretKey();
const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1/32,::1/128', CONFAM_ADMIN_KEY: CONFIGURED });
const KEYS = '/api/v1/admin/keys';
const FAR = '2990-01-01T00:00:00.000Z';

interface AdminKey {
  id: string;
  key: string;
  mode: string;
  name: string | null;
  hint: string;
  addresses: string[] | null;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  rotated_to: string | null;
}
type Holder = Client & { entity: AdminKey };
interface List {
  data: AdminKey[];
  next_cursor: string | null;
}

const json = (body: object) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
const clientOf = (entity: AdminKey): Holder => ({ ...openClient(api.url, '', entity.key), entity });

async function made(terms?: object, by: Client = api.admin): Promise<Holder> {
  const { status, text, body } = await by.post<AdminKey>(KEYS, terms);
  expect(status, text).toBe(201);
  return clientOf(body.entity);
}

const use = async (client: Client, headers = {}) => (await client.get('/api/v1/admin/apps?limit=1', headers)).status;
const change = (id: string, terms: object, by: Client = api.admin) => by.send<AdminKey>('PATCH', `${KEYS}/${id}`, json(terms));
const listed = async (query = '') => (await api.admin.get<List>(`${KEYS}${query}`)).body.entity;
const shown = async (id: string) => (await listed()).data.find((key) => key.id === id)!;
const newestInAudit = async () =>
  (
    await api.admin.get<{ data: { action: string; target: string; detail: object; actor: { id: string } }[] }>(
      '/api/v1/admin/audit?app=deployment&limit=1',
    )
  ).body.entity.data[0]!;

describe('an admin key', () => {
  test('is made with a name, addresses and an expiry, or without any, and does what the operator may', async () => {
    const key = await made({ name: 'Provisioning', addresses: ['203.0.113.0/24', '192.0.2.7'], expires_at: '2990-01-01' });
    expect(key.entity).toEqual({
      id: expect.stringMatching(/^key_/),
      object: 'key',
      mode: 'admin',
      name: 'Provisioning',
      hint: key.key.slice(0, 12),
      addresses: ['203.0.113.0/24', '192.0.2.7/32'],
      created_at: expect.any(String),
      expires_at: FAR,
      last_used_at: null,
      revoked_at: null,
      rotated_to: null,
      made_by: null,
      key: expect.stringMatching(/^cf_admin_[0-9A-Za-z]{38}$/),
    });
    const plain = await made();
    expect(plain.entity).toMatchObject({ name: null, addresses: null, expires_at: null });
    expect((await plain.post('/api/v1/admin/apps', { name: 'Ada' })).status).toBe(201);
  });

  test('takes no scopes, checks or cap, at its making or later', async () => {
    const key = await made();
    for (const [name, value] of Object.entries({ scopes: ['verify'], checks: ['nin_basic'], daily_cap: 5 })) {
      for (const refused of [await api.admin.post(KEYS, { [name]: value }), await change(key.entity.id, { name: 'x', [name]: value })])
        expect([refused.status, refused.body.code, refused.body.details]).toEqual([
          400,
          'invalid_request',
          [{ path: name, message: 'is not an option here; known options: name, addresses, expires_at', rule: 'unknown_option' }],
        ]);
    }
    expect((await shown(key.entity.id)).name).toBeNull();
  });

  test('is not made with terms that make no sense', async () => {
    for (const [terms, path] of [
      [{ addresses: ['203.0.113.0/33'] }, 'addresses.0'],
      [{ addresses: [] }, 'addresses'],
      [{ expires_at: '2020-01-01' }, 'expires_at'],
      [{ name: '' }, 'name'],
      [{ mode: 'test' }, 'mode'],
    ] as const) {
      const { status, body } = await api.admin.post(KEYS, terms);
      expect([status, body.code, body.details[0]!.path]).toEqual([400, 'invalid_request', path]);
    }
  });

  test('works from its addresses only, for the metrics too', async () => {
    const key = await made({ addresses: ['203.0.113.0/24', '2001:db8::/32'] });
    for (const path of ['/api/v1/admin/apps', '/metrics']) {
      const from = async (address: string) => {
        const { status, body } = await key.get(path, { 'X-Forwarded-For': address });
        return [status, body.code];
      };
      for (const address of ['203.0.113.9', '2001:db8:1::5', '::ffff:203.0.113.9']) expect((await from(address))[0], address).toBe(200);
      for (const address of ['203.0.114.9', '2001:db9::1', '203.0.113.9, 198.51.100.1', 'nonsense'])
        expect(await from(address), address).toEqual([403, 'forbidden']);
    }
  });

  test('ends when it expires, also where it is remembered', async () => {
    const key = await made({ expires_at: FAR });
    await api.service
      .sql`update api_keys set expires_at = now() + interval '1500 milliseconds' where id = ${parseId('key', key.entity.id)}`;
    expect(await use(key)).toBe(200);
    await expect.poll(() => use(key), { timeout: 4_000 }).toBe(401);
  });

  test('is changed at once in its name, addresses and expiry, one by one', async () => {
    const key = await made({ name: 'One', addresses: ['203.0.113.0/24'], expires_at: FAR });
    const inside = { 'X-Forwarded-For': '203.0.113.9' };
    expect(await use(key, inside)).toBe(200);
    expect((await change(key.entity.id, { name: 'Two' })).body.entity).toMatchObject({
      mode: 'admin',
      name: 'Two',
      addresses: ['203.0.113.0/24'],
      expires_at: FAR,
    });
    expect((await change(key.entity.id, { addresses: ['198.51.100.1'] })).body.entity.addresses).toEqual(['198.51.100.1/32']);
    expect(await use(key, inside)).toBe(403);
    expect((await change(key.entity.id, { addresses: null, expires_at: null })).body.entity).toMatchObject({
      addresses: null,
      expires_at: null,
    });
    expect(await use(key, inside)).toBe(200);
    expect((await api.admin.post(`${KEYS}/${key.entity.id}/revoke`)).status).toBe(200);
    expect((await change(key.entity.id, { name: 'x' })).status).toBe(404);
  });

  test('with limits lets in nobody whom nothing limits', async () => {
    const key = await made({ addresses: ['203.0.113.0/24'], expires_at: FAR });
    const inside = { 'X-Forwarded-For': '203.0.113.9' };
    const invite = (by: Client, body: object) =>
      by.post<{ id: string; link: string }>('/api/v1/admin/people', { email: `${newId()}@bank.test`, ...body }, inside);
    const invited = await invite(api.admin, { administrator: true });
    await new Browser(api).post('/api/v1/session/link', { token: tokenIn(invited.body.entity.link), password: PASSWORD });
    const refused = await invite(key, { administrator: true });
    expect([refused.status, refused.body.details?.map(({ path, rule }) => [path, rule])]).toEqual([
      403,
      [
        ['addresses', 'exceeds_own'],
        ['expires_at', 'exceeds_own'],
      ],
    ]);
    const link = (by: Client) => by.post(`/api/v1/admin/people/${invited.body.entity.id}/sign-in-link`, undefined, inside);
    expect([(await link(key)).status, (await link(api.admin)).status]).toEqual([403, 201]);
    const app = await api.createApp();
    expect((await invite(key, { app: app.app, role: 'viewer' })).status).toBe(201);
  });

  test('with limits does not get by an Idempotency-Key what it could not make: a key, an administrator, a link', async () => {
    const key = await made({ expires_at: FAR });
    const administrator = { email: `${newId()}@bank.test`, administrator: true };
    const first = await api.admin.post<{ id: string }>('/api/v1/admin/people', administrator, { 'Idempotency-Key': 'gives' });
    const requests: [path: string, body?: object][] = [
      ['/api/v1/admin/people', administrator],
      [KEYS, { name: 'wide' }],
      [`/api/v1/admin/people/${first.body.entity.id}/sign-in-link`],
    ];
    for (const [at, [path, body]] of requests.entries()) {
      const send = (by: Client) => by.post(path, body, { 'Idempotency-Key': at === 0 ? 'gives' : `gives-${at}` });
      const kept = await send(api.admin);
      expect(kept.status, kept.text).toBe(201);
      const refused = await send(key);
      expect([refused.status, refused.body.details], path).toEqual([
        403,
        [{ path: 'Idempotency-Key', message: 'expires_at', rule: 'exceeds_own' }],
      ]);
      expect(refused.text).not.toMatch(/cf_admin_|#/);
      expect((await send(await made())).text, path).toBe(kept.text);
    }
  });

  test('shows when it was last used, to the minute, also if the process ends right after', async () => {
    const keys = [await made(), await made(), await made({ addresses: ['203.0.113.0/24'] })];
    const other = await runRoles({ ...api.service.config, PORT: 0 }, api.service.databaseUrl, {
      api: true,
      pools: [],
      webhooks: false,
      dispatcher: false,
    });
    const [key, scraper, refused] = keys.map((one) => openClient(`http://127.0.0.1:${other.port}`, '', one.key));
    expect([await use(key!), (await scraper!.get('/metrics')).status, await use(refused!)]).toEqual([200, 200, 403]);
    await other.drain();
    const lastUsed = await Promise.all(keys.map(async ({ entity }) => (await shown(entity.id)).last_used_at));
    expect(lastUsed).toEqual([expect.stringMatching(/:00\.000Z$/), expect.stringMatching(/:00\.000Z$/), null]);
  });
});

describe('the list of admin keys', () => {
  test('is paged, newest first, with revoked ones, without keys of apps and without any key’s text', async () => {
    const app = await api.createApp();
    const keys = [await made({ name: 'a' }), await made({ name: 'b' }), await made({ name: 'c' })].reverse();
    await api.admin.post(`${KEYS}/${keys[1]!.entity.id}/revoke`);
    const first = await listed('?limit=2');
    expect(first).toMatchObject({ object: 'list', has_more: true, next_cursor: keys[1]!.entity.id });
    expect(first.data).toMatchObject([
      { id: keys[0]!.entity.id, name: 'c', mode: 'admin', revoked_at: null },
      { id: keys[1]!.entity.id, name: 'b', mode: 'admin', revoked_at: expect.any(String) },
    ]);
    expect((await listed(`?limit=1&cursor=${first.next_cursor}`)).data[0]!.id).toBe(keys[2]!.entity.id);
    const every = (await api.admin.get(`${KEYS}?limit=1000`)).text;
    expect(every).not.toContain(app.keyId);
    for (const { key } of keys) expect(every).not.toContain(key);
    for (const query of ['?limit=0', '?cursor=app_1', '?mode=live'])
      expect((await api.admin.get(`${KEYS}${query}`)).status, query).toBe(400);
  });

  test('is for the operator', async () => {
    const app = await api.createApp();
    const { id } = (await made()).entity;
    const asked = [
      await app.get(KEYS),
      await app.post(KEYS),
      await app.post(`${KEYS}/${id}/rotate`),
      await app.send('PATCH', `${KEYS}/${id}`, json({ name: 'x' })),
    ];
    expect(asked.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    for (const path of [`/api/v1/keys/${id}`, `/api/v1/keys/${id}/rotate`, `/api/v1/keys/${id}/revoke`])
      expect((await app.send(path.endsWith(id) ? 'GET' : 'POST', path)).status, path).toBe(404);
  });
});

describe('rotation of an admin key', () => {
  test('makes a key with the same terms; both work for a while, then only the new one', async () => {
    const old = await made({ name: 'Terraform', addresses: ['198.18.0.0/15'], expires_at: FAR });
    const { status, body } = await old.post<AdminKey>(`${KEYS}/${old.entity.id}/rotate`, { overlap_seconds: 2 });
    expect([status, body.entity]).toMatchObject([201, { mode: 'admin', name: 'Terraform', addresses: ['198.18.0.0/15'], expires_at: FAR }]);
    const fresh = clientOf(body.entity);
    expect([await use(old), await use(fresh)]).toEqual([200, 200]);
    expect((await shown(old.entity.id)).rotated_to).toBe(fresh.entity.id);
    expect((await api.admin.post(`${KEYS}/${old.entity.id}/rotate`)).body.code).toBe('conflict');
    await expect.poll(() => use(old), { timeout: 5_000 }).toBe(401);
    expect(await use(fresh)).toBe(200);
  });

  test('of many at once one is made, and a revoked key has none', async () => {
    const { id } = (await made()).entity;
    const answers = await Promise.all(Array.from({ length: 6 }, () => api.admin.post(`${KEYS}/${id}/rotate`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const revoked = (await made()).entity.id;
    await api.admin.post(`${KEYS}/${revoked}/revoke`);
    expect((await api.admin.post(`${KEYS}/${revoked}/rotate`)).status).toBe(409);
  });

  test('is not for keys of apps, nor for what does not exist', async () => {
    const app = await api.createApp();
    for (const id of [app.keyId, showId('key', newId()), 'key_1']) {
      const { status, body } = await api.admin.post(`${KEYS}/${id}/rotate`);
      expect([status, body.error]).toEqual([404, 'There is no such admin key']);
    }
    expect((await app.get('/api/v1/wallet')).status).toBe(200);
  });
});

test('an admin key never gives an admin key more than it has; the configured key may', async () => {
  const own = await made({ addresses: ['198.18.0.0/15'], expires_at: FAR });
  const other = await made();
  for (const [terms, path] of [
    [{ addresses: null }, 'addresses'],
    [{ addresses: ['198.16.0.0/14'] }, 'addresses'],
    [{ expires_at: null }, 'expires_at'],
    [{ expires_at: '2990-01-02' }, 'expires_at'],
  ] as const)
    for (const refused of [await own.post(KEYS, terms), await change(own.entity.id, terms, own)])
      expect([refused.status, refused.body.details.map((detail) => detail.path)]).toEqual([403, [path]]);
  expect((await own.post(`${KEYS}/${other.entity.id}/rotate`)).status).toBe(403);
  expect((await made({ name: 'Narrower' }, own)).entity).toMatchObject({ addresses: ['198.18.0.0/15'], expires_at: FAR });
  const configured = openClient(api.url, '', CONFIGURED);
  expect((await change(own.entity.id, { addresses: null, expires_at: null }, configured)).status).toBe(200);
  expect((await own.post(`${KEYS}/${other.entity.id}/rotate`)).status).toBe(201);
});

test('each change of an admin key is in the audit of the deployment, without its name', async () => {
  const by = (await listed()).data.at(-1)!.id;
  const key = await made({ name: 'Ada’s', addresses: ['203.0.113.0/24'] });
  const { id } = key.entity;
  const actor = { id: by };
  expect(await newestInAudit()).toMatchObject({
    action: 'key.create',
    target: id,
    actor,
    detail: { kind: 'admin', addresses: ['203.0.113.0/24'] },
  });
  await change(id, { name: 'Bisi’s', expires_at: FAR });
  const changed = await newestInAudit();
  expect(changed).toMatchObject({ action: 'key.change', target: id, detail: { expiresAt: FAR } });
  expect(JSON.stringify(changed)).not.toContain('Bisi');
  const fresh = (await api.admin.post<AdminKey>(`${KEYS}/${id}/rotate`, { overlap_seconds: 60 })).body.entity.id;
  expect(await newestInAudit()).toMatchObject({ action: 'key.rotate', target: id, actor, detail: { made: fresh, overlapSeconds: 60 } });
  await api.admin.post(`${KEYS}/${id}/revoke`);
  expect(await newestInAudit()).toMatchObject({ action: 'key.revoke', target: id, actor });
});
