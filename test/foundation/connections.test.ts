/**
 * Connections to Postgres that are cut again and again, at any moment. An error that nobody listens to would end one of our processes; here it
 * fails the run (vitest counts unhandled errors).
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Context, openContext } from '../../src/foundation/context.ts';
import { openPool } from '../../src/foundation/postgres-queue.ts';
import { openQueueBackend, type QueueBackend } from '../../src/foundation/queue.ts';
import { createDatabase, useDatabase, waitFor } from '../setup/database.ts';

const STORM_MS = 2_500;
const PATIENCE = { timeout: 10_000 };

const database = useDatabase();

describe('a storm of cuts', () => {
  let ctx: Context;
  let outsider: Context;
  beforeAll(async () => {
    ctx = database.openContext();
    // As the owner, who may end anybody's session.
    outsider = openContext(database.config(), database.url, { poolMax: 1, isWalled: false });
    await outsider.sql`set application_name = 'outsider'`;
  });
  afterAll(async () => {
    await ctx.close();
    await outsider.close();
  });

  /** Repeats both failing and succeeding calls until the storm is over; returns how often each happened. */
  async function weather(until: number, work: () => Promise<unknown>): Promise<{ done: number; lost: number }> {
    const count = { done: 0, lost: 0 };
    while (Date.now() < until) {
      await work().then(
        () => count.done++,
        () => count.lost++,
      );
    }
    return count;
  }

  async function cutAll(until: number): Promise<void> {
    while (Date.now() < until) {
      await outsider.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'outsider' and pid <> pg_backend_pid()`;
      await sleep(4);
    }
  }

  test('queries, transactions and queue tickets fail, and work again when it is over', async () => {
    // The storm hits a process that is running.
    await ctx.sql`select 1`;
    // A queue of this attempt's own: its worker would take what an earlier attempt left.
    const name = `storm-${randomUUID()}`;
    const queue = ctx.queues.queue(name);
    await queue.counts();
    const taken = new Set<string>();
    const worker = ctx.queues.worker(name, 4, async (id) => void taken.add(id));
    await queue.add([{ id: 'before', priority: 0 }]);
    await waitFor('the worker', () => taken.has('before'));
    const until = Date.now() + STORM_MS;
    let ticket = 0;
    const [queries, transactions, tickets] = await Promise.all([
      weather(until, () => ctx.sql`select array[1, 2] as numbers`),
      weather(until, () => ctx.sql.begin((tx) => tx`select 1`)),
      weather(until, () => queue.add(Array.from({ length: 20 }, () => ({ id: String(ticket++), priority: 0 })))),
      cutAll(until),
    ]);
    for (const { lost } of [queries, transactions, tickets]) expect(lost).toBeGreaterThan(0);
    // The last cuts may not be noticed yet, so the next query on such a connection still fails. A new connection reads arrays as the first one
    // did.
    await expect
      .poll(() => ctx.sql<{ numbers: number[] }[]>`select array[1, 2] as numbers`.catch(String), PATIENCE)
      .toMatchObject([{ numbers: [1, 2] }]);
    await expect.poll(() => queue.add([{ id: 'after', priority: 0 }]).then(() => 'added', String), PATIENCE).toBe('added');
    await waitFor('the worker, after the storm', () => taken.has('after'));
    await worker.close();
    await queue.close();
  });
});

/** What Postgres sends to a connection that an administrator ends. */
const TERMINATED = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** Where the first notification begins among Postgres's messages. */
function toldFrom(messages: Buffer): number {
  let at = 0;
  while (at < messages.length && messages[at] !== 'A'.charCodeAt(0)) at += 1 + messages.readInt32BE(at + 1);
  return at;
}

describe('a queue whose connection ends at a given moment', () => {
  let road: Server;
  /** Decides what becomes of an answer from Postgres, given the question before it. */
  let fate: (question: string, answer: Buffer, client: Socket) => void;
  let queues: QueueBackend;
  const open = new Set<Socket>();
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const { hostname, port } = new URL(database.url);
    road = createServer((client) => {
      const server = connect({ host: hostname, port: Number(port) });
      let question = '';
      for (const socket of [client, server]) {
        open.add(socket);
        socket.on('error', () => {}).on('close', () => open.delete(socket));
      }
      client.on('data', (bytes) => {
        question = bytes.toString('latin1');
        server.write(bytes);
      });
      server.on('data', (bytes) => fate(question, bytes, client));
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroy());
    });
    road.listen(0, '127.0.0.1');
    await once(road, 'listening');
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String((road.address() as AddressInfo).port);
    queues = openQueueBackend(database.config(), url.toString(), pino({ level: 'silent' }));
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => {
    road.close();
    for (const socket of open) socket.destroy();
  });

  function openBoth() {
    const name = `road-${randomUUID()}`;
    const taken: string[] = [];
    const queue = queues.queue(name);
    const worker = queues.worker(name, 1, async (id) => void taken.push(id));
    closers.push(queue.close, worker.close);
    return { queue, taken };
  }

  test('with the answer to LISTEN: tickets added later are taken', async () => {
    let listened = 0;
    fate = (question, answer, client) => {
      if (!question.includes('LISTEN') || listened++ > 0) client.write(answer);
      else client.end(Buffer.concat([answer, TERMINATED]));
    };
    const { queue, taken } = openBoth();
    await waitFor('it to listen again', () => listened > 1);
    await queue.add([{ id: 'later', priority: 0 }]);
    // It is notified of the ticket sooner than it would poll.
    await waitFor('the ticket', () => taken.includes('later'), 3_000);
  });

  test('before LISTEN is answered, so that nobody is notified: the ticket is taken all the same', async () => {
    let ended = 0;
    let asked = 0;
    fate = (question, answer, client) => {
      if (question.includes('LISTEN')) {
        if (ended++ === 0) client.destroy();
        else client.write(answer.subarray(0, toldFrom(answer)));
      } else {
        if (ended > 1) asked++;
        client.write(answer);
      }
    };
    const { queue, taken } = openBoth();
    await waitFor('it to have found nothing', () => asked > 0);
    await queue.add([{ id: 'untold', priority: 0 }]);
    await waitFor('the ticket', () => taken.includes('untold'), 10_000);
  });

  test('before anything is answered: both continue when Postgres does', async () => {
    let refused = 0;
    fate = (_question, _answer, client) => {
      refused++;
      client.destroy();
    };
    const { queue, taken } = openBoth();
    await expect(queue.add([{ id: 'lost', priority: 0 }])).rejects.toThrow();
    await waitFor('the refusals', () => refused > 3);
    fate = (_question, answer, client) => void client.write(answer);
    await queue.add([{ id: 'first', priority: 0 }]);
    await waitFor('the ticket', () => taken.includes('first'), 10_000);
  });
});

test('what the database prefers of isolation and forms of answers changes nothing', async () => {
  const own = await createDatabase();
  const owner = openContext(own.config(), own.url, { poolMax: 1, isWalled: false });
  const name = new URL(own.url).pathname.slice(1);
  for (const preference of [
    `default_transaction_isolation = 'serializable'`,
    `bytea_output = 'escape'`,
    `datestyle = 'SQL, DMY'`,
    `intervalstyle = 'sql_standard'`,
    `timezone = 'Africa/Lagos'`,
  ])
    await owner.sql.unsafe(`alter database ${name} set ${preference}`);
  await owner.close();
  const ctx = own.openContext();
  const pool = openPool(ctx.databaseUrl, ctx.config.CONFAM_QUEUE_PREFIX, 1);
  // Dropping the database may end its session before the session has ended itself.
  pool.on('error', () => {});
  try {
    const [read] = await ctx.sql`
      select current_setting('transaction_isolation') as isolation, '\\x00ff'::bytea as bytes,
        (timestamptz '2026-11-29 10:00:00Z')::text as text, (interval '1 day 2 hours')::text as span`;
    expect(read).toEqual({
      isolation: 'read committed',
      bytes: Buffer.from([0, 255]),
      text: '2026-11-29 10:00:00+00',
      span: '1 day 02:00:00',
    });
    expect((await pool.query('show transaction_isolation')).rows).toEqual([{ transaction_isolation: 'read committed' }]);
  } finally {
    await pool.end();
    await ctx.close();
    await own.drop();
  }
});
