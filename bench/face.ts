/**
 * Full verifications (two JPEGs of 720 × 960, liveness) by the engine in a process of its own (`face-pool.ts`): throughput, latency, memory, and the delay of
 * the event loop. Then its accuracy: the meaning of a confidence, what the gates refuse, and what passes as live, each by kind and half.
 */

import { type Comparer, openComparer } from '../src/engines/face/compare.ts';
import { type Manifest, readModels } from '../src/engines/face/models.ts';
import { calibrate, describePairs, type Level, type Share } from './face/calibration.ts';
import { rateGates } from './face/gates.ts';
import { rateGrayPortraits } from './face/gray-portraits.ts';
import { GROUPS, LIMITS, type LivenessRate, rateLiveness } from './face/liveness.ts';
import { rateOthers } from './face/others.ts';
import { ratePlain } from './face/plain.ts';
import type { Rate } from './face/rates.ts';
import { rateSmall } from './face/small.ts';
import { rateTurned, rateTurnedPairs } from './face/yaw.ts';
import type { PoolReport } from './face-pool.ts';
import { type Figure, ms, type Report, summarize } from './figure.ts';
import { type Bench, type Options, rowsOf, type Size, sized } from './harness.ts';
import { peakMb } from './memory.ts';
import { readPairs } from './photographs.ts';

/** 20,000 for the figure of the issue (`--rows 20000`), which takes a quarter of an hour. */
const VERIFICATIONS: Size = { full: 2_000, tiny: 10 };
/** Uses each n-th pair, photograph or two people. Liveness takes longest: nine minutes of one core. */
const EVERY = {
  pairs: { full: 1, tiny: 100 },
  grayPortraits: { full: 1, tiny: 25 },
  plain: { full: 1, tiny: 500 },
  gates: { full: 5, tiny: 500 },
  turned: { full: 5, tiny: 500 },
  others: { full: 4, tiny: 300 },
  small: { full: 30, tiny: 1_000 },
  liveness: { full: 2, tiny: 100 },
} as const;
const SEED = 20_261;
/** Shares of all judged pictures of a group: real faces that are not live, and recaptures that are (1 of 19; kinds or people held out). */
const LIVENESS_MAX = { real: 0.04, recapture: 0.053 };
const TARGETS = { perSecond: 24, p95Ms: 120, idleMs: 80, memoryMb: 400, growthMb: 40, loopMs: 20 };

export async function face(bench: Bench, options: Options): Promise<Report> {
  const program = await bench.startProgram<PoolReport>(new URL('./face-pool.ts', import.meta.url), {
    FACE_VERIFICATIONS: String(rowsOf(options, VERIFICATIONS)),
    // As in the pools' process (workers/companion.ts).
    MALLOC_ARENA_MAX: '2',
  });
  const report = program.line;
  const peak = report.pid === null ? null : peakMb(report.pid);
  await program.stop();
  if (report.pid === null)
    return { figures: [{ what: 'face verification', measured: 'skipped: needs face models and ../shared/data/faces' }], detail: {} };
  const busy = summarize(report.busyMs);
  const idle = summarize(report.idleMs);
  const p95 = report.busyMs.toSorted((a, b) => a - b)[Math.ceil(report.busyMs.length * 0.95) - 1]!;
  const growth = report.memoryMb.at(-1)! - report.memoryMb[Math.floor(report.memoryMb.length / 4)]!;
  const most = (what: string, value: number, shown: string, limit: number, unit: string): Figure => ({
    what,
    measured: shown,
    target: `≤ ${limit} ${unit}`,
    ok: value <= limit,
  });
  const models = await readModels();
  const accuracy = await measureAccuracy(await openComparer(models), models.manifest, options);
  return {
    figures: [
      {
        what: `full verifications, 2 threads, ${report.busyMs.length} of them`,
        measured: `${report.perSecond.toFixed(1)}/s`,
        target: `≥ ${TARGETS.perSecond}/s`,
        ok: report.perSecond >= TARGETS.perSecond,
      },
      most('p95 of one at that load', p95, `${ms(p95)} (p50 ${ms(busy.p50)})`, TARGETS.p95Ms, 'ms'),
      most('one, idle, p50', idle.p50, ms(idle.p50), TARGETS.idleMs, 'ms'),
      most(
        'peak memory of the process',
        peak ?? 0,
        peak === null ? 'unknown: not Linux' : `${Math.round(peak)} MB`,
        TARGETS.memoryMb,
        'MB',
      ),
      most('memory gained over the last three quarters', growth, `${Math.round(growth)} MB`, TARGETS.growthMb, 'MB'),
      most('event loop delay, p99', report.loopP99Ms, ms(report.loopP99Ms), TARGETS.loopMs, 'ms'),
      ...accuracy.figures,
    ],
    detail: { ...accuracy.detail, ...report, busyMs: busy, idleMs: idle, processorMs: report.processorMs },
  };
}

async function measureAccuracy(comparer: Comparer, manifest: Manifest, options: Options): Promise<Report> {
  const every = (what: keyof typeof EVERY): number => sized(options, EVERY[what]);
  const pairs = readPairs().filter((_, i) => i % every('pairs') === 0);
  const vectors = await describePairs(comparer, pairs);
  const levels = calibrate(pairs, vectors, manifest);
  const rates = [
    ...(await rateTurnedPairs(comparer, pairs, vectors, manifest)),
    ...(await rateGrayPortraits(comparer, manifest, every('grayPortraits'))),
    ...(await ratePlain(comparer, every('plain'))),
    ...(await rateGates(comparer, every('gates'))),
    ...(await rateTurned(comparer, every('turned'))),
    ...(await rateOthers(comparer, every('others'))),
    ...(await rateSmall(comparer, every('small'))),
  ];
  const liveness = await rateLiveness(comparer, every('liveness'), SEED);
  return {
    figures: [...levels.flatMap(levelFigures), ...rates.map(rateFigure), ...liveness.flatMap(livenessFigures)],
    detail: { levels, rates, liveness },
  };
}

/** Rounding leaves a little more than nothing of an interval that begins at 0. */
const percent = (share: number): string => `${share < 1e-9 ? 0 : (100 * share).toPrecision(2)} %`;
const shown = (count: number, of: number, [low, high]: readonly [number, number]): string =>
  of === 0 ? 'none' : `${count} of ${of}, ${percent(count / of)} [${percent(low)} to ${percent(high)}]`;
const shareOf = ({ count, of, interval }: Share): string => shown(count, of, interval);

function levelFigures({ confidence, cosine, falseMatches, falseMatchesWithin, genuineLost }: Level): Figure[] {
  const at = `confidence ${confidence} (cosine ${cosine.toFixed(3)})`;
  return [
    { what: `${at}: strangers that match`, measured: shareOf(falseMatches) },
    { what: `${at}: strangers that match, within the African-descent set`, measured: shareOf(falseMatchesWithin) },
    { what: `${at}: genuine pairs lost`, measured: shareOf(genuineLost) },
  ];
}

const rateFigure = ({ what, half, count, of, interval }: Rate): Figure => ({
  what: `${what} (people: ${half})`,
  measured: shown(count, of, interval),
});

function livenessFigures(rate: LivenessRate): Figure[] {
  const { of, isReal, isGray, group, pictures, refused, inconclusive, live, spoof, reaching, interval } = rate;
  const judged = pictures - refused - inconclusive;
  const wrong = (isReal ? judged - live : live) / Math.max(1, judged);
  const most = isReal ? LIVENESS_MAX.real : LIVENESS_MAX.recapture;
  const hasTarget = group !== null && !isGray && (isReal || group !== GROUPS[0]);
  const whose = `${of}${isGray ? ', colours taken away' : ''}`;
  const figure: Figure = {
    what: `${isReal ? 'real' : 'recapture'}, live: ${whose}`,
    measured: shown(live, judged, interval),
    reference: `${refused} refused, ${inconclusive} inconclusive`,
    ...(hasTarget && { target: `${isReal ? 'not live' : 'live'} ≤ ${(100 * most).toFixed(1)} %`, ok: wrong <= most }),
  };
  if (group === null || isGray) return [figure];
  const byLimit = LIMITS.map((limit, i) => `${limit}: ${reaching[i]}`).join(', ');
  return [figure, { what: `  its score at least`, measured: `${byLimit}; ${spoof} spoof` }];
}
