/** Erasures in steps, without HTTP and workers: stopped in the middle, beside a download, with marks and without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { personOf } from '../../src/checks/aml.ts';
import type { BatchRow } from '../../src/contract/batches.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import { bound } from '../../src/foundation/context.ts';
import { newId, showId } from '../../src/foundation/ids.ts';
import { dataSubjectsOf, marksOf } from '../../src/lifecycle/data-subjects.ts';
import { advanceErasures, askErasure, readErasures } from '../../src/lifecycle/erase.ts';
import { FailedItems } from '../../src/lifecycle/failed-items.ts';
import { nextBatches } from '../../src/lifecycle/find-data-subjects.ts';
import { markRows, openMarker } from '../../src/lifecycle/mark-rows.ts';
import { readRows } from '../../src/results/read.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';
import { freshNin, makeOwner, never, stopAfter, uploadNins, useBench } from '../setup/work.ts';

const database = useDatabase();
const bench = useBench(database);
const by = bySystem('test');

/** A batch that was canceled, so that nothing has to run. `theirs`: the rows of the person. */
async function batchWith(nin: string, rows: number, theirs: readonly number[]): Promise<{ owner: Owner; batch: BatchRow }> {
  const { service } = bench;
  const owner = await makeOwner(service, 10_000_000);
  const nins = Array.from({ length: rows }, (_, at) => (theirs.includes(at + 1) ? nin : freshNin()));
  const { id } = await uploadNins(service, owner, nins);
  return { owner, batch: (await cancelBatch(service, owner.appId, id, by))! };
}

const ask = (owner: Owner, value: string) => askErasure(bench.service, owner, [{ type: 'nin', value }], by, async () => {});
const rowsLeft = async ({ id }: BatchRow): Promise<number> => (await bench.service.sql`select 1 from jobs where batch_id = ${id}`).count;
const counted = async (owner: Owner, id: string) => (await readErasures(bench.service, owner, { id, before: null, limit: 1 }))[0]!;

test('an erasure that is stopped after every step goes on where it was, and counts nothing twice', async () => {
  const { service } = bench;
  const nin = freshNin();
  const { owner, batch } = await batchWith(nin, 17_000, [1, 8_500, 17_000]);
  const { id } = await ask(owner, nin);
  // Each process ends after one step.
  let processes = 0;
  for (; (await counted(owner, id)).finishedAt === null; processes++) await advanceErasures(service, stopAfter(1));
  expect(processes).toBeGreaterThan(2);
  expect(await counted(owner, id)).toMatchObject({ finishedAt: expect.any(String), asked: null, counts: { rows: 3 } });
  expect(await rowsLeft(batch)).toBe(16_997);
});

test('a step that fails leaves nothing of itself behind', async () => {
  const { service } = bench;
  const nin = freshNin();
  const { owner, batch } = await batchWith(nin, 100, [7]);
  const { id } = await ask(owner, nin);
  // Its receipt cannot be signed: the last step is undone with what it erased and counted.
  const faulty = {
    ...service.cipher,
    sign: () => {
      throw new Error('no key');
    },
  };
  await expect(advanceErasures({ ...service, cipher: faulty }, never)).rejects.toThrow('no key');
  const { counts, finishedAt } = await counted(owner, id);
  expect([100 - (await rowsLeft(batch)), finishedAt]).toEqual([counts.rows ?? 0, null]);
  await advanceErasures(service, never);
  expect([await rowsLeft(batch), (await counted(owner, id)).counts]).toEqual([99, { rows: 1 }]);
});

test('a step that takes seconds to hash whom to erase is not cut off', async () => {
  const { service } = bench;
  const nin = freshNin();
  const { owner } = await batchWith(nin, 10, [7]);
  const { id } = await ask(owner, nin);
  const slow = {
    ...service.cipher,
    async open(...asked: Parameters<typeof service.cipher.open>) {
      await sleep(1_800);
      return service.cipher.open(...asked);
    },
  };
  await advanceErasures({ ...service, cipher: slow }, never);
  expect((await counted(owner, id)).counts).toEqual({ rows: 1 });
});

test('a job or call that somebody else has locked is waited for', async () => {
  const { service } = bench;
  const { sql, cipher } = service;
  const owner = await makeOwner(service);
  const nin = freshNin();
  const body = jobBody.parse({ check: 'nin_basic', input: { nin } });
  const jobs = [(await submitJob(service, owner, body)).id, (await submitJob(service, owner, body)).id];
  await sql`update jobs set status = 'canceled', completed_at = now() where id = any(${jobs}::uuid[])`;
  const call = newId();
  await sql`
    insert into jobs (id, app_id, live, check_id, family, price_kobo, cached_price_kobo, status, completed_at, subject)
    values (${call}, ${owner.appId}, ${owner.live}, 'nin_basic', 'nin', 0, 0, 'canceled', now(), ${cipher.index('subject', 'nin', nin)})`;
  const { id } = await ask(owner, nin);
  const locked = [jobs[1]!, call];
  await sql.begin(async (tx) => {
    await bound(tx, 'reading');
    await tx`select 1 from jobs where id = any(${locked}::uuid[]) for update`;
    await advanceErasures(service, never);
    expect(await counted(owner, id)).toMatchObject({ finishedAt: null, counts: { jobs: 1 }, waitingJobs: locked });
    await sql`update erasures set next_at = now() where id = ${id}`;
    await advanceErasures(service, never);
    expect(await counted(owner, id)).toMatchObject({ finishedAt: null, counts: { jobs: 1 }, waitingJobs: locked });
  });
  await sql`update erasures set next_at = now() where id = ${id}`;
  await advanceErasures(service, never);
  expect(await counted(owner, id)).toMatchObject({ finishedAt: expect.any(String), counts: { jobs: 2, calls: 1 }, waitingJobs: [] });
  expect(await sql`select 1 from jobs where app_id = ${owner.appId}`).toHaveLength(0);
});

test('monitors, clearances and portraits that are newer than an erasure stay, however long it waits', async () => {
  const { service } = bench;
  const { sql, cipher } = service;
  const owner = await makeOwner(service, 10_000_000);
  const nin = freshNin();
  const identifiers = [
    { type: 'nin' as const, value: nin },
    { type: 'person' as const, name: 'Ada Obi', date_of_birth: undefined },
  ];
  const [subject] = cipher.indexes('subject', 'aml', personOf({ name: 'Ada Obi', country: '' }));
  const monitor = async (jobId: string) => {
    await sql`
      insert into aml_monitors (id, app_id, live, subject, input, job_id) values (${newId()}, ${owner.appId}, ${owner.live}, ${subject!}, '', ${jobId})
      on conflict do nothing`;
  };
  const clear = async (list: string) => {
    await sql`
      insert into aml_clearances (id, app_id, live, subject, list, source_id, digest, note)
      values (${newId()}, ${owner.appId}, ${owner.live}, ${subject!}, ${list}, '1', '', '')`;
  };
  const enrol = async (at: string) => {
    await sql`
      insert into sandbox_portraits (id, app_id, id_type, subject, masked, type, bytes, image, shown, enrolled_at)
      values (${newId()}, ${owner.appId}, 'nin', decode(${marksOf(cipher, owner, identifiers).portraits[0]!.subject}, 'hex'), '', 'image/png', 1, '', '', ${at}::text::timestamptz)`;
  };
  const { id: batch } = await uploadNins(service, owner, [nin], { start: 'manual' });
  const [before, late] = [newId(), newId()];
  await monitor(before);
  await clear('early');
  await enrol('yesterday');
  const { id } = await askErasure(service, owner, identifiers, by, async () => {});
  await advanceErasures(service, never);
  expect(await counted(owner, id)).toMatchObject({ waiting: [batch], counts: { monitors: 1, clearances: 1 } });
  // Started by a screening that was in progress, and then by one of somebody who has come back.
  await monitor(late);
  await sql`update erasures set next_at = now() where id = ${id}`;
  await sql`update aml_monitors set ended_at = now() where app_id = ${owner.appId}`;
  const back = newId();
  await monitor(back);
  await clear('after');
  await sql`update sandbox_portraits set enrolled_at = now() where app_id = ${owner.appId}`;
  await cancelBatch(service, owner.appId, batch, by);
  await advanceErasures(service, never);
  expect(await counted(owner, id)).toMatchObject({ finishedAt: expect.any(String), counts: { rows: 1, monitors: 2, clearances: 1 } });
  expect(await sql`select job_id from aml_monitors where app_id = ${owner.appId}`).toEqual([{ jobId: back }]);
  expect(await sql`select list from aml_clearances where app_id = ${owner.appId}`).toEqual([{ list: 'after' }]);
  expect(await sql`select 1 from sandbox_portraits where app_id = ${owner.appId}`).toHaveLength(1);
});

test('marks find the same rows as opening every row does, also when marking was stopped in the middle', async () => {
  const { service } = bench;
  const nin = freshNin();
  const { owner, batch } = await batchWith(nin, 3_000, [3, 1_600]);
  await markRows(service, stopAfter(3));
  expect(await service.sql`select 1 from row_marks where batch_id = ${batch.id}`).toHaveLength(0);
  await markRows(service, never);
  const [marked] = await service.sql<{ markedRows: number }[]>`select marked_rows from batches where id = ${batch.id}`;
  expect(marked!.markedRows).toBe(3_000);
  const { id } = await ask(owner, nin);
  await advanceErasures(service, never);
  expect((await counted(owner, id)).counts).toEqual({ rows: 2 });
  expect(await rowsLeft(batch)).toBe(2_998);
});

test('a batch that an earlier release marked is opened whole, until the next start of a sweeper has marked it anew', async () => {
  const { service } = bench;
  const { sql } = service;
  const [nin, other] = [freshNin(), freshNin()];
  const { owner, batch } = await batchWith(nin, 3_000, [3, 1_600]);
  await sql`insert into row_marks (batch_id, bucket, part, entries) values (${batch.id}, 1, 0, 'recognized less')`;
  await sql`update batches set marked_rows = rows where id = ${batch.id}`;
  const erased = async (value: string) => {
    const { id } = await ask(owner, value);
    await advanceErasures(service, never);
    return (await counted(owner, id)).counts;
  };
  expect(await erased(nin)).toEqual({ rows: 2 });
  const added = await uploadNins(service, owner, [other]);
  await cancelBatch(service, owner.appId, added.id, by);
  const mark = openMarker(service);
  for (let times = 0; times < 2; times++) await mark(never, new FailedItems());
  const dataSubjects = dataSubjectsOf(service.cipher, marksOf(service.cipher, owner, [{ type: 'nin', value: other }]));
  const { suspects } = await sql.begin((tx) =>
    nextBatches(service.cipher, tx, { appId: owner.appId, live: owner.live, cursor: null, row: 0, id: newId() }, dataSubjects),
  );
  expect(suspects).toMatchObject([{ batch: { id: added.id }, rows: [1] }]);
  expect(await sql`select 1 from row_marks where batch_id = ${batch.id} and bucket = 1`).toHaveLength(0);
});

test('no batch gets its marks while somebody is searched for, or it would be taken neither for marked nor for unmarked', async () => {
  const { service } = bench;
  const nin = freshNin();
  const { owner, batch } = await batchWith(nin, 100, [7]);
  const { id } = await ask(owner, nin);
  const dataSubjects = dataSubjectsOf(service.cipher, marksOf(service.cipher, owner, [{ type: 'nin', value: nin }]));
  const marking = await service.sql.begin(async (tx) => {
    const place = { appId: owner.appId, live: owner.live, cursor: null, row: 0, id };
    const { suspects } = await nextBatches(service.cipher, tx, place, dataSubjects);
    expect(suspects).toMatchObject([{ batch: { id: batch.id }, rows: null }]);
    const marked = markRows(service, never, { restless: true }).then(() => 'marked');
    expect(await Promise.race([marked, sleep(500, 'waits')])).toBe('waits');
    const again = await nextBatches(service.cipher, tx, place, dataSubjects);
    expect(again.suspects).toMatchObject([{ batch: { id: batch.id }, rows: null }]);
    return { marked };
  });
  expect(await marking.marked).toBe('marked');
  await advanceErasures(service, never);
  expect([await rowsLeft(batch), (await counted(owner, id)).counts]).toEqual([99, { rows: 1 }]);
});

test('requests that wait go on together, and each counts what was there before it and nobody older has asked for', async () => {
  const { service } = bench;
  const owner = await makeOwner(service, 10_000_000);
  const upload = async (...nins: string[]) => {
    const { id } = await uploadNins(service, owner, [...nins, freshNin()]);
    return (await cancelBatch(service, owner.appId, id, by))!;
  };
  const [ada, emeka] = [freshNin(), freshNin()];
  const early = await upload(ada, emeka, ada);
  const first = await ask(owner, ada);
  const late = await upload(emeka, ada);
  const later = [await ask(owner, emeka), await ask(owner, ada)];
  await advanceErasures(service, never);
  const done = await Promise.all([first, ...later].map(({ id }) => counted(owner, id)));
  expect(done.map(({ counts }) => counts)).toEqual([{ rows: 2 }, { rows: 2 }, { rows: 1 }]);
  for (const { receipt, counts } of done) expect(JSON.parse(receipt!).erased).toEqual(counts);
  expect([await rowsLeft(early), await rowsLeft(late)]).toEqual([1, 1]);
});

test('a download in progress leaves out whoever is erased meanwhile, and goes on to its end', async () => {
  const { service } = bench;
  const nin = freshNin();
  const { owner, batch } = await batchWith(nin, 6_000, [5_900]);
  const seen: number[] = [];
  for await (const slice of readRows(service, batch, { outcomes: null, since: null, isTable: true })) {
    if (seen.length === 0) {
      await ask(owner, nin);
      await advanceErasures(service, never);
    }
    for (const { row } of slice) seen.push(row);
  }
  expect(seen).toHaveLength(5_999);
  expect(seen).not.toContain(5_900);
});

test('messages about a monitor go with it, found by their index among many others of the app', async () => {
  const { sql, cipher } = bench.service;
  const { appId, live } = await makeOwner(bench.service);
  const ada = { type: 'person' as const, name: 'Ada Obi', date_of_birth: undefined };
  const monitor = newId();
  await sql`
    insert into aml_monitors (id, app_id, live, subject, input, job_id)
    values (${monitor}, ${appId}, ${live}, decode(${marksOf(cipher, { appId, live }, [ada]).subjects[0]!}, 'hex'), '', ${newId()})`;
  await sql`
    insert into events (id, app_id, live, type, data)
    select gen_random_uuid(), ${appId}, ${live}, 'aml.monitor.hit', jsonb_build_object('monitor', case n when 1 then ${showId('mon', monitor)} else 'mon_' || n end)
    from generate_series(1, 5000) n`;
  await asOwner(database.url, (owner) => owner`analyze events`);
  const scans = async () => {
    const [index] = await sql<
      { scans: number }[]
    >`select sum(pg_stat_get_numscans(relid))::int as scans from pg_partition_tree('events_monitor')`;
    return index!.scans;
  };
  const before = await scans();
  await askErasure(bench.service, { appId, live }, [ada], by, async () => {});
  const sweeper = database.openContext();
  await advanceErasures(sweeper, never);
  // Its connections report what they did.
  await sweeper.close();
  expect((await sql`select 1 from events where app_id = ${appId}`).count).toBe(4_999);
  await waitFor('a look into the index', async () => (await scans()) > before);
});
