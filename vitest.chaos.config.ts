import { defineConfig } from 'vitest/config';

/** `npm run chaos`: CHAOS_SECONDS of it (default 60) on each queue backend, repeatable as far as chaos is by CHAOS_SEED. */
export default defineConfig({
  test: {
    include: ['test/chaos/**/*.test.ts'],
    globalSetup: ['test/setup/services.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
