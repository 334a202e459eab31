/** The database that a command works on: the deployment's, or in embedded mode that of the running Confam, or one started for as long as needed. */
import { borrowEmbeddedPostgres } from '../embedded/embedded.ts';
import { type Config, ConfigError, readConfig } from '../foundation/config.ts';
import { type Context, migrateDatabase, openDeployed, refuseOtherDatabase } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { embeddedLogin } from '../foundation/wall.ts';
import { UsageError } from './usage-error.ts';

/** Throws `EmbeddedPostgresError` if it is embedded and the folder has none: only `confam start` and `confam restore` create one. */
export async function withDatabase(
  work: (ctx: Context) => Promise<void>,
  { config = readConfig(process.env), poolMax = 1 }: { config?: Config; poolMax?: number } = {},
): Promise<void> {
  exitOnSignals();
  const postgres = config.embedded ? await borrowEmbeddedPostgres({ dataDir: config.CONFAM_DATA_DIR }) : null;
  try {
    const url = postgres ? embeddedLogin(postgres.url) : config.DATABASE_URL!;
    if (postgres) await migrateDatabase(config, postgres.url, url);
    await withMigrated(config, url, work, poolMax);
  } finally {
    await postgres?.stop();
  }
}

/** A signal runs the exit handlers, which stop a Postgres that was started for this command. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

/** Logs are off because the outcome is printed. */
export async function withMigrated(config: Config, url: string, work: (ctx: Context) => Promise<void>, poolMax = 1): Promise<void> {
  const ctx = await openDeployed({ ...config, CONFAM_LOG_LEVEL: 'silent' }, url, { poolMax });
  try {
    await work(ctx);
  } finally {
    await ctx.close();
  }
}

/** Like `withDatabase`, but refuses a deployment's database of another release. */
export async function withDeployed(work: (ctx: Context) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  if (config.embedded) return withDatabase(work, { config });
  const url = deployedUrl(config);
  await refuseOtherDatabase(url);
  const ctx = await openDeployed(config, url, { poolMax: 1 });
  try {
    await work(ctx);
  } finally {
    await ctx.close();
  }
}

export function deployedUrl(config: Config): string {
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is required (only `confam start` brings its own Postgres)');
  return config.DATABASE_URL;
}

/** `missing`: what `migrateDatabase` returned. */
export function warnOfWall(missing: string | null): void {
  if (missing) console.error(`The database is up to date, but its second wall is down: ${missing}.`);
}

/** A refusal needs no stack on the command line. */
export function explain(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw error.code === 'invalid_request' ? new UsageError(error.message) : new ConfigError(error.message);
}
