/**
 * Runs the pools, or the dispatcher with the sweeper, in a process of their own beside the API: their work fills an event loop, and single calls must not wait in
 * it (decision 6). Forks, restarts and stops the child, whose half is `be-companion.ts`. They talk over Node's IPC channel, through which the child also
 * notices that its parent is gone. Loads no part of the service: a child starts before its parent has loaded.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsJson } from '../src/api/health.ts';
import { ConfigError } from '../src/foundation/config.ts';

export type ToChild = { kind: 'run'; databaseUrl: string } | { kind: 'metrics' } | { kind: 'drain' };
export type ToParent = { kind: 'running' } | { kind: 'metrics'; metrics: MetricsJson };

export interface Companion {
  /**
   * Starts its work on this database; resolves when it has begun. `onLoss`: it ended unasked and lost what it had leased; it is restarted automatically.
   */
  run(databaseUrl: string, onLoss: (code: number | null) => Promise<void>): Promise<void>;
  /** Its metrics, or null if it does not answer in time. */
  metrics(): Promise<MetricsJson | null>;
  /** Drains and ends it; after `timeoutMs` it is killed. */
  close(timeoutMs: number): Promise<void>;
}

const METRICS_MS = 1_000;
const RESTART_MS = 1_000;
/** Bulk work creates many short-lived records; with room for them the collector runs half as often (a tenth more rows a second). */
const NURSERY = '--max-semi-space-size=128';
/**
 * Not for the pools: a limit that keeps a process small (they create more garbage and were slower with it, docs/decisions/0014-rows-in-blocks.md), and as many
 * threads for V8 as there are processors to spare, so that they do not keep an event loop waiting (docs/decisions/0022-admission.md).
 */
const NOT_FOR_POOLS = ['--max-old-space-size', '--v8-pool-size'];
/**
 * Several threads decode pictures, and glibc gives each an arena that it does not return. Two arenas, since each of our threads has one of the cores, take 50
 * MB less of 410 at the same pace. Other C libraries ignore the setting.
 */
const ARENAS = { MALLOC_ARENA_MAX: '2' };

/** By part: the command, and how the flags of the API's process become its own. */
const PARTS = {
  pools: {
    command: 'worker',
    flags: (flags: string[]) => [...flags.filter((flag) => !NOT_FOR_POOLS.some((own) => flag.startsWith(own))), NURSERY],
  },
  dispatcher: { command: 'dispatcher', flags: (flags: string[]) => flags },
} as const;

/** Forks at once: the child loads its modules, and waits for its database. */
export function startCompanion(part: keyof typeof PARTS): Companion {
  const { command, flags } = PARTS[part];
  let child = spawn();
  let work: { databaseUrl: string; onLoss: (code: number | null) => Promise<void> } | null = null;
  let closing = false;

  function spawn(): ChildProcess {
    const started = fork(process.argv[1]!, [command, '--companion'], {
      stdio: 'inherit',
      execArgv: flags(process.execArgv),
      env: { ...ARENAS, ...process.env },
    });
    started.once('exit', (code) => {
      if (closing) return;
      void (async () => {
        await work?.onLoss(code).catch(() => {});
        await sleep(RESTART_MS);
        if (closing || child !== started) return;
        child = spawn();
        if (work) send({ kind: 'run', databaseUrl: work.databaseUrl });
      })();
    });
    return started;
  }
  /** Returns false if the child has gone; its `exit` handler takes care of that. */
  const send = (message: ToChild): boolean => child.connected && child.send(message, () => {});
  const answer = async (kind: ToParent['kind'], signal: AbortSignal): Promise<ToParent> => {
    for (;;) {
      const [message] = (await once(child, 'message', { signal })) as [ToParent];
      if (message.kind === kind) return message;
    }
  };

  return {
    async run(databaseUrl, onLoss) {
      work = { databaseUrl, onLoss };
      // A Ctrl-C during loading ends the child.
      if (child.exitCode !== null || child.signalCode !== null) child = spawn();
      const over = new AbortController();
      const running = answer('running', over.signal);
      child.once('exit', () => over.abort());
      send({ kind: 'run', databaseUrl });
      await running.catch(() => {
        throw new ConfigError(`the process of the ${part} ended before it was ready; what it said is above`);
      });
    },
    async metrics() {
      const answered = answer('metrics', AbortSignal.timeout(METRICS_MS)).catch(() => null);
      send({ kind: 'metrics' });
      const message = await answered;
      return message?.kind === 'metrics' ? message.metrics : null;
    },
    async close(timeoutMs) {
      closing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      send({ kind: 'drain' });
      const late = await Promise.race([ended.then(() => false), sleep(timeoutMs, true, { ref: false })]);
      if (late) child.kill('SIGKILL');
      await ended;
    },
  };
}
