/**
 * What Confam adds to the provider's own time if a single call is not cached. The sandbox takes as long as the real registry. The reference is a bare Hono
 * route that waits as long and commits one row.
 */

import { freshNins } from './batch.ts';
import { startCallers } from './callers.ts';
import { type Figure, median, ms, type Report, type Summary, summarize } from './figure.ts';
import { type Bench, type Options, type Size, sized, startOneRowRoute } from './harness.ts';
import type { Paced } from './load.ts';

const PROVIDER_MS = 160;
const RATE = 100;
const WARM_UP_SECONDS: Size = { full: 12, tiny: 0.5 };
const MS_MAX = { p50: 2.5, p99: 8 };

interface Run {
  added: Summary;
  reference: Summary;
  /** The mean according to the provider metric. */
  providerMs: number;
  lateness: Summary;
}

export async function live(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend, { CONFAM_SANDBOX_LATENCY_MS: String(PROVIDER_MS) });
  const app = await confam.createApp('Live');
  const callers = await startCallers(bench, confam.baseUrl, app.headers);
  const ask = (seconds: number) => {
    const nins = freshNins(Math.ceil(seconds * RATE) + 1);
    return callers.call(
      RATE,
      { seconds },
      nins.map((nin) => `/api/v1/kyc/nin/advance?nin=${nin}`),
    );
  };
  const reference = await startOneRowRoute(bench);
  const referenceCallers = await startCallers(bench, reference.line.url, {});
  const askReference = (seconds: number) => referenceCallers.call(RATE, { seconds }, [`/?wait=${PROVIDER_MS}`]);

  await ask(sized(options, WARM_UP_SECONDS));
  await askReference(sized(options, WARM_UP_SECONDS));
  const seconds = options.seconds / options.repeats;
  const runs: Run[] = [];
  for (let i = 0; i < options.repeats; i++) {
    const before = await confam.histogram('confam_provider_seconds');
    const paced = await ask(seconds);
    const after = await confam.histogram('confam_provider_seconds');
    const calls = after.count - before.count;
    if (calls !== paced.samples.length) throw new Error(`${paced.samples.length} requests made ${calls} calls to the provider`);
    const providerMs = ((after.seconds - before.seconds) / calls) * 1000;
    runs.push({ added: added(paced), reference: added(await askReference(seconds)), providerMs, lateness: summarize(paced.lateness) });
  }
  await Promise.all([callers.stop(), referenceCallers.stop()]);
  await reference.stop();
  await confam.stop();
  return {
    figures: [figure('p50', runs), figure('p99', runs)],
    detail: { backend: options.backend, providerMs: median(runs.map((run) => run.providerMs)), runs },
  };
}

const added = ({ samples }: Paced): Summary => summarize(samples.map((sample) => sample - PROVIDER_MS));

function figure(which: 'p50' | 'p99', runs: Run[]): Figure {
  const [measured, reference] = (['added', 'reference'] as const).map((who) => median(runs.map((run) => run[who][which]))) as [
    number,
    number,
  ];
  return {
    what: `added by a live call, ${RATE}/s, ${which}`,
    measured: ms(measured),
    reference: `${ms(reference)} one-row route`,
    target: `≤ ${MS_MAX[which]} ms`,
    ok: measured <= MS_MAX[which],
  };
}
