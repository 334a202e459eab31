/**
 * `confam restore` is killed with `kill -9` at several points. Nothing else may use the half-restored folder, a second restore must finish the job, and nobody erased
 * since the backup may reappear. For an external database, test/process/lifecycle.test.ts does the same to `confam erasures repeat`.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { waitFor } from '../setup/database.ts';
import {
  type Client,
  type Confam,
  client,
  embeddedServer,
  killConfams,
  makeDataDir,
  ninRows,
  readSandbox,
  runConfam,
  startConfam,
  startEmbedded,
  untilReady,
} from '../setup/process.ts';

const source = makeDataDir('source');
const file = join(source.path, 'backup.tar.gz');
const folders = [source];
/** Of the demo app, and of another one. */
const batches: string[] = [];
const ERASED = ['70999999999', '70888888888'];
let other: { appId: string; key: string };

beforeAll(async () => {
  const { confam, api, port } = await startEmbedded(source.path);
  const { admin_key } = readSandbox(source.path);
  const ask = async <Made>(path: string, body: object): Promise<Made> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/admin/apps${path}`, {
      method: 'POST',
      headers: { Authorization: admin_key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { entity: Made }).entity;
  };
  const { id: appId } = await ask<{ id: string }>('', { name: 'Other' });
  await ask(`/${appId}/topups`, { amount: 1_000_000, mode: 'test', note: 'play money' });
  other = { appId, key: (await ask<{ key: string }>(`/${appId}/keys`, { mode: 'test' })).key };
  const apps = [api, client(`http://127.0.0.1:${port}`, other.key, other.appId)];
  for (const [at, app] of apps.entries()) {
    const { csv } = ninRows(300, 40_000_000_000 + at * 1_000_000);
    const id = await app.upload(`${csv}erased,${ERASED[at]}\n${ERASED[at]},not a number\n`, 'checks=nin_advance');
    await app.until(id, 'to complete', ({ status }) => status === 'completed');
    batches.push(id);
  }
  const backup = await runConfam(['backup', file], { CONFAM_DATA_DIR: source.path });
  expect(backup, backup.stderr).toMatchObject({ code: 0 });
  for (const [at, app] of apps.entries()) {
    const asked = await app.post('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: ERASED[at] }] });
    const { id } = ((await asked.json()) as { entity: { id: string } }).entity;
    await waitFor('the erasure', async () => (await app.get(`/api/v1/subjects/erasures/${id}`)).body.entity.status === 'done');
  }
  confam.interrupt();
  await confam.ended();
}, 180_000);
afterAll(async () => {
  await killConfams();
  for (const folder of folders) folder.remove();
});

const restore = (dataDir: string): Confam => startConfam(['restore', file], { CONFAM_DATA_DIR: dataDir });

/** As the owner of the database, once it can be reached. */
const connect = (dataDir: string): Promise<postgres.Sql> =>
  waitFor('the database', async () => {
    const path = join(dataDir, 'postgres', 'postmaster.pid');
    if (!existsSync(path) || !readFileSync(path, 'utf8').includes('ready')) return false;
    const sql = postgres(embeddedServer(dataDir).url, { max: 3, onnotice: () => {} });
    return sql`select 1`.then(
      () => sql,
      () => sql.end().then(() => false as const),
    );
  });

const isThere = async (sql: postgres.Sql, table: string): Promise<boolean> =>
  (await sql`select to_regclass(${table}) is not null as found`)[0]!.found;

const waitsForLock = (sql: postgres.Sql, what: string): Promise<unknown> =>
  waitFor(
    what,
    async () => (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and pid <> pg_backend_pid()`).count > 0,
  );

/** The lock on which processes wait for each other's migrations. */
const MIGRATION_LOCK = 7_266_201;
const TEST_LOCK = 1;

/** Each brings a restore to a point, where it waits to be killed; then it lets go. */
const points: Record<string, (dataDir: string) => Promise<() => Promise<void>>> = {
  'while Postgres is set up': async (dataDir) => {
    await waitFor('the folder of Postgres', () => existsSync(join(dataDir, 'postgres')));
    return async () => {};
  },
  'while the base is loaded': async (dataDir) => {
    const sql = await connect(dataDir);
    await waitFor('the tables', () => isThere(sql, 'ledger_entries_id_seq'));
    const holder = await sql.reserve();
    // It sets the sequences last.
    await holder.unsafe('begin; alter sequence ledger_entries_id_seq cache 1');
    await waitsForLock(sql, 'the load to wait');
    return async () => {
      await holder`rollback`;
      holder.release();
      expect((await sql`select 1 from jobs`).count).toBe(0);
      await sql.end();
    };
  },
  'after the base, before erasures are repeated': async (dataDir) => {
    const sql = await connect(dataDir);
    const holder = await sql.reserve();
    await holder`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await waitFor('the base', async () => (await isThere(sql, 'jobs')) && (await sql`select 1 from jobs`).count > 600);
    await waitsForLock(sql, 'the next migrations to wait');
    return async () => {
      holder.release();
      await sql.end();
    };
  },
  'while erasures are repeated, one of two done': async (dataDir) => {
    const sql = await connect(dataDir);
    const holder = await sql.reserve();
    await holder`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await waitFor('the base', async () => (await isThere(sql, 'jobs')) && (await sql`select 1 from jobs`).count > 600);
    await sql.unsafe(`
      create function stall() returns trigger language plpgsql as $$ begin
        if (select count(*) from erasures where finished_at is not null) > 0 then perform pg_advisory_xact_lock(${TEST_LOCK}); end if;
        return new;
      end $$;
      create trigger stall before update on erasures for each row execute function stall()`);
    await holder`select pg_advisory_lock(${TEST_LOCK}), pg_advisory_unlock(${MIGRATION_LOCK})`;
    await waitFor('the second erasure to wait', async () => {
      const waiting = await sql`select 1 from pg_locks where locktype = 'advisory' and objid = ${TEST_LOCK} and not granted`;
      return waiting.count > 0;
    });
    expect([...(await sql`select finished_at is not null as done from erasures order by id`)]).toEqual([{ done: true }, { done: false }]);
    return async () => {
      await sql.unsafe('drop trigger stall on erasures; drop function stall()');
      holder.release();
      await sql.end();
    };
  },
};

/** Rows of the batch that are there, and rows that are to be corrected. */
async function rowsOf(app: Client, batch: string): Promise<{ rows: number; toCorrect: number }> {
  const lines = (await app.text(`/api/v1/batches/${batch}/results?format=jsonl`)).trimEnd().split('\n');
  const toCorrect = await app.text(`/api/v1/batches/${batch}/errors`);
  for (const number of ERASED) expect((lines.join('\n') + toCorrect).includes(number), number).toBe(false);
  return { rows: lines.length, toCorrect: toCorrect.trimEnd().split('\n').length - 1 };
}

test.each(Object.entries(points))(
  'killed %s',
  async (_, bring) => {
    const folder = makeDataDir('target');
    folders.push(folder);
    const settings = { CONFAM_DATA_DIR: folder.path };
    mkdirSync(folder.path);
    for (const name of ['keys.json', 'sandbox.json', 'erasures.jsonl']) copyFileSync(join(source.path, name), join(folder.path, name));
    const first = restore(folder.path);
    const letGo = await bring(folder.path);
    expect(first.isRunning(), first.stderr()).toBe(true);
    await first.kill();
    await letGo();

    // Neither the service nor a command works on half of it.
    for (const command of [['start'], ['audit', 'verify'], ['backup', join(folder.path, 'half.tar.gz')]]) {
      const refused = await runConfam(command, { ...settings, PORT: '0' });
      expect(refused, command.join(' ')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Run \`confam restore ${file}\` again`),
      });
    }
    const second = await runConfam(['restore', file], settings);
    expect(second, second.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored [\d,]+ rows of \d+ tables/) });
    for (const command of [
      ['audit', 'verify'],
      ['wallet', 'verify'],
    ]) {
      const verified = await runConfam(command, settings);
      expect(verified, command.join(' ')).toMatchObject({ code: 0 });
    }

    const { confam, api, port } = await startEmbedded(folder.path);
    const apps = [api, client(`http://127.0.0.1:${port}`, other.key, other.appId)];
    for (const [at, app] of apps.entries()) expect(await rowsOf(app, batches[at]!)).toEqual({ rows: 300, toCorrect: 0 });
    const sql = await connect(folder.path);
    expect((await sql`select 1 from jobs`).count).toBe(600);
    expect((await sql`select 1 from erasures where finished_at is null`).count).toBe(0);
    await sql.end();
    confam.interrupt();
    await confam.ended();
    const used = await runConfam(['restore', file], settings);
    expect(used).toMatchObject({ code: 1, stderr: expect.stringContaining('holds apps already') });
  },
  240_000,
);

describe('into a database of the operator’s', () => {
  const name = `moved_${process.pid}`;
  const admin = postgres(inject('adminUrl'), { max: 1, onnotice: () => {} });
  const at = (user?: string) => {
    const url = new URL(inject('adminUrl'));
    url.pathname = `/${name}`;
    if (user) [url.username, url.password] = [user, 'of-a-test'];
    return url.toString();
  };
  const keysOf = (dataDir: string): Record<string, string> => {
    const { keys, indexKey } = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')) as { keys: string; indexKey: string };
    return { CONFAM_KEYS: keys, CONFAM_INDEX_KEY: indexKey };
  };
  const settings = () => ({ DATABASE_URL: at(`${name}_app`), DATABASE_OWNER_URL: at(), ...keysOf(source.path) });
  const journal = join(source.path, 'erasures.jsonl');

  beforeAll(async () => {
    await admin.unsafe(`create role ${name}_owner login createrole bypassrls password 'of-a-test'`);
    await admin.unsafe(`create database ${name} owner ${name}_owner`);
  });
  afterAll(async () => {
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.unsafe(`drop role if exists ${name}_app`);
    await admin.unsafe(`drop role ${name}_owner`);
    await admin.end();
  });

  test('not by an ordinary owner, and not with a journal that is not there: the database stays empty', async () => {
    const ordinary = await runConfam(['restore', file], { ...settings(), DATABASE_OWNER_URL: at(`${name}_owner`) });
    expect(ordinary).toMatchObject({ code: 1, stderr: expect.stringContaining('name a superuser of the database in DATABASE_OWNER_URL') });
    const unnamed = await runConfam(['restore', file, '--journal', '/nowhere/erasures.jsonl'], settings());
    expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere/erasures.jsonl cannot be read') });
    const sql = postgres(at(), { max: 1 });
    expect(await isThere(sql, 'jobs')).toBe(false);
    await sql.end();
  });

  test('with everything that was there but who was erased since, in tables of their ordinary owner', async () => {
    const owned = { ...settings(), DATABASE_OWNER_URL: at(`${name}_owner`) };
    const migrated = await runConfam(['migrate'], owned);
    expect(migrated).toMatchObject({ code: 0 });
    const restored = await runConfam(['restore', file, '--journal', journal], settings());
    expect(restored, restored.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored [\d,]+ rows of \d+ tables[\s\S]*\nRepeated 2 erasures/),
      stderr: '',
    });
    for (const command of [
      ['audit', 'verify'],
      ['wallet', 'verify'],
    ]) {
      const verified = await runConfam(command, settings());
      expect(verified, command.join(' ')).toMatchObject({ code: 0 });
    }
    const port = await freePort();
    const confam = startConfam(['start'], { ...owned, CONFAM_ERASURE_JOURNAL: journal, PORT: String(port) });
    await untilReady(confam, port, 60_000);
    const { test_key, app_id } = readSandbox(source.path);
    const apps = [client(`http://127.0.0.1:${port}`, test_key, app_id), client(`http://127.0.0.1:${port}`, other.key, other.appId)];
    for (const [index, app] of apps.entries()) expect(await rowsOf(app, batches[index]!)).toEqual({ rows: 300, toCorrect: 0 });
    const id = await apps[0]!.upload(ninRows(50, 60_000_000_000).csv, 'checks=nin_advance');
    await apps[0]!.until(id, 'to complete', ({ status }) => status === 'completed');
    confam.interrupt();
    await confam.ended();

    const again = await runConfam(['restore', file, '--journal', journal], settings());
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('The database holds apps already: restore into an empty one') });
  }, 240_000);
});
