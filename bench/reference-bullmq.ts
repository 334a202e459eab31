/**
 * Reference for throughput: BullMQ alone with `JOBS` jobs that do nothing. Adds them all, then starts a worker and measures the time until the last one is
 * done. Prints `{"perSecond"}`.
 */
import { createPostgresBackend, Queue, runMigrations, Worker, withBackend } from 'bullmq';
import pg from 'pg';

const SLICE = 2_000;
const CONCURRENCY = 200;
/** Connections of the Postgres backend: pg's default. Between 1 and 40 the rate was the same within the noise. */
const POOL_MAX = 10;

const { DATABASE_URL, REDIS_URL } = process.env;
const JOBS = Number(process.env.JOBS);
const name = `noop${process.pid}`;

const backend = REDIS_URL ? onRedis(REDIS_URL) : await onPostgres(DATABASE_URL!);
const queue = backend.queue();
for (let done = 0; done < JOBS; done += SLICE) {
  await queue.addBulk(
    Array.from({ length: Math.min(SLICE, JOBS - done) }, (_, i) => ({
      name: 'noop',
      data: { id: done + i },
      opts: { removeOnComplete: true },
    })),
  );
}
const began = performance.now();
const worker = backend.worker();
let completed = 0;
await new Promise<void>((resolve) => {
  worker.on('completed', () => {
    if (++completed === JOBS) resolve();
  });
});
console.log(JSON.stringify({ perSecond: JOBS / ((performance.now() - began) / 1000) }));
await worker.close();
await queue.close();
process.exit(0);

function onRedis(url: string) {
  const options = { connection: { url, maxRetriesPerRequest: null }, prefix: 'reference' };
  return {
    queue: () => new Queue(name, options),
    worker: () => new Worker(name, async () => {}, { ...options, concurrency: CONCURRENCY }),
  };
}

async function onPostgres(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await runMigrations(client, 'reference');
  await client.end();
  const { Queue: PostgresQueue, Worker: PostgresWorker } = withBackend(createPostgresBackend);
  const connection = { connectionString, schema: 'reference', max: POOL_MAX };
  return {
    queue: () => new PostgresQueue(name, { connection }),
    worker: () => new PostgresWorker(name, async () => {}, { connection, concurrency: CONCURRENCY }),
  };
}
