/** `confam webhooks trigger`: causes an event for real, by work in the sandbox that ends in it. Nothing is made up. */
import { Argument, type Command } from 'commander';
import type { BatchDetail, Job } from '../../client/client.ts';
import { type Connection, connect, type RemoteOptions, remote } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { modeOf } from '../terminal/profiles.ts';

/** An invented person of the sandbox (docs/sandbox.md). */
const FOUND = { check: 'nin_basic', input: { nin: '70123456789' }, rows: 'nin\n70123456789\n' };
/** A name that contradicts the record: the job fails at once. */
const FAILING = {
  check: 'passport',
  input: { passport_number: 'A00123456', last_name: 'Nobody' },
  rows: 'passport_number,last_name\nA00123456,Nobody\n',
};
/** Answers after three seconds. */
const SLOW = { check: 'nin_basic', rows: 'nin\n00000000004\n' };

type Act = (connection: Connection) => Promise<{ id: string; status: string }>;

const acts: Readonly<Record<string, Act>> = {
  'job.completed': (connection) => runJob(connection, FOUND),
  'job.failed': (connection) => runJob(connection, FAILING),
  'batch.completed': (connection) => runBatch(connection, FOUND),
  'batch.canceled': async (connection) => {
    const { id } = await submit(connection, FOUND, { start: 'manual' });
    return connection.client.batches.control(id, 'cancel');
  },
  'batch.failed': (connection) => runBatch(connection, FAILING, { max_failure_percent: 0 }),
  'batch.paused': async (connection) => {
    const { id } = await submit(connection, SLOW);
    return connection.client.batches.control(id, 'pause');
  },
  'batch.resumed': async (connection) => {
    const { id } = await submit(connection, SLOW);
    await connection.client.batches.control(id, 'pause');
    return connection.client.batches.control(id, 'resume');
  },
};

export function addWebhooksTrigger(command: Command): void {
  remote(command.addArgument(new Argument('<event>').choices(Object.keys(acts))))
    .description('cause an event in the sandbox (test keys only)')
    .addHelpText(
      'after',
      `
The event goes to \`confam webhooks listen\`, and to the endpoints of the app that want it. The work costs play money.

Example:
  $ confam webhooks trigger batch.completed`,
    )
    .action(async (event: string, options: RemoteOptions) => {
      const connection = connect(options);
      if (modeOf(connection.chosen.key) !== 'test')
        throw new CommandError(
          'denied',
          'Events are triggered with a test key only: a live key would ask about people.',
          'Choose another profile: --profile',
        );
      const caused = await acts[event]!(connection);
      connection.out.answer({ event, id: caused.id, status: caused.status }, () =>
        connection.out.line(`${event}: ${caused.id} is ${caused.status}.`),
      );
    });
}

async function runJob({ client }: Connection, { check, input }: { check: string; input: Record<string, string> }): Promise<Job> {
  const { id } = await client.transport.send<Job>('POST', 'api/v1/jobs', { body: { check, input } });
  return ended<Job>(client, `api/v1/jobs/${id}`);
}

async function runBatch(
  connection: Connection,
  work: { check: string; rows: string },
  options: Record<string, string | number> = {},
): Promise<BatchDetail> {
  const { id } = await submit(connection, work, options);
  return ended<BatchDetail>(connection.client, `api/v1/batches/${id}`);
}

const submit = (
  { client }: Connection,
  { check, rows }: { check: string; rows: string },
  options: Record<string, string | number> = {},
): Promise<BatchDetail> =>
  client.transport.send<BatchDetail>('POST', 'api/v1/batches', {
    query: { checks: check, ...options },
    file: { type: 'text/csv', bytes: new Blob([rows]) },
  });

const WAITS_MAX = 4;
const WAIT_SECONDS = 30;

async function ended<Work extends { status: string }>({ transport }: Connection['client'], path: string): Promise<Work> {
  for (let waits = 0; waits < WAITS_MAX; waits++) {
    const work = await transport.send<Work>('GET', path, { query: { wait: WAIT_SECONDS } });
    if (['completed', 'failed', 'canceled', 'expired'].includes(work.status)) return work;
  }
  throw new CommandError('away', 'It is not done after two minutes: does a worker run?');
}
