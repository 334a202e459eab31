/** What an app stores, how much it may, and how near the estimate is to what Postgres says. */
import { describe, expect, test } from 'vitest';
import { type BatchEntity, type TestApp, useApi } from '../setup/api.ts';

const api = useApi();

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

/** Tables and indexes that hold rows and results. */
const sizeOnDisk = async (): Promise<number> => {
  const [row] = await api.service.sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(t::regclass))::bigint as bytes from unnest(array['jobs', 'results', 'row_blocks', 'ledger_entries']) t`;
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
    expect(used / grown).toBeGreaterThan(0.6);
    expect(used / grown).toBeLessThan(1.4);
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
});
