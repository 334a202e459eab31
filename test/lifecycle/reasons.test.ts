/** Reasons given for approvals are deleted with the thing they are about. The audit still says who asked. */
import { expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { type ApprovalRequest, ask } from '../../src/approvals/approvals.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { showId } from '../../src/foundation/ids.ts';
import { deleteBatch } from '../../src/lifecycle/deletions.ts';
import { advanceErasures, askErasure } from '../../src/lifecycle/erase.ts';
import { advanceExports, askExport } from '../../src/lifecycle/export.ts';
import { purgeDeleted, purgeRowsWithCases } from '../../src/lifecycle/purge.ts';
import { useDatabase } from '../setup/database.ts';
import { freshNin, makeOwner, never, uploadNins, useBench } from '../setup/work.ts';

const bench = useBench(useDatabase());
const by = bySystem('test');

const askAbout = ({ appId, live }: Owner, action: ApprovalRequest['action'], target: string) =>
  bench.service.sql.begin((tx) => ask(bench.service, tx, by, { appId, live, action, target, reason: 'Ada Obi has complained' }));

const targetsOf = async ({ appId }: Owner): Promise<string[]> => {
  const rows = await bench.service.sql<{ target: string }[]>`select target from approvals where app_id = ${appId} order by id`;
  return rows.map(({ target }) => target);
};

/** A canceled batch with a row for each number, and the jobs of its rows. */
async function batchOf(owner: Owner, nins: string[]) {
  const { service } = bench;
  const { id } = await uploadNins(service, owner, nins);
  const batch = (await cancelBatch(service, owner.appId, id, by))!;
  const jobs = await service.sql<{ id: string }[]>`select id from jobs where batch_id = ${id} order by row_number`;
  return { batch, jobs: jobs.map((job) => showId('job', job.id)) };
}

const nothing = async () => {};
const erase = async ({ appId, live }: Owner, nin: string) => {
  await askErasure(bench.service, { appId, live }, [{ type: 'nin', value: nin }], by, nothing);
  await advanceErasures(bench.service, never);
};

test('to see a row in clear: with the person who is erased, and with the batch', async () => {
  const { service } = bench;
  const owner = await makeOwner(service);
  const nins = [freshNin(), freshNin()];
  const { batch, jobs } = await batchOf(owner, nins);
  for (const job of jobs) await askAbout(owner, 'reveal', job);
  await erase(owner, nins[0]!);
  expect(await targetsOf(owner)).toEqual([jobs[1]]);
  await deleteBatch(service, batch, by);
  await purgeDeleted(service, never);
  expect(await targetsOf(owner)).toEqual([]);
  const entries = await service.sql`select 1 from audit_entries where app_id = ${owner.appId} and action = 'approval.ask'`;
  expect(entries).toHaveLength(2);
});

test('to see a row in clear: also where the whole month of the batch is dropped', async () => {
  const { service } = bench;
  const owner = await makeOwner(service);
  const { batch, jobs } = await batchOf(owner, [freshNin(), freshNin()]);
  await askAbout(owner, 'reveal', jobs[0]!);
  await deleteBatch(service, batch, by);
  expect(await targetsOf(owner)).toEqual([]);
  // As a release left it that deleted such requests later.
  await askAbout(owner, 'reveal', jobs[1]!);
  expect(await service.sql.begin((tx) => purgeRowsWithCases(tx, batch, 100))).toBe(true);
  expect(await service.sql.begin((tx) => purgeRowsWithCases(tx, batch, 100))).toBe(false);
  expect(await targetsOf(owner)).toEqual([]);
  expect(await service.sql`select 1 from jobs where batch_id = ${batch.id}`).toHaveLength(1);
});

test('to export a person: with the export, when its time is over and when the person is erased', async () => {
  const { service } = bench;
  const owner = await makeOwner(service);
  const nins = [freshNin(), freshNin(), freshNin()];
  const exports: string[] = [];
  for (const value of nins) {
    const { id } = await askExport(service, owner, { identifiers: [{ type: 'nin', value }], reason: null }, by, nothing);
    await askAbout(owner, 'export', showId('exp', id));
    exports.push(id);
  }
  await service.sql`update subject_exports set expires_at = now() where id = ${exports[0]!}`;
  await advanceExports(service, never);
  await erase(owner, nins[1]!);
  expect(await targetsOf(owner)).toEqual([showId('exp', exports[2]!)]);
});
