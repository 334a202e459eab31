/** One Confam as another's vendor, over HTTP, in both modes: the same records, charged once on either side, and nothing for failures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseId, showId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, startApi, type TestApi, type TestApp } from '../setup/api.ts';
import { freshNin } from '../setup/work.ts';

interface Lookup {
  provider: string;
  outcome: string;
  cost_amount: number;
  vendor_status: string | null;
  vendor_reference: string | null;
  answer_sha256: string | null;
}

const A_NAIRA = 100_000;

describe.each(['calls', 'jobs'] as const)('a Confam asks another one, mode %s', (mode) => {
  let a: TestApi;
  let b: TestApi | null;
  /** The app of B that A uses; B's sandbox answers its test key. */
  let account: TestApp;
  let broke: TestApp;
  let folder: string;

  beforeAll(async () => {
    b = await startApi();
    [account, broke] = [await b.createApp(), await b.createApp({ naira: 0 })];
    for (const [name, app] of Object.entries({ ACCOUNT: account, BROKE: broke })) {
      vi.stubEnv(`B_${name}_KEY`, app.key);
      vi.stubEnv(`B_${name}_APP`, app.app);
    }
    const provider = (name: string) => ({
      adapter: 'native',
      base_url: b!.url,
      credentials: { key: { env: `B_${name}_KEY` }, app_id: { env: `B_${name}_APP` } },
      options: { mode },
      timeout_ms: 5_000,
      cost_kobo: { nin: 125_00, bvn: 95_00 },
    });
    folder = mkdtempSync(join(tmpdir(), 'confam-upstreams-'));
    const path = join(folder, 'upstreams.json');
    const file = {
      providers: { partner: provider('ACCOUNT'), broke: provider('BROKE') },
      records: { nin: ['partner'], bvn: ['partner'], cac: ['broke'] },
    };
    writeFileSync(path, JSON.stringify(file));
    a = await startApi({ CONFAM_UPSTREAMS: path, CONFAM_SYNC_WAIT_MS: '500', CONFAM_JOB_FAILURES_MAX: '2' });
  });
  afterAll(async () => {
    expect(await a.drift()).toBe(0);
    await a.stop();
    await b?.stop();
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });

  async function liveApp(): Promise<Client> {
    const app = await a.createApp({ naira: 0 });
    await topUp(a.service.sql, { appId: parseId('app', app.app)!, live: true }, A_NAIRA * 100, null);
    return app.live;
  }

  /** What was taken from either wallet meanwhile, in naira, with nothing left on hold. */
  async function charged(app: Client, work: () => Promise<unknown>): Promise<{ byA: number; byB: number }> {
    const [mine, theirs] = [await app.wallet(), await account.wallet()];
    await work();
    const [mineAfter, theirsAfter] = [await app.wallet(), await account.wallet()];
    expect([mineAfter.held, theirsAfter.held]).toEqual([0, 0]);
    return { byA: mine.available - mineAfter.available, byB: theirs.available - theirsAfter.available };
  }

  async function trailOf(app: Client): Promise<Lookup[]> {
    const [row] = await a.service.sql<{ id: string }[]>`
      select job_id as id from provider_lookups l join jobs j on j.id = l.job_id where j.app_id = ${parseId('app', app.app)!} order by l.id desc limit 1`;
    return (await a.admin.get<{ data: Lookup[] }>(`/api/v1/admin/jobs/${showId('job', row!.id)}/lookups`)).body.entity.data;
  }

  test.each([
    ['nin_basic', (id: string) => `/api/v1/kyc/nin?nin=${id}`, 125, 125],
    ['nin_premium', (id: string) => `/api/v1/kyc/nin/premium?nin=${id}`, null, 125],
    ['bvn_advance', (id: string) => `/api/v1/kyc/bvn/advance?bvn=${id}`, null, 95],
  ] as const)('%s is the record that B itself gives, charged once on both sides, with a trail', async (_, path, price, cost) => {
    const app = await liveApp();
    const id = freshNin();
    let entity: Entity = {};
    const first = await charged(app, async () => {
      const { status, body } = await app.get(path(id));
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.cached).toBe(false);
      entity = body.entity;
      expect(body.billed_amount).toBe(price ?? body.billed_amount);
    });
    expect(first.byA).toBeGreaterThan(0);
    expect(first.byB).toBe(first.byA);
    const [lookup, ...more] = await trailOf(app);
    expect(more).toEqual([]);
    expect(lookup).toMatchObject({ provider: 'partner', outcome: 'found', cost_amount: cost });
    expect(lookup!.answer_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(lookup!.vendor_reference).toMatch(mode === 'calls' ? /^req_/ : /^job_/);
    // Again: A's own cache answers, B is not asked.
    expect((await charged(app, () => app.get(path(id)))).byB).toBe(0);
    const direct = await (await b!.createApp()).get(path(id));
    expect(entity).toEqual(direct.body.entity);
  });

  test('a job and a batch of A are charged once per row on both sides', async () => {
    const app = await liveApp();
    const both = await charged(app, async () => {
      const job = (await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
      expect(await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`)).toMatchObject({ outcome: 'found', billed_amount: 125 });
      const rows = [...Array.from({ length: 30 }, freshNin), '00000000001'];
      const batch = (await app.csv('checks=nin_basic', ['nin', ...rows].join('\n'))).body.entity;
      const ended = await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
      expect(ended.counts).toMatchObject({ found: 30, not_found: 1, failed: 0 });
    });
    expect(both).toEqual({ byA: 31 * 125, byB: 31 * 125 });
  });

  test('a record that B does not have is a 404, free on both sides, with a trail', async () => {
    const app = await liveApp();
    const both = await charged(app, async () => {
      const { status, body } = await app.get('/api/v1/kyc/nin?nin=00000000001');
      expect([status, body.code]).toEqual([404, 'record_not_found']);
    });
    expect(both).toEqual({ byA: 0, byB: 0 });
    expect(await trailOf(app)).toMatchObject([{ provider: 'partner', outcome: 'not_found', cost_amount: 0 }]);
  });

  test('an empty wallet with B is 503, nothing charged, and the operator sees why', async () => {
    const app = await liveApp();
    const both = await charged(app, async () => {
      const { status, body } = await app.get('/api/v1/kyc/cac/basic?rc_number=1432074&company_type=COMPANY');
      expect([status, body.code]).toEqual([503, 'provider_unavailable']);
    });
    expect(both).toEqual({ byA: 0, byB: 0 });
    expect(await trailOf(app)).toMatchObject([{ provider: 'broke', outcome: 'out_of_credit', cost_amount: 0 }]);
    expect(await broke.wallet()).toMatchObject({ available: 0, held: 0 });
  });

  test('with B gone: 424 or 503, and nothing is charged', async () => {
    const app = await liveApp();
    await b!.stop();
    b = null;
    const { status, body } = await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    expect([`424 provider_failed`, `503 provider_unavailable`]).toContain(`${status} ${body.code}`);
    expect(await app.wallet()).toMatchObject({ available: A_NAIRA, held: 0 });
  });
});
