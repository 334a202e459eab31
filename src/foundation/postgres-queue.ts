/**
 * BullMQ's Postgres backend, hardened against connections that are cut at any moment (test/foundation/connections.test.ts). Written against BullMQ 6.7 and pg
 * 8.23; each part says what goes wrong without it.
 */

import { Socket } from 'node:net';
import { type BackendFactory, PostgresConnection, type PostgresConnectionOptions, PostgresQueueBackend, withBackend } from 'bullmq';
import pg from 'pg';
import type { SilenceWatch } from './silence.ts';
import { splitTls } from './store-tls.ts';

/**
 * - BullMQ does not listen for errors of a connection that is checked out of its pool: a cut between two statements would end the process.
 *   The next statement on it fails, and that is reported.
 * - Errors are emitted only after promises resolved earlier have been handled. An answer and the end of its connection may arrive together;
 *   if the end were emitted at once, handling the answer would discard it, and a worker would keep waiting on a lost connection.
 */
class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {});
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'error') return super.emit(event, ...values);
    setImmediate(() => {
      // BullMQ removes all listeners from a connection that it closes, ours too. Nothing needs to hear of errors after that.
      if (this.listenerCount('error') > 0) super.emit(event, ...values);
    });
    return true;
  }
}
// The connection for LISTEN is created through this name.
pg.Client = SteadyClient;

/** BullMQ looks for its tables on a first connection; if that one fails, so does everything after it. `migrateQueue` has already created them. */
class SteadyConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}

/**
 * An idle worker polls for tickets at least this often, with or without a notification. After an error BullMQ waits up to an hour for one, and tickets that
 * are added while nobody listens are announced to nobody.
 */
const LONGEST_WAIT_S = 5;

class SteadyBackend extends PostgresQueueBackend {
  override get maximumBlockTimeout(): number {
    return LONGEST_WAIT_S;
  }
}

const createBackend: BackendFactory<SteadyBackend, PostgresConnectionOptions> = (name, options, { withBlockingConnection } = {}) =>
  new SteadyBackend(new SteadyConnection(options.connection), name, options, true, withBlockingConnection ? name : undefined);

export const { Queue: PostgresQueue, Worker: PostgresWorker } = withBackend(createBackend);

/**
 * Like those of our own connections (`foundation/context.ts`): a process that is stopped between two statements blocks nobody for long, and a lost host is
 * noticed.
 */
const BOUNDS = {
  statement_timeout: 30_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  options:
    '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c default_transaction_isolation=read\\ committed',
};

/** Options for a connection of at most `max` clients to BullMQ's tables in `schema`. They act as the role in the address, if it has one (`asRole`). */
export function connectionOptions(connectionString: string, schema: string, max: number, watch?: SilenceWatch): PostgresConnectionOptions {
  const role = new URL(connectionString).searchParams.get('role');
  const options = role === null ? BOUNDS.options : `${BOUNDS.options} -c role=${role}`;
  const { address, ...tls } = splitTls(connectionString);
  const stream = () => {
    const socket = new Socket();
    watch?.track(socket);
    return socket;
  };
  return { connectionString: address, schema, max, Client: SteadyClient, ...tls, ...BOUNDS, options, stream };
}

/** A pool that several queues share. BullMQ cannot point such a pool at its schema, so the connection options name it. */
export function openPool(connectionString: string, schema: string, max: number, watch?: SilenceWatch): pg.Pool {
  const { options, ...rest } = connectionOptions(connectionString, schema, max, watch) as pg.PoolConfig;
  return new pg.Pool({ ...rest, options: `${options} -c search_path="${schema}"` });
}
