/** Thousands of monitored people are rescreened: by several processes, by some that are killed, and without keeping calls waiting. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { openRescreen } from '../../src/aml/rescreen.ts';
import type { ListEntry } from '../../src/engines/aml/list.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { waitFor } from '../setup/database.ts';
import { makeListenerOf, rescreensOf, toldTo, useRescreening } from '../setup/listeners.ts';
import { listed, numbered, putVersion, watchMany } from '../setup/lists.ts';

const LIST = 'un_sc';
const AT_ONCE = { lagMs: 0, overlapMs: 0 };

const { database, service: open } = useRescreening();
let service: Service;
beforeAll(() => {
  service = open();
});

const rescreen = () => openRescreen(service, AT_ONCE)();
const runs = () => rescreensOf(service);

const MANY = 3_500;
const everyTenth = (): ListEntry[] => Array.from({ length: MANY / 10 }, (_, i) => listed(`T.${i}`, numbered('Many People', i * 10)));

async function expectToldOnce(owner: Owner, times = 1): Promise<void> {
  const events = await toldTo(service, owner);
  expect(events).toHaveLength((times * MANY) / 10);
  expect(new Set(events.map(({ monitor, list_version }) => `${monitor} ${list_version}`)).size).toBe(events.length);
  const [hits] = await service.sql<{ n: number }[]>`select count(*)::int as n from aml_monitor_hits`;
  expect(hits!.n).toBe((times * MANY) / 10);
}

describe('many monitors', () => {
  test('are each screened once and reported once by several processes at the same time', async () => {
    const owner = await makeListenerOf(service);
    await watchMany(service, owner, 'Many People', MANY);
    await putVersion(service, LIST, everyTenth());
    await putVersion(service, 'eu_fsf', everyTenth());
    const contexts = Array.from({ length: 4 }, () => database.openContext());
    const processes = contexts.map((ctx) => openRescreen(ctx, AT_ONCE));
    while ((await runs()).some(({ finished }) => !finished)) await Promise.all(processes.map((one) => one()));
    await Promise.all(contexts.map((ctx) => ctx.close()));
    expect(await runs()).toMatchObject([
      { screened: MANY, hits: MANY / 10 },
      { screened: MANY, hits: MANY / 10 },
    ]);
    await expectToldOnce(owner, 2);
  });

  test('that were renewed meanwhile follow page by page', async () => {
    const owner = await makeListenerOf(service);
    await watchMany(service, owner, 'Many People', MANY);
    await putVersion(service, LIST, everyTenth());
    const patient = openRescreen(service, { lagMs: 0, overlapMs: 60_000 });
    await patient();
    await service.sql`update aml_rescreens set created_at = now() - interval '61 seconds'`;
    await service.sql`update aml_monitors set renewed_at = now()`;
    await patient();
    expect(await runs()).toMatchObject([{ finished: true, screened: 2 * MANY, hits: MANY / 10 }]);
    await expectToldOnce(owner);
  });

  test('are reported once when a process is killed in the middle of a page', async () => {
    const owner = await makeListenerOf(service);
    await watchMany(service, owner, 'Many People', MANY);
    await putVersion(service, LIST, everyTenth());
    for (const [killAt, done] of [
      [1_500, 1_000],
      [600, 1_000],
      [1_700, 2_000],
    ]) {
      const child = spawn(process.execPath, ['--import', 'tsx', 'test/fixtures/rescreener.ts'], {
        cwd: packageRoot(),
        env: { ...process.env, ...database.environment, KILL_AT: String(killAt) },
      });
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe('SIGKILL');
      expect(await runs()).toMatchObject([{ screened: done, finished: false }]);
      expect(await toldTo(service, owner)).toHaveLength(done! / 10);
    }
    // The server may not have noticed yet that the last process is gone, and still holds its lock on the version.
    await waitFor('the rest', async () => {
      await rescreen();
      return (await runs())[0]!.finished;
    });
    expect(await runs()).toMatchObject([{ screened: MANY, hits: MANY / 10 }]);
    await expectToldOnce(owner);
  }, 60_000);

  test("never block the process's calls for long", async () => {
    const owner = await makeListenerOf(service);
    await watchMany(service, owner, 'Many People', MANY);
    await putVersion(service, LIST, everyTenth());
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const p99Ms = async (work: Promise<unknown>): Promise<number> => {
      delay.reset();
      delay.enable();
      await work;
      delay.disable();
      return delay.percentile(99) / 1e6;
    };
    // A busy machine delays even an idle process.
    const idle = await p99Ms(sleep(1_000));
    const busy = await p99Ms(rescreen());
    expect(await runs()).toMatchObject([{ screened: MANY, finished: true }]);
    expect(busy - idle).toBeLessThan(60);
  });
});
