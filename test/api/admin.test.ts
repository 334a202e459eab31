/** Apps, keys, top-ups and wallets; live keys with their own provider, and consent. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { aliases, spellings } from '../../src/api/aliases.ts';
import { checks } from '../../src/checks/catalog.ts';
import { openAbout } from '../../src/contract/about.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type Answer, type BatchEntity, type JobEntity, openClient, useApi, type WalletEntity } from '../setup/api.ts';

const ADMIN_KEY = newSecretKey();
const folder = mkdtempSync(join(tmpdir(), 'confam-admin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const api = useApi(() => {
  const path = join(folder, 'upstreams.json');
  writeFileSync(path, JSON.stringify({ providers: { registry: { adapter: 'sandbox' } }, records: { nin: ['registry'] } }));
  return { CONFAM_UPSTREAMS: path, CONFAM_ADMIN_KEY: ADMIN_KEY };
});

const NIN = '70123456789';
interface Made {
  id: string;
  object: string;
  key: string;
  webhook_secret: string;
}

/** An app made over HTTP, with a live key. */
async function makeApp(settings = {}) {
  const app = (await api.admin.post<Made>('/api/v1/admin/apps', { name: 'Ada', settings })).body.entity;
  const { key } = (await api.admin.post<Made>(`/api/v1/admin/apps/${app.id}/keys`, { mode: 'live' })).body.entity;
  return {
    id: app.id,
    live: openClient(api.url, app.id, key),
    topUp: (body: object) => api.admin.post<WalletEntity>(`/api/v1/admin/apps/${app.id}/topups`, body),
  };
}

async function consentsOf(app: string) {
  const said = await api.service.sql<{ id: string; about: Buffer }[]>`
    select id, about from (
      select 'job_' || replace(id::text, '-', '') as id, app_id, about, created_at from jobs
      union all select 'bat_' || replace(id::text, '-', ''), app_id, about, created_at from batches) said
    where app_id = ${parseId('app', app)} and about is not null order by created_at, id`;
  const opener = await api.service.cipher.opener(said.map(({ about }) => about));
  return said.map(({ id, about }) => openAbout(opener, id, about).consent);
}

describe('the operator', () => {
  test('makes an app, its keys and its money over HTTP; each secret is shown only in the answer that makes it', async () => {
    const app = await api.admin.post<Made>('/api/v1/admin/apps', { name: 'Ada & Söhne' });
    expect(app.status).toBe(201);
    expect(app.body.entity).toEqual({
      id: expect.stringMatching(/^app_[0-9a-f]{32}$/),
      object: 'app',
      name: 'Ada & Söhne',
      settings: {},
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { id } = app.body.entity;
    for (const mode of ['test', 'live']) {
      const key = await api.admin.post<Made>(`/api/v1/admin/apps/${id}/keys`, { mode });
      expect(key.status).toBe(201);
      expect(key.body.entity.key).toMatch(new RegExp(`^cf_${mode}_[0-9A-Za-z]{38}$`));
      const client = openClient(api.url, id, key.body.entity.key);
      expect(await client.wallet()).toEqual({ currency: 'NGX', available: 0, held: 0 });
      const filled = await api.admin.post<WalletEntity>(`/api/v1/admin/apps/${id}/topups`, { amount: 1_000.25, mode, note: 'transfer 7' });
      expect(filled.status).toBe(201);
      expect(filled.body.entity).toEqual({ currency: 'NGX', mode, available: 1_000.25, held: 0 });
      expect(await client.wallet()).toEqual({ currency: 'NGX', available: 1_000.25, held: 0 });
    }
  });

  test('is also recognized by the configured key', async () => {
    expect((await openClient(api.url, '', ADMIN_KEY).post('/api/v1/admin/apps', { name: 'x' })).status).toBe(201);
    expect((await openClient(api.url, '', `${ADMIN_KEY}s`).post('/api/v1/admin/apps', { name: 'x' })).status).toBe(401);
  });

  test('cannot book an invalid amount', async () => {
    const { topUp, live } = await makeApp();
    for (const amount of [0, -1, 0.001, 1.005, 1e12, '5', null, undefined, true, [1]]) {
      const answer = await topUp({ amount });
      expect([answer.status, answer.body.details[0]!.path], String(amount)).toEqual([400, 'amount']);
    }
    for (const body of [
      { amount: 1, mode: 'play' },
      { amount: 1, note: 'a\u0000' },
    ])
      expect((await topUp(body)).status).toBe(400);
    expect((await live.wallet()).available).toBe(0);
  });

  test('gets a 4xx for an unknown app or malformed input, never a 5xx', async () => {
    for (const id of [`app_${'0'.repeat(32)}`, '1', '%00', 'app_'])
      for (const [path, body] of [
        ['topups', { amount: 1 }],
        ['keys', { mode: 'test' }],
      ] as const)
        expect((await api.admin.post(`/api/v1/admin/apps/${id}/${path}`, body)).status, `${path} ${id}`).toBe(404);
    for (const body of [
      {},
      { name: '' },
      { name: 7 },
      { name: 'x'.repeat(101) },
      { name: 'x', settings: { unknown: 1 } },
      { name: 'x', settings: { weight: 0 } },
    ])
      expect((await api.admin.post('/api/v1/admin/apps', body)).status, JSON.stringify(body)).toBe(400);
  });
});

describe('a live key', () => {
  test('draws on the live wallet and the configured provider; without a provider it is 503 and free', async () => {
    const { live, topUp } = await makeApp();
    await topUp({ amount: 1_000 });
    expect((await live.get(`/api/v1/kyc/nin?nin=${NIN}`)).body).toMatchObject({ status: 'success', billed_amount: 125 });
    const answer = await live.get('/api/v1/kyc/bvn/full?bvn=22222222222');
    expect([answer.status, answer.body.code]).toEqual([503, 'provider_not_configured']);
    expect((await live.csv('checks=nin_basic,bvn_full', `nin,bvn\n${NIN},${NIN}\n`)).body.code).toBe('provider_not_configured');
    expect(await live.wallet()).toEqual({ currency: 'NGX', available: 875, held: 0 });
  });

  test('never shares the cache or the wallet with a test key of its app', async () => {
    const app = await api.createApp({ naira: 500 });
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 500 });
    expect((await app.get(`/api/v1/kyc/nin?nin=${NIN}`)).body.cached).toBe(false);
    expect((await app.live.get(`/api/v1/kyc/nin?nin=${NIN}`)).body.cached).toBe(false);
    expect(await app.wallet()).toEqual(await app.live.wallet());
  });

  test('of an app that requires consent needs it on jobs and batches, which store it', async () => {
    const { id, live, topUp } = await makeApp({ consentRequired: true });
    await topUp({ amount: 1_000 });
    const consent = { reference: 'C-7', purpose: 'account opening', obtained_at: '2025-11-20T10:00:00+01:00' };
    const body = { check: 'nin_basic', input: { nin: NIN } };
    const [job, batch] = [await live.job(body), await live.csv('checks=nin_basic', `nin\n${NIN}\n`)];
    for (const refused of [job, batch])
      expect([refused.status, refused.body.details[0]]).toEqual([400, { path: 'consent', message: 'is required', rule: 'required' }]);
    expect((await live.wallet()).available).toBe(1_000);
    expect((await live.get('/api/v1/settings')).body.entity.consent_required).toBe(true);

    const taken = (await live.job({ ...body, consent })).body.entity;
    expect((await live.ended<JobEntity>(`/api/v1/jobs/${taken.id}`)).outcome).toBe('found');
    const query = new URLSearchParams({ checks: 'nin_basic', consent: JSON.stringify(consent) });
    const upload = (await live.csv(String(query), `nin\n${NIN}\n`)).body.entity;
    expect((await live.ended<BatchEntity>(`/api/v1/batches/${upload.id}`)).counts.found).toBe(1);
    expect(await consentsOf(id)).toEqual([consent, consent]);
  });

  describe('an app that requires consent', () => {
    const consent = { reference: 'C-ọ', purpose: 'account opening', obtained_at: '2025-11-20T10:00:00+01:00' };
    const header = (value: unknown) => ({ Consent: Buffer.from(JSON.stringify(value)).toString('latin1') });
    const demanding = async () => {
      const app = await makeApp({ consentRequired: true });
      await app.topUp({ amount: 1_000 });
      return app;
    };

    test('needs it on every call that verifies, by every path, and pays nothing without it', async () => {
      const { live } = await demanding();
      const routes = [...checks.map((check) => check.route), ...aliases].filter(({ path }) => !path.endsWith('/platform'));
      for (const { method, path } of routes) {
        for (const spelling of spellings(path)) {
          const answer =
            method === 'GET' ? await live.get(`${spelling}?nin=${NIN}&consent=true`) : await live.post(spelling, { consent: true });
          expect([answer.status, answer.body.details], path).toEqual([
            400,
            [{ path: 'consent', message: 'is required', rule: 'required' }],
          ]);
        }
      }
      expect(await live.wallet()).toEqual({ currency: 'NGX', available: 1_000, held: 0 });
    });

    test('has it stored with calls that were looked up, cached or found nobody', async () => {
      const { live, id } = await demanding();
      for (const [nin, status] of [
        [NIN, 200],
        [NIN, 200],
        ['00000000001', 404],
      ]) {
        expect((await live.get(`/api/v1/kyc/nin?nin=${nin}`)).status).toBe(400);
        expect((await live.get(`/api/v1/kyc/nin?nin=${nin}`, header(consent))).status).toBe(status);
      }
      expect(await consentsOf(id)).toEqual([consent, consent, consent]);
      expect(await live.wallet()).toEqual({ currency: 'NGX', available: 825, held: 0 });
    });

    test('may send it as a header for jobs, batches and quotes as well', async () => {
      const { live, id } = await demanding();
      expect((await live.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: NIN } }, header(consent))).status).toBe(202);
      const csv = { 'Content-Type': 'text/csv', ...header(consent) };
      expect((await live.post('/api/v1/batches?checks=nin_basic', `nin\n${NIN}\n`, csv)).status).toBe(202);
      expect((await live.post('/api/v1/batches/quote?checks=nin_basic', `nin\n${NIN}\n`, csv)).status).toBe(200);
      expect(await consentsOf(id)).toEqual([consent, consent]);
    });
  });
});

describe('consent that nobody requires', () => {
  test('is stored, and refused if malformed', async () => {
    const app = await api.createApp();
    const consent = { reference: 'C-7', purpose: 'account opening', obtained_at: '2025-11-20T10:00:00Z' };
    const call = (headers: Record<string, string>) => app.get(`/api/v1/kyc/nin?nin=${NIN}`, headers);
    expect((await call({ Consent: JSON.stringify(consent) })).status).toBe(200);
    // Clients of other services send this much, and it is not our format.
    const phone = { phone_number: '08031234567' };
    expect((await app.post('/v1/verify/phone', { ...phone, consent: true })).status).toBe(200);
    expect((await app.post('/v1/verify/phone', { ...phone, consent })).status).toBe(200);
    const from = (minutes: number) => ({ ...consent, obtained_at: new Date(Date.now() + minutes * 60_000).toISOString() });
    expect((await call({ Consent: JSON.stringify(from(4)) })).status).toBe(200);
    const refused: [Answer<unknown>, string][] = [
      [await call({ Consent: 'yes' }), 'Consent'],
      [await call({ Consent: JSON.stringify(from(6)) }), 'Consent.obtained_at'],
      [await app.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: NIN }, consent: from(6) }), 'consent.obtained_at'],
      [await call({ Consent: '{"reference":"C-7"}' }), 'Consent.purpose'],
      [await call({ Consent: JSON.stringify({ ...consent, obtained_at: 'yesterday' }) }), 'Consent.obtained_at'],
      [await app.post('/v1/verify/phone', { ...phone, consent: { reference: 'C' } }), 'consent.purpose'],
      [await app.post('/v1/verify/phone', { ...phone, consent }, { Consent: JSON.stringify(consent) }), 'Consent'],
    ];
    for (const [answer, path] of refused)
      expect([answer.status, answer.body.code, answer.body.details[0]?.path]).toEqual([400, 'invalid_request', path]);
    expect(await consentsOf(app.app)).toEqual([consent, consent, expect.objectContaining({ reference: consent.reference })]);
  });
});
