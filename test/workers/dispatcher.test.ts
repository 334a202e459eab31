/** Several dispatchers, of which one leads. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Router } from '../../src/providers/router.ts';
import { startDispatcher } from '../../workers/dispatcher.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let bench: Bench;

beforeAll(async () => {
  bench = await openBench(database, { extra: { CONFAM_CHUNK_MAX: '10', CONFAM_WINDOW_CHUNKS: '2' } });
});
afterAll(() => bench.service.close());

test('a leader whose rounds fail gives up the lead to one that can work', async () => {
  const { service } = bench;
  let failures = 0;
  const router: Router = {
    ...service.router,
    budgets: () => {
      failures++;
      throw new Error('a fault of this process alone');
    },
  };
  await uploadNins(service, await makeOwner(service), Array.from({ length: 20 }, freshNin));
  const broken = startDispatcher({ ...service, router });
  await waitFor('a round to fail', () => failures > 0);
  const leased = async () => (await service.sql`select 1 from chunks`).length;
  expect(await leased()).toBe(0);
  const sound = startDispatcher(service);
  await waitFor('work to be leased', async () => (await leased()) > 0, 5_000);
  await Promise.all([broken.close(), sound.close()]);
});
