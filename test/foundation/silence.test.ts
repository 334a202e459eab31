/** A Postgres that keeps its connections and no longer says anything, as if its host were gone. A tick of the watch takes 20 ms here. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSql, type Sql } from '../../src/foundation/context.ts';
import { openQueueBackend } from '../../src/foundation/queue.ts';
import { type SilenceWatch, watchForSilence } from '../../src/foundation/silence.ts';
import { useDatabase } from '../setup/database.ts';
import { openRoad, type Road } from '../setup/road.ts';

const TICK_MS = 20;
const LOST = { code: 'CONNECTION_CLOSED' };

const database = useDatabase();

let road: Road;
let watch: SilenceWatch;
/** Over its first connection Postgres is asked; it is the first of the road, too. */
let asked: Sql;
/** How many connections were given up, each time. */
let givenUp: number[];
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  road = await openRoad(database.url);
  givenUp = [];
  const note = (line: string) => void givenUp.push((JSON.parse(line) as { connections: number }).connections);
  watch = watchForSilence(pino({ level: 'warn' }, { write: note }), TICK_MS);
  asked = await open({ isAsked: true });
  watch.ask(() => asked`select 1`);
});

afterEach(async () => {
  watch.close();
  road.set('open');
  road.cut();
  for (const close of closers.splice(0).reverse()) await close();
  road.close();
});

async function open({ isAsked = false } = {}): Promise<Sql> {
  const sql = openSql(road.url, 1, { watch, isAsked });
  closers.push(() => sql.end({ timeout: 0 }));
  await sql`select 1`;
  return sql;
}

/** Nothing passes over what is open, and new connections are not answered. */
function fallSilent(): void {
  road.set('silent');
  road.mute();
}

test('a statement fails, and the next one is answered when Postgres can be heard again', async () => {
  const sql = await open();
  fallSilent();
  await expect(sql`select 2`).rejects.toMatchObject(LOST);
  expect(givenUp, 'its connection and the one over which Postgres was asked').toEqual([2]);
  road.set('open');
  expect(await sql`select 3 as answer`).toEqual([{ answer: 3 }]);
});

test('a statement may take long while Postgres answers, and an idle connection stays', async () => {
  const [busy, idle] = [await open(), await open()];
  const [before] = await idle`select pg_backend_pid() as pid`;
  await busy`select pg_sleep(${(TICK_MS * 50) / 1_000})`;
  expect(givenUp).toEqual([]);
  expect(await idle`select pg_backend_pid() as pid`).toEqual([before]);
});

test('connections to a lost host are given up although Postgres answers elsewhere by now', async () => {
  const sql = await open();
  road.mute();
  const lost = sql`select 2`.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
  // TCP ends the idle connection, so that the next question opens another, to the new host.
  road.cut(0);
  expect(await Promise.race([lost, sleep(TICK_MS * 100, 'waiting')])).toBe(LOST.code);
  expect(givenUp).toEqual([1]);
  expect(await asked`select 3 as answer`).toEqual([{ answer: 3 }]);
});

test('a queue that cannot be heard fails, and takes tickets again afterwards', async () => {
  const queues = openQueueBackend(database.config(), road.url, pino({ level: 'silent' }), watch);
  const queue = queues.queue(`silence-${randomUUID()}`);
  closers.push(queue.close);
  expect(await queue.counts()).toEqual({ waiting: 0, active: 0 });
  fallSilent();
  await expect(queue.add([{ id: 'lost', priority: 0 }])).rejects.toThrow();
  road.set('open');
  await queue.add([{ id: 'kept', priority: 0 }]);
  expect(await queue.counts()).toEqual({ waiting: 1, active: 0 });
});

test('a process that stood still does not take its own absence for silence', async () => {
  const sql = await open();
  const until = performance.now() + TICK_MS * 40;
  while (performance.now() < until);
  await sleep(TICK_MS * 3);
  expect(await sql`select 2 as answer`).toEqual([{ answer: 2 }]);
  expect(givenUp).toEqual([]);
});
