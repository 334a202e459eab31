/**
 * What clients say about their work, and which listed entry a person was matched to, is nowhere in the database in the clear; data of earlier
 * releases is readable and gets sealed.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { sweepExpired } from '../../src/pipeline/sweep.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();
let app: TestApp;
let listed: { name: string; list: string; sourceId: string; digest: string };
const bodies: string[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    bodies.push(body);
    response.end();
  });
});

const MARK = 'Zq7Mark';
const mark = (what: string) => `${MARK} ${what} "\\\t`;
const consentOf = (what: string) => ({
  reference: mark(`${what} consent`),
  purpose: mark(`${what} purpose`),
  obtained_at: '2025-11-20T10:00:00Z',
});
/** Its members are not in the order in which answers show them. */
const metadataOf = (what: string) => ({ zz: mark(`${what} metadata`), b: [{ yy: 1, x: 2 }], [`${MARK}key`]: null, 10: 1.5 });

interface Work {
  job: JobEntity;
  batch: BatchEntity;
  call: string;
}
let work: Work;

async function makeWork(): Promise<Work> {
  const consent = JSON.stringify(consentOf('call'));
  const called = await app.get<unknown>(`/api/v1/kyc/nin?nin=${freshNin()}`, { Consent: consent });
  expect(called.status, called.text).toBe(200);
  const [made] = await api.service.sql<{ id: string }[]>`select id from jobs order by id desc limit 1`;
  const sent = { reference: mark('job'), metadata: metadataOf('job'), consent: consentOf('job') };
  const { id } = (await app.job({ check: 'nin_basic', input: { nin: freshNin() }, ...sent })).body.entity;
  const job = await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
  const options = new URLSearchParams({
    checks: 'nin_basic,nin_advance',
    'map.reference': 'Our ref',
    reference: mark('batch'),
    metadata: JSON.stringify(metadataOf('batch')),
    consent: JSON.stringify(consentOf('batch')),
  });
  const same = freshNin();
  const rows = [same, freshNin(), same].map((nin, i) => `${nin},"${mark(`row ${i}`).replaceAll('"', '""')}"`);
  const upload = await app.csv(String(options), ['nin,Our ref', ...rows, `${freshNin()},`].join('\n'));
  expect(upload.status, upload.text).toBe(202);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${upload.body.entity.id}`);
  return { job, batch, call: made!.id };
}

/** Every answer that shows what the client said, as text. */
async function answers(): Promise<string[]> {
  const { job, batch } = work;
  const ofBatch = `/api/v1/batches/${batch.id}`;
  const rows = (await app.get<{ data: JobEntity[] }>(`${ofBatch}/jobs`)).body.entity.data;
  const query = (reference: string) => new URLSearchParams({ reference });
  const paths = [
    `/api/v1/jobs/${job.id}`,
    `/api/v1/jobs/${rows[4]!.id}`,
    `/api/v1/jobs?${query(mark('job'))}`,
    `/api/v1/jobs?${query(mark('row 0'))}`,
    `/api/v1/jobs?${query(mark('nothing'))}`,
    '/api/v1/jobs',
    ofBatch,
    `${ofBatch}/jobs`,
    `${ofBatch}/results?format=jsonl`,
    `/api/v1/batches?${query(mark('batch'))}`,
    `/api/v1/batches?${query(mark('job'))}`,
    `/api/v1/aml/clearances?source_id=${encodeURIComponent(listed.sourceId)}`,
    '/api/v1/aml/clearances?source_id=other',
    '/api/v1/aml/monitors',
    '/api/v1/wallet/entries?by=batch',
  ];
  const texts: string[] = [];
  // Only the request's own id and time differ.
  for (const path of paths) texts.push((await app.get(path)).text.replace(/,"meta":\{.*?\}/, ''));
  return texts;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  app = await api.createApp();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const events = ['job.completed', 'batch.completed', 'batch.progress', 'aml.monitor.hit'];
  expect((await app.post('/api/v1/webhooks/endpoints', { url, events })).status).toBe(201);
  work = await makeWork();

  const [before, later] = [await api.service.sandboxLists.inForce(), await api.service.sandboxLists.later()];
  const added = later.find(({ entry }) => before.every((one) => one.entry.sourceId !== entry.sourceId))!;
  const name = added.entry.names[0]!.text;
  listed = { name, list: added.list, sourceId: added.entry.sourceId, digest: added.digest };
  // 503 until the sandbox lists are indexed.
  await waitFor('a screening', async () => (await app.post('/api/v1/aml/screening', { name, monitor: true })).status === 200);
  await waitFor('the hit', async () => (await api.service.sql`select 1 from aml_monitor_hits`).length > 0);
  const note = { reason: 'another', cleared_by: 'A' };
  const clearance = { name, list: listed.list, source_id: listed.sourceId, ...note };
  expect((await app.post('/api/v1/aml/clearances', clearance)).status).toBe(201);
  await waitFor('the messages', () =>
    ['job.completed', 'batch.completed', 'aml.monitor.hit'].every((type) => bodies.some((body) => body.includes(type))),
  );
}, 60_000);

afterAll(async () => {
  receiver.close();
});

/** Where a text appears in the clear, as text or bytes: `table: row`. */
const foundIn = (...secrets: string[]): Promise<string[]> =>
  asOwner(api.service.databaseUrl, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'confam')`;
    expect(tables.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const { name } of tables)
      for (const { row } of await sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t`)) {
        const bytes = (row.match(/\\x[0-9a-f]+/g) ?? []).map((hex) => Buffer.from(hex.slice(2), 'hex').toString('latin1'));
        if (secrets.some((secret) => [row, ...bytes].some((text) => text.includes(secret)))) found.push(`${name}: ${row.slice(0, 300)}`);
      }
    return found;
  });

test('no reference, metadata, consent or listed entry stands in the clear in any table', async () => {
  // The audit has been written to as well.
  await answers();
  const audited = await api.service.sql<{ action: string }[]>`select distinct action from audit_entries`;
  expect(audited.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['job.read', 'results.read', 'clearance.create', 'webhook.create']),
  );
  expect(await foundIn(MARK, listed.sourceId, listed.digest)).toEqual([]);
});

test('all of it is shown, also in messages, with the members of metadata in the order they always had', async () => {
  const shown = JSON.stringify({ 10: 1.5, b: [{ x: 2, yy: 1 }], zz: mark('job metadata'), [`${MARK}key`]: null });
  const texts = await answers();
  const [job, row, byReference, ofRow, ofNothing, , batch, rows, lines, byBatch, ofOther] = texts;
  expect(job).toContain(`"reference":${JSON.stringify(mark('job'))},"metadata":${shown}`);
  expect(JSON.parse(row!).entity).toMatchObject({ row: 3, reference: mark('row 2'), metadata: null, status: 'duplicate' });
  const data = (text: string | undefined): JobEntity[] => JSON.parse(text!).entity.data;
  expect(data(byReference).map(({ id }) => id)).toEqual([work.job.id]);
  expect(data(ofRow), 'batch rows are in no list of single jobs').toEqual([]);
  expect(data(ofNothing)).toEqual([]);
  expect(batch).toContain(`"metadata":${shown.replace('job metadata', 'batch metadata')}`);
  const references = [mark('row 0'), mark('row 1'), mark('row 2'), null];
  expect(data(rows).map(({ reference }) => reference)).toEqual(references.flatMap((one) => [one, one]));
  expect(
    lines!
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).reference),
  ).toEqual(references);
  expect(data(byBatch).map(({ id }) => id)).toEqual([work.batch.id]);
  expect(data(ofOther)).toEqual([]);
  expect(new Set(data(texts.at(-1)).map(({ reference }) => reference))).toEqual(new Set([mark('batch')]));
  const message = (type: string) => bodies.map((body) => JSON.parse(body)).find((body) => body.type === type).data;
  expect(message('job.completed')).toMatchObject({ reference: mark('job'), metadata: metadataOf('job') });
  expect(message('batch.completed')).toMatchObject({ reference: mark('batch'), metadata: metadataOf('batch') });
  expect(message('aml.monitor.hit')).toMatchObject({ source_ids: [listed.sourceId], hits: 1 });
});

describe('what an earlier release stored in the clear', () => {
  /** Rewrites every row as that release would have stored it. */
  const asBefore = () =>
    asOwner(api.service.databaseUrl, async (sql) => {
      const { job, batch, call } = work;
      const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;
      const none = sql`about = null, reference_index = null`;
      const batchId = parseId('bat', batch.id)!;
      await sql`update jobs set about = null, consent = ${json(consentOf('call'))} where id = ${call}`;
      await sql`
      update jobs set ${none}, reference = ${mark('job')}, metadata = ${json(metadataOf('job'))}, consent = ${json(consentOf('job'))}
      where id = ${parseId('job', job.id)}`;
      await sql`
      update batches set ${none}, reference = ${mark('batch')}, metadata = ${json(metadataOf('batch'))} where id = ${batchId}`;
      for (const row of [1, 2, 3])
        await sql`
        update jobs set reference = ${mark(`row ${row - 1}`)}, consent = ${json(consentOf('batch'))} where batch_id = ${batchId} and row_number = ${row}`;
      const told = (what: string) => ({ reference: mark(what), metadata: metadataOf(what) });
      await sql`update events set about = null, data = data || ${json(told('job'))} where type = 'job.completed'`;
      await sql`update events set about = null, data = data || ${json(told('batch'))} where type like 'batch.%'`;
      await sql`update events set about = null, data = data || ${json({ source_ids: [listed.sourceId] })} where type = 'aml.monitor.hit'`;
      const clear = sql`source_index = null, source_id = ${listed.sourceId}, digest = ${Buffer.from(listed.digest, 'hex')}`;
      await sql`update aml_clearances set source = null, ${clear}`;
      await sql`update aml_monitor_hits set ${clear}`;
    });

  /** Delivers every event once more; returns the messages in the order of their types. */
  async function toldAgain(): Promise<string[]> {
    const first = bodies.length;
    const endpoint = (await app.get<{ data: { id: string }[] }>('/api/v1/webhooks/endpoints')).body.entity.data[0]!;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const again = await app.post<{ deliveries: number }>(`/api/v1/webhooks/endpoints/${endpoint.id}/replay`, { since });
    // A batch of four rows may end before its first progress event.
    expect(again.body.entity.deliveries).toBeGreaterThanOrEqual(3);
    await waitFor('the messages', () => bodies.length >= first + again.body.entity.deliveries);
    return bodies.slice(first).sort();
  }

  test('is read, filtered and delivered as before, and still is after the sweeper has sealed it', async () => {
    const [sealed, messages] = [await answers(), await toldAgain()];
    const cleared = async () => {
      const body = { name: listed.name, list: listed.list, source_id: listed.sourceId, reason: 'another', cleared_by: 'A' };
      await app.post('/api/v1/aml/clearances', body);
      return (await app.get<{ data: unknown[] }>('/api/v1/aml/clearances')).body.entity.data.length;
    };
    await asBefore();
    expect((await foundIn(MARK)).length).toBeGreaterThan(8);
    expect((await foundIn(listed.sourceId)).length).toBeGreaterThan(2);
    expect(await answers()).toEqual(sealed);
    expect(await toldAgain()).toEqual(messages);

    await sweepExpired(api.service);
    expect(await foundIn(MARK, listed.sourceId, listed.digest)).toEqual([]);
    expect(await answers()).toEqual(sealed);
    expect(await toldAgain()).toEqual(messages);
    const [, , kept] = await api.service.sql`select 1 from jobs where about is not null and batch_id is not null`;
    expect(kept, 'row consents are kept').toBeDefined();

    // A new clearance replaces one in either form.
    expect(await cleared()).toBe(1);
    await api.service.sql`
      update aml_clearances set source = null, source_index = null, source_id = ${listed.sourceId}, digest = ${Buffer.from(listed.digest, 'hex')}
      where revoked_at is null`;
    expect(await cleared()).toBe(1);
  });
});
