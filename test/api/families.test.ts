/** Rows that run several checks, over HTTP; checks without an engine. */
import { describe, expect, test } from 'vitest';
import { checks } from '../../src/checks/catalog.ts';
import { type BatchEntity, useApi } from '../setup/api.ts';

// Faces get no engine here; test/api/faces.test.ts tests them with one.
const api = useApi({ CONFAM_FACE_MODELS: '/nowhere' });

const NIN = '70123456789';
const BVN = '22222222222';
const QUERY = 'checks=nin_advance,bvn_match';

describe('a row that runs several checks', () => {
  test.each([
    ['CSV', 'text/csv', `nin,bvn,first_name,bvn_match.first_name,birthdate\n${NIN},${BVN},Ngozi,morenike,1991-04-17\n`],
    [
      'NDJSON with a prefix',
      'application/x-ndjson',
      `${JSON.stringify({ nin: NIN, bvn: BVN, first_name: 'Ngozi', 'bvn_match.first_name': 'morenike', dob: '1991-04-17' })}\n`,
    ],
    [
      'nested NDJSON',
      'application/x-ndjson',
      `${JSON.stringify({ nin: NIN, bvn: BVN, dob: '1991-04-17', bvn_match: { first_name: 'morenike' } })}\n`,
    ],
  ])('has one line in the results: %s', async (_, type, body) => {
    const app = await api.createApp();
    const accepted = await app.post<BatchEntity>(`/api/v1/batches?${QUERY}`, body, { 'Content-Type': type });
    expect(accepted.status, accepted.text).toBe(202);
    const path = `/api/v1/batches/${accepted.body.entity.id}`;
    expect((await app.ended<BatchEntity>(path)).counts).toMatchObject({ rows: 1, jobs: 2, found: 2 });
    const lines = (await app.get(`${path}/results?format=jsonl`)).text.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!).checks).toMatchObject({
      nin_advance: { outcome: 'found', entity: { nin: NIN } },
      bvn_match: { outcome: 'found', entity: { first_name: { status: true }, date_of_birth: { status: true } } },
    });
    const csv = (await app.get(`${path}/results?format=csv`)).text.trim().split(/\r?\n/);
    expect(csv).toHaveLength(2);
  });
});

describe('the columns of the results', () => {
  test('are all different, even where an entity has a member named like one of ours', async () => {
    const app = await api.createApp();
    const served = checks.filter((check) => check.family === 'cac' || check.family === 'tin' || check.family === 'credit');
    const csv = 'rc_number,tin,bvn,phone_number\n1432074,18609323-0001,22222222222,09011111111\n';
    const accepted = await app.csv(`checks=${served.map((check) => check.id).join(',')}`, csv);
    expect(accepted.status, accepted.text).toBe(202);
    const path = `/api/v1/batches/${accepted.body.entity.id}`;
    await app.ended<BatchEntity>(path);
    const [head = '', row = ''] = (await app.get(`${path}/results?format=csv`)).text.split(/\r?\n/);
    const columns = head.split(',');
    expect(columns.filter((name, at) => columns.indexOf(name) !== at)).toEqual([]);
    expect(columns).toEqual(expect.arrayContaining(['cac_basic.status', 'cac_basic.entity.status']));
    expect(row).toContain('ACTIVE');
  });
});

describe('a BVN match', () => {
  test('answers for each field that was sent', async () => {
    const app = await api.createApp();
    const query = `bvn=${BVN}&first_name=MORENIKE&last_name=Okafor&dob=1991-04-17&phone_number=%2B2349011111111`;
    expect((await app.get(`/api/v1/kyc/bvn?${query}`)).body.entity).toEqual({
      bvn: { value: BVN, status: true },
      first_name: { value: 'MORENIKE', status: true, confidence_value: 100 },
      last_name: { value: 'Okafor', status: false, confidence_value: expect.any(Number) },
      date_of_birth: { value: '1991-04-17', status: true },
      phone_number: { value: '09011111111', status: true },
    });
  });

  test.each(['dob=2099-01-01', 'dob=2026-02-30', 'phone_number=12'])('refuses %s', async (wrong) => {
    const app = await api.createApp();
    const answer = await app.get(`/api/v1/kyc/bvn?bvn=${BVN}&${wrong}`);
    expect([answer.status, answer.body.details[0]!.path]).toEqual([400, wrong.split('=')[0]]);
  });
});

const IMAGE = Buffer.concat([Buffer.from('ffd8ffe000104a46494600', 'hex'), Buffer.alloc(40)]).toString('base64');
const unserved = [
  { id: 'photoid_verify', path: '/api/v1/kyc/photoid/verify', body: { id_type: 'BVN', id_number: BVN, image: IMAGE } },
  { id: 'photoid_compare', path: '/api/v1/kyc/photoid/verify', body: { selfie_image: IMAGE, photoid_image: IMAGE, first_name: 'Ada' } },
  { id: 'nin_verify', path: '/api/v1/kyc/nin/verify', body: { nin: NIN, selfie_image: `data:image/jpeg;base64,${IMAGE}`, threshold: 85 } },
  { id: 'bvn_verify', path: '/api/v1/kyc/bvn/verify', body: { bvn: BVN, selfie_image: IMAGE, threshold: '85.5' } },
  { id: 'face_match', path: '/v1/verify/biometrics/face-match', body: { id_type: 'nin', id_number: NIN, image: IMAGE } },
];

describe('a check without an engine', () => {
  test.each(unserved)('$id says so with either key, in a call and in a batch, and costs nothing', async ({ id, path, body }) => {
    const app = await api.createApp();
    for (const client of [app, app.live]) {
      const answer = await client.post(path, body);
      expect([answer.status, answer.body.code], answer.text).toEqual([503, 'provider_not_configured']);
      const batch = await client.csv(`checks=${id}`, 'nin\n1\n');
      expect([batch.status, batch.body.code]).toEqual([503, 'provider_not_configured']);
      expect(batch.body.error).toContain(id);
    }
    expect(await app.wallet()).toMatchObject({ available: 100_000, held: 0 });
  });

  const [photo, , nin] = unserved as [(typeof unserved)[0], unknown, (typeof unserved)[2]];
  test.each<[string, string, Record<string, unknown>, string, string?]>([
    ['an invalid image', photo.path, { ...photo.body, image: 'aGVsbG8gd29ybGQ=' }, 'image', 'invalid_image'],
    ['an image that is not base64', photo.path, { ...photo.body, image: '/9j/***' }, 'image', 'invalid_image'],
    ['an image of more than 10 MB', photo.path, { ...photo.body, image: `/9j/${'A'.repeat(14_000_000)}` }, 'image', 'image_too_large'],
    ['an empty image', photo.path, { ...photo.body, image: '' }, 'image', 'invalid_request'],
    ['no image', photo.path, { ...photo.body, image: null }, 'image'],
    ['no image and another type', photo.path, { ...photo.body, id_type: 'TIN', image: '' }, 'id_type'],
    ['another type', photo.path, { ...photo.body, id_type: 'TIN' }, 'id_type'],
    ['a threshold above 100', nin.path, { ...nin.body, threshold: 101 }, 'threshold'],
    ['a threshold that is not a number', nin.path, { ...nin.body, threshold: 'high' }, 'threshold'],
  ])('refuses %s first', async (_, path, body, field, code = 'invalid_request') => {
    const app = await api.createApp();
    const answer = await app.post(path, body);
    expect([answer.status, answer.body.code, answer.body.details?.[0]?.path], answer.text.slice(0, 300)).toEqual([
      code === 'image_too_large' ? 413 : 400,
      code,
      field,
    ]);
  });
});
