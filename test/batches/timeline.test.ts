/** The course of a batch over time: what samples and changes of state leave, and what is read from them. */
import { describe, expect, test } from 'vitest';
import { sampleRunning } from '../../src/batches/timeline.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { type BatchEntity, useApi } from '../setup/api.ts';

const api = useApi();

interface Point {
  at: string;
  found: number;
  not_found: number;
  failed: number;
  canceled: number;
}

const csv = (rows: number) => `nin\n${Array.from({ length: rows }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n00000000001\n`;

describe('a timeline', () => {
  test('goes from the start with nothing done to the end with everything, and is the app’s own', async () => {
    const app = await api.createApp({ naira: 100_000 });
    const made = (await app.csv('checks=nin_basic&start=manual', csv(40))).body.entity as unknown as BatchEntity;
    const path = `/api/v1/batches/${made.id}`;
    const read = async () => (await app.get<{ data: Point[] }>(`${path}/timeline`)).body.entity.data;
    expect(await read()).toEqual([]);
    await app.post(`${path}/start`);
    const batch = await app.ended<BatchEntity & { started_at: string; completed_at: string }>(path);
    const points = await read();
    expect(points[0]).toEqual({ at: batch.started_at, found: 0, not_found: 0, failed: 0, canceled: 0 });
    expect(points.at(-1)).toEqual({ at: batch.completed_at, found: 40, not_found: 1, failed: 0, canceled: 0 });
    expect((await (await api.createApp()).get(`${path}/timeline`)).status).toBe(404);

    // Of a batch that ran for an hour with a sample a second, 240 points are left, in order.
    const { sql } = api.service;
    const id = parseId('bat', made.id)!;
    await sql`update batches set started_at = completed_at - interval '1 hour' where id = ${id}`;
    await sql`
      insert into batch_samples (batch_id, at, found, not_found, failed, canceled)
      select b.id, b.started_at + n * interval '1 second', n / 100, 0, 0, 0 from batches b, generate_series(1, 3599) n where b.id = ${id}`;
    const thinned = await read();
    expect(thinned.length).toBeGreaterThan(200);
    expect(thinned.length).toBeLessThanOrEqual(240);
    expect(thinned.map(({ at }) => at)).toEqual(thinned.map(({ at }) => at).toSorted());
    expect([thinned[0]!.found, thinned.at(-1)!.found]).toEqual([0, 40]);
  });

  test('has the counts at each change of state', async () => {
    const app = await api.createApp({ naira: 100_000 });
    const made = (await app.csv('checks=nin_basic&start=manual', csv(10))).body.entity as unknown as BatchEntity;
    const { sql } = api.service;
    const id = parseId('bat', made.id)!;
    // Its lanes stay closed, so that nothing runs.
    await sql`update batches set status = 'running', started_at = now() - interval '60 seconds' where id = ${id}`;
    await sql`update batches set queued = queued - 3, completed = 3, found = 2, not_found = 1 where id = ${id}`;
    await sql`update batches set status = 'paused', paused_at = now() where id = ${id}`;
    const { data } = (await app.get<{ data: Point[] }>(`/api/v1/batches/${made.id}/timeline`)).body.entity;
    expect(data.slice(-2).map(({ found, not_found }) => [found, not_found])).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });

  test('is sampled every two seconds at most, and less often once a batch has run for long', async () => {
    const app = await api.createApp({ naira: 100_000 });
    const made = (await app.csv('checks=nin_basic&start=manual', csv(10))).body.entity as unknown as BatchEntity;
    const { sql } = api.service;
    const id = parseId('bat', made.id)!;
    const samples = async () => (await sql`select 1 from batch_samples where batch_id = ${id}`).length;
    await sampleRunning(api.service);
    expect(await samples()).toBe(0);
    await sql`update batches set status = 'running', started_at = now() - interval '10 minutes' where id = ${id}`;
    await Promise.all([sampleRunning(api.service), sampleRunning(api.service)]);
    const first = await samples();
    await sampleRunning(api.service);
    expect(await samples()).toBe(first);
    await sql`update batch_samples set at = at - interval '4 seconds' where batch_id = ${id}`;
    await sampleRunning(api.service);
    expect(await samples()).toBe(first);
    await sql`update batch_samples set at = at - interval '3 seconds' where batch_id = ${id}`;
    await sampleRunning(api.service);
    expect(await samples()).toBe(first + 1);
  });
});
