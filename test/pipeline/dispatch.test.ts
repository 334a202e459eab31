/** Work is shared fairly, single jobs go first, and no leased job is lost. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { readBatch } from '../../src/batches/batch.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import { newId } from '../../src/foundation/ids.ts';
import { handBack, runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher, shareSlots } from '../../src/pipeline/dispatch.ts';
import { openChunks, takeBackExpired, takeBackOpen } from '../../src/pipeline/leases.ts';
import { announcePause } from '../../src/providers/limiter.ts';
import { ninOfBvn } from '../../src/sandbox/numbers.ts';
import { personOf } from '../../src/sandbox/people.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(database, { extra: { CONFAM_CHUNK_MAX: '10', CONFAM_WINDOW_CHUNKS: '6' } });
});
afterAll(async () => {
  await bench.service.close();
});
// Each test starts with nothing open.
beforeEach(async () => {
  for (const { id, appId } of await bench.service.sql<
    { id: string; appId: string }[]
  >`select id, app_id from batches where status in ('queued', 'running')`) {
    await cancelBatch(bench.service, appId, id, bySystem('test'));
  }
  await takeBackOpen(bench.service);
  await bench.service.sql`delete from waiting_jobs`;
  await bench.service.sql`delete from chunks`;
});

const fill = () => openDispatcher(bench.service, bench.service.router).fill(bench.service.sql);
const owners = async (ids: string[]) =>
  (await bench.service.sql<{ appId: string }[]>`select app_id from chunks where id = any(${ids}::uuid[])`).map((row) => row.appId);

describe('sharing of slots', () => {
  it('alternates between apps by weight, and between an app’s own batches', () => {
    const lanes = [
      { name: 'a1', appId: 'a', weight: 1 },
      { name: 'a2', appId: 'a', weight: 1 },
      { name: 'b1', appId: 'b', weight: 3 },
    ];
    const shares = new Map([...shareSlots(lanes, 40, new Map())].map(([lane, n]) => [lane.name, n]));
    expect(shares.get('b1')).toBe(30);
    expect([shares.get('a1'), shares.get('a2')]).toEqual([5, 5]);
  });

  it('remembers the order from one filling to the next, so that even one slot at a time is fair', () => {
    const passes = new Map<string, number>();
    const lanes = ['a', 'b', 'c'].map((appId) => ({ appId, weight: 1 }));
    const served = Array.from({ length: 30 }, () => [...shareSlots([...lanes], 1, passes).keys()][0]!.appId);
    for (const appId of ['a', 'b', 'c']) expect(served.filter((s) => s === appId)).toHaveLength(10);
  });

  it('gives no credit for time away', () => {
    const passes = new Map<string, number>();
    shareSlots([{ appId: 'busy', weight: 1 }], 100, passes);
    const both = [
      { appId: 'busy', weight: 1 },
      { appId: 'new', weight: 1 },
    ];
    const shares = [...shareSlots(both, 10, passes).values()];
    expect(shares).toEqual([5, 5]);
  });
});

describe('the dispatcher', () => {
  it('leases more of a running batch while a settlement holds its row, and counts that lease once', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 100 }, freshNin));
    const [chunk] = (await fill()).leased;
    await runChunk(bench.service, chunk!.id);
    const read = async () => (await readBatch(bench.service, bench.service.sql, owner.appId, batch.id))!;
    const { leased, queued } = await read();
    const later = await bench.service.sql.begin(async (settling) => {
      await settling`select 1 from batches where id = ${batch.id} for update`;
      const more = (await fill()).leased;
      expect(more).toHaveLength(1);
      expect(await read()).toMatchObject({ leased, queued });
      return more[0]!.id;
    });
    const [{ jobs }] = await bench.service.sql<[{ jobs: number }]>`select cardinality(job_ids) as jobs from chunks where id = ${later}`;
    for (let times = 0; times < 2; times++) {
      await bench.service.sql`update batches set max_failure_percent = null where id = ${batch.id}`;
      const counted = { leased: leased + jobs, queued: queued - jobs, leasedKobo: (leased + jobs) * 125_00 };
      expect(await read()).toMatchObject(counted);
    }
  });

  it('leases nothing more once the batch is paused, however late the lease', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 100 }, freshNin));
    const [chunk] = (await fill()).leased;
    await runChunk(bench.service, chunk!.id);
    const dispatching = openDispatcher(bench.service, bench.service.router);
    // The dispatcher has read the lanes, and waits for those that the pause closes.
    const paused = await bench.service.sql.begin(async (pausing) => {
      await pausing`update lanes set open = false where batch_id = ${batch.id}`;
      const late = dispatching.fill(bench.service.sql);
      await waitFor('the lease to wait', async () => {
        const [waiting] = await bench.service.sql`
          select 1 from pg_locks l join pg_locks lane on lane.pid = l.pid and lane.relation = 'lanes'::regclass where not l.granted`;
        return waiting;
      });
      return { late };
    });
    expect((await paused.late).leased).toEqual([]);
    expect(await bench.service.sql`select 1 from lease_counts where batch_id = ${batch.id}`).toHaveLength(0);
  });

  it('leases a job any number of times', async () => {
    const owner = await makeOwner(bench.service);
    const { id } = await submitJob(bench.service, owner, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }));
    await bench.service.sql`update jobs set attempt = 32767 where id = ${id}`;
    const [chunk] = (await fill()).leased;
    expect(await bench.service.sql`select attempt from jobs where id = ${id}`).toEqual([{ attempt: 2 }]);
    await runChunk(bench.service, chunk!.id);
    expect(await bench.service.sql`select status, outcome from jobs where id = ${id}`).toEqual([{ status: 'completed', outcome: 'found' }]);
  });

  it('leases what it can while Postgres refuses a batch, and that batch once it is accepted', async () => {
    const [first, second] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    const refused = await uploadNins(bench.service, first, [freshNin()]);
    const other = await uploadNins(bench.service, second, [freshNin()]);
    const single = await submitJob(bench.service, second, jobBody.parse({ check: 'bvn_full', input: { bvn: freshNin() } }));
    const asDatabaseOwner = (statement: string) => asOwner(bench.service.databaseUrl, (sql) => sql.unsafe(statement));
    await asDatabaseOwner(
      `create function refuse_lease() returns trigger language plpgsql as 'begin raise exception using errcode = ''22003''; end'`,
    );
    await asDatabaseOwner(
      `create trigger refuse_lease before update on jobs for each row when (new.batch_id = '${refused.id}' and new.status = 'leased') execute function refuse_lease()`,
    );
    const leased = async () => {
      const ids = (await fill()).leased.map(({ id }) => id);
      return (await bench.service.sql<{ job: string }[]>`select unnest(job_ids) as job from chunks where id = any(${ids}::uuid[])`).map(
        ({ job }) => job,
      );
    };
    const rowsOf = async ({ id }: { id: string }) =>
      (await bench.service.sql<{ id: string }[]>`select id from jobs where batch_id = ${id}`).map((job) => job.id);
    expect((await leased()).sort()).toEqual([...(await rowsOf(other)), single.id].sort());
    await asDatabaseOwner('drop trigger refuse_lease on jobs; drop function refuse_lease');
    expect(await leased()).toEqual(await rowsOf(refused));
  });

  it('leases no more than its window, and only refills what was finished', async () => {
    const owner = await makeOwner(bench.service);
    await uploadNins(bench.service, owner, Array.from({ length: 200 }, freshNin));
    const first = await fill();
    expect(first.leased).toHaveLength(6);
    expect((await fill()).leased).toHaveLength(0);
    await runChunk(bench.service, first.leased[0]!.id);
    expect((await fill()).leased).toHaveLength(1);
  });

  it('refills its window when a chunk is at its vendor, and queues that chunk no more', async () => {
    const owner = await makeOwner(bench.service);
    await uploadNins(bench.service, owner, Array.from({ length: 200 }, freshNin));
    const { leased } = await fill();
    const begun = leased[0]!.id;
    await bench.service.sql`update chunks set begun_at = now() where id = ${begun}`;
    expect((await fill()).leased).toHaveLength(1);
    expect((await openChunks(bench.service)).map((chunk) => chunk.id)).not.toContain(begun);
    // A ticket delivered once more by the queue must not put the same questions to the vendor again.
    const asked = bench.sandbox.calls.total;
    await runChunk(bench.service, begun);
    expect(bench.sandbox.calls.total).toBe(asked);
  });

  it('sizes chunks by what comes back in a second, however long each answer takes', async () => {
    const owner = await makeOwner(bench.service);
    await uploadNins(bench.service, owner, Array.from({ length: 300 }, freshNin));
    // 20 chunks of 20 jobs in parallel, each of which took twelve and a half seconds: 32 jobs a second.
    const jobIds = Array.from({ length: 20 }, newId);
    for (let i = 0; i < 20; i++)
      await bench.service.sql`
        insert into chunks (id, app_id, live, single, family, check_id, job_ids, leased_until, finished_at, work_ms)
        values (${newId()}, ${owner.appId}, false, false, 'nin', 'nin_basic', ${jobIds}::uuid[], now(), now(), 12500)`;
    const sizes = (await fill()).leased.map(async ({ id }) => {
      const [chunk] = await bench.service.sql<{ size: number }[]>`select cardinality(job_ids) as size from chunks where id = ${id}`;
      return chunk!.size;
    });
    for (const size of await Promise.all(sizes)) expect(size).toBe(8);
  });

  it('gives a small customer its share beside a huge upload', async () => {
    const [big, small] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    await uploadNins(bench.service, big, Array.from({ length: 500 }, freshNin));
    await uploadNins(bench.service, small, Array.from({ length: 25 }, freshNin));
    const shares = await owners((await fill()).leased.map((chunk) => chunk.id));
    expect(shares.filter((appId) => appId === small.appId)).toHaveLength(3);
    expect(shares.filter((appId) => appId === big.appId)).toHaveLength(3);
  });

  it('leases a single job even if the window is full of batch rows, and marks it to go first', async () => {
    const [big, small] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    await uploadNins(bench.service, big, Array.from({ length: 500 }, freshNin));
    await fill();
    await submitJob(bench.service, small, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }));
    const { leased } = await fill();
    expect(leased.map((chunk) => chunk.single)).toEqual([true]);
  });

  it('takes single jobs of every app, not only of the one with most', async () => {
    const [many, few] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    for (let i = 0; i < 80; i++) await submitJob(bench.service, many, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }));
    await submitJob(bench.service, few, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }));
    const shares = await owners((await fill()).leased.map((chunk) => chunk.id));
    expect(shares).toContain(few.appId);
  });

  it('leases each row once, in order, when two dispatchers run by mistake', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 100 }, freshNin));
    await Promise.all([fill(), fill(), fill()]);
    const rows = await bench.service.sql<{ id: string }[]>`select unnest(job_ids) as id from chunks`;
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    const [counts] = await bench.service.sql`select queued, leased from batches where id = ${batch.id}`;
    expect(counts).toMatchObject({ leased: rows.length, queued: 100 - rows.length });
    expect(await bench.service.sql`select 1 from jobs where batch_id = ${batch.id} and status = 'leased' and attempt <> 1`).toHaveLength(0);
  });

  it('skips no row when a lease waited for another leader’s lease of the same rows', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 300 }, freshNin));
    let both: Promise<unknown> = Promise.resolve();
    await bench.service.sql.begin(async (tx) => {
      await tx`select 1 from jobs where batch_id = ${batch.id} and row_number = 1 for update`;
      both = Promise.all([fill(), fill()]);
      await waitFor('both leases to wait for the row', async () => {
        const waiting = await asOwner(
          database.url,
          (sql) => sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length >= 2;
      });
    });
    await both;
    await takeBackOpen(bench.service);
    for (let round = 0; round < 100; round++) {
      const { leased } = await fill();
      if (leased.length === 0) break;
      for (const { id } of leased) await runChunk(bench.service, id);
    }
    expect(await bench.service.sql`select status, queued, found from batches where id = ${batch.id}`).toMatchObject([
      { status: 'completed', queued: 0, found: 300 },
    ]);
  });

  it('leases nothing for a paused provider, and continues afterwards', async () => {
    const owner = await makeOwner(bench.service);
    await uploadNins(bench.service, owner, [freshNin()]);
    bench.sandbox.faults.mode = 'rate_limited';
    bench.sandbox.faults.retryAfterMs = 600_000;
    const before = await fill();
    await runChunk(bench.service, before.leased[0]!.id);
    bench.sandbox.faults.mode = 'ok';
    // The refused job waits for its own time. This one is due.
    const { id } = await uploadNins(bench.service, owner, [freshNin()]);
    expect(bench.service.router.unavailableForMs({ all: { nin: 1 } }, false)).toBeGreaterThan(0);
    expect((await fill()).leased).toEqual([]);
    await announcePause(bench.service.sql, bench.sandbox.name, 0);
    const leased = await waitFor('the end of the pause', async () => {
      const { leased } = await fill();
      return leased.length > 0 && leased;
    });
    expect(leased).toHaveLength(1);
    expect(await bench.service.sql`select leased from batches where id = ${id}`).toMatchObject([{ leased: 1 }]);
  });

  describe('while every provider of a check is away', () => {
    const bvn = createSandbox({ name: 'bvn', kinds: ['bvn'] });
    const bureaus = createSandbox({ name: 'bureaus', kinds: ['credit_crc', 'credit_first_central'] });
    let own: Bench;
    beforeAll(async () => {
      own = await openBench(database, { providers: [bvn, bureaus] });
    });
    afterAll(() => own.service.close());

    const submitCredit = async (owner: Owner, number: string) => {
      const input = { bvn: number, phone_number: personOf(ninOfBvn(number)).phone };
      return submitJob(own.service, owner, jobBody.parse({ check: 'credit_bvn', input }));
    };
    const work = async () => {
      const { leased } = await openDispatcher(own.service, own.service.router).fill(own.service.sql);
      for (const { id } of leased) await runChunk(own.service, id);
      return leased.length;
    };

    it('tries it with one single job at a time, and asks for nothing else that the job needs', async () => {
      const owner = await makeOwner(own.service);
      const jobs = await Promise.all(Array.from({ length: 30 }, () => submitCredit(owner, freshNin())));
      bureaus.faults.mode = 'down';
      // Each round is a chance for every job.
      const endsAt = performance.now() + 3_000;
      while (performance.now() < endsAt) await work();
      // All of them before the breakers open, and then one for each time that a breaker lets somebody through.
      expect(bvn.calls.total).toBeGreaterThanOrEqual(30);
      expect(bvn.calls.total).toBeLessThan(40);
      bureaus.faults.mode = 'ok';
      await waitFor('the jobs to be done', async () => {
        await work();
        const left = await own.service
          .sql`select 1 from jobs where id = any(${jobs.map(({ id }) => id)}::uuid[]) and status <> 'completed'`;
        return left.length === 0;
      });
      const charges = await own.service.sql`
        select job_id from ledger_entries where kind = 'capture' and job_id = any(${jobs.map(({ id }) => id)}::uuid[]) order by job_id`;
      // Somebody without a file at any bureau costs nothing.
      expect(charges.length).toBeGreaterThan(0);
      expect(charges).toEqual(
        await own.service.sql`select id as job_id from jobs where app_id = ${owner.appId} and billed_kobo > 0 order by id`,
      );
    });

    it('asks nobody for what is of no use without them, even if the job has been leased', async () => {
      const owner = await makeOwner(own.service);
      const { id } = await submitCredit(owner, freshNin());
      const { leased } = await openDispatcher(own.service, own.service.router).fill(own.service.sql);
      await own.service.router.pause(bureaus.name, 60_000);
      await waitFor('the pause', () => own.service.router.unavailableForMs({ all: {}, any: { credit_crc: 1 } }, false) > 0);
      const asked = bvn.calls.total;
      for (const chunk of leased) await runChunk(own.service, chunk.id);
      expect(bvn.calls.total).toBe(asked);
      expect(await own.service.sql`select status, failures from jobs where id = ${id}`).toMatchObject([{ status: 'queued', failures: 0 }]);
    });
  });

  it('leases single jobs of other checks past those that wait for their provider', async () => {
    const [phones, passports] = (['phone', 'passport'] as const).map((kind) => createSandbox({ name: `only ${kind}`, kinds: [kind] }));
    const extra = { CONFAM_CHUNK_MAX: '10', CONFAM_WINDOW_CHUNKS: '1' };
    const { service } = await openBench(database, { extra, providers: [phones!, passports!] });
    const owner = await makeOwner(service);
    const submit = (check: string, input: Record<string, string>) => submitJob(service, owner, jobBody.parse({ check, input }));
    // More than are leased at a time.
    for (let i = 0; i < 15; i++) await submit('phone', { phone_number: `080312345${10 + i}` });
    await submit('passport', { passport_number: 'A00000001', last_name: 'Adeleke' });
    const fillOwn = async () => {
      const { leased } = await openDispatcher(service, service.router).fill(service.sql);
      return service.sql<{ checkId: string }[]>`select check_id from chunks where id = any(${leased.map(({ id }) => id)}::uuid[])`;
    };
    const isPaused = () => service.router.unavailableForMs({ all: { phone: 1 } }, false) > 0;
    await service.router.pause(phones!.name, 60_000);
    await waitFor('the pause', isPaused);
    expect(await fillOwn()).toEqual([{ checkId: 'passport' }]);
    // The next rounds need not look through them.
    const [due] = await service.sql`select count(*)::int as n from waiting_jobs where app_id = ${owner.appId} and run_after <= now()`;
    expect(due?.n).toBe(0);
    await service.router.resume(phones!.name);
    await waitFor('the pause to end', () => !isPaused());
    await service.sql`update chunks set begun_at = now()`;
    await waitFor('a phone number to be leased', async () => (await fillOwn()).some(({ checkId }) => checkId === 'phone'));
    await service.close();
  });

  it('leases returned rows no more often than it wants to, however Postgres plans it without statistics', async () => {
    const name = new URL(database.url).pathname.slice(1);
    // What is left are nested loops, which run a subquery for each row.
    const plans = ['enable_hashjoin', 'enable_mergejoin', 'enable_hashagg', 'enable_sort', 'enable_material', 'enable_bitmapscan'];
    const alter = (change: (plan: string) => string) =>
      asOwner(database.url, async (sql) => {
        for (const plan of plans) await sql.unsafe(`alter database ${name} ${change(plan)}`);
      });
    await alter((plan) => `set ${plan} = off`);
    const { service } = await openBench(database, { extra: { CONFAM_CHUNK_MAX: '10', CONFAM_WINDOW_CHUNKS: '6' } });
    try {
      const owner = await makeOwner(service);
      const batch = await uploadNins(service, owner, Array.from({ length: 200 }, freshNin));
      // All have come back, as from a pool that died.
      await service.sql`update jobs set attempt = 1 where batch_id = ${batch.id}`;
      await service.sql`
        insert into waiting_jobs (job_id, batch_id, app_id, family, check_id)
        select id, batch_id, app_id, 'nin', check_id from jobs where batch_id = ${batch.id}`;
      const { leased } = await openDispatcher(service, service.router).fill(service.sql);
      const [{ jobs }] = await service.sql<[{ jobs: number }]>`
        select sum(cardinality(job_ids))::int as jobs from chunks where id = any(${leased.map(({ id }) => id)}::uuid[])`;
      expect([leased.length, jobs]).toEqual([6, 60]);
      const [{ left }] = await service.sql<[{ left: number }]>`select count(*)::int as left from waiting_jobs where batch_id = ${batch.id}`;
      expect([left, (await readBatch(service, service.sql, owner.appId, batch.id))!.leased]).toEqual([140, 60]);
    } finally {
      await service.close();
      await alter((plan) => `reset ${plan}`);
    }
  });

  it('knows what was leased and not finished, for a queue that lost its content', async () => {
    const owner = await makeOwner(bench.service);
    await uploadNins(bench.service, owner, Array.from({ length: 25 }, freshNin));
    const { leased } = await fill();
    await runChunk(bench.service, leased[0]!.id);
    expect((await openChunks(bench.service)).map((chunk) => chunk.id).sort()).toEqual(
      leased
        .slice(1)
        .map((chunk) => chunk.id)
        .sort(),
    );
  });

  it('takes back only chunks whose lease expired', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, Array.from({ length: 20 }, freshNin));
    const { leased } = await fill();
    await bench.service.sql`update chunks set leased_until = now() - interval '1 second' where id = ${leased[0]!.id}`;
    expect(await takeBackExpired(bench.service)).toBe(1);
    const [counts] = await bench.service.sql`select queued, leased from batches where id = ${batch.id}`;
    expect(counts).toMatchObject({ queued: 10, leased: 10 });
    expect((await fill()).leased).toHaveLength(1);
  });

  describe('leaves a job that came back and was leased again to its later chunk', () => {
    /** A chunk with two jobs, and a later one with the first of them. */
    async function leaseTwice() {
      const { sql, settle } = bench.service;
      const owner = await makeOwner(bench.service);
      const jobs: string[] = [];
      for (let i = 0; i < 2; i++)
        jobs.push((await submitJob(bench.service, owner, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }))).id);
      const [earlier] = (await fill()).leased;
      await settle.job({
        ...{ jobId: jobs[0]!, appId: owner.appId, batchId: null, attempt: 1, checkId: 'nin_basic', trail: [] },
        result: { status: 'queued', runAfterMs: 0, failed: false },
      });
      const [later] = (await fill()).leased;
      expect(await sql`select id, job_ids from chunks order by created_at`).toEqual([
        { id: earlier!.id, jobIds: expect.arrayContaining(jobs) },
        { id: later!.id, jobIds: [jobs[0]] },
      ]);
      const lose = async (...ids: string[]) => {
        await handBack(bench.service, ids);
        await waitFor('the lease to end', async () => (await takeBackExpired(bench.service)) > 0);
        const rows = await sql<{ id: string; status: string }[]>`
          select id, status from jobs where id = any(${jobs}::uuid[]) and (status = 'leased' or id in (select job_id from waiting_jobs))`;
        return jobs.map((id) => rows.find((row) => row.id === id)?.status);
      };
      return { earlier: earlier!.id, later: later!.id, lose };
    }

    it('when the earlier one is lost', async () => {
      const { earlier, later, lose } = await leaseTwice();
      expect(await lose(earlier)).toEqual(['leased', 'queued']);
      const asked = bench.sandbox.calls.total;
      await runChunk(bench.service, later);
      expect(bench.sandbox.calls.total).toBe(asked + 1);
    });

    it('and takes it back when that one is lost', async () => {
      const { later, lose } = await leaseTwice();
      expect(await lose(later)).toEqual(['queued', 'leased']);
    });

    it('and takes it back when both are lost', async () => {
      const { earlier, later, lose } = await leaseTwice();
      expect(await lose(earlier, later)).toEqual(['queued', 'queued']);
    });

    it('when the earlier one is delivered once more', async () => {
      const { earlier, later } = await leaseTwice();
      const asked = bench.sandbox.calls.total;
      await runChunk(bench.service, earlier);
      expect(bench.sandbox.calls.total).toBe(asked + 1);
      await runChunk(bench.service, later);
      expect(bench.sandbox.calls.total).toBe(asked + 2);
    });
  });
});
