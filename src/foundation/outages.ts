import type { Log } from './log.ts';

/** An outage is over after this long without an error. Connecting may take 4 s, and every caller tries again sooner than this. */
const WELL_MS = 10_000;

/** Logs when an outage begins and when it is over, with the number of errors: an outage of a minute makes hundreds. */
export function openOutage(log: Log, begins: string, ends: string): (error: unknown, about?: Record<string, string>) => void {
  let lost: { since: number; errors: number; over: NodeJS.Timeout } | null = null;
  const well = () => {
    log.info({ errors: lost!.errors, ms: Math.round(performance.now() - lost!.since) - WELL_MS }, ends);
    lost = null;
  };
  return (error, about) => {
    if (lost) {
      lost.errors++;
      lost.over.refresh();
      return;
    }
    lost = { since: performance.now(), errors: 1, over: setTimeout(well, WELL_MS).unref() };
    log.warn({ ...about, err: error }, begins);
  };
}
