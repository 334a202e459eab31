/** Each job is settled once and charged once, whatever is delivered twice, comes late or is canceled meanwhile. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { cancelBatch, startBatch } from '../../src/batches/control.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import { newId } from '../../src/foundation/ids.ts';
import { CALL_QUEUE_MS_MAX } from '../../src/foundation/settings.ts';
import { ResultBlock } from '../../src/jobs/result-blocks.ts';
import { batchDrift, ledgerDrift } from '../../src/money/drift.ts';
import { holdFunds, readWallet, releaseHolds } from '../../src/money/ledger.ts';
import { runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { takeBackExpired, takeBackOpen } from '../../src/pipeline/leases.ts';
import { sweepExpired, sweepWork } from '../../src/pipeline/sweep.ts';
import { TIMEOUT_MS_MAX } from '../../src/providers/upstreams.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, lockHold, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(database, { extra: { CONFAM_CHUNK_MAX: '7', CONFAM_WINDOW_CHUNKS: '4' } });
});
afterAll(async () => {
  await bench.service.close();
});

const lease = async () =>
  (await openDispatcher(bench.service, bench.service.router).fill(bench.service.sql)).leased.map((chunk) => chunk.id);
/** Of how many jobs, and in kobo. */
const captured = async (batchId: string) => {
  const [row] = await bench.service.sql<{ jobs: number; kobo: number }[]>`
    select coalesce(sum(jobs), 0)::int as jobs, coalesce(sum(amount_kobo), 0)::int as kobo from ledger_entries where kind = 'capture' and hold_id = ${batchId}`;
  return { ...row! };
};
const read = async (owner: Owner, id: string) => (await readBatch(bench.service, bench.service.sql, owner.appId, id))!;
const addsUp = (b: Awaited<ReturnType<typeof read>>) => b.queued + b.leased + b.completed + b.failed + b.canceled === b.jobs;

async function runAll(owner: Owner, id: string): Promise<void> {
  await waitFor('the batch to end', async () => {
    for (const chunk of await lease()) await runChunk(bench.service, chunk);
    return ['completed', 'canceled'].includes((await read(owner, id)).status);
  });
}

describe('settling', () => {
  it('charges a job once when its chunk is delivered five times at once', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 7 }, freshNin));
    const chunks = await lease();
    await Promise.all(chunks.flatMap((chunk) => Array.from({ length: 5 }, () => runChunk(bench.service, chunk))));
    expect(await captured(batch.id)).toEqual({ jobs: 7, kobo: 7 * 125_00 });
    expect(await read(owner, batch.id)).toMatchObject({ status: 'completed', found: 7, billedKobo: 7 * 125_00 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - 7 * 125_00, heldKobo: 0 });
  });

  it('refuses the result of an attempt that was taken back, and takes the next one', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, [freshNin()]);
    await lease();
    const [job] = await bench.service.sql<{ id: string }[]>`select id from jobs where batch_id = ${batch.id}`;
    const answer = {
      status: 'completed',
      outcome: 'found',
      entity: { nin: 'x' },
      billedKobo: 125_00,
      cached: false,
      provider: 'p',
      latencyMs: 1,
      cacheEntries: [] as never[],
    } as const;
    const settleAttempt = (attempt: number) =>
      bench.service.settle.job({
        jobId: job!.id,
        appId: batch.appId,
        batchId: batch.id,
        attempt,
        checkId: 'nin_basic',
        result: answer,
        trail: [],
      });
    expect(await takeBackOpen(bench.service)).toBe(1);
    expect(await settleAttempt(1)).toBe('superseded');
    expect(await read(owner, batch.id)).toMatchObject({ queued: 1, leased: 0, billedKobo: 0 });
    await lease();
    expect(await settleAttempt(1)).toBe('superseded');
    expect(await settleAttempt(2)).toBe('settled');
    expect(await settleAttempt(2)).toBe('superseded');
    expect(await captured(batch.id)).toEqual({ jobs: 1, kobo: 125_00 });
  });

  it('keeps nothing in a block of a job that was settled by somebody else', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 5 }, freshNin));
    await lease();
    const { sql, cipher } = bench.service;
    const jobs = await sql<{ id: string }[]>`select id from jobs where batch_id = ${batch.id} order by id`;
    const settle = (from: number, by: string) =>
      Promise.all(
        jobs.slice(from).map(({ id }) =>
          bench.service.settle.job({
            jobId: id,
            appId: batch.appId,
            batchId: batch.id,
            attempt: 1,
            checkId: 'nin_basic',
            trail: [],
            result: {
              status: 'completed',
              outcome: 'found',
              entity: { nin: by },
              billedKobo: 125_00,
              cached: false,
              provider: 'p',
              latencyMs: 1,
              cacheEntries: [],
            },
          }),
        ),
      );
    expect(await settle(2, 'early')).toEqual(['settled', 'settled', 'settled']);
    expect(await settle(0, 'late')).toEqual(['settled', 'settled', 'superseded', 'superseded', 'superseded']);
    expect(await settle(0, 'later')).toEqual(Array(5).fill('superseded'));
    const blocks = await sql<
      { id: string; sealed: Buffer }[]
    >`select id, sealed from result_blocks where batch_id = ${batch.id} order by id`;
    const opener = await cipher.openerOfBatch(batch.id);
    const opened = blocks.map(({ id, sealed }) => new ResultBlock(opener, { batchId: batch.id, id }, sealed));
    expect(opened.map((block, i) => Array.from({ length: [3, 5][i]! }, (_, slot) => block.entity(slot)?.nin))).toEqual([
      ['early', 'early', 'early'],
      ['late', 'late', undefined, undefined, undefined],
    ]);
    const pointers = await sql`select result_slot from jobs where batch_id = ${batch.id} order by id`;
    expect(pointers.map(({ resultSlot }) => resultSlot)).toEqual([0, 1, 0, 1, 2]);
    expect(await captured(batch.id)).toEqual({ jobs: 5, kobo: 5 * 125_00 });
    const entries =
      await sql`select jobs, check_id, job_id from ledger_entries where kind = 'capture' and hold_id = ${batch.id} order by id`;
    expect([...entries]).toEqual([
      { jobs: 3, checkId: 'nin_basic', jobId: null },
      { jobs: 2, checkId: 'nin_basic', jobId: null },
    ]);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'completed', found: 5, billedKobo: 5 * 125_00 });
    expect(await batchDrift(bench.service, null)).toBe(0);
  });

  it('stores results one by one while a process of the release before runs, which reads no blocks', async () => {
    const { sql } = bench.service;
    await sql`insert into processes (id, name, release, reads, families) values (${newId()}, 'api', '0.0.1', 2, '{}')`;
    // Has not looked yet at who runs.
    const beside = await openBench(database);
    try {
      const owner = await makeOwner(bench.service);
      const batch = await uploadNins(bench.service, owner, Array.from({ length: 5 }, freshNin));
      for (const chunk of await lease()) await runChunk(beside.service, chunk);
      expect(await sql`select 1 from result_blocks where batch_id = ${batch.id}`).toHaveLength(0);
      expect(await sql`select 1 from results where job_id in (select id from jobs where batch_id = ${batch.id})`).toHaveLength(5);
    } finally {
      await sql`delete from processes where release = '0.0.1'`;
      await beside.service.close();
    }
  });

  it('cannot charge more than was held: the database itself refuses', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, [freshNin()]);
    await lease();
    const [job] = await bench.service.sql<{ id: string }[]>`select id from jobs where batch_id = ${batch.id}`;
    const tooMuch = {
      status: 'completed',
      outcome: 'found',
      entity: {},
      billedKobo: 125_01,
      cached: false,
      provider: 'p',
      latencyMs: 1,
      cacheEntries: [] as never[],
    } as const;
    await expect(
      bench.service.settle.job({
        jobId: job!.id,
        appId: batch.appId,
        batchId: batch.id,
        attempt: 1,
        checkId: 'nin_basic',
        result: tooMuch,
        trail: [],
      }),
    ).rejects.toThrow('batches_covered');
    expect(await captured(batch.id)).toEqual({ jobs: 0, kobo: 0 });
    await cancelBatch(bench.service, owner.appId, batch.id, bySystem('test'));
    await takeBackOpen(bench.service);
    await sweepWork(bench.service);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'canceled', canceled: 1 });
  });

  it('takes a job through its states and releases the rest of the hold at the end', async () => {
    const owner = await makeOwner(bench.service);
    const known = freshNin();
    const batch = await uploadNins(bench.service, owner, [known, '00000000001', '00000000003', known], { start: 'manual' });
    expect(batch).toMatchObject({ status: 'awaiting_start', queued: 3, duplicate: 1, quoteKobo: 375_00 });
    expect(await lease()).toEqual([]);
    await startBatch(bench.service, owner.appId, batch.id, bySystem('test'));
    const chunks = await lease();
    expect(await read(owner, batch.id)).toMatchObject({ status: 'running', queued: 0, leased: 3 });
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'running', queued: 1, found: 1, notFound: 1 });
    await runAll(owner, batch.id);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'completed', found: 1, notFound: 1, failed: 1, queued: 0, leased: 0 });
    const [failed] = await bench.service
      .sql`select error_code, failures, attempt, billed_kobo from jobs where batch_id = ${batch.id} and status = 'failed'`;
    expect(failed).toMatchObject({ errorCode: 'provider_failed', failures: 4, attempt: 4, billedKobo: 0 });
    // One look-up; its duplicate shows the answer for nothing.
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - 125_00, heldKobo: 0 });
  });

  it('counts a group of a batch on its way, and one after which the batch ends all the same', async () => {
    const owner = await makeOwner(bench.service);
    const { sql } = bench.service;
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 120 }, freshNin));
    const [first, second, ...others] = await lease();
    await runChunk(bench.service, first!);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'running', found: 7, completed: 7, billedKobo: 7 * 125_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
    // Everything else is canceled while the second group waits for the batch, which it has seen on its way.
    for (const chunk of others) await sql`update chunks set leased_until = now() where id = ${chunk}`;
    await takeBackExpired(bench.service);
    let running: Promise<void> = Promise.resolve();
    await sql.begin(async (tx) => {
      await tx`update jobs set status = 'canceled', completed_at = now() where batch_id = ${batch.id} and status = 'queued'`;
      await tx`delete from waiting_jobs where batch_id = ${batch.id}`;
      await tx`update batches set canceled = canceled + queued, queued = 0 where id = ${batch.id}`;
      running = runChunk(bench.service, second!);
      await waitFor('the group to wait', async () => {
        const [one] = await sql`
          select 1 from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`;
        return one !== undefined;
      });
    });
    await running;
    expect(await read(owner, batch.id)).toMatchObject({ status: 'completed', found: 14, canceled: 106, queued: 0, leased: 0 });
    expect(await captured(batch.id)).toEqual({ jobs: 14, kobo: 14 * 125_00 });
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: 1_000_000_00 - 14 * 125_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('locks a batch before its hold when it ends, as while it runs, so that no two groups wait for each other', async () => {
    const { service } = bench;
    const owner = await makeOwner(service);
    const batch = await uploadNins(service, owner, Array.from({ length: 7 }, freshNin));
    const [chunk] = await lease();
    const unlock = await lockHold(service, batch.id);
    const running = runChunk(service, chunk!);
    try {
      await waitFor('the lock of the batch', async () => {
        const free = await service.sql`select 1 from batches where id = ${batch.id} for update skip locked`;
        return free.length === 0;
      });
    } finally {
      await unlock();
    }
    await running;
    expect(await read(owner, batch.id)).toMatchObject({ status: 'completed', found: 7, billedKobo: 7 * 125_00 });
  });

  it('tells of every tenth of a batch once, and stops one that fails too often, however its groups are counted', async () => {
    const { sql } = bench.service;
    const owner = await makeOwner(bench.service);
    await sql`
      insert into webhook_endpoints (id, app_id, live, url, secret, events)
      values (${newId()}, ${owner.appId}, false, 'https://example.com/', '', array['batch.progress'])`;
    const watched = await uploadNins(bench.service, owner, Array.from({ length: 200 }, freshNin));
    await runAll(owner, watched.id);
    const told = await sql<{ done: number }[]>`
      select (data->'counts'->>'completed')::int as done from events where app_id = ${owner.appId} and type = 'batch.progress' order by id`;
    expect(told.map(({ done }) => Math.floor(done / 20))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // The sandbox never finds this one an answer, so its attempts run out.
    const failing = ['00000000003', ...Array.from({ length: 199 }, freshNin)];
    const stopped = await uploadNins(bench.service, owner, failing, { max_failure_percent: 0 });
    await waitFor('the batch to stop', async () => {
      for (const chunk of await lease()) await runChunk(bench.service, chunk);
      await sweepWork(bench.service);
      return (await read(owner, stopped.id)).status === 'failed';
    });
    const end = await read(owner, stopped.id);
    expect(end).toMatchObject({ failed: 1, reason: 'max_failure_percent', queued: 0, leased: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('cancels queued jobs at once; leased ones finish and are charged', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 60 }, freshNin));
    const chunks = await lease();
    const leased = (await read(owner, batch.id)).leased;
    expect(await cancelBatch(bench.service, owner.appId, batch.id, bySystem('test'))).toMatchObject({
      status: 'canceling',
      queued: 0,
      leased,
      canceled: 60 - leased,
    });
    expect(await lease()).toEqual([]);
    for (const chunk of chunks) await runChunk(bench.service, chunk);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'canceled', found: leased, canceled: 60 - leased, leased: 0 });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - leased * 125_00, heldKobo: 0 });
    expect(await cancelBatch(bench.service, owner.appId, batch.id, bySystem('test'))).toMatchObject({ status: 'canceled' });
  });

  it('cancels a job that a dead worker left behind in a canceled batch', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 3 }, freshNin));
    await lease();
    await cancelBatch(bench.service, owner.appId, batch.id, bySystem('test'));
    await bench.service.sql`update chunks set leased_until = now() - interval '1 second' where finished_at is null`;
    await sweepWork(bench.service);
    expect(await read(owner, batch.id)).toMatchObject({ status: 'canceled', canceled: 3, leased: 0, queued: 0 });
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(0);
    expect(await bench.service.sql`select 1 from waiting_jobs where batch_id = ${batch.id}`).toHaveLength(0);
  });

  it('releases the hold of a call whose process died', async () => {
    const owner = await makeOwner(bench.service, 200);
    const id = '01900000-0000-7000-8000-000000000001';
    expect(await bench.service.settle.holdForCall({ id, appId: owner.appId, live: false, amountKobo: 125_00 })).toBe(true);
    await sweepExpired(bench.service);
    expect((await readWallet(bench.service.sql, owner)).heldKobo).toBe(125_00);
    const [hold] = await bench.service.sql<{ ms: number }[]>`
      select extract(epoch from expires_at - created_at)::float8 * 1000 as ms from holds where id = ${id}`;
    expect(hold!.ms).toBeGreaterThan(CALL_QUEUE_MS_MAX + TIMEOUT_MS_MAX);
    await bench.service.sql`update holds set expires_at = now() - interval '1 second' where id = ${id}`;
    await sweepExpired(bench.service);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 200_00, heldKobo: 0 });
  });

  it('settles a single job with its own hold', async () => {
    const owner = await makeOwner(bench.service, 200);
    const job = await submitJob(bench.service, owner, jobBody.parse({ check: 'nin_advance', input: { nin: freshNin() } }));
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 75_00, heldKobo: 125_00 });
    for (const chunk of await lease()) await runChunk(bench.service, chunk);
    expect(await bench.service.sql`select status, billed_kobo from jobs where id = ${job.id}`).toMatchObject([
      { status: 'completed', billedKobo: 125_00 },
    ]);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 75_00, heldKobo: 0 });
  });

  it('charges a single job whose hold was closed from what is available, and refuses its answer if that is too little', async () => {
    const owner = await makeOwner(bench.service, 200);
    const { id } = await submitJob(bench.service, owner, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }));
    const chunks = await lease();
    const { sql } = bench.service;
    await sql.begin((tx) => releaseHolds(tx, [id]));
    const other = newId();
    const take = { id: other, appId: owner.appId, live: false, amountKobo: 100_00, expiresInSeconds: null };
    expect(await holdFunds(sql, [take])).toEqual([true]);
    for (const chunk of chunks) await expect(runChunk(bench.service, chunk)).rejects.toThrow('does not cover');
    expect(await sql`select status, billed_kobo from jobs where id = ${id}`).toEqual([{ status: 'leased', billedKobo: 0 }]);
    await sql.begin((tx) => releaseHolds(tx, [other]));
    await takeBackOpen(bench.service);
    for (const chunk of await lease()) await runChunk(bench.service, chunk);
    expect(await sql`select status, billed_kobo from jobs where id = ${id}`).toEqual([{ status: 'completed', billedKobo: 125_00 }]);
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: 75_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('keeps counts consistent and money exact under random deliveries, losses and cancellations', async () => {
    const step = fc.constantFrom('lease', 'run', 'run', 'runTwice', 'lose', 'cancel');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(step, { maxLength: 14 }),
        fc.integer({ min: 0, max: 3 }),
        async (size, steps, scripted) => {
          const owner = await makeOwner(bench.service);
          const nins = [...Array.from({ length: size }, freshNin), ...['00000000001', '00000000003', '00000000006'].slice(0, scripted)];
          const batch = await uploadNins(bench.service, owner, nins);
          const chunks: string[] = [];
          for (const action of steps) {
            if (action === 'lease') chunks.push(...(await lease()));
            if (action === 'run') await Promise.all(chunks.slice(0, 2).map((chunk) => runChunk(bench.service, chunk)));
            if (action === 'runTwice') await Promise.all([...chunks, ...chunks].map((chunk) => runChunk(bench.service, chunk)));
            if (action === 'lose') await takeBackOpen(bench.service);
            if (action === 'cancel') await cancelBatch(bench.service, owner.appId, batch.id, bySystem('test')).catch(() => {});
            const now = await read(owner, batch.id);
            expect(addsUp(now)).toBe(true);
          }
          await takeBackOpen(bench.service);
          await sweepWork(bench.service);
          await runAll(owner, batch.id);
          const end = await read(owner, batch.id);
          expect(addsUp(end) && end.queued === 0 && end.leased === 0).toBe(true);
          expect(await captured(batch.id)).toEqual({ jobs: end.found, kobo: end.billedKobo });
          expect(await batchDrift(bench.service, null)).toBe(0);
          expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - end.billedKobo, heldKobo: 0 });
          expect(await ledgerDrift(bench.service)).toBe(0);
        },
      ),
      { numRuns: 12 },
    );
  });
});
