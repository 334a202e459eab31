/** The client of the API: keys and sessions, pages, events across a lost connection, and typed refusals. */
import { expect, test } from 'vitest';
import { openClient } from '../../src/client/client.ts';
import { Refused, Unreachable } from '../../src/client/errors.ts';
import { readEvents } from '../../src/client/events.ts';
import { useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';

const api = useApi();

const rows = (count: number): string => `nin\n${Array.from({ length: count }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n`;

test('with a key it walks every page of a list, and knows a refusal by its code and request', async () => {
  const app = await api.createApp();
  const made = await Promise.all([1, 2, 3].map(() => app.csv('checks=nin_basic&start=manual', rows(1))));
  const client = openClient({ baseUrl: `${api.url}/`, caller: () => ({ key: app.key, app: app.app }) });
  const listed: string[] = [];
  for await (const batch of client.batches.all({ limit: 2, status: ['awaiting_start', 'queued'] })) listed.push(batch.id);
  expect(new Set(listed)).toEqual(new Set(made.map(({ body }) => body.entity.id)));
  const refused = await client.batches.read('bat_00000000000000000000000000000000').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refused);
  expect(refused).toMatchObject({ status: 404, code: 'resource_not_found', requestId: expect.stringMatching(/^req_/) });
  const away = openClient({ baseUrl: 'http://127.0.0.1:1/', caller: () => ({ key: app.key }) });
  expect(await away.money.wallet().catch((error: unknown) => error)).toBeInstanceOf(Unreachable);
});

test('what stands for an id cannot lead to another path', async () => {
  const app = await api.createApp();
  const asked: string[] = [];
  const client = openClient({
    baseUrl: `${api.url}/`,
    caller: () => ({ key: app.key, app: app.app }),
    fetch: (input, init) => {
      asked.push(new URL(String(input)).pathname);
      return fetch(input, init);
    },
  });
  const before = (await app.wallet()).available;
  for (const id of ['x/../../kyc/nin/advance?nin=70123456789#', 'x?wait=1', '', '.', '..'])
    for (const read of [client.jobs.read, client.batches.read, client.jobs.lookups])
      await expect(async () => read(id)).rejects.toMatchObject({ name: 'Refused', status: 404 });
  expect(asked.filter((path) => !/^\/api\/v1\/(jobs|batches)\/x%[^/]+(\/lookups)?$/.test(path))).toEqual([]);
  expect((await app.wallet()).available).toBe(before);
});

test('with a session it sends the CSRF token, the app and the mode', async () => {
  const app = await api.createApp();
  const { browser } = await signedInAs(api, app, 'operator');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  let csrfToken: string | null = null;
  const client = openClient({
    baseUrl: `${api.url}/`,
    caller: () => ({ csrfToken, app: app.app, mode: 'test' }),
    fetch: (input, init) => fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), Cookie: cookie } }),
  });
  const made = (await app.csv('checks=nin_basic&start=manual', rows(2))).body.entity;
  expect(await client.batches.start(made.id).catch((error: unknown) => error)).toMatchObject({ code: 'forbidden' });
  csrfToken = (await client.session.read()).csrf_token;
  expect((await client.batches.start(made.id)).status).toBe('queued');
});

test('events go on where they were after the connection was cut, and end with the batch', async () => {
  const app = await api.createApp();
  const { id } = (await app.csv('checks=nin_basic&start=manual', rows(40))).body.entity;
  const connections: (string | null)[] = [];
  const client = openClient({
    baseUrl: `${api.url}/`,
    caller: () => ({ key: app.key, app: app.app }),
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (!String(input).endsWith('/events')) return response;
      connections.push(new Headers(init?.headers).get('Last-Event-ID'));
      if (connections.length > 1) return response;
      // The first connection ends after its first message but one: `retry`, then the status.
      let messages = 0;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (++messages === 2) controller.terminate();
        },
      });
      return new Response(response.body!.pipeThrough(cut), response);
    },
  });
  const statuses: string[] = [];
  for await (const event of client.batches.watch(id, new AbortController().signal)) {
    if (event.type !== 'status') continue;
    statuses.push(event.change.status);
    if (event.change.status === 'awaiting_start') await client.batches.start(id);
  }
  expect(statuses).toEqual(['awaiting_start', 'queued', 'running', 'completed']);
  expect(connections.slice(0, 2)).toEqual([null, expect.stringMatching(/^[1-4]$/)]);
});

test('rows of a batch are read from any row on', async () => {
  const app = await api.createApp();
  const { id } = (await app.csv('checks=nin_basic,nin_advance&start=manual', rows(30))).body.entity;
  const client = openClient({ baseUrl: `${api.url}/`, caller: () => ({ key: app.key, app: app.app }) });
  const { data, next_cursor } = await client.batches.jobs(id, { from_row: 21, limit: 4 });
  expect(data.map(({ row }) => row)).toEqual([21, 21, 22, 22]);
  const next = await client.batches.jobs(id, { limit: 2, cursor: next_cursor });
  expect(next.data.map(({ row }) => row)).toEqual([23, 23]);
  expect(await client.batches.jobs(id, { from_row: 0 }).catch((error: unknown) => error)).toMatchObject({ code: 'invalid_request' });
});

test('a stream of events may be cut anywhere', async () => {
  const text = 'retry: 50\n\n: nothing\n\nid: 7\nevent: status\ndata: {"a":"ọ"}\n\nevent: progress\ndata: 1\ndata: 2\n\n';
  const bytes = new TextEncoder().encode(text);
  for (let at = 1; at < bytes.length; at++) {
    const events = [];
    for await (const event of readEvents(ReadableStream.from([bytes.slice(0, at), bytes.slice(at)]))) events.push(event);
    expect(events.filter(({ data }) => data !== '')).toEqual([
      { type: 'status', data: '{"a":"ọ"}', id: '7', retryMs: null },
      { type: 'progress', data: '1\n2', id: null, retryMs: null },
    ]);
    expect(events[0]!.retryMs).toBe(50);
  }
});
