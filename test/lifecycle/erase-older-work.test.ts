/** An erasure that is asked for while older work is still being stored waits for it, and erases that too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { prepareMonitors, writeMonitors } from '../../src/aml/start-monitoring.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { submitBatch } from '../../src/batches/submit.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { batchOptions } from '../../src/contract/batches.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import type { Identifier } from '../../src/contract/subjects.ts';
import { bound } from '../../src/foundation/context.ts';
import { newId } from '../../src/foundation/ids.ts';
import { advanceErasures, askErasure, readErasures } from '../../src/lifecycle/erase.ts';
import { readCsv } from '../../src/rows/csv.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, makeOwner, never, uploadNins, useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());
const by = bySystem('test');

const holderOf = (nin: string): Identifier => ({ type: 'nin', value: nin });

/** An erasure of this person, which is worked on as far as possible. */
async function erase(owner: Owner, person: Identifier) {
  const { id } = await askErasure(bench.service, owner, [person], by, async () => {});
  return async () => {
    await advanceErasures(bench.service, never);
    const { counts, finishedAt } = (await readErasures(bench.service, owner, { id, before: null, limit: 1 }))[0]!;
    return finishedAt === null ? 'waits' : counts;
  };
}

/** Resolves when work is about to be stored, and holds it there until released. */
function barrier() {
  let [arrive, letOn] = [() => {}, () => {}];
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const open = new Promise<void>((resolve) => {
    letOn = resolve;
  });
  const stop = () => {
    arrive();
    return open;
  };
  return { stop, reached, letOn };
}

/** A batch whose rows are stored once the barrier lets them. */
async function upload(owner: Owner, checks: string, csv: string, { stop }: ReturnType<typeof barrier>) {
  async function* file() {
    yield Buffer.from(csv);
  }
  const source = await readCsv(file());
  async function* slowly() {
    await stop();
    yield* source.rows;
  }
  const options = batchOptions.parse({ checks });
  const { batch } = await submitBatch(
    bench.service,
    owner,
    { format: 'csv', source: { ...source, rows: slowly() }, options, whole: async () => {}, thread: () => null },
    by,
  );
  return batch.id;
}

const cancel = ({ appId }: Owner, id: string) => cancelBatch(bench.service, appId, id, by);

test('an upload that is being stored is waited for, one of another app or a newer one is not', async () => {
  const { service } = bench;
  const [owner, other] = [await makeOwner(service, 10_000_000), await makeOwner(service, 10_000_000)];
  const nin = freshNin();
  const csv = `nin\n${freshNin()}\n${nin}\n`;
  const [older, newer] = [barrier(), barrier()];
  const first = upload(owner, 'nin_basic', csv, older);
  await older.reached;
  const [erasure, elsewhere] = [await erase(owner, holderOf(nin)), await erase(other, holderOf(nin))];
  expect([await erasure(), await elsewhere()]).toEqual(['waits', {}]);
  // Work is told apart by the second, so the two must not begin in the same one.
  await sleep(1_000);
  const second = upload(owner, 'nin_basic', csv, newer);
  await newer.reached;
  older.letOn();
  const id = await first;
  await cancel(owner, id);
  expect(await erasure()).toEqual({ rows: 1 });
  newer.letOn();
  const kept = await second;
  await cancel(owner, kept);
  const rows = await service.sql<{ id: string; rows: number }[]>`
    select batch_id as id, count(*)::int as rows from jobs where batch_id in (${id}, ${kept}) group by batch_id order by batch_id`;
  expect(rows).toEqual([
    { id, rows: 1 },
    { id: kept, rows: 2 },
  ]);
});

test('an upload gets a newer id if an erasure was asked for before the upload was announced', async () => {
  const { service } = bench;
  const owner = await makeOwner(service, 10_000_000);
  const makeKey = vi.spyOn(service.cipher, 'newBatchKey').mockImplementationOnce(async (...args) => {
    await erase(owner, holderOf(freshNin()));
    makeKey.mockRestore();
    return service.cipher.newBatchKey(...args);
  });
  const { id } = await uploadNins(service, owner, [freshNin()]);
  const [erasure] = await readErasures(service, owner, { id: null, before: null, limit: 1 });
  expect(id > erasure!.id).toBe(true);
  const [kept] = await service.sql`select count(*)::int as batches from batches where app_id = ${owner.appId}`;
  expect(kept).toEqual({ batches: 1 });
  await cancelBatch(service, owner.appId, id, by);
});

test('a job that is being stored is waited for', async () => {
  const { service } = bench;
  const owner = await makeOwner(service, 10_000_000);
  const nin = freshNin();
  const { stop, reached, letOn } = barrier();
  const job = submitJob(service, owner, jobBody.parse({ check: 'nin_basic', input: { nin } }), async (tx) => {
    await bound(tx, 'reading');
    await stop();
  });
  await reached;
  const erasure = await erase(owner, holderOf(nin));
  expect(await erasure()).toBe('waits');
  letOn();
  const { id } = await job;
  await service.sql`update jobs set status = 'canceled', completed_at = now() where id = ${id}`;
  expect(await erasure()).toEqual({ jobs: 1 });
});

test('a call that has not been answered is waited for, but none whose process has died, and no batch that waits for its start', async () => {
  const { service } = bench;
  const { sql, cipher } = service;
  const owner = await makeOwner(service, 10_000_000);
  const nin = freshNin();
  const call = newId();
  await sql`insert into holds (id, app_id, live, amount_kobo, expires_at) values (${call}, ${owner.appId}, ${owner.live}, 0, now() + interval '5 minutes')`;
  const erasure = await erase(owner, holderOf(nin));
  expect(await erasure()).toBe('waits');
  await sql`
    insert into jobs (id, app_id, live, check_id, family, price_kobo, cached_price_kobo, status, completed_at, subject)
    values (${call}, ${owner.appId}, ${owner.live}, 'nin_basic', 'nin', 0, 0, 'completed', now(), ${cipher.index('subject', 'nin', nin)})`;
  await sql`update holds set released_at = now() where id = ${call}`;
  expect(await erasure()).toEqual({ calls: 1 });
  await sql`
    insert into batches (id, app_id, live, status, checks, format, columns, mapping, rows, jobs, queued, invalid, quote_kobo, hold_kobo)
    values (${newId()}, ${owner.appId}, ${owner.live}, 'awaiting_start', '{nin_basic}', 'csv', '{nin}', '{"nin": "nin"}', 0, 0, 0, 0, 0, 0)`;
  await sql`insert into holds (id, app_id, live, amount_kobo, expires_at) values (${newId()}, ${owner.appId}, ${owner.live}, 0, now())`;
  await sql`
    insert into holds (id, app_id, live, amount_kobo, expires_at)
    select id, app_id, live, 0, now() + interval '5 minutes' from batches where app_id = ${owner.appId}`;
  expect(await (await erase(owner, holderOf(nin)))()).toEqual({});
});

test('a monitor that starts in an upload older than the erasure goes with its row, although its job is newer than the erasure', async () => {
  const { service } = bench;
  const owner = await makeOwner(service, 10_000_000);
  const names = ['Ada Obi', 'Emeka Eze'];
  const storing = barrier();
  const uploaded = upload(owner, 'aml_screening', ['name', ...names].join('\n'), storing);
  await storing.reached;
  const erasure = await erase(owner, { type: 'person', name: names[0]!, date_of_birth: undefined });
  expect(await erasure()).toBe('waits');
  storing.letOn();
  const batch = await uploaded;
  await service.sql.begin(async (tx) => {
    const jobs = await tx<{ id: string; row: number }[]>`select id, row_number as row from jobs where batch_id = ${batch}`;
    const monitors = jobs.map(({ id, row }) => ({
      ...owner,
      jobId: id,
      checkId: 'aml_screening',
      input: { name: names[row - 1]! },
      shown: {},
    }));
    await prepareMonitors(tx, service, monitors);
    await writeMonitors(tx, service, monitors);
  });
  await cancel(owner, batch);
  expect(await erasure()).toEqual({ rows: 1, monitors: 1 });
  const left = await service.sql`
    select row_number as row from aml_monitors m join jobs j on j.id = m.job_id where m.app_id = ${owner.appId}`;
  expect([...left]).toEqual([{ row: 2 }]);
});
