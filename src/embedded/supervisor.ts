/**
 * Keeps the server running. If its main process ends by itself, it is restarted on the same port, so that connection strings stay valid, with growing pauses.
 * A server that does not come back, or ends again at once, is given up after three attempts; attempts on a full disk do not count.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isNearlyFull } from '../foundation/disk.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Again } from './launch.ts';
import { disarmStalePidFile, type Server, stopServer } from './server.ts';

export interface Supervised {
  /** The process id of the server that is running, or ran last. */
  pid(): number;
  isRunning(): boolean;
  /** Resolves when the server was given up, with the message for the operator. */
  lost: Promise<EmbeddedPostgresError>;
  /** Fast shutdown, bounded; also stops a server that is being restarted. */
  stop(): Promise<void>;
}

const ATTEMPTS_MAX = 3;
/** Before the first, second and third attempt. */
const PAUSES_MS = [100, 1_000, 4_000];
/** A server that ends sooner than this counts as one that did not start. */
const STEADY_MS = 30_000;
/** Between attempts on a full disk. */
const FULL_DISK_PAUSE_MS = 2_000;

/** `launch` starts the server again and resolves when it is ready. */
export function supervise(
  server: Server,
  first: ChildProcess,
  launch: (again: Pick<Again, 'spawned' | 'signal'>) => Promise<void>,
  log: (line: string) => void,
  isDiskFull: () => Promise<boolean> = () => isNearlyFull(server.pgdata),
): Supervised {
  let child = first;
  let stopping: Promise<void> | null = null;
  let restarting: Promise<void> | null = null;
  const aborter = new AbortController();
  let readyAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let giveUp: (error: EmbeddedPostgresError) => void;
  const lost = new Promise<EmbeddedPostgresError>((resolve) => {
    giveUp = resolve;
  });
  const full = `The disk of ${server.pgdata} is full. Postgres is started again every ${FULL_DISK_PAUSE_MS / 1000} s until there is room.`;
  const isGone = () => child.exitCode !== null || child.signalCode !== null;

  function watch(): void {
    child.once('exit', (code, signal) => {
      if (stopping === null) restarting ??= restart(`${code ?? signal}`).finally(() => (restarting = null));
    });
  }

  async function restart(how: string): Promise<void> {
    log(`Postgres ended unexpectedly (${how}); starting it again.`);
    let reason = `it ended with ${how}`;
    let isFull = await isDiskFull();
    if (isFull) log(full);
    if (performance.now() - readyAt >= STEADY_MS) failures = 0;
    else if (!isFull) failures++;
    while (stopping === null && failures < ATTEMPTS_MAX) {
      await sleep(isFull ? FULL_DISK_PAUSE_MS : PAUSES_MS[failures]);
      if (stopping !== null) return;
      const error = await startAgain();
      if (error === null || stopping !== null) return;
      reason = error.message;
      const wasFull = isFull;
      isFull = await isDiskFull();
      if (!isFull) log(`Postgres could not be started again (attempt ${++failures} of ${ATTEMPTS_MAX}): ${reason}`);
      else if (!wasFull) log(full);
    }
    if (stopping === null)
      giveUp(new EmbeddedPostgresError(`Postgres ended and could not be started again in ${ATTEMPTS_MAX} attempts. ${reason}`));
  }

  /** One attempt: why it failed; null if the server runs. */
  async function startAgain(): Promise<Error | null> {
    try {
      disarmStalePidFile(server);
      await launch({ spawned: (started) => (child = started), signal: aborter.signal });
      if (isGone()) throw new Error('it ended as soon as it was ready');
    } catch (error) {
      return error as Error;
    }
    readyAt = performance.now();
    watch();
    log('Postgres is running again; committed data is safe.');
    return null;
  }

  // A process that ends without stop(), through an uncaught error for example, takes its server with it.
  const onExit = () => !isGone() && child.kill('SIGINT');
  process.once('exit', onExit);
  watch();
  return {
    pid: () => child.pid!,
    isRunning: () => restarting === null && !isGone(),
    lost,
    stop() {
      stopping ??= (async () => {
        // No other server is started after this, so `child` is the one to stop, ready or not.
        aborter.abort();
        await stopServer(server, child.pid!, isGone);
        await restarting;
        process.off('exit', onExit);
      })();
      return stopping;
    },
  };
}
