/** Core dumps of this process leave its memory out: it holds what it works on, in clear. */
import { writeFileSync } from 'node:fs';
import type { Log } from './log.ts';

/** Linux asks here which mappings a dump has (core(5)); none. Processes that this one starts inherit it. Elsewhere dumps are left as they are. */
const FILTER = '/proc/self/coredump_filter';

export function emptyCoreDumps(log: Log): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(FILTER, '0');
  } catch (error) {
    log.warn({ err: error }, 'a core dump of this process would hold its memory: forbid core dumps (docs/privacy.md)');
  }
}
