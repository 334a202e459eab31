/**
 * Live vendors, played by the simulator in a process of its own: how exactly one and four worker processes keep a rate limit, what Confam adds to the
 * vendor's time, how many look-ups it has in flight at once, how soon it recovers after an outage, and whether slow and uneven vendors are kept busy.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freshNins, untilCompleted, untilStarted } from './batch.ts';
import { type Callers, startCallers } from './callers.ts';
import { type Figure, median, ms, perSecond, type Report, type Summary, summarize } from './figure.ts';
import { type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import { slowVendors } from './slow-vendors.ts';
import { unevenVendors } from './uneven-vendors.ts';

const RATE_LIMIT = 50;
const RATE_ROWS: Size = { full: 10_000, tiny: 60 };
/** A tiny run has one of them. */
const PROCESSES = [1, 4];
const TINY_PROCESSES = [2];
const RATE_SHARE_MIN = 0.99;
/** What the vendor can carry; Confam's rate, which keeps within it. */
const REFUSING = { perSecond: 200, share: 0.05, shareMin: 0.8 };
const REFUSALS_ROWS: Size = { full: 10_000, tiny: 400 };
const CALLS_PER_SECOND = 100;
const WARM_UP_SECONDS: Size = { full: 12, tiny: 0.5 };
const ADDED_MS_MAX = { p50: 2.5, p99: 8 };
const VENDOR_MS = 160;
const THROUGHPUT_ROWS: Size = { full: 60_000, tiny: 500 };
const LOOKUPS_PER_SECOND_MIN = 1_500;
/** More than are answered by the end. */
const RECOVERY_ROWS: Size = { full: 60_000, tiny: 10_000 };
const PACE_AFTER_MS: Size = { full: 5_000, tiny: 1_000 };
const PACE_OVER_MS: Size = { full: 3_000, tiny: 1_000 };
const OUTAGE_MS: Size = { full: 60_000, tiny: 2_000 };
const RECOVERY_MS_MAX = 5_000;
/** A vendor has recovered once it answers at this share of its earlier pace. */
const RECOVERED_SHARE = 0.8;

/** `upstream` on the command line means all of them, `upstream/added` one. */
export const upstreamParts = { added, throughput, recovery, rate, refusals, slow: slowVendors, uneven: unevenVendors };

/** A batch under a rate limit, with one worker process and with four. */
async function rate(bench: Bench, options: Options): Promise<Report> {
  const [{ backend }, rows] = [options, rowsOf(options, RATE_ROWS)];
  const figures: Figure[] = [];
  const runs: unknown[] = [];
  for (const processes of options.tiny ? TINY_PROCESSES : PROCESSES) {
    const simulator = await bench.startSimulator({ latency_ms: 50 });
    const settings = bench.upstreams({
      nin: { simulator, settings: { requests_per_second: RATE_LIMIT, in_flight_max: 50, timeout_ms: 5_000 } },
    });
    const confam = await bench.startConfam(backend, settings);
    for (let more = 1; more < processes; more++) await bench.startWorker(confam);
    const app = await confam.createApp('Rate', 'live');
    const { id } = await app.upload(rows, { checks: 'nin_basic' });
    await untilCompleted(confam.sql, id);
    const stats = await simulator.stats();
    const achieved = (stats.requests - 1) / ((Date.parse(stats.last_at) - Date.parse(stats.first_at)) / 1_000);
    await confam.stop();
    await simulator.stop();
    runs.push({ processes, rows, achieved, ...stats });
    const who = `${rows.toLocaleString('en')} rows under ${RATE_LIMIT}/s, ${processes} worker process${processes > 1 ? 'es' : ''}`;
    figures.push(
      {
        what: `${who}: achieved`,
        measured: `${achieved.toFixed(1)}/s`,
        reference: `${RATE_LIMIT}/s`,
        ratio: (achieved / RATE_LIMIT).toFixed(3),
        target: `≥ ${RATE_SHARE_MIN}`,
        ok: achieved >= RATE_SHARE_MIN * RATE_LIMIT,
      },
      {
        what: `${who}: worst second`,
        measured: String(stats.worst_second),
        target: `≤ ${RATE_LIMIT}`,
        ok: stats.worst_second <= RATE_LIMIT,
      },
    );
  }
  return { figures, detail: { runs } };
}

/** A batch whose vendor answers one request in twenty with 429 without Retry-After, though it is not full. The same vendor without these comes first. */
async function refusals(bench: Bench, options: Options): Promise<Report> {
  const rows = rowsOf(options, REFUSALS_ROWS);
  const run = async (refused: number) => {
    const script = {
      latency_ms: VENDOR_MS,
      limit: { per_second: REFUSING.perSecond, retry_after_seconds: null },
      ...(refused > 0 && { rate_limited_rate: { share: refused, retry_after_seconds: null } }),
    };
    const simulator = await bench.startSimulator(script);
    const settings = { requests_per_second: REFUSING.perSecond, in_flight_max: 100, timeout_ms: 5_000 };
    // With 10,000 rows, one batch in sixteen would have a row that is refused four times and fails.
    const environment = { ...bench.upstreams({ nin: { simulator, settings } }), CONFAM_JOB_FAILURES_MAX: '10' };
    const confam = await bench.startConfam(options.backend, environment);
    const app = await confam.createApp('Refusals', 'live');
    const { id } = await app.upload(rows, { checks: 'nin_basic' });
    const { statedMs } = await untilCompleted(confam.sql, id);
    const stats = await simulator.stats();
    await confam.stop();
    await simulator.stop();
    return { perSecond: rows / (statedMs / 1_000), statedMs, stats };
  };
  const [without, refused] = [await run(0), await run(REFUSING.share)];
  const ratio = refused.perSecond / without.perSecond;
  return {
    figures: [
      {
        what: `${rows.toLocaleString('en')} rows, ${REFUSING.share * 100} % of requests answered 429 without Retry-After`,
        measured: perSecond(refused.perSecond, 'rows'),
        reference: `${perSecond(without.perSecond, 'rows')} without`,
        ratio: ratio.toFixed(2),
        target: `≥ ${REFUSING.shareMin}`,
        ok: ratio >= REFUSING.shareMin,
      },
    ],
    detail: { rows, without, refused },
  };
}

/** Single calls through Confam compared with the same calls to the simulator itself. */
async function added(bench: Bench, options: Options): Promise<Report> {
  const { backend, seconds, repeats } = options;
  const simulator = await bench.startSimulator({ latency_ms: VENDOR_MS });
  const confam = await bench.startConfam(backend, bench.upstreams({ nin: { simulator, settings: { in_flight_max: 200 } } }));
  const app = await confam.createApp('Added', 'live');
  const [through, direct] = [
    await startCallers(bench, confam.baseUrl, app.headers),
    await startCallers(bench, simulator.url, simulator.headers),
  ];
  const ask = (who: Callers, seconds: number) => {
    const nins = freshNins(Math.ceil(seconds * CALLS_PER_SECOND) + 1);
    return who.call(
      CALLS_PER_SECOND,
      { seconds },
      nins.map((nin) => `/api/v1/kyc/nin?nin=${nin}`),
    );
  };
  await ask(through, sized(options, WARM_UP_SECONDS));
  await ask(direct, sized(options, WARM_UP_SECONDS));
  const runs: { confam: Summary; simulator: Summary }[] = [];
  for (let i = 0; i < repeats; i++) {
    runs.push({
      confam: summarize((await ask(through, seconds / repeats)).samples),
      simulator: summarize((await ask(direct, seconds / repeats)).samples),
    });
  }
  await Promise.all([through.stop(), direct.stop()]);
  await confam.stop();
  await simulator.stop();
  const figure = (which: 'p50' | 'p99'): Figure => {
    const measured = median(runs.map((run) => run.confam[which] - run.simulator[which]));
    return {
      what: `added to the vendor's time at ${CALLS_PER_SECOND}/s, ${which}`,
      measured: ms(measured),
      reference: `${ms(median(runs.map((run) => run.simulator[which])))} the vendor itself`,
      target: `≤ ${ADDED_MS_MAX[which]} ms`,
      ok: measured <= ADDED_MS_MAX[which],
    };
  };
  return { figures: [figure('p50'), figure('p99')], detail: { runs } };
}

/** A batch for a vendor that is slow but accepts any number of requests. */
async function throughput(bench: Bench, options: Options): Promise<Report> {
  const simulator = await bench.startSimulator({ latency_ms: VENDOR_MS });
  const confam = await bench.startConfam(options.backend, bench.upstreams({ nin: { simulator, settings: { in_flight_max: 1_000 } } }));
  const app = await confam.createApp('Throughput', 'live');
  const { id } = await app.upload(sized(options, THROUGHPUT_ROWS), { checks: 'nin_basic' });
  const run = await untilCompleted(confam.sql, id);
  const stats = await simulator.stats();
  await confam.stop();
  await simulator.stop();
  const measured = run.rows / (run.statedMs / 1_000);
  return {
    figures: [
      {
        what: `look-ups of a vendor that takes ${VENDOR_MS} ms`,
        measured: perSecond(measured, 'look-ups'),
        target: `≥ ${LOOKUPS_PER_SECOND_MIN.toLocaleString('en')}/s`,
        ok: measured >= LOOKUPS_PER_SECOND_MIN,
      },
    ],
    detail: { run, stats },
  };
}

/** A batch whose vendor cuts every connection for a minute. */
async function recovery(bench: Bench, options: Options): Promise<Report> {
  const outageMs = sized(options, OUTAGE_MS);
  const simulator = await bench.startSimulator({ latency_ms: VENDOR_MS });
  const confam = await bench.startConfam(options.backend, bench.upstreams({ nin: { simulator, settings: { in_flight_max: 100 } } }));
  const app = await confam.createApp('Recovery', 'live');
  const { id } = await app.upload(sized(options, RECOVERY_ROWS), { checks: 'nin_basic' });
  await untilStarted(confam.sql, id);
  await sleep(sized(options, PACE_AFTER_MS));
  const before = await pace(confam, id, sized(options, PACE_OVER_MS));
  await simulator.setScript({ latency_ms: VENDOR_MS, timetable: [{ from_ms: 0, to_ms: outageMs, down: true }] });
  await sleep(outageMs / 2);
  const shown = await app.batch(id);
  const ended = performance.now() + outageMs / 2;
  await sleep(ended - performance.now());
  const [firstMs, backMs] = await untilBack(confam, id, before * RECOVERED_SHARE, ended);
  await confam.stop();
  await simulator.stop();
  const figure = (what: string, measured: number): Figure => ({
    what,
    measured: ms(measured),
    target: `≤ ${RECOVERY_MS_MAX} ms`,
    ok: measured <= RECOVERY_MS_MAX,
  });
  return {
    figures: [
      figure(`first answer after an outage of ${outageMs / 1_000} s`, firstMs),
      figure(`back at ${RECOVERED_SHARE * 100} % of the pace before it`, backMs),
    ],
    detail: { perSecondBefore: before, shownDuringOutage: shown, firstMs, backMs },
  };
}

const LOOK_MS = 100;
const PACE_MS = 1_000;

async function completedOf(confam: Confam, id: string): Promise<number> {
  const [row] = await confam.sql<{ completed: number }[]>`select completed from batches where id = ${id}`;
  return row!.completed;
}

async function pace(confam: Confam, id: string, overMs: number): Promise<number> {
  const [began, first] = [performance.now(), await completedOf(confam, id)];
  await sleep(overMs);
  return ((await completedOf(confam, id)) - first) / ((performance.now() - began) / 1_000);
}

/** Milliseconds from `since` to the first answer, and to the first second with the wanted number of answers. */
async function untilBack(confam: Confam, id: string, wanted: number, since: number): Promise<[number, number]> {
  const looks = [{ at: performance.now(), completed: await completedOf(confam, id) }];
  let firstMs: number | null = null;
  for (;;) {
    await sleep(LOOK_MS);
    const now = { at: performance.now(), completed: await completedOf(confam, id) };
    if (firstMs === null && now.completed > looks[0]!.completed) firstMs = now.at - since;
    looks.push(now);
    const then = looks.findLast(({ at }) => now.at - at >= PACE_MS);
    const back = then !== undefined && (now.completed - then.completed) / ((now.at - then.at) / 1_000) >= wanted;
    if (back && firstMs !== null) return [firstMs, now.at - since];
    if (now.at - since > 60_000) throw new Error('the vendor did not recover within a minute');
  }
}
