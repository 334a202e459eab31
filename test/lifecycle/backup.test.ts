/** Backups between databases: what a restore brings back, and what it refuses without a trace. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKeys } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId } from '../../src/foundation/ids.ts';
import { readMigrations } from '../../src/foundation/migrations.ts';
import { listBackups } from '../../src/lifecycle/backup/list.ts';
import { checkBackup, restoreBackup } from '../../src/lifecycle/backup/restore.ts';
import { writeBackup } from '../../src/lifecycle/backup/write.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { asOwner, createDatabase, type TestDatabase, waitFor } from '../setup/database.ts';
import { openTestKeys } from '../setup/keys.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
const folder = mkdtempSync(join(tmpdir(), 'confam-backup-'));
const file = join(folder, 'whole.tar.gz');
const targets: TestDatabase[] = [];
let app: TestApp;
let source: string;

/** Each table's rows in an order of their own, but for the entry of a restore. */
const contentOf = (url: string): Promise<Record<string, string>> =>
  asOwner(url, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;
    const content: Record<string, string> = {};
    for (const { name } of tables) {
      const [row] = await sql.unsafe(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as all from "${name}" t ${name === 'audit_entries' ? "where action <> 'backup.restore'" : ''}`,
      );
      content[name] = row!.all;
    }
    return content;
  });

async function restore(path: string, keys = openKeys(api.service.config)): Promise<{ url: string; outcome: Promise<unknown> }> {
  const target = await createDatabase();
  targets.push(target);
  const into = { config: target.config(), ownerUrl: target.url, login: target.url };
  return { url: target.url, outcome: checkBackup(path, keys).then((backup) => restoreBackup(into, backup)) };
}

const appsIn = (url: string) => asOwner(url, async (sql) => (await sql`select id from apps`).length);

beforeAll(async () => {
  const url = new URL(api.service.databaseUrl);
  url.searchParams.delete('role');
  source = url.toString();
  app = await api.createApp();
  const made = await app.csv('checks=nin_advance', `nin,note\n${freshNin()},"a\\nb ""c"""\n${freshNin()},é\n00000000001,\n`);
  await app.ended(`/api/v1/batches/${made.body.entity.id}`);
  await app.get(`/api/v1/kyc/nin/advance?nin=${freshNin()}`);
  await markRows(api.service, new AbortController().signal);
  expect(await writeBackup(source, openKeys(api.service.config), file)).toMatchObject({ bytes: statSync(file).size });
});
afterAll(async () => {
  for (const target of targets) await target.drop();
  rmSync(folder, { recursive: true });
});

test('every table has the same rows afterwards, and sequences go on', async () => {
  const { url, outcome } = await restore(file);
  await outcome;
  const [there, here] = [await contentOf(url), await contentOf(source)];
  // The service of this test goes on writing into them.
  for (const name of ['processes', 'leads', 'request_counts', 'request_log', 'audit_heads']) {
    delete there[name];
    delete here[name];
  }
  expect(there).toEqual(here);
  const [entry] = await asOwner(
    url,
    (sql) => sql<{ actor: string; detail: string }[]>`
    select actor_id as actor, detail from audit_entries where action = 'backup.write' order by at limit 1`,
  );
  expect(entry).toMatchObject({ actor: 'cli', detail: expect.stringContaining('backup') });
  const [restored] = await asOwner(
    url,
    (sql) => sql<{ actor: string; detail: string }[]>`
    select e.actor_id as actor, e.detail from audit_entries e join audit_heads h on h.app_id = e.app_id and h.seq = e.seq where e.action = 'backup.restore'`,
  );
  expect([restored!.actor, JSON.parse(restored!.detail)]).toEqual(['cli', { ...JSON.parse(entry!.detail), taken_at: expect.any(String) }]);
  const next = (at: string) => asOwner(at, async (sql) => (await sql`select max(id)::int as last from ledger_entries`)[0]!.last);
  const last = await next(url);
  await asOwner(
    url,
    (sql) => sql`
    insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo)
    select app_id, live, kind, from_account, to_account, amount_kobo from ledger_entries limit 1`,
  );
  expect(await next(url)).toBe(last + 1);
});

test('the file is for its owner alone and replaces none', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expect(writeBackup(source, openKeys(api.service.config), file)).rejects.toThrow(`${file} exists`);
  await expect(writeBackup(source, openKeys(api.service.config), join(folder, 'no/such'))).rejects.toThrow('cannot be written: ENOENT');
});

/** Begins a backup that stops at a table, like one that takes long because the database is large. `goOn` lets it continue. */
async function slowBackup(path: string): Promise<{ written: Promise<unknown>; goOn: () => Promise<void> }> {
  let isHeld = true;
  let held: Promise<unknown> = Promise.resolve();
  await new Promise<void>((locked) => {
    held = asOwner(source, (sql) =>
      sql.begin(async (tx) => {
        await tx`lock table saved_mappings in access exclusive mode`;
        locked();
        while (isHeld) await tx`select pg_sleep(0.02)`;
      }),
    );
  });
  const written = writeBackup(source, openKeys(api.service.config), path);
  written.catch(() => {});
  await waitFor('the backup to wait', () =>
    asOwner(
      source,
      async (sql) =>
        (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'copy%saved_mappings%'`).length > 0,
    ),
  );
  return {
    written,
    async goOn() {
      isHeld = false;
      await held;
    },
  };
}

const listed = () => api.service.sql.begin((tx) => listBackups(tx, 10));

test('one that is being written is named by an erasure that ends meanwhile, and not once it has failed', async () => {
  const before = (await listed()).number;
  const path = join(folder, 'slow.tar.gz');
  const { written, goOn } = await slowBackup(path);
  const made = await app.post<{ id: string }>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: freshNin() }] });
  const receipt = await waitFor('the receipt', async () => {
    const { receipt: text } = (await app.get<{ receipt: string | null }>(`/api/v1/subjects/erasures/${made.body.entity.id}`)).body.entity;
    return text !== null && (JSON.parse(text) as { kept: { what: string; number?: number }[] });
  });
  expect(receipt.kept).toContainEqual(expect.objectContaining({ what: 'backups', number: before + 1 }));
  // A file that somebody else creates under that name meanwhile must not be replaced.
  writeFileSync(path, '');
  await goOn();
  await expect(written).rejects.toThrow('EEXIST');
  expect((await listed()).number).toBe(before);
});

test('one that is stopped before it has begun to write leaves nothing', async () => {
  const before = (await listed()).number;
  const path = join(folder, 'stopped.tar.gz');
  const stop = new AbortController();
  const written = writeBackup(source, openKeys(api.service.config), path, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(written).rejects.toThrow('stopped');
  expect([existsSync(path), existsSync(`${path}.partial`), (await listed()).number]).toEqual([false, false, before]);
});

test('one that was killed while it was written is forgotten after a day', async () => {
  const before = (await listed()).number;
  const id = newId();
  await asOwner(source, (sql) => sql`insert into backups (id, taken_at, is_finished) values (${id}, now() - interval '23 hours', false)`);
  expect((await listed()).number).toBe(before + 1);
  await asOwner(source, (sql) => sql`update backups set taken_at = now() - interval '25 hours' where id = ${id}`);
  expect((await listed()).number).toBe(before);
});

test('an erasure that signs its receipt is committed before the next backup begins', async () => {
  const path = join(folder, 'later.tar.gz');
  let written: Promise<unknown> = Promise.resolve();
  await api.service.sql.begin(async (tx) => {
    const { number } = await listBackups(tx, 10);
    written = writeBackup(source, openKeys(api.service.config), path);
    await waitFor(
      'the backup to wait',
      async () => (await tx`select 1 from pg_locks where locktype = 'advisory' and not granted`).length > 0,
    );
    expect((await listBackups(tx, 10)).number).toBe(number);
  });
  await written;
});

test('a file that is cut off, altered or something else leaves the database empty and says so', async () => {
  const bytes = readFileSync(file);
  const damaged = join(folder, 'damaged.tar.gz');
  const refusals: string[] = [];
  for (const change of [
    () => truncateSync(damaged, Math.floor(bytes.length * 0.7)),
    () => writeFileSync(damaged, Buffer.concat([bytes.subarray(0, 4_000), Buffer.alloc(64), bytes.subarray(4_064)])),
    () => writeFileSync(damaged, 'ref,nin\n1,2\n'),
  ]) {
    writeFileSync(damaged, bytes);
    change();
    const { url, outcome } = await restore(damaged);
    refusals.push(
      await outcome.then(
        () => 'restored',
        (error: Error) => error.message,
      ),
    );
    expect(await appsIn(url)).toBe(0);
  }
  for (const refusal of refusals) expect(refusal).toMatch(/is damaged|is incomplete|not a backup/);
});

test('a folder, and what is not there, are refused for what they are', async () => {
  await expect((await restore(folder)).outcome).rejects.toThrow(`${folder} is a folder: name the file that \`confam backup\` wrote`);
  for (const [path, code] of [
    [join(folder, 'no/such'), 'ENOENT'],
    [join(file, 'below'), 'ENOTDIR'],
  ] as const)
    await expect((await restore(path)).outcome).rejects.toThrow(`${path} cannot be read: ${code}`);
});

test('other keys are told apart before anything is loaded', async () => {
  const { CONFAM_KEYS: keys, CONFAM_INDEX_KEY: indexKey } = api.service.config;
  const others = await restore(file, openTestKeys(`1:${newSecretKey()}`, indexKey!));
  await expect(others.outcome).rejects.toThrow('made with other keys');
  const index = await restore(file, openTestKeys(keys!, newSecretKey()));
  await expect(index.outcome).rejects.toThrow('made with another index key');
  const next = newSecretKey();
  const alone = await restore(file, openTestKeys(keys!, `2:${next}`));
  await expect(alone.outcome).rejects.toThrow('put the key of that time after the current one');
  const both = await restore(file, openTestKeys(keys!, `2:${next},1:${indexKey}`));
  await expect(both.outcome).resolves.toMatchObject({ rows: expect.any(Number) });
});

test('a user from whom a policy hides rows cannot make one', async () => {
  const walled = new URL(source);
  walled.searchParams.set('role', 'confam_service');
  await expect(writeBackup(walled.toString(), openKeys(api.service.config), join(folder, 'hidden'))).rejects.toThrow(
    'a policy may hide rows',
  );
});

test('a database of a newer release, or with other migrations, is not backed up; one that lacks the last is', async () => {
  const target = await createDatabase();
  targets.push(target);
  const path = join(folder, 'newer.tar.gz');
  const written = () => writeBackup(target.url, openTestKeys(target.environment.CONFAM_KEYS!, target.environment.CONFAM_INDEX_KEY!), path);
  const add = (when: number) =>
    asOwner(target.url, (sql) => sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('unknown', ${when})`);
  const remove = (when: number) => asOwner(target.url, (sql) => sql`delete from drizzle.__drizzle_migrations where created_at = ${when}`);
  const newer = Date.now() + 86_400_000;
  await add(newer);
  await expect(written()).rejects.toThrow('The database is from a newer release of Confam');
  await remove(newer);
  await add(1);
  await expect(written()).rejects.toThrow('The database and this program do not belong together');
  await remove(1);
  expect([existsSync(path), existsSync(`${path}.partial`)]).toEqual([false, false]);
  await remove(readMigrations().at(-1)!.folderMillis);
  await expect(written()).resolves.toMatchObject({ tables: expect.any(Number) });
});

test('is loaded only by a user whom neither policies nor triggers stop', async () => {
  const target = await createDatabase();
  targets.push(target);
  const [name] = new URL(target.url).pathname.slice(1).split('/');
  const ordinary = new URL(target.url);
  [ordinary.username, ordinary.password] = [`${name}_owner`, 'of-a-test'];
  await asOwner(target.url, (sql) => sql.unsafe(`create role ${name}_owner login bypassrls password 'of-a-test'`));
  try {
    const into = { config: target.config(), ownerUrl: ordinary.toString(), login: null };
    const backup = await checkBackup(file, openKeys(api.service.config));
    await expect(restoreBackup(into, backup)).rejects.toThrow(`The user ${name}_owner may not load a backup: name a superuser`);
  } finally {
    await asOwner(target.url, (sql) => sql.unsafe(`drop role ${name}_owner`));
  }
});

test('a database with apps is not overwritten', async () => {
  const before = await contentOf(source);
  const target = {
    config: api.service.config,
    ownerUrl: source,
    login: source,
  };
  const backup = await checkBackup(file, openKeys(api.service.config));
  await expect(restoreBackup(target, backup)).rejects.toThrow('holds apps already');
  expect((await contentOf(source)).apps).toBe(before.apps);
});
