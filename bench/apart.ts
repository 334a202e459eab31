/**
 * Runs one benchmark in a process of its own (`measure.ts`), so that one that fails, hangs or crashes leaves the others alone. The process leads a group that
 * includes whatever it starts; anything left of the group when it has ended is killed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from './figure.ts';
import type { Options } from './harness.ts';
import type { Servers } from './servers.ts';

/** The first message to the process. */
export interface Task {
  name: string;
  options: Options;
  servers: Omit<Servers, 'close'>;
}

/** Its answer. */
export type Outcome = { report: Report } | { failure: string };

export interface Running {
  outcome: Promise<Outcome>;
  stop(): Promise<void>;
}

/** Longer than the process needs to stop everything it has started (`process.ts`). */
const STOP_TIMEOUT_MS = 40_000;

/** `timeoutMs`: a benchmark that takes longer is stopped and counts as failed; null: no limit. */
export function runApart({ name, options, servers }: Task, timeoutMs: number | null): Running {
  // A new one for each try.
  const folder = mkdtempSync(join(servers.folder, `${name.replace('/', '-')}-`));
  // Under root, Postgres runs as another user, who reads and writes the files of `ingest`.
  chmodSync(folder, 0o711);
  const child = fork(fileURLToPath(new URL('./measure.ts', import.meta.url)), {
    detached: true,
    execArgv: ['--import', 'tsx'],
  });
  // The last resort, for an exit that stopped nothing.
  const onExit = () => killGroup(child);
  process.once('exit', onExit);

  let answered: Outcome | null = null;
  let stoppedFor: string | null = null;
  child.on('message', (outcome: Outcome) => {
    answered = outcome;
  });
  const ended = once(child, 'exit').then(() => {
    killGroup(child);
    process.off('exit', onExit);
  });
  const stop = async (reason: string) => {
    stoppedFor ??= reason;
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(STOP_TIMEOUT_MS, null, { ref: false })]);
    killGroup(child);
    await ended;
  };
  const timer = timeoutMs === null ? undefined : setTimeout(() => void stop(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
  child.send({ name, options, servers: { ...servers, folder } } satisfies Task);
  return {
    outcome: ended.then(() => {
      clearTimeout(timer);
      if (stoppedFor !== null) return { failure: stoppedFor };
      return answered ?? { failure: `ended (${child.exitCode ?? child.signalCode}) without an answer` };
    }),
    stop: () => stop('was stopped'),
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // The group is already gone.
  }
}
