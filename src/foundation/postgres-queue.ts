/**
 * BullMQ's Postgres backend, made to outlive connections that are cut at any moment (test/foundation/connections.test.ts). Written against BullMQ 6.7 and
 * pg 8.23; each part says what goes wrong without it.
 */
import { type BackendFactory, PostgresConnection, type PostgresConnectionOptions, PostgresQueueBackend, withBackend } from 'bullmq';
import pg from 'pg';

/**
 * - BullMQ does not listen for errors of a connection that is lent out of its pool: cut between two statements, it would end the process. What is
 *   asked on it next fails, and is reported.
 * - An error is told after the promises that were kept before it have been heard. An answer and the end of its connection may come in one piece;
 *   told at once, the end would be forgotten when the answer is heard, and a worker would go on waiting on a connection that is gone.
 */
class SteadyClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {});
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'error') return super.emit(event, ...values);
    setImmediate(() => {
      // BullMQ takes all listeners off a connection that it closes, ours too: nobody is left to be told, and nobody need be.
      if (this.listenerCount('error') > 0) super.emit(event, ...values);
    });
    return true;
  }
}
// The connection for LISTEN is made by this name.
pg.Client = SteadyClient;

/** BullMQ looks for its tables on a first connection, and if that one fails, then for ever. They are there since `migrateQueue`. */
class SteadyConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}

/**
 * An idle worker looks for tickets at least this often, whether it was told of any or not. After an error BullMQ waits up to an hour to be told,
 * and what is added while nobody listens is told to nobody.
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

/** As those of our own connections (`foundation/context.ts`): a process that is stopped between two statements holds nobody up for long, and a host that is gone is noticed. */
const BOUNDS = {
  statement_timeout: 30_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
};

/** Options of a connection of at most `max` clients to BullMQ's tables in `schema`. */
export function connectionOptions(connectionString: string, schema: string, max: number): PostgresConnectionOptions {
  return { connectionString, schema, max, Client: SteadyClient, ...BOUNDS };
}
