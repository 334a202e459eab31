import { defineConfig } from 'vitest/config';

/** `npm run fuzz`: a hundred thousand requests, or FUZZ_REQUESTS; repeatable by FUZZ_SEED. */
export default defineConfig({
  test: {
    include: ['test/process/fuzz.test.ts'],
    globalSetup: ['test/setup/services.ts'],
    env: { FUZZ_REQUESTS: process.env.FUZZ_REQUESTS ?? '100000' },
    hookTimeout: 60_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
