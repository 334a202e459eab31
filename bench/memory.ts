/** What another process uses, as Linux tells it; elsewhere null. */
import { readFileSync } from 'node:fs';

/** Most resident memory so far, in MB (VmHWM). */
export function peakMb(pid: number): number | null {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** Of the processes that it has started, the one with `word` in its command line. */
export const childOf = (pid: number, word: string): number | undefined =>
  read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .find((child) => read(`/proc/${child}/cmdline`).split('\0').includes(word));

/** Processor time so far, in seconds, at the 100 ticks a second that Linux counts for everybody. */
export function cpuSeconds(pid: number): number | null {
  // The name of the program, in brackets, may hold anything.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
  return fields.length < 13 ? null : (Number(fields[11]) + Number(fields[12])) / 100;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
