/**
 * Runs the pools in a process of their own beside the API: bulk work fills an event loop, and single calls must not wait in it (decision 6). The parent half
 * forks, restarts and stops the child; the child half runs the roles. They talk over Node's IPC channel, through which the child also notices that its parent
 * is gone.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsJson } from '../src/api/health.ts';
import type { Family } from '../src/checks/check.ts';
import type { Config } from '../src/foundation/config.ts';
import { runRoles } from './main.ts';

type ToChild = { kind: 'run'; databaseUrl: string } | { kind: 'metrics' } | { kind: 'drain' };
type ToParent = { kind: 'running' } | { kind: 'metrics'; metrics: MetricsJson };

export interface Companion {
  /** Starts its work on this database; resolves when its pools take work. */
  run(databaseUrl: string): Promise<void>;
  /** Its metrics, or null if it does not answer in time. */
  metrics(): Promise<MetricsJson | null>;
  /** Drains and ends it; after `timeoutMs` it is killed. */
  close(timeoutMs: number): Promise<void>;
}

const METRICS_MS = 1_000;
const RESTART_MS = 1_000;
/** Bulk work creates many short-lived records; with room for them the collector runs half as often (a tenth more rows a second). */
const NURSERY = '--max-semi-space-size=128';
/** This limit keeps the API small. Pools create more garbage and were slower with it (docs/decisions/0014-rows-in-blocks.md). */
const HEAP_LIMIT = '--max-old-space-size';
/**
 * Several threads decode pictures, and glibc gives each an arena that it does not return. Two arenas, since each of our threads has one of the cores, take 50
 * MB less of 410 at the same pace. Other C libraries ignore the setting.
 */
const ARENAS = { MALLOC_ARENA_MAX: '2' };
/** Below the API's: when processors are scarce, single calls go first (their median beside a running batch fell from 16 to 12 ms). */
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Forks at once, so that the child loads its modules while the database starts. `onLoss`: the child ended unasked and lost what it had leased; it is
 * restarted automatically.
 */
export function startCompanion(families: readonly Family[], onLoss: (code: number | null) => Promise<void>): Companion {
  let child = spawn();
  let databaseUrl: string | null = null;
  let closing = false;

  function spawn(): ChildProcess {
    const started = fork(process.argv[1]!, ['worker', '--companion', '--families', families.join(',')], {
      stdio: 'inherit',
      execArgv: [...process.execArgv.filter((flag) => !flag.startsWith(HEAP_LIMIT)), NURSERY],
      env: { ...ARENAS, ...process.env },
    });
    started.once('exit', (code) => {
      if (closing) return;
      void (async () => {
        await onLoss(code).catch(() => {});
        await sleep(RESTART_MS);
        if (closing) return;
        child = spawn();
        if (databaseUrl) send({ kind: 'run', databaseUrl });
      })();
    });
    return started;
  }
  /** False: the child is gone, and its end is being handled. */
  const send = (message: ToChild): boolean => child.connected && child.send(message, () => {});
  const answer = async (kind: ToParent['kind'], signal: AbortSignal): Promise<ToParent> => {
    for (;;) {
      const [message] = (await once(child, 'message', { signal })) as [ToParent];
      if (message.kind === kind) return message;
    }
  };

  return {
    async run(url) {
      databaseUrl = url;
      const over = new AbortController();
      const running = answer('running', over.signal);
      child.once('exit', () => over.abort());
      send({ kind: 'run', databaseUrl: url });
      await running.catch(() => {
        throw new Error('the worker process ended before it was ready');
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

/** The child half: waits for its database, then works until it is told to drain or its parent is gone. */
export async function beCompanion(config: Config, families: readonly Family[]): Promise<void> {
  setPriority(PRIORITY);
  // The terminal's Ctrl-C reaches the whole group; the parent decides when to drain.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  const told = (kind: ToChild['kind']): Promise<ToChild> =>
    new Promise((resolve) => {
      const hear = (message: ToChild) => {
        if (message.kind !== kind) return;
        process.off('message', hear);
        resolve(message);
      };
      process.on('message', hear);
    });
  const over = Promise.race([told('drain'), once(process, 'disconnect')]);
  const first = await Promise.race([told('run'), over.then(() => null)]);
  if (first?.kind !== 'run') return;
  // The parent answers for both processes on the operations port.
  const running = await runRoles({ ...config, CONFAM_OPERATIONS_PORT: undefined }, first.databaseUrl, {
    api: false,
    pools: families,
    webhooks: true,
    dispatcher: false,
  });
  const say = (message: ToParent) => process.connected && process.send!(message, () => {});
  process.on('message', async (message: ToChild) => {
    if (message.kind === 'metrics') say({ kind: 'metrics', metrics: await running.metrics() });
  });
  say({ kind: 'running' });
  await over;
  await running.drain();
}
