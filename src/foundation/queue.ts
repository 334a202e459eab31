/**
 * BullMQ on either backend, reduced to what Confam needs: add ids, once or repeatedly, take them out, count them. The queue is never the source of
 * truth: it may be emptied at any moment, and the dispatcher refills it from Postgres.
 */
import { Queue, runMigrations, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { openOutage } from './outages.ts';
import { connectionOptions, openPool, PostgresQueue, PostgresWorker } from './postgres-queue.ts';
import type { SilenceWatch } from './silence.ts';
import { redisTls, splitTls } from './store-tls.ts';

/** The data of a BullMQ job: an id and nothing else, so that no personal data can reach the queue. */
interface QueuedId {
  id: string;
}

export interface WorkQueue {
  /** Adds tickets. The same ticket twice is one job, as long as the first is still queued. A lower `priority` is taken first. */
  add(tickets: { id: string; priority: number }[]): Promise<void>;
  counts(): Promise<{ waiting: number; active: number }>;
  /** Adds this ticket now and again every `everyMs`. Repeated calls, from any process, change nothing. */
  repeat(id: string, everyMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface QueueWorker {
  /** Takes no more tickets; resolves when the running ones have ended. */
  close(): Promise<void>;
}

/** Queues to look at. */
export interface SeenQueues {
  queues: Queue[];
  close(): Promise<void>;
}

/** Besides those of the checks' families. */
export const WEBHOOK_QUEUE = 'webhooks';
export const LISTS_QUEUE = 'lists';

export interface QueueBackend {
  name: 'postgres' | 'redis';
  /** The queues of these names as BullMQ has them, over connections of their own. Nothing is put in or taken out by them. */
  see(names: readonly string[]): SeenQueues;
  /** Whether it can be written to, as far as its backend says so within this time. One on Postgres is as usable as the database. */
  isUsable(withinMs: number): Promise<boolean>;
  queue(name: string): WorkQueue;
  worker(name: string, concurrency: number, handle: (id: string) => Promise<void>): QueueWorker;
}

const JOB_NAME = 'ticket';
/** BullMQ notices a worker whose process died within two of these; the lease in Postgres is the fallback. */
const STALLED_INTERVAL_MS = 10_000;
const LOCK_MS = 20_000;
/**
 * Connections to a Postgres that holds the queues. Each queue opens `adding` in a process that fills it, and at most `working` and one for `listening` in a process that
 * takes from it. All queues share `looking` while somebody looks at them.
 */
export const QUEUE_CONNECTIONS = { adding: 1, working: 4, listening: 1, looking: 2 } as const;
/** How soon a worker looks again after a connection error; BullMQ's own 15 s would leave a pool idle long after the database is back. */
const RETRY_MS = 1_000;

/** A Redis that owes an answer and says nothing for this long is silent, and its connection is given up. BullMQ asks it to wait for at most 10 s. */
const REDIS_SILENT_MS = 20_000;

/** For migrations, which may take longer than the server, the database or the user allows. `transaction_timeout` is new in Postgres 17. */
export const LIFT_LIMITS = `
  select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Brings BullMQ's own tables up to date (Postgres backend only). BullMQ's advisory lock serializes it. */
export async function migrateQueue(config: Config, databaseUrl: string): Promise<void> {
  if (config.REDIS_URL) return;
  const { address, ...tls } = splitTls(databaseUrl);
  const client = new pg.Client({ connectionString: address, ...tls });
  await client.connect();
  try {
    await client.query(LIFT_LIMITS);
    await runMigrations(client, config.CONFAM_QUEUE_PREFIX);
  } finally {
    await client.end();
  }
}

export function openQueueBackend(config: Config, databaseUrl: string, log: Log, watch?: SilenceWatch): QueueBackend {
  const outage = openOutage(log, 'the queue reports errors', 'the queue has recovered');
  const report = (queue: string) => (error: Error) => outage(error, { queue });
  if (config.REDIS_URL) {
    // `maxRetriesPerRequest: null`: wait for a lost Redis instead of failing whatever is waiting for it.
    const lasting = { maxRetriesPerRequest: null, socketTimeout: REDIS_SILENT_MS, tls: redisTls(config) };
    const options = { connection: { url: config.REDIS_URL, ...lasting }, prefix: config.CONFAM_QUEUE_PREFIX };
    return {
      name: 'redis',
      see(names) {
        const redis = new Redis(config.REDIS_URL!, lasting);
        redis.setMaxListeners(0).on('error', report('board'));
        const queues = names.map((name) => new Queue(name, { ...options, connection: redis }).on('error', report(name)));
        return { queues, close: () => closeAll(queues, () => redis.disconnect(), report('board')) };
      },
      isUsable: (withinMs) => canWrite(config, withinMs),
      queue: (name) => wrapQueue(new Queue<QueuedId>(name, options).on('error', report(name)), report(name)),
      worker: (name, concurrency, handle) =>
        wrapWorker(
          new Worker<QueuedId>(name, (job) => handle(job.data.id), { ...options, ...workerOptions(concurrency) }).on('error', report(name)),
          report(name),
        ),
    };
  }
  const connection = (max: number) => connectionOptions(databaseUrl, config.CONFAM_QUEUE_PREFIX, max, watch);
  return {
    name: 'postgres',
    see(names) {
      const pool = openPool(databaseUrl, config.CONFAM_QUEUE_PREFIX, QUEUE_CONNECTIONS.looking, watch);
      // Each queue listens to it.
      pool.setMaxListeners(0).on('error', report('board'));
      const queues = names.map((name) => new PostgresQueue(name, { connection: pool }).on('error', report(name)) as unknown as Queue);
      return { queues, close: () => closeAll(queues, () => pool.end(), report('board')) };
    },
    isUsable: async () => true,
    queue: (name) =>
      wrapQueue(
        new PostgresQueue<QueuedId>(name, { connection: connection(QUEUE_CONNECTIONS.adding) }).on('error', report(name)),
        report(name),
      ),
    worker: (name, concurrency, handle) =>
      wrapWorker(
        new PostgresWorker<QueuedId>(name, (job) => handle(job.data.id), {
          connection: connection(Math.min(concurrency, QUEUE_CONNECTIONS.working)),
          ...workerOptions(concurrency),
        }).on('error', report(name)),
        report(name),
      ),
  };
}

/** Over a connection of its own, which tries once. A Redis that is full, loading or a replica answers but takes nothing. */
async function canWrite(config: Config, withinMs: number): Promise<boolean> {
  const redis = new Redis(config.REDIS_URL!, {
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: withinMs,
    commandTimeout: withinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    tls: redisTls(config),
  });
  // The promise says enough; without a listener the client would print it.
  redis.on('error', () => {});
  try {
    // It sets nothing, because there is no such key. Redis refuses it all the same if it would refuse a write.
    await redis.set(`${config.CONFAM_QUEUE_PREFIX}:probe`, '', 'XX');
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

async function closeAll(queues: Queue[], disconnect: () => unknown, report: Report): Promise<void> {
  await Promise.all(queues.map((queue) => queue.close().catch(report)));
  await Promise.resolve(disconnect()).catch(report);
}

type Report = (error: Error) => void;

function workerOptions(concurrency: number) {
  return {
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_INTERVAL_MS,
    maxStalledCount: 10,
    removeOnFail: { age: 3600 },
    runRetryDelay: RETRY_MS,
  };
}

const BULK_MIN = 10;

const removal = { removeOnComplete: true, removeOnFail: { age: 3600 } };
const optionsOf = (id: string, priority: number) => ({ jobId: `t-${id}`, priority, ...removal });

function wrapQueue(
  queue: Pick<Queue<QueuedId>, 'add' | 'addBulk' | 'getJobCounts' | 'upsertJobScheduler' | 'close'>,
  report: Report,
): WorkQueue {
  return {
    async add(tickets) {
      // On Postgres a bulk add creates temporary tables, which costs more than a few single adds.
      if (tickets.length <= BULK_MIN) {
        for (const { id, priority } of tickets) await queue.add(JOB_NAME, { id }, optionsOf(id, priority));
        return;
      }
      await queue.addBulk(tickets.map(({ id, priority }) => ({ name: JOB_NAME, data: { id }, opts: optionsOf(id, priority) })));
    },
    async counts() {
      const counts = await queue.getJobCounts('waiting', 'prioritized', 'active');
      return { waiting: (counts.waiting ?? 0) + (counts.prioritized ?? 0), active: counts.active ?? 0 };
    },
    async repeat(id, everyMs) {
      await queue.upsertJobScheduler(id, { every: everyMs }, { name: JOB_NAME, data: { id }, opts: removal });
    },
    // A lost connection cannot be closed properly, and need not be.
    close: () => queue.close().catch(report),
  };
}

function wrapWorker(worker: Pick<Worker<QueuedId>, 'close'>, report: Report): QueueWorker {
  return { close: () => worker.close().catch(report) };
}
