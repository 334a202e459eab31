/** Uploads and files of results have connections of their own: however many of them wait for the database, short requests and calls find a free one. */
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, type TestApp } from '../setup/api.ts';
import { createDatabase, type TestDatabase, waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

/** More than a process has for short requests. */
const UPLOADS = 16;

let database: TestDatabase;
let api: TestApi;
let owner: postgres.Sql;
let apps: TestApp[];
beforeAll(async () => {
  database = await createDatabase();
  api = await startApi({ CONFAM_UPLOADS_MAX: String(UPLOADS) }, database);
  owner = postgres(database.url, { max: 2, onnotice: () => {} });
  apps = [await api.createApp(), await api.createApp()];
});
afterAll(async () => {
  expect(await api.drift()).toBe(0);
  await api.stop();
  await owner.end();
  await database.drop();
});

const stuck = async () =>
  (
    await owner<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike '%row_blocks%'`
  )[0]!.count;

test('calls and short requests are answered while every upload waits for a lock', async () => {
  const nin = freshNin();
  expect((await apps[0]!.get(`/api/v1/kyc/nin?nin=${nin}`)).status).toBe(200);
  let uploads: ReturnType<TestApp['csv']>[] = [];
  await owner.begin(async (tx) => {
    // As a long statement of somebody else would: rows cannot be stored until this ends.
    await tx`lock table row_blocks in share mode`;
    uploads = Array.from({ length: UPLOADS }, (_, i) =>
      apps[i % apps.length]!.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`),
    );
    await waitFor('every upload waits for the lock', async () => (await stuck()) === UPLOADS);
    const began = performance.now();
    const answers = await Promise.all(
      apps.flatMap((app) => [
        app.get('/api/v1/wallet'),
        app.get('/api/v1/batches'),
        app.get(`/api/v1/kyc/nin?nin=${nin}`),
        app.get(`/api/v1/kyc/nin?nin=${freshNin()}`),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(await stuck()).toBe(UPLOADS);
  });
  expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(Array.from({ length: UPLOADS }, () => 202));
});
