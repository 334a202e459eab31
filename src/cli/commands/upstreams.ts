/** The flags of `confam upstreams check`, which reads the file of vendors, and of `confam upstream-sim`, a vendor to try it with (`../upstreams.ts`). */
import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

const work = () => import('../upstreams.ts');

export function addUpstreamCommands(upstreams: Command): void {
  upstreams
    .command('check')
    .description('check the file, and show who answers what')
    .argument('[file]', 'default: CONFAM_UPSTREAMS')
    .action(async (file?: string) => (await work()).checkUpstreams(file));
}

export function addSimulator(command: Command): void {
  command
    .option('--port <number>', 'port on 127.0.0.1; 0 picks a free one', port, 8090)
    .option('--script <file>', 'JSON file with its faults')
    .action(async (options: { port: number; script?: string }) => (await work()).simulate(options));
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535) throw new UsageError('--port: expected a number from 0 to 65535');
  return number;
}
