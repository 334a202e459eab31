/** An app that leaves, by the command line; the dispatcher that deletes its rows is killed again and again. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bySystem } from '../../src/access/audit/append.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import { showId } from '../../src/foundation/ids.ts';
import { readDeletion } from '../../src/lifecycle/app-deletion.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { killConfams, runConfam, startConfam } from '../setup/process.ts';
import { freshNin, makeOwner, uploadNins, useBench } from '../setup/work.ts';

const ROWS = 40_000;
const database = useDatabase();
const bench = useBench(database);
const folder = mkdtempSync(join(tmpdir(), 'confam-offboarding-'));
afterAll(async () => {
  await killConfams();
  rmSync(folder, { recursive: true });
});

test('suspend, export, delete, certificate; kills lose nothing', async () => {
  const { service } = bench;
  const { CONFAM_KEYS = '', CONFAM_INDEX_KEY = '' } = service.config;
  const environment = { ...database.environment, CONFAM_KEYS, CONFAM_INDEX_KEY, CONFAM_LOG_LEVEL: 'silent' };
  const run = (...args: string[]) => runConfam(['apps', ...args], environment);
  const owner = await makeOwner(service, 100_000_000);
  const app = showId('app', owner.appId);
  const { id } = await uploadNins(service, owner, Array.from({ length: ROWS }, freshNin));
  await cancelBatch(service, owner.appId, id, bySystem('test'));
  await waitFor('the end of the batch', async () => {
    const [batch] = await service.sql<{ status: string }[]>`select status from batches where id = ${id}`;
    if (batch!.status === 'canceling') await cancelBatch(service, owner.appId, id, bySystem('test'));
    return batch!.status === 'canceled';
  });

  const file = join(folder, 'app.jsonl');
  expect((await run('export', app, file)).stderr).toContain('not suspended');
  expect((await run('delete', app, '--yes')).stderr).toContain('it is not suspended');
  expect((await run('suspend', app)).code).toBe(0);
  expect(await run('export', app, file)).toMatchObject({ code: 0, stderr: '' });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('{"object":"row"'))).toHaveLength(ROWS);
  expect(JSON.parse(lines.at(-1)!)).toEqual({ object: 'end', lines: lines.length - 1 });
  expect(await run('export', app, file)).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });
  const nowhere = join(folder, 'none/app.jsonl');
  expect(await run('export', app, nowhere)).toMatchObject({ code: 1, stderr: `${nowhere} cannot be written (ENOENT)\n` });

  expect((await run('delete', app)).stderr).toContain('add --yes');
  expect((await run('certificate', app)).stderr).toContain('nobody has deleted it');
  expect((await run('delete', app, '--yes')).code).toBe(0);
  expect((await run('resume', app)).stderr).toContain('there is no such app');
  expect((await run('certificate', app)).stderr).toContain('not done yet');

  let kills = 0;
  const left = async () => (await service.sql`select 1 from jobs where batch_id = ${id}`).count;
  for (let before = ROWS; (await readDeletion(service, owner.appId))!.finishedAt === null; ) {
    const dispatcher = startConfam(['dispatcher'], environment);
    await waitFor(
      'some rows, or the end',
      async () => (await left()) < before - 5_000 || (await readDeletion(service, owner.appId))!.finishedAt !== null,
      60_000,
    );
    await dispatcher.kill();
    before = await left();
    kills++;
  }
  expect(kills).toBeGreaterThan(1);
  expect(await left()).toBe(0);
  const { code, stdout } = await run('certificate', app);
  expect(code).toBe(0);
  const { receipt, signature } = JSON.parse(stdout) as { receipt: string; signature: string };
  expect(signature).not.toBe('');
  expect(JSON.parse(receipt).deleted).toMatchObject({ batches: 1, jobs_of_batches: ROWS });
  expect(await ledgerDrift(service)).toBe(0);
}, 240_000);
