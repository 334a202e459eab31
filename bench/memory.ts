/** What another process uses, according to Linux; null on other systems. */
import { readFileSync } from 'node:fs';

/** Peak resident memory so far, in MB (VmHWM). */
export const peakMb = (pid: number): number | null => statusMb(pid, 'VmHWM');

/** Resident memory now, in MB (VmRSS). */
export const residentMb = (pid: number): number | null => statusMb(pid, 'VmRSS');

function statusMb(pid: number, name: string): number | null {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(read(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

/** The child process with `word` in its command line. */
export const childOf = (pid: number, word: string): number | undefined =>
  read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .find((child) => read(`/proc/${child}/cmdline`).split('\0').includes(word));

/** Processor time so far, in seconds; Linux counts 100 ticks a second. */
export function cpuSeconds(pid: number): number | null {
  // The program's name, in brackets, may contain anything.
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
