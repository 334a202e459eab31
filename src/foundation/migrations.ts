/** Applies migrations, and tells whether a database and this program belong together: compares the migrations that each has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { PgDialect, type PgSession } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { ConfigError } from './config.ts';
import { packageRoot } from './package-root.ts';

interface Migration {
  tag: string;
  /** When it was made; also its name in the database. */
  when: number;
}

/** SQLSTATE deadlock_detected. */
const DEADLOCK = '40P01';
const DEADLOCK_TRIES = 20;
const DEADLOCK_PAUSE_MS = 200;

const migrationsFolder = (): string => join(packageRoot(), 'drizzle');

const journalPath = (): string => join(migrationsFolder(), 'meta', '_journal.json');

const knownMigrations = (): Migration[] => JSON.parse(readFileSync(journalPath(), 'utf8')).entries;

/**
 * The migrations that the program has and the database lacks, oldest first. Throws `ConfigError` if this program must not touch the database, which is from a
 * newer release or has foreign migrations.
 */
export async function missingMigrations(sql: postgres.Sql): Promise<string[]> {
  const known = knownMigrations();
  const newest = known.at(-1)!;
  const applied = await appliedMigrations(sql);
  const last = Math.max(...applied, 0);
  const foreign = applied.filter((when) => known.every((migration) => migration.when !== when));
  if (foreign.some((when) => when > newest.when)) {
    throw new ConfigError(
      `The database is from a newer release of Confam: it has a migration of ${dayOf(last)}, and the last one that this program knows is ${newest.tag} of ${dayOf(newest.when)}. ` +
        'Start the newer release, or restore a backup from before it ran.',
    );
  }
  if (foreign.length > 0) throw notOurs(`it has a migration of ${dayOf(foreign[0]!)} that this program does not know`);
  const missing = known.filter(({ when }) => !applied.includes(when));
  const skipped = missing.find(({ when }) => when < last);
  if (skipped) throw notOurs(`it lacks ${skipped.tag}, and has a later one`);
  return missing.map(({ tag }) => tag);
}

/** For processes that do not migrate: throws `ConfigError` also if a migration is missing. */
export async function refuseOtherMigrations(sql: postgres.Sql): Promise<void> {
  const [first] = await missingMigrations(sql);
  if (first) throw new ConfigError(`The database is from an older release: it lacks the migration ${first}. Run \`confam migrate\` first.`);
}

/**
 * Commits the migrations that the database lacks, slice by slice. If it is killed, the slices before are in the database, and the next call continues from there.
 * `sql` has one connection.
 */
export async function applyMigrations(sql: postgres.Sql, migrations: readonly MigrationMeta[]): Promise<void> {
  const session = drizzle(sql)._.session as unknown as PgSession;
  // Each call is one transaction, which passes over what the database already has.
  for (const slice of sliceMigrations(migrations))
    await untilNoDeadlock(() => new PgDialect().migrate(slice, session, { migrationsFolder: migrationsFolder() }));
}

/**
 * Processes of the previous release go on while it is migrated, and may lock the tables of a slice in another order. Postgres then ends one of the two. If that is
 * the slice, nothing of it is left, and it begins again.
 */
async function untilNoDeadlock(migrate: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await migrate();
    } catch (error) {
      // Drizzle wraps the driver's errors.
      const { code, cause } = error as { code?: string; cause?: { code?: string } };
      if ((code ?? cause?.code) !== DEADLOCK || tries === DEADLOCK_TRIES) throw error;
      await sleep(DEADLOCK_PAUSE_MS);
    }
  }
}

/** Cuts after each migration that adds a value to an enum: before Postgres 17, no later statement may use the value until it is committed. */
export function sliceMigrations(migrations: readonly MigrationMeta[]): MigrationMeta[][] {
  const slices: MigrationMeta[][] = [[]];
  for (const migration of migrations) {
    slices.at(-1)!.push(migration);
    if (migration.sql.some(addsValue)) slices.push([]);
  }
  return slices.filter((slice) => slice.length > 0);
}

const addsValue = (statement: string): boolean => /\badd\s+value\b/i.test(statement);

/** All that the program has, oldest first. */
export const readMigrations = (): MigrationMeta[] => readMigrationFiles({ migrationsFolder: migrationsFolder() });

/** The migrations of a backup, by its `appliedMigrations`. Throws `ConfigError` if they are not the first ones that the program has. */
export function migrationsOf(applied: readonly number[]): MigrationMeta[] {
  const migrations = readMigrations().slice(0, applied.length);
  if (applied.length === 0 || migrations.length < applied.length || migrations.some(({ folderMillis }, i) => folderMillis !== applied[i])) {
    throw new ConfigError(
      'The backup is from a newer release of Confam, or from another program: restore it with the release that made it',
    );
  }
  return migrations;
}

/** When each migration that the database has was made, oldest first. */
export async function appliedMigrations(sql: postgres.ISql): Promise<number[]> {
  const [table] = await sql<{ found: string | null }[]>`select to_regclass('drizzle.__drizzle_migrations') as found`;
  if (!table!.found) return [];
  const rows = await sql<{ createdAt: string }[]>`select created_at as "createdAt" from drizzle.__drizzle_migrations order by created_at`;
  return rows.map(({ createdAt }) => Number(createdAt));
}

const notOurs = (reason: string): ConfigError =>
  new ConfigError(
    `The database and this program do not belong together: ${reason}. Start the release that created the database, or restore a backup.`,
  );

const dayOf = (when: number): string => new Date(when).toISOString().slice(0, 10);
