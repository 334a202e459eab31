/** What a key with terms may not do by a detour: through another key's batch, answer, link or stream, or through people. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type BatchEntity, type Client, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { type Browser, signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import { withinASecond } from '../setup/process.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi({ CONFAM_TRUSTED_PROXIES: '127.0.0.1/32,::1/128' });

/** A key that the operator made with these terms. */
async function keyWith(app: TestApp, terms: object, mode = 'test') {
  const made = await api.admin.post<{ id: string; key: string }>(`/api/v1/admin/apps/${app.app}/keys`, { mode, ...terms });
  expect(made.status, made.text).toBe(201);
  const { id, key } = made.body.entity;
  return { ...openClient(api.url, app.app, key), id, key };
}

const json = (body: object) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
const narrow = async (app: TestApp, id: string, terms: object) => {
  const changed = await app.send('PATCH', `/api/v1/keys/${id}`, json(terms));
  expect(changed.status, changed.text).toBe(200);
};

describe('a key that is narrowed', () => {
  /** The events of a batch by a key, from an address. `end` resolves once the server has cut them. */
  async function follow(app: TestApp, id: string, key: string, address: string) {
    const headers = { Authorization: key, AppId: app.app, 'X-Forwarded-For': address };
    const reader = (await fetch(`${api.url}/api/v1/batches/${id}/events`, { headers })).body!.getReader();
    await reader.read();
    const end = (async () => {
      for (;;) if ((await reader.read()).done) return 'ended';
    })().catch(() => 'cut');
    return { reader, end };
  }

  test('loses within a second the streams and waits that it may not begin any more, and no others', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
    const [scopes, addresses, other] = [await keyWith(app, {}), await keyWith(app, {}), await keyWith(app, {})];
    const [ofScopes, elsewhere, within, ofOther] = await Promise.all([
      follow(app, id, scopes.key, '192.0.2.1'),
      follow(app, id, addresses.key, '192.0.2.1'),
      follow(app, id, addresses.key, '203.0.113.9'),
      follow(app, id, other.key, '192.0.2.1'),
    ]);
    const wait = scopes.get(`/api/v1/batches/${id}?wait=30`);
    // The wait has begun.
    await sleep(300);
    const inTime = withinASecond();
    await narrow(app, scopes.id, { scopes: ['batches:write', 'verify'] });
    await narrow(app, addresses.id, { addresses: ['203.0.113.0/24'] });
    await narrow(app, other.id, { scopes: ['results:read'], checks: ['bvn_full'], daily_cap: 1 });
    expect(await Promise.all([ofScopes.end, elsewhere.end])).toEqual(['cut', 'cut']);
    expect((await wait).status).toBe(401);
    inTime('the end of the streams and of the wait');
    expect(await Promise.race([within.end, ofOther.end, sleep(1_500, 'open')])).toBe('open');
    await Promise.all([within, ofOther].map(({ reader }) => reader.cancel()));
    await app.post(`/api/v1/batches/${id}/cancel`);
  });

  test('ends its links, as a lower role does, until the right is back', async () => {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=nin_basic', `nin\n${freshNin()}\n`)).body.entity;
    await app.ended(`/api/v1/batches/${id}`);
    const linkOf = async (maker: Pick<Client, 'post'> | Browser) => {
      const made = await maker.post<{ id: string; path: string }>(`/api/v1/batches/${id}/links`, { format: 'csv' });
      expect(made.status, made.text).toBe(201);
      return made.body.entity;
    };
    const [key, person] = [await keyWith(app, { scopes: ['results:read'] }), await signedInAs(api, app, 'operator')];
    const links = [await linkOf(app), await linkOf(key), await linkOf(person.browser)];
    const follow = () => Promise.all(links.map(async ({ path }) => (await openClient(api.url, '', '').get(path)).body.code ?? 'works'));
    const change = (role: string) => app.send('PATCH', `/api/v1/people/${person.id}`, json({ role }));
    expect(await follow()).toEqual(['works', 'works', 'works']);
    await narrow(app, key.id, { scopes: ['wallet:read'] });
    expect((await change('viewer')).status).toBe(200);
    expect(await follow()).toEqual(['works', 'link_expired', 'link_expired']);
    const active = await app.get<{ data: { id: string }[] }>(`/api/v1/batches/${id}/links?active=true`);
    expect(active.body.entity.data.map((link) => link.id)).toEqual([links[0]!.id]);
    await narrow(app, key.id, { scopes: null });
    await change('approver');
    expect(await follow()).toEqual(['works', 'works', 'works']);
  });
});

test('a person’s stream ends within a second once their app requires a second factor that they have not shown', async () => {
  const app = await api.createApp();
  const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
  const { browser } = await signedInAs(api, app, 'operator');
  const response = await fetch(`${api.url}/api/v1/batches/${id}/events`, {
    headers: { Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '), AppId: app.app },
  });
  expect(response.status).toBe(200);
  const ended = response.text().catch(() => 'cut');
  expect(await Promise.race([ended, sleep(1_500, 'open')])).toBe('open');
  const inTime = withinASecond();
  const required = json({ settings: { secondFactorRequired: true } });
  expect((await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, required)).status).toBe(200);
  await ended;
  inTime('the end of the stream');
  expect((await browser.get(`/api/v1/batches/${id}`)).body.code).toBe('second_factor_setup_required');
});

describe('a key limited to some scopes', () => {
  test('waits for a job only if it may read the result', async () => {
    const app = await api.createApp();
    const wait = { Prefer: 'wait=10' };
    const submit = (client: Pick<TestApp, 'post'>, headers = {}) =>
      client.post<JobEntity>('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } }, headers);
    const [writer, reader] = [
      await keyWith(app, { scopes: ['batches:write'] }),
      await keyWith(app, { scopes: ['batches:write', 'results:read'] }),
    ];
    const refused = await submit(writer, wait);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      403,
      'forbidden',
      [{ path: 'Authorization', message: 'results:read', rule: 'scope' }],
    ]);
    expect((await app.get<{ data: object[] }>('/api/v1/jobs')).body.entity.data).toEqual([]);
    expect((await submit(writer)).status).toBe(202);
    const answered = await submit(reader, wait);
    expect([answered.status, answered.body.entity.result]).toEqual([200, expect.objectContaining({ nin: expect.any(String) })]);
  });

  test('gets the file of everything about a person with `privacy`, and without it neither with `results:read`', async () => {
    const app = await api.createApp();
    const nin = freshNin();
    await app.get(`/api/v1/kyc/nin?nin=${nin}`);
    const identifiers = [{ type: 'nin', value: nin }];
    const { id } = (await app.post<{ id: string }>('/api/v1/subjects/export', { identifiers })).body.entity;
    const path = `/api/v1/subjects/exports/${id}`;
    await waitFor('the export', async () => (await app.get(path)).body.entity.status === 'done');
    const [reader, keeper] = [await keyWith(app, { scopes: ['results:read'] }), await keyWith(app, { scopes: ['privacy'] })];
    const refused = await reader.get(`${path}/file`);
    expect([refused.status, refused.body.error]).toEqual([403, 'This key lacks the scope privacy']);
    expect((await keeper.get(`${path}/file`)).text).toContain(nin);
  });
});

describe('a key limited to some checks', () => {
  test('neither starts, resumes nor retries a batch of other checks, whoever submitted it', async () => {
    const app = await api.createApp();
    const [limited, other] = [await keyWith(app, { checks: ['nin_basic'] }), await keyWith(app, { checks: ['nin_basic', 'nin_advance'] })];
    const upload = async (checks: string) =>
      (await app.csv(`checks=${checks}&start=manual`, `nin\n${freshNin()}\n`)).body.entity as BatchEntity;
    const { id } = await upload('nin_basic,nin_advance');
    const verb = (client: Pick<TestApp, 'post'>, name: string, of = id) => client.post<BatchEntity>(`/api/v1/batches/${of}/${name}`);
    for (const name of ['start', 'resume', 'retry']) {
      const refused = await verb(limited, name);
      expect([refused.status, refused.body.error, refused.body.details]).toEqual([
        403,
        'This key may not run nin_advance',
        [{ path: 'check', message: 'nin_advance', rule: 'check' }],
      ]);
    }
    expect((await app.get<BatchEntity>(`/api/v1/batches/${id}`)).body.entity.status).toBe('awaiting_start');
    expect((await verb(limited, 'start', (await upload('nin_basic')).id)).status).toBe(200);
    expect((await verb(other, 'start')).status).toBe(200);
    const canceled = await upload('nin_advance');
    expect((await verb(limited, 'cancel', canceled.id)).status).toBe(200);
  });
});

describe('an answer that another key got under the same Idempotency-Key', () => {
  const rotated = async (app: TestApp, id: string) => {
    const { key } = (await app.post<{ key: string }>(`/api/v1/keys/${id}/rotate`)).body.entity;
    return openClient(api.url, app.app, key);
  };

  test('is not for a key that may not run all checks that the other may', async () => {
    const app = await api.createApp();
    const [wide, narrow] = [await keyWith(app, { checks: ['nin_basic', 'nin_advance'] }), await keyWith(app, { checks: ['nin_basic'] })];
    const body = { check: 'nin_advance', input: { nin: freshNin() } };
    const submit = (client: Pick<Client, 'post'>, sent = body) =>
      client.post<JobEntity>('/api/v1/jobs', sent, { 'Idempotency-Key': 'advance-1' });
    const first = await submit(wide);
    expect(first.status, first.text).toBe(202);
    const refused = await submit(narrow);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      403,
      'forbidden',
      [{ path: 'Idempotency-Key', message: 'checks', rule: 'exceeds_own' }],
    ]);
    expect(refused.text).not.toContain(first.body.entity.id);
    expect((await submit(narrow, { ...body, check: 'nin_basic' })).status).toBe(422);
    for (const client of [wide, app, await rotated(app, wide.id)]) {
      const again = await submit(client);
      expect([again.headers.get('idempotency-replayed'), again.body.entity.id]).toEqual(['true', first.body.entity.id]);
    }
  });

  test('is for no key if a person got it', async () => {
    const app = await api.createApp();
    const { browser, id } = await signedInAs(api, app, 'operator');
    const body = { check: 'nin_basic', input: { nin: freshNin() } };
    const theirs = await browser.post<JobEntity>('/api/v1/jobs', body, { 'Idempotency-Key': 'mine' });
    expect(theirs.status, theirs.text).toBe(202);
    for (const key of [`${id} mine`, `${id}mine`, 'mine']) {
      const made = await app.post<JobEntity>('/api/v1/jobs', body, { 'Idempotency-Key': key });
      expect([made.status, made.headers.get('idempotency-replayed')], key).toEqual([202, null]);
    }
  });

  test('and a new key not for one that could not make it', async () => {
    const app = await api.createApp();
    const make = (client: Pick<Client, 'post'>) =>
      client.post<{ key: string }>('/api/v1/keys', { name: 'New' }, { 'Idempotency-Key': 'new-1' });
    const first = await make(app);
    expect(first.status, first.text).toBe(201);
    for (const terms of [{ scopes: ['keys'] }, { daily_cap: 5 }, { expires_at: '2990-01-01' }]) {
      const refused = await make(await keyWith(app, terms));
      expect([refused.status, refused.body.details?.[0]?.message]).toEqual([403, Object.keys(terms)[0]]);
      expect(refused.text).not.toContain('cf_test_');
    }
    expect((await make(await keyWith(app, {}))).body.entity.key).toBe(first.body.entity.key);
  });
});

describe('a key with the scope `people`', () => {
  const invite = (client: Pick<Client, 'post'>, role: string, email = `${role}-${freshNin()}@bank.test`) =>
    client.post<{ id: string; link: string }>('/api/v1/people', { email, role });
  const VIEWERS = ['results:read', 'wallet:read'];

  test('lets nobody in who could do more than the key, neither by an invitation nor by a role', async () => {
    const app = await api.createApp();
    const key = await keyWith(app, { scopes: ['people', ...VIEWERS] }, 'live');
    const invited = await invite(key, 'viewer');
    expect(invited.status, invited.text).toBe(201);
    const change = (client: Pick<Client, 'send'>, role: string) =>
      client.send<{ role: string }>('PATCH', `/api/v1/people/${invited.body.entity.id}`, json({ role }));
    for (const refused of [await invite(key, 'owner'), await change(key, 'owner')]) {
      expect([refused.status, refused.body.details?.map(({ path, rule }) => [path, rule])]).toEqual([403, [['scopes', 'exceeds_own']]]);
      for (const scope of ['keys', 'privacy', 'approve']) expect(refused.body.error).toContain(scope);
      expect(refused.body.error).not.toContain('wallet:read');
    }
    expect((await change(key, 'operator')).status).toBe(403);
    expect((await change(key, 'viewer')).body.entity.role).toBe('viewer');
    expect((await key.send('DELETE', `/api/v1/people/${invited.body.entity.id}`)).status).toBe(200);
  });

  test('lets nobody in if it is limited in a way in which people are not', async () => {
    const app = await api.createApp();
    const scopes = ['people', ...VIEWERS];
    const limits: [object, string, string[]][] = [
      [{ scopes }, 'test', ['mode']],
      [{ scopes: ['people'] }, 'test', ['mode', 'scopes']],
      [{ scopes, checks: ['nin_basic'] }, 'live', ['checks']],
      [{ daily_cap: 5 }, 'live', ['daily_cap']],
      [{ expires_at: '2990-01-01' }, 'live', ['expires_at']],
      [{ addresses: ['198.18.0.0/15'] }, 'live', ['addresses']],
    ];
    for (const [terms, mode, paths] of limits) {
      const { status, body } = await invite(await keyWith(app, terms, mode), 'viewer');
      expect([status, body.details?.map(({ path }) => path)]).toEqual([403, paths]);
    }
    expect((await app.get<{ data: object[] }>('/api/v1/people')).body.entity.data).toEqual([]);
  });

  test('takes no role away that is beyond the key, neither by another role, by another invitation nor by removing somebody', async () => {
    const app = await api.createApp();
    const email = 'chi@bank.test';
    const { id } = (await invite(app, 'approver', email)).body.entity;
    const keys = [
      await keyWith(app, { scopes: ['people'] }, 'test'),
      await keyWith(app, { scopes: ['people', ...VIEWERS] }, 'test'),
      await keyWith(app, { scopes: ['people', ...VIEWERS] }, 'live'),
    ];
    for (const key of keys) {
      const path = `/api/v1/people/${id}`;
      const tried = [
        await key.send('DELETE', path),
        await key.send('PATCH', path, json({ role: 'viewer' })),
        await invite(key, 'viewer', email),
      ];
      for (const refused of tried) expect([refused.status, refused.body.details?.[0]?.rule]).toEqual([403, 'exceeds_own']);
    }
    expect((await app.get<{ data: object[] }>('/api/v1/people')).body.entity.data).toMatchObject([{ id, role: 'approver' }]);
    expect((await app.send('DELETE', `/api/v1/people/${id}`)).status).toBe(200);
  });

  test('lets anybody in if nothing limits it, in either mode', async () => {
    const app = await api.createApp();
    for (const client of [app, app.live]) expect((await invite(client, 'owner')).status).toBe(201);
  });
});
