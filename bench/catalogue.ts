/**
 * Every check of the catalogue as a single call, from a client that has the service to itself: once for a subject that nobody has asked about, once for a
 * cached one. The sandbox answers at once, so that only the service is measured.
 */
import { checks } from '../src/checks/catalog.ts';
import type { Check } from '../src/checks/check.ts';
import { type Figure, ms, type Report, type Summary, summarize } from './figure.ts';
import { type App, type Bench, type Confam, type Options, type Size, sized } from './harness.ts';
import { type Photographs, sampleInput } from './inputs.ts';
import { openLoop } from './load.ts';
import { hasPhotographs, readPhotograph } from './photographs.ts';

const RATE = 50;
/** Two cores manage more than this: a comparison takes about 60 ms of one (`face`). */
const FACE_RATE = 8;
const WARM_UP_CALLS: Size = { full: 50, tiny: 3 };
const FACE_WARM_UP_CALLS: Size = { full: 10, tiny: 1 };
const SECONDS_MIN: Size = { full: 0.5, tiny: 0.1 };
const P50_MS_MAX = 10;
/** Three bureaus at once, and image comparison, may take longer. */
const SLOW_FAMILIES: readonly Check['family'][] = ['credit', 'face'];
/** Two photographs of one person. */
const PHOTOGRAPHS = { portrait: 'c_Tony_Blair_0001', selfie: 'c_Tony_Blair_0002' };

interface Answer {
  status: number;
  cached?: boolean;
  code?: string;
}

type Call = (n: number) => Promise<Answer>;

interface Measured {
  figures: Figure[];
  detail?: { off: Summary; on?: Summary };
}

export async function catalogue(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend, { CONFAM_SANDBOX_LATENCY_MS: '0', CONFAM_REQUESTS_PER_MINUTE: '0' });
  const figures: Figure[] = [];
  const detail: Record<string, unknown> = {};
  const photographs = hasPhotographs ? readPhotographs() : undefined;
  for (const check of checks) {
    // One check that fails must not cost the figures of the others.
    const measured = await measure(confam, options, check, photographs).catch(
      (error: Error): Measured => ({ figures: [{ what: check.id, measured: error.message, failed: true }] }),
    );
    figures.push(...measured.figures);
    if (measured.detail) detail[check.id] = measured.detail;
  }
  await confam.stop();
  return { figures, detail: { backend: options.backend, rate: RATE, faceRate: FACE_RATE, ...detail } };
}

async function measure(confam: Confam, options: Options, check: Check, photographs: Photographs | undefined): Promise<Measured> {
  if (sampleInput(check.id, 0) === undefined) throw new Error('has no input in bench/inputs.ts');
  const isFace = check.family === 'face';
  const skipped = (why: string): Measured => ({ figures: [{ what: check.id, measured: `skipped: ${why}` }] });
  if (isFace && !photographs) return skipped('needs ../shared/data/faces');
  // A wallet and cache of its own for each check: checks of the same record must not warm each other's cache.
  const app = await confam.createApp(check.id);
  const call = callOf(confam, app, check, photographs);
  const rate = isFace ? FACE_RATE : RATE;
  const warmUpCalls = sized(options, isFace ? FACE_WARM_UP_CALLS : WARM_UP_CALLS);
  // Half of the time for each cache state, shared among all checks.
  const seconds = Math.max(sized(options, SECONDS_MIN), options.seconds / checks.length / 2);
  const subjects = warmUpCalls + Math.ceil(rate * seconds) + 1;
  if (isFace) await enrolPortraits(confam, app, check, subjects, photographs!);

  const first = await call(0);
  if (isFace && first.code === 'provider_not_configured') return skipped('needs the face models');
  expectAnswer(check, first, false);
  for (let n = 1; n < warmUpCalls; n++) expectAnswer(check, await call(n), false);
  const timed = async (cached: boolean, ask: () => Promise<Answer>): Promise<Summary> => {
    const { samples } = await openLoop(rate, { seconds }, async () => expectAnswer(check, await ask(), cached));
    return summarize(samples);
  };
  let next = warmUpCalls;
  const off = await timed(false, () => call(next++));
  if (!check.cacheable) return { figures: [figure(check, 'never from the cache', off)], detail: { off } };
  const on = await timed(true, () => call(0));
  return { figures: [figure(check, 'cache off', off), figure(check, 'cache on', on)], detail: { off, on } };
}

function readPhotographs(): Photographs {
  const { portrait, selfie } = PHOTOGRAPHS;
  return { portrait: readPhotograph(portrait).toString('base64'), selfie: readPhotograph(selfie).toString('base64') };
}

/** The sandbox never compares its drawn portraits, so every subject gets a photograph. A check of two photographs has no subject. */
async function enrolPortraits(confam: Confam, app: App, check: Check, subjects: number, { portrait }: Photographs): Promise<void> {
  const body = Buffer.from(portrait, 'base64');
  for (let n = 0; n < subjects; n++) {
    const input = sampleInput(check.id, n)!;
    const number = input.id_number ?? input.nin ?? input.bvn;
    if (number === undefined) return;
    const path = `/api/v1/sandbox/portraits/${input.bvn === undefined ? 'nin' : 'bvn'}/${number}`;
    const answer = await fetch(`${confam.baseUrl}${path}`, {
      method: 'PUT',
      headers: { ...app.headers, 'Content-Type': 'image/jpeg' },
      body,
    });
    if (!answer.ok) throw new Error(`a portrait could not be enrolled: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
  }
}

/** Refusals are quick and would pass for speed, as would an answer from the cache where none is meant. */
function expectAnswer(check: Check, { status, cached, code }: Answer, fromCache: boolean): void {
  if (status !== 200 || cached !== fromCache) throw new Error(`${check.id}: ${status} ${code ?? ''}, cached: ${cached}, not ${fromCache}`);
}

function callOf(confam: Confam, { headers }: App, check: Check, photographs: Photographs | undefined): Call {
  const { method, path } = check.route;
  return async (n) => {
    const input = sampleInput(check.id, n, photographs)!;
    const answer = await (method === 'GET'
      ? fetch(`${confam.baseUrl}${path}?${new URLSearchParams(input)}`, { headers })
      : fetch(`${confam.baseUrl}${path}`, {
          method,
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(input),
        }));
    return { ...((await answer.json()) as object), status: answer.status };
  };
}

function figure(check: Check, cache: string, { p50, p99 }: Summary): Figure {
  const isHeld = !SLOW_FAMILIES.includes(check.family);
  return {
    what: `${check.id}, ${cache}`,
    measured: `p50 ${ms(p50)}, p99 ${ms(p99)}`,
    ...(isHeld && { target: `p50 ≤ ${P50_MS_MAX} ms`, ok: p50 <= P50_MS_MAX }),
  };
}
