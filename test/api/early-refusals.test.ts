/** Calls beyond their app's share are refused unread, with the same answer as a call that was read. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Gate, type Leave } from '../../src/access/gate.ts';
import { openEarlyRefusals } from '../../src/api/early-refusals.ts';
import type { Http } from '../../src/api/http.ts';
import { parseId } from '../../src/foundation/ids.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { type Answer, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const CALL = '/api/v1/kyc/nin?nin=50000000007';

describe('a service', () => {
  const api = useApi({ CONFAM_CALLS_MAX: '4' });
  let leaves: Leave[] = [];
  afterEach(() => {
    for (const leave of leaves.splice(0)) leave();
  });
  const fill = async (app: TestApp) => {
    leaves = await Promise.all([1, 2].map(() => api.service.admission.calls.enter(parseId('app', app.app)!)));
  };
  const refused = ({ status, body, headers }: Answer<unknown>) => ({
    status,
    body: { ...body, meta: Object.keys(body.meta) },
    headers: [...headers].map(([name, value]) => (/^(date|ratelimit|x-request-id)$/.test(name) ? name : `${name}: ${value}`)).sort(),
  });

  test('answers the second as the first, counts and shows both, and takes calls as soon as there is room', async () => {
    const app = await api.createApp({ settings: { requestsPerMinute: 1_000 } });
    await fill(app);
    const [first, second] = [await app.get(CALL), await app.get(CALL)];
    expect(first.status).toBe(429);
    expect(first.body).toMatchObject({ status: 'error', code: 'too_many_in_progress' });
    expect(refused(second)).toEqual(refused(first));
    expect(second.headers.get('retry-after')).toBe('1');
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
    const left = (answer: Answer<unknown>) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit')!)![1]);
    expect([left(first), left(second)]).toEqual([left(first), left(first) - 1]);
    // Other requests, and other apps' calls, are unaffected.
    expect((await app.get('/api/v1/wallet')).status).toBe(200);
    expect((await (await api.createApp()).get(CALL)).status).toBe(200);
    const ids = [first, second].map(({ body }) => body.meta.request_id);
    await waitFor('both among its requests', async () => {
      const { data } = (await app.get<{ data: { id: string; status: number; code: string }[] }>('/api/v1/requests')).body.entity;
      return ids.every((id) => data.some((one) => one.id === id && one.status === 429));
    });
    for (const leave of leaves.splice(0)) leave();
    expect((await app.get(CALL)).status).toBe(200);
  });

  test('refuses a revoked key for its own reason again, although every call of it was refused', async () => {
    const app = await api.createApp();
    await fill(app);
    expect((await app.get(CALL)).status).toBe(429);
    const [{ id }] = await api.service.sql<[{ id: string }]>`
      update api_keys set revoked_at = now() where app_id = ${parseId('app', app.app)} and kind = 'test' returning id`;
    expect(id).toBeDefined();
    await api.service.sql`select pg_notify('confam_keys', '')`;
    await waitFor('the other reason', async () => (await app.get(CALL)).status === 401);
  });
});

test('while the share of the app is cut, the answer is held back, and is no longer owed to a client that leaves', async () => {
  const pressure = { part: 0.98 };
  const gate = new Gate(
    () => 1,
    { what: 'calls', all: 2, least: 1, queue: null, retrySeconds: 1 },
    {
      asked: { add: () => {}, isLoud: () => true },
      part: () => pressure.part,
    },
  );
  gate.enter('a');
  const told: number[] = [];
  const early = openEarlyRefusals(
    { admission: { calls: gate }, config: { CONFAM_ANSWER_STALL_MS: 60_000 } } as unknown as Service,
    [{ method: 'get', path: '/call', isCall: true }],
    {},
    { add: ({ status }) => void told.push(status) },
  );
  const headers = { authorization: 'key', appid: 'a' };
  const server = createServer((incoming, outgoing) => void early.answer(incoming, outgoing)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const first = { req: { header: (name: string) => headers[name as 'appid'] } } as unknown as Http;
  early.remember(first, { appId: 'a', by: { appId: 'a', signedIn: undefined }, count: () => ({}) });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/call`;
  const began = performance.now();
  expect((await fetch(url, { headers })).status).toBe(429);
  // A fiftieth of five seconds.
  expect(performance.now() - began).toBeGreaterThan(95);
  pressure.part = 0.01;
  early.remember(first, { appId: 'a', by: { appId: 'a', signedIn: undefined }, count: () => ({}) });
  const leaving = new AbortController();
  const left = fetch(url, { headers, signal: leaving.signal });
  await once(server, 'request');
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  await expect.poll(() => told).toEqual([429, 499]);
  server.close();
  server.closeAllConnections();
});

test('held answers to one app are sent one at a time, within ten seconds', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const gate = new Gate(
    () => 1,
    { what: 'calls', all: 2, least: 1, queue: null, retrySeconds: 1 },
    { asked: { add: () => {}, isLoud: () => true }, part: () => 0.99 },
  );
  for (const app of ['a', 'b']) gate.enter(app);
  const early = openEarlyRefusals(
    { admission: { calls: gate }, config: { CONFAM_ANSWER_STALL_MS: 60_000 } } as unknown as Service,
    [{ method: 'get', path: '/call', isCall: true }],
    {},
    { add: () => {} },
  );
  let answered = 0;
  const call = (app: string) => {
    const headers = { authorization: 'key', appid: app };
    early.remember({ req: { header: (name: string) => headers[name as 'appid'] } } as unknown as Http, {
      appId: app,
      by: { appId: app, signedIn: undefined },
      count: () => ({}),
    });
    const incoming = { headers, method: 'GET', url: '/call' } as unknown as IncomingMessage;
    const outgoing = Object.assign(new EventEmitter(), { destroyed: false, setTimeout() {}, writeHead() {}, end: () => void answered++ });
    expect(early.answer(incoming, outgoing as unknown as ServerResponse)).toBe(true);
  };
  const answeredAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return answered;
  };
  for (let i = 0; i < 20; i++) call('a');
  // 1% of the share is cut, so the first answer is held for 1% of five seconds. The others follow 5 ms apart.
  expect([answeredAfter(45), answeredAfter(6), answeredAfter(5), answeredAfter(5)]).toEqual([0, 1, 2, 3]);
  // Another app's answers do not wait behind these.
  call('b');
  expect(answeredAfter(51)).toBe(3 + 10 + 1);
  for (let i = 0; i < 3_000; i++) call('a');
  expect(answeredAfter(9_900)).toBeLessThan(2_000);
  expect(answeredAfter(101)).toBe(20 + 1 + 3_000);
});

test('nothing but a call without a long body is refused early, and only with credentials that were refused before', async () => {
  const gate = new Gate(() => 1, { what: 'calls', all: 2, queue: null, retrySeconds: 1 });
  gate.enter('a');
  const early = openEarlyRefusals(
    { admission: { calls: gate }, config: { CONFAM_ANSWER_STALL_MS: 60_000 } } as unknown as Service,
    [
      { method: 'get', path: '/call', isCall: true },
      { method: 'post', path: '/call', isCall: true },
      { method: 'get', path: '/other', isCall: false },
    ],
    {},
    { add: () => {} },
  );
  const headers = { authorization: 'key', appid: 'a' };
  let limit = 1_000;
  const count = () => (limit-- > 0 ? {} : null);
  const server = createServer((incoming, outgoing) => {
    if (!early.answer(incoming, outgoing)) outgoing.writeHead(202).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const send = async (path: string, more: RequestInit = {}) =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers, ...more })).status;
  expect(await send('/call?x=1')).toBe(202);
  const first = { req: { header: (name: string) => headers[name as 'appid'] } } as unknown as Http;
  const after = (path: string, more?: RequestInit) => {
    early.remember(first, { appId: 'a', by: { appId: 'a', signedIn: undefined }, count });
    return send(path, more);
  };
  expect(await after('/call?x=1')).toBe(429);
  expect(await after('/call', { method: 'POST', body: 'small' })).toBe(429);
  expect(await after('/call', { method: 'POST', body: 'x'.repeat(20_000) })).toBe(202);
  expect(await after('/other')).toBe(202);
  expect(await after('/call', { headers: { ...headers, appid: 'b' } })).toBe(202);
  expect(await after('/call', { headers: { ...headers, authorization: 'other' } })).toBe(202);
  limit = 0;
  expect(await after('/call')).toBe(202);
  server.close();
  server.closeAllConnections();
});
