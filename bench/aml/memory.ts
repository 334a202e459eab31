/**
 * A program: builds an index of the lists in a thread, as the service does, passes it to one and then to two screening threads, and prints one line of JSON.
 * `NAMES`: this many names, for which the lists are repeated with another letter appended to every word; without it the lists as they are.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { THRESHOLD_DEFAULT } from '../../src/engines/aml/request.ts';
import { openScreener, type Screener } from '../../src/engines/aml/screener.ts';
import { openThreads } from '../../src/engines/threads.ts';
import { peakMb } from '../memory.ts';
import { namesOfFiles } from './accuracy.ts';
import type { Built } from './index-thread.ts';

export interface IndexMemory {
  names: number;
  /** Adding and finishing, without reading the files. */
  buildWallMs: number;
  buildCpuMs: number;
  sharedMb: number;
  /** Growth of the process, once the building thread has ended. */
  grownMb: number;
  /** Peak of the whole process; null: not Linux. */
  peakMb: number | null;
  /** Growth of the process with one screening thread at work, and with two. */
  threadMb: [number, number];
}

const MB = 1e6;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const residentMb = (): number => {
  collect();
  return process.memoryUsage.rss() / MB;
};
const before = residentMb();
const builder = openThreads<number | null, Built>(import.meta.url, './index-thread', { threads: 1 });
const { index, ...took } = await builder.run(process.env.NAMES ? Number(process.env.NAMES) : null);
await builder.close();
const grownMb = residentMb() - before;
const peak = peakMb(process.pid);
const threadMb: number[] = [];
const screeners: Screener[] = [];
for (let threads = 1; threads <= 2; threads++) {
  const screener = await openScreener(index, 1);
  screeners.push(screener);
  const options = { threshold: THRESHOLD_DEFAULT, lists: null };
  for (const name of namesOfFiles()) await screener.screen({ subject: { name, dateOfBirth: null, country: null, gender: null }, options });
  threadMb.push(residentMb() - before);
}
const arrays = Object.values(index).flatMap((one) => Object.values(one));
const shared = arrays.reduce((sum: number, array: unknown) => sum + (ArrayBuffer.isView(array) ? array.byteLength : 0), 0);
const memory: IndexMemory = {
  names: index.persons.rowCount + index.organizations.rowCount,
  ...took,
  sharedMb: shared / MB,
  grownMb,
  peakMb: peak,
  threadMb: threadMb as [number, number],
};
console.log(JSON.stringify(memory));
await Promise.all(screeners.map((screener) => screener.close()));
