/**
 * Batches for vendors whose latency is uneven, drifts, or grows with the load, compared with what the same number of concurrent requests reaches at the
 * vendor without Confam. The first four run side by side, then those that change or queue: a limit that mistook variance for overload would lose most of the
 * throughput.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleCsv } from './batch.ts';
import { type Figure, perSecond, type Report, times } from './figure.ts';
import { type Bench, type Confam, type Options, type Size, sized } from './harness.ts';
import { answersWithoutConfam } from './without-confam.ts';

interface Case {
  what: string;
  kind: string;
  check: string;
  script: Record<string, unknown>;
  /** How many requests the vendor carries at once, if fewer than `IN_FLIGHT`; it queues the rest. */
  carries?: number;
}

const LOG_NORMAL = { p50: 160, p99: 900 };
const IN_FLIGHT = 20;
const OVERLOADED = 8;
const SHARE_MIN = 0.9;
/** The limit for an overloaded vendor, as a multiple of what it carries. */
const LIMIT_MAX = 2;
const WARM_UP_MS: Size = { full: 20_000, tiny: 1_000 };
const LOOK_MS = 1_000;

const steady: Case[] = [
  { what: 'constant, 160 ms', kind: 'nin', check: 'nin_basic', script: { latency_ms: 160 } },
  { what: 'log-normal, 160 ms p50, 900 ms p99', kind: 'bvn', check: 'bvn_full', script: { latency_ms: LOG_NORMAL } },
  {
    what: 'bimodal, 100 ms or one in ten 2 s',
    kind: 'tin',
    check: 'tin',
    script: {
      latency_ms: {
        modes: [
          { share: 0.9, ms: 100 },
          { share: 0.1, ms: 2_000 },
        ],
      },
    },
  },
  { what: 'even, 50 to 500 ms', kind: 'cac', check: 'cac_basic', script: { latency_ms: { min: 50, max: 500 } } },
];

const changing = (ms: number): Case[] => [
  {
    what: 'drifting to three times as much',
    kind: 'nin',
    check: 'nin_basic',
    script: { latency_ms: LOG_NORMAL, latency_drift: { to: 3, over_ms: ms } },
  },
  {
    what: 'overloaded for a third of the time, then well again',
    kind: 'bvn',
    check: 'bvn_full',
    script: { latency_ms: LOG_NORMAL, timetable: [{ from_ms: ms / 3, to_ms: (2 * ms) / 3, in_flight_max: OVERLOADED / 2 }] },
  },
  {
    what: `overloaded beyond ${OVERLOADED}, log-normal`,
    kind: 'tin',
    check: 'tin',
    script: { latency_ms: LOG_NORMAL, in_flight_max: OVERLOADED },
    carries: OVERLOADED,
  },
];

export async function unevenVendors(bench: Bench, options: Options): Promise<Report> {
  const ms = options.minutes * 60_000;
  const rounds = [
    await measure(bench, options, steady, ms, sized(options, WARM_UP_MS)),
    await measure(bench, options, changing(ms), ms, 0),
  ];
  return { figures: rounds.flatMap((round) => round.flatMap(figuresOf)), detail: { inFlightMax: IN_FLIGHT, rounds } };
}

interface Measured extends Case {
  /** Answers a second: the best that a fixed concurrency reached, and Confam's. */
  best: number;
  achieved: number;
  /** The limit of Confam's worker, according to its metrics. */
  limits: number[];
}

async function measure(bench: Bench, { backend }: Options, cases: Case[], ms: number, warmUpMs: number): Promise<Measured[]> {
  const vendors = await Promise.all(cases.map(async (one) => ({ ...one, simulator: await bench.startSimulator(one.script) })));
  const best = await Promise.all(
    vendors.map(async ({ check, simulator, script }) => {
      await simulator.setScript(script);
      // More calls at a time are never better at these vendors.
      return answersWithoutConfam(simulator, check, IN_FLIGHT, ms / 1_000);
    }),
  );
  const settings = { in_flight_max: IN_FLIGHT, timeout_ms: 30_000 };
  const confam = await bench.startConfam(
    backend,
    bench.upstreams(Object.fromEntries(vendors.map(({ kind, simulator }) => [kind, { simulator, settings }]))),
  );
  const app = await confam.createApp('Uneven', 'live');
  for (const [i, { check }] of vendors.entries()) {
    const rows = Math.ceil(best[i]! * ((ms + warmUpMs) / 1_000) * 1.3) + 1_000;
    await app.upload(rows, { checks: check }, sampleCsv(check, rows));
  }
  if (warmUpMs > 0) await sleep(warmUpMs);
  else for (const { simulator, script } of vendors) await simulator.setScript(script);
  const before = await Promise.all(vendors.map(({ simulator }) => simulator.stats()));
  const [began, limits] = [performance.now(), vendors.map(() => [] as number[])];
  while (performance.now() - began < ms) {
    for (const [i, { kind }] of vendors.entries()) limits[i]!.push(await limitOf(confam, kind));
    await sleep(LOOK_MS);
  }
  const seconds = (performance.now() - began) / 1_000;
  const after = await Promise.all(vendors.map(({ simulator }) => simulator.stats()));
  await confam.stop();
  for (const { simulator } of vendors) await simulator.stop();
  return cases.map((one, i) => ({
    ...one,
    best: best[i]!,
    achieved: (after[i]!.answered - before[i]!.answered) / seconds,
    limits: limits[i]!,
  }));
}

async function limitOf(confam: Confam, kind: string): Promise<number> {
  const limit = new RegExp(`^confam_provider_in_flight_limit\\{provider="vendor_${kind}",process="worker"\\} (\\S+)$`, 'm');
  return Number(limit.exec(await confam.metrics())?.[1]);
}

function figuresOf({ what, best, achieved, limits, carries }: Measured): Figure[] {
  const pace: Figure = {
    what: `batch of a vendor, ${what}`,
    measured: perSecond(achieved, 'answers'),
    reference: `${perSecond(best, '')} with ${IN_FLIGHT} at a time`.replace(' /s', '/s'),
    ratio: times(achieved / best),
    target: `≥ ${SHARE_MIN}`,
    ok: achieved >= SHARE_MIN * best,
  };
  if (carries === undefined) return [pace];
  // By then Confam should have found it.
  const late = limits.slice(limits.length / 2);
  const limit = late.reduce((sum, one) => sum + one, 0) / late.length;
  return [
    pace,
    {
      what: 'its limit of calls in flight, average of the second half',
      measured: limit.toFixed(1),
      reference: `${carries} that it carries, of ${IN_FLIGHT}`,
      target: `≤ ${carries * LIMIT_MAX}`,
      ok: limit <= carries * LIMIT_MAX,
    },
  ];
}
