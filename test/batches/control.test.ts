/** Steering batches: pause and resume, retry, funds that run out, too many failures, deadlines, holds of unstarted batches, twins. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { cancelBatch, pauseBatch, resumeBatch, retryBatch, startBatch } from '../../src/batches/control.ts';
import { cancelQueued } from '../../src/batches/ending.ts';
import { type Provider, ProviderFailure } from '../../src/checks/provider.ts';
import { endedAt } from '../../src/contract/batches.ts';
import { newId, showId } from '../../src/foundation/ids.ts';
import { type CapReached, holderOf, holdWithinCaps } from '../../src/money/caps.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { readWallet, topUp } from '../../src/money/ledger.ts';
import { runChunk } from '../../src/pipeline/chunk.ts';
import { type Dispatcher, openDispatcher } from '../../src/pipeline/dispatch.ts';
import { sweepExpired, sweepWork } from '../../src/pipeline/sweep.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

/** Numbers for which the registry fails without being down as a whole. */
const failing = new Set<string>();
const sandbox = createSandbox();
const registry: Provider = {
  ...sandbox,
  async lookup(lookup) {
    if (failing.has(lookup.identifier)) throw new ProviderFailure('surprise', { scope: 'subject' });
    return sandbox.lookup(lookup);
  },
};

const database = useDatabase();
let bench: Bench;
let dispatcher: Dispatcher;
beforeAll(async () => {
  bench = await openBench(database, { extra: { CONFAM_CHUNK_MAX: '5', CONFAM_WINDOW_CHUNKS: '2' }, providers: [registry] });
  dispatcher = openDispatcher(bench.service, bench.service.router);
});
afterAll(async () => {
  await bench.service.close();
});

const lease = async () => (await dispatcher.fill(bench.service.sql)).leased.map((chunk) => chunk.id);
const read = async (owner: Owner, id: string) => (await readBatch(bench.service, bench.service.sql, owner.appId, id))!;
const history = async (id: string) =>
  (
    await bench.service.sql<
      { status: string; reason: string | null }[]
    >`select status, reason from batch_history where batch_id = ${id} order by id`
  ).map(({ status, reason }) => (reason ? `${status} (${reason})` : status));
const nins = (count: number) => Array.from({ length: count }, freshNin);
function failingNins(count: number): string[] {
  const made = nins(count);
  for (const nin of made) failing.add(nin);
  return made;
}

/** Leases and works until nothing is left; failed jobs return after a backoff of a few milliseconds. */
async function work(): Promise<void> {
  for (let idle = 0; idle < 4; ) {
    const chunks = await lease();
    idle = chunks.length === 0 ? idle + 1 : 0;
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    if (chunks.length === 0) await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

const refused = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason as { code: string; message: string },
  );
  return error && `${error.code}: ${error.message}`;
};

describe('pause and resume', () => {
  it('finishes leased jobs, leases no more, and resumes where it stopped', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, nins(40));
    const chunks = await lease();
    const paused = (await pauseBatch(bench.service, owner.appId, id, bySystem('test')))!;
    expect(paused).toMatchObject({ status: 'paused', reason: 'requested', leased: 10, queued: 30 });
    expect(paused.pausedAt).not.toBeNull();
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    expect(await lease()).toEqual([]);
    expect(await read(owner, id)).toMatchObject({ status: 'paused', completed: 10, leased: 0, queued: 30 });
    expect(await refused(pauseBatch(bench.service, owner.appId, id, bySystem('test')))).toBe(
      'conflict: A batch that is paused cannot be paused',
    );
    expect(await resumeBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'running', reason: null });
    expect(await refused(resumeBatch(bench.service, owner.appId, id, bySystem('test')))).toBe(
      'conflict: A batch that is running cannot be resumed',
    );
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', found: 40, billedKobo: 40 * 125_00, leasedKobo: 0 });
    expect(await history(id)).toEqual(['queued', 'running', 'paused (requested)', 'running', 'completed']);
  });

  it('a paused batch completes with its last leased jobs', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, nins(10));
    const chunks = await lease();
    await pauseBatch(bench.service, owner.appId, id, bySystem('test'));
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    expect(await read(owner, id)).toMatchObject({ status: 'completed', found: 10 });
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(0);
  });

  it('cancels a paused batch, and returns null for another app’s', async () => {
    const [owner, stranger] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    const { id } = await uploadNins(bench.service, owner, nins(3));
    await pauseBatch(bench.service, owner.appId, id, bySystem('test'));
    for (const act of [startBatch, pauseBatch, resumeBatch, cancelBatch, retryBatch])
      expect(await act(bench.service, stranger.appId, id, bySystem('test'))).toBeNull();
    expect(await cancelBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'canceled', canceled: 3 });
  });
});

describe('retry', () => {
  it('runs failed rows again in the same batch and charges each job once', async () => {
    const owner = await makeOwner(bench.service, 10_000);
    const { id } = await uploadNins(bench.service, owner, ['00000000003', ...nins(3)]);
    expect(await refused(retryBatch(bench.service, owner.appId, id, bySystem('test')))).toBe(
      'conflict: A batch that is queued cannot be retried',
    );
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 1, found: 3, billedKobo: 375_00 });
    const [before] = await bench.service
      .sql`select sum(jobs)::int as n from ledger_entries where app_id = ${owner.appId} and kind = 'capture'`;
    expect(before!.n).toBe(3);

    const again = (await retryBatch(bench.service, owner.appId, id, bySystem('test')))!;
    expect(again).toMatchObject({ status: 'queued', failed: 0, queued: 1, completed: 3, completedAt: null, holdKobo: 500_00 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 10_000_00 - 500_00, heldKobo: 125_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
    await work();
    // The registry fails for this number every time.
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 1, found: 3, billedKobo: 375_00 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 10_000_00 - 375_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('is not undone by a cancel whose last slice comes after it', async () => {
    const owner = await makeOwner(bench.service, 10_000);
    const { id } = await uploadNins(bench.service, owner, ['00000000003']);
    await work();
    await retryBatch(bench.service, owner.appId, id, bySystem('test'));
    expect(await cancelQueued(bench.service, id, 0, 10)).toBeNull();
    expect(await read(owner, id)).toMatchObject({ status: 'queued', queued: 1, canceled: 0 });
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 1, canceled: 0 });
  });

  it('is refused while the batch runs, and changes nothing', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, ['00000000003', ...nins(20)]);
    for (const chunk of await lease()) await runChunk(bench.service, chunk);
    const chunks = await lease();
    const { status, leased, queued, completed, failed } = await waitFor('the lease to be counted', async () => {
      await lease();
      const batch = await read(owner, id);
      expect(batch.leased + batch.queued + batch.completed + batch.failed).toBe(21);
      return batch.leased > 0 && batch;
    });
    expect(status).toBe('running');
    expect(await refused(retryBatch(bench.service, owner.appId, id, bySystem('test')))).toBe(
      'conflict: A batch that is running cannot be retried',
    );
    expect(await read(owner, id)).toMatchObject({ status, leased, queued, completed, failed });
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 1, found: 20, billedKobo: 20 * 125_00, leasedKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('finds what was down before, and is refused if nothing failed or the funds are gone', async () => {
    const owner = await makeOwner(bench.service, 1_000);
    const { id } = await uploadNins(bench.service, owner, failingNins(4));
    await work();
    failing.clear();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 4, billedKobo: 0 });
    const { id: other } = await uploadNins(bench.service, owner, nins(5), { start: 'manual' });
    expect(await refused(retryBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^insufficient_funds/);
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 4, queued: 0 });
    await cancelBatch(bench.service, owner.appId, other, bySystem('test'));
    const both = await Promise.allSettled([
      retryBatch(bench.service, owner.appId, id, bySystem('test')),
      retryBatch(bench.service, owner.appId, id, bySystem('test')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 0, found: 4, billedKobo: 500_00 });
    expect(await refused(retryBatch(bench.service, owner.appId, id, bySystem('test')))).toBe('conflict: No job of this batch has failed');
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 500_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });
});

describe('a retry of a batch that was stopped', () => {
  const events = async (id: string) =>
    (await bench.service.sql<{ type: string }[]>`select type from events where data->>'id' = ${showId('bat', id)} order by id`).map(
      ({ type }) => type,
    );

  it('ends as it did before while jobs of it have never run', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, [...failingNins(5), ...nins(15)], { max_failure_percent: '10' });
    await work();
    while ((await read(owner, id)).status === 'canceling') await sweepWork(bench.service);
    const before = await read(owner, id);
    expect(before).toMatchObject({ status: 'failed', reason: 'max_failure_percent', completedAt: null });
    expect(before.canceled).toBeGreaterThan(0);
    const answered = before.failed + before.found;

    failing.clear();
    const again = (await retryBatch(bench.service, owner.appId, id, bySystem('test')))!;
    expect(again).toMatchObject({ status: 'queued', reason: null, failedAt: before.failedAt, canceled: before.canceled });
    await work();
    const after = await read(owner, id);
    expect(after).toMatchObject({
      ...{ status: 'failed', reason: 'max_failure_percent', completedAt: null, failed: 0 },
      ...{ found: answered, canceled: before.canceled, billedKobo: answered * 125_00 },
    });
    expect(Date.parse(after.failedAt!)).toBeGreaterThan(Date.parse(before.failedAt!));
    expect(await history(id)).toEqual([
      ...['queued', 'running', 'canceling (max_failure_percent)', 'failed (max_failure_percent)'],
      ...['queued', 'running', 'failed (max_failure_percent)'],
    ]);
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(0);
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it.each([
    ['canceled', 'requested'],
    ['expired', 'deadline'],
  ] as const)('ends as %s again, and tells it again', async (state, reason) => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, [...failingNins(10), ...nins(10)], { callback_url: 'https://example.com/hook' });
    while ((await read(owner, id)).failed === 0) for (const chunk of await lease()) await runChunk(bench.service, chunk);
    if (state === 'canceled') await cancelBatch(bench.service, owner.appId, id, bySystem('test'));
    else {
      await bench.service.sql`update batches set expires_at = now() - interval '1 second' where id = ${id}`;
      await sweepWork(bench.service);
    }
    await work();
    await sweepWork(bench.service);
    const stopped = await read(owner, id);
    expect(stopped).toMatchObject({ status: state, reason });
    failing.clear();
    const again = (await retryBatch(bench.service, owner.appId, id, bySystem('test')))!;
    expect([again.canceledAt, again.expiredAt]).toEqual([stopped.canceledAt, stopped.expiredAt]);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: state, reason, failed: 0, canceled: stopped.canceled, completedAt: null });
    expect(await events(id)).toEqual([`batch.${state}`, `batch.${state}`]);
  });

  it('completes if every job of it has run, and still shows when it failed', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, failingNins(2), { max_failure_percent: '10' });
    await work();
    const { failedAt } = await read(owner, id);
    failing.clear();
    await retryBatch(bench.service, owner.appId, id, bySystem('test'));
    await work();
    const batch = await read(owner, id);
    expect(batch).toMatchObject({ status: 'completed', reason: null, found: 2, failedAt });
    expect(endedAt(batch)).toBe(batch.completedAt);
  });
});

describe('canceling', () => {
  it('leaves a batch alone that only waits for what is leased', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, nins(30));
    const chunks = await lease();
    await cancelBatch(bench.service, owner.appId, id, bySystem('test'));
    await sweepWork(bench.service);
    expect(await read(owner, id)).toMatchObject({ status: 'canceling', queued: 0, leased: 10, canceled: 20 });
    await bench.service.sql.begin(async (tx) => {
      await tx`select 1 from batches where id = ${id} for update`;
      // It would wait for the lock, and fail.
      await sweepWork(bench.service);
    });
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    expect(await read(owner, id)).toMatchObject({ status: 'canceled', found: 10, canceled: 20 });
  });
});

describe('partial runs', () => {
  it('pause when the funds run out and resume after a top-up, never spending more than the wallet has', async () => {
    const owner = await makeOwner(bench.service, 1_000, { partialRuns: true });
    const { id, holdKobo, quoteKobo } = await uploadNins(bench.service, owner, nins(20));
    expect({ holdKobo, quoteKobo }).toEqual({ holdKobo: 1_000_00, quoteKobo: 2_500_00 });
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', reason: 'insufficient_funds', found: 8, queued: 12, leased: 0 });
    expect(await refused(resumeBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^insufficient_funds/);
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('paused_funds');

    await topUp(bench.service.sql, owner, 300_00, null);
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('running');
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', found: 10, queued: 10 });
    await topUp(bench.service.sql, owner, 10_000_00, null);
    expect(await resumeBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'running', holdKobo: 2_500_00 });
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', found: 20, billedKobo: 2_500_00 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: (11_300 - 2_500) * 100, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('spend what cheap answers leave over, across several checks of one row', async () => {
    const owner = await makeOwner(bench.service, 1_000, { partialRuns: true });
    const known = nins(6);
    await uploadNins(bench.service, owner, known);
    await work();
    expect((await readWallet(bench.service.sql, owner)).availableKobo).toBe(250_00);
    // ₦250 pay for two live look-ups, but for five cached ones.
    const { id } = await uploadNins(bench.service, owner, known);
    await work();
    expect(await read(owner, id)).toMatchObject({ found: 3, status: 'paused_funds', billedKobo: 150_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
    await cancelBatch(bench.service, owner.appId, id, bySystem('test'));
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 100_00, heldKobo: 0 });
  });

  it('hold and ask for what the rest lacks, to the kobo, after cheap answers: the next batch gets what is left', async () => {
    const owner = await makeOwner(bench.service, 6 * 125 + 2 * 150, { partialRuns: true });
    const known = nins(6);
    await uploadNins(bench.service, owner, known);
    await work();
    // ₦300: four cached rows leave ₦100, which pay for no live one.
    const { id } = await uploadNins(bench.service, owner, known);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', holdKobo: 300_00, billedKobo: 200_00, queued: 2 });
    const missing = await resumeBatch(bench.service, owner.appId, id, bySystem('test')).catch((error) => error);
    expect(missing).toMatchObject({ code: 'insufficient_funds', extra: { quote_amount: 150, available_amount: 0 } });
    expect(missing.message).toMatch(
      /^The rest of the batch needs 150 NGX more and the test wallet has 0 NGX; its rows wait\. .*"amount": 150,/,
    );
    await topUp(bench.service.sql, owner, 1_000_00, null);
    await sweepWork(bench.service);
    expect(await read(owner, id)).toMatchObject({ status: 'running', holdKobo: 450_00 });
    expect((await readWallet(bench.service.sql, owner)).availableKobo).toBe(850_00);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', billedKobo: 300_00 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('add up what is missing check by check if their prices differ', async () => {
    const owner = await makeOwner(bench.service, 4 * 125 + 2 * 150 + 130, { partialRuns: true });
    const { id } = await uploadNins(bench.service, owner, nins(4), { checks: 'nin_basic,nin_premium', cache: 'refresh' });
    await work();
    const missing = await resumeBatch(bench.service, owner.appId, id, bySystem('test')).catch((error) => error);
    expect(missing).toMatchObject({ extra: { quote_amount: 2 * 150 - 130 } });
    await topUp(bench.service.sql, owner, 500_00, null);
    await sweepWork(bench.service);
    expect((await readWallet(bench.service.sql, owner)).availableKobo).toBe((500 - 170) * 100);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', found: 8 });
  });

  it('pause when the rest would pay only for a check that is done for every row, until it pays for the other one', async () => {
    // Four rows at ₦125 and two of four at ₦150; ₦130 are left.
    const owner = await makeOwner(bench.service, 4 * 125 + 2 * 150 + 130, { partialRuns: true });
    const { id } = await uploadNins(bench.service, owner, nins(4), { checks: 'nin_basic,nin_premium', cache: 'refresh' });
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', billedKobo: 800_00, queued: 2, leased: 0 });
    await topUp(bench.service.sql, owner, 19_00, null);
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('paused_funds');
    await topUp(bench.service.sql, owner, 1_00, null);
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('running');
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', billedKobo: 950_00, queued: 1 });
    await topUp(bench.service.sql, owner, 150_00, null);
    await sweepWork(bench.service);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', found: 8 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('resume however many batches of another app have too little money', async () => {
    const [broke, paid] = [
      await makeOwner(bench.service, 0, { partialRuns: true }),
      await makeOwner(bench.service, 125, { partialRuns: true }),
    ];
    for (let i = 0; i < 101; i++) {
      await topUp(bench.service.sql, broke, 125_00, null);
      await uploadNins(bench.service, broke, nins(2));
    }
    const { id } = await uploadNins(bench.service, paid, nins(2));
    await work();
    await topUp(bench.service.sql, broke, 1_00, null);
    await topUp(bench.service.sql, paid, 125_00, null);
    await sweepWork(bench.service);
    expect((await read(paid, id)).status).toBe('running');
    const [waiting] = await bench.service.sql<{ batches: number }[]>`
      select count(*)::int as batches from batches where app_id = ${broke.appId} and status = 'paused_funds'`;
    expect(waiting).toEqual({ batches: 101 });
    await work();
  });

  it('pause and resume although their reference and metadata cannot be opened', async () => {
    const owner = await makeOwner(bench.service, 125, { partialRuns: true });
    const { id } = await uploadNins(bench.service, owner, nins(2));
    await bench.service.sql`update batches set about = '\\x01' where id = ${id}`;
    const status = async () => (await bench.service.sql`select status from batches where id = ${id}`)[0]?.status;
    await work();
    expect(await status()).toBe('paused_funds');
    await expect(resumeBatch(bench.service, owner.appId, id, bySystem('test'))).rejects.toThrow();
    await topUp(bench.service.sql, owner, 125_00, null);
    await expect(pauseBatch(bench.service, owner.appId, id, bySystem('test'))).rejects.toThrow();
    expect(await status()).toBe('paused_funds');
    await sweepWork(bench.service);
    expect(await status()).toBe('running');
    await work();
    expect(await status()).toBe('completed');
  });

  it('begin with the money there is when they are started later, too', async () => {
    const owner = await makeOwner(bench.service, 1_000, { partialRuns: true });
    const { id } = await uploadNins(bench.service, owner, nins(10), { start: 'manual' });
    await bench.service.sql`update holds set expires_at = now() - interval '1 second' where id = ${id}`;
    await sweepExpired(bench.service);
    expect(await read(owner, id)).toMatchObject({ status: 'awaiting_start', holdKobo: 0, quoteKobo: 1_250_00 });
    const { id: first } = await uploadNins(bench.service, owner, nins(8), { start: 'manual' });
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^insufficient_funds/);
    await cancelBatch(bench.service, owner.appId, first, bySystem('test'));
    expect(await startBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'queued', holdKobo: 1_000_00 });
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', found: 8, queued: 2 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('are refused without the setting, and when the funds do not cover one job', async () => {
    const [plain, poor] = [await makeOwner(bench.service, 300), await makeOwner(bench.service, 124, { partialRuns: true })];
    expect(await refused(uploadNins(bench.service, plain, nins(3)))).toMatch(/^insufficient_funds/);
    expect(await refused(uploadNins(bench.service, poor, nins(1)))).toMatch(/^insufficient_funds/);
    expect(await readWallet(bench.service.sql, poor)).toEqual({ availableKobo: 124_00, heldKobo: 0 });
  });
});

describe('bounds of a batch', () => {
  it('too many failures fail it: the rest is canceled and its hold released', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, [...failingNins(5), ...nins(5), ...failingNins(10), ...nins(30)], {
      max_failure_percent: '10',
    });
    for (const chunk of await lease()) await runChunk(bench.service, chunk);
    expect(await read(owner, id)).toMatchObject({ status: 'running', failed: 5, found: 5 });
    const chunks = await lease();
    await runChunk(bench.service, chunks[0]!);
    expect(await read(owner, id)).toMatchObject({ status: 'canceling', reason: 'max_failure_percent' });
    await sweepWork(bench.service);
    expect(await read(owner, id)).toMatchObject({ status: 'canceling', canceled: 30, leased: 5 });
    await runChunk(bench.service, chunks[1]!);
    const ended = await read(owner, id);
    expect(ended).toMatchObject({ status: 'failed', reason: 'max_failure_percent', queued: 0, leased: 0, completedAt: null });
    expect(ended.failedAt).not.toBeNull();
    expect(ended).toMatchObject({ failed: 15, completed: 5, canceled: 30, billedKobo: 5 * 125_00 });
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(0);
    expect(await history(id)).toEqual(['queued', 'running', 'canceling (max_failure_percent)', 'failed (max_failure_percent)']);
  });

  it('too many failures fail it even if the last job is among them', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, [...nins(4), ...failingNins(1)], { max_failure_percent: '10' });
    await work();
    const ended = await read(owner, id);
    expect(ended).toMatchObject({
      status: 'failed',
      reason: 'max_failure_percent',
      completed: 4,
      failed: 1,
      canceled: 0,
      completedAt: null,
    });
    expect(ended.failedAt).not.toBeNull();
    expect(await history(id)).toEqual(['queued', 'running', 'canceling (max_failure_percent)', 'failed (max_failure_percent)']);
    const within = await uploadNins(bench.service, owner, [...nins(4), ...failingNins(1)], { max_failure_percent: '20' });
    await work();
    expect(await read(owner, within.id)).toMatchObject({ status: 'completed', reason: null, failed: 1 });
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(0);
  });

  it('a deadline cancels what is left, in whatever state the batch waits', async () => {
    const owner = await makeOwner(bench.service);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await uploadNins(bench.service, owner, nins(8), { expires_at: inAnHour });
    const { id: unstarted } = await uploadNins(bench.service, owner, nins(2), { expires_at: inAnHour, start: 'manual' });
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('queued');
    await bench.service.sql`update batches set expires_at = now() - interval '1 second' where id = any(${[id, unstarted]}::uuid[])`;
    await sweepWork(bench.service);
    for (const batch of [id, unstarted])
      expect(await read(owner, batch)).toMatchObject({ status: 'expired', reason: 'deadline', completed: 0 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00, heldKobo: 0 });
    expect(await refused(uploadNins(bench.service, owner, nins(1), { expires_at: '2020-01-01T00:00:00Z' }))).toBe(
      'invalid_request: expires_at is in the past',
    );
  });

  it('the hold of an unstarted batch is released in time, and made again at its start', async () => {
    const owner = await makeOwner(bench.service, 1_000);
    const { id } = await uploadNins(bench.service, owner, nins(4), { start: 'manual' });
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(500_00);
    await bench.service.sql`update holds set expires_at = now() - interval '1 second' where id = ${id}`;
    await sweepExpired(bench.service);
    expect(await read(owner, id)).toMatchObject({ status: 'awaiting_start', holdKobo: 0, quoteKobo: 500_00 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_00, heldKobo: 0 });
    const { id: other } = await uploadNins(bench.service, owner, nins(6), { start: 'manual' });
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^insufficient_funds/);
    await cancelBatch(bench.service, owner.appId, other, bySystem('test'));
    expect(await startBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'queued', holdKobo: 500_00 });
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toBe(
      'conflict: A batch that is queued cannot be started',
    );
    await sweepExpired(bench.service);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', found: 4 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 500_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });
});

describe('rows with the same input', () => {
  it('become twins of the first one for each check', async () => {
    const owner = await makeOwner(bench.service);
    const [one, two] = nins(2) as [string, string];
    const batch = await uploadNins(bench.service, owner, [one, two, one, one], { checks: 'nin_basic,nin_advance' });
    expect(batch).toMatchObject({ rows: 4, jobs: 4, duplicate: 4, quoteKobo: 500_00 });
    await work();
    expect(await read(owner, batch.id)).toMatchObject({ status: 'completed', found: 4 });
    const twins = await bench.service.sql<{ row: number; twinRow: number; checkId: string }[]>`
      select row_number as row, twin_row, check_id from jobs where batch_id = ${batch.id} and status = 'duplicate' order by row_number, check_id`;
    expect(twins.map(({ row, twinRow, checkId }) => `${row}→${twinRow} ${checkId}`)).toEqual([
      '3→1 nin_advance',
      '3→1 nin_basic',
      '4→1 nin_advance',
      '4→1 nin_basic',
    ]);
  });
});

describe('a batch that continues on a later day', () => {
  const capApp = (owner: Owner, dailyCap: number | null, batchCap: number | null = null) =>
    bench.service
      .sql`update apps set settings = jsonb_strip_nulls(${JSON.stringify({ dailyCap, batchCap })}::text::jsonb) where id = ${owner.appId}`;
  /** Backdates every hold made so far by one day. */
  const sleepOver = (owner: Owner) =>
    bench.service
      .sql`update holds set created_at = date_trunc('day', now(), 'UTC') - interval '1 hour' where app_id = ${owner.appId} and created_at >= date_trunc('day', now(), 'UTC')`;
  /** Naira that may still be spent today. */
  const left = async (owner: Owner, dailyCap: number) => {
    await capApp(owner, dailyCap);
    const [app] = await bench.service.sql<{ settings: Owner['settings'] }[]>`select settings from apps where id = ${owner.appId}`;
    const asked = {
      ...holderOf({ ...owner, settings: app!.settings }),
      id: newId(),
      amountKobo: dailyCap * 100 + 1,
      expiresInSeconds: null,
    };
    const [reached] = await holdWithinCaps(bench.service.sql, [asked]);
    return (reached as CapReached).leftKobo / 100;
  };

  it('starts within the caps of its starting day and counts towards them', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, nins(4), { start: 'manual' });
    await capApp(owner, 499);
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^spending_cap_exceeded: 500 NGX/);
    expect(await read(owner, id)).toMatchObject({ status: 'awaiting_start' });
    await sleepOver(owner);
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^spending_cap_exceeded/);
    expect(await left(owner, 600)).toBe(600);
    await startBatch(bench.service, owner.appId, id, bySystem('test'));
    expect(await left(owner, 600)).toBe(100);
    await work();
    expect(await left(owner, 600)).toBe(100);
  });

  it('starts within the caps even after its hold was released', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, nins(4), { start: 'manual' });
    await bench.service.sql`update holds set expires_at = now() - interval '1 second' where id = ${id}`;
    await sweepExpired(bench.service);
    expect(await left(owner, 1_000)).toBe(1_000);
    await capApp(owner, 499);
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^spending_cap_exceeded/);
    await capApp(owner, null, 499);
    expect(await refused(startBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(
      /^spending_cap_exceeded: 500 NGX is more than one batch may cost/,
    );
    expect(await readWallet(bench.service.sql, owner)).toMatchObject({ heldKobo: 0 });
    await capApp(owner, 500, 500);
    expect(await startBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'queued', holdKobo: 500_00 });
    expect(await left(owner, 500)).toBe(0);
    await work();
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('resumes within the caps with what is left of it', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, nins(20));
    for (const chunk of await lease()) await runChunk(bench.service, chunk);
    await pauseBatch(bench.service, owner.appId, id, bySystem('test'));
    const { billedKobo } = await read(owner, id);
    const rest = (2_500_00 - billedKobo) / 100;
    expect(rest).toBeLessThan(2_500);
    // On the same day it counts once.
    expect(await left(owner, 2_600)).toBe(100);
    await resumeBatch(bench.service, owner.appId, id, bySystem('test'));
    expect(await left(owner, 2_600)).toBe(100);
    await pauseBatch(bench.service, owner.appId, id, bySystem('test'));
    await sleepOver(owner);
    expect(await left(owner, rest - 1)).toBe(rest - 1);
    expect(await refused(resumeBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(
      new RegExp(`^spending_cap_exceeded: ${rest} NGX`),
    );
    expect(await read(owner, id)).toMatchObject({ status: 'paused' });
    await capApp(owner, rest);
    expect(await resumeBatch(bench.service, owner.appId, id, bySystem('test'))).toMatchObject({ status: 'running' });
    expect(await left(owner, rest)).toBe(0);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', billedKobo: 2_500_00 });
    // What was charged the day before counts towards that day.
    expect(await left(owner, rest + 10)).toBe(10);
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('is retried within the caps with what failed of it', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await uploadNins(bench.service, owner, [...nins(3), ...failingNins(1)]);
    await work();
    expect(await left(owner, 400)).toBe(25);
    await capApp(owner, 499);
    expect(await refused(retryBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^spending_cap_exceeded: 500 NGX/);
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 1, queued: 0 });
    await sleepOver(owner);
    await capApp(owner, 124);
    expect(await refused(retryBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^spending_cap_exceeded: 125 NGX/);
    await capApp(owner, 125);
    await retryBatch(bench.service, owner.appId, id, bySystem('test'));
    expect(await left(owner, 200)).toBe(75);
    failing.clear();
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', failed: 0, billedKobo: 500_00 });
    expect(await left(owner, 200)).toBe(75);
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('continues by itself after a top-up only as far as the caps allow', async () => {
    const owner = await makeOwner(bench.service, 1_000, { partialRuns: true });
    const { id } = await uploadNins(bench.service, owner, nins(20));
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'paused_funds', found: 8 });
    await sleepOver(owner);
    await capApp(owner, 1_499);
    await topUp(bench.service.sql, owner, 5_000_00, null);
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('paused_funds');
    expect(await refused(resumeBatch(bench.service, owner.appId, id, bySystem('test')))).toMatch(/^spending_cap_exceeded: 1500 NGX/);
    await capApp(owner, 1_500);
    await sweepWork(bench.service);
    expect((await read(owner, id)).status).toBe('running');
    expect(await left(owner, 1_500)).toBe(0);
    await work();
    expect(await read(owner, id)).toMatchObject({ status: 'completed', billedKobo: 2_500_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });
});
