/** A database that is unreachable for a while: nothing hangs, no job fails for it, no client is charged for it, and everything continues when it is back. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import { createKey } from '../../src/access/keys.ts';
import { openContext, openSql } from '../../src/foundation/context.ts';
import { isDatabaseFault } from '../../src/foundation/database-faults.ts';
import { group } from '../../src/foundation/group.ts';
import { showId } from '../../src/foundation/ids.ts';
import { isDriverMended } from '../../src/foundation/transactions.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { readWallet, topUp } from '../../src/money/ledger.ts';
import { handBack, runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { takeBackExpired } from '../../src/pipeline/leases.ts';
import { openService, type Service } from '../../src/pipeline/service.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { everyRole, type Running, runRoles } from '../../workers/main.ts';
import { type Client, openClient } from '../setup/api.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { openRoad, type Road } from '../setup/road.ts';
import { freshNin, makeOwner, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let road: Road;
beforeAll(async () => {
  road = await openRoad(database.url);
});
afterEach(() => {
  road.set('open');
  road.watch(() => true);
});
afterAll(async () => {
  road.close();
});

/** On connections that have prepared nothing yet, a statement is sent as written, so the proxy can recognize it. */
async function freshRoad(service: Pick<Service, 'sql'>): Promise<void> {
  road.cut();
  await waitFor('a new connection', () => service.sql`select 1`.catch(() => null));
}

/** Milliseconds until it is settled. */
async function taken(work: PromiseLike<unknown>): Promise<number> {
  const began = performance.now();
  await Promise.resolve(work).catch(() => {});
  return performance.now() - began;
}

describe('the driver', () => {
  test('is the one that ops/patch-postgres.mjs has patched', () => expect(isDriverMended()).toBe(true));

  test('reuses a connection that was closed with a statement on its way out', async () => {
    const sockets: Socket[] = [];
    const { hostname, port } = new URL(database.url);
    const socket = () => {
      sockets.push(connect(Number(port), hostname));
      return sockets.at(-1);
    };
    const sql = postgres(database.url, { max: 1, onnotice: () => {}, ...{ socket } });
    await sql`select 1`;
    const lost = expect(sql`select 2`).rejects.toThrow();
    // The statement reaches the connection in these event loop turns and the socket only after them.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    sockets[0]!.emit('close', false);
    sockets[0]!.destroy();
    await lost;
    expect(await taken(Promise.race([sql`select 3`, sleep(5_000)]))).toBeLessThan(2_000);
    await sql.end({ timeout: 1 });
  });

  test('never hangs through rounds of cuts at any moment of many queries', async () => {
    const sql = openSql(database.url, 12);
    const slow: number[] = [];
    let answered = 0;
    for (let round = 0; round < 25; round++) {
      const asked = Array.from({ length: 40 }, async (_, i) => {
        await sleep(i);
        const ms = await taken(sql`select ${i}::int`.then(() => answered++));
        if (ms > 3_000) slow.push(ms);
      });
      await sleep(5 + round);
      await database.cut();
      await Promise.all(asked);
    }
    expect(slow).toEqual([]);
    expect(answered).toBeGreaterThan(500);
    await sql.end({ timeout: 1 });
  });

  test.each(['closed', 'silent'] as const)(
    'tells everybody waiting for a connection within seconds that there is none (%s)',
    async (state) => {
      const sql = openSql(road.url, 4);
      road.set(state);
      const began = performance.now();
      const ended = await Promise.allSettled(Array.from({ length: 100 }, () => sql`select 1`.execute()));
      expect(performance.now() - began).toBeLessThan(8_000);
      expect(ended.every((end) => end.status === 'rejected' && isDatabaseFault(end.reason))).toBe(true);
      road.set('open');
      await expect.poll(() => sql`select 1 as one`.catch(() => null), { timeout: 8_000 }).toMatchObject([{ one: 1 }]);
      await sql.end({ timeout: 1 });
    },
  );

  test('resumes soon after a long outage, and hears every channel again', async () => {
    const ctx = openContext(database.config(), road.url);
    const heard = new Set<string>();
    for (const channel of ['one', 'two', 'three']) await ctx.sql.listen(channel, () => heard.add(channel));
    road.set('closed');
    road.cut();
    for (const began = performance.now(); performance.now() - began < 3_000; ) await ctx.sql`select 1`.catch(() => sleep(10));
    road.set('open');
    const back = performance.now();
    await waitFor('an answer', () => ctx.sql`select 1`.catch(() => null));
    expect(performance.now() - back).toBeLessThan(2_000);
    await waitFor('every channel', async () => {
      for (const channel of ['one', 'two', 'three']) await ctx.sql.notify(channel, '').catch(() => {});
      return heard.size === 3;
    });
    await ctx.close();
  });

  test('fails only the caller when a connection is lost before its array types are known', async () => {
    const sql = openSql(road.url, 1);
    let lost = 0;
    road.watch((question) => {
      if (!question.includes('pg_catalog.pg_type') || lost++ > 0) return true;
      road.cut();
      return false;
    });
    await expect(sql`select 1`).rejects.toThrow();
    // An unhandled rejection would be reported by now, and fail this file.
    expect(await sql`select ${[1, 2]}::int[] as numbers`).toEqual([{ numbers: [1, 2] }]);
    expect(lost).toBeGreaterThan(0);
    await sql.end({ timeout: 1 });
  });

  test('leaves a channel without an error when the connection is lost', async () => {
    const ctx = openContext(database.config(), road.url);
    const listener = await ctx.sql.listen('one', () => {});
    road.set('closed');
    road.cut();
    await expect(listener.unlisten()).resolves.toBeUndefined();
    await ctx.close();
  });
});

describe('a group', () => {
  const lost = () => Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });

  test('retries even a single item when its connection is lost', async () => {
    let tries = 0;
    const add = group<number, number>(
      async (items) => {
        if (tries++ < 3) throw lost();
        return items;
      },
      { itemsMax: 10, flushesMax: 1 },
    );
    expect(await add(7)).toBe(7);
    expect(tries).toBe(4);
  });

  test('gives up as a whole when its patience ends, and at once when a lock or a statement takes too long', async () => {
    for (const [error, triesMin] of [
      [lost(), 3],
      [Object.assign(new Error(), { name: 'PostgresError', code: '55P03' }), 1],
    ] as const) {
      let tries = 0;
      const add = group<number, number>(
        async () => {
          tries++;
          throw error;
        },
        { itemsMax: 10, flushesMax: 1, patienceMs: 200 },
      );
      const ended = await Promise.allSettled([1, 2, 3].map(add));
      expect(ended.map((end) => end.status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(tries).toBeGreaterThanOrEqual(triesMin);
      expect(tries).toBeLessThan(8);
    }
  });
});

describe('a chunk', () => {
  let service: Service;
  let sandbox: ReturnType<typeof createSandbox>;
  beforeAll(async () => {
    sandbox = createSandbox();
    const config = database.config({ CONFAM_JOB_BACKOFF_MS: '1', CONFAM_JOB_FAILURES_MAX: '3' });
    service = await openService(openContext(config, road.url), { live: [sandbox], test: [sandbox] });
  });
  afterAll(() => service.close());

  const lease = async () => (await openDispatcher(service, service.router).fill(service.sql)).leased.map(({ id }) => id);
  const jobsOf = (batchId: string) =>
    service.sql<{ status: string; failures: number; errorCode: string | null }[]>`
      select status, failures, error_code from jobs where batch_id = ${batchId}`;

  test.each([
    ['reads its cache', 'from cache_records'],
    ['reads its rows', 'row_blocks'],
  ])('that loses the database while it %s fails no job: its rows go back, no attempt is counted', async (_, statement) => {
    const owner = await makeOwner(service);
    const batch = await uploadNins(service, owner, Array.from({ length: 3 }, freshNin));
    const [chunk] = await lease();
    await freshRoad(service);
    road.watch((question) => {
      if (!question.includes(statement)) return true;
      road.set('closed');
      road.cut();
      return false;
    });
    await expect(runChunk(service, chunk!)).rejects.toThrow();
    const handed = handBack(service, [chunk!]);
    road.watch(() => true);
    road.set('open');
    await handed;
    expect(await takeBackExpired(service)).toBe(1);
    expect((await jobsOf(batch.id)).map(({ status, failures }) => [status, failures])).toEqual(Array(3).fill(['queued', 0]));
    for (const again of await lease()) await runChunk(service, again);
    expect((await jobsOf(batch.id)).map(({ status, errorCode }) => [status, errorCode])).toEqual(Array(3).fill(['completed', null]));
    expect(await readWallet(service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - 3 * 125_00, heldKobo: 0 });
    expect(await ledgerDrift(service)).toBe(0);
  });

  test('whose COMMIT succeeds but whose answer gets lost charges once', async () => {
    const owner = await makeOwner(service);
    const batch = await uploadNins(service, owner, [freshNin()]);
    const [chunk] = await lease();
    let cuts = 0;
    await freshRoad(service);
    road.watch((question, when) => when === 'asked' || !question.includes('commit') || cuts++ > 0);
    await runChunk(service, chunk!);
    expect(cuts).toBeGreaterThan(0);
    expect(await jobsOf(batch.id)).toMatchObject([{ status: 'completed' }]);
    expect(await readWallet(service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - 125_00, heldKobo: 0 });
    expect(await ledgerDrift(service)).toBe(0);
  });

  test("with a fault of ours shows `internal` only after its jobs' retries, and a retry of the batch completes it", async () => {
    const owner = await makeOwner(service);
    const batch = await uploadNins(service, owner, [freshNin()]);
    const { lookup } = sandbox;
    sandbox.lookup = async () => {
      throw new TypeError('a bug');
    };
    for (let attempt = 1; attempt <= 3; attempt++) {
      const [chunk] = await waitFor('the job to be due', async () => {
        const chunks = await lease();
        return chunks.length > 0 && chunks;
      });
      await runChunk(service, chunk!);
      expect(await jobsOf(batch.id)).toMatchObject([
        attempt < 3 ? { status: 'queued', failures: attempt, errorCode: null } : { status: 'failed', errorCode: 'internal' },
      ]);
    }
    sandbox.lookup = lookup;
    const { retryBatch } = await import('../../src/batches/control.ts');
    await retryBatch(service, owner.appId, batch.id, bySystem('test'));
    for (const chunk of await lease()) await runChunk(service, chunk);
    expect(await jobsOf(batch.id)).toMatchObject([{ status: 'completed', errorCode: null }]);
  });
});

describe('a request', () => {
  let running: Running;
  let client: Client;
  let appId: string;
  beforeAll(async () => {
    running = await runRoles(database.config({ PORT: '0', HOST: '127.0.0.1' }), road.url, { ...everyRole, pools: [] });
    const { id } = await createApp(running.service, 'Test');
    appId = id;
    await topUp(running.service.sql, { appId, live: false }, 1_000_00, null);
    const key = (await createKey(running.service, 'test', appId))!;
    client = openClient(`http://127.0.0.1:${running.port}`, showId('app', appId), key.key);
  });
  afterAll(() => running.drain());

  const call = (nin = freshNin()) => client.get(`/api/v1/kyc/nin?nin=${nin}`);
  const wallet = () => readWallet(running.service.sql, { appId, live: false });

  test.each(['closed', 'silent'] as const)(
    'that meets no database is soon answered 503 with Retry-After, and costs nothing (%s)',
    async (state) => {
      expect((await call()).status).toBe(200);
      const before = await wallet();
      road.set(state);
      road.cut();
      const began = performance.now();
      const answers = await Promise.all([
        ...Array.from({ length: 30 }, () => call()),
        client.get('/api/v1/wallet'),
        client.get('/api/v1/batches'),
      ]);
      expect(performance.now() - began).toBeLessThan(10_000);
      for (const { status, headers, body } of answers) {
        expect([status, body.code], JSON.stringify(body)).toEqual([503, 'unavailable']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      road.set('open');
      await waitFor('an answer', async () => (await call()).status === 200);
      await waitFor('the hold to be released', async () => (await wallet()).heldKobo === 0, 15_000).catch(() => {});
      const after = await wallet();
      expect(after.availableKobo + after.heldKobo).toBe(before.availableKobo - 125_00);
    },
  );

  test.each([
    ['hold', 'insert into holds'],
    ['charge', 'update holds'],
  ])('whose %s succeeds but whose answer gets lost is answered and charged once', async (_, statement) => {
    const before = await wallet();
    let cuts = 0;
    await freshRoad(running.service);
    road.watch((question, when) => when === 'asked' || !question.includes(statement) || cuts++ > 0);
    expect((await call()).status).toBe(200);
    expect(cuts).toBeGreaterThan(0);
    road.watch(() => true);
    expect(await wallet()).toEqual({ availableKobo: before.availableKobo - 125_00, heldKobo: 0 });
    expect(await ledgerDrift(running.service)).toBe(0);
  });
});
