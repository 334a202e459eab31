/** Deleting an app in steps, without HTTP and workers: stopped after every step, a step that fails, requests that were on their way. */
import { expect, test } from 'vitest';
import { refuseDeleted, suspendApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import { newId } from '../../src/foundation/ids.ts';
import { deleteApp, readDeletion } from '../../src/lifecycle/app-deletion.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { purgeDeleted } from '../../src/lifecycle/purge.ts';
import { purgeApps } from '../../src/lifecycle/purge-app.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { readWallet, topUp } from '../../src/money/ledger.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, makeOwner, never, stopAfter, uploadNins, useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());
const by = bySystem('test');

/** A suspended app with canceled batches, and records of calls as old ones are. */
async function leaving(): Promise<Owner> {
  const { service } = bench;
  const owner = await makeOwner(service, 10_000_000);
  for (const rows of [1_500, 3]) {
    const { id } = await uploadNins(service, owner, Array.from({ length: rows }, freshNin));
    await cancelBatch(service, owner.appId, id, by);
  }
  await service.sql`
    insert into jobs (id, app_id, live, check_id, family, subject, price_kobo, cached_price_kobo, status)
    select gen_random_uuid(), ${owner.appId}, ${owner.live}, 'nin_basic', 'nin', decode('00', 'hex'), 0, 0, 'completed' from generate_series(1, 2500)`;
  await suspendApp(service, owner.appId, by);
  return owner;
}

const remove = ({ appId }: Owner) => deleteApp(bench.service, appId, { balance: 'written_off', cancelWork: false }, by);
const courseOf = async ({ appId }: Owner) => (await readDeletion(bench.service, appId))!;
const keysOf = async ({ appId }: Owner) => (await bench.service.sql`select 1 from data_keys where app_id = ${appId}`).count;

test('a deletion that is stopped after every step goes on where it was, and counts nothing twice', async () => {
  const { service } = bench;
  const owner = await leaving();
  expect(await keysOf(owner)).toBeGreaterThan(2);
  await remove(owner);
  expect(await keysOf(owner)).toBe(0);
  // What opens rows in the background leaves them alone.
  await markRows(service, never, { restless: true });
  let processes = 0;
  for (; (await courseOf(owner)).finishedAt === null; processes++) {
    await service.sql`update app_deletions set next_at = now() where app_id = ${owner.appId}`;
    await purgeApps(service, stopAfter(1));
    await purgeDeleted(service, stopAfter(2));
  }
  expect(processes).toBeGreaterThan(2);
  const { certificate, counts } = await courseOf(owner);
  expect(counts).toMatchObject({ batches: 2, calls: 2_500 });
  expect(JSON.parse(certificate!).deleted).toMatchObject({ batches: 2, jobs_of_batches: 1_503, calls: 2_500 });
  expect(await service.sql`select 1 from jobs where app_id = ${owner.appId}`).toHaveLength(0);
  expect(await ledgerDrift(service)).toBe(0);
});

test('a step that fails leaves nothing of itself behind, and two processes share the work', async () => {
  const { service } = bench;
  const owner = await leaving();
  await remove(owner);
  const faulty = {
    ...service.cipher,
    sign: () => {
      throw new Error('no key');
    },
  };
  const everything = async (ctx: typeof service) => {
    for (; (await courseOf(owner)).finishedAt === null; ) {
      await Promise.all([purgeApps(ctx, never), purgeApps(ctx, never), purgeDeleted(ctx, never)]);
      await service.sql`update app_deletions set next_at = now() where app_id = ${owner.appId}`;
    }
  };
  await expect(everything({ ...service, cipher: faulty })).rejects.toThrow('no key');
  expect((await courseOf(owner)).certificate).toBeNull();
  await everything(service);
  expect((await courseOf(owner)).counts).toMatchObject({ batches: 2, calls: 2_500 });
});

test('what was on its way commits nothing, and a row that slips through is found', async () => {
  const { service } = bench;
  const owner = await leaving();
  await remove(owner);
  await expect(service.sql.begin((tx) => refuseDeleted(tx, owner.appId))).rejects.toThrow('The app was deleted');
  await expect(uploadNins(service, owner, [freshNin()])).rejects.toThrow();
  expect(await service.sql`select 1 from batches where app_id = ${owner.appId}`).toHaveLength(2);
  const stray = newId();
  const finished = async () => {
    await service.sql`update app_deletions set next_at = now() where app_id = ${owner.appId}`;
    await purgeApps(service, stopAfter(1));
    await purgeDeleted(service, never);
    return (await courseOf(owner)).finishedAt !== null;
  };
  for (let isAdded = false; !(await finished()); ) {
    if (isAdded || (await courseOf(owner)).stage === 'approvals') continue;
    isAdded = true;
    await service.sql`
      insert into request_log (id, app_id, live, method, route, status, duration, actor_kind, actor_id)
      values (${stray}, ${owner.appId}, true, 'GET', '/', 200, 1, 'key', 'key')`;
  }
  expect(await service.sql`select 1 from request_log where id = ${stray}`).toHaveLength(0);
});

test('a key, a job that waits and one that a worker has do not keep the certificate from being signed, and no money stays', async () => {
  const { service } = bench;
  const owner = await makeOwner(service);
  const { appId } = owner;
  const live = { ...owner, live: true };
  await suspendApp(service, appId, by);
  await remove(owner);
  // Like those left by requests that were not refused in time.
  await service.sql`update apps set deleted_at = null where id = ${appId}`;
  await topUp(service.sql, live, 500_00, null);
  const jobOf = async () => (await submitJob(service, live, jobBody.parse({ check: 'nin_basic', input: { nin: freshNin() } }))).id;
  const [leased] = [await jobOf(), await jobOf()];
  await service.sql`delete from waiting_jobs where job_id = ${leased}`;
  await service.sql`update jobs set status = 'leased' where id = ${leased}`;
  await service.sql`update apps set deleted_at = now() where id = ${appId}`;
  await service.sql`insert into data_keys (id, app_id, wrapped, wrapped_by) values (${newId()}, ${appId}, 'wrapped', 'key')`;
  const sweep = async () => {
    await service.sql`update app_deletions set next_at = now() where app_id = ${appId}`;
    await purgeApps(service, never);
    await purgeDeleted(service, never);
    return courseOf(owner);
  };
  expect(await sweep()).toMatchObject({ stage: 'jobs', finishedAt: null });
  // Its worker has died.
  await service.sql`update jobs set status = 'queued' where id = ${leased}`;
  await service.sql`insert into waiting_jobs (job_id, app_id, family, check_id) select id, app_id, family, check_id from jobs where id = ${leased}`;
  for (let sweeps = 0; (await sweep()).finishedAt === null; sweeps++) expect(sweeps).toBeLessThan(20);
  const { certificate, counts } = await courseOf(owner);
  expect(counts).toMatchObject({ jobs: 2, data_keys: expect.any(Number) });
  expect(await keysOf(owner)).toBe(0);
  expect(await service.sql`select 1 from jobs where app_id = ${appId}`).toHaveLength(0);
  expect(await readWallet(service.sql, live)).toEqual({ availableKobo: 0, heldKobo: 0 });
  expect(JSON.parse(certificate!).balance).toMatchObject({ amount: 500, became: 'written_off' });
  expect(await ledgerDrift(service)).toBe(0);
});
