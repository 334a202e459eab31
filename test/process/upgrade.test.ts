/** A backup of an earlier release, opened by this one: what it held is all there, and work goes on. How the files came about: `fixtures/previous-release/README.md`. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBackup } from '../../src/lifecycle/backup/archive.ts';
import {
  type Client,
  client,
  type Embedded,
  embeddedServer,
  expectExactBooks,
  killConfams,
  makeDataDir,
  readSandbox,
  runConfam,
  startEmbedded,
} from '../setup/process.ts';

const fixture = (name: string): string => join(import.meta.dirname, '../fixtures/previous-release', name);
const backup = fixture('backup.tar.gz');
const expected = JSON.parse(readFileSync(fixture('expected.json'), 'utf8'));
const folder = makeDataDir();
let here: Embedded;
let sql: postgres.Sql;

/** The table's rows in the backup. */
async function rowsInBackup(table: string): Promise<number> {
  const opened = await openBackup(backup);
  for await (const { rows } of opened.tables()) for await (const _ of rows);
  opened.close();
  return opened.end().rows[table]!;
}

beforeAll(async () => {
  mkdirSync(folder.path);
  for (const name of ['keys.json', 'sandbox.json']) copyFileSync(fixture(name), join(folder.path, name));
  const restored = await runConfam(['restore', backup], { CONFAM_DATA_DIR: folder.path });
  expect(restored, restored.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored [\d,]+ rows/) });
  here = await startEmbedded(folder.path);
  sql = postgres(embeddedServer(folder.path).url, { max: 1 });
}, 120_000);
afterAll(async () => {
  await sql?.end();
  await killConfams();
  folder.remove();
});

const file = async (path: string): Promise<string> => {
  const { app_id, test_key } = readSandbox(folder.path);
  return (await fetch(`http://127.0.0.1:${here.port}${path}`, { headers: { Authorization: test_key, AppId: app_id } })).text();
};
const withKey = (key: string): Client => client(`http://127.0.0.1:${here.port}`, key, readSandbox(folder.path).app_id);

test('the release of the fixture lacks at least two migrations of this one', async () => {
  const { manifest, close } = await openBackup(backup);
  close();
  const [row] = await sql`select count(*)::int as applied from drizzle.__drizzle_migrations`;
  expect(row!.applied).toBeGreaterThanOrEqual(manifest.migrations.length + 2);
});

describe('after the upgrade', () => {
  test('keys work as they did: whole, restricted, revoked', async () => {
    const { live_key, admin_key } = readSandbox(folder.path);
    expect((await withKey(live_key).get('/api/v1/wallet')).status).toBe(200);
    const asOperator = await fetch(`http://127.0.0.1:${here.port}/api/v1/admin/apps`, { headers: { Authorization: admin_key } });
    expect(asOperator.status).toBe(200);
    const restricted = withKey(expected.restricted_key);
    expect((await restricted.get(`/api/v1/batches/${expected.batch.id}`)).status).toBe(200);
    expect((await restricted.get('/api/v1/wallet')).status).toBe(403);
    expect((await withKey(expected.revoked_key).get('/api/v1/wallet')).status).toBe(401);
  });

  test('the job, the batch and its files are what they were', async () => {
    expect((await here.api.get(`/api/v1/jobs/${expected.job.id}`)).body.entity).toMatchObject(expected.job);
    expect((await here.api.get(`/api/v1/batches/${expected.batch.id}`)).body.entity).toMatchObject(expected.batch);
    expect(await file(`/api/v1/batches/${expected.batch.id}/results`)).toBe(expected.results);
    expect(await file(`/api/v1/batches/${expected.batch.id}/errors`)).toBe(expected.errors);
  });

  test('nobody is signed in, though somebody was', async () => {
    expect(await rowsInBackup('sessions')).toBe(1);
    expect((await sql`select 1 from sessions`).count).toBe(0);
    expect((await sql`select 1 from people`).count).toBe(1);
  });

  test('the wallet is exact, also after more work', async () => {
    expect((await here.api.get('/api/v1/wallet')).body.entity).toEqual(expected.wallet);
    const id = await here.api.upload('nin\n60000000001\n60000000002\n', 'checks=nin_basic');
    const { billed_amount } = await here.api.until(id, 'to complete', ({ status }) => status === 'completed');
    const { entity } = (await here.api.get('/api/v1/wallet')).body;
    expect(entity).toEqual({ ...expected.wallet, available: expected.wallet.available - billed_amount });
    await expectExactBooks(embeddedServer(folder.path).url);
  });

  test('the audit is whole from its first entry to today’s', async () => {
    const before = await rowsInBackup('audit_entries');
    const verified = await runConfam(['audit', 'verify'], { CONFAM_DATA_DIR: folder.path });
    expect(verified, verified.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ entries in \d+ chains, nothing was changed or removed\n$/),
    });
    expect(Number.parseInt(verified.stdout, 10)).toBeGreaterThan(before);
  });
});
