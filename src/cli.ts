#!/usr/bin/env node
/** The command line: `confam start` runs everything here; `api`, `worker` and `dispatcher` run the parts of a deployment. */
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { z } from 'zod';
import { beCompanion } from '../workers/companion.ts';
import { type Roles, runRoles, untilSignal } from '../workers/main.ts';
import { start } from '../workers/start.ts';
import { createApp } from './access/apps.ts';
import { byOperator } from './access/audit/append.ts';
import { createKey, UNRESTRICTED } from './access/keys.ts';
import { askAboutApp, topUpOf } from './approvals/approvals.ts';
import { families } from './checks/catalog.ts';
import type { Family } from './checks/check.ts';
import { addAuditCommands } from './cli/audit.ts';
import { awaitDatabase } from './cli/await-database.ts';
import { addBreachCommands } from './cli/breaches.ts';
import { databaseTrouble } from './cli/database-trouble.ts';
import { addDoctorCommand } from './cli/doctor.ts';
import { addListCommands } from './cli/lists.ts';
import { addPeopleCommands } from './cli/people.ts';
import { kobo } from './contract/fields.ts';
import { topUpBody } from './contract/money.ts';
import { EmbeddedPostgresError } from './embedded/embedded.ts';
import { type Config, ConfigError, readConfig } from './foundation/config.ts';
import { type Context, findWall, migrateDatabase, openContext, refuseOtherDatabase } from './foundation/context.ts';
import { newSecretKey } from './foundation/crypto.ts';
import { parseId, showId } from './foundation/ids.ts';
import { RELEASE } from './jobs/release.ts';
import { topUp } from './money/ledger.ts';
import { configureProviders } from './providers/configure.ts';
import { startSimulator } from './simulator/simulator.ts';

const byCli = byOperator('cli');

const program = new Command('confam').description('Verification of Nigerian identities, businesses and risk signals').showHelpAfterError();

program
  .command('start')
  .description('run API, workers and dispatcher on one machine, with embedded Postgres unless DATABASE_URL is set')
  .action(start);
program
  .command('api')
  .description('run only the HTTP API')
  .action(() => runDeployed({ api: true, pools: [], webhooks: false, dispatcher: false }));
program
  .command('worker')
  .description('run pool workers')
  .option('--families <list>', `families to work for, out of ${families.join(',')}`, families.join(','))
  .option('--no-webhooks', 'do not deliver webhooks here')
  .addOption(new Option('--companion').hideHelp())
  .action((options: { families: string; webhooks: boolean; companion?: boolean }) => {
    const pools = parseFamilies(options.families);
    // Forked by `confam start`, which sends it the database's address.
    if (options.companion) return beCompanion(readConfig(process.env), pools);
    return runDeployed({ api: false, pools, webhooks: options.webhooks, dispatcher: false });
  });
program
  .command('dispatcher')
  .description('run dispatcher and sweeper; several may run, one leads')
  .action(() => runDeployed({ api: false, pools: [], webhooks: false, dispatcher: true }));
program
  .command('upstreams')
  .description('the file of vendors for live keys (CONFAM_UPSTREAMS)')
  .command('check')
  .description('check the file, and show who answers what')
  .argument('[file]', 'default: CONFAM_UPSTREAMS')
  .action((file?: string) => {
    const config = readConfig({ ...process.env, ...(file && { CONFAM_UPSTREAMS: file }) });
    if (!config.CONFAM_UPSTREAMS) throw new ConfigError('give a file, or set CONFAM_UPSTREAMS');
    const { live, routes = {} } = configureProviders(config);
    for (const { name, serves, budget } of live) {
      const records = Object.keys(serves).join(' ') || 'nothing';
      console.log(`${name}: ${records}; ${budget.requestsPerSecond ?? 'any number of'} requests a second, ${budget.inFlightMax} in flight`);
    }
    for (const [kind, { choices }] of Object.entries(routes)) {
      console.log(`${kind}: ${choices.map(({ provider, weight }) => provider + (weight === null ? '' : ` (${weight})`)).join(', ')}`);
    }
  });
program
  .command('migrate')
  .description('bring the database up to date')
  .action(async () => {
    const config = readConfig(process.env);
    const url = deployedUrl(config);
    const owner = config.DATABASE_OWNER_URL;
    const missing = await migrateDatabase(config, owner ?? url, owner ? url : null);
    if (missing) console.error(`The database is up to date, but its second wall is down: ${missing}.`);
  });
program
  .command('upstream-sim')
  .description('run a simulated vendor for trying out CONFAM_UPSTREAMS, which misbehaves as a script says (docs/upstream-sim.md)')
  .option('--port <number>', 'port on 127.0.0.1; 0 picks a free one', '8090')
  .option('--script <file>', 'JSON file with its faults')
  .action(async (options: { port: string; script?: string }) => {
    const signaled = untilSignal();
    const simulator = await startSimulator({ port: portOf(options.port), script: options.script ? readJson(options.script) : {} });
    console.log(`upstream-sim is ready at ${simulator.url}`);
    await signaled;
    await simulator.close();
  });
addListCommands(program);
addBreachCommands(program);
addAuditCommands(program);
addDoctorCommand(program);
addPeopleCommands(program);

const keys = program.command('keys').description('encryption and API keys');
keys
  .command('generate')
  .description('print fresh values for CONFAM_KEYS and CONFAM_INDEX_KEY')
  .action(() => console.log(`CONFAM_KEYS=1:${newSecretKey()}\nCONFAM_INDEX_KEY=${newSecretKey()}`));
keys
  .command('create')
  .description('create an API key')
  .argument('<kind>', 'live, test or admin')
  .option('--app <id>', 'the app (not for admin)')
  .action((kind: 'live' | 'test' | 'admin', options: { app?: string }) =>
    withContext(async (ctx) => {
      if (!['live', 'test', 'admin'].includes(kind)) throw new ConfigError('kind must be live, test or admin');
      const made = await createKey(ctx, kind, kind === 'admin' ? null : appId(options.app), UNRESTRICTED, byCli);
      if (!made) throw new ConfigError('there is no such app');
      console.log(JSON.stringify({ id: showId('key', made.id), key: made.key }));
    }),
  );
const apps = program.command('apps').description('calling applications');
apps
  .command('create')
  .argument('<name>')
  .action((name: string) =>
    withContext(async (ctx) => {
      const app = await createApp(ctx, name, {}, byCli);
      console.log(JSON.stringify({ id: showId('app', app.id), webhook_secret: app.webhookSecret }));
    }),
  );
apps
  .command('topup')
  .description('record a payment; with CONFAM_APPROVALS=top_up it waits for a second administrator')
  .argument('<app>', 'app_…')
  .argument('<naira>', 'amount')
  .option('--test', 'play money')
  .action((app: string, naira: string, options: { test?: boolean }) =>
    withContext(async (ctx) => {
      const parsed = topUpBody.safeParse({ amount: Number(naira), mode: options.test ? 'test' : 'live', note: 'cli' });
      if (!parsed.success) throw new ConfigError('the amount must be a positive number of naira');
      const made = await topUpOrAsk(ctx, appId(app), parsed.data);
      if (!made) throw new ConfigError('there is no such app');
      console.log(JSON.stringify(made));
    }),
  );

/** Where top-ups need a second administrator, it asks for one. Null if there is no such app. */
async function topUpOrAsk(ctx: Context, appId: string, body: z.infer<typeof topUpBody>): Promise<object | null> {
  if (ctx.config.CONFAM_APPROVALS.includes('top_up')) {
    const approval = await ctx.sql.begin((tx) => askAboutApp(ctx, tx, byCli, topUpOf(appId, body)));
    return approval && { approval: showId('apr', approval.id), status: approval.status };
  }
  const { amount, mode, note = null } = body;
  const wallet = await topUp(ctx.sql, { appId, live: mode === 'live' }, kobo(amount), note, { by: byCli });
  return wallet && { available: wallet.availableKobo / 100 };
}

async function runDeployed(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  const signaled = untilSignal();
  await awaitDatabase(() => refuseOtherDatabase(deployedUrl(config)));
  const running = await runRoles(config, deployedUrl(config), roles);
  running.docs?.prepare();
  running.console?.prepare();
  running.service.log.info({ ...roles, release: RELEASE, port: running.port, queue: running.service.queues.name }, 'started');
  await signaled;
  await running.drain();
}

function deployedUrl(config: Config): string {
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is required (only `confam start` brings its own Postgres)');
  return config.DATABASE_URL;
}

async function withContext(work: (ctx: Context) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  await refuseOtherDatabase(deployedUrl(config));
  const ctx = openContext(config, deployedUrl(config), { poolMax: 1, isWalled: await findWall(deployedUrl(config)) });
  try {
    await work(ctx);
  } finally {
    await ctx.close();
  }
}

function appId(text: string | undefined): string {
  const id = parseId('app', text ?? '');
  if (!id) throw new ConfigError('expected an app id (app_…)');
  return id;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new ConfigError('--port: expected a number from 0 to 65535');
  return port;
}

function readJson(path: string): object {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`--script: ${path} cannot be read as JSON (${(error as Error).name})`);
  }
}

function parseFamilies(text: string): Family[] {
  const wanted = text.split(',').map((family) => family.trim());
  const unknown = wanted.filter((family) => !families.includes(family as Family));
  if (unknown.length > 0) throw new ConfigError(`--families: unknown ${unknown.join(', ')}; the families are ${families.join(', ')}`);
  return wanted as Family[];
}

program
  .parseAsync()
  .then(() => process.exit())
  .catch((error: unknown) => {
    const isOurs = error instanceof ConfigError || error instanceof EmbeddedPostgresError;
    console.error(isOurs ? error.message : (databaseTrouble(error) ?? error));
    process.exit(1);
  });
