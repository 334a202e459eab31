/** `confam upstreams check` reads the file of vendors; `confam upstream-sim` is a vendor to try it with. */
import type { Command } from 'commander';
import { untilSignal } from '../../workers/signals.ts';
import { readConfig, readJson } from '../foundation/config.ts';
import { configureProviders } from '../providers/configure.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { UsageError } from './usage-error.ts';

export function addUpstreamCommands(upstreams: Command): void {
  upstreams
    .command('check')
    .description('check the file, and show who answers what')
    .argument('[file]', 'default: CONFAM_UPSTREAMS')
    .action((file?: string) => {
      const config = readConfig({ ...process.env, ...(file && { CONFAM_UPSTREAMS: file }) });
      if (!config.CONFAM_UPSTREAMS) throw new UsageError('give a file, or set CONFAM_UPSTREAMS');
      const { live, routes = {} } = configureProviders(config);
      for (const { name, serves, budget } of live) {
        const records = Object.keys(serves).join(' ') || 'nothing';
        console.log(
          `${name}: ${records}; ${budget.requestsPerSecond ?? 'any number of'} requests a second, ${budget.inFlightMax} in flight`,
        );
      }
      for (const [kind, { choices }] of Object.entries(routes)) {
        console.log(`${kind}: ${choices.map(({ provider, weight }) => provider + (weight === null ? '' : ` (${weight})`)).join(', ')}`);
      }
    });
}

export function addSimulator(command: Command): void {
  command
    .option('--port <number>', 'port on 127.0.0.1; 0 picks a free one', '8090')
    .option('--script <file>', 'JSON file with its faults')
    .action(async (options: { port: string; script?: string }) => {
      const signaled = untilSignal();
      const simulator = await startSimulator({
        port: portOf(options.port),
        script: options.script ? (readJson('--script', options.script) as object) : {},
      });
      console.log(`upstream-sim is ready at ${simulator.url}`);
      await signaled;
      await simulator.close();
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError('--port: expected a number from 0 to 65535');
  return port;
}
