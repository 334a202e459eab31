/** The whole ledger against wallets, batches, single jobs and calls; and `confam wallet verify`, as an operator runs it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { verifyLedger } from '../../src/money/verify.ts';
import { type BatchEntity, type JobEntity, startApi, type TestApi, type TestApp } from '../setup/api.ts';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import { runConfam } from '../setup/process.ts';
import { freshNin } from '../setup/work.ts';

const ROWS = 30;
let database: TestDatabase;
let api: TestApi;
let app: TestApp;
let batch: BatchEntity;
let job: JobEntity;
beforeAll(async () => {
  database = await createDatabase();
  api = await startApi({}, database);
  app = await api.createApp();
  const nins = Array.from({ length: ROWS }, freshNin);
  const made = await app.csv('checks=nin_basic', `nin\n${nins.join('\n')}\n`);
  batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
  job = await app.ended<JobEntity>(`/api/v1/jobs/${(await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity.id}`);
  const cached = await app.get(`/api/v1/kyc/nin?nin=${nins[0]}`);
  expect([cached.status, cached.body.cached, (await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status]).toEqual([200, true, 200]);
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

test('agrees with its batches, jobs and calls, also where jobs were deleted', async () => {
  expect(await verifyLedger(api.service)).toEqual({ wallets: 2, captures: expect.any(Number), jobs: ROWS + 3, differences: [] });
  const gone = (await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
  await app.ended(`/api/v1/jobs/${gone.id}`);
  await api.service.sql`delete from jobs where id = ${parseId('job', gone.id)}`;
  expect((await verifyLedger(api.service)).differences).toEqual([]);
  const told = await runConfam(['wallet', 'verify'], database.environment);
  expect(told).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 wallets, \d+ charges and 33 jobs compared: everything agrees\n$/),
  });
});

test('names every wallet, batch and job that differs, and by how much', async () => {
  const { sql } = api.service;
  await sql`update jobs set billed_kobo = billed_kobo + 7 where batch_id = ${parseId('bat', batch.id)} and row_number = 3`;
  await sql`update jobs set billed_kobo = 0 where id = ${parseId('job', job.id)}`;
  await sql`update wallets set available_kobo = available_kobo - 500 where app_id = ${parseId('app', app.app)} and not live`;
  const { differences } = await verifyLedger(api.service);
  expect(differences).toEqual(
    expect.arrayContaining([
      { what: batch.id, drift: 7 },
      { what: job.id, drift: 125_00 + 1 },
      { what: `test wallet of ${app.app}`, drift: 500 },
    ]),
  );
  expect(differences).toHaveLength(3);
  const told = await runConfam(['wallet', 'verify'], database.environment);
  expect([told.code, told.stdout]).toEqual([1, expect.stringContaining(`${batch.id}: differs by 7 kobo\n`)]);
  const asJson = await runConfam(['wallet', 'verify', '--json'], database.environment);
  expect(JSON.parse(asJson.stdout).differences).toHaveLength(3);
});
