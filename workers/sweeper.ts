/** Runs the sweeps on their clocks. Several may run: each sweep is safe twice. */
import type { Context } from '../src/context.ts';
import { audit, measure, sweepExpired, sweepWork } from '../src/sweep.ts';

const CLOCKS: [name: string, everyMs: number, sweep: (ctx: Context) => Promise<void>][] = [
  ['work', 1_000, sweepWork],
  ['expired', 60_000, sweepExpired],
  ['measure', 10_000, measure],
  ['audit', 300_000, audit],
];

export function startSweeper(ctx: Context): { close(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const timers = CLOCKS.map(([name, everyMs, sweep]) => {
    let busy = false;
    return setInterval(() => {
      if (busy) return;
      busy = true;
      const turn = sweep(ctx)
        .catch((error) => ctx.log.error({ sweep: name, err: error }, 'sweep failed'))
        .finally(() => {
          busy = false;
          running.delete(turn);
        });
      running.add(turn);
    }, everyMs);
  });
  return {
    async close() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
