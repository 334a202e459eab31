/** Checks the upstreams file, and runs the vendor simulator, for `commands/upstreams.ts`. */
import { untilSignal } from '../../workers/signals.ts';
import { readConfig, readJson } from '../foundation/config.ts';
import { configureProviders } from '../providers/configure.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { UsageError } from './usage-error.ts';

/** `file`: instead of the one that CONFAM_UPSTREAMS names. */
export function checkUpstreams(file?: string): void {
  const config = readConfig({ ...process.env, ...(file && { CONFAM_UPSTREAMS: file }) });
  if (!config.CONFAM_UPSTREAMS) throw new UsageError('give a file, or set CONFAM_UPSTREAMS');
  const { live, routes = {} } = configureProviders(config);
  for (const { name, serves, budget } of live) {
    const records = Object.keys(serves).join(' ') || 'nothing';
    console.log(`${name}: ${records}; ${budget.requestsPerSecond ?? 'any number of'} requests a second, ${budget.inFlightMax} in flight`);
  }
  for (const [kind, { choices }] of Object.entries(routes)) {
    console.log(`${kind}: ${choices.map(({ provider, weight }) => provider + (weight === null ? '' : ` (${weight})`)).join(', ')}`);
  }
}

export async function simulate({ port, script }: { port: number; script?: string }): Promise<void> {
  const signaled = untilSignal();
  const simulator = await startSimulator({ port, script: script ? (readJson('--script', script) as object) : {} });
  console.log(`upstream-sim is ready at ${simulator.url}`);
  await signaled;
  await simulator.close();
}
