/**
 * Every check of the catalog as a single call of a client that has the service to himself: for a subject that nobody asked about before,
 * and for one that is in the cache. The sandbox answers at once, so that what is measured is the service.
 */
import { checks } from '../src/checks/catalog.ts';
import type { Check } from '../src/checks/check.ts';
import { type Figure, ms, type Report, type Summary, summarise } from './figure.ts';
import type { App, Bench, Confam, Options } from './harness.ts';
import { sampleInput } from './inputs.ts';
import { openLoop } from './load.ts';

const RATE = 50;
const WARM_UP_CALLS = 50;
const P50_MS_MAX = 10;
/** Three bureaus at a time, and the comparison of images, may take longer. */
const SLOW_FAMILIES: readonly Check['family'][] = ['credit', 'face'];

interface Answer {
  status: number;
  cached?: boolean;
  code?: string;
}

type Call = (n: number) => Promise<Answer>;

export async function catalogue(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend, { CONFAM_SANDBOX_LATENCY_MS: '0', CONFAM_REQUESTS_PER_MINUTE: '0' });
  const figures: Figure[] = [];
  const detail: Record<string, unknown> = {};
  // Half of the time for each cache, shared by all checks.
  const seconds = Math.max(0.5, options.seconds / checks.length / 2);
  for (const check of checks) {
    // A wallet and a cache of its own: checks of one record must not warm each other's.
    const call = callOf(confam, await confam.createApp(check.id), check);
    const first = await call(0);
    if (sampleInput(check.id, 0) === undefined) figures.push({ what: check.id, measured: 'missing: no input in bench/inputs.ts' });
    else if (first.code === 'provider_not_configured') figures.push({ what: check.id, measured: 'not configured' });
    else {
      for (let n = 1; n <= WARM_UP_CALLS; n++) expectAnswer(check, await call(n), false);
      let next = WARM_UP_CALLS;
      const off = await measure(check, seconds, false, () => call(++next));
      const on = await measure(check, seconds, true, () => call(0));
      figures.push(figure(check, 'off', off), figure(check, 'on', on));
      detail[check.id] = { off, on };
    }
  }
  await confam.stop();
  return { figures, detail: { backend: options.backend, rate: RATE, ...detail } };
}

async function measure(check: Check, seconds: number, cached: boolean, call: () => Promise<Answer>): Promise<Summary> {
  const { samples } = await openLoop(RATE, { seconds }, async () => expectAnswer(check, await call(), cached));
  return summarise(samples);
}

/** A refusal is quick and would pass for speed, and so would an answer from the cache where none is meant. */
function expectAnswer(check: Check, { status, cached, code }: Answer, fromCache: boolean): void {
  if (status !== 200 || cached !== fromCache) throw new Error(`${check.id}: ${status} ${code ?? ''}, cached: ${cached}, not ${fromCache}`);
}

function callOf(confam: Confam, { headers }: App, check: Check): Call {
  const { method, path } = check.route;
  return async (n) => {
    const input = sampleInput(check.id, n) ?? {};
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

function figure(check: Check, cache: 'off' | 'on', { p50, p99 }: Summary): Figure {
  const isHeld = !SLOW_FAMILIES.includes(check.family);
  return {
    what: `${check.id}, cache ${cache}`,
    measured: `p50 ${ms(p50)}, p99 ${ms(p99)}`,
    ...(isHeld && { target: `p50 ≤ ${P50_MS_MAX} ms`, ok: p50 <= P50_MS_MAX }),
  };
}
