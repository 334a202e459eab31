/** Pools keep their vendors as busy as the vendors' limits allow, and stay bounded themselves. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/provider.ts';
import { type Dispatching, startDispatcher } from '../../workers/dispatcher.ts';
import { type Pools, startPools } from '../../workers/pools.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let bench: Bench;
let vendor: Sandbox;
let pools: Pools;
let dispatching: Dispatching;
const IN_FLIGHT = 30;

beforeEach(async () => {
  vendor = createSandbox({ name: 'slow', latencyMs: { nin: 4_000 }, budget: { inFlightMax: IN_FLIGHT } });
  bench = await openBench(database, { providers: [vendor], extra: { CONFAM_CHUNK_MAX: '2', CONFAM_POOL_CONCURRENCY: '2' } });
  pools = startPools(bench.service, ['nin']);
  dispatching = startDispatcher(bench.service);
});
afterEach(async () => {
  await dispatching.close();
  await pools.close(5_000);
  await bench.service.close();
});

describe('a pool with a slow vendor', () => {
  it('has as many jobs at the vendor as its limit allows, however small its chunks', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: IN_FLIGHT * 4 }, freshNin));
    // Two slots with two jobs each would ask for four of them before the first answer.
    await waitFor('the vendor to be full', () => vendor.calls.total >= IN_FLIGHT);
    const [early] = await bench.service.sql<{ completed: number }[]>`select completed from batches where id = ${batch.id}`;
    expect(early!.completed).toBe(0);
    expect(vendor.calls.total).toBe(IN_FLIGHT);
    await waitFor('the next jobs to follow the first answers', () => vendor.calls.total >= 2 * IN_FLIGHT);
    const [later] = await bench.service.sql<{ leased: number }[]>`select leased from batches where id = ${batch.id}`;
    // Waiting work is bounded all the same: two chunks in the pool, eight in the window.
    expect(later!.leased).toBeLessThanOrEqual(IN_FLIGHT + 2 * (2 + 8));
  });
});
