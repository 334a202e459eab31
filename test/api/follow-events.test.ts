/** An endpoint's messages as a stream: signed, each once, resumed after a loss, and for its own app alone. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { readEvents } from '../../src/client/events.ts';
import { type TestApp, useApi } from '../setup/api.ts';

const api = useApi();

interface Made {
  id: string;
  secret: string;
}

const endpointOf = async (app: TestApp, body: object): Promise<Made> => {
  const made = await app.post<Made>('/api/v1/webhooks/endpoints', { url: 'https://listen.confam.invalid/', disabled: true, ...body });
  expect(made.status, made.text).toBe(201);
  return made.body.entity;
};

/** The first `count` messages. `act` is called once the stream is open. */
async function follow(app: TestApp, id: string, count: number, act: () => Promise<unknown>, after?: string) {
  const stop = new AbortController();
  const response = await fetch(`${api.url}/api/v1/webhooks/endpoints/${id}/events`, {
    headers: { Authorization: app.key, AppId: app.app, ...(after && { 'Last-Event-ID': after }) },
    signal: stop.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const messages: { id: string; headers: Record<string, string>; body: string }[] = [];
  for await (const { id, data, retryMs } of readEvents(response.body!)) {
    // Announced once the stream is open.
    if (retryMs !== null) await act();
    if (data === '') continue;
    messages.push({ id: id!, ...JSON.parse(data) });
    if (messages.length === count) break;
  }
  stop.abort();
  return messages;
}

const runJob = async (app: TestApp, nin = '70123456789') => {
  const { id } = (await app.job({ check: 'nin_basic', input: { nin } })).body.entity;
  await app.ended(`/api/v1/jobs/${id}`);
  return id;
};

test('messages come signed as a delivery would be, filtered by type, and none is sent to the address', async () => {
  const app = await api.createApp();
  const { id, secret } = await endpointOf(app, { events: ['job.completed', 'batch.canceled'] });
  const before = await runJob(app);
  let job = '';
  const [first, second] = await follow(app, id, 2, async () => {
    job = await runJob(app);
    const { id: batch } = (await app.csv('checks=nin_basic&start=manual', 'nin\n70123456789\n')).body.entity;
    await app.post(`/api/v1/batches/${batch}/cancel`);
  });
  expect(first!.id).toBe(first!.headers['webhook-id']);
  expect(new Webhook(secret).verify(first!.body, first!.headers)).toMatchObject({ type: 'job.completed', data: { id: job } });
  expect(first!.body, 'only from now on').not.toContain(before);
  expect(JSON.parse(second!.body)).toMatchObject({ type: 'batch.canceled' });
  expect((await app.get<{ data: unknown[] }>(`/api/v1/webhooks/endpoints/${id}/deliveries`)).body.entity.data).toEqual([]);
  // What happened while nobody was connected comes after a reconnection, together with the seconds before.
  const missed = await runJob(app);
  const resumed = await follow(app, id, 3, async () => {}, second!.id);
  expect(resumed.map(({ body }) => JSON.parse(body).data.id)).toEqual([before, job, missed]);
});

test('another app’s endpoint looks as if it did not exist, and a deleted one ends its stream', async () => {
  const [app, other] = [await api.createApp(), await api.createApp()];
  const { id } = await endpointOf(app, {});
  const path = `/api/v1/webhooks/endpoints/${id}/events`;
  expect((await other.get(path)).status).toBe(404);
  expect((await app.live.get(path)).status).toBe(404);
  expect(await app.get(path, { 'Last-Event-ID': 'evt_1' })).toMatchObject({ status: 400, body: { details: [{ path: 'Last-Event-ID' }] } });
  const ended = await follow(app, id, 1, () => app.send('DELETE', `/api/v1/webhooks/endpoints/${id}`));
  expect(ended).toEqual([]);
});
