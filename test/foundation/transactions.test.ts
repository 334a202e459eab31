/** Transactions whose last statements travel with the commit, and those whose session Postgres ends because the process stood still. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Context, openContext, type Sql, type Tx } from '../../src/foundation/context.ts';
import { isPassingFault } from '../../src/foundation/database-faults.ts';
import { endTogether } from '../../src/foundation/transactions.ts';
import { asOwner, useDatabase } from '../setup/database.ts';
import { openRoad, type Road } from '../setup/road.ts';

const database = useDatabase();
let road: Road;
let ctx: Context;
beforeAll(async () => {
  road = await openRoad(database.url);
  ctx = openContext(database.config(), road.url, { poolMax: 1, isWalled: false });
  await ctx.sql`create table marks (name text primary key, n int not null)`;
});
afterAll(async () => {
  await ctx.close();
  road.close();
});

const put = (tx: Tx, name: string, n: number) => tx`
  insert into marks as m (name, n) values (${name}, ${n}) on conflict (name) do update set n = m.n + excluded.n`;
const read = async () =>
  Object.fromEntries((await ctx.sql<{ name: string; n: number }[]>`select name, n from marks`).map(({ name, n }) => [name, n]));

describe('a transaction that ends together', () => {
  it('sends its last statements and the commit at once', async () => {
    const once = () =>
      endTogether(ctx.sql, async (tx) => {
        const [one] = await tx<{ n: number }[]>`select 1 as n`;
        return { result: one!.n, last: [put(tx, 'first', 1), put(tx, 'second', 10)] };
      });
    // The first time each statement is described by itself.
    expect(await once()).toBe(1);
    const sent: string[] = [];
    road.watch((question, when) => {
      if (when === 'asked') sent.push(question);
      return true;
    });
    expect(await once()).toBe(1);
    road.watch(() => true);
    // BEGIN, the query, and one packet for the rest.
    expect(sent).toHaveLength(3);
    expect(sent[2]).toMatch(/first.*second/s);
    expect(await read()).toEqual({ first: 2, second: 20 });
  });

  it('keeps nothing and throws what a statement threw, whichever it was', async () => {
    for (const at of [0, 1, 2]) {
      const failing = endTogether(ctx.sql, async (tx) => {
        await put(tx, 'before', 1);
        const last = [put(tx, 'first', 1), put(tx, 'second', 1)];
        last.splice(at, 0, tx`select 1 / ${0}::int`);
        return { result: null, last };
      });
      await expect(failing).rejects.toMatchObject({ code: '22012' });
    }
    expect(await read()).toEqual({ first: 2, second: 20 });
  });

  it('throws what was thrown before its last statements, which are not sent', async () => {
    const failing = endTogether(ctx.sql, async (tx) => {
      const last = [put(tx, 'first', 1)];
      if (last.length > 0) throw new Error('before');
      return { result: null, last };
    });
    await expect(failing).rejects.toThrow('before');
    expect(await read()).toEqual({ first: 2, second: 20 });
  });

  it('fails without waiting when its connection is lost before the commit is answered', async () => {
    road.watch((question, when) => !(when === 'asked' && question.includes('lost')));
    const cut = endTogether(ctx.sql, async (tx) => ({ result: null, last: [put(tx, 'lost', 1)] }));
    await expect(cut).rejects.toMatchObject({ code: expect.stringMatching(/^CONNECTION/) });
    road.watch(() => true);
    expect(await read()).toEqual({ first: 2, second: 20 });
  });

  it('does not repeat a statement behind the transaction when a migration has outdated its plan', async () => {
    const all = (tx: Tx) => tx`update marks set n = n + 1 where name = 'first' returning *`;
    const add = () => endTogether(ctx.sql, async (tx) => ({ result: null, last: [all(tx)] }));
    await add();
    await add();
    await ctx.sql`alter table marks add column note text`;
    await expect(add()).rejects.toMatchObject({ message: expect.stringContaining('cached plan') });
    expect(await read()).toEqual({ first: 4, second: 20 });
    await add();
    expect(await read()).toEqual({ first: 5, second: 20 });
  });
});

describe('a reserved session', () => {
  it('fails with the reason of its loss, and gives back a connection that can be used', async () => {
    for (const lose of [
      (pid: number) => asOwner(database.url, (sql) => sql`select pg_terminate_backend(${pid})`),
      () => Promise.resolve(road.cut()),
    ]) {
      const session = await ctx.sql.reserve();
      await session`create temp table captured (n int)`;
      const [own] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await lose(own!.pid);
      await sleep(200);
      const later = async () => session`select n from captured`;
      await expect(later()).rejects.toMatchObject({ code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/) });
      session.release();
      expect(await ctx.sql`select 1 as one`).toEqual([{ one: 1 }]);
    }
  });

  it('keeps its connection until it is released', async () => {
    const session = await ctx.sql.reserve();
    await session`create temp table kept (n int)`;
    expect(await session`select n from kept`).toEqual([]);
    await session`drop table kept`;
    session.release();
    expect(await ctx.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('a transaction whose session has been idle for too long', () => {
  let walled: Context;
  beforeAll(() => {
    walled = openContext(database.config(), road.url, { poolMax: 1 });
  });
  afterAll(() => walled.close());

  /** For this session only. */
  const bear = (sql: Sql, ms: number) => sql.unsafe(`set idle_in_transaction_session_timeout = ${ms}`);

  const standStill = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

  it('is begun again if the process stood still with the answer to BEGIN unread', async () => {
    const ofApp = walled.tenant(randomUUID()).sql;
    for (const [sql, work] of [
      [ofApp, () => ofApp`select 1 as one`],
      [ofApp, () => ofApp.begin((tx) => tx`select 1 as one`)],
      [walled.sql, () => walled.sql.begin((tx) => tx`select 1 as one`)],
    ] as [Sql, () => Promise<unknown>][]) {
      await bear(sql, 200);
      let stops = 0;
      road.watch((question, when) => {
        // Once it is on its way.
        if (when === 'asked' && question.includes('begin') && stops++ === 0) setImmediate(standStill, 600);
        return true;
      });
      expect(await work()).toEqual([{ one: 1 }]);
      expect(stops).toBe(2);
      road.watch(() => true);
    }
  });

  it('fails with that reason once its work has begun, and keeps nothing', async () => {
    let begun = 0;
    const failing = walled.sql.begin(async (tx) => {
      begun++;
      await tx`insert into leads (name, token, held_until) values ('idle', 1, now())`;
      await tx`set local idle_in_transaction_session_timeout = 50`;
      await sleep(400);
      await tx`select 1`;
    });
    await expect(failing).rejects.toMatchObject({ code: '25P03' });
    expect(begun).toBe(1);
    expect(await walled.sql`select 1 from leads where name = 'idle'`).toHaveLength(0);
  });
});

describe('a statement whose table a migration has changed', () => {
  it('fails once in a transaction, as a fault of the database after which the same may succeed', async () => {
    const all = () => ctx.sql.begin((tx) => tx`select * from marks`);
    await all();
    await asOwner(database.url, (sql) => sql`alter table marks add column later text`);
    const error = await all().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '0A000' });
    expect(isPassingFault(error)).toBe(true);
    expect((await all()).columns.map(({ name }) => name)).toContain('later');
  });
});
