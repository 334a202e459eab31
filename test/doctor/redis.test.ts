/** What the doctor says about a Redis that may evict parts of the queue, or does not answer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { checkRedis } from '../../src/doctor/stores.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { waitFor } from '../setup/database.ts';

describe.skipIf(!inject('redisUrl'))('a Redis', () => {
  let server: ChildProcess;
  let redis: Redis;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `redis://127.0.0.1:${port}`;
    server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()], { stdio: 'ignore' });
    redis = new Redis(url, { lazyConnect: true, retryStrategy: () => 50 });
    redis.on('error', () => {});
    await waitFor('Redis', () => redis.ping().catch(() => false));
  });
  afterAll(() => {
    redis.disconnect();
    server.kill('SIGKILL');
  });

  const check = async (policy: string, limit: string) => {
    await redis.config('SET', 'maxmemory-policy', policy, 'maxmemory', limit);
    return checkRedis(readConfig({ REDIS_URL: url }));
  };

  test.each(['allkeys-lru', 'allkeys-random', 'volatile-lru', 'volatile-ttl'])(
    'with %s is broken, or a note while it has no limit',
    async (policy) => {
      const says = expect.stringContaining(`set maxmemory-policy noeviction (it is ${policy})`);
      expect(await check(policy, '50mb')).toMatchObject({ state: 'broken', says });
      expect(await check(policy, '0')).toMatchObject({ state: 'note', says });
    },
  );

  test('that accepts connections and answers nothing is broken, and the doctor does not wait for it', async () => {
    server.kill('SIGSTOP');
    try {
      expect(await checkRedis(readConfig({ REDIS_URL: url }))).toMatchObject({
        state: 'broken',
        says: expect.stringContaining('cannot be used'),
      });
    } finally {
      server.kill('SIGCONT');
    }
  });

  test('that evicts nothing is sound, with a limit or without', async () => {
    for (const limit of ['50mb', '0']) expect(await check('noeviction', limit)).toMatchObject({ state: 'ok' });
  });
});
