/** Waiting for jobs and batches, ETags, the list of batches, their history, and their event streams, which may break. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type BatchEntity, type Entity, type JobEntity, startApi, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';

const api = useApi();

const NIN = '70123456789';
/** Numbers that the sandbox answers as not on record, fails for ever … */
const UNKNOWN = '00000000001';
const path = (batch: { id: string }) => `/api/v1/batches/${batch.id}`;
const rowsOf = (count: number, from = 31_000_000_000) => `nin\n${Array.from({ length: count }, (_, i) => from + i).join('\n')}\n`;

async function upload(app: TestApp, csv: string, query = ''): Promise<BatchEntity> {
  const answer = await app.csv(`checks=nin_basic${query}`, csv);
  expect(answer.status, answer.text).toBe(202);
  return answer.body.entity;
}

describe('a job', () => {
  test('is answered with its result by POST with Prefer: wait, and says which preference was applied', async () => {
    const app = await api.createApp();
    const answer = await app.post<JobEntity>(
      '/api/v1/jobs',
      { check: 'nin_basic', input: { nin: NIN } },
      { Prefer: 'respond-async, wait=20' },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    expect(answer.headers.get('location')).toBe(`/api/v1/jobs/${answer.body.entity.id}`);
    expect(answer.body.entity).toMatchObject({ status: 'completed', outcome: 'found', result: { nin: NIN } });
    const failed = await app.post<JobEntity>('/api/v1/jobs', { check: 'nin_basic', input: { nin: '00000000003' } }, { Prefer: 'wait=20' });
    expect([failed.status, failed.body.entity.status]).toEqual([200, 'failed']);
  });

  test('is answered with 202 when the time is up before it has ended, or the preference makes no sense', async () => {
    const app = await api.createApp();
    for (const [prefer, applied] of [
      ['wait=0', 'wait=0'],
      ['wait=soon', null],
      ['wait=-1', null],
      ['handling=lenient', null],
    ] as const) {
      const answer = await app.post<JobEntity>('/api/v1/jobs', { check: 'nin_basic', input: { nin: NIN } }, { Prefer: prefer });
      expect([answer.status, answer.headers.get('preference-applied'), answer.headers.get('retry-after')], prefer).toEqual([
        202,
        applied,
        '1',
      ]);
    }
  });

  test('is waited for by GET, and answered with 304 to a client that has it', async () => {
    const app = await api.createApp();
    const { id } = (await app.job({ check: 'nin_basic', input: { nin: UNKNOWN } })).body.entity;
    const done = await app.get<JobEntity>(`/api/v1/jobs/${id}?wait=20`);
    expect(done.body.entity).toMatchObject({ status: 'completed', outcome: 'not_found' });
    const tag = done.headers.get('etag')!;
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await app.get(`/api/v1/jobs/${id}`, { 'If-None-Match': tag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await app.get(`/api/v1/jobs/${id}`, { 'If-None-Match': '"other"' })).status).toBe(200);
    for (const wait of ['-1', '61', 'x', '1.5', '']) expect((await app.get(`/api/v1/jobs/${id}?wait=${wait}`)).status, wait).toBe(400);
  });
});

describe('a batch', () => {
  test('is waited for to its end by many, who all get the answer', async () => {
    const app = await api.createApp();
    const batch = await upload(app, rowsOf(40));
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.get<BatchEntity>(`${path(batch)}?wait=25`)));
    for (const { body } of answers) expect(body.entity).toMatchObject({ status: 'completed', counts: { found: 40 } });
  });

  test('answers 304 while nothing has changed, and a wait with If-None-Match when something has', async () => {
    const app = await api.createApp();
    const batch = await upload(app, rowsOf(3), '&start=manual');
    const first = await app.get<BatchEntity>(path(batch));
    const headers = { 'If-None-Match': first.headers.get('etag')! };
    expect((await app.get(path(batch), headers)).status).toBe(304);
    expect((await app.get(`${path(batch)}?wait=1`, headers)).status).toBe(304);
    const waiting = app.get<BatchEntity>(`${path(batch)}?wait=25`, headers);
    await app.post(`${path(batch)}/start`);
    const changed = await waiting;
    expect(changed.status).toBe(200);
    expect(changed.body.entity.status).not.toBe('awaiting_start');
    expect(changed.headers.get('etag')).not.toBe(first.headers.get('etag'));
    expect((await app.get<BatchEntity>(`${path(batch)}?wait=25`)).body.entity.status).toBe('completed');
  });

  test('shows its progress, the time of every state and where to continue reading', async () => {
    const app = await api.createApp();
    const done = (await app.get<Entity>(`${path(await upload(app, `${rowsOf(4)}1\n`))}?wait=25`)).body.entity;
    expect(done).toMatchObject({
      progress: { percent: 100, rate_per_second: expect.any(Number), eta_seconds: null },
      reason: null,
      paused_at: null,
      failed_at: null,
      expired_at: null,
      expires_at: null,
      max_failure_percent: null,
      results_url: `${path(done as { id: string })}/results`,
      errors_url: `${path(done as { id: string })}/errors`,
    });
  });

  test('forgets waiters that hang up', async () => {
    const app = await api.createApp();
    const batch = await upload(app, rowsOf(1), '&start=manual');
    const hung = new AbortController();
    const waiting = fetch(`${api.url}${path(batch)}?wait=60`, {
      headers: { Authorization: app.key, AppId: app.app },
      signal: hung.signal,
    }).catch(() => null);
    const looks = async () =>
      (
        await asOwner(
          api.service.databaseUrl,
          (
            sql,
          ) => sql`select 1 from pg_stat_activity where datname = current_database() and query like '%batch_history h where%' and query not like '%pg_stat%'
          and query_start > now() - interval '300 ms'`,
        )
      ).length > 0;
    await waitFor('a look', looks);
    hung.abort();
    await waiting;
    await waitFor('no further look', async () => !(await looks()));
  });

  test('of another app or mode does not exist', async () => {
    const [app, stranger] = [await api.createApp(), await api.createApp()];
    const batch = await upload(app, rowsOf(1));
    for (const suffix of ['', '?wait=5', '/history', '/timeline', '/failures', '/events', '/results', '/errors', '/jobs']) {
      for (const client of [stranger, app.live]) expect((await client.get(`${path(batch)}${suffix}`)).status, suffix).toBe(404);
    }
    expect((await stranger.post(`${path(batch)}/links`, {})).status).toBe(404);
  });
});

describe('the list of batches', () => {
  test('is newest first, page by page, by status, reference and time; only this app and mode', async () => {
    const [app, stranger] = [await api.createApp(), await api.createApp()];
    const made: BatchEntity[] = [];
    for (let i = 0; i < 5; i++) made.push(await upload(app, rowsOf(1), `&start=manual&reference=r${i % 2}`));
    await upload(stranger, rowsOf(1), '&start=manual');
    await app.post(`${path(made[2]!)}/cancel`);
    const list = async (query: string) => {
      const answer = await app.get<{ data: BatchEntity[]; has_more: boolean; next_cursor: string | null }>(`/api/v1/batches?${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.entity;
    };
    const ids = [...made].reverse().map((batch) => batch.id);
    expect((await list('')).data.map((batch) => batch.id)).toEqual(ids);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`limit=2${cursor}`);
      seen.push(...page.data.map((batch) => batch.id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (!page.next_cursor) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(ids);
    expect((await list('status=canceled')).data.map((batch) => batch.id)).toEqual([made[2]!.id]);
    expect((await list('status=canceled,awaiting_start')).data).toHaveLength(5);
    expect((await list('reference=r1')).data.map((batch) => batch.id)).toEqual([made[3]!.id, made[1]!.id]);
    expect((await list(`until=${made[0]!.created_at}`)).data).toEqual([]);
    expect((await list('since=2026-01-01T01:00:00+01:00&until=2999-01-01T00:00:00Z')).data).toHaveLength(5);
    expect((await app.live.get<{ data: unknown[] }>('/api/v1/batches')).body.entity.data).toEqual([]);

    const cursor = (await list('limit=1')).next_cursor!;
    for (const query of [
      `cursor=${cursor.slice(0, -2)}`,
      `cursor=${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`,
      `cursor=${Buffer.from('0190a0a0-0000-7000-8000-000000000000').toString('base64url')}`,
      'cursor=x',
      'limit=0',
      'limit=1001',
      'limit=x',
      'status=done',
      'since=yesterday',
      'since=0000-01-01T00:00:00Z',
      'until=2026-13-01T00:00:00Z',
      "since=2026-01-01T00:00:00Z'",
    ]) {
      const answer = await app.get(`/api/v1/batches?${query}`);
      expect([answer.status, answer.body.code], query).toEqual([400, 'invalid_request']);
    }
    const theirs = await stranger.get(`/api/v1/batches?cursor=${cursor}`);
    expect(theirs.status, "another app's cursor").toBe(400);
  });

  test("has each batch's history", async () => {
    const app = await api.createApp();
    const batch = await upload(app, rowsOf(2), '&start=manual');
    await app.post(`${path(batch)}/start`);
    await app.ended(path(batch));
    const history = (await app.get<{ data: { status: string; at: string; counts: Entity }[] }>(`${path(batch)}/history`)).body.entity.data;
    expect(history.map((change) => change.status)).toEqual(['awaiting_start', 'queued', 'running', 'completed']);
    expect(history[0]!.counts).toMatchObject({ queued: 2, completed: 0 });
    expect(history[3]!.counts).toMatchObject({ queued: 0, completed: 2 });
    const times = history.map((change) => Date.parse(change.at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const empty = await upload(app, 'nin\n1\n');
    const only = (await app.get<{ data: { status: string }[] }>(`${path(empty)}/history`)).body.entity.data;
    expect(only.map((change) => change.status)).toEqual(['completed']);
  });
});

interface Event {
  id?: string;
  event: string;
  data: { status: string; percent: number; counts: { completed: number } };
}

/** An event stream as curl sees it: what has arrived so far, and whether the server has ended it. */
function openStream(app: TestApp, batch: { id: string }, lastEventId?: string) {
  const stream = { text: '', status: 0, headers: {} as IncomingMessage['headers'], ended: false, close: () => {} };
  const made: ClientRequest = request({
    host: '127.0.0.1',
    port: api.port,
    path: `${path(batch)}/events`,
    agent: false,
    headers: { Authorization: app.key, AppId: app.app, ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) },
  });
  made.on('response', (response) => {
    stream.status = response.statusCode!;
    stream.headers = response.headers;
    response.setEncoding('utf8').on('data', (text: string) => {
      stream.text += text;
    });
    response.on('end', () => {
      stream.ended = true;
    });
    response.on('error', () => {});
  });
  made.on('error', () => {});
  made.end();
  stream.close = () => made.destroy();
  return {
    ...stream,
    get: () => stream,
    events: (): Event[] =>
      stream.text
        .split('\n\n')
        .filter((block) => block.includes('data: '))
        .map((block) => {
          const lines = new Map(block.split('\n').map((line) => line.split(/: (.*)/, 2) as [string, string]));
          return { id: lines.get('id'), event: lines.get('event')!, data: JSON.parse(lines.get('data')!) };
        }),
  };
}

describe('events', () => {
  const statuses = (events: Event[]) => events.filter(({ event }) => event === 'status').map(({ id, data }) => [id, data.status]);

  test('report every status and the progress, and end with the batch', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const batch = await upload(app, rowsOf(300));
    const stream = openStream(app, batch);
    await waitFor('the end of the stream', () => stream.get().ended);
    expect(stream.get().headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'private, no-store' });
    expect(statuses(stream.events())).toEqual([
      ['1', 'queued'],
      ['2', 'running'],
      ['3', 'completed'],
    ]);
    const progress = stream.events().filter(({ event }) => event === 'progress');
    expect(progress.at(-1)!.data).toMatchObject({ percent: 100, counts: { completed: 300 } });
    expect(progress.every(({ id }) => id === undefined)).toBe(true);
    const percents = progress.map(({ data }) => data.percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(stream.get().text).not.toContain('31000000');
  });

  test('resume after a break without losing or repeating a status', async () => {
    const app = await api.createApp();
    const batch = await upload(app, rowsOf(2), '&start=manual');
    const first = openStream(app, batch);
    await waitFor('the first status', () => first.events().length > 0);
    expect(statuses(first.events())).toEqual([['1', 'awaiting_start']]);
    first.close();
    await app.post(`${path(batch)}/start`);
    await app.ended(path(batch));
    const second = openStream(app, batch, '1');
    await waitFor('the end of the stream', () => second.get().ended);
    expect(statuses(second.events())).toEqual([
      ['2', 'queued'],
      ['3', 'running'],
      ['4', 'completed'],
    ]);
    const nothing = openStream(app, batch, '4');
    await waitFor('an answer', () => nothing.get().status);
    expect(nothing.get().status).toBe(204);
    for (const id of ['5', '-1', 'x', '99999999999']) {
      const refused = openStream(app, batch, id);
      await waitFor('an answer', () => refused.get().status);
      expect(refused.get().status, id).toBe(400);
    }
  });

  test('report a manual change to a hundred streams at once', async () => {
    const app = await api.createApp();
    const batch = await upload(app, rowsOf(2), '&start=manual');
    const streams = Array.from({ length: 100 }, () => openStream(app, batch));
    await waitFor('all to be connected', () => streams.every((stream) => stream.events().length > 0));
    await app.post(`${path(batch)}/cancel`);
    await waitFor('all to end', () => streams.every((stream) => stream.get().ended));
    for (const stream of streams) expect(statuses(stream.events()).at(-1)).toEqual(['3', 'canceled']);
  });
});

test('a draining process answers its waiters, and ends its streams, at once', async () => {
  const own = await startApi();
  const app = await own.createApp();
  const answer = await app.csv('checks=nin_basic&start=manual', rowsOf(1));
  const batch = answer.body.entity;
  const waiting = app.get<BatchEntity>(`${path(batch)}?wait=60`);
  const stream = fetch(`${own.url}${path(batch)}/events`, { headers: { Authorization: app.key, AppId: app.app } }).then((response) =>
    response.text(),
  );
  await waitFor('both to wait', async () => {
    const looks = await asOwner(
      own.service.databaseUrl,
      (sql) => sql`select 1 from pg_stat_activity where datname = current_database() and query like '%batch_history h where%'`,
    );
    return looks.length > 1;
  });
  const began = performance.now();
  const stopping = own.stop();
  expect((await waiting).body.entity).toMatchObject({ id: batch.id, status: 'awaiting_start' });
  expect(await stream).toContain('event: status');
  await stopping;
  // Far below the 60 s, and below the drain's own limit, after which connections are cut.
  expect(performance.now() - began).toBeLessThan(5_000);
});
