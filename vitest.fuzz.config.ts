import { defineConfig } from 'vitest/config';

/** `npm run fuzz`: a hundred thousand requests, or FUZZ_REQUESTS, repeatable by FUZZ_SEED; then 20,000 of bad input (BADINPUT_CASES, BADINPUT_SEED). */
export default defineConfig({
  test: {
    include: ['test/process/fuzz.test.ts', 'test/api/bad-input.test.ts'],
    globalSetup: ['test/setup/services.ts'],
    env: { FUZZ_REQUESTS: process.env.FUZZ_REQUESTS ?? '100000', BADINPUT_CASES: process.env.BADINPUT_CASES ?? '20000' },
    testTimeout: 600_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
