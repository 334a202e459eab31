/** What a service does beside a Postgres or a Redis that keeps its connections and no longer says anything. In real time: each takes up to half a minute. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, inject, test } from 'vitest';
import { createKey } from '../../src/access/keys.ts';
import { openApi } from '../../src/api/app.ts';
import { openHealth } from '../../src/api/health.ts';
import { listen } from '../../src/api/server.ts';
import { openContext } from '../../src/foundation/context.ts';
import { showId } from '../../src/foundation/ids.ts';
import { openQueueBackend } from '../../src/foundation/queue.ts';
import { openService } from '../../src/pipeline/service.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { openClient } from '../setup/api.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { openRoad } from '../setup/road.ts';
import { makeOwner } from '../setup/work.ts';

/** 15 s of silence, and two attempts to connect of 4 s each. */
const ANSWERED_MS = 30_000;

const database = useDatabase();

test('requests that wait for Postgres are answered 503, and the next ones as soon as it can be heard', async () => {
  const road = await openRoad(database.url);
  const service = await openService(openContext(database.config(), road.url, { process: 'api', log: pino({ level: 'silent' }) }), {
    live: [],
    test: [createSandbox()],
  });
  const api = await openApi(service, { phase: () => 'ready', health: openHealth(service, null), metrics: async () => [] });
  const http = await listen(api, { HOST: '127.0.0.1', PORT: 0 });
  const { appId } = await makeOwner(service);
  const app = openClient(`http://127.0.0.1:${http.port}`, showId('app', appId), (await createKey(service, 'test', appId))!.key);
  try {
    expect((await app.get('/api/v1/wallet')).status).toBe(200);
    road.set('silent');
    road.mute();
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.get('/api/v1/wallet')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(performance.now() - began).toBeLessThan(ANSWERED_MS);
    road.set('open');
    await waitFor('an answer', async () => (await app.get('/api/v1/wallet')).status === 200);
  } finally {
    road.set('open');
    api.drain();
    await http.close(1_000);
    await api.close();
    await service.close();
    road.close();
  }
});

test.skipIf(!inject('redisUrl'))('a ticket goes through a Redis whose connections were lost without a word', async () => {
  const road = await openRoad(inject('redisUrl')!);
  const queues = openQueueBackend(database.config({ REDIS_URL: road.url }), database.url, pino({ level: 'silent' }));
  const name = `silence-${randomUUID()}`;
  const taken: string[] = [];
  const queue = queues.queue(name);
  const worker = queues.worker(name, 1, async (id) => void taken.push(id));
  try {
    await queue.add([{ id: 'before', priority: 0 }]);
    await waitFor('the first ticket', () => taken.includes('before'));
    road.mute();
    await queue.add([{ id: 'after', priority: 0 }]);
    await waitFor('the second ticket', () => taken.includes('after'), ANSWERED_MS);
  } finally {
    await worker.close();
    await queue.close();
    road.close();
  }
});
