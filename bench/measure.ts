/** The process of one benchmark (`apart.ts`): is told which one, answers with its report or with why there is none, and stops what it started. */
import type { Outcome, Task } from './apart.ts';
import { type Bench, openBench } from './harness.ts';
import { measurements } from './measurements.ts';

let bench: Bench | null = null;
let ending = false;

process.once('message', ({ name, options, servers }: Task) => {
  bench = openBench(servers, fail);
  measurements[name]!(bench, options).then((report) => end({ report }), fail);
});
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => fail(new Error(`got ${signal}`)));
// Whoever started this process is gone.
process.once('disconnect', () => fail(new Error('nobody waits for it')));

function fail(error: unknown): void {
  if (ending) return;
  console.error(error);
  void end({ failure: error instanceof Error ? error.message : String(error) });
}

async function end(outcome: Outcome): Promise<void> {
  ending = true;
  await bench?.close();
  if (process.connected) await new Promise((resolve) => process.send!(outcome, resolve));
  process.exit('report' in outcome ? 0 : 1);
}
