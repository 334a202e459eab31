/** Apps that are suspended and resumed: every process obeys within a second, wherever the app's work or its readers are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKey } from '../../src/access/keys.ts';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type Running, runRoles } from '../../workers/main.ts';
import {
  type Answer,
  type BatchEntity,
  type Client,
  type Entity,
  type JobEntity,
  openClient,
  type TestApp,
  useApi,
  type WalletEntity,
} from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { withinASecond } from '../setup/process.ts';

const NIN = '70123456789';

const folder = mkdtempSync(join(tmpdir(), 'confam-suspension-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const api = useApi(() => {
  const path = join(folder, 'upstreams.json');
  const slow = { adapter: 'sandbox', requests_per_second: 10 };
  writeFileSync(path, JSON.stringify({ providers: { slow }, records: { nin: ['slow'] } }));
  return { CONFAM_UPSTREAMS: path, CONFAM_WEBHOOK_SCHEDULE_MS: '0,300,300,300' };
});
/** A second process, as far as anything cached is concerned. */
let other: Running;
let otherUrl: string;
beforeAll(async () => {
  other = await runRoles(api.service.config, api.service.databaseUrl, { api: true, pools: [], webhooks: false, dispatcher: false });
  otherUrl = `http://127.0.0.1:${other.port}`;
});
afterAll(() => other.drain());

const act = async (app: TestApp, verb: 'suspend' | 'resume') => {
  const answer = await api.admin.post<{ suspended_at: string | null }>(`/api/v1/admin/apps/${app.app}/${verb}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.entity;
};
const elsewhere = ({ app, key }: Client): Client => openClient(otherUrl, app, key);
const isSuspended = (answer: Answer<unknown>): boolean => answer.status === 403 && answer.body.code === 'app_suspended';
async function within(what: string, probe: () => Promise<boolean>): Promise<void> {
  const inTime = withinASecond();
  await waitFor(what, probe);
  inTime(what);
}
/** Waits until the app has been suspended for two seconds, and returns how many of them had passed at the latest lease of its work. */
async function lastLease(app: TestApp): Promise<number> {
  const id = parseId('app', app.app);
  await waitFor('two seconds', async () => {
    const { count } = await api.service.sql`select 1 from apps where id = ${id} and disabled_at < now() - interval '2 seconds'`;
    return count === 1;
  });
  const [row] = await api.service.sql<{ seconds: number }[]>`
    select extract(epoch from max(c.created_at) - a.disabled_at)::float8 as seconds
    from chunks c join apps a on a.id = c.app_id where a.id = ${id} group by a.disabled_at`;
  return row!.seconds;
}
/** A receiver on this machine, which is called with the number of each request. Returns its address and the times of requests. */
async function receive(answer: (nth: number) => Promise<number> | number): Promise<{ url: string; times: number[] }> {
  const times: number[] = [];
  const server = createServer(async (request, response) => {
    request.resume();
    response.statusCode = await answer(times.push(performance.now()));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, times };
}
const batchOf = async (client: Client, id: string) => (await client.get<BatchEntity>(`/api/v1/batches/${id}`)).body.entity;
const countsOf = async (id: string) => {
  const [row] = await api.service.sql`select queued, leased, completed from batches where id = ${parseId('bat', id)}`;
  return row as { queued: number; leased: number; completed: number };
};

test('a suspended app is refused in every process, with every key, free of charge; resumed, it continues', async () => {
  const app = await api.createApp();
  const clients = [app, app.live, elsewhere(app), elsewhere(app.live)];
  for (const client of clients) expect((await client.get('/api/v1/wallet')).status).toBe(200);
  expect((await act(app, 'suspend')).suspended_at).toEqual(expect.any(String));
  for (const client of clients) await within('the refusal', async () => isSuspended(await client.get('/api/v1/wallet')));
  for (const client of clients) {
    expect(isSuspended(await client.get(`/api/v1/kyc/nin?nin=${NIN}`))).toBe(true);
    expect(isSuspended(await client.job({ check: 'nin_basic', input: { nin: NIN } }))).toBe(true);
    expect(isSuspended(await client.csv('checks=nin_basic', `nin\n${NIN}\n`))).toBe(true);
  }
  expect(await act(app, 'resume')).toMatchObject({ suspended_at: null });
  for (const client of clients) await within('an answer', async () => (await client.get('/api/v1/wallet')).status === 200);
  expect(await app.wallet()).toEqual({ currency: 'NGX', available: 100_000, held: 0 } satisfies WalletEntity);
});

test('it holds within a second even without an announcement', async () => {
  const app = await api.createApp();
  expect((await elsewhere(app).get('/api/v1/wallet')).status).toBe(200);
  await api.service.sql`update apps set disabled_at = now() where id = ${parseId('app', app.app)}`;
  await within('the refusal', async () => isSuspended(await elsewhere(app).get('/api/v1/wallet')));
});

describe('a key that was used in another process a moment ago', () => {
  async function keysInUse() {
    const app = await api.createApp();
    const operator = (await createKey(api.service, 'admin', null))!;
    const keys = [
      { id: app.keyId, get: () => elsewhere(app).get('/api/v1/wallet') },
      { id: showId('key', operator.id), get: () => openClient(otherUrl, '', operator.key).get('/api/v1/admin/apps?limit=1') },
    ];
    for (const { get } of keys) expect((await get()).status).toBe(200);
    return { app, keys };
  }
  const isRefused = async ({ get }: { get: () => Promise<Answer<unknown>> }) => (await get()).status === 401;

  test('is refused there within a second of its revocation', async () => {
    const { keys } = await keysInUse();
    for (const key of keys) {
      expect((await api.admin.post(`/api/v1/admin/keys/${key.id}/revoke`)).status).toBe(200);
      await within('the refusal', () => isRefused(key));
    }
  });

  test('even without an announcement', async () => {
    const { keys } = await keysInUse();
    for (const key of keys) {
      await api.service.sql`update api_keys set revoked_at = now() where id = ${parseId('key', key.id)}`;
      await within('the refusal', () => isRefused(key));
    }
  });

  test('is held to other terms within a second, even without an announcement', async () => {
    const { app } = await keysInUse();
    const id = parseId('key', app.keyId);
    const status = async () => (await elsewhere(app).get('/api/v1/wallet')).status;
    await api.service.sql`update api_keys set scopes = '{verify}' where id = ${id}`;
    await within('the refusal', async () => (await status()) === 403);
    await api.service.sql`update api_keys set scopes = null, expires_at = now() where id = ${id}`;
    await within('the end', async () => (await status()) === 401);
  });
});

test('another app notices nothing', async () => {
  const [app, neighbour] = [await api.createApp(), await api.createApp()];
  await act(app, 'suspend');
  await within('the refusal', async () => isSuspended(await app.get('/api/v1/wallet')));
  expect((await neighbour.get(`/api/v1/kyc/nin?nin=${NIN}`)).status).toBe(200);
  const { body } = await neighbour.job({ check: 'nin_basic', input: { nin: NIN } });
  expect((await neighbour.ended<JobEntity>(`/api/v1/jobs/${body.entity.id}`)).status).toBe('completed');
});

describe('work', () => {
  test('in a batch stops in the middle, even what waits for a slot at a vendor, and continues when the app is resumed', async () => {
    const app = await api.createApp();
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 10_000_000, null);
    const rows = Array.from({ length: 200 }, (_, i) => `${50_000_000_000 + i}\n`).join('');
    const { id } = (await app.live.csv('checks=nin_basic', `nin\n${rows}`)).body.entity;
    await waitFor('the first answers', async () => (await countsOf(id)).completed >= 3);
    await act(app, 'suspend');
    await within('nothing to be at work', async () => (await countsOf(id)).leased === 0);
    const stopped = await countsOf(id);
    expect(stopped.queued + stopped.completed).toBe(200);
    expect(stopped.completed).toBeLessThan(100);
    // The dispatcher has run meanwhile: another app's job was leased and done.
    const neighbour = await api.createApp();
    const job = (await neighbour.job({ check: 'nin_basic', input: { nin: NIN } })).body.entity;
    await neighbour.ended(`/api/v1/jobs/${job.id}`);
    expect(await lastLease(app)).toBeLessThan(1);
    expect(await countsOf(id)).toEqual(stopped);
    await act(app, 'resume');
    await waitFor('work to continue', async () => (await countsOf(id)).completed > stopped.completed);
    const canceled = await app.live.post(`/api/v1/batches/${id}/cancel`);
    expect(canceled.status).toBe(200);
    const { counts, billed_amount } = await waitFor('the end', async () => {
      const batch = await batchOf(app.live, id);
      return batch.status === 'canceled' && batch;
    });
    expect(counts.completed + counts.canceled).toBe(200);
    expect(billed_amount).toBe(counts.completed * 125);
  });

  test('that was handed in with a key goes on when the key is revoked, webhooks too; suspending the app stops it', async () => {
    const app = await api.createApp();
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 10_000_000, null);
    const { url, times } = await receive(() => 200);
    await app.live.post('/api/v1/webhooks/endpoints', { url, events: ['batch.completed'] });
    const made = (await app.live.post<{ id: string; key: string }>('/api/v1/keys', {})).body.entity;
    const rows = Array.from({ length: 30 }, (_, i) => `${51_000_000_000 + i}\n`).join('');
    const { id } = (await openClient(api.url, app.app, made.key).csv('checks=nin_basic', `nin\n${rows}`)).body.entity;
    await waitFor('the first answer', async () => (await countsOf(id)).completed >= 1);
    expect((await app.live.post(`/api/v1/keys/${made.id}/revoke`)).status).toBe(200);
    expect((await countsOf(id)).completed).toBeLessThan(30);
    await act(app, 'suspend');
    expect(await lastLease(app)).toBeLessThan(1);
    expect((await countsOf(id)).completed).toBeLessThan(30);
    await act(app, 'resume');
    const { counts } = await app.live.ended<BatchEntity>(`/api/v1/batches/${id}`);
    expect(counts.completed).toBe(30);
    await waitFor('the message', () => times.length === 1);
  });

  test('in a single job waits until the app is resumed', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: NIN } })).body.entity;
    await app.ended(`/api/v1/jobs/${id}`);
    // Put back, like a job whose provider failed.
    const job = parseId('job', id);
    await act(app, 'suspend');
    await api.service.sql.begin(async (tx) => {
      await tx`update jobs set status = 'queued', outcome = null, completed_at = null where id = ${job}`;
      await tx`insert into waiting_jobs (job_id, app_id, family, check_id) select id, app_id, family, check_id from jobs where id = ${job}`;
    });
    const neighbour = await api.createApp();
    const theirs = (await neighbour.job({ check: 'nin_basic', input: { nin: NIN } })).body.entity;
    await neighbour.ended(`/api/v1/jobs/${theirs.id}`);
    expect(await api.service.sql`select status from jobs where id = ${job}`).toEqual([{ status: 'queued' }]);
    await api.service.sql`delete from waiting_jobs where job_id = ${job}`;
  });
});

describe('readers', () => {
  async function pausedBatch() {
    const app = await api.createApp();
    const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`)).body.entity;
    return { app, path: `/api/v1/batches/${id}` };
  }

  test('an event stream is cut, and can be reopened when the app is resumed', async () => {
    const { app, path } = await pausedBatch();
    const headers = { Authorization: app.key, AppId: app.app };
    const stream = await fetch(`${otherUrl}${path}/events`, { headers });
    const reader = stream.body!.getReader();
    await reader.read();
    const inTime = withinASecond();
    await act(app, 'suspend');
    await expect(
      (async () => {
        for (;;) if ((await reader.read()).done) throw new Error('ended');
      })(),
    ).rejects.toThrow();
    inTime('the end of the stream');
    expect(isSuspended(await elsewhere(app).get(`${path}/events`))).toBe(true);
    await act(app, 'resume');
    await within('an answer', async () => (await elsewhere(app).get(path)).status === 200);
    await app.post(`${path}/cancel`);
  });

  test('a CSV of the wallet’s entries is cut', async () => {
    const app = await api.createApp();
    // More than the kernel buffers for a client that does not read; what is held is released again.
    await api.service.sql`
      insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, note)
      select ${parseId('app', app.app)}, false, side.kind::ledger_kind, side.a::ledger_account, side.b::ledger_account, 100, repeat('x', 400)
      from generate_series(1, 20000), (values ('hold', 'available', 'held'), ('release', 'held', 'available')) side (kind, a, b)`;
    const headers = { Authorization: app.key, AppId: app.app };
    const download = await fetch(`${otherUrl}/api/v1/wallet/entries?format=csv`, { headers });
    const reader = download.body!.getReader();
    await reader.read();
    await act(app, 'suspend');
    await within('the refusal', async () => isSuspended(await elsewhere(app).get('/api/v1/wallet')));
    let bytes = 0;
    const readAll = async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.byteLength;
    };
    await expect(readAll()).rejects.toThrow();
    expect(bytes).toBeLessThan(40_000 * 400);
    await act(app, 'resume');
  });

  test('a waiting request is refused at once', async () => {
    const { app, path } = await pausedBatch();
    const waiting = [elsewhere(app).get(`${path}?wait=30`), app.get(`${path}?wait=30`)];
    await waitFor('the requests to wait', async () => (await app.get(path)).status === 200);
    const inTime = withinASecond();
    await act(app, 'suspend');
    for (const answer of await Promise.all(waiting)) expect(isSuspended(answer), answer.text).toBe(true);
    inTime('the refusal');
  });

  test('a signed link is refused, and works again when the app is resumed', async () => {
    const { app, path } = await pausedBatch();
    const link = (await app.post<{ path: string }>(`${path}/links`, {})).body.entity.path;
    const nobody = openClient(otherUrl, '', '');
    expect((await nobody.get(link)).status).toBe(200);
    await act(app, 'suspend');
    await within('the refusal', async () => isSuspended(await nobody.get(link)));
    await act(app, 'resume');
    await within('the file', async () => (await nobody.get(link)).status === 200);
  });
});

describe('webhooks', () => {
  test('wait, and are delivered when the app is resumed', async () => {
    const { url, times } = await receive((nth) => (nth === 1 ? 500 : 200));
    const [app, neighbour] = [await api.createApp(), await api.createApp()];
    await app.post('/api/v1/webhooks/endpoints', { url, events: ['job.completed'] });
    await app.job({ check: 'nin_basic', input: { nin: NIN } });
    await waitFor('the first attempt', () => times.length === 1);
    await act(app, 'suspend');
    const due = () =>
      api.service.sql<
        Entity[]
      >`select 1 from deliveries where app_id = ${parseId('app', app.app)} and status = 'pending' and next_attempt_at < now()`;
    await waitFor('the second attempt to be due', async () => (await due()).length === 1);
    // Another app's message goes out meanwhile: deliveries have been leased.
    const theirs = await receive(() => 200);
    await neighbour.post('/api/v1/webhooks/endpoints', { url: theirs.url, events: ['job.completed'] });
    await neighbour.job({ check: 'nin_basic', input: { nin: NIN } });
    await waitFor('the neighbour’s message', () => theirs.times.length === 1);
    expect(times).toHaveLength(1);
    await act(app, 'resume');
    await waitFor('the second attempt', () => times.length === 2);
  });

  test('that are going out stop: none begins later than a second after', async () => {
    const MESSAGES = 80;
    const { url, times } = await receive(() => sleep(100, 200));
    const app = await api.createApp();
    await app.post('/api/v1/webhooks/endpoints', { url, events: ['job.completed'] });
    for (let i = 0; i < MESSAGES; i += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, j) => app.job({ check: 'nin_basic', input: { nin: String(52_000_000_000 + i + j) } })),
      );
    await waitFor('some messages', () => times.length > 4);
    await act(app, 'suspend');
    const suspendedAt = performance.now();
    await sleep(2_500);
    const last = times.at(-1)! - suspendedAt;
    expect(times.length).toBeLessThan(MESSAGES);
    expect(last).toBeLessThan(1_000);
    // None is lost: each was sent, or waits, also those that had been leased. Jobs that had not ended have no message yet.
    const statuses = await api.service.sql<{ status: string }[]>`
      select status from deliveries where app_id = ${parseId('app', app.app)}`;
    const waiting = statuses.filter(({ status }) => status === 'pending');
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting.length + times.length).toBe(statuses.length);
    // They go at once, not when the leases of that time would have ended (2 × 16 s).
    await act(app, 'resume');
    await waitFor('all messages, once each', () => times.length === MESSAGES, 15_000);
  });
});

describe('the operator', () => {
  interface App {
    id: string;
    name: string;
    settings: Entity;
    suspended_at: string | null;
    keys: { id: string; mode: string; hint: string; daily_cap: number | null; revoked_at: string | null }[];
    wallets: WalletEntity[];
  }

  test('reads an app with its settings, keys and balances, without any secret', async () => {
    const app = await api.createApp({ naira: 500, settings: { weight: 2 } });
    await api.admin.send('PATCH', `/api/v1/admin/keys/${app.keyId}`, {
      headers: { 'Content-Type': 'application/json' },
      body: '{"daily_cap":200}',
    });
    await app.csv('checks=nin_basic&start=manual', `nin\n${NIN}\n`);
    const { body, text } = await api.admin.get<App>(`/api/v1/admin/apps/${app.app}`);
    expect(body.entity).toMatchObject({ id: app.app, object: 'app', name: 'Test', settings: { weight: 2 }, suspended_at: null });
    expect(body.entity.wallets).toEqual([
      { currency: 'NGX', mode: 'live', available: 0, held: 0 },
      { currency: 'NGX', mode: 'test', available: 375, held: 125 },
    ]);
    expect(body.entity.keys.map(({ mode }) => mode)).toEqual(['live', 'test']);
    expect(body.entity.keys[1]).toMatchObject({ id: app.keyId, hint: app.key.slice(0, 12), daily_cap: 200, revoked_at: null });
    for (const secret of [app.key, app.live.key, 'whsec']) expect(text).not.toContain(secret);
  });

  test('lists apps page by page, each once, or only the suspended ones', async () => {
    const made = [await api.createApp(), await api.createApp(), await api.createApp()];
    await act(made[1]!, 'suspend');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await api.admin.get<{ data: App[]; next_cursor: string | null }>(`/api/v1/admin/apps?limit=2${query}`);
      seen.push(...body.entity.data.map(({ id }) => id));
      cursor = body.entity.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 3)).toEqual(made.map(({ app }) => app).reverse());
    const { body } = await api.admin.get<{ data: App[] }>('/api/v1/admin/apps?suspended=true');
    expect(body.entity.data.every(({ suspended_at }) => suspended_at !== null)).toBe(true);
    expect(body.entity.data.map(({ id }) => id)).toContain(made[1]!.app);
    expect((await api.admin.get('/api/v1/admin/apps?suspended=yes')).status).toBe(400);
    expect((await api.admin.get('/api/v1/admin/apps?cursor=nonsense')).status).toBe(400);
  });

  test('lists apps by part of their name, or one by its id', async () => {
    const make = async (name: string) => (await api.admin.post<App>('/api/v1/admin/apps', { name })).body.entity.id;
    const [kano, sokoto] = [await make('Kano_Thrift'), await make('Sokoto kano, thrift')];
    await api.admin.post(`/api/v1/admin/apps/${sokoto}/suspend`);
    const listed = async (query: string) =>
      (await api.admin.get<{ data: App[] }>(`/api/v1/admin/apps?${query}`)).body.entity.data.map(({ id }) => id);
    expect(await listed('name=KANO')).toEqual([sokoto, kano]);
    expect(await listed('name=kano_')).toEqual([kano]);
    expect(await listed('name=kano&suspended=true')).toEqual([sokoto]);
    expect(await listed(`name=kano&cursor=${sokoto}`)).toEqual([kano]);
    expect(await listed(`name=${kano}`)).toEqual([kano]);
    expect(await listed(`name=${kano}&suspended=true`)).toEqual([]);
    expect((await api.admin.get(`/api/v1/admin/apps?name=${'a'.repeat(101)}`)).status).toBe(400);
  });

  test('cannot suspend an unknown app, and an app’s key cannot suspend anything', async () => {
    const app = await api.createApp();
    for (const verb of ['suspend', 'resume'])
      for (const id of ['app_019ab1fc18a97a7475b6c08682369091', 'nonsense'])
        expect((await api.admin.post(`/api/v1/admin/apps/${id}/${verb}`)).status).toBe(404);
    expect((await api.admin.get('/api/v1/admin/apps/nonsense')).status).toBe(404);
    expect((await app.post(`/api/v1/admin/apps/${app.app}/suspend`)).status).toBe(403);
    expect((await app.get('/api/v1/admin/apps')).status).toBe(403);
  });
});
