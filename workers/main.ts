/** Runs roles in one process (API, pools of families, dispatcher with sweeper) and drains them in order. */
import type { Api } from '../src/api/app.ts';
import { type MetricsJson, type OwnDatabase, openHealth, type ProcessState } from '../src/api/health.ts';
import { openOperations } from '../src/api/operations.ts';
import { type HttpServer, listen } from '../src/api/server.ts';
import { openTls, type Tls } from '../src/api/tls.ts';
import { checks, families } from '../src/checks/catalog.ts';
import type { Family } from '../src/checks/check.ts';
import { threadsLoaded } from '../src/engines/threads.ts';
import { type Config, refuseAbsentFiles } from '../src/foundation/config.ts';
import { openDeployed, type ProcessName } from '../src/foundation/context.ts';
import { emptyCoreDumps } from '../src/foundation/core-dumps.ts';
import { openLog } from '../src/foundation/log.ts';
import { announce } from '../src/jobs/release.ts';
import { openService, type Service } from '../src/pipeline/service.ts';
import { configureProviders } from '../src/providers/configure.ts';
import { startDispatcher } from './dispatcher.ts';
import { startPools } from './pools.ts';
import { startSweeper } from './sweeper.ts';
import { startWebhookWorker } from './webhooks.ts';

export interface Roles {
  api: boolean;
  /** Families whose pools run here. */
  pools: readonly Family[];
  webhooks: boolean;
  dispatcher: boolean;
}

export const everyRole: Roles = { api: true, pools: families, webhooks: true, dispatcher: true };

export interface Running {
  service: Service;
  /** Port of the API, or else of health and metrics. */
  port: number | null;
  metrics(): Promise<MetricsJson>;
  /** Documentation of the API, if it runs here. */
  docs: Api['docs'] | null;
  /** The console, if the API runs here. */
  console: Api['console'] | null;
  /** From now on `/readyz` answers 200. */
  ready(): void;
  /** Ends the dispatcher and the sweeper here: another process runs them from now on. */
  handOver(): Promise<void>;
  /** Stops taking work, finishes or returns what is leased, flushes, closes. Bounded by CONFAM_DRAIN_MS. */
  drain(): Promise<void>;
}

const processName = ({ api, pools, webhooks }: Roles): ProcessName =>
  api ? 'api' : pools.length > 0 || webhooks ? 'worker' : 'dispatcher';

/** Whether a pool of this family screens. */
const screens = (family: Family): boolean => checks.some((check) => check.family === family && check.needs.all.aml !== undefined);

/** The dispatcher only finishes its current round. */
const DISPATCHER_CLOSE_MS = 3_000;
const CLOSE_MS = 1_000;
/** A thread loads in less than a second, unless the machine is full. */
const THREADS_MS = 5_000;

/** The API and everything it reads and writes are half of the code: a process that does not load them starts sooner. */
export const loadApi = () => import('../src/api/app.ts');

/** What the process that starts the others adds. */
export interface Parent {
  /** Metrics of the processes beside this one, shown together with ours. The caller decides when all are `ready`. */
  companionMetrics(): Promise<MetricsJson[]>;
  /** The embedded Postgres; null with an external database. */
  database: OwnDatabase | null;
}

export async function runRoles(config: Config, databaseUrl: string, roles: Roles, parent: Parent | null = null): Promise<Running> {
  const providers = configureProviders(config);
  refuseAbsentFiles(config, {
    emailLists: roles.api || roles.pools.includes('email'),
    breachedPasswords: roles.api,
    erasureJournal: roles.dispatcher,
  });
  const log = openLog(config.CONFAM_LOG_LEVEL);
  emptyCoreDumps(log);
  const opensPort = roles.api || config.CONFAM_OPERATIONS_PORT !== undefined;
  const tls = opensPort ? openTls(config, log) : null;
  const service = await openService(
    await openDeployed(config, databaseUrl, { process: processName(roles), log, keepPlans: roles.api && roles.pools.length === 0 }),
    providers,
  );
  let phase: ReturnType<ProcessState['phase']> = parent ? 'starting' : 'ready';
  const metrics = async () => {
    service.router.measure();
    service.admission.measure();
    return service.metrics.registry.getMetricsAsJSON();
  };
  const state: ProcessState = {
    phase: () => phase,
    health: openHealth(service, parent?.database ?? null),
    metrics: async () => [await metrics(), ...((await parent?.companionMetrics()) ?? [])],
  };
  const api = roles.api ? await (await loadApi()).openApi(service, state) : null;
  const servers = await listenAll(config, api, openOperations({ service, state }), tls).catch(async (error: unknown) => {
    await within(CLOSE_MS, Promise.all([api?.close(), service.close()]));
    throw error;
  });
  if (api) servers[0]!.acceptFaster().catch((error: unknown) => service.log.warn({ err: error }, 'connections are accepted one by one'));
  const announced = await announce(service, roles.pools);
  let sweeper = roles.dispatcher ? startSweeper(service) : null;
  let dispatcher = roles.dispatcher ? startDispatcher(service) : null;
  const pools = roles.pools.length > 0 ? startPools(service, roles.pools) : null;
  const webhooks = roles.webhooks ? startWebhookWorker(service) : null;
  // Reading a large list fills an event loop, so it must not begin while calls are answered.
  if (roles.api || roles.pools.some(screens)) service.screenings.preload();
  const lists = roles.pools.includes('aml') ? (await import('./lists.ts')).startListRefresh(service) : null;

  return {
    service,
    port: servers[0]?.port ?? null,
    metrics,
    docs: api?.docs ?? null,
    console: api?.console ?? null,
    ready: () => {
      phase = 'ready';
    },
    async handOver() {
      const ended = [dispatcher?.close(), sweeper?.close()];
      dispatcher = null;
      sweeper = null;
      await Promise.all(ended);
    },
    async drain() {
      phase = 'draining';
      tls?.close();
      api?.drain();
      const deadline = performance.now() + config.CONFAM_DRAIN_MS;
      const left = () => Math.max(1, deadline - performance.now());
      const httpClosed = Promise.all(servers.map((server) => server.close(config.CONFAM_DRAIN_MS)));
      // A database or Redis that is gone must not keep the process from ending.
      await within(Math.min(DISPATCHER_CLOSE_MS, left()), dispatcher?.close());
      await Promise.all([
        httpClosed,
        within(left() + CLOSE_MS, pools?.close(left())),
        within(left(), webhooks?.close()),
        within(left(), lists?.close()),
        within(left(), sweeper?.close()),
        within(left(), announced.close()),
      ]);
      // The process ends after this, and with it every thread.
      await within(THREADS_MS, threadsLoaded());
      await within(
        CLOSE_MS,
        Promise.resolve(api?.close()).then(() => service.close()),
      );
    },
  };
}

/** The API if it runs here, and health and metrics on a port of their own if one is set and differs. */
async function listenAll(config: Config, api: Api | null, operations: Pick<Api, 'fetch'>, tls: Tls | null): Promise<HttpServer[]> {
  const { HOST, PORT, CONFAM_OPERATIONS_PORT } = config;
  const servers = api ? [await listen(api, { HOST, PORT }, tls)] : [];
  if (CONFAM_OPERATIONS_PORT === undefined || (api && CONFAM_OPERATIONS_PORT === PORT)) return servers;
  try {
    return [...servers, await listen(operations, { HOST, PORT: CONFAM_OPERATIONS_PORT }, tls, 'CONFAM_OPERATIONS_PORT')];
  } catch (error) {
    await Promise.all(servers.map((server) => server.close(0)));
    throw error;
  }
}

/** Waits for `closing`, but no longer than `ms`. */
async function within(ms: number, closing: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([closing, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
