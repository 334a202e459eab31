/** Erasing a person over HTTP: what is found and goes, what stays, and what is waited for. */
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();

interface Erasure {
  id: string;
  status: string;
  waiting_for: { batches: string[]; jobs: number };
  counts: Record<string, number>;
  receipt: string | null;
  signature: string | null;
}

async function erase(app: Client, ...identifiers: object[]): Promise<Erasure> {
  const asked = await app.post<Erasure>('/api/v1/subjects/erase', { identifiers });
  expect(asked.status, asked.text).toBe(202);
  return doneErasure(app, asked.body.entity.id);
}

const readErasure = async (app: Client, id: string) => (await app.get<Erasure>(`/api/v1/subjects/erasures/${id}`)).body.entity;
const doneErasure = (app: Client, id: string) =>
  waitFor('the erasure', async () => {
    const erasure = await readErasure(app, id);
    return erasure.status === 'done' && erasure;
  });

async function upload(app: TestApp, query: string, text: string): Promise<BatchEntity> {
  const made = await app.csv(query, text);
  expect(made.status, made.text).toBe(202);
  return app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
}

const lines = async (app: Client, batch: BatchEntity) =>
  (await app.get(`/api/v1/batches/${batch.id}/results?format=jsonl`)).text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { row: number });
const rowsOf = async (app: Client, batch: BatchEntity) => (await lines(app, batch)).map(({ row }) => row);
const adaObi = { name: 'Ada Obi', date_of_birth: '1990-02-01' };

test('a job about somebody else goes too, if what its app says about it names the person; exports and holds find it as well', async () => {
  const app = await api.createApp();
  const nin = freshNin();
  const job = async (said: object) => {
    const { id } = (await app.job({ check: 'bvn_match', input: { bvn: freshNin(), phone_number: '0803 999 0000' }, ...said })).body.entity;
    return (await app.ended<JobEntity>(`/api/v1/jobs/${id}`)).id;
  };
  const consent = { reference: `${nin.slice(0, 4)} ${nin.slice(4)}`, purpose: 'onboarding', obtained_at: '2025-11-01T10:00:00Z' };
  const theirs = [
    await job({ reference: nin }),
    await job({ metadata: { customer: { nin: Number(nin) } } }),
    await job({ metadata: { note: 'x', phone_number: nin } }),
    await job({ consent }),
  ];
  const others = [
    await job({ reference: freshNin(), metadata: { nin: freshNin() } }),
    await job({ metadata: { bvn: nin } }),
    await job({}),
  ];
  const identifiers = [{ type: 'nin', value: nin }];
  const held = await app.post<{ id: string }>('/api/v1/subjects/holds', { identifiers, reason: 'case 7' });
  expect((await erase(app, ...identifiers)).counts).toEqual({});
  await app.send('DELETE', `/api/v1/subjects/holds/${held.body.entity.id}`);
  expect((await erase(app, ...identifiers)).counts).toEqual({ jobs: theirs.length });
  for (const id of theirs) expect((await app.get(`/api/v1/jobs/${id}`)).status, id).toBe(404);
  for (const id of others) expect((await app.get(`/api/v1/jobs/${id}`)).status, id).toBe(200);
  expect((await app.get<{ data: unknown[] }>(`/api/v1/jobs?reference=${nin}`)).body.entity.data).toEqual([]);
});

test('a person goes from calls, jobs, rows, rows to correct, cache, monitors; everybody else stays', async () => {
  const [app, other] = [await api.createApp(), await api.createApp()];
  const [nin, bystander] = [freshNin(), freshNin()];
  for (const each of [app, other]) {
    await each.get(`/api/v1/kyc/nin/advance?nin=${nin}`);
    await each.get(`/api/v1/kyc/nin/advance?nin=${bystander}`);
  }
  const job = async (app: Client, check: string, input: object) => {
    const { id } = (await app.job({ check, input })).body.entity;
    return app.ended<JobEntity>(`/api/v1/jobs/${id}`);
  };
  const theirs = [
    await job(app, 'nin_basic', { nin }),
    await job(app, 'aml_screening', { name: 'OBI, Ada', date_of_birth: '1990-02-01', country: 'NG', monitor: true }),
    await job(app, 'bvn_match', { bvn: freshNin(), phone_number: '0803 123 4567' }),
  ];
  const others = [
    await job(app, 'nin_basic', { nin: bystander }),
    await job(app, 'aml_screening', { name: 'Ada Obi', date_of_birth: '1991-02-01' }),
    await job(other, 'nin_basic', { nin }),
  ];
  const text = [
    'nin,reference,note',
    `${nin},r-1,first`,
    `${bystander},r-2,second`,
    `${freshNin()},r-3,${nin}`,
    `${nin},r-4,duplicate of the first`,
    `nobody,r-5,${nin}`,
    'nobody,r-6,sixth',
    `${freshNin()},r-7,+234 803 123 4567`,
  ].join('\n');
  const [batch, foreign] = [await upload(app, 'checks=nin_basic', text), await upload(other, 'checks=nin_basic', text)];
  const screened = await upload(app, 'checks=aml_screening', 'name,date_of_birth\nAda Obi,1990-02-01\nEmeka Obi,1990-02-01\n');
  const counts = (await app.get<BatchEntity>(`/api/v1/batches/${batch.id}`)).body.entity.counts;
  const wallet = await app.wallet();

  const erasure = await erase(app, { type: 'nin', value: nin }, { type: 'phone', value: '08031234567' }, { type: 'person', ...adaObi });
  expect(erasure.counts).toEqual({ jobs: 3, calls: 1, rows: 5, invalid_rows: 1, cached_answers: 1, monitors: 1 });
  for (const { id } of theirs) expect((await app.get(`/api/v1/jobs/${id}`)).status).toBe(404);
  for (const { id, result } of others.slice(0, 2))
    expect((await app.get<JobEntity>(`/api/v1/jobs/${id}`)).body.entity.result).toEqual(result);
  expect((await other.get<JobEntity>(`/api/v1/jobs/${others[2]!.id}`)).body.entity.result).toEqual(others[2]!.result);
  expect(await rowsOf(app, batch)).toEqual([2, 6]);
  expect(await rowsOf(app, screened)).toEqual([2]);
  expect(await rowsOf(other, foreign)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect((await app.get<BatchEntity>(`/api/v1/batches/${batch.id}`)).body.entity.counts).toEqual(counts);
  expect((await app.get('/api/v1/aml/monitors')).text).not.toContain('Obi');
  expect(await app.wallet()).toEqual(wallet);
  // The other app's cache answers still; this app's does not.
  expect((await other.get(`/api/v1/kyc/nin/advance?nin=${nin}`)).body.cached).toBe(true);
  expect((await app.get(`/api/v1/kyc/nin/advance?nin=${bystander}`)).body.cached).toBe(true);
  expect((await app.get(`/api/v1/kyc/nin/advance?nin=${nin}`)).body.cached).toBe(false);

  // The receipt says what was done, names nobody, and only this deployment can have signed it.
  expect(JSON.parse(erasure.receipt!)).toMatchObject({
    erasure: erasure.id,
    identifiers: ['nin', 'person', 'phone'],
    erased: erasure.counts,
  });
  for (const secret of [nin, 'Obi', '1234567', '1990']) expect(erasure.receipt).not.toContain(secret);
  const verdict = async (receipt: string) =>
    (await app.post<{ valid: boolean }>('/api/v1/subjects/receipts', { receipt, signature: erasure.signature })).body.entity.valid;
  expect([await verdict(erasure.receipt!), await verdict(erasure.receipt!.replace('"rows":5', '"rows":6'))]).toEqual([true, false]);
  expect([await verdict('\u0000'), await verdict('nonsense')]).toEqual([false, false]);
  const [row] = await api.service.sql`select asked from erasures where id = ${parseId('ers', erasure.id)}`;
  expect(row!.asked).toBeNull();
  const [entry] = (await app.get<{ data: Entity[] }>('/api/v1/audit?action=subject.erase')).body.entity.data;
  expect(entry).toMatchObject({ target: erasure.id, detail: { types: ['nin', 'person', 'phone'] } });
});

test('a NIN is found where it was sent as the tax number of an individual', async () => {
  const app = await api.createApp();
  const nin = freshNin();
  for (const tin of [nin, freshNin()]) expect((await app.get(`/api/v1/kyc/tin?tin=${tin}`)).status).toBe(200);
  const placed = await app.post('/api/v1/subjects/holds', { identifiers: [{ type: 'nin', value: nin }] });
  const kept = await erase(app, { type: 'nin', value: nin });
  expect(JSON.parse(kept.receipt!).kept).toContainEqual({ what: 'calls', number: 1, why: 'legal hold of a person' });
  await app.send('DELETE', `/api/v1/subjects/holds/${placed.body.entity.id}`);
  expect((await erase(app, { type: 'nin', value: nin })).counts).toEqual({ calls: 1, cached_answers: 1 });
});

test('a person is found by the numbers of their documents, where they were looked up', async () => {
  const app = await api.createApp();
  const looks: [check: string, input: Record<string, string>, identifier: { type: string; value: string }][] = [
    ['passport', { passport_number: 'A00123456', last_name: 'Durojaiye' }, { type: 'passport', value: 'a00-123456' }],
    ['drivers_license', { license_number: 'FKJ49409AB13' }, { type: 'drivers_license', value: 'FKJ 49409 AB13' }],
    ['pvc', { vin_number: '91F6B1F5BE29535558655586' }, { type: 'voter_card', value: '91F6B1F5BE29535558655586' }],
    ['address', { meter_number: '45012345678' }, { type: 'meter', value: '4501 2345 678' }],
    ['tin', { tin: '18609323-0001' }, { type: 'tin', value: '18609323-0001' }],
  ];
  const jobs: string[] = [];
  for (const [check, input] of looks) jobs.push((await app.job({ check, input })).body.entity.id);
  for (const id of jobs) await app.ended<JobEntity>(`/api/v1/jobs/${id}`);
  const ask = () => app.get('/api/v1/kyc/passport?passport_number=A00123456&surname=Durojaiye');
  expect((await ask()).body.cached).toBe(true);
  const batch = await upload(app, 'checks=passport', 'passport_number,last_name\nA00123456,Durojaiye\nA00123457,Bello\n');

  const placed = await app.post('/api/v1/subjects/holds', { identifiers: [looks[1]![2]] });
  const found = await app.post<{ id: string }>('/api/v1/subjects/export', { identifiers: [looks[0]![2]] });
  expect(found.status, found.text).toBe(202);
  const erasure = await erase(app, ...looks.map(([, , identifier]) => identifier));
  expect(erasure.counts).toMatchObject({ jobs: 4, calls: 1, rows: 1 });
  expect(JSON.parse(erasure.receipt!).kept).toContainEqual({ what: 'jobs', number: 1, why: 'legal hold of a person' });
  expect(await Promise.all(jobs.map(async (id) => (await app.get(`/api/v1/jobs/${id}`)).status))).toEqual([404, 200, 404, 404, 404]);
  expect(await rowsOf(app, batch)).toEqual([2]);
  expect((await ask()).body.cached).toBe(false);
  await app.send('DELETE', `/api/v1/subjects/holds/${placed.body.entity.id}`);
});

test('work that has not ended is waited for', async () => {
  const app = await api.createApp();
  const nin = freshNin();
  const { id } = (await app.csv('checks=nin_basic&start=manual', `nin\n${nin}\n${freshNin()}\n`)).body.entity;
  const asked = (await app.post<Erasure>('/api/v1/subjects/erase', { identifiers: [{ type: 'nin', value: nin }] })).body.entity;
  await waitFor('it to wait', async () => (await readErasure(app, asked.id)).status === 'waiting');
  expect((await readErasure(app, asked.id)).waiting_for).toEqual({ batches: [id], jobs: 0 });
  await app.post(`/api/v1/batches/${id}/start`);
  const batch = await app.ended<BatchEntity>(`/api/v1/batches/${id}`);
  expect((await doneErasure(app, asked.id)).counts).toMatchObject({ rows: 1 });
  expect(await rowsOf(app, batch)).toEqual([2]);
});

test('rows under a legal hold stay, and the receipt says so', async () => {
  const app = await api.createApp();
  const nin = freshNin();
  const batch = await upload(app, 'checks=nin_basic', `nin\n${nin}\n`);
  expect((await app.send('PUT', `/api/v1/batches/${batch.id}/legal-hold`)).status).toBe(200);
  const erasure = await erase(app, { type: 'nin', value: nin });
  expect(JSON.parse(erasure.receipt!).kept).toContainEqual({ what: batch.id, why: 'legal hold' });
  expect(await rowsOf(app, batch)).toEqual([1]);
});

test('a row of several checks goes whole, with the rows that share its answer', async () => {
  const app = await api.createApp();
  const [nin, bvn] = [freshNin(), freshNin()];
  const batch = await upload(
    app,
    'checks=nin_basic,bvn_advance',
    `nin,bvn\n${nin},${bvn}\n${nin},${freshNin()}\n${freshNin()},${freshNin()}\n`,
  );
  await erase(app, { type: 'bvn', value: bvn });
  expect(await rowsOf(app, batch)).toEqual([3]);
});

describe('an answer kept for an Idempotency-Key', () => {
  // A batch's own metadata is not searched, so only the answer goes.
  const inMetadata = (value: unknown) => ({ checks: ['nin_basic'], rows: [{ nin: freshNin() }], start: 'manual', metadata: { value } });
  const kept = async (app: TestApp, body: object): Promise<() => Promise<number>> => {
    const key = `k-${freshNin()}`;
    const ask = () => app.post('/api/v1/batches', body, { 'Idempotency-Key': key });
    expect((await ask()).status).toBe(202);
    return async () => (await ask()).status;
  };

  test.each([
    [
      'a phone number',
      { type: 'phone', value: '08031234567' },
      ['+234 803 123 4567', '2348031234567', 'call 08031234567 first'],
      '08031234568',
    ],
    [
      'an address',
      { type: 'email', value: 'ada.obi@example.ng' },
      ['Ada.Obi@Example.NG', 'write to ADA.OBI@example.ng'],
      'ada.obi@example.com',
    ],
    ['a name', { type: 'person', ...adaObi }, ['OBI, Ada', 'Mrs. ada  obi'], 'Ada Okafor'],
    ['a number', { type: 'nin', value: '70123456789' }, ['70123456789', 70_123_456_789], '70123456788'],
  ])('is forgotten if it holds %s in any spelling, and stays for anybody else', async (_, identifier, spellings, other) => {
    const app = await api.createApp();
    const theirs = await Promise.all(spellings.map((value) => kept(app, inMetadata(value))));
    const [others, foreign] = [await kept(app, inMetadata(other)), await kept(await api.createApp(), inMetadata(spellings[0]))];
    expect((await erase(app, identifier)).counts).toMatchObject({ kept_answers: spellings.length });
    for (const repeated of theirs) expect(await repeated()).toBe(404);
    expect([await others(), await foreign()]).toEqual([202, 202]);
  });

  test('stays if only its own words are, or have in them, the name of somebody', async () => {
    const app = await api.createApp();
    const [others, theirs] = [await kept(app, inMetadata('Alimi Successor, Etim')), await kept(app, inMetadata('for Ali (Eta?)'))];
    for (const name of ['Eta', 'Success', 'Ali']) {
      const { counts } = await erase(app, { type: 'person', name });
      expect(counts, name).toEqual(name === 'Eta' ? { kept_answers: 1 } : {});
    }
    expect([await others(), await theirs()]).toEqual([202, 404]);
  });
});

describe('a request', () => {
  test('about nobody is done with nothing', async () => {
    const erasure = await erase(await api.createApp(), { type: 'bvn', value: freshNin() }, { type: 'email', value: 'nobody@example.ng' });
    expect(erasure.counts).toEqual({});
  });

  test.each([
    [{}],
    [{ identifiers: [] }],
    [{ identifiers: [{ type: 'nin', value: '7' }] }],
    [{ identifiers: [{ type: 'nin' }] }],
    [{ identifiers: [{ type: 'account', value: '70123456789' }] }],
    [{ identifiers: [{ type: 'phone', value: '12' }] }],
    [{ identifiers: [{ type: 'email', value: 'nobody' }] }],
    [{ identifiers: [{ type: 'person', name: 'Ada', date_of_birth: '1.2.1990' }] }],
    [{ identifiers: [{ type: 'person', name: '...' }] }],
    [{ nin: '70123456789' }],
  ])('is refused: %j', async (body) => {
    const answer = await (await api.createApp()).post('/api/v1/subjects/erase', body);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.text).not.toContain('70123456789');
  });

  test('of another app or mode does not exist', async () => {
    const [app, other] = [await api.createApp(), await api.createApp()];
    const { id } = await erase(app, { type: 'nin', value: freshNin() });
    for (const stranger of [other, app.live]) expect((await stranger.get(`/api/v1/subjects/erasures/${id}`)).status).toBe(404);
    expect((await app.get<{ data: Erasure[] }>('/api/v1/subjects/erasures')).body.entity.data.map((one) => one.id)).toEqual([id]);
  });
});
