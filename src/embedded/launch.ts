/**
 * Starts the server of the embedded Postgres with our settings, and waits until it is ready: through a port that was taken, backends that linger, and a recovery
 * that takes minutes.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, fchownSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../foundation/free-port.ts';
import { EmbeddedPostgresError } from './error.ts';
import { waitUntil } from './process.ts';
import { isReady, type Server, saysDiskFull, spawnServer, stopServer } from './server.ts';

export const READY_TIMEOUT_MS = 30_000;
/** Replaying up to `max_wal_size` of log after a crash takes minutes on a slow disk; killing the server half-way would only make it start over. */
const RECOVERY_TIMEOUT_MS = 10 * 60_000;
const PORT_ATTEMPTS = 5;
/** Backends outlive a killed postmaster until they notice; until then a new one refuses to start. */
const OLD_BACKENDS_TIMEOUT_MS = 10_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

const SETTINGS: Record<string, string> = {
  shared_buffers: '256MB',
  max_connections: '150',
  // There are no replicas, so no log is written for them: COPY and CREATE INDEX into new tables then skip the log and sync the file at commit.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  min_wal_size: '512MB',
  // Filling a new segment of the log with zeros stops every commit for 40 to 90 ms: docs/decisions/0043-segments-without-zeros.md.
  wal_init_zero: 'off',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: '0.9',
  fsync: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  autovacuum_naptime: '15s',
  random_page_cost: '1.1',
  // No personal data in the log. An ERROR's first line can quote a value ('invalid input syntax for type uuid: "…"'), its DETAIL a key; the caller gets both
  // anyway. The level `log` keeps LOG, FATAL and PANIC: starts, stops, crashes, checkpoints.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/** What to start, and how. */
export interface Launching {
  server: Server;
  /** Besides ours, which they override. */
  settings: Record<string, string>;
  logPath: string;
  /** For lines that the operator should see. */
  log(line: string): void;
}

/** A server that ran before, on the same port. */
export interface Again {
  port: number;
  /** Called with each process at once. */
  spawned(child: ChildProcess): void;
  /** Once it aborts, nothing more is started. */
  signal: AbortSignal;
}

interface Running {
  child: ChildProcess;
  port: number;
  /** What the server has logged since this start. */
  logText(): string;
}

/** Starts the server. Tries again while the chosen port turns out to be taken, or the backends of a killed server linger. */
export async function launch(launching: Launching, again: Again | null = null): Promise<Running> {
  const { server, settings, logPath } = launching;
  const lingerDeadline = performance.now() + OLD_BACKENDS_TIMEOUT_MS;
  for (let attempt = 1; ; ) {
    if (again?.signal.aborted) throw new EmbeddedPostgresError('Postgres is being stopped.');
    const port = again?.port ?? (await freePort());
    const { handle, logText } = openLog(logPath, server);
    const child = spawnServer(server, port, { ...SETTINGS, ...settings }, handle);
    again?.spawned(child);
    let failure: string | null = null;
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('exit', (code, signal) => {
      failure ??= `it ended with ${code ?? signal}`;
    });
    closeSync(handle);
    await untilReady(launching, { child, logText, hasFailed: () => failure !== null });
    if (failure === null) return { child, port, logText };

    const text = logText();
    if (/Address already in use|could not bind|could not create any TCP\/IP sockets/.test(text) && attempt < PORT_ATTEMPTS) {
      attempt += 1;
      if (again) await sleep(250);
    } else if (/pre-existing shared memory block/.test(text) && performance.now() < lingerDeadline) {
      await sleep(250);
    } else {
      if (saysDiskFull(text))
        throw new EmbeddedPostgresError(`Postgres did not start: the disk of ${server.pgdata} is full. Make room and start again.`);
      throw new EmbeddedPostgresError(
        `Postgres did not start: ${failure}. The end of ${logPath}:\n${text.trim().split('\n').slice(-8).join('\n')}`,
      );
    }
  }
}

interface Starting extends Pick<Running, 'child' | 'logText'> {
  hasFailed(): boolean;
}

/** Also returns if the server has failed. Stops one that takes too long, and throws. */
async function untilReady({ server, log }: Launching, { child, logText, hasFailed }: Starting): Promise<void> {
  const done = () => hasFailed() || isReady(server, child.pid);
  if (await waitUntil(done, READY_TIMEOUT_MS)) return;
  const recovering = /was not properly shut down|was interrupted|redo/.test(logText());
  if (recovering) {
    log('Postgres is still recovering from an unclean shutdown; waiting for it.');
    if (await waitUntil(done, RECOVERY_TIMEOUT_MS - READY_TIMEOUT_MS, 100)) return;
  }
  await stopServer(server, child.pid!, hasFailed);
  throw new EmbeddedPostgresError(
    `Postgres was not ready within ${(recovering ? RECOVERY_TIMEOUT_MS : READY_TIMEOUT_MS) / 1000} s and was stopped.`,
  );
}

/** Appends to the log, and truncates it once it is large. The server writes through our handle, so it needs no rights to the path. */
function openLog(path: string, server: Server): { handle: number; logText: () => string } {
  let handle = openSync(path, 'a', 0o600);
  if (fstatSync(handle).size > LOG_LIMIT_BYTES) {
    closeSync(handle);
    closeSync(openSync(path, 'w'));
    handle = openSync(path, 'a', 0o600);
  }
  // A later start may run as that user itself, without root.
  if (server.account) fchownSync(handle, server.account.uid, server.account.gid);
  const from = fstatSync(handle).size;
  return { handle, logText: () => readFrom(path, from, 64 * 1024) };
}

function readFrom(path: string, from: number, limit: number): string {
  const handle = openSync(path, 'r');
  const buffer = Buffer.alloc(limit);
  const length = readSync(handle, buffer, 0, limit, from);
  closeSync(handle);
  return buffer.toString('utf8', 0, length);
}
