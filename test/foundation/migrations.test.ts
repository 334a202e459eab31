/** The migrations are committed in slices, because Postgres 14 to 16 refuse to use a value of an enum in the transaction that adds it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/foundation/config.ts';
import { migrateDatabase, migrateTo } from '../../src/foundation/context.ts';
import { appliedMigrations, applyMigrations, readMigrations, sliceMigrations } from '../../src/foundation/migrations.ts';
import { waitFor } from '../setup/database.ts';

const migration = (folderMillis: number, ...sql: string[]) => ({ folderMillis, sql, hash: '', bps: true });
const all = readMigrations().map(({ folderMillis }) => folderMillis);
const adding = readMigrations().filter(({ sql }) => sql.some((statement) => statement.includes('ADD VALUE')));

describe('slices', () => {
  test('are cut after each migration that adds a value to an enum', () => {
    const slices = sliceMigrations([
      migration(1, 'create table one ()'),
      migration(2, 'create table two ()', '\nALTER TYPE "public"."status" ADD VALUE \'paused\';'),
      migration(3, "alter  type status\n  add value if not exists 'done'"),
      migration(4, 'alter type status rename to state; create table value ()'),
      migration(5, 'create table three ()'),
    ]);
    expect(slices.map((slice) => slice.map(({ folderMillis }) => folderMillis))).toEqual([[1, 2], [3], [4, 5]]);
  });

  test('neither lose nor repeat a migration, and none is empty', () => {
    const slices = sliceMigrations(readMigrations());
    expect(slices.flat().map(({ folderMillis }) => folderMillis)).toEqual(all);
    expect(adding.length).toBeGreaterThan(2);
    expect(slices.slice(0, adding.length).map((slice) => slice.at(-1)!.hash)).toEqual(adding.map(({ hash }) => hash));
    expect(sliceMigrations([migration(1, "alter type status add value 'paused'")])).toHaveLength(1);
    expect(sliceMigrations([])).toEqual([]);
  });
});

describe('a database', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  let admin: postgres.Sql;
  let sql: postgres.Sql;
  beforeEach(async () => {
    admin = postgres(inject('adminUrl'), { max: 1, onnotice: () => {} });
    await admin.unsafe(`create database ${name}`);
    sql = postgres(url.toString(), { max: 1, onnotice: () => {} });
  });
  afterEach(async () => {
    await sql.end();
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end();
  });
  const migrate = () => migrateDatabase(readConfig({}), url.toString());
  /** How many transactions wrote the migrations into their table. */
  const transactions = async (): Promise<number> =>
    (await sql`select count(distinct xmin::text)::int as count from drizzle.__drizzle_migrations`)[0]!.count;

  test('that is empty gets every slice in a transaction of its own', async () => {
    expect(await migrate()).toBeNull();
    expect(await appliedMigrations(sql)).toEqual(all);
    expect(await transactions()).toBe(sliceMigrations(readMigrations()).length);
  });

  test.each(adding.map(({ folderMillis }) => all.indexOf(folderMillis) + 1))(
    'that was left after migration %i is brought up to date',
    async (count) => {
      await migrateTo(url.toString(), all.slice(0, count));
      expect(await appliedMigrations(sql)).toEqual(all.slice(0, count));
      expect(await migrate()).toBeNull();
      expect(await migrate()).toBeNull();
      expect(await appliedMigrations(sql)).toEqual(all);
    },
  );

  test('is migrated once by several processes that start together', async () => {
    expect(await Promise.all([migrate(), migrate(), migrate()])).toEqual([null, null, null]);
    expect(await appliedMigrations(sql)).toEqual(all);
  });

  test('is migrated although work in progress locks its tables in another order', async () => {
    await sql`create table first ()`;
    await sql`create table second ()`;
    const migrating = postgres(url.toString(), { max: 1, onnotice: () => {} });
    const slice = migration(1, 'alter table first add column new int', 'alter table second add column new int');
    let migrated: Promise<void> = Promise.resolve();
    await sql.begin(async (tx) => {
      // The migration looks for a deadlock first, so it is the one that is ended.
      await tx`set local deadlock_timeout = '60s'`;
      await tx`select from second`;
      migrated = applyMigrations(migrating, [slice]);
      await waitFor(
        'the migration to wait',
        async () => (await admin`select 1 from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`).length > 0,
      );
      await tx`select from first`;
    });
    await migrated;
    await migrating.end();
    expect((await sql`select new from second`).columns.map((column) => column.name)).toEqual(['new']);
  });

  test('keeps the slices before one that fails, and goes on from there', async () => {
    await migrateTo(url.toString(), all.slice(0, 1));
    // 0032_erasures.sql cannot create a table that is there.
    await sql.unsafe('create table erasures ()');
    await expect(migrate()).rejects.toThrow('erasures');
    const kept = await appliedMigrations(sql);
    expect(kept.at(-1)).toBe(adding[1]!.folderMillis);
    await sql.unsafe('drop table erasures');
    expect(await migrate()).toBeNull();
    expect(await appliedMigrations(sql)).toEqual(all);
  });

  test('is migrated by a user whose statements may not take long, and who has to wait', async () => {
    await sql.unsafe(`alter database ${name} set statement_timeout = '300ms'`);
    await sql.unsafe(`alter database ${name} set lock_timeout = '50ms'`);
    const other = postgres(url.toString(), { max: 1, connection: { lock_timeout: 0 } });
    await other`select pg_advisory_lock(7266201)`;
    const migrated = migrate();
    await sleep(1_000);
    await other.end();
    expect(await migrated).toBeNull();
    expect(await appliedMigrations(sql)).toEqual(all);
  });

  test.each(['LATIN1', 'SQL_ASCII'])('that stores text as %s is refused, and left as it is', async (encoding) => {
    const odd = new URL(url);
    odd.pathname = `/${name}_odd`;
    await admin.unsafe(`create database ${name}_odd encoding '${encoding}' locale 'C' template template0`);
    try {
      await expect(migrateDatabase(readConfig({}), odd.toString())).rejects.toThrow(
        new ConfigError(`The database stores text as ${encoding}. Make one with: create database … encoding 'UTF8' template template0`),
      );
      const looking = postgres(odd.toString(), { max: 1 });
      expect(await appliedMigrations(looking)).toEqual([]);
      await looking.end();
    } finally {
      await admin.unsafe(`drop database ${name}_odd with (force)`);
    }
  });
});
