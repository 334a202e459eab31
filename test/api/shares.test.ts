/** Fair shares over HTTP: what an app may have in progress, what it is told beyond that, and that others are not affected. */
import { type ClientRequest, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { knownCheck } from '../../src/checks/catalog.ts';
import { ClientGone } from '../../src/foundation/errors.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import { type Answer, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';

const api = useApi({
  CONFAM_CALLS_MAX: '4',
  CONFAM_REQUESTS_MAX: '4',
  CONFAM_WAITS_MAX: '4',
  CONFAM_BODY_BYTES_MAX: String(4 * 1024 * 1024),
  CONFAM_SANDBOX_LATENCY_MS: '400',
});

const CALL = '/api/v1/kyc/nin';
let subjects = 50_000_000_000;
const call = (app: TestApp) => app.get(`${CALL}?nin=${subjects++}`);
const codes = (answers: Answer<unknown>[]): string[] =>
  answers.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body.code}`)).sort();
const times = (text: string, count: number): string[] => Array(count).fill(text);

describe('single calls', () => {
  test('beyond the share of their app are 429 with Retry-After; other apps get theirs meanwhile', async () => {
    const [busy, other] = [await api.createApp(), await api.createApp()];
    const flood = Promise.all(Array.from({ length: 10 }, () => call(busy)));
    const answers = await Promise.all([call(other), call(other)]);
    expect(codes(answers)).toEqual(times('200', 2));
    const flooded = await flood;
    expect(codes(flooded)).toEqual([...times('200', 2), ...times('429 too_many_in_progress', 8)]);
    const refused = flooded.find(({ status }) => status === 429)!;
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body.error).toBe('This app already has its share of 2 calls in progress; try again later');
    // Nothing is left behind.
    expect(codes(await Promise.all([call(busy), call(busy)]))).toEqual(times('200', 2));
  });

  test('of all apps beyond the capacity are 503', async () => {
    const apps = await Promise.all(Array.from({ length: 3 }, () => api.createApp()));
    const answers = await Promise.all(apps.flatMap((app) => [call(app), call(app)]));
    expect(codes(answers)).toEqual([...times('200', 4), ...times('503 overloaded', 2)]);
    expect(answers.find(({ status }) => status === 503)!.headers.get('retry-after')).toBe('1');
  });

  test('follow the weight that the operator sets, within a second', async () => {
    const app = await api.createApp();
    const changed = await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ settings: { weight: 4 } }),
    });
    expect(changed.status).toBe(200);
    // Never everything, whatever the weight.
    await waitFor('its new share', async () => {
      const answers = codes(await Promise.all(Array.from({ length: 5 }, () => call(app))));
      return answers.filter((code) => code === '200').length === 3;
    });
  });

  test('of a client that has gone ask nobody, and leave nothing held', async () => {
    const app = await api.createApp();
    const owner = { appId: parseId('app', app.app)!, live: false, settings: {} };
    const gone = { isGone: () => true, signal: () => AbortSignal.abort() };
    const asked = answerCall(api.service, owner, knownCheck('nin_basic'), { nin: String(subjects++) }, { client: gone });
    await expect(asked).rejects.toBeInstanceOf(ClientGone);
    await waitFor('the hold to be released', async () => (await app.wallet()).held === 0);
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });
});

describe('other requests', () => {
  test('wait for their turn in order to be answered', async () => {
    const [busy, other] = [await api.createApp(), await api.createApp()];
    const listings = Array.from({ length: 100 }, () => busy.get('/api/v1/batches'));
    expect((await other.get('/api/v1/batches')).status).toBe(200);
    expect(codes(await Promise.all(listings))).toEqual(times('200', 100));
    expect(api.service.admission.requests.inUse()).toEqual({ taken: 0, waiting: 0 });
  });

  test('are answered while uploads and downloads of their app wait for a place', async () => {
    const { uploads, downloads, requests } = api.service.admission;
    const app = await api.createApp();
    const batch = (await app.csv('checks=nin_basic&start=manual', `nin\n${subjects++}\n`)).body.entity.id;
    const appId = parseId('app', app.app)!;
    const leaves = await Promise.all([...Array(8).fill(uploads), ...Array(32).fill(downloads)].map((gate) => gate.enter(appId)));
    const waiting = [1, 2, 3].flatMap(() => [
      app.csv('checks=nin_basic&start=manual', `nin\n${subjects++}\n`),
      app.get(`/api/v1/batches/${batch}/results`),
    ]);
    await waitFor('all to wait', () => uploads.inUse().waiting === 3 && downloads.inUse().waiting === 3);
    expect(requests.inUse()).toEqual({ taken: 0, waiting: 0 });
    expect((await app.get('/api/v1/batches')).status).toBe(200);
    for (const leave of leaves) leave();
    expect((await Promise.all(waiting)).map(({ status }) => status).sort()).toEqual([200, 200, 200, 202, 202, 202]);
  });
});

describe('requests that wait for news', () => {
  test('have a share of their own, which takes nothing from other requests', async () => {
    const [patient, other] = [await api.createApp(), await api.createApp()];
    const waiting = async (app: TestApp, seconds: number) => {
      const batch = (await app.csv('checks=nin_basic&start=manual', `nin\n${subjects++}\n`)).body.entity.id;
      return () => app.get(`/api/v1/batches/${batch}?wait=${seconds}`);
    };
    const waits = [await waiting(patient, 2), await waiting(patient, 2)];
    const third = await waiting(patient, 2);
    const others = await waiting(other, 1);
    const answers = waits.map((wait) => wait());
    await waitFor('both to wait', () => api.service.admission.waits.inUse().taken === 2);
    expect(api.service.admission.requests.inUse().taken).toBe(0);
    expect(codes([await third()])).toEqual(['429 too_many_in_progress']);
    expect((await patient.get('/api/v1/batches')).status).toBe(200);
    expect(codes([await others(), ...(await Promise.all(answers))])).toEqual(times('200', 3));
  });

  test('leave no job if they are refused', async () => {
    const app = await api.createApp();
    const job = () => app.post<JobEntity>('/api/v1/jobs', { check: 'nin_basic', input: { nin: String(subjects++) } }, { Prefer: 'wait=5' });
    const answers = await Promise.all([job(), job(), job()]);
    expect(codes(answers)).toEqual(['200', '200', '429 too_many_in_progress']);
    expect((await app.get<{ data: JobEntity[] }>('/api/v1/jobs')).body.entity.data).toHaveLength(2);
  });
});

describe('bodies in memory', () => {
  const MIB = 1024 * 1024;
  /** A comparison of faces whose body does not arrive by itself. */
  function open(app: TestApp, bytes: number): { sent: ClientRequest; answered: Promise<number> } {
    const sent = request({
      host: '127.0.0.1',
      port: api.port,
      method: 'POST',
      path: '/api/v1/kyc/photoid/compare',
      agent: false,
      headers: { Authorization: app.key, AppId: app.app, 'Content-Type': 'application/json', 'Content-Length': bytes },
    });
    const answered = new Promise<number>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => resolve(response.resume().statusCode!));
    });
    answered.catch(() => {});
    sent.write('{');
    return { sent, answered };
  }
  const finish = ({ sent }: { sent: ClientRequest }, bytes: number) => sent.end(`"x":"${'a'.repeat(bytes - 8)}"}`);

  test('are counted before they are read: an app waits for its own, not for others', async () => {
    const { bodies } = api.service.admission;
    const [busy, other] = [await api.createApp(), await api.createApp()];
    const slow = open(busy, 2 * MIB);
    await waitFor('its bytes', () => bodies.inUse().taken > MIB);
    const second = open(busy, MIB);
    finish(second, MIB);
    await waitFor('the second to wait', () => bodies.inUse().waiting === 1);
    const theirs = open(other, MIB);
    finish(theirs, MIB);
    expect(await theirs.answered).toBe(400);
    // A small body is not counted.
    expect((await busy.job({ check: 'nin_basic', input: { nin: String(subjects++) } })).status).toBe(202);
    expect(bodies.inUse().waiting).toBe(1);
    slow.sent.destroy();
    expect(await second.answered).toBe(400);
    await waitFor('everything to be free', () => bodies.inUse().taken === 0);
  });

  test('without a length are counted as they arrive', async () => {
    const { bodies } = api.service.admission;
    const app = await api.createApp();
    const sent = request({
      host: '127.0.0.1',
      port: api.port,
      method: 'POST',
      path: '/api/v1/kyc/photoid/compare',
      agent: false,
      headers: { Authorization: app.key, AppId: app.app, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
    });
    sent.on('error', () => {});
    sent.write('a'.repeat(MIB));
    await waitFor('its bytes', () => bodies.inUse().taken >= MIB - 16 * 1024);
    sent.destroy();
    await waitFor('everything to be free', () => bodies.inUse().taken === 0);
  });
});

describe('reports', () => {
  test('are written in turn, and one whose client has gone is not', async () => {
    const { reports } = api.service.admission;
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'aml_screening', input: { name: 'Músá Danjumare Bàlárábẹwà' } })).body.entity;
    await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
    const leave = await reports.enter('somebody');
    const leaving = new AbortController();
    const headers = { Authorization: app.key, AppId: app.app };
    const dropped = fetch(`${api.url}/api/v1/jobs/${id}/report`, { headers, signal: leaving.signal });
    await waitFor('the report to wait', () => reports.inUse().waiting === 1);
    leaving.abort();
    await expect(dropped).rejects.toThrow('abort');
    await waitFor('it to be dropped', () => reports.inUse().waiting === 0);
    const patient = fetch(`${api.url}/api/v1/jobs/${id}/report`, { headers });
    await waitFor('the next to wait', () => reports.inUse().waiting === 1);
    leave();
    expect((await patient).status).toBe(200);
  });
});
