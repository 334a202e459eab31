import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/chaos/**', 'node_modules/**'],
    globalSetup: ['test/setup/services.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests that start and kill processes can be starved of their time on a machine that does other work too; a second failure counts.
    retry: process.env.CI ? 1 : 0,
    pool: 'forks',
    // Each file has a database and queues of its own. Two cores: a file waits half of its time, for limits, leases and processes.
    maxWorkers: 4,
  },
});
