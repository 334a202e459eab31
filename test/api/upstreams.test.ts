/** Live keys against the vendor simulator over HTTP: what a vendor answers, withholds, delays or gets wrong, as clients and operators see it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { type BatchEntity, type Client, type JobEntity, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';
import { completed, credentials as credentialsOfSmile, signatureAt } from '../vendors/smile-id.ts';
import { companyFound, RC } from '../vendors/smile-id-subjects.ts';
import { startVendor, type VendorServer } from '../vendors/vendor.ts';

let vendor: Simulator;
let registry: Simulator;
let smile: VendorServer;
let folder: string;
afterAll(async () => {
  await Promise.all([vendor.close(), registry.close(), smile.close()]);
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});
const api = useApi(async () => {
  vi.stubEnv('SIMULATOR_KEY', 'cf_live_of_the_simulator');
  vi.stubEnv('SMILE_PARTNER_ID', credentialsOfSmile.partner_id);
  vi.stubEnv('SMILE_API_KEY', credentialsOfSmile.api_key);
  [vendor, registry, smile] = [await startSimulator(), await startSimulator(), await startVendor()];
  folder = mkdtempSync(join(tmpdir(), 'confam-upstreams-'));
  const path = join(folder, 'upstreams.json');
  const credentials = { key: { env: 'SIMULATOR_KEY' }, app_id: { env: 'SIMULATOR_KEY' } };
  const common = { adapter: 'native', credentials, timeout_ms: 500 };
  const file = {
    providers: {
      vendor: { ...common, base_url: vendor.url, cost_kobo: { nin: 80_00 } },
      smile: {
        ...{ adapter: 'smile_id', base_url: smile.url, options: { mode: 'async' } },
        credentials: { partner_id: { env: 'SMILE_PARTNER_ID' }, api_key: { env: 'SMILE_API_KEY' } },
      },
      registry: {
        ...common,
        base_url: registry.url,
        options: { mode: 'jobs', wait_seconds: 0 },
        cost_kobo: { bvn: { 1: 60_00, 2: 70_00 } },
      },
    },
    records: { nin: ['vendor'], bvn: ['registry'], cac: ['smile'] },
  };
  writeFileSync(path, JSON.stringify(file));
  return {
    CONFAM_UPSTREAMS: path,
    CONFAM_PUBLIC_URL: 'http://127.0.0.1:1',
    CONFAM_SYNC_WAIT_MS: '1000',
    CONFAM_JOB_FAILURES_MAX: '8',
  };
});
beforeEach(async () => {
  for (const simulator of [vendor, registry]) {
    simulator.setScript({});
    simulator.reset();
  }
  // Forgets what an earlier test did to the vendor.
  await waitFor('the vendors to recover', async () => {
    const app = await liveApp();
    return (await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status === 200;
  });
  for (const simulator of [vendor, registry]) simulator.reset();
});

async function liveApp(naira = 100_000): Promise<Client> {
  const app = await api.createApp();
  await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, naira * 100, null);
  return app.live;
}

const recordOf = async (kind: 'nin' | 'bvn', identifier: string) => {
  const answer = await createSandbox().lookup({ kind, tier: 1, identifier, reference: 'r', signal: AbortSignal.timeout(1_000) });
  return (answer as { record: Record<string, unknown> }).record;
};

interface Lookup {
  provider: string;
  record: string;
  outcome: string;
  cost_amount: number;
  vendor_status: string | null;
  vendor_reference: string | null;
  answer_sha256: string | null;
}

/** Of the app's latest call. */
async function lookupsOfLatest(app: Client): Promise<Lookup[]> {
  const [row] = await api.service.sql<{ id: string }[]>`
    select job_id as id from provider_lookups l join jobs j on j.id = l.job_id where j.app_id = ${parseId('app', app.app)!} order by l.id desc limit 1`;
  return (await api.admin.get<{ data: Lookup[] }>(`/api/v1/admin/jobs/${showId('job', row!.id)}/lookups`)).body.entity.data;
}

interface ProviderEntity {
  name: string;
  records: { record: string; tier: number; health: string; retry_after_ms: number }[];
  lately: { calls: number; found: number; errors: Record<string, number>; latency_ms: { p50: number | null } };
  spend: { today_amount: number; period_amount: number };
}

interface ProvidersEntity {
  data: ProviderEntity[];
  margin: { day: string; check: string; billed_amount: number; cost_amount: number; margin_amount: number }[];
}

const providers = async () => (await api.admin.get<ProvidersEntity>('/api/v1/admin/providers')).body.entity;
const rows = (count: number) => Array.from({ length: count }, freshNin);
const upload = async (app: Client, nins: string[]) =>
  (await app.csv('checks=nin_basic', ['nin', ...nins].join('\n'))).body.entity as BatchEntity & {
    degraded: boolean;
    next_attempt_at: string | null;
  };

describe('a vendor that answers', () => {
  test('is named to the app whose job it answered, without its cost, and to no other app', async () => {
    const app = await liveApp();
    const before = Date.now();
    const job = (await app.post<JobEntity>('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } }, { Prefer: 'wait=10' })).body
      .entity;
    expect(job.status).toBe('completed');
    const path = `/api/v1/jobs/${job.id}/lookups`;
    const { data } = (await app.get<{ data: (Lookup & { began_at: string })[] }>(path)).body.entity;
    expect(data).toEqual([
      {
        began_at: expect.any(String),
        provider: 'vendor',
        record: 'nin',
        tier: 1,
        outcome: 'found',
        hedged: false,
        latency_ms: expect.any(Number),
        vendor_status: '200',
        vendor_reference: expect.stringMatching(/^req_/),
      },
    ]);
    expect(Date.parse(data[0]!.began_at)).toBeGreaterThanOrEqual(before - 5);
    expect(Date.parse(data[0]!.began_at)).toBeLessThanOrEqual(Date.now());
    const [whole] = (await api.admin.get<{ data: Lookup[] }>(`/api/v1/admin/jobs/${job.id}/lookups`)).body.entity.data;
    expect(whole).toMatchObject({ ...data[0], cost_amount: 80 });
    expect((await (await liveApp()).get(path)).status).toBe(404);
  });

  test('is asked once, paid once, and leaves a trail for disputes', async () => {
    const app = await liveApp();
    const nin = freshNin();
    const before = await providers();
    const { status, body } = await app.get(`/api/v1/kyc/nin?nin=${nin}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const record = await recordOf('nin', nin);
    expect(body.entity).toMatchObject({ nin, firstname: record.firstname, surname: record.surname, birthdate: record.birthdate });
    expect(body).toMatchObject({ billed_amount: 125, cached: false });
    expect(await lookupsOfLatest(app)).toEqual([
      expect.objectContaining({ provider: 'vendor', record: 'nin', outcome: 'found', cost_amount: 80, vendor_status: '200' }),
    ]);
    const [lookup] = await lookupsOfLatest(app);
    expect(lookup!.vendor_reference).toMatch(/^req_/);
    expect(lookup!.answer_sha256).toMatch(/^[0-9a-f]{64}$/);
    // From the cache: nobody is asked, nothing is spent.
    expect((await app.get(`/api/v1/kyc/nin?nin=${nin}`)).body).toMatchObject({ billed_amount: 50, cached: true });
    expect(vendor.stats().requests).toBe(1);

    const after = await providers();
    const spent = (all: ProvidersEntity) => all.data.find(({ name }) => name === 'vendor')!.spend.today_amount;
    expect(spent(after) - spent(before)).toBe(80);
    const marginOf = (all: ProvidersEntity) => all.margin.find(({ check }) => check === 'nin_basic')!;
    expect(marginOf(after).margin_amount - marginOf(before).margin_amount).toBeCloseTo(125 + 50 - 80);
    expect(after.data.find(({ name }) => name === 'vendor')).toMatchObject({
      records: [{ record: 'nin', tier: 4, health: 'well', retry_after_ms: 0 }],
      reason: null,
      lately: { latency_ms: { p50: expect.any(Number) } },
    });
    const { text } = await api.admin.get('/metrics');
    expect(text).toMatch(/confam_provider_cost_kobo_total\{provider="vendor",check="nin_basic"\} \d+/);
    expect(text).toMatch(/confam_billed_kobo_total\{check="nin_basic"\} \d+/);
    expect(text).not.toContain(nin);
  });

  test('has no such record: nothing is billed, and the trail says so', async () => {
    const app = await liveApp();
    const { status, body } = await app.get('/api/v1/kyc/nin?nin=00000000001');
    expect([status, (body as unknown as { code: string }).code]).toEqual([404, 'record_not_found']);
    expect(await lookupsOfLatest(app)).toMatchObject([{ outcome: 'not_found', cost_amount: 0, vendor_status: '404 record_not_found' }]);
    expect((await app.wallet()).available).toBe(100_000);
  });
});

describe('a malformed answer', () => {
  test.each(['missing_name', 'wrong_type', 'other_subject'] as const)('%s: 424 with the vendor’s reference, and an alarm', async (kind) => {
    vendor.setScript({ wrong_content: { share: 1, kinds: [kind] } });
    const app = await liveApp();
    const { status, body } = await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    const refusal = body as unknown as { code: string; provider_reference?: string; entity?: unknown };
    expect([status, refusal.code, refusal.entity]).toEqual([424, 'provider_failed', undefined]);
    expect(refusal.provider_reference).toMatch(/^req_/);
    expect(await lookupsOfLatest(app)).toMatchObject([{ outcome: 'surprise' }]);
    expect((await app.wallet()).available).toBe(100_000);
    const { text } = await api.admin.get('/metrics');
    expect(text).toMatch(/confam_provider_surprises_total\{provider="vendor",kind="nin"\} [1-9]/);
  });
});

describe('a vendor that answers later', () => {
  const about = (bvn: string) => ({ check: 'bvn_full', input: { bvn } });

  test('is asked once; the job holds no worker while it waits', async () => {
    registry.setScript({ pending: { share: 1, ms: 1_500 } });
    const app = await liveApp();
    const bvn = freshNin();
    const { body } = await app.job(about(bvn));
    await waitFor('the job to wait', async () => {
      const job = (await app.get<JobEntity & { next_attempt_at: string | null }>(`/api/v1/jobs/${body.entity.id}`)).body.entity;
      return job.status === 'queued' && job.next_attempt_at !== null;
    });
    // Its chunk ends a moment after it.
    await waitFor(
      'no chunk to be in work',
      async () => (await api.service.sql`select 1 from chunks where finished_at is null`).length === 0,
    );
    // Another app that wants the same record waits for the same answer.
    const twin = await app.job({ ...about(bvn), cache: 'use' });
    await api.service.sql`update waiting_jobs set run_after = now() + interval '1.6 seconds'`;
    const ended = await app.ended<JobEntity>(`/api/v1/jobs/${body.entity.id}`);
    expect(ended).toMatchObject({ status: 'completed', outcome: 'found', billed_amount: 95 });
    expect((await app.ended<JobEntity>(`/api/v1/jobs/${twin.body.entity.id}`)).outcome).toBe('found');
    expect(registry.stats().billed.found).toBe(1);
    expect(await api.service.sql`select 1 from pending_lookups`).toHaveLength(0);
    const trail = await api.admin.get<{ data: Lookup[] }>(`/api/v1/admin/jobs/${body.entity.id}/lookups`);
    const asked = trail.body.entity.data.map(({ outcome, cost_amount }) => [outcome, cost_amount]);
    expect(asked.at(-1)).toEqual(['found', 60]);
    // On a busy machine it may have been asked about again before its time was moved.
    for (const earlier of asked.slice(0, -1)) expect(earlier).toEqual(['pending', 0]);
    expect(asked.length).toBeGreaterThan(1);
  });

  test('a single call says when to ask again, and then has the answer', async () => {
    registry.setScript({ pending: { share: 1, ms: 1_200 } });
    const app = await liveApp();
    const path = `/api/v1/kyc/bvn/full?bvn=${freshNin()}`;
    const first = await app.get(path);
    expect([first.status, (first.body as unknown as { code: string }).code]).toEqual([503, 'provider_pending']);
    expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await app.wallet()).available).toBe(100_000);
    await expect.poll(async () => (await app.get(path)).status, { interval: 200, timeout: 10_000 }).toBe(200);
    expect(registry.stats().billed.found).toBe(1);
  });
});

describe('a vendor in trouble', () => {
  test('errors, time-outs and 429 among the answers: every row ends right, and is charged once', async () => {
    vendor.setScript({ error_rate: 0.2, hang_rate: 0.03, rate_limited_rate: { share: 0.05, retry_after_seconds: null }, seed: 7 });
    const app = await liveApp();
    const batch = await upload(app, [...rows(300), '00000000001']);
    const ended = await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
    expect(ended.counts).toMatchObject({ found: 300, not_found: 1, failed: 0 });
    expect(ended.billed_amount).toBe(300 * 125);
    expect((await app.wallet()).available).toBe(100_000 - 300 * 125);
    const [captured] = await api.service.sql`
      select sum(jobs)::int as jobs, sum(amount_kobo)::int as kobo from ledger_entries where kind = 'capture' and hold_id = ${parseId('bat', batch.id)}`;
    expect(captured).toEqual({ jobs: 300, kobo: 300 * 125_00 });
  }, 60_000);

  test('an outage: the batch waits, says so, loses no attempt, and continues by itself', async () => {
    vendor.setScript({ latency_ms: 20 });
    const app = await liveApp();
    const batch = await upload(app, rows(400));
    await waitFor('its first rows', async () => vendor.stats().answered > 20);
    vendor.setScript({ timetable: [{ from_ms: 0, to_ms: 4_000, down: true }] });
    type Shown = typeof batch;
    const shown = await waitFor('the batch to be degraded', async () => {
      const { entity } = (await app.get<Shown>(`/api/v1/batches/${batch.id}`)).body;
      return entity.degraded && entity;
    });
    expect(shown.status).toBe('running');
    expect(Date.parse(shown.next_attempt_at!)).toBeGreaterThan(Date.now() - 4_000);
    expect((await providers()).data.find(({ name }) => name === 'vendor')!.records).toMatchObject([{ health: 'down' }]);
    expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status).toBeGreaterThanOrEqual(424);
    const ended = await app.ended<Shown>(`/api/v1/batches/${batch.id}`);
    expect(ended.counts).toMatchObject({ found: 400, failed: 0 });
    expect([ended.degraded, ended.next_attempt_at]).toEqual([false, null]);
  }, 60_000);

  test('our account with it is empty: the operator sees it, jobs wait', async () => {
    vendor.setScript({ out_of_credit_after: 1 });
    const app = await liveApp();
    expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status).toBe(200);
    const refused = await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    expect([refused.status, (refused.body as unknown as { code: string }).code]).toEqual([503, 'provider_unavailable']);
    expect((await providers()).data.find(({ name }) => name === 'vendor')!.records[0]).toMatchObject({ health: 'paused' });
    const waiting = await app.job({ check: 'nin_basic', input: { nin: freshNin() } });
    const path = `/api/v1/jobs/${waiting.body.entity.id}`;
    await waitFor('the job to wait', async () => (await app.get<JobEntity>(path)).body.entity.status === 'queued');
    // The pause would last a minute.
    vendor.setScript({});
    expect((await api.admin.post('/api/v1/admin/providers/vendor/resume')).status).toBe(200);
    expect((await api.admin.post('/api/v1/admin/providers/nobody/resume')).status).toBe(404);
    await waitFor('the vendor to be asked again', async () => (await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status === 200);
    expect(await app.ended<JobEntity>(`/api/v1/jobs/${waiting.body.entity.id}`)).toMatchObject({ outcome: 'found', billed_amount: 125 });
  });
});

test('an operator pauses a vendor for a while: single calls are refused, jobs wait, and resuming ends it', async () => {
  const app = await liveApp();
  vendor.setScript({});
  const call = async () => (await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).status;
  for (const body of [{ minutes: 0 }, { minutes: 1441 }, { minutes: '5' }, {}])
    expect((await api.admin.post('/api/v1/admin/providers/vendor/pause', body)).status).toBe(400);
  expect((await api.admin.post('/api/v1/admin/providers/nobody/pause', { minutes: 5 })).status).toBe(404);
  expect((await api.admin.post('/api/v1/admin/providers/vendor/pause', { minutes: 5 })).status).toBe(200);
  await waitFor('calls to be refused', async () => (await call()) === 503);
  const asked = vendor.stats().answered;
  const { records } = (await providers()).data.find(({ name }) => name === 'vendor')!;
  expect(records[0]).toMatchObject({ health: 'paused' });
  const waiting = await app.job({ check: 'nin_basic', input: { nin: freshNin() } });
  const path = `/api/v1/jobs/${waiting.body.entity.id}`;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await app.get<JobEntity>(path)).body.entity).toMatchObject({ status: 'queued' });
  expect(vendor.stats().answered).toBe(asked);
  expect((await api.admin.post('/api/v1/admin/providers/vendor/resume')).status).toBe(200);
  await waitFor('calls to be answered', async () => (await call()) === 200);
  expect(await app.ended<JobEntity>(path)).toMatchObject({ outcome: 'found' });
});

test('rows that a long pause has put off go on soon after it is lifted', async () => {
  const app = await liveApp();
  vendor.setScript({ rate_limited_rate: { share: 1, retry_after_seconds: 600 } });
  const batch = await upload(app, rows(20));
  await waitFor('the vendor to be paused', async () => {
    const { records } = (await providers()).data.find(({ name }) => name === 'vendor')!;
    return records[0]!.health === 'paused';
  });
  // Every row: a refusal that is still on its way would pause the vendor again.
  await waitFor('all rows to be put off', async () => {
    const { counts } = (await app.get<BatchEntity>(`/api/v1/batches/${batch.id}`)).body.entity;
    return counts.queued === 20;
  });
  vendor.setScript({});
  expect((await api.admin.post('/api/v1/admin/providers/vendor/resume')).status).toBe(200);
  const ended = await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
  expect(ended.counts).toMatchObject({ found: 20, failed: 0 });
});

describe('messages of vendors', () => {
  test('make the waiting job due, if they are genuine', async () => {
    const app = await liveApp();
    smile.script({ status: 200, body: { success: true } });
    const { body } = await app.job({ check: 'cac_basic', input: { rc_number: RC, company_type: 'COMPANY' } });
    const path = `/api/v1/jobs/${body.entity.id}`;
    const waiting = await waitFor('the job to wait', async () => {
      const job = (await app.get<JobEntity & { next_attempt_at: string | null }>(path)).body.entity;
      return job.status === 'queued' && job.next_attempt_at !== null && job;
    });
    // Otherwise it is polled in a minute.
    expect(Date.parse(waiting.next_attempt_at!) - Date.now()).toBeGreaterThan(30_000);
    const question = smile.requests[0]!.body as { partner_params: { job_id: string; user_id: string }; callback_url: string };
    expect(question.callback_url).toBe('http://127.0.0.1:1/v1/upstreams/smile/callback');
    smile.script(completed(question.partner_params.job_id, companyFound));
    const timestamp = new Date().toISOString();
    const message = { timestamp, signature: signatureAt(timestamp), PartnerParams: question.partner_params };
    const forged = await api.admin.post('/v1/upstreams/smile/callback', { ...message, signature: signatureAt('2026-01-01T00:00:00.000Z') });
    expect([forged.status, (forged.body as unknown as { code: string }).code]).toEqual([401, 'unauthenticated']);
    const taken = await api.admin.post<{ received: boolean }>('/v1/upstreams/smile/callback', message);
    expect([taken.status, taken.body.entity.received]).toEqual([200, true]);
    expect(await app.ended<JobEntity>(path)).toMatchObject({ status: 'completed', outcome: 'found', billed_amount: 120 });
    // It arrives again, as messages do.
    const again = async () => (await api.admin.post<{ received: boolean }>('/v1/upstreams/smile/callback', message)).body.entity.received;
    await waitFor('nobody to wait for it', async () => !(await again()));
  });

  test('are refused unread for vendors that send none, and bounded in size and number for those that do', async () => {
    /** Sends a beginning and announces much more; returns what came back without the rest. */
    const begin = async (provider: string, length: number) => {
      const socket = connect(api.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (data: string) => (text += data));
      socket.on('error', () => {});
      socket.write(
        `POST /v1/upstreams/${provider}/callback HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"a":`,
      );
      return { status: () => Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text: () => text, socket };
    };
    const stranger = await begin('nobody', 1_000_000);
    await waitFor('a refusal', () => stranger.status() === 404);
    const large = await begin('smile', 1024 * 1024 + 1);
    await waitFor('a refusal', () => large.status() === 413);
    const slow = await Promise.all(Array.from({ length: 8 }, () => begin('smile', 1_000)));
    const ninth = await waitFor('a refusal for their number', async () => {
      const next = await begin('smile', 1_000);
      await waitFor('an answer or a slot', () => next.status() > 0 || sleep(50, true));
      return next.status() === 429 && next;
    });
    expect(ninth.text()).toMatch(/retry-after: 5\r\n/i);
    for (const one of slow) expect(one.status()).toBe(0);
    for (const { socket } of [stranger, large, ninth, ...slow]) socket.destroy();
    await waitFor('a slot', async () => (await api.admin.post('/v1/upstreams/smile/callback', { any: 'thing' })).status === 401);
  });

  test('are cut off beyond 1 MiB, announced or not, and after 15 seconds', { timeout: 60_000 }, async () => {
    const begin = () => {
      const socket = connect(api.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (data: string) => (text += data));
      socket.on('error', () => {});
      socket.write(
        'POST /v1/upstreams/smile/callback HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      const write = (bytes: number) => socket.write(`${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`);
      return { write, status: () => Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text: () => text, socket };
    };
    const large = begin();
    for (let i = 0; i < 17; i++) large.write(64 * 1024);
    // Fast enough for any body, but without an end.
    const endless = begin();
    const began = performance.now();
    const writing = setInterval(() => endless.write(24 * 1024), 1_000);
    try {
      await waitFor('a refusal for its size', () => large.status() === 413);
      await waitFor('a refusal for its time', () => endless.status() > 0, 40_000);
    } finally {
      clearInterval(writing);
    }
    expect(performance.now() - began).toBeGreaterThan(14_000);
    expect([endless.status(), endless.text()]).toEqual([400, expect.stringContaining('did not come within 15 s')]);
    for (const { socket } of [large, endless]) socket.destroy();
  });

  test('are accepted only for vendors that send them', async () => {
    for (const name of ['nobody', 'vendor']) {
      const { status, body } = await api.admin.post(`/v1/upstreams/${name}/callback`, { any: 'thing' });
      expect([status, (body as unknown as { code: string }).code]).toEqual([404, 'resource_not_found']);
    }
  });
});
