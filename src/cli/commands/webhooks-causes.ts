/** What causes each webhook event in the sandbox, for `confam webhooks trigger`. If an event needs a setting of the app, the command says so and does not change it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchDetail, Client, Job } from '../../client/client.ts';
import { at } from '../../client/paths.ts';
import type { Approval } from '../../client/people.ts';
import type { EventType } from '../../contract/webhooks.ts';
import { CommandError } from '../terminal/exits.ts';

interface Work {
  check: string;
  input: Record<string, string>;
}

/** Invented people of the sandbox (docs/sandbox.md). */
const FOUND: Work = { check: 'nin_basic', input: { nin: '70123456789' } };
/** A name that contradicts the record: the job fails at once. */
const FAILING: Work = { check: 'passport', input: { passport_number: 'A00123456', last_name: 'Nobody' } };
/** Answers after three seconds, unless the cache does. */
const SLOW: Work = { check: 'nin_basic', input: { nin: '00000000004' } };
/** One of its two jobs fails at once, while the other one still runs. */
const DOOMED = { check: 'passport,nin_basic', rows: 'passport_number,last_name,nin\nA00123456,Nobody,00000000004' };
/** Somebody on a sandbox list. */
const LISTED: Work = { check: 'aml_screening', input: { name: 'Gleb Voronetzky', date_of_birth: '1971-11-02', country: 'RU' } };
/** Somebody whom a sandbox list names a second after the monitor began. */
const SOON_LISTED: Work = {
  check: 'aml_screening',
  input: { name: 'Tanimuwa Garbale Kwarkwasiyu', date_of_birth: '1988-11-05', country: 'NG', monitor: 'true' },
};

const PROGRESS_ROWS = 10;
const EXPIRES_MS = 3_000;
const ROWS_MAX = 1_000_000;
const POLL_MS = 250;
const PATIENCE_MS = 30_000;
/** For a person to decide. */
const DECISION_MS = 600_000;

/** Tells the user what the command is waiting for. */
type Note = (text: string) => void;

interface Caused {
  id: string;
  status: string;
}

export const causes = {
  'job.completed': (client) => runJob(client, FOUND),
  'job.failed': (client) => runJob(client, FAILING),
  'batch.completed': (client) => runBatch(client, FOUND),
  'batch.canceled': async (client) => {
    const { id } = await submit(client, fileOf([FOUND]), { start: 'manual' });
    return client.batches.control(id, 'cancel');
  },
  'batch.failed': async (client) => {
    const { id } = await submit(client, DOOMED, { max_failure_percent: 0, cache: 'refresh' });
    return ended<BatchDetail>(client, at('api/v1/batches', id));
  },
  'batch.expired': (client) => runBatch(client, FOUND, { start: 'manual', expires_at: new Date(Date.now() + EXPIRES_MS).toISOString() }),
  'batch.paused': async (client) => {
    const { id } = await submit(client, fileOf([SLOW]), { cache: 'refresh' });
    return client.batches.control(id, 'pause');
  },
  'batch.resumed': async (client) => {
    const { id } = await submit(client, fileOf([SLOW]), { cache: 'refresh' });
    await client.batches.control(id, 'pause');
    return client.batches.control(id, 'resume');
  },
  'batch.progress': async (client) => {
    const { id } = await submit(client, people(PROGRESS_ROWS));
    return ended<BatchDetail>(client, at('api/v1/batches', id));
  },
  'aml.monitor.hit': hitMonitor,
  'wallet.low_balance': lowerBalance,
  'approval.requested': askForApproval,
  'approval.decided': awaitDecision,
  'review.opened': async (client) => {
    const { id, state } = await openReview(client);
    return { id, status: state };
  },
  'review.decided': async (client) => {
    const { id } = await openReview(client);
    const { state } = await client.reviews.decide(id, { decision: 'approve', reason: 'confam webhooks trigger' });
    return { id, status: state };
  },
  'endpoint.disabled': loseEndpoint,
} satisfies Record<EventType, (client: Client, note: Note) => Promise<Caused>>;

export const events = Object.keys(causes) as readonly EventType[];

const fileOf = (works: readonly Work[]): { check: string; rows: string } => {
  const names = Object.keys(works[0]!.input);
  return { check: works[0]!.check, rows: [names, ...works.map(({ input }) => names.map((name) => input[name]))].join('\n') };
};

/** Different people, so that each row costs its price. */
const people = (count: number) =>
  fileOf(Array.from({ length: count }, (_, i) => ({ check: 'nin_basic', input: { nin: String(40_000_000_000 + i * 7) } })));

async function runJob(client: Client, { check, input }: Work): Promise<Job> {
  const { id } = await client.transport.send<Job>('POST', 'api/v1/jobs', { body: { check, input } });
  return ended<Job>(client, at('api/v1/jobs', id));
}

async function runBatch(client: Client, work: Work, options: Record<string, string | number> = {}): Promise<BatchDetail> {
  const { id } = await submit(client, fileOf([work]), options);
  return ended<BatchDetail>(client, at('api/v1/batches', id));
}

const submit = (
  { transport }: Client,
  { check, rows }: { check: string; rows: string },
  options: Record<string, string | number> = {},
): Promise<BatchDetail> =>
  transport.send<BatchDetail>('POST', 'api/v1/batches', {
    query: { checks: check, ...options },
    file: { type: 'text/csv', bytes: new Blob([rows]) },
  });

/** An existing monitor has already reported its hit, so it is ended and another one started. */
async function hitMonitor(client: Client): Promise<Caused> {
  const job = await runJob(client, SOON_LISTED);
  const [known] = await monitorsOf(client, job.id);
  let monitor = known;
  if (known && known.job !== job.id) {
    await client.aml.endMonitor(known.id);
    const again = await runJob(client, SOON_LISTED);
    [monitor] = await monitorsOf(client, again.id);
  }
  if (!monitor) throw new CommandError('failed', 'No monitor was started.');
  const { id } = monitor;
  await until('the hit', async () => (await client.aml.monitor(id)).hits > 0);
  await client.aml.endMonitor(id);
  return { id, status: 'hit' };
}

const monitorsOf = async (client: Client, job: string) =>
  (await client.aml.monitors({ job })).data.filter(({ ended_at }) => ended_at === null);

/** Holds as much as it takes to fall below the threshold, and releases it. */
async function lowerBalance(client: Client): Promise<Caused> {
  const [{ low_balance }, { available }, { data: prices }] = await Promise.all([
    client.money.limits(),
    client.money.wallet(),
    client.money.prices(),
  ]);
  if (low_balance === null) throw needs('a threshold (`lowBalance`)', 'money');
  if (available < low_balance)
    throw new CommandError('usage', 'The balance is already below the threshold: it is reported once on the way down.');
  const { price } = prices.find(({ check }) => check === FOUND.check)!;
  const rows = Math.floor((available - low_balance) / price) + 1;
  if (rows > ROWS_MAX) throw new CommandError('usage', 'The balance is too far above the threshold.');
  const { id } = await submit(client, people(rows), { start: 'manual' });
  return client.batches.control(id, 'cancel');
}

async function askForApproval(client: Client): Promise<Caused & { batch: string }> {
  const batch = await submit(client, fileOf([FOUND]));
  if (batch.approval) return { id: batch.approval, status: 'pending_approval', batch: batch.id };
  throw needs(`an approval for the start of a batch of ₦${batch.quote_amount} (\`approveStartAboveKobo\`)`, 'approvals');
}

/** Only a person can decide, and not the one who made this key. */
async function awaitDecision(client: Client, note: Note): Promise<Caused> {
  const { id, batch } = await askForApproval(client);
  note(`A person of the app must decide ${id}, in the console under Approvals. Waiting …`);
  const read = () => client.transport.send<Approval>('GET', at('api/v1/approvals', id));
  await until('the decision', async () => (await read()).status !== 'pending_approval', DECISION_MS);
  const { status } = await client.batches.read(batch);
  if (status === 'awaiting_start') await client.batches.control(batch, 'cancel');
  return { id, status: (await read()).status };
}

async function openReview(client: Client): Promise<{ id: string; state: string }> {
  const { id } = await runJob(client, LISTED);
  const [review] = (await client.reviews.page({ job: id })).data;
  if (!review) throw needs('review cases for screenings (`reviews.amlLevel`)', 'reviews');
  return review;
}

/** A receiver on this machine that says it is gone. */
async function loseEndpoint(client: Client): Promise<Caused> {
  const server = createServer((_, response) => response.writeHead(410).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const { id } = await client.webhooks.create({ url: `http://127.0.0.1:${port}/`, description: 'confam webhooks trigger' });
    try {
      await client.webhooks.test(id);
      await until('the delivery', async () => (await client.webhooks.read(id)).disabled);
      return { id, status: 'disabled' };
    } finally {
      await client.webhooks.remove(id);
    }
  } finally {
    server.close();
  }
}

const needs = (what: string, page: string): CommandError =>
  new CommandError('usage', `The event needs ${what}, which this app does not have.`, `The operator sets it: docs/${page}.md`);

async function until(what: string, isSo: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new CommandError('away', `${what} did not come within ${patienceMs / 1000} s.`);
    await sleep(POLL_MS);
  }
}

const WAITS_MAX = 4;
const WAIT_SECONDS = 30;

async function ended<Work extends { status: string }>({ transport }: Client, path: string): Promise<Work> {
  for (let waits = 0; waits < WAITS_MAX; waits++) {
    const work = await transport.send<Work>('GET', path, { query: { wait: WAIT_SECONDS } });
    if (['completed', 'failed', 'canceled', 'expired'].includes(work.status)) return work;
  }
  throw new CommandError('away', 'It is not done after two minutes: is a worker running?');
}
