/** Data keys: who seals with which, what becomes of a deleted batch's, and the rotation of the key that wraps them. */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { afterAll, expect, test } from 'vitest';
import { type Context, openContext, openKeys } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId, parseId } from '../../src/foundation/ids.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { rotateKeys } from '../../src/lifecycle/rotation/rotate.ts';
import { SEALED_TABLES } from '../../src/lifecycle/rotation/sealed-columns.ts';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';
import { asOwner } from '../setup/database.ts';
import { sealedEarlier } from '../setup/keys.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
const opened: Context[] = [];
afterAll(async () => {
  for (const ctx of opened) await ctx.close();
});

/** Another process, with its own keys in memory. */
function otherProcess(keys = api.service.config.CONFAM_KEYS): Context {
  const ctx = openContext({ ...api.service.config, CONFAM_KEYS: keys }, api.service.databaseUrl);
  opened.push(ctx);
  return ctx;
}

async function endedBatch(app: TestApp): Promise<BatchEntity> {
  const nins = Array.from({ length: 40 }, freshNin);
  const made = await app.csv('checks=nin_advance&reference=r-1', `nin,note\n${nins.map((nin) => `${nin},x`).join('\n')}\nnobody,x\n`);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

/** How many ciphertexts of each column begin with a byte other than 0. */
async function sealedDirectly(): Promise<Record<string, number>> {
  return asOwner(api.service.databaseUrl, async (sql) => {
    const found: Record<string, number> = {};
    for (const { table, column } of SEALED_TABLES.flat()) {
      const [row] = await sql.unsafe(
        `select count(*)::int as n from ${table} where octet_length(${column}) > 0 and substring(${column} for 1) <> '\\x00'`,
      );
      if (row!.n > 0) found[`${table}.${column}`] = row!.n;
    }
    return found;
  });
}

/** Binary columns that hold no ciphertext: hashes, HMACs, and wrapped or public keys. */
const OTHER_BYTES = [
  /\.(hash|previous_hash|digest|checksum|fingerprint|previous|signature|credential_id|public_key|answer_hash|wrapped|entries)$/,
  /(_index|\.subject|\.key|\.consent|withdrawals\.reference)$/,
];

test('every column of ciphertexts is known to the rotation', async () => {
  const folder = join(packageRoot(), 'src', 'schema');
  const schemas: object[] = await Promise.all(readdirSync(folder).map((name) => import(pathToFileURL(join(folder, name)).href)));
  const tables = schemas.flatMap((file) => Object.values(file).filter((value): value is PgTable => value instanceof PgTable));
  const bytes = tables.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns.filter((column) => column.getSQLType() === 'bytea').map((column) => `${name}.${column.name}`);
  });
  expect(bytes.length).toBeGreaterThan(60);
  const known = new Set(SEALED_TABLES.flat().map(({ table, column }) => `${table}.${column}`));
  expect(bytes.filter((column) => !known.has(column) && !OTHER_BYTES.some((other) => other.test(column)))).toEqual([]);
  expect([...known].filter((column) => !bytes.includes(column))).toEqual([]);
});

test('a batch is sealed under its own key, the rest of an app under one of the month, and another process reads all of it', async () => {
  const app = await api.createApp();
  const batch = await endedBatch(app);
  const job = await app.job({ check: 'nin_advance', input: { nin: freshNin() }, reference: 'r-2' });
  await app.ended(`/api/v1/jobs/${job.body.entity.id}`);
  expect(await sealedDirectly()).toEqual({});
  const { sql } = api.service;
  const [appId, batchId, jobId] = [parseId('app', app.app)!, parseId('bat', batch.id)!, parseId('job', job.body.entity.id)!];
  const keys = await sql<
    { id: string; month: string | null }[]
  >`select id, month from data_keys where app_id = ${appId} order by month nulls first`;
  expect(keys).toEqual([
    { id: batchId, month: null },
    { id: expect.any(String), month: expect.stringMatching(/-01/) },
  ]);
  const namesKey = (sealed: Buffer) => sealed.subarray(1, 17).toString('hex');
  const [row] = await sql<{ rows: Buffer; about: Buffer; input: Buffer }[]>`
    select (select rows from row_blocks where batch_id = ${batchId} and block = 0) as rows, about, (select input from jobs where id = ${jobId}) as input
    from batches where id = ${batchId}`;
  const hex = (id: string) => id.replaceAll('-', '');
  expect([row!.rows, row!.about, row!.input].map(namesKey)).toEqual([hex(batchId), hex(batchId), hex(keys[1]!.id)]);
  const there = otherProcess();
  expect(await there.cipher.open(row!.input, 'input', jobId)).toContain('nin');
  expect(await there.cipher.open(row!.about, 'about', batch.id)).toContain('r-1');
});

test('deleting a batch destroys its key in the same transaction: what is left of its rows opens for nobody', async () => {
  const app = await api.createApp();
  const batch = await endedBatch(app);
  const id = parseId('bat', batch.id)!;
  const { sql } = api.service;
  // As a backup, or a page of the data files, would still have it.
  const [kept] = await sql<{ rows: Buffer }[]>`select rows from row_blocks where batch_id = ${id} and block = 0`;
  expect(await otherProcess().cipher.open(kept!.rows, 'rows', `${id}:0`)).toContain('x');
  expect((await app.send('DELETE', `/api/v1/batches/${batch.id}`)).status).toBe(202);
  expect(await sql`select 1 from data_keys where id = ${id}`).toHaveLength(0);
  const there = otherProcess();
  await expect(there.cipher.open(kept!.rows, 'rows', `${id}:0`)).rejects.toThrow(`The data key ${id} is unknown: it was deleted`);
  await expect(there.cipher.sealer({ appId: null, batchId: id })).rejects.toThrow(`The data key ${id} is unknown: its batch was deleted`);
});

test('a ciphertext of an unknown key is a 503 that names the key', async () => {
  const app = await api.createApp();
  const job = await app.job({ check: 'nin_advance', input: { nin: freshNin() }, reference: 'r-3' });
  const path = `/api/v1/jobs/${job.body.entity.id}`;
  await app.ended(path);
  const unknown = newId();
  const sealed = Buffer.concat([Buffer.of(0), Buffer.from(unknown.replaceAll('-', ''), 'hex'), randomBytes(60)]);
  await api.service.sql`update jobs set about = ${sealed} where id = ${parseId('job', job.body.entity.id)}`;
  const answer = await app.get(path);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('60');
  expect(answer.body).toMatchObject({
    code: 'key_unavailable',
    error: `The data key ${unknown} is unknown: it was deleted, or belongs to another database`,
  });
  await api.service.sql`update jobs set about = null where id = ${parseId('job', job.body.entity.id)}`;
});

test('a rotation that is killed goes on; afterwards the old key is needed by nothing, and nothing has changed', async () => {
  const app = await api.createApp();
  const [batch, single] = [await endedBatch(app), await app.job({ check: 'nin_advance', input: { nin: freshNin() }, reference: 'r-4' })];
  const path = `/api/v1/jobs/${single.body.entity.id}`;
  await app.ended(path);
  // As an earlier release has sealed it.
  const { sql } = api.service;
  const direct = sealedEarlier(api.service);
  const ids = Array.from({ length: 450 }, newId);
  for (const id of ids)
    await sql`insert into saved_mappings (app_id, id, content) values (${parseId('app', app.app)}, ${id}, ${direct.seal(`of ${id}`, 'mapping', id)})`;
  const before = (await app.get(`/api/v1/batches/${batch.id}/results?format=jsonl`)).text;

  const old = api.service.config.CONFAM_KEYS!;
  const next = `2:${newSecretKey()}`;
  const both = otherProcess(`${next},${old}`);
  const { wrapping } = openKeys(both.config);
  const killed = (seen: (place: string, sealed: number) => boolean) =>
    rotateKeys(both, wrapping, ({ place, sealed }) => {
      if (seen(place, sealed)) throw new Error('killed');
    });
  await expect(killed((place) => place === 'data_keys')).rejects.toThrow('killed');
  await expect(killed((place, sealed) => place === 'saved_mappings.content' && sealed === 200)).rejects.toThrow('killed');
  expect(await sealedDirectly()).toEqual({ 'saved_mappings.content': 250 });
  expect(await rotateKeys(both, wrapping)).toEqual({ keys: 0, keysOf: 0, sealed: 250, faults: [] });
  expect(await sealedDirectly()).toEqual({});

  const alone = otherProcess(next);
  for (const id of [ids[0]!, ids[449]!]) {
    const [row] = await sql<{ content: Buffer }[]>`select content from saved_mappings where id = ${id}`;
    expect(await alone.cipher.open(row!.content, 'mapping', id)).toBe(`of ${id}`);
  }
  await sql`delete from saved_mappings where id = any(${ids}::uuid[])`;
  const [row] = await sql<{ rows: Buffer }[]>`select rows from row_blocks where batch_id = ${parseId('bat', batch.id)} and block = 0`;
  expect(await alone.cipher.open(row!.rows, 'rows', `${parseId('bat', batch.id)}:0`)).toContain('x');
  const lost = otherProcess(`3:${newSecretKey()}`);
  await expect(lost.cipher.open(row!.rows, 'rows', `${parseId('bat', batch.id)}:0`)).rejects.toThrow(
    `The data key ${parseId('bat', batch.id)} is wrapped by key 2, which is not among CONFAM_KEYS`,
  );
  const failed = await rotateKeys(lost, openKeys(lost.config).wrapping);
  expect(failed.keys).toBe(0);
  expect(failed.faults[0]).toMatch(/^The data key .* is wrapped by key 2, which is not among CONFAM_KEYS$/);

  // The service under test has only the old key: once the keys are wrapped by it again, it answers as before.
  const back = otherProcess(`${old},${next}`);
  expect((await rotateKeys(back, openKeys(back.config).wrapping)).faults).toEqual([]);
  expect((await app.get(`/api/v1/batches/${batch.id}/results?format=jsonl`)).text).toBe(before);
});
