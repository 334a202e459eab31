/** What Confam adds to the provider's own time when a single call is not in the cache. The sandbox takes what the real registry takes. */
import { ms, type Report, type Summary, summarise, typical } from './figure.ts';
import { type Bench, freshNins, type Options } from './harness.ts';
import { openClient, openLoop } from './load.ts';

const PROVIDER_MS = 160;
const RATE = 100;
const WARM_UP_SECONDS = 3;
const P50_MS_MAX = 5;
const P99_MS_MAX = 15;

export async function live(bench: Bench, options: Options): Promise<Report> {
  const confam = await bench.startConfam(options.backend, { CONFAM_SANDBOX_LATENCY_MS: String(PROVIDER_MS) });
  const app = await confam.createApp('Live');
  const client = openClient(confam.baseUrl, app.headers);
  const ask = (seconds: number) => {
    const nins = freshNins(Math.ceil(seconds * RATE) + 1);
    return openLoop(RATE, { seconds }, (i) => client.get(`/api/v1/kyc/nin/advance?nin=${nins[i]}`));
  };

  await ask(WARM_UP_SECONDS);
  const runs: { added: Summary; providerMs: number; lateness: Summary }[] = [];
  for (let i = 0; i < options.repeats; i++) {
    const before = await confam.histogram('confam_provider_seconds');
    const { samples, lateness } = await ask(options.seconds / options.repeats);
    const after = await confam.histogram('confam_provider_seconds');
    const calls = after.count - before.count;
    if (calls !== samples.length) throw new Error(`${samples.length} requests made ${calls} calls of the provider`);
    runs.push({
      added: summarise(samples.map((sample) => sample - PROVIDER_MS)),
      providerMs: ((after.seconds - before.seconds) / calls) * 1000,
      lateness: summarise(lateness),
    });
  }
  await client.close();
  await confam.stop();

  const added = runs.map((run) => run.added);
  const [p50, p99] = [typical(added, 'p50'), typical(added, 'p99')];
  const reference = `provider: ${ms(
    typical(
      runs.map((run) => summarise([run.providerMs])),
      'p50',
    ),
  )}`;
  return {
    figures: [
      { what: `added by a live call, ${RATE}/s, p50`, measured: ms(p50), reference, target: `≤ ${P50_MS_MAX} ms`, ok: p50 <= P50_MS_MAX },
      { what: `added by a live call, ${RATE}/s, p99`, measured: ms(p99), reference, target: `≤ ${P99_MS_MAX} ms`, ok: p99 <= P99_MS_MAX },
    ],
    detail: { backend: options.backend, p50, p99, runs },
  };
}
