/**
 * A deployment of separate processes over one database, on each queue backend: an API, two workers, two dispatchers. Whatever is killed or
 * emptied in the middle of a batch, the batch completes and nothing is charged twice.
 */
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { backends, useDatabase, waitFor } from '../setup/database.ts';
import {
  type Client,
  type Confam,
  client,
  expectExactBooks,
  killConfams,
  loadFactor,
  makeApp,
  ninRows,
  openReceiver,
  type Receiver,
  runConfam,
  type ShownBatch,
  startConfam,
  untilReady,
} from '../setup/process.ts';

const ROWS = 6_000;
const STOP_MS = 15_000;
/** Slow enough that a batch has a middle, short enough that losses are noticed soon. */
const SETTINGS = {
  CONFAM_SANDBOX_LATENCY_MS: '20',
  CONFAM_LEASE_MS: '5000',
  CONFAM_WEBHOOK_TIMEOUT_MS: '1000',
  CONFAM_LOG_LEVEL: 'info',
};

describe.each(backends())('a deployment with its queue on %s', (backend) => {
  const database = useDatabase(backend);
  let sql: postgres.Sql;
  let receiver: Receiver;
  let api: Client;
  let apiProcess: Confam;
  let workers: Confam[];
  let dispatchers: Confam[];
  let environment: Record<string, string>;
  let rowsSoFar = 0;

  beforeAll(async () => {
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    const port = await freePort();
    environment = { ...database.environment, ...SETTINGS, PORT: String(port) };
    const app = await makeApp(database);
    receiver = await openReceiver(app.webhookSecret, 1);
    apiProcess = startConfam(['api'], environment);
    workers = [worker(), worker()];
    dispatchers = [dispatcher(), dispatcher()];
    await untilReady(apiProcess, port);
    await waitFor('workers and dispatchers', () => [...workers, ...dispatchers].every((one) => one.stdout().includes('"started"')), 40_000);
    api = client(`http://127.0.0.1:${port}`, app.testKey, app.appId);
  });

  afterAll(async () => {
    await killConfams();
    await receiver?.close();
    await sql?.end();
  });

  const worker = () => startConfam(['worker', '--families', 'nin,bvn'], environment);
  const dispatcher = () => startConfam(['dispatcher'], environment);
  const leads = (one: Confam) => one.isRunning() && one.stdout().includes('this dispatcher leads');

  /** Uploads a batch, does `what` while some jobs are leased and many are left, and expects it to complete exactly and to send its webhook. */
  async function survive(what: (batch: ShownBatch) => Promise<void>, isExactBill = true): Promise<void> {
    const rows = ninRows(ROWS, 40_000_000_000 + rowsSoFar * 7);
    rowsSoFar += ROWS;
    const id = await api.upload(rows.csv, `checks=nin_advance&map.reference=ref&callback_url=${encodeURIComponent(receiver.url)}`);
    const middle = await api.until(id, 'to get on', ({ counts }) => counts.completed > 500 && counts.leased > 0);
    expect(middle.counts.completed, 'in the middle').toBeLessThan(ROWS);
    const began = performance.now();
    await what(middle);
    const ended = await api.until(id, 'to complete', ({ status }) => status === 'completed', 40_000);
    console.log(`${backend}: at ${middle.counts.completed} of ${ROWS}, completed ${Math.round(performance.now() - began)} ms later`);
    expect(ended.counts).toMatchObject({
      rows: ROWS,
      completed: ROWS,
      found: rows.found,
      not_found: rows.notFound,
      failed: 0,
      canceled: 0,
    });
    if (isExactBill) expect(ended.billed_amount).toBe(rows.found * 125);
    else expect(ended.billed_amount).toBeLessThanOrEqual(rows.found * 125);
    expect(await expectExactBooks(database.url)).toMatchObject({ jobs: rowsSoFar });
    const told = () => receiver.received.filter(({ data }) => data.id === id);
    await waitFor('the webhook', () => told().length > 0);
    expect(told()[0]).toMatchObject({ type: 'batch.completed', data: { status: 'completed', counts: { completed: ROWS } } });
    expect(new Set(told().map((message) => message.id)).size, 'webhook-id').toBe(1);
    expect(receiver.refused).toEqual([]);
  }

  test('a killed worker: its jobs are leased to the other one', async () => {
    await survive(async () => {
      await workers[0]!.kill();
    });
    workers[0] = worker();
  }, 60_000);

  test('a killed leader: the other dispatcher takes over', async () => {
    await survive(async () => {
      const leader = dispatchers.find(leads)!;
      const other = dispatchers.find((one) => one !== leader)!;
      expect(leads(other), 'one leads').toBe(false);
      await leader.kill();
      await waitFor('the other to lead', () => leads(other), 10_000);
    });
    dispatchers = [...dispatchers.filter((one) => one.isRunning()), dispatcher()];
  }, 60_000);

  test('an emptied queue: it is refilled', async () => {
    await survive(async () => {
      if (backend === 'redis') {
        const redis = new Redis(inject('redisUrl')!);
        await redis.flushall();
        await redis.quit();
      } else {
        await sql.unsafe(`truncate ${environment.CONFAM_QUEUE_PREFIX ?? 'confam'}.job cascade`);
      }
    });
  }, 60_000);

  test('every connection to the database cut: all processes continue', async () => {
    await survive(async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      // A worker that outlived its lease has looked up what the next attempt then finds in progress or cached, at that price.
    }, false);
    const ended = [apiProcess, ...workers, ...dispatchers].filter((one) => !one.isRunning());
    // The next test needs all of them, whatever this one finds.
    workers = workers.map((one) => (one.isRunning() ? one : worker()));
    dispatchers = dispatchers.map((one) => (one.isRunning() ? one : dispatcher()));
    expect(
      ended.map((one) => one.stderr().slice(-1_000)),
      'processes that ended',
    ).toEqual([]);
  }, 60_000);

  test('SIGTERM ends every process in time with code 0, even in the middle of a batch, and loses nothing', async () => {
    const all = [apiProcess, ...workers, ...dispatchers];
    const rows = ninRows(ROWS, 40_000_000_000 + rowsSoFar * 7);
    rowsSoFar += ROWS;
    const id = await api.upload(rows.csv, 'checks=nin_advance');
    await api.until(id, 'to get on', ({ counts }) => counts.completed > 500 && counts.leased > 0);
    for (const one of all) one.signal('SIGTERM');
    const ends = await Promise.all(all.map((one) => one.ended(STOP_MS * loadFactor())));
    console.log(`${backend}: ended after ${ends.map(({ ms }) => ms).join(', ')} ms`);
    expect(ends.map(({ code }) => code)).toEqual(all.map(() => 0));
    const [left] =
      await sql`select count(*)::int as open from chunks where finished_at is null and leased_until > now() + interval '5 seconds'`;
    expect(left!.open).toBe(0);

    worker();
    dispatcher();
    await waitFor(
      'the batch to complete',
      async () =>
        (
          await sql`select 1 from batches where status = 'completed' and jobs = completed and found = ${rows.found} order by id desc limit 1`
        ).length > 0 && (await sql`select 1 from batches where status <> 'completed'`).length === 0,
      40_000,
    );
    await expectExactBooks(database.url);
  }, 90_000);
});

test.each(['', 'nin,', ' '])('a worker for the families "%s" is refused, with what the flag takes', async (families) => {
  const { code, stderr } = await runConfam(['worker', '--families', families], { DATABASE_URL: 'postgres://127.0.0.1:1/confam' });
  expect(code).toBe(2);
  expect(stderr).toBe(
    '--families: a name is missing; the families are nin, bvn, cac, tin, credit, document, face, aml, email, and without the flag all are worked for\n',
  );
});
