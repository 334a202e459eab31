/** SIGTERM while a deployment's connections are being cut: every process ends well, without cryptic output. */

import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { backends, useDatabase, waitFor } from '../setup/database.ts';
import { killConfams, loadFactor, startConfam, untilReady } from '../setup/process.ts';

const ROUNDS = 2;

describe.each(backends())('a deployment with its queue on %s', (backend) => {
  const database = useDatabase(backend);
  let sql: postgres.Sql;
  beforeAll(async () => {
    sql = postgres(database.url, { max: 1, onnotice: () => {}, connection: { application_name: 'outsider' } });
  });
  afterAll(async () => {
    await killConfams();
    await sql.end();
  });

  test('ends with code 0 and nothing on standard error, and reports lost queue connections once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const port = await freePort();
      const environment = { ...database.environment, PORT: String(port), CONFAM_LOG_LEVEL: 'info' };
      const all = [['api'], ['worker', '--families', 'nin,bvn'], ['dispatcher']].map((args) => startConfam(args, environment));
      await untilReady(all[0]!, port);
      await waitFor('all to start', () => all.every((one) => one.stdout().includes('"started"')), 40_000);
      let over = false;
      const cutting = (async () => {
        while (!over) {
          await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name <> 'outsider' and pid <> pg_backend_pid()`;
          await sleep(20);
        }
      })();
      await sleep(50 + round * 300);
      for (const one of all) one.signal('SIGTERM');
      const ends = await Promise.all(all.map((one) => one.ended(20_000 * loadFactor())));
      over = true;
      await cutting;
      expect(
        ends.map(({ code }) => code),
        all.map((one) => one.stderr()).join('\n'),
      ).toEqual([0, 0, 0]);
      expect(all.map((one) => one.stderr())).toEqual(['', '', '']);
      for (const one of all) {
        const warnings = one
          .stdout()
          .split('\n')
          .filter((line) => line.includes('the queue reports errors'));
        expect(warnings.length).toBeLessThanOrEqual(1);
      }
    }
  }, 240_000);
});
