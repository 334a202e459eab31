/**
 * What the operating system knows about other processes: whether they are alive, since when, and their arguments. Uses /proc if there is one, and returns
 * `null` if it cannot know; callers decide what that means.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A zombie counts as dead: it serves nothing, and in a container nobody may ever reap it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statFields(pid)?.[0] !== 'Z';
}

/** Start of a process in clock ticks since boot (proc(5), stat field 22); distinguishes a recycled pid from its previous process. */
export function startTicks(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** The arguments of a process; null without /proc or without such a process. A zombie has none. */
export function commandLine(pid: number): string[] | null {
  const text = readProc(`/proc/${pid}/cmdline`);
  return text ? text.split('\0').slice(0, -1) : null;
}

/** Names the boot and the pid namespace, within which a pid has meaning. Two containers differ; null without /proc. */
export function pidScope(): string | null {
  const boot = readProc('/proc/sys/kernel/random/boot_id');
  try {
    return boot ? `${boot.trim()} ${readlinkSync('/proc/self/ns/pid')}` : null;
  } catch {
    return null;
  }
}

/** Polls every `everyMs` until `done()` holds; false if `timeoutMs` passed first. */
export async function waitUntil(done: () => boolean, timeoutMs: number, everyMs = 10): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!done()) {
    if (performance.now() >= deadline) return false;
    await sleep(everyMs);
  }
  return true;
}

/** Fields of /proc/<pid>/stat from the third on ("state"): the second, the name in brackets, may itself contain spaces and brackets. */
function statFields(pid: number): string[] | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text ? text.slice(text.lastIndexOf(')') + 2).split(' ') : null;
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
