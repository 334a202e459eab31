/** `confam backup` while the service runs, and `confam restore` on an empty folder, as an operator uses them. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { waitFor } from '../setup/database.ts';
import {
  embeddedServer,
  expectExactBooks,
  killConfams,
  makeDataDir,
  ninRows,
  processesMentioning,
  runConfam,
  startConfam,
  startEmbedded,
} from '../setup/process.ts';

const [first, second] = [makeDataDir('first'), makeDataDir('second')];
afterAll(async () => {
  await killConfams();
  first.remove();
  second.remove();
});

async function rowsToCorrect(dataDir: string): Promise<number> {
  const sql = postgres(embeddedServer(dataDir).url, { max: 1 });
  try {
    return (await sql`select 1 from invalid_rows`).count;
  } finally {
    await sql.end();
  }
}

test('what was done before the backup is there after the restore, and work goes on', async () => {
  const file = join(first.path, 'backup.tar.gz');
  const here = await startEmbedded(first.path);
  const { csv, found } = ninRows(200);
  const id = await here.api.upload(csv, 'checks=nin_advance');
  await here.api.until(id, 'to complete', ({ status }) => status === 'completed');
  const results = await here.api.get(`/api/v1/batches/${id}/results?limit=200`);
  const person = '70999999999';
  const refused = await here.api.upload(`nin,note\n40000000007,\nnobody,${person}\n`, 'checks=nin_advance');
  await here.api.until(refused, 'to complete', ({ status }) => status === 'completed');
  const backup = await runConfam(['backup', file], { CONFAM_DATA_DIR: first.path });
  expect(backup, backup.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/rows of \d+ tables/) });
  const asked = await here.api.post('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: person }] });
  const { id: erasure } = ((await asked.json()) as { entity: { id: string } }).entity;
  await waitFor('the erasure', async () => (await here.api.get(`/api/v1/subjects/erasures/${erasure}`)).body.entity.status === 'done');
  expect(await rowsToCorrect(first.path)).toBe(0);
  const unkept = await here.api.upload(ninRows(10, 50_000_000_000).csv, 'checks=nin_advance');
  here.confam.interrupt();
  await here.confam.ended();

  const keyless = await runConfam(['restore', file], { CONFAM_DATA_DIR: second.path });
  expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('keys.json is missing') });
  mkdirSync(second.path);
  for (const name of ['keys.json', 'sandbox.json', 'erasures.jsonl']) copyFileSync(join(first.path, name), join(second.path, name));
  const cutOff = join(second.path, 'cut-off.tar.gz');
  writeFileSync(cutOff, readFileSync(file).subarray(0, 2_000));
  const damaged = await runConfam(['restore', cutOff], { CONFAM_DATA_DIR: second.path });
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringMatching(/is damaged|is incomplete/) });
  // No empty database, in which a start would make a demo app.
  expect(readdirSync(second.path).sort()).toEqual(['cut-off.tar.gz', 'erasures.jsonl', 'keys.json', 'sandbox.json']);
  const restored = await runConfam(['restore', file], { CONFAM_DATA_DIR: second.path });
  expect(restored, restored.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Restored [\d,]+ rows of \d+ tables[\s\S]*\nRepeated 1 erasures/),
  });

  const there = await startEmbedded(second.path);
  expect((await there.api.get(`/api/v1/batches/${id}/results?limit=200`)).body.entity).toEqual(results.body.entity);
  // Whoever was erased after the backup is not back.
  expect(await rowsToCorrect(second.path)).toBe(0);
  expect((await there.api.get(`/api/v1/batches/${unkept}`)).status).toBe(404);
  const again = await there.api.upload(ninRows(50, 60_000_000_000).csv, 'checks=nin_advance');
  await there.api.until(again, 'to complete', ({ status }) => status === 'completed');
  expect((await expectExactBooks(embeddedServer(second.path).url)).jobs).toBeGreaterThanOrEqual(found + 51);
  const used = await runConfam(['restore', file], { CONFAM_DATA_DIR: second.path });
  expect(used.code).toBe(1);
}, 180_000);

test('a backup that is interrupted leaves nothing of it, and no Postgres that it has started', async () => {
  const folder = makeDataDir('interrupted');
  const file = join(folder.path, 'backup.tar.gz');
  const here = await startEmbedded(folder.path);
  const sql = postgres(embeddedServer(folder.path).url, { max: 2 });
  const begun = startConfam(['backup', file], { CONFAM_DATA_DIR: folder.path });
  await sql.begin(async (tx) => {
    await tx`lock table saved_mappings in access exclusive mode`;
    await waitFor(
      'the backup to wait',
      async () =>
        (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'copy%saved_mappings%'`).length > 0,
    );
    expect(existsSync(`${file}.partial`)).toBe(true);
    begun.interrupt();
    expect(await begun.ended(20_000)).toMatchObject({ code: 130 });
  });
  expect(begun.stderr()).toBe('Interrupted: nothing was backed up.\n');
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false]);
  expect(await sql`select 1 from backups`).toHaveLength(0);
  await sql.end();
  here.confam.interrupt();
  await here.confam.ended();

  const alone = startConfam(['backup', file], { CONFAM_DATA_DIR: folder.path });
  await waitFor('its Postgres', () => processesMentioning(folder.path).length > 1);
  alone.interrupt();
  expect(await alone.ended(20_000)).toMatchObject({ code: 130 });
  await waitFor('everything to end', () => processesMentioning(folder.path).length === 0);
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false]);
  folder.remove();
}, 120_000);
