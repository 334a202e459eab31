/**
 * The parent process of `confam start`: runs Postgres and the API. `start.ts` has already forked the process of the pools, which loads in the meantime; the
 * process of the dispatcher is forked here.
 */
import { mkdirSync } from 'node:fs';
import { releaseAllClaims } from '../src/access/idempotency.ts';
import { configureLists } from '../src/aml/definitions.ts';
import { naira } from '../src/contract/fields.ts';
import { warnOfMistyped } from '../src/doctor/mistyped-settings.ts';
import { startEmbeddedPostgres } from '../src/embedded/embedded.ts';
import { openDataDir } from '../src/embedded/folders.ts';
import { type Config, refuseAbsentFiles } from '../src/foundation/config.ts';
import { type Context, migrateDatabase, openDeployed, openKeys, refuseOtherKeys } from '../src/foundation/context.ts';
import { embeddedLogin } from '../src/foundation/wall.ts';
import { takeBackOpen } from '../src/pipeline/leases.ts';
import { configureProviders } from '../src/providers/configure.ts';
import { type Companion, startCompanion } from './companion.ts';
import { DEMO_KOBO, demoSignInLink, ensureSandbox, type SandboxFile } from './demo-app.ts';
import { loadApi, type Running, runRoles } from './main.ts';

/** How much longer than CONFAM_DRAIN_MS a companion may take before it is killed. */
const COMPANION_GRACE_MS = 1_500;

export interface Started {
  /** By `performance.now()`. */
  began: number;
  signaled: Promise<void>;
  pools: Companion;
}

/** Until a signal ends it. Throws if it cannot start or loses its database. */
export async function runParent(config: Config, { began, signaled, pools }: Started): Promise<void> {
  // All processes read these files; a broken one is refused once, before anything is touched.
  configureProviders(config);
  configureLists(config);
  refuseAbsentFiles(config);
  let running: Running | null = null;
  const tell = (line: string) => void (running ? running.service.log.error(line) : console.error(line));
  // Loads while the database starts; `runRoles` reports any error.
  loadApi().catch(() => {});
  if (config.embedded) {
    // Their file comes before the database: with one that exists, a missing file is not made anew.
    openDataDir(config.CONFAM_DATA_DIR);
    openKeys(config);
  }
  const postgres = config.embedded ? await startEmbeddedPostgres({ dataDir: config.CONFAM_DATA_DIR, log: tell }) : null;
  const companions = new Companions(pools);
  const stop = async () => {
    try {
      await Promise.all([running?.drain(), companions.close(config.CONFAM_DRAIN_MS + COMPANION_GRACE_MS)]);
    } finally {
      await postgres?.stop();
    }
  };
  try {
    const url = postgres ? embeddedLogin(postgres.url) : config.DATABASE_URL!;
    await prepareDatabase(config, url, postgres);
    const working = pools.run(url, async (code) => {
      running?.service.log.error({ code }, 'worker process ended; restarting it');
      if (running && config.embedded) await releaseAll(running.service);
    });
    working.catch(() => {});
    running = await runRoles(
      config,
      url,
      { api: true, pools: [], webhooks: false, dispatcher: true },
      { companionMetrics: () => companions.metrics(), database: postgres },
    );
    warnOfMistyped(running.service.log, config);
    await working;
    // Not earlier: three processes loading on two cores would be ready later. Until this one works, the dispatcher runs here.
    companions.addDispatcher(url, running);
    const lines = await openForUse(config, running, postgres !== null, began);
    for (const line of [...(postgres?.notes ?? []), ...lines]) console.log(line);
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  const lost = await Promise.race(postgres ? [signaled, postgres.lost] : [signaled]);
  if (lost) {
    await stop().catch(() => {});
    throw lost;
  }
  console.log('\nStopping: running work is finished or returned to the queue. Press Ctrl-C again to stop at once.');
  await stop();
  console.log(`Stopped. ${keeps(config)} The next start continues from here.`);
}

/** The processes beside this one. */
class Companions {
  private readonly all: Companion[];
  /** Those that are still loading: they have nothing to finish. */
  private readonly loading = new Set<Companion>();
  private isClosing = false;

  constructor(pools: Companion) {
    this.all = [pools];
  }

  /** Takes the dispatcher over from this process once it has loaded. */
  addDispatcher(url: string, { service, handOver }: Running): void {
    const dispatcher = startCompanion('dispatcher');
    this.all.push(dispatcher);
    this.loading.add(dispatcher);
    dispatcher
      .run(url, async (code) => service.log.error({ code }, 'dispatcher process ended; restarting it'))
      .then(() => {
        this.loading.delete(dispatcher);
        return handOver();
      })
      .catch((error: unknown) => this.isClosing || service.log.error({ err: error }, 'the dispatcher stays in the process of the API'));
  }

  async metrics() {
    return (await Promise.all(this.all.map((one) => one.metrics()))).flatMap((metrics) => (metrics ? [metrics] : []));
  }

  async close(patienceMs: number): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.all.map((one) => one.close(this.loading.has(one) ? 0 : patienceMs)));
  }
}

/** `postgres`: the embedded one, which nobody else uses. */
async function prepareDatabase(config: Config, url: string, postgres: { url: string } | null): Promise<void> {
  const owner = postgres?.url ?? config.DATABASE_OWNER_URL;
  mkdirSync(config.CONFAM_DATA_DIR, { recursive: true });
  await refuseOtherKeys(config, owner ?? url);
  await migrateDatabase(config, owner ?? url, owner ? url : null);
  if (postgres) await recover(config, url);
}

/** Reports ready, and returns what to tell whoever started it. */
async function openForUse(config: Config, running: Running, hasDemo: boolean, began: number): Promise<string[]> {
  const baseUrl = config.CONFAM_PUBLIC_URL ?? `http://127.0.0.1:${running.port}`;
  const sandbox = hasDemo ? await ensureSandbox(running.service, baseUrl) : null;
  // Browsers allow passkeys at localhost, not at 127.0.0.1.
  const signIn = sandbox && (await demoSignInLink(running.service, sandbox.sandbox, baseUrl.replace('//127.0.0.1', '//localhost')));
  running.ready();
  running.docs?.prepare();
  running.console?.prepare();
  return greeting({ baseUrl, docs: `${baseUrl}/docs`, signIn }, config, sandbox, performance.now() - began);
}

const keeps = (config: Config): string => (config.embedded ? `All data is in ${config.CONFAM_DATA_DIR}.` : 'All data is in the database.');

/** With embedded Postgres no other process works on this database: whatever is leased or claimed was lost with the last process and is released at once. */
async function recover(config: Config, url: string): Promise<void> {
  const ctx = await openDeployed(config, url, { poolMax: 1 });
  try {
    await releaseAll(ctx);
    await releaseAllClaims(ctx);
  } finally {
    await ctx.close();
  }
}

async function releaseAll(ctx: Context): Promise<void> {
  while ((await takeBackOpen(ctx)) > 0);
}

function greeting(
  { baseUrl, docs: docsUrl, signIn }: { baseUrl: string; docs: string; signIn: string | null },
  config: Config,
  made: { sandbox: SandboxFile; isNew: boolean } | null,
  ms: number,
): string[] {
  const ready = [`Confam is ready at ${baseUrl} (${Math.round(ms)} ms)`];
  const docs = `Documentation: ${docsUrl}`;
  const stop = `Ctrl-C finishes running work and stops. ${keeps(config)}`;
  if (!made) return [...ready, '', docs, '', stop];
  const { sandbox, isNew } = made;
  const path = `${config.CONFAM_DATA_DIR}/sandbox.json`;
  if (isNew) {
    const balance = `₦${naira(DEMO_KOBO).toLocaleString('en')}`;
    const app = `A demo app with ${balance} of play money and ${balance} live is ready.`;
    // What is not a terminal may be a journal or a log that others read.
    if (process.stdout.isTTY) {
      ready.push('', `${app} Its keys, shown only now (the file below has them too):`);
      for (const [name, value] of Object.entries(sandbox)) if (name !== 'base_url') ready.push(`  ${name.padEnd(15)}${value}`);
    } else ready.push('', `${app} Its keys are in the file below.`);
  }
  return [
    ...ready,
    '',
    docs,
    ...(signIn === null ? [] : [`Sign in as the demo app’s owner (once, within 15 minutes): ${signIn}`]),
    `Keys: ${path}`,
    'Try it:',
    `  curl -H "Authorization: $(node -p "require('${resolveForPrint(path)}').test_key")" -H "AppId: ${sandbox.app_id}" "${baseUrl}/api/v1/kyc/nin/advance?nin=70123456789"`,
    '',
    stop,
  ];
}

const resolveForPrint = (path: string): string => (path.startsWith('/') ? path : `./${path.replace(/^\.\//, '')}`);
