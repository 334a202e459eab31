/** Releases side by side: what a process does with work, and with a database, of a newer release. */
import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { RELEASE, STORED_AS } from '../../src/jobs/release.ts';
import { createDatabase, useDatabase, waitFor } from '../setup/database.ts';
import {
  type Client,
  type Confam,
  client,
  expectExactBooks,
  killConfams,
  makeApp,
  ninRows,
  runConfam,
  startConfam,
  untilReady,
} from '../setup/process.ts';

afterAll(() => killConfams());

describe('a worker beside a newer API', () => {
  const database = useDatabase();
  let sql: postgres.Sql;
  let api: Client;
  let worker: Confam;
  let processes: Confam[];
  beforeAll(async () => {
    sql = postgres(database.url, { max: 1, onnotice: () => {} });
    const port = await freePort();
    const environment = { ...database.environment, PORT: String(port), CONFAM_LOG_LEVEL: 'info' };
    const { appId, testKey } = await makeApp(database);
    worker = startConfam(['worker', '--families', 'nin'], environment);
    processes = [startConfam(['api'], environment), worker, startConfam(['dispatcher'], environment)];
    await untilReady(processes[0]!, port);
    await waitFor('all to have started', () => processes.every((one) => one.stdout().includes('"started"')), 40_000);
    api = client(`http://127.0.0.1:${port}`, testKey, appId);
  });
  afterAll(async () => {
    await killConfams();
    await sql?.end();
  });

  test('each process announces its release, what it can read and what it works for', async () => {
    const rows = await sql`select name, release, reads, families from processes order by name`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { name: 'api', release: RELEASE, reads: STORED_AS, families: [] },
      { name: 'dispatcher', release: RELEASE, reads: STORED_AS, families: [] },
      { name: 'worker', release: RELEASE, reads: STORED_AS, families: ['nin'] },
    ]);
  });

  test('leaves rows it cannot read, fails none of them, and a worker that can read them takes them', async () => {
    const rows = ninRows(500);
    const id = await api.upload(rows.csv, 'checks=nin_basic&map.reference=ref&start=manual');
    // As a newer API stores them; no worker here can read that.
    await sql`update batches set stored_as = ${STORED_AS + 1}`;
    await post(`/api/v1/batches/${id}/start`);
    const other = await api.upload(ninRows(50, 44_000_000_000).csv, 'checks=nin_basic&map.reference=ref');
    await api.until(other, 'to complete', ({ status }) => status === 'completed');
    expect((await api.batch(id)).counts).toMatchObject({ queued: 500, leased: 0, completed: 0, failed: 0 });
    // A worker that can is there; this one still gets its chunks.
    const newer = randomUUID();
    await sql`insert into processes (id, name, release, reads, families, seen_at) values (${newer}, 'worker', '9.0.0', ${STORED_AS + 1}, '{nin}', now() + interval '1 hour')`;
    await waitFor('a chunk to be left', () => worker.stdout().includes('chunk left to a newer release'));
    expect(worker.stdout()).not.toContain('chunk failed');
    expect((await api.batch(id)).counts).toMatchObject({ completed: 0, failed: 0 });
    expect([...(await sql`select distinct failures from jobs`)].map(({ failures }) => failures)).toEqual([0]);
    // Read by now.
    await sql`delete from processes where id = ${newer}`;
    await sql`update batches set stored_as = ${STORED_AS}`;
    const ended = await api.until(id, 'to complete', ({ status }) => status === 'completed');
    expect(ended.counts).toMatchObject({ completed: 500, found: rows.found, failed: 0 });
    await expectExactBooks(database.url);
  });

  test('a job of an unknown check waits, at the dispatcher and at the worker, and delays no other job', async () => {
    const submit = async (): Promise<string> => {
      const answer = await post('/api/v1/jobs', { check: 'nin_basic', input: { nin: '70123456789' } });
      return ((await answer.json()) as { entity: { id: string } }).entity.id;
    };
    const ended = (id: string) => waitFor('its end', async () => (await api.get(`/api/v1/jobs/${id}`)).body.entity.status === 'completed');
    await ended(await submit());
    // As a newer API submits it, and a newer dispatcher leases it.
    const [waiting, leased, chunk] = [randomUUID(), randomUUID(), randomUUID()];
    await sql.begin(async (tx) => {
      for (const [id, status] of [
        [waiting, 'queued'],
        [leased, 'leased'],
      ] as const)
        await tx`
          insert into jobs (id, app_id, live, check_id, family, price_kobo, cached_price_kobo, subject, input, status)
          select ${id}, app_id, live, 'nin_quantum', family, price_kobo, cached_price_kobo, subject, input, ${status}
          from jobs where batch_id is null and check_id = 'nin_basic' limit 1`;
      await tx`insert into waiting_jobs (job_id, app_id, family, check_id) select id, app_id, family, check_id from jobs where id = ${waiting}`;
      await tx`
        insert into chunks (id, app_id, live, single, family, check_id, job_ids, leased_until)
        select ${chunk}, app_id, live, true, family, check_id, array[id], now() + interval '1 hour' from jobs where id = ${leased}`;
    });
    // The dispatcher queues again what is leased and not in the queue.
    await waitFor('the worker to leave it', () => worker.stdout().includes('does not know the check nin_quantum'));
    await ended(await submit());
    const left = await sql`select status, failures, error_code from jobs where check_id = 'nin_quantum'`;
    for (const job of left) {
      expect(['queued', 'leased']).toContain(job.status);
      expect(job).toMatchObject({ failures: 0, error_code: null });
    }
    expect(processes[2]!.stdout()).not.toContain('"msg":"dispatcher"');
  });

  test('signs off when it ends', async () => {
    for (const one of processes) one.signal('SIGTERM');
    for (const one of processes) expect((await one.ended(30_000)).code).toBe(0);
    expect([...(await sql`select 1 from processes`)]).toEqual([]);
  });

  async function post(path: string, body?: unknown): Promise<Response> {
    const answer = await api.post(path, body);
    expect(answer.ok, path).toBe(true);
    return answer;
  }
});

describe('a database of another release', () => {
  const COMMANDS = [['api'], ['worker'], ['dispatcher'], ['migrate'], ['start'], ['apps', 'create', 'Somebody']];

  async function refusals(change: (sql: postgres.Sql) => Promise<unknown>, commands = COMMANDS): Promise<string[]> {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1, onnotice: () => {} });
    try {
      await change(sql);
      const environment = { ...database.environment, PORT: String(await freePort()), CONFAM_DATA_DIR: '/tmp/confam-nowhere' };
      const told: string[] = [];
      for (const command of commands) {
        const { code, stderr } = await runConfam(command, environment);
        expect(code, `${command}: ${stderr}`).toBe(1);
        expect(stderr, `${command}`).not.toMatch(/\n\s+at /);
        told.push(stderr.trim());
      }
      return told;
    } finally {
      await sql.end();
      await database.drop();
    }
  }

  test('that is newer is refused by every command with one sentence', { timeout: 120_000 }, async () => {
    const told = await refusals(
      (sql) => sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.UTC(2030, 0, 2)})`,
    );
    for (const sentence of told) {
      expect(sentence).toMatch(
        /^The database is from a newer release of Confam: it has a migration of 2030-01-02, and the last one that this program knows is \d{4}_\w+ of /,
      );
    }
  });

  test('with an unknown migration, or without one in the middle, is refused as well', { timeout: 120_000 }, async () => {
    const [foreign] = await refusals(
      (sql) =>
        sql`update drizzle.__drizzle_migrations set created_at = created_at - 1 where id = (select max(id) - 1 from drizzle.__drizzle_migrations)`,
      [['migrate']],
    );
    expect(foreign).toMatch(
      /^The database and this program do not belong together: it has a migration of .* that this program does not know\./,
    );
    const [lacking] = await refusals(
      (sql) => sql`delete from drizzle.__drizzle_migrations where id = (select max(id) - 1 from drizzle.__drizzle_migrations)`,
      [['migrate']],
    );
    expect(lacking).toMatch(/^The database and this program do not belong together: it lacks \d{4}_\w+, and has a later one\./);
  });

  test('that is older is refused by processes that do not migrate it', { timeout: 120_000 }, async () => {
    const told = await refusals(
      (sql) => sql`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`,
      [['api'], ['worker'], ['dispatcher']],
    );
    for (const sentence of told)
      expect(sentence).toMatch(/^The database is from an older release: it lacks the migration \d{4}_\w+\. Run `confam migrate` first\.$/);
  });
});
