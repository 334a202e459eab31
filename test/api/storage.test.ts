/** What an app stores, how much it may, and how near the estimate is to what Postgres says. */
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { StorageQuota } from '../../src/batches/storage.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type JobEntity, type TestApp, useApi } from '../setup/api.ts';

// Nothing looks for a face in the picture made here.
const api = useApi({ CONFAM_FACE_MODELS: '/nowhere' });
let drawn: Buffer;
beforeAll(async () => {
  drawn = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#406080' } })
    .png()
    .toBuffer();
});

interface Usage {
  storage: { used_bytes: number; quota_bytes: number | null };
}

const storageOf = async (app: TestApp) => (await app.get<Usage>('/api/v1/usage')).body.entity.storage;
const rows = (count: number, from: number): string => Array.from({ length: count }, (_, i) => `r${i},${from + i * 7}\n`).join('');

async function run(app: TestApp, count: number, from: number): Promise<void> {
  const { status, body, text } = await app.csv('checks=nin_basic', `reference,nin\n${rows(count, from)}`);
  expect(status, text).toBe(202);
  await app.ended<BatchEntity>(`/api/v1/batches/${body.entity.id}`);
}

/** Tables and indexes that hold rows and results, without old versions of rows: how many of those are left depends on when Postgres last vacuumed. */
const sizeOnDisk = async (): Promise<number> => {
  await api.service.sql`vacuum full jobs, results, result_blocks, row_blocks, ledger_entries`;
  const [row] = await api.service.sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(p.relid))::bigint as bytes
    from unnest(array['jobs', 'results', 'result_blocks', 'row_blocks', 'ledger_entries']) t, pg_partition_tree(t::regclass) p`;
  return row!.bytes;
};

describe('what an app stores', () => {
  test('is shown with its quota, and is about what Postgres says', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    expect(await storageOf(app)).toEqual({ used_bytes: 0, quota_bytes: null });
    const before = await sizeOnDisk();
    await run(app, 4_000, 40_000_000_000);
    const grown = (await sizeOnDisk()) - before;
    const { used_bytes: used } = await storageOf(app);
    // On a busy machine chunks are smaller, so results are stored in smaller blocks, which take more room in all.
    expect(used / grown).toBeGreaterThan(0.5);
    expect(used / grown).toBeLessThan(1.25);
    expect((await app.get('/api/v1/kyc/nin?nin=70123456789')).status).toBe(200);
    expect((await storageOf(app)).used_bytes).toBeGreaterThan(used);
  });

  test('is bounded: an upload beyond the quota is refused and leaves nothing', async () => {
    const app = await api.createApp({ naira: 1_000_000, settings: { storageGb: 0.001 } });
    await run(app, 500, 41_000_000_000);
    const { used_bytes: used } = await storageOf(app);
    const wallet = await app.wallet();
    const refused = await app.csv('checks=nin_basic', `reference,nin\n${rows(2_000, 42_000_000_000)}`);
    expect([refused.status, refused.body.code]).toEqual([403, 'storage_quota_exceeded']);
    expect(refused.body).toMatchObject({ limit_bytes: 1_000_000, left_bytes: 1_000_000 - used });
    expect(await storageOf(app)).toEqual({ used_bytes: used, quota_bytes: 1_000_000 });
    expect(await app.wallet()).toEqual(wallet);
    expect((await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data).toHaveLength(1);
    // What fits is accepted; single calls are never refused for it.
    expect((await app.csv('checks=nin_basic', `reference,nin\n${rows(10, 43_000_000_000)}`)).status).toBe(202);
    expect((await app.get('/api/v1/kyc/nin?nin=70123456789')).status).toBe(200);
  });

  test('bounds whatever else stays: jobs, portraits, clearances, comments, monitors; decisions are never refused', async () => {
    const app = await api.createApp({ settings: { reviews: { amlLevel: 'HIGH' } } });
    const listed = { name: 'Musa Danjumare Balarabewa', date_of_birth: '1968-03-14', country: 'NG' };
    const screening = (await app.job({ check: 'aml_screening', input: listed })).body.entity;
    await app.ended<JobEntity>(`/api/v1/jobs/${screening.id}`);
    const [review] = (await app.get<{ data: { id: string }[] }>('/api/v1/reviews')).body.entity.data;
    const hit = (
      (await app.get<JobEntity>(`/api/v1/jobs/${screening.id}`)).body.entity.result!.hits as { list: string; source_id: string }[]
    )[0]!;
    const asks = {
      job: () => app.job({ check: 'nin_basic', input: { nin: '70123456789' } }),
      portrait: () =>
        app.send('PUT', '/api/v1/sandbox/portraits/nin/70123456789', { body: drawn, headers: { 'Content-Type': 'image/png' } }),
      comment: () => app.post(`/api/v1/reviews/${review!.id}/comment`, { text: 'Asked the branch' }),
      clearance: () =>
        app.post('/api/v1/aml/clearances', {
          job: screening.id,
          list: hit.list,
          source_id: hit.source_id,
          reason: 'Another man',
          cleared_by: 'A',
        }),
      monitor: () => app.post('/api/v1/aml/screening', { ...listed, name: 'Morenike Precious Durojaiye', monitor: true }),
    };
    // Each takes room.
    for (const [name, ask] of Object.entries(asks)) {
      const { used_bytes: before } = await storageOf(app);
      const { status, body, text } = await ask();
      expect(status, `${name}: ${text}`).toBeLessThan(300);
      if (name === 'job') await app.ended<JobEntity>(`/api/v1/jobs/${(body.entity as unknown as JobEntity).id}`);
      expect((await storageOf(app)).used_bytes - before, name).toBeGreaterThanOrEqual(600);
    }
    await api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      body: JSON.stringify({ settings: { storageGb: 0.000001 } }),
      headers: { 'Content-Type': 'application/json' },
    });
    const { used_bytes: full } = await storageOf(app);
    const wallet = await app.wallet();
    for (const [name, ask] of Object.entries(asks)) {
      const { status, body } = await ask();
      expect([name, status, body.code]).toEqual([name, 403, 'storage_quota_exceeded']);
    }
    expect(await app.wallet()).toEqual(wallet);
    expect((await storageOf(app)).used_bytes).toBe(full);
    const decided = await app.post(`/api/v1/reviews/${review!.id}/decide`, { decision: 'approve', reason: 'Seen in person' });
    expect(decided.status, decided.text).toBe(200);
    expect((await app.post('/api/v1/aml/screening', listed)).status).toBe(200);
  });

  test('is counted for each request only near the quota', async () => {
    const appId = parseId('app', (await api.createApp()).app)!;
    let readings = 0;
    const sql = new Proxy(api.service.sql, {
      apply(target, self, values) {
        readings++;
        return Reflect.apply(target, self, values);
      },
    });
    const quota = new StorageQuota();
    const ask = (storageGb: number, bytes: number) => quota.refuseBeyond(sql, { appId, settings: { storageGb } }, bytes);
    for (let i = 0; i < 50; i++) await ask(0.001, 10_000);
    expect(readings).toBe(1);
    // What was let in counts: from here on it may be near the quota.
    for (let i = 0; i < 3; i++) await ask(0.001, 500_000);
    expect(readings).toBe(4);
    await expect(ask(0.001, 1_000_001)).rejects.toMatchObject({ code: 'storage_quota_exceeded' });
    expect(readings).toBe(5);
  });
});
