/**
 * A batch of 20,000 rows against a vendor that fails a third of the questions: 20 % errors, 5 % without an answer, 5 % 429. Its workers are
 * killed once in the middle. Every row must end as the registry has it, and each found row must be charged once, whatever the vendor did.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { backends, createDatabase } from '../setup/database.ts';
import { client, expectExactBooks, killConfams, makeApp, ninRows, startConfam, untilReady } from '../setup/process.ts';

const ROWS = 20_000;
const SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** With 12 attempts that each fail one time in four, one row in sixteen million fails them all. */
const FAILURES_MAX = '12';

afterAll(killConfams);

describe.each(backends())('a vendor in chaos with the queue on %s', (backend) => {
  test(`every row ends right and is charged once (CHAOS_SEED=${SEED})`, async () => {
    const simulator = await startSimulator({
      script: {
        latency_ms: { min: 10, max: 60 },
        error_rate: 0.2,
        hang_rate: 0.05,
        rate_limited_rate: { share: 0.05, retry_after_seconds: null },
        seed: SEED,
      },
    });
    const folder = mkdtempSync(join(tmpdir(), 'confam-chaos-'));
    const database = await createDatabase(backend);
    const sql = postgres(database.url, { max: 2, onnotice: () => {} });
    const app = await makeApp(database);
    const upstreams = join(folder, 'upstreams.json');
    const credentials = { key: { env: 'SIMULATOR_KEY' }, app_id: { env: 'SIMULATOR_KEY' } };
    const vendor = {
      adapter: 'native',
      base_url: simulator.url,
      credentials,
      timeout_ms: 1_000,
      in_flight_max: 100,
      cost_kobo: { nin: 80_00 },
    };
    writeFileSync(upstreams, JSON.stringify({ providers: { vendor }, records: { nin: ['vendor'] } }));
    const port = await freePort();
    const environment = {
      ...database.environment,
      PORT: String(port),
      CONFAM_UPSTREAMS: upstreams,
      SIMULATOR_KEY: 'cf_live_of_the_simulator',
      CONFAM_JOB_FAILURES_MAX: FAILURES_MAX,
      CONFAM_JOB_BACKOFF_MS: '100',
      CONFAM_LEASE_MS: '5000',
      CONFAM_LOG_LEVEL: 'warn',
    };
    try {
      const processes = [['api'], ['dispatcher'], ['worker'], ['worker']].map((args) => startConfam(args, environment));
      await untilReady(processes[0]!, port);
      const user = client(`http://127.0.0.1:${port}`, app.liveKey, app.appId);
      const { csv, found, notFound } = ninRows(ROWS);
      const began = performance.now();
      const id = await user.upload(csv, 'checks=nin_basic&map.reference=ref');
      await user.until(id, 'to be half done', ({ counts }) => counts.completed > ROWS / 2, 600_000);
      await processes[3]!.kill();
      startConfam(['worker'], environment);
      const ended = await user.until(id, 'to end', ({ status }) => status === 'completed', 600_000);
      const seconds = Math.round((performance.now() - began) / 1_000);
      expect(ended.counts).toMatchObject({ found, not_found: notFound, failed: 0, canceled: 0 });
      expect(ended.billed_amount).toBe(found * 125);
      const { revenueKobo } = await expectExactBooks(database.url);
      expect(revenueKobo).toBe(found * 125_00);
      const stats = simulator.stats();
      const [{ asked, cost }] = (await sql`
        select count(*)::int as asked, sum(cost_kobo)::float8 as cost from provider_lookups`) as unknown as [
        { asked: number; cost: number },
      ];
      // Only the vendor knows what a killed worker had asked, and it was asked again.
      expect(asked).toBeLessThanOrEqual(stats.requests);
      expect(cost / 80_00).toBeGreaterThanOrEqual(found);
      console.log(
        `${backend}: ${ROWS} rows in ${seconds} s, ${stats.requests} questions, ${stats.billed.found - found} of them answered twice`,
      );
    } finally {
      await killConfams();
      await sql.end();
      await simulator.close();
      await database.drop();
      rmSync(folder, { recursive: true });
    }
  });
});
