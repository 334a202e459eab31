import { defineConfig } from 'vitest/config';

/** Files that take most of a minute each: `npm run test:long` runs them. */
export const LONG: readonly string[] = [
  'test/aml/{rescreen-many,screenings}.test.ts',
  'test/api/{neighbour,openapi-clients,slow-downloads,upstream-confam}.test.ts',
  'test/browser/{restart,states}.test.ts',
  'test/docs/reference-calls.test.ts',
  'test/embedded/places.test.ts',
  'test/engines/email/corpus.test.ts',
  'test/engines/aml/accuracy.test.ts',
  'test/engines/face/{accuracy,liveness,turned}.test.ts',
  'test/lifecycle/index-keys.test.ts',
  'test/workers/silence.test.ts',
  'test/process/{backup,companion,console,crash,deployment,doctor,fuzz,in-the-clear,lifecycle,lists,offboarding,old-release,postgres-dies,restore,rolling-update,rotation,shutdown,slow-downloads,stopping,upgrade}.test.ts',
];

export const common = {
  globalSetup: ['test/setup/services.ts'],
  setupFiles: ['test/setup/after-each-file.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Tests that start and kill processes can be starved of their time on a machine that does other work too; a second failure counts.
  retry: process.env.CI ? 1 : 0,
  pool: 'forks' as const,
};

export default defineConfig({
  test: {
    ...common,
    include: ['test/**/*.test.ts'],
    exclude: ['test/chaos/**', ...LONG, 'node_modules/**'],
    // Each file has a database and queues of its own. Two cores: a file waits a third of its time, for limits, leases and processes.
    maxWorkers: 3,
    // Files of one worker share its modules: loading and compiling the service anew for each took a third of the whole time.
    isolate: false,
  },
});
