/**
 * `kill -9` in the middle of an erasure, its repetition after a restore, an export, the change of a hold, a withdrawal, a deletion that was asked for, and
 * retention: the next process ends each of them exactly, and nothing is half done.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { openKeys } from '../../src/foundation/context.ts';
import { freePort } from '../../src/foundation/free-port.ts';
import { newId, parseId } from '../../src/foundation/ids.ts';
import { checkBackup, restoreBackup } from '../../src/lifecycle/backup/restore.ts';
import { writeBackup } from '../../src/lifecycle/backup/write.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { createDatabase, useDatabase, waitFor } from '../setup/database.ts';
import { type Client, type Confam, client, killConfams, makeApp, runConfam, startConfam, untilReady } from '../setup/process.ts';

const database = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'confam-lifecycle-'));
const journal = join(folder, 'erasures.jsonl');
const children = new Set<ChildProcess>();
let sql: postgres.Sql;
let app: { appId: string; testKey: string };
let confam: Confam;
let api: Client;
let baseUrl: string;

beforeAll(async () => {
  sql = postgres(database.url, { max: 2, onnotice: () => {}, transform: { column: { from: postgres.toCamel } } });
  app = await makeApp(database);
  await start();
}, 120_000);
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});
afterAll(async () => {
  await killConfams();
  await sql?.end();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  const port = await freePort();
  confam = startConfam(['start'], { ...database.environment, CONFAM_ERASURE_JOURNAL: journal, PORT: String(port) });
  await untilReady(confam, port);
  baseUrl = `http://127.0.0.1:${port}`;
  api = client(baseUrl, app.testKey, app.appId);
}

/** What a killed process has sent may still be carried out: until its sessions have noticed. */
const sessionsToEnd = () =>
  waitFor('the sessions to end', async () => {
    const left = await sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'confam'`;
    return left.count === 0;
  });

/** Kills the service with its workers, and starts it again. `between`: what is looked at while nothing runs. */
async function killAndStart(between: () => Promise<unknown>): Promise<void> {
  await confam.kill();
  await sessionsToEnd();
  await between();
  await start();
}

/** Locks a table until `release`. `reached`: whoever has written to or locked rows of `inHand` waits for it, in the middle of a transaction. */
async function block(table: string, mode: 'exclusive' | 'access exclusive', inHand: string, at: postgres.Sql = sql) {
  const holder = await at.reserve();
  await holder.unsafe(`begin; lock table ${table} in ${mode} mode`);
  return {
    reached: () =>
      waitFor('the transaction to wait', async () => {
        const waiting = await at`
          select 1 from pg_locks w join pg_locks h on h.pid = w.pid and h.granted and h.relation = ${inHand}::regclass and h.mode like 'Row%'
          where not w.granted and w.relation = ${table}::regclass`;
        return waiting.length > 0;
      }),
    async release() {
      await holder`rollback`;
      holder.release();
    },
  };
}

const nin = (index: number) => String(41_000_000_000 + index * 7);
/** A file of numbers; what has a comma is a row with its note. */
const csvOf = (lines: readonly string[]) => `nin,note\n${lines.map((line) => (line.includes(',') ? line : `${line},-`)).join('\n')}\n`;
const others = (from: number, count: number) => Array.from({ length: count }, (_, at) => nin(from + at));
const ended = ({ status }: { status: string }) => status === 'completed';
const entity = async (path: string) => (await api.get(path)).body.entity;
const rowsOf = async (batch: string) => (await sql`select 1 from jobs where batch_id = ${parseId('bat', batch)}`).count;
/** Numbers of the rows of a batch with a result, each read in clear. */
const results = async (batch: string): Promise<{ row: number; text: string }[]> => {
  const answer = await fetch(`${baseUrl}/api/v1/batches/${batch}/results?format=jsonl`, {
    headers: { Authorization: app.testKey, AppId: app.appId },
  });
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((text) => ({ row: (JSON.parse(text) as { row: number }).row, text }));
};

test('an erasure goes on after a kill: it counts nobody twice, its receipt is right, and everybody else stays', async () => {
  const whom = [nin(1), nin(2)];
  const early = await api.upload(csvOf([whom[0]!, ...others(100, 300), whom[1]!, whom[0]!]), 'checks=nin_basic');
  await api.until(early, 'to complete', ended);
  // Two rows of a batch in work are waited for; one of its others is to be corrected.
  const late = await api.upload(csvOf([...others(500, 200), whom[0]!, whom[1]!, `nobody,${whom[1]}`]), 'checks=nin_basic&start=manual');
  const ids = await Promise.all(
    whom.map(async (value) => {
      const asked = await api.post('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value }] });
      expect(asked.status).toBe(202);
      return ((await asked.json()) as { entity: { id: string } }).entity.id;
    }),
  );
  for (const id of ids) {
    const path = `/api/v1/subjects/erasures/${id}`;
    await waitFor('it to wait', async () => (await entity(path)).status === 'waiting');
  }
  expect(await rowsOf(early)).toBe(300);
  await api.post(`/api/v1/batches/${late}/start`);
  // The last that a step deletes of a batch: by then it has deleted jobs and results, and written blocks of rows anew.
  const blocked = await block('invalid_rows', 'exclusive', 'erasures');
  await api.until(late, 'to complete', ended);
  await blocked.reached();
  await killAndStart(async () => {
    // The step that was in hand is undone as a whole.
    expect(await rowsOf(late)).toBe(202);
    expect((await sql`select 1 from erasures where finished_at is null and receipt is null and asked is not null`).count).toBe(2);
    await blocked.release();
  });
  const done = await Promise.all(
    ids.map((id) =>
      waitFor('the erasure', async () => {
        const erasure = await entity(`/api/v1/subjects/erasures/${id}`);
        return erasure.status === 'done' && erasure;
      }),
    ),
  );
  expect(done.map(({ counts }) => counts)).toEqual([
    { rows: 3, cached_answers: 1 },
    { rows: 2, invalid_rows: 1, cached_answers: 1 },
  ]);
  for (const { receipt, signature, counts } of done) {
    expect(JSON.parse(receipt).erased).toEqual(counts);
    const verdict = await (await api.post('/api/v1/subjects/receipts', { receipt, signature })).json();
    expect(verdict).toMatchObject({ entity: { valid: true } });
    for (const value of whom) expect(receipt).not.toContain(value);
  }
  for (const [batch, left] of [
    [early, others(100, 300)],
    [late, others(500, 200)],
  ] as const) {
    const shown = await results(batch);
    expect(shown).toHaveLength(left.length);
    for (const [at, value] of left.entries()) expect(shown[at]!.text).toContain(value);
  }
  expect((await sql`select 1 from invalid_rows where batch_id = ${parseId('bat', late)}`).count).toBe(0);
}, 120_000);

test('an export goes on after a kill, and has each place once', async () => {
  const value = nin(3);
  const early = await api.upload(csvOf([value, ...others(1_000, 50), value]), 'checks=nin_basic');
  const late = await api.upload(csvOf([...others(1_100, 50), value, `nobody,${value}`]), 'checks=nin_basic');
  for (const id of [early, late]) await api.until(id, 'to complete', ended);
  const blocked = await block('invalid_rows', 'access exclusive', 'subject_exports');
  const asked = await api.post('/api/v1/subjects/export', { identifiers: [{ type: 'nin', value }], reason: 'A letter' });
  const { id } = ((await asked.json()) as { entity: { id: string } }).entity;
  await blocked.reached();
  await killAndStart(async () => {
    const [row] = await sql`select found, finished_at from subject_exports where id = ${parseId('exp', id)}`;
    expect(row).toMatchObject({ found: { rows: { [parseId('bat', early)!]: [1, 52] } }, finishedAt: null });
    await blocked.release();
  });
  const path = `/api/v1/subjects/exports/${id}`;
  const done = await waitFor('the export', async () => {
    const one = await entity(path);
    return one.status === 'done' && one;
  });
  expect(done.counts).toMatchObject({ rows: 3, invalid_rows: 1 });
  const file = (await api.get(`${path}/file`)).body as { rows: { batch: string; row: number }[] };
  expect(file.rows.map(({ batch, row }) => [batch, row])).toEqual([
    [early, 1],
    [early, 52],
    [late, 51],
  ]);
}, 120_000);

const remove = (path: string) =>
  fetch(`${baseUrl}${path}`, { method: 'DELETE', headers: { Authorization: app.testKey, AppId: app.appId } });

test('a hold is placed and lifted with its entry in the audit, or not at all', async () => {
  const value = nin(4);
  const batch = await api.upload(csvOf([value, ...others(1_200, 5)]), 'checks=nin_basic');
  await api.until(batch, 'to complete', ended);
  const audited = async () => {
    const { data } = await entity('/api/v1/audit?limit=100');
    return (data as { action: string }[]).flatMap(({ action }) => (/^subject\.(hold|release)$/.test(action) ? [action] : [])).toReversed();
  };
  const open = async () => (await sql`select 1 from subject_holds where lifted_at is null`).count;
  const place = () => api.post('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value }], reason: 'Suit 17' });
  /** Kills the service while `request` stands between its change and the audit. */
  const killIn = async (request: () => Promise<unknown>, holds: number) => {
    const blocked = await block('audit_entries', 'exclusive', 'subject_holds');
    const cut = request().catch(() => 'cut');
    await blocked.reached();
    await killAndStart(async () => {
      await blocked.release();
      expect(await open()).toBe(holds);
    });
    expect(await cut).toBe('cut');
  };

  await killIn(place, 0);
  expect(await audited()).toEqual([]);
  const placed = await place();
  expect(placed.status).toBe(201);
  const { id } = ((await placed.json()) as { entity: { id: string } }).entity;
  const path = `/api/v1/subjects/holds/${id}`;
  await killIn(() => remove(path), 1);
  expect(await audited()).toEqual(['subject.hold']);
  // It still holds: the batch with a row of theirs is kept.
  expect((await remove(`/api/v1/batches/${batch}`)).status).toBe(409);
  expect((await remove(path)).status).toBe(200);
  expect(await audited()).toEqual(['subject.hold', 'subject.release']);
  expect((await remove(`/api/v1/batches/${batch}`)).status).toBe(202);
}, 120_000);

test('a batch whose deletion was asked for is gone whole after kills in the request and in the sweep', async () => {
  const batch = await api.upload(csvOf([...others(3_000, 200), 'nobody']), 'checks=nin_basic');
  await api.until(batch, 'to complete', ended);
  const path = `/api/v1/batches/${batch}`;
  const id = parseId('bat', batch)!;
  // Between the change and its entry in the audit: neither is there.
  const asking = await block('audit_entries', 'exclusive', 'deletions');
  const cut = remove(path).catch(() => 'cut');
  await asking.reached();
  await killAndStart(async () => {
    await asking.release();
    expect((await sql`select 1 from data_keys where id = ${id}`).count).toBe(1);
    expect((await sql`select 1 from deletions where id = ${id}`).count).toBe(0);
  });
  expect(await cut).toBe('cut');
  // With the row to correct.
  expect(await results(batch)).toHaveLength(201);
  // In a step of the sweep, which has deleted rows and results by then.
  const sweeping = await block('invalid_rows', 'exclusive', 'result_blocks');
  expect((await remove(path)).status).toBe(202);
  await sweeping.reached();
  await killAndStart(async () => {
    await sweeping.release();
    expect(await rowsOf(batch)).toBe(200);
    expect((await sql`select 1 from data_keys where id = ${id}`).count).toBe(0);
  });
  await waitFor('the batch to be gone', async () => (await entity(path)).status === 'deleted');
  expect(await entity(path)).toMatchObject({ counts: { rows: 201 } });
  const [left] = await sql<Record<string, number>[]>`
    select (select count(*) from jobs where batch_id = ${id})::int as jobs, (select count(*) from row_blocks where batch_id = ${id})::int as rows,
      (select count(*) from result_blocks where batch_id = ${id})::int as results, (select count(*) from invalid_rows where batch_id = ${id})::int as invalid,
      (select jobs from deletions where id = ${id} and finished_at is not null) as counted,
      (select count(*) from audit_entries where action = 'batch.delete' and object = ${batch})::int as audited`;
  expect(left).toEqual({ jobs: 0, rows: 0, results: 0, invalid: 0, counted: 200, audited: 1 });
}, 120_000);

test('a withdrawal ends its monitors with its entry in the audit, or not at all', async () => {
  const consent = { reference: 'C-17', purpose: 'onboarding', obtained_at: '2025-01-02T00:00:00Z' };
  const monitors = async () => (await sql`select 1 from aml_monitors where ended_at is null`).count;
  const screened = () => api.post('/api/v1/jobs', { check: 'aml_screening', input: { name: 'Ada Obi', monitor: true }, consent });
  expect((await screened()).status).toBe(202);
  await waitFor('the monitor', async () => (await monitors()) === 1);
  const withdraw = () => api.post('/api/v1/consents/withdrawals', { reference: 'C-17' });
  const audited = async () => (await sql`select 1 from audit_entries where action = 'consent.withdraw'`).count;
  const blocked = await block('audit_entries', 'exclusive', 'consent_withdrawals');
  const cut = withdraw().catch(() => 'cut');
  await blocked.reached();
  await killAndStart(async () => {
    await blocked.release();
    expect((await sql`select 1 from consent_withdrawals`).count).toBe(0);
    expect([await monitors(), await audited()]).toEqual([1, 0]);
  });
  expect(await cut).toBe('cut');
  expect((await withdraw()).status).toBe(200);
  expect([await monitors(), await audited()]).toEqual([0, 1]);
  const refused = await screened();
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([422, 'consent_withdrawn']);
}, 120_000);

test('erasures that are repeated after a restore go on after a kill, and erase what they erased', async () => {
  const value = nin(5);
  const batch = await api.upload(csvOf([value, ...others(4_000, 100), value, `nobody,${value}`]), 'checks=nin_basic');
  await api.until(batch, 'to complete', ended);
  const ctx = database.openContext();
  const keys = openKeys(ctx.config);
  await ctx.close();
  const target = await createDatabase();
  const there = postgres(target.url, { max: 2, onnotice: () => {} });
  try {
    const file = join(folder, 'backup.tar.gz');
    await writeBackup(database.url, keys, file);
    const asked = await api.post('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value }] });
    const { id } = ((await asked.json()) as { entity: { id: string } }).entity;
    const done = await waitFor('the erasure', async () => {
      const one = await entity(`/api/v1/subjects/erasures/${id}`);
      return one.status === 'done' && one;
    });
    expect(done.counts).toMatchObject({ rows: 2, invalid_rows: 1 });
    await restoreBackup({ config: target.config(), ownerUrl: target.url, login: target.url }, await checkBackup(file, keys));
    const left = async () => {
      const [row] = await there`
        select (select count(*) from jobs where batch_id = ${parseId('bat', batch)})::int as rows,
          (select count(*) from invalid_rows where batch_id = ${parseId('bat', batch)})::int as invalid`;
      return [row!.rows, row!.invalid];
    };
    expect(await left()).toEqual([102, 1]);
    const environment = { ...database.environment, DATABASE_URL: target.url };
    const blocked = await block('invalid_rows', 'exclusive', 'erasures', there);
    const repeating = startConfam(['erasures', 'repeat', journal], environment);
    await blocked.reached();
    await repeating.kill();
    await blocked.release();
    expect(await left()).toEqual([102, 1]);
    const again = await runConfam(['erasures', 'repeat', journal], environment);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(await left()).toEqual([100, 0]);
    const [repeated] = await there`select counts, receipt, marks from erasures where id = ${parseId('ers', id)}`;
    expect(repeated).toMatchObject({ counts: { rows: 2, invalid_rows: 1 }, marks: null });
    expect(JSON.parse(repeated!.receipt)).toMatchObject({ erasure: id, repeated_after_restore: true });
  } finally {
    await there.end();
    await target.drop();
  }
}, 120_000);

/** The sweeps of retention in a process of their own, over and over, as if so many days had passed. */
function startRetention(days: number): ChildProcess {
  const module = (path: string) => JSON.stringify(pathToFileURL(join(inject('compiled'), 'src', path)).href);
  const program = `
    const [{ readConfig }, { openContext }, { sweepRetention }, { purgeDeleted }] = await Promise.all(
      [${['foundation/config.js', 'foundation/context.js', 'lifecycle/retention.js', 'lifecycle/purge.js'].map(module)}].map((url) => import(url)));
    const config = readConfig(process.env);
    const ctx = openContext(config, config.DATABASE_URL, { process: 'dispatcher' });
    const never = new AbortController().signal;
    await sweepRetention(ctx, never, ${days});
    await purgeDeleted(ctx, never);
    await ctx.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env.PATH, ...database.environment },
    stdio: 'inherit',
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

test('retention goes on after kills: what is due goes once, what is held stays, and the books are exact', async () => {
  const ROWS = 12_000;
  const CALLS = 6_000;
  const due = await api.upload(csvOf([...others(2_000, ROWS), 'nobody']), 'checks=nin_basic');
  const kept = await api.upload(csvOf(others(20_000, 20)), 'checks=nin_basic');
  for (const id of [due, kept]) await api.until(id, 'to complete', ended);
  const hold = await fetch(`${baseUrl}/api/v1/batches/${kept}/legal-hold`, {
    method: 'PUT',
    headers: { Authorization: app.testKey, AppId: app.appId },
  });
  expect(hold.status).toBe(200);
  // An app of its own for records of calls. Nobody pays for these.
  const ctx = database.openContext();
  const { id: caller } = await createApp(ctx, 'Calls');
  await ctx.close();
  const calls = Array.from({ length: CALLS }, () => newId());
  await sql`
    insert into jobs (id, app_id, live, check_id, family, status, outcome, price_kobo, cached_price_kobo, completed_at, subject)
    select id, ${caller}, false, 'nin_basic', 'nin', 'completed', 'not_found', 0, 0, now(), sha256(id::text::bytea)
    from unnest(${calls}::uuid[]) id`;
  const callsLeft = async () => (await sql`select 1 from jobs where app_id = ${caller}`).count;
  await confam.kill();
  await sessionsToEnd();
  /** What was earned, and how far ledger and wallets disagree. */
  const books = async () => {
    const one = database.openContext();
    const [revenue] = await one.sql`select sum(amount_kobo)::bigint as kobo from ledger_entries where to_account = 'revenue'`;
    const drift = await ledgerDrift(one);
    await one.close();
    return [revenue!.kobo, drift];
  };
  const exact = await books();
  expect(exact).toEqual([expect.any(Number), 0]);

  const dueId = parseId('bat', due)!;
  const deletion = async () =>
    (await sql<{ jobs: number; finishedAt: string | null }[]>`select jobs, finished_at from deletions where id = ${dueId}`)[0];
  const killWhen = async (what: string, reached: () => Promise<boolean>) => {
    const child = startRetention(400);
    await waitFor(what, reached);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await sessionsToEnd();
  };
  await killWhen('some calls to be gone', async () => (await callsLeft()) < CALLS);
  const left = await callsLeft();
  expect(left, 'killed in the middle').toBeGreaterThan(0);
  await killWhen('rows of the batch to be gone', async () => ((await deletion())?.jobs ?? 0) > 0);
  const half = (await deletion())!;
  expect(half.finishedAt).toBeNull();
  // What it says it has deleted is deleted, and nothing else.
  expect([half.jobs < ROWS, await rowsOf(due)]).toEqual([true, ROWS - half.jobs]);

  const [code] = await once(startRetention(400), 'exit');
  expect(code).toBe(0);
  expect(await callsLeft()).toBe(0);
  expect(await deletion()).toMatchObject({ jobs: ROWS, finishedAt: expect.any(Date) });
  const [gone] = await sql<Record<string, number>[]>`
    select (select count(*) from jobs where batch_id = ${dueId})::int as jobs, (select count(*) from row_blocks where batch_id = ${dueId})::int as rows,
      (select count(*) from result_blocks where batch_id = ${dueId})::int as results, (select count(*) from invalid_rows where batch_id = ${dueId})::int as invalid,
      (select count(*) from row_marks where batch_id = ${dueId})::int as marks, (select count(*) from data_keys where id = ${dueId})::int as keys,
      (select count(*) from audit_entries where action = 'batch.delete' and object = ${due})::int as audited,
      (select count(*) from batches where id = ${dueId} and status = 'deleted' and stored_bytes = 0)::int as deleted`;
  expect(gone).toEqual({ jobs: 0, rows: 0, results: 0, invalid: 0, marks: 0, keys: 0, audited: 1, deleted: 1 });
  expect(await rowsOf(kept)).toBe(20);
  expect(await books()).toEqual(exact);
  await start();
  expect(await results(kept)).toHaveLength(20);
  expect((await api.get(`/api/v1/batches/${due}`)).body.entity).toMatchObject({ status: 'deleted', counts: { rows: ROWS + 1 } });
}, 180_000);
