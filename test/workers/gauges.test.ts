/** Gauges of work that only one process does at a time disappear with it: `/metrics` adds up those of all processes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { families } from '../../src/checks/catalog.ts';
import { measure } from '../../src/pipeline/sweep.ts';
import { startDispatcher } from '../../workers/dispatcher.ts';
import { startSweeper } from '../../workers/sweeper.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(database, { extra: { CONFAM_CHUNK_MAX: '10', CONFAM_WINDOW_CHUNKS: '2' } });
  await uploadNins(bench.service, await makeOwner(bench.service), Array.from({ length: 100 }, freshNin));
});
afterAll(() => bench.service.close());

const depths = async () => (await bench.service.metrics.queueDepth.get()).values;
const untilMeasured = () => waitFor('the depth of the queues', async () => (await depths()).length === families.length);

test('a dispatcher that ends, or loses the lead, forgets the depth of the queues', async () => {
  const first = startDispatcher(bench.service);
  await untilMeasured();
  await first.close();
  expect(await depths()).toEqual([]);

  const second = startDispatcher(bench.service);
  await untilMeasured();
  await bench.service.sql`update leads set token = token + 1, held_until = now() + interval '1 hour' where name = 'dispatcher'`;
  await waitFor('the depth to be forgotten', async () => (await depths()).length === 0);
  await second.close();
});

test('a sweeper that ends forgets what it measured', async () => {
  const { jobsQueued, ledgerDrift } = bench.service.metrics;
  await measure(bench.service);
  ledgerDrift.set(7);
  const { values } = await jobsQueued.get();
  expect(values.map(({ labels, value }) => [labels.family, value])).toEqual(families.map((family) => [family, family === 'nin' ? 80 : 0]));
  await startSweeper(bench.service).close();
  expect((await jobsQueued.get()).values).toEqual([]);
  expect((await ledgerDrift.get()).values[0]!.value).toBe(0);
});
