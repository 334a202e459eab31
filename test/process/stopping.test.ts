/** Stopping `confam start` at a bad moment: during its first start, and in the middle of a batch. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../setup/database.ts';
import {
  client,
  embeddedServer,
  expectExactBooks,
  loadFactor,
  ninRows,
  processesMentioning,
  readSandbox,
  startConfam,
} from '../setup/process.ts';
import { expectToStop, report, STOP_MS, start, useDataDirs } from '../setup/starting.ts';

const dataDir = useDataDirs();

test('Ctrl-C during a first start leaves no process, and the next start succeeds', async () => {
  const fresh = dataDir();
  for (const waitMs of [400, 1_200]) {
    const confam = startConfam(['start'], { CONFAM_DATA_DIR: fresh, PORT: '0' });
    // While it makes the database, and while it migrates it.
    await sleep(waitMs);
    confam.interrupt();
    await confam.ended(STOP_MS * loadFactor());
    await waitFor('everything to end', () => processesMentioning(fresh).length === 0);
  }
  const { confam } = await start(fresh);
  confam.signal('SIGTERM');
  await expectToStop(confam, fresh);
}, 90_000);

describe('stopping in the middle of a batch', () => {
  const ROWS = 16_000;

  test('SIGTERM and Ctrl-C drain in time, and the batch continues after each start to exact counts', async () => {
    const folder = dataDir();
    const rows = ninRows(ROWS);
    const latency = { CONFAM_SANDBOX_LATENCY_MS: '50' };
    let { confam, port } = await start(folder, latency);
    const { test_key, app_id } = readSandbox(folder);
    const api = () => client(`http://127.0.0.1:${port}`, test_key, app_id);
    const id = await api().upload(rows.csv, 'checks=nin_advance&map.reference=ref');
    let done = 0;
    for (const stop of ['SIGTERM', 'SIGINT'] as const) {
      const batch = await api().until(id, 'to get on', ({ counts }) => counts.completed >= done + 3_000 && counts.leased > 0);
      expect(batch.status, 'stopped in the middle').toBe('running');
      if (stop === 'SIGTERM') confam.signal(stop);
      else confam.interrupt();
      const ms = await expectToStop(confam, folder);
      report(`${stop} at ${batch.counts.completed} of ${ROWS}`, ms, STOP_MS);
      ({ confam, port } = await start(folder, latency));
      const after = await api().batch(id);
      expect(after.counts.completed).toBeGreaterThanOrEqual(batch.counts.completed);
      done = after.counts.completed;
      expect(done, 'still in the middle').toBeLessThan(ROWS);
    }
    const ended = await api().until(id, 'to complete', ({ status }) => status === 'completed', 60_000);
    expect(ended.counts).toMatchObject({
      rows: ROWS,
      completed: ROWS,
      found: rows.found,
      not_found: rows.notFound,
      failed: 0,
      canceled: 0,
    });
    expect(ended.billed_amount).toBe(rows.found * 125);
    expect(await expectExactBooks(embeddedServer(folder).url)).toEqual({ revenueKobo: rows.found * 125_00, jobs: ROWS });
    confam.signal('SIGTERM');
    await expectToStop(confam, folder);
  }, 240_000);
});
