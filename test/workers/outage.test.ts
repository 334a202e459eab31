/**
 * What processes log while the database is away, or only a standby: when it begins and when it is over, however long it lasts. And what
 * readiness says of a Redis that is away or takes nothing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { expect, inject, test } from 'vitest';
import { createKey } from '../../src/access/keys.ts';
import { openApi } from '../../src/api/app.ts';
import { openHealth } from '../../src/api/health.ts';
import { listen } from '../../src/api/server.ts';
import { openContext } from '../../src/foundation/context.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { showId } from '../../src/foundation/ids.ts';
import { announce } from '../../src/jobs/release.ts';
import { openService } from '../../src/pipeline/service.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { startDispatcher } from '../../workers/dispatcher.ts';
import { startSweeper } from '../../workers/sweeper.ts';
import { openClient } from '../setup/api.ts';
import { asOwner, createDatabase, type TestDatabase, useDatabase, waitFor } from '../setup/database.ts';
import { openRoad } from '../setup/road.ts';
import { freshNin, makeOwner } from '../setup/work.ts';

const database = useDatabase();

interface Line {
  level: number;
  msg: string;
  errors?: number;
}

/** A dispatcher with its sweeper that leads, and what it has logged. */
async function startLeader({ config }: TestDatabase, url: string) {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const service = await openService(openContext(config(), url, { process: 'dispatcher', log }), { live: [], test: [] });
  const [dispatching, sweeping] = [startDispatcher(service), startSweeper(service)];
  const said = (about: RegExp) => lines.filter(({ msg }) => about.test(msg));
  await waitFor('a leader', () => said(/this dispatcher leads/).length > 0);
  return {
    service,
    /** That the outage has begun, and nothing else of it. */
    expectBegun: () =>
      expect(
        said(/sweep|dispatcher (waits|failed)/)
          .map(({ msg }) => msg)
          .sort(),
      ).toEqual(['sweeps fail without the database', 'the dispatcher waits for the database']),
    untilOver: () =>
      waitFor('both to say that it is over', () => {
        const over = said(/^(sweeps have|the dispatcher has) the database again$/);
        return over.length === 2 && over;
      }),
    async close() {
      await dispatching.close();
      await sweeping.close();
      await service.close();
    },
  };
}

// Side by side, because most of each is waiting.
test.concurrent('each says once that the database is away, and once that it is back', async () => {
  const road = await openRoad(database.url);
  const leader = await startLeader(database, road.url);
  road.set('closed');
  road.cut();
  await sleep(6_000);
  leader.expectBegun();
  road.set('open');
  for (const { errors } of await leader.untilOver()) expect(errors).toBeGreaterThan(2);
  await leader.close();
  road.close();
});

test.concurrent('an API says so once, however many requests and waits it meets', async () => {
  const road = await openRoad(database.url);
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const providers = { live: [], test: [createSandbox()] };
  const service = await openService(openContext(database.config(), road.url, { process: 'api', log }), providers);
  const api = await openApi(service, { phase: () => 'ready', health: openHealth(service, null), metrics: async () => [] });
  const http = await listen(api, { HOST: '127.0.0.1', PORT: 0 });
  const announced = await announce(service, []);
  const { appId } = await makeOwner(service);
  const { key } = (await createKey(service, 'test', appId))!;
  const app = openClient(`http://127.0.0.1:${http.port}`, showId('app', appId), key);
  const made = await app.post<{ id: string }>('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } });
  const waiting = app.get(`/api/v1/jobs/${made.body.entity.id}?wait=30`);
  await sleep(500);
  lines.length = 0;
  road.set('closed');
  road.cut();
  const statuses = new Set<number>();
  for (const until = Date.now() + 7_000; Date.now() < until; await sleep(100)) statuses.add((await app.get('/api/v1/wallet')).status);
  const said = lines.map(({ msg }) => msg).filter((msg) => msg !== 'request');
  road.set('open');
  api.drain();
  await waiting;
  await announced.close();
  await http.close(1_000);
  await api.close();
  await service.close();
  road.close();
  expect([...statuses]).toEqual([503]);
  expect(said.sort()).toEqual([
    'polling for changes fails',
    'requests are not counted; a later flush adds them',
    'requests are not kept for their apps',
    'requests are refused without the database',
    'this process cannot announce itself',
  ]);
});

test.concurrent('so it is where the database can only be read, and readiness says so', async () => {
  const own = await createDatabase();
  const leader = await startLeader(own, own.url);
  const health = openHealth(leader.service, null);
  expect(await health.ready()).toBeNull();
  const name = new URL(own.url).pathname.slice(1);
  const setReadOnly = (to: 'on' | 'off') =>
    asOwner(own.url, (sql) =>
      sql.begin('read write', (tx) => tx.unsafe(`alter database ${name} set default_transaction_read_only = ${to}`)),
    );
  await setReadOnly('on');
  await own.cut();
  await sleep(6_000);
  leader.expectBegun();
  expect(await health.ready()).toBe('database read-only');
  await setReadOnly('off');
  await own.cut();
  await leader.untilOver();
  expect(await health.ready()).toBeNull();
  await leader.close();
  await own.drop();
});

test.skipIf(process.platform !== 'linux')(
  'room is looked for where the embedded Postgres keeps its data, which may be on another disk than the data folder',
  async () => {
    // Nothing can be stored there.
    const full = '/proc';
    const folder = mkdtempSync(join(tmpdir(), 'confam-room-'));
    const ready = async (dataFolder: string, dataDir: string, runs: boolean) => {
      const context = openContext(database.config({ CONFAM_DATA_DIR: dataFolder }), database.url, { process: 'api' });
      try {
        return await openHealth(context, { dataDir, isRunning: () => runs }).ready();
      } finally {
        await context.close();
      }
    };
    try {
      expect([await ready(folder, full, true), await ready(folder, full, false)]).toEqual(['disk full', 'disk full']);
      expect([await ready(full, folder, true), await ready(full, folder, false)]).toEqual([null, 'database down']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.concurrent('readiness blames the database only for what is the database’s; anything else is in the log', async () => {
  const lines: { msg: string; err: { type: string } }[] = [];
  const log = pino(
    { level: 'warn', serializers: { err: ({ name }) => ({ type: name }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const context = openContext(database.config(), database.url, { process: 'worker', log });
  const isUsable = () => Promise.reject(new TypeError('a bug'));
  expect(await openHealth({ ...context, queues: { ...context.queues, isUsable } }, null).ready()).toBe('check failed');
  expect(lines).toMatchObject([{ msg: 'readiness could not be checked', err: { type: 'TypeError' } }]);
  await context.close();
  const nowhere = openContext(database.config(), `postgres://confam@127.0.0.1:${await freePort()}/confam`, { process: 'worker', log });
  expect(await openHealth(nowhere, null).ready()).toBe('database unreachable');
  await nowhere.close();
  expect(lines).toHaveLength(1);
});

test.skipIf(!inject('redisUrl'))('a process that works from a Redis which it cannot write to is not ready; the API is', async () => {
  const port = await freePort();
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()], {
    stdio: 'ignore',
  });
  const redis = new Redis(`redis://127.0.0.1:${port}`, { lazyConnect: true, retryStrategy: () => 50 });
  redis.on('error', () => {});
  await waitFor('Redis', () => redis.ping().catch(() => false));
  const config = database.config({ REDIS_URL: `redis://127.0.0.1:${port}` });
  const contexts = (['worker', 'dispatcher', 'api'] as const).map((process) => openContext(config, database.url, { process }));
  const readiness = () => Promise.all(contexts.map((context) => openHealth(context, null).ready()));
  const [isReady, isNot] = [
    [null, null, null],
    ['queue unusable', 'queue unusable', null],
  ];
  try {
    expect(await readiness()).toEqual(isReady);
    expect(await redis.keys('*'), 'the question leaves nothing').toEqual([]);
    await redis.config('SET', 'maxmemory', '1');
    expect(await readiness(), 'full').toEqual(isNot);
    await redis.config('SET', 'maxmemory', '0');
    await redis.replicaof('127.0.0.1', '1');
    expect(await readiness(), 'a replica').toEqual(isNot);
    await redis.replicaof('NO', 'ONE');
    expect(await readiness()).toEqual(isReady);
    server.kill('SIGSTOP');
    expect(await readiness(), 'stopped').toEqual(isNot);
    server.kill('SIGCONT');
    expect(await readiness()).toEqual(isReady);
    server.kill('SIGKILL');
    await once(server, 'exit');
    expect(await readiness(), 'gone').toEqual(isNot);
  } finally {
    server.kill('SIGKILL');
    redis.disconnect();
    for (const context of contexts) await context.close();
  }
});
