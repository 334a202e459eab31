/** The process of one benchmark (`apart.ts`): receives its task, answers with the report or the reason for failing, and stops everything it started. */
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
// The process that started this one is gone.
process.once('disconnect', () => fail(new Error('the parent process is gone')));

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
