import { defineConfig } from 'vitest/config';

/** Files that mostly wait (for time limits, leases, stores that are away), and so run four at a time; the others wait enough for three. */
const WAITING = [
  'test/api/{connections,rate-limit,sign-ins,slow-downloads,slow-uploads,upstreams,webhooks}.test.ts',
  'test/embedded/embedded.test.ts',
  'test/foundation/{connections,leadership,outage}.test.ts',
  'test/process/{freeze,lists,postgres-dies,slow-downloads}.test.ts',
  'test/providers/router.test.ts',
  'test/workers/pools.test.ts',
];
const NOT_HERE = ['test/chaos/**', 'node_modules/**'];

const common = {
  globalSetup: ['test/setup/services.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Tests that start and kill processes can be starved of their time on a machine that does other work too; a second failure counts.
  retry: process.env.CI ? 1 : 0,
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    // Each file has a database and queues of its own; two cores. The groups run one after the other.
    projects: [
      { test: { ...common, name: 'waiting', include: WAITING, exclude: NOT_HERE, maxWorkers: 4, sequence: { groupOrder: 0 } } },
      {
        test: {
          ...common,
          name: 'working',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_HERE, ...WAITING],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
