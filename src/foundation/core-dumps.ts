/** Keeps this process's memory out of core dumps: it holds in clear what it is working on. */
import { writeFileSync } from 'node:fs';
import type { Log } from './log.ts';

/** Linux reads here which mappings a dump contains (core(5)): none. Child processes inherit this. Other systems' dumps are left as they are. */
const FILTER = '/proc/self/coredump_filter';

export function emptyCoreDumps(log: Log): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(FILTER, '0');
  } catch (error) {
    log.warn({ err: error }, 'a core dump of this process would hold its memory: forbid core dumps (docs/privacy.md)');
  }
}
