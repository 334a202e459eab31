/** What two hundred open pages of a batch cost the service, while the batch waits and while it runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { untilStarted } from './batch.ts';
import type { Figure, Report } from './figure.ts';
import { type Bench, type Confam, type Options, type Size, sized } from './harness.ts';
import type { Headers } from './load.ts';
import { cpuSeconds } from './memory.ts';
import { signIn } from './signed-in.ts';
import { openStreams } from './sse.ts';

const PAGES: Size = { full: 200, tiny: 20 };
/** How long the service is observed with the pages, and as long without them. */
const OBSERVED_SECONDS: Size = { full: 20, tiny: 1 };
/** Of the vendor behind the batch, which must run for as long as it is observed. */
const ROWS_PER_SECOND = 100;
const SHARE_MAX = 0.05;

interface Cost {
  /** Shares of a core. */
  without: number | null;
  withPages: number | null;
  share: number | null;
  /** A second. */
  events: number;
}

/** An open page is a stream of events, with the cookie of its session. It reads everything else when it is opened or a status changes. */
export async function consolePages(bench: Bench, options: Options): Promise<Report> {
  const [count, seconds] = [sized(options, PAGES), sized(options, OBSERVED_SECONDS)];
  const simulator = await bench.startSimulator({ latency_ms: 50 });
  const settings = { requests_per_second: ROWS_PER_SECOND, in_flight_max: 50, timeout_ms: 5_000 };
  const confam = await bench.startConfam(options.backend, bench.upstreams({ nin: { simulator, settings } }));
  const app = await confam.createApp('Pages', 'live');
  const headers = { Cookie: await signIn(confam, app), AppId: app.headers.AppId!, 'Confam-Mode': 'live' };
  const waiting = await app.upload(10, { start: 'manual' });
  const waits = await costOfPages(confam, headers, waiting.id, count, seconds);
  const running = await app.upload(ROWS_PER_SECOND * (2 * seconds + 10));
  await untilStarted(confam.sql, running.id);
  const runs = await costOfPages(confam, headers, running.id, count, seconds);
  await confam.stop();
  await simulator.stop();
  const figureOf = (what: string, { share, events }: Cost): Figure => ({
    what: `processor time of the API for ${count} open pages of a batch that ${what}`,
    measured: share === null ? 'unknown: not Linux' : `${(share * 100).toFixed(1)} % of a core, ${events} events/s`,
    target: `≤ ${SHARE_MAX * 100} %`,
    ...(share !== null && { ok: share <= SHARE_MAX }),
  });
  return { figures: [figureOf('waits', waits), figureOf('runs', runs)], detail: { waits, runs } };
}

async function costOfPages(confam: Confam, headers: Headers, batchId: string, count: number, seconds: number): Promise<Cost> {
  const shareOfCore = async () => {
    const before = cpuSeconds(confam.pid);
    await sleep(seconds * 1000);
    const after = cpuSeconds(confam.pid);
    return before === null || after === null ? null : (after - before) / seconds;
  };
  await sleep(1_000);
  const without = await shareOfCore();
  let events = 0;
  const streams = await openStreams(confam, { headers }, batchId, count, (text) => {
    events += text.split('event: ').length - 1;
  });
  // Opening them is not counted.
  await sleep(1_000);
  events = 0;
  const withPages = await shareOfCore();
  streams.close();
  const share = without === null || withPages === null ? null : Math.max(0, withPages - without);
  return { without, withPages, share, events: Math.round(events / seconds) };
}
