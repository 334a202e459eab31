/** Quotes and the control of batches over HTTP; test/batches/control.test.ts tests the states themselves. */
import { describe, expect, test } from 'vitest';
import { type BatchEntity, useApi } from '../setup/api.ts';

const api = useApi();

const csv = { 'Content-Type': 'text/csv' };

interface Quote {
  object: string;
  counts: Record<string, number>;
  checks: Record<string, unknown>[];
  quote_amount: number;
  expected_amount: number;
  available_amount: number;
  balance_after: number;
  covered: boolean;
  mapping: Record<string, string>;
  errors: { row: number; path: string; rule: string; message: string }[];
}

describe('a quote', () => {
  test('counts rows, errors, twins and expected cache hits, prices them, and stores nothing', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const known = '21234567890';
    expect((await app.get(`/api/v1/kyc/nin/advance?nin=${known}`)).body.billed_amount).toBe(125);
    const body = `nin,ref\n${known},a\n22345678901,b\n22345678901,c\n7,d\n23456789012,a\n24567890123,e\n`;
    const answer = await app.post<Quote>('/api/v1/batches/quote?checks=nin_basic&map.reference=ref', body, csv);
    expect(answer.status, answer.text).toBe(200);
    const quote = answer.body.entity;
    expect(quote).toMatchObject({
      object: 'quote',
      counts: { rows: 6, jobs: 3, invalid: 2, duplicate: 1, expected_cache_hits: 1 },
      checks: [{ check: 'nin_basic', jobs: 3, expected_cache_hits: 1, price: 125, cached_price: 50, expected_amount: 300 }],
      quote_amount: 375,
      expected_amount: 300,
      available_amount: 875,
      balance_after: 500,
      covered: true,
      mapping: { nin: 'nin', reference: 'ref' },
      errors: [
        { row: 4, path: 'nin', rule: 'invalid_format', message: 'must be 11 digits' },
        { row: 5, path: 'reference', rule: 'duplicate_reference', message: 'is the same as in row 1' },
      ],
    });
    const [kept] = await api.service.sql`select (select count(*) from batches where app_id = ${appUuid(app.app)})::int as n`;
    expect(kept!.n).toBe(0);
    expect(await app.wallet()).toMatchObject({ available: 875, held: 0 });

    // The batch costs what the quote said.
    const batch = (await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic&map.reference=ref', body, csv)).body.entity;
    expect(batch).toMatchObject({ quote_amount: 375, counts: { rows: 6, jobs: 3, invalid: 2, duplicate: 1 } });
    expect((await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`)).billed_amount).toBe(300);
  });

  test('expects nothing for a cached answer that the subject is not on record, as the batch costs nothing for it', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const [missing, known] = ['00000000001', '21234567890'];
    expect((await app.get(`/api/v1/kyc/nin?nin=${missing}`)).body.code).toBe('record_not_found');
    expect((await app.get(`/api/v1/kyc/nin?nin=${known}`)).status).toBe(200);
    const body = `nin\n${missing}\n${known}\n`;
    const quote = (await app.post<Quote>('/api/v1/batches/quote?checks=nin_basic', body, csv)).body.entity;
    expect(quote).toMatchObject({ counts: { expected_cache_hits: 2 }, quote_amount: 250, expected_amount: 50 });
    const batch = (await app.post<BatchEntity>('/api/v1/batches?checks=nin_basic', body, csv)).body.entity;
    expect((await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`)).billed_amount).toBe(50);
  });

  test('says if the wallet does not cover it, counts no cache hits for cache=refresh, and refuses what a submission refuses', async () => {
    const app = await api.createApp({ naira: 200 });
    await app.get('/api/v1/kyc/nin?nin=21234567890');
    const body = 'nin\n21234567890\n22345678901\n';
    const quote = (await app.post<Quote>('/api/v1/batches/quote?checks=nin_basic&cache=refresh', body, csv)).body.entity;
    expect(quote).toMatchObject({ covered: false, quote_amount: 250, balance_after: -175, counts: { expected_cache_hits: 0 } });
    for (const [query, text, status] of [
      ['checks=nope', body, 400],
      ['checks=nin_basic', 'name\nx\n', 400],
      ['checks=nin_basic&on_invalid=reject', 'nin\n7\n', 400],
      ['checks=nin_basic', '', 400],
      ['checks=nin_basic&expires_at=2020-01-01T00:00:00Z', body, 400],
    ] as const)
      expect((await app.post(`/api/v1/batches/quote?${query}`, text, csv)).status).toBe(status);
    expect((await api.createApp().then((other) => other.send('GET', '/api/v1/batches/quote'))).status).toBe(404);
  });
});

/** The database key of `app_…`. */
const appUuid = (id: string) => id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

describe('control', () => {
  test('pause, resume, cancel and retry answer the batch, or a conflict that names its state', async () => {
    const app = await api.createApp();
    const batch = (await app.csv('checks=nin_basic&start=manual&max_failure_percent=50', 'nin\n21234567890\n00000000003\n')).body.entity;
    const act = (verb: string) => app.post<BatchEntity>(`/api/v1/batches/${batch.id}/${verb}`);
    for (const verb of ['pause', 'resume', 'retry']) {
      const { status, body } = await act(verb);
      expect([verb, status, body.code]).toEqual([verb, 409, 'conflict']);
      expect(body.error).toContain('awaiting_start');
    }
    expect((await act('start')).status).toBe(200);
    expect((await act('start')).status).toBe(409);
    const done = await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
    expect(done.counts).toMatchObject({ failed: 1, found: 1 });
    expect((await act('cancel')).status).toBe(409);
    const again = await act('retry');
    expect([again.status, again.body.entity.counts.queued]).toEqual([200, 1]);
    expect((await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`)).counts).toMatchObject({ failed: 1, found: 1 });
    expect((await app.post(`/api/v1/batches/${batch.id}/explode`)).status).toBe(404);
    expect((await app.get(`/api/v1/batches/${batch.id}/pause`)).status).toBe(405);
    expect(await api.drift()).toBe(0);
  });

  test.each([null, '', ' ', false, true, [], [5], '0x10', 1.5, -1, 101])(
    'refuses max_failure_percent %j in a JSON document',
    async (sent) => {
      const app = await api.createApp();
      const answer = await app.post('/api/v1/batches', {
        checks: ['nin_basic'],
        rows: [{ nin: '21234567890' }],
        max_failure_percent: sent,
      });
      expect([answer.status, answer.body.details?.[0]]).toEqual([
        400,
        { path: 'max_failure_percent', rule: 'range', message: 'must be a whole number from 0 to 100' },
      ]);
    },
  );

  test('canceling twice answers the canceled batch twice', async () => {
    const app = await api.createApp();
    const batch = (await app.csv('checks=nin_basic&start=manual', 'nin\n21234567890\n')).body.entity;
    for (let i = 0; i < 2; i++) {
      const { status, body } = await app.post<BatchEntity>(`/api/v1/batches/${batch.id}/cancel`);
      expect([status, body.entity.status, body.entity.counts.canceled]).toEqual([200, 'canceled', 1]);
    }
  });

  test.each([
    ['max_failure_percent=101', 'max_failure_percent'],
    ['max_failure_percent=x', 'max_failure_percent'],
    ['max_failure_percent=1.5', 'max_failure_percent'],
    ['max_failure_percent=', 'max_failure_percent'],
    ['max_failure_percent=%20', 'max_failure_percent'],
    ['max_failure_percent=0x10', 'max_failure_percent'],
    ['expires_at=tomorrow', 'expires_at'],
    ['expires_at=2020-01-01T00:00:00Z', 'expires_at'],
    ['expires_at=2099-01-01T00:00:00', 'expires_at'],
  ])('refuses %s', async (query, path) => {
    const app = await api.createApp();
    const answer = await app.csv(`checks=nin_basic&${query}`, 'nin\n21234567890\n');
    expect([answer.status, answer.body.code, answer.body.details[0]!.path]).toEqual([400, 'invalid_request', path]);
    expect(await app.wallet()).toMatchObject({ held: 0 });
  });
});
