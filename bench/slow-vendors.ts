/**
 * Batches for vendors that take from a tenth of a second to half a minute, each with a limit on calls in flight, side by side in one Confam. Such a vendor
 * can carry `in flight ÷ latency`. The figures show what share of that is reached over minutes, as counted by the vendors. A good part of a quick vendor's latency is the
 * way there and back, so it is compared with what the same number of concurrent requests reaches without Confam.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleCsv } from './batch.ts';
import { type Figure, type Report, times } from './figure.ts';
import { type Bench, type Options, type Size, sized } from './harness.ts';
import type { Simulator } from './simulator.ts';
import { answersWithoutConfam } from './without-confam.ts';

/** Each in its own family, as different vendors are. */
const VENDORS = [
  { kind: 'nin', check: 'nin_basic', latencyMs: 100 },
  { kind: 'bvn', check: 'bvn_full', latencyMs: 1_000 },
  { kind: 'tin', check: 'tin', latencyMs: 3_000 },
  { kind: 'cac', check: 'cac_basic', latencyMs: 10_000 },
  { kind: 'drivers_license', check: 'drivers_license', latencyMs: 30_000 },
];
const IN_FLIGHT = 50;
const TIMEOUT_MS = 60_000;
const SHARE_MIN = 0.9;
/** A vendor below this is quick. */
const QUICK_MS = 500;
const WITHOUT_CONFAM_SECONDS: Size = { full: 10, tiny: 1 };
const LOOK_MS = 100;
const MINUTE_MS = 60_000;
/** Until the slowest vendor has answered twice. */
const WARM_UP_MS: Size = { full: 65_000, tiny: 3_000 };
/** In a tiny run vendors are this many times as quick, except the quickest. */
const TINY_QUICKER = 20;
const TINY_LATENCY_MS_MIN = 100;
/** Each is a process, which takes seconds to start. */
const TINY_VENDORS = 2;

interface Watched {
  check: string;
  latencyMs: number;
  /** Answers a second that it can give. */
  carries: number;
  /** Mean number in flight, by minute. */
  minutes: number[];
  /** Requests that arrived in that time. */
  requests: number;
}

export async function slowVendors(bench: Bench, options: Options): Promise<Report> {
  const { backend, minutes } = options;
  const vendors = await Promise.all(
    VENDORS.slice(0, sized(options, { full: VENDORS.length, tiny: TINY_VENDORS })).map(async ({ kind, check, latencyMs: fullMs }) => {
      const latencyMs = sized(options, { full: fullMs, tiny: Math.max(TINY_LATENCY_MS_MIN, fullMs / TINY_QUICKER) });
      const simulator = await bench.startSimulator({ latency_ms: latencyMs });
      const carries =
        latencyMs < QUICK_MS
          ? await answersWithoutConfam(simulator, check, IN_FLIGHT, sized(options, WITHOUT_CONFAM_SECONDS))
          : (IN_FLIGHT * 1_000) / latencyMs;
      return { kind, check, latencyMs, carries, simulator };
    }),
  );
  const settings = { in_flight_max: IN_FLIGHT, timeout_ms: TIMEOUT_MS };
  const confam = await bench.startConfam(
    backend,
    bench.upstreams(Object.fromEntries(vendors.map(({ kind, simulator }) => [kind, { simulator, settings }]))),
  );
  const app = await confam.createApp('Slow', 'live');
  const warmUpMs = sized(options, WARM_UP_MS);
  const watchedMs = warmUpMs + minutes * MINUTE_MS;
  for (const { check, latencyMs } of vendors) {
    // A fifth more than can be answered, so that no batch runs dry.
    const rows = Math.ceil(((IN_FLIGHT * watchedMs) / latencyMs) * 1.2) + IN_FLIGHT;
    await app.upload(rows, { checks: check }, sampleCsv(check, rows));
  }
  await sleep(warmUpMs);
  const watched = await Promise.all(
    vendors.map(async ({ check, latencyMs, carries, simulator }) => ({ check, latencyMs, carries, ...(await watch(simulator, minutes)) })),
  );
  await confam.stop();
  for (const { simulator } of vendors) await simulator.stop();
  return { figures: watched.map((vendor) => figureOf(vendor, minutes)), detail: { minutes, inFlightMax: IN_FLIGHT, watched } };
}

async function watch(simulator: Simulator, minutes: number): Promise<Pick<Watched, 'minutes' | 'requests'>> {
  const before = await simulator.stats();
  const means: number[] = [];
  for (let left = minutes; left > 0; left--) {
    const began = performance.now();
    const seen: number[] = [];
    while (performance.now() - began < Math.min(left, 1) * MINUTE_MS) {
      seen.push((await simulator.stats()).in_flight);
      await sleep(LOOK_MS);
    }
    means.push(seen.reduce((sum, one) => sum + one, 0) / seen.length);
  }
  return { minutes: means, requests: (await simulator.stats()).requests - before.requests };
}

/** By Little's law a vendor with this many in flight on average answers that many in each of its latencies. */
function figureOf({ latencyMs, carries, minutes: means, requests }: Watched, minutes: number): Figure {
  const reached = (Math.min(...means) * 1_000) / latencyMs;
  return {
    what: `batch of a vendor that takes ${latencyMs / 1_000} s, ${IN_FLIGHT} in flight, least of ${minutes} minute${minutes > 1 ? 's' : ''}`,
    measured: `${reached.toFixed(1)}/s (asked ${(requests / minutes / 60).toFixed(1)}/s)`,
    reference: `${carries.toFixed(1)}/s${latencyMs < QUICK_MS ? ' without Confam' : ''}`,
    ratio: times(reached / carries),
    target: `≥ ${SHARE_MIN}`,
    ok: reached >= SHARE_MIN * carries,
  };
}
