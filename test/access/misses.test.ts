/** Limits on guessing: mismatches and misses are counted over calls, jobs, rows and processes. */
import { describe, expect, test } from 'vitest';
import { dropOldMisses } from '../../src/access/misses.ts';
import { ninOfBvn } from '../../src/sandbox/numbers.ts';
import { personOf } from '../../src/sandbox/people.ts';
import { everyRole, runRoles } from '../../workers/main.ts';
import { type BatchEntity, type Client, type JobEntity, openClient, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi({ CONFAM_MISSES_PER_SUBJECT: '4', CONFAM_MISSES_PER_APP: '12' });

const BVN = '22222222222';
const phoneOf = (bvn: string) => personOf(ninOfBvn(bvn)).phone;
const wrongPhone = (i: number) => `0803${String(1_000_000 + i)}`;
const guess = (client: Client, phone: string, bvn = BVN) => client.get(`/api/v1/credit/bvn?bvn=${bvn}&phone_number=${phone}`);
const seconds = (answer: { headers: Headers }) => Number(answer.headers.get('retry-after'));

describe('guessing about one subject', () => {
  test('ends with a clear 429 for the rest of the day, even for the right guess; nothing is looked up or charged', async () => {
    const app = await api.createApp();
    for (let i = 0; i < 4; i++) expect((await guess(app, wrongPhone(i))).status).toBe(422);
    const before = await app.wallet();
    for (const phone of [wrongPhone(4), phoneOf(BVN)]) {
      const answer = await guess(app, phone);
      expect([answer.status, answer.body.code, (answer.body as unknown as { limit: string }).limit]).toEqual([
        429,
        'too_many_misses',
        'subject',
      ]);
      expect(seconds(answer)).toBeGreaterThan(0);
      expect(seconds(answer)).toBeLessThanOrEqual(24 * 3600);
      expect(answer.text).not.toContain(BVN);
    }
    expect(await app.wallet()).toEqual(before);
    // Another subject is still answered, and so is another app asking about this one.
    expect((await guess(app, phoneOf('22222222223'), '22222222223')).status).toBe(200);
    expect((await guess(await api.createApp(), phoneOf(BVN))).status).toBe(200);
  });

  test('reveals no more with a hundred guesses at once than with a few in turn', async () => {
    const app = await api.createApp();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => guess(app, wrongPhone(i))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(7);
    expect(statuses.filter((status) => status !== 422 && status !== 429)).toEqual([]);
  });

  test('counts batch rows and jobs as it counts calls', async () => {
    const app = await api.createApp();
    const rows = Array.from({ length: 20 }, (_, i) => `${BVN},${wrongPhone(i)}`);
    const { id } = (await app.csv('checks=credit_bvn', `bvn,phone_number\n${rows.join('\n')}\n`)).body.entity;
    expect(await app.ended<BatchEntity>(`/api/v1/batches/${id}`)).toMatchObject({ counts: { failed: 20 }, billed_amount: 0 });
    const { data } = (await app.get<{ data: JobEntity[] }>(`/api/v1/batches/${id}/jobs?limit=100`)).body.entity;
    const codes = data.map(({ error }) => error?.code);
    expect(codes.filter((code) => code === 'subject_mismatch').length).toBeLessThanOrEqual(7);
    expect(codes.filter((code) => code !== 'subject_mismatch' && code !== 'too_many_misses')).toEqual([]);
    expect((await guess(app, phoneOf(BVN))).status).toBe(429);
    const job = (await app.job({ check: 'credit_bvn', input: { bvn: BVN, phone_number: phoneOf(BVN) } })).body.entity;
    expect(await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`)).toMatchObject({
      status: 'failed',
      billed_amount: 0,
      error: { code: 'too_many_misses', message: expect.stringContaining('Nothing was charged') },
    });
  });

  test('stops trials of one passport under many surnames', async () => {
    const app = await api.createApp();
    const ask = (last_name: string) => app.post('/v1/verify/passport', { passport_number: 'A00000001', last_name });
    const statuses = [];
    for (const name of ['Ade', 'Bello', 'Chukwu', 'Danjuma', 'Eze', 'Femi']) statuses.push((await ask(name)).status);
    expect(statuses.slice(4)).toEqual([429, 429]);
  });
});

describe('ordinary use', () => {
  test('a subject not on record may be asked for again and again: the cache answers', async () => {
    const app = await api.createApp();
    for (let i = 0; i < 30; i++) expect((await app.get('/api/v1/kyc/nin?nin=00000000001')).status).toBe(404);
  });

  test('a subject on record may be asked for without limit, by many callers at once', async () => {
    const app = await api.createApp();
    const answers = await Promise.all(Array.from({ length: 40 }, () => guess(app, phoneOf(BVN))));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  });

  test('a file may have any number of rows that are not on record, and the app keeps working', async () => {
    const app = await api.createApp();
    const rows = Array.from({ length: 60 }, (_, i) => `0702${String(1_000_000 + i)}`);
    const { id } = (await app.csv('checks=phone', `phone_number\n${rows.join('\n')}\n`)).body.entity;
    expect((await app.ended<BatchEntity>(`/api/v1/batches/${id}`)).counts).toMatchObject({ not_found: 60, failed: 0 });
    expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status).toBe(200);
  });
});

describe('the miss limit of an app', () => {
  const missing = (client: Client, i: number) => client.post('/v1/verify/phone', { phone_number: `0702${String(2_000_000 + i)}` });

  test('covers calls and jobs together, and the operator can set it', async () => {
    const app = await api.createApp();
    for (let i = 0; i < 12; i++) expect((await missing(app, i)).status).toBe(404);
    for (const answer of [
      await missing(app, 12),
      await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`),
      await app.job({ check: 'nin_basic', input: { nin: freshNin() } }),
    ]) {
      expect([answer.status, answer.body.code, (answer.body as unknown as { limit: string }).limit]).toEqual([
        429,
        'too_many_misses',
        'app',
      ]);
      expect(seconds(answer)).toBeLessThanOrEqual(3600);
    }
    const set = (missesPerApp: number | null) =>
      api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ settings: { missesPerApp } }),
      });
    expect((await set(13)).status).toBe(200);
    expect((await missing(app, 12)).status).toBe(404);
    expect((await missing(app, 13)).status).toBe(429);
    await set(0);
    expect((await missing(app, 13)).status).toBe(404);
  });

  test('is known to every process within a moment, and to one that starts later', async () => {
    const app = await api.createApp();
    const roles = () => runRoles({ ...api.service.config, PORT: 0 }, api.service.databaseUrl, everyRole);
    const other = await roles();
    const there = openClient(`http://127.0.0.1:${other.port}`, app.app, app.key);
    for (let i = 0; i < 4; i++) expect((await guess(i % 2 ? app : there, wrongPhone(i))).status).toBe(422);
    await waitFor('both to know', async () => {
      const [here, away] = [await guess(app, phoneOf(BVN)), await guess(there, phoneOf(BVN))];
      return here.status === 429 && away.status === 429;
    });
    await other.drain();
    const late = await roles();
    expect((await guess(openClient(`http://127.0.0.1:${late.port}`, app.app, app.key), phoneOf(BVN))).status).toBe(429);
    await late.drain();
  });

  test('is stored without anything that identifies a subject, and no longer than it counts', async () => {
    const app = await api.createApp();
    await guess(app, wrongPhone(1));
    const rows = await api.service.sql<{ text: string }[]>`select m::text as text from miss_counts m`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toContain(BVN);
    await api.service.sql`update miss_counts set expires_at = now() - interval '1 second'`;
    await dropOldMisses(api.service);
    expect(await api.service.sql`select 1 from miss_counts`).toHaveLength(0);
  });
});
