/** Runs the sweeps on their schedules. Several sweepers may run: each sweep is safe to run twice. */
import { openRescreen } from '../src/aml/rescreen.ts';
import { openSandboxRescreen } from '../src/aml/sandbox-rescreen.ts';
import type { Context } from '../src/foundation/context.ts';
import { isDatabaseAway } from '../src/foundation/database-faults.ts';
import { openOutage } from '../src/foundation/outages.ts';
import { dropDeletedMonths } from '../src/lifecycle/drop-months.ts';
import { advanceErasures } from '../src/lifecycle/erase.ts';
import { dropExpired } from '../src/lifecycle/expired.ts';
import { advanceExports } from '../src/lifecycle/export.ts';
import { FailedItems } from '../src/lifecycle/failed-items.ts';
import { openMarker } from '../src/lifecycle/mark-rows.ts';
import { openResultMover } from '../src/lifecycle/move-results.ts';
import { keepPartitions } from '../src/lifecycle/partitions.ts';
import { purgeDeleted } from '../src/lifecycle/purge.ts';
import { purgeApps } from '../src/lifecycle/purge-app.ts';
import { sweepRetention } from '../src/lifecycle/retention.ts';
import type { Service } from '../src/pipeline/service.ts';
import { compareLedger, forgetMeasured, measure, sealAudit, sweepExpired, sweepWork } from '../src/pipeline/sweep.ts';

/** `failed`: items that this sweep could not do, remembered until the process ends. */
type Clock = [name: string, everyMs: number, sweep: (ctx: Context, stop: AbortSignal, failed: FailedItems) => Promise<unknown>];

const CLOCKS: Clock[] = [
  ['work', 1_000, sweepWork],
  ['expired', 60_000, sweepExpired],
  ['expired in steps', 60_000, dropExpired],
  ['deletions', 1_000, deleteMarked],
  ['apps', 1_000, purgeApps],
  ['erasures', 1_000, advanceErasures],
  ['exports', 1_000, advanceExports],
  ['retention', 120_000, (ctx, stop) => sweepRetention(ctx, stop)],
  ['partitions', 60_000, keepPartitions],
  ['measure', 10_000, measure],
  ['audit', 60_000, sealAudit],
  ['ledger', 300_000, compareLedger],
];

/** Whole months first: their rows need not be deleted one by one. If a month cannot be dropped, the other deletions still go ahead. */
async function deleteMarked(ctx: Context, stop: AbortSignal, failed: FailedItems): Promise<void> {
  try {
    await dropDeletedMonths(ctx, stop);
  } finally {
    await purgeDeleted(ctx, stop, failed);
  }
}

export function startSweeper(ctx: Service): { close(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  const stop = new AbortController();
  const outage = openOutage(ctx.log, 'sweeps fail without the database', 'sweeps have the database again');
  const rescreen = openRescreen(ctx);
  const moveResults = openResultMover(ctx);
  const markRows = openMarker(ctx);
  const clocks: Clock[] = [
    ...CLOCKS,
    ['row marks', 5_000, (_, signal, failed) => markRows(signal, failed)],
    ['results', 5_000, (_, signal) => moveResults(signal)],
    ['monitors', 1_000, (_, signal) => rescreen(signal)],
    ['sandbox monitors', 1_000, openSandboxRescreen(ctx, ctx.sandboxLists)],
  ];
  const timers = clocks.map(([name, everyMs, sweep]) => {
    const failed = new FailedItems();
    ctx.metrics.sweepFailures.inc({ sweep: name }, 0);
    let busy = false;
    return setInterval(() => {
      if (busy) return;
      busy = true;
      const turn = sweep(ctx, stop.signal, failed)
        .catch((error) => {
          ctx.metrics.sweepFailures.inc({ sweep: name });
          if (isDatabaseAway(error)) outage(error, { sweep: name });
          else ctx.log.error({ sweep: name, err: error }, 'sweep failed');
        })
        .finally(() => {
          busy = false;
          running.delete(turn);
        });
      running.add(turn);
    }, everyMs);
  });
  return {
    async close() {
      stop.abort();
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
      forgetMeasured(ctx);
    },
  };
}
