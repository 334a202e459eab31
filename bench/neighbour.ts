/**
 * Measures whether one app can slow down another. A loud app sends as much as it can, from a process of its own with a lower priority (`loud.ts`), while a quiet app
 * makes ordinary requests. The quiet app's times are compared with those of the same requests without the loud app. None may fail, and the memory must be freed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { showId } from '../src/foundation/ids.ts';
import { freshNins, sampleCsv, untilOver } from './batch.ts';
import { startCallers } from './callers.ts';
import { type Figure, ms, type Report, type Summary, summarize, times } from './figure.ts';
import { type App, type Bench, type Confam, type Options, rowsOf, type Size, sized } from './harness.ts';
import type { Counts, Loud } from './loud.ts';
import { cpuSeconds, peakMb, residentMb } from './memory.ts';
import { writeSandboxUpstreams } from './simulator.ts';
import { cacheNumbers } from './sync.ts';

/** Both apps ask a slow vendor, which takes this many requests at a time. The batch's vendor is fast. */
const SLOW_MS = 1_000;
const IN_FLIGHT = 100;
/** Rows of the batch whose results are downloaded. */
const ROWS: Size = { full: 20_000, tiny: 1_000 };
/** Requests of the other app a second. */
const RATES = { cached: 50, vendor: 5, wallet: 5 };
const NAMES = { cached: 'cached call', vendor: 'call to the vendor that both ask', wallet: 'wallet' };
type Kind = keyof typeof RATES;
const KINDS = Object.keys(RATES) as Kind[];

type Amounts = Omit<Loud, 'baseUrl' | 'headers' | 'waiting' | 'over'>;

const LOUD: Record<'full' | 'tiny', Amounts> = {
  full: {
    uploads: 200,
    rowsOfUpload: 5_000,
    streams: 500,
    downloads: 200,
    polls: 1_000,
    callsPerSecond: 2_000,
    images: 8,
    imageBytes: 6 * 1024 * 1024,
  },
  tiny: { uploads: 10, rowsOfUpload: 200, streams: 20, downloads: 10, polls: 50, callsPerSecond: 50, images: 1, imageBytes: 1024 * 1024 },
};
/** Until the streams, downloads and polls are open. */
const RAMP_MS: Size = { full: 5_000, tiny: 500 };
/** Until everything is released after the loud app has stopped. */
const SETTLE_MS: Size = { full: 20_000, tiny: 1_000 };

/** Priority of an API that only the loud app asks. */
const LOUD_NICE = 10;

const RATIO_MAX = 3;
/** Memory may end this much higher: V8 and the allocator keep buffers for reuse. */
const KEPT_MB_MAX = 150;

/** `BENCH_LOUD=calls,images` sends only these, to find out what each part costs. */
function only(all: Amounts): Amounts {
  const names = process.env.BENCH_LOUD?.split(',');
  if (!names) return all;
  const wanted = (name: string, amount: number) => (names.includes(name) ? amount : 0);
  return {
    ...all,
    uploads: wanted('uploads', all.uploads),
    streams: wanted('streams', all.streams),
    downloads: wanted('downloads', all.downloads),
    polls: wanted('polls', all.polls),
    callsPerSecond: wanted('calls', all.callsPerSecond),
    images: wanted('images', all.images),
  };
}

interface Watched {
  samples: Record<Kind, Summary>;
  failures: string[];
}

export const neighbour = (bench: Bench, options: Options): Promise<Report> => measure(bench, options, async ({ baseUrl }) => baseUrl);

/** The same with an API for the loud app alone, at a lower priority, as docs/operations.md describes. */
export const neighbourApart = (bench: Bench, options: Options): Promise<Report> =>
  measure(bench, options, (confam) => bench.startApi(confam, LOUD_NICE));

/** `openLoud`: resolves to the address of the API that the loud app asks. */
async function measure(bench: Bench, options: Options, openLoud: (confam: Confam) => Promise<string>): Promise<Report> {
  const confam = await bench.startConfam(
    options.backend,
    writeSandboxUpstreams(bench.folder, {
      nin: { latency_ms: { nin: SLOW_MS }, in_flight_max: IN_FLIGHT, timeout_ms: 10_000 },
      bvn: { latency_ms: { bvn: 0 } },
    }),
  );
  const [loud, quiet] = [await confam.createApp('Loud', 'live'), await confam.createApp('Quiet', 'live')];
  const rows = rowsOf(options, ROWS);
  const over = await loud.upload(rows, { checks: 'bvn_full' }, sampleCsv('bvn_full', rows));
  await untilOver(confam.sql, over.id);
  const waiting = await loud.upload(1, { start: 'manual' });

  const watch = await openWatch(bench, confam, quiet, options);
  // The first seconds compile code, and the first comparison of faces loads models that stay.
  await Promise.all([watch(), loadModels(confam, quiet)]);
  const before = { resident: residentMb(confam.pid), watched: await watch() };
  const neighbours = await bench.startProgram<{ url: string }>(new URL('./neighbour-load.ts', import.meta.url), {
    LOUD: JSON.stringify({
      ...only(LOUD[options.tiny ? 'tiny' : 'full']),
      baseUrl: await openLoud(confam),
      headers: loud.headers,
      waiting: showId('bat', waiting.id),
      over: showId('bat', over.id),
    } satisfies Loud),
  });
  await sleep(sized(options, RAMP_MS));
  const cpuBefore = cpuSeconds(confam.pid);
  const during = await watch();
  const cpu = { api: (cpuSeconds(confam.pid) ?? 0) - (cpuBefore ?? 0), seconds: options.seconds };
  const counts = (await (await fetch(neighbours.line.url)).json()) as Counts;
  const metrics = (await confam.metrics()).match(/^(confam_admission_(part|refusals)|nodejs_eventloop_lag_(p99|max)).*$/gm);
  await neighbours.stop();
  await sleep(sized(options, SETTLE_MS));
  const after = { resident: residentMb(confam.pid), inUse: await inUse(confam) };
  const peak = peakMb(confam.pid);
  await confam.stop();
  return {
    figures: [...KINDS.map((kind) => figureOf(kind, before.watched, during)), failuresOf(during, counts), memoryOf(before, after, peak)],
    detail: { before, during, after, peak, cpu, counts, metrics },
  };
}

/** Asks for a comparison that is refused, because nobody is in these pictures. */
async function loadModels({ baseUrl }: Confam, { headers }: App): Promise<void> {
  const nobody = Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64');
  const answer = await fetch(`${baseUrl}/api/v1/kyc/photoid/compare`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ selfie_image: nobody, photoid_image: nobody }),
  });
  await answer.text();
}

/** Measures the quiet app's requests for a while, and counts failures by reason. */
async function openWatch(bench: Bench, confam: Confam, app: App, { seconds }: Options): Promise<() => Promise<Watched>> {
  const cached = await cacheNumbers(confam, app);
  const paths: Record<Kind, () => string[]> = {
    cached: () => cached,
    vendor: () => freshNins(Math.ceil(RATES.vendor * seconds)).map((nin) => `/api/v1/kyc/nin?nin=${nin}`),
    wallet: () => ['/api/v1/wallet'],
  };
  const callers = await startCallers(bench, confam.baseUrl, app.headers);
  return async () => {
    const called = await Promise.all(KINDS.map((kind) => callers.tryToCall(RATES[kind], { seconds }, paths[kind]())));
    const samples = Object.fromEntries(KINDS.map((kind, at) => [kind, summarize(called[at]!.samples)])) as Record<Kind, Summary>;
    return { samples, failures: called.flatMap(({ failures }) => failures) };
  };
}

/** How much of all gates together is still in use. */
async function inUse(confam: Confam): Promise<number> {
  return [...(await confam.metrics()).matchAll(/^confam_admission_in_use\{[^}]*\} (\S+)$/gm)].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  );
}

function figureOf(kind: Kind, before: Watched, during: Watched): Figure {
  const [alone, beside] = [before.samples[kind], during.samples[kind]];
  return {
    what: `${NAMES[kind]}, ${RATES[kind]}/s beside an app that sends everything it can, p99`,
    measured: `${ms(beside.p99)} (p50 ${ms(beside.p50)})`,
    reference: `${ms(alone.p99)} alone`,
    ratio: times(beside.p99 / alone.p99),
    target: `≤ ${RATIO_MAX}`,
    ok: beside.p99 <= RATIO_MAX * alone.p99,
  };
}

function failuresOf({ failures, samples }: Watched, counts: Counts): Figure {
  const asked = KINDS.reduce((sum, kind) => sum + samples[kind].count, 0);
  const refused = Object.values(counts).flatMap((statuses) =>
    Object.entries(statuses).filter(([status]) => status === '429' || status === '503'),
  );
  return {
    what: `its requests that failed, of ${asked}; meanwhile refused to the other app`,
    measured: `${failures.length}; ${refused.reduce((sum, [, count]) => sum + count, 0)}`,
    target: '0',
    ok: failures.length === 0,
  };
}

function memoryOf(before: { resident: number | null }, after: { resident: number | null; inUse: number }, peak: number | null): Figure {
  const what = 'memory of the API before, at most, afterwards; still taken of its gates';
  if (before.resident === null || after.resident === null || peak === null) return { what, measured: 'skipped: needs /proc' };
  return {
    what,
    measured: `${Math.round(before.resident)}, ${Math.round(peak)}, ${Math.round(after.resident)} MB; ${after.inUse}`,
    target: `≤ ${KEPT_MB_MAX} MB more than before; 0`,
    ok: after.resident - before.resident <= KEPT_MB_MAX && after.inUse === 0,
  };
}
