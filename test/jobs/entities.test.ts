/** Entities with images: sealed apart, shown as one. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { knownCheck } from '../../src/checks/catalog.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId, parseId } from '../../src/foundation/ids.ts';
import { openEntity, sealEntity, tableReader } from '../../src/jobs/entities.ts';
import { type BatchEntity, type JobEntity, useApi } from '../setup/api.ts';
import { openDirectly } from '../setup/keys.ts';
import { storeAlone } from '../setup/work.ts';

describe('sealing', () => {
  const cipher = openDirectly(`1:${newSecretKey()}`, newSecretKey());
  const check = knownCheck('nin_advance');
  const id = newId();
  const found = { nin: '70000000001', photo: 'cG9y'.repeat(500), surname: 'EZEH', signature: '', residence_state: 'Imo' };

  test('puts images back in their places, in the order of the members', () => {
    const sealed = sealEntity(cipher, check, id, found);
    const opened = openEntity(cipher, { ...sealed, entityOf: id });
    expect(JSON.stringify(opened)).toBe(JSON.stringify(found));
    expect(tableReader(cipher, check)({ ...sealed, entityOf: id })).toEqual({ ...found, photo: null });
  });

  test('makes one ciphertext if there is no image, or only a small one', () => {
    const plain = { ...found, photo: 'cG9y' };
    const sealed = sealEntity(cipher, check, id, plain);
    expect(sealed.entityImages).toBeNull();
    expect(tableReader(cipher, check)({ ...sealed, entityOf: id })).toEqual({ ...plain, photo: '' });
    expect(openEntity(cipher, { ...sealed, entityOf: id })).toEqual(plain);
  });

  test('binds both to the job, and neither replaces the other', () => {
    const { entity, entityImages } = sealEntity(cipher, check, id, found);
    const other = sealEntity(cipher, check, newId(), found);
    expect(() => openEntity(cipher, { entity, entityImages: other.entityImages, entityOf: id })).toThrow();
    expect(() => openEntity(cipher, { entity: other.entity, entityImages, entityOf: id })).toThrow();
    expect(() => openEntity(cipher, { entity: entityImages, entityImages: entity, entityOf: id })).toThrow();
  });

  test('reads images sealed as JSON, from before packing', () => {
    const { photo, ...rest } = found;
    const entity = cipher.seal(JSON.stringify({ ...rest, photo: null }), 'entity', id);
    const entityImages = cipher.seal(JSON.stringify({ photo }), 'entity_images', id);
    expect(openEntity(cipher, { entity, entityImages, entityOf: id })).toEqual(found);
  });

  test('reads entities sealed as one, from before the separation', () => {
    const whole = cipher.seal(JSON.stringify(found), 'entity', id);
    expect(openEntity(cipher, { entity: whole, entityImages: null, entityOf: id })).toEqual(found);
  });
});

describe('a row whose record has a portrait', () => {
  const api = useApi();

  test('is streamed as JSON Lines in pieces if many portraits are large, each row once and in its place', async () => {
    const app = await api.createApp();
    const nins = Array.from({ length: 30 }, (_, i) => String(70_323_450_000 + i * 7));
    const made = await app.post<BatchEntity>('/api/v1/batches?checks=nin_advance', `nin\n${nins.join('\n')}\n`, {
      'Content-Type': 'text/csv',
    });
    const { id } = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
    const { sql } = api.service;
    const jobs = await sql<{ id: string; rowNumber: number }[]>`select id, row_number from jobs where batch_id = ${parseId('bat', id)}`;
    const photos = new Map(jobs.map(({ rowNumber }) => [rowNumber, randomBytes(20_000 + 100 * rowNumber).toString('base64')]));
    for (const job of jobs) await storeAlone(api.service, job.id, 'nin_advance', { photo: photos.get(job.rowNumber) });
    const text = (await app.get(`/api/v1/batches/${id}/results?format=jsonl`)).text;
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ row }) => row)).toEqual(nins.map((_, i) => i + 1));
    for (const { row, input, checks } of lines) {
      expect(input.nin).toBe(nins[row - 1]);
      expect(checks.nin_advance.entity.photo === photos.get(row), `photo of row ${row}`).toBe(true);
    }
  });

  test('shows it in jobs, JSON Lines and from the cache; tables do not read it', async () => {
    const app = await api.createApp();
    const nin = '70323456789';
    const made = await app.post<BatchEntity>('/api/v1/batches?checks=nin_advance', `nin\n${nin}\n`, { 'Content-Type': 'text/csv' });
    const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
    const path = `/api/v1/batches/${batch.id}`;
    const job = (await app.get<{ data: JobEntity[] }>(`${path}/jobs`)).body.entity.data[0]!;
    const { sql } = api.service;
    const jobId = parseId('job', job.id)!;
    // As large as registries send them.
    const entity = { ...(job.result as object), photo: randomBytes(15_000).toString('base64') };
    await storeAlone(api.service, jobId, 'nin_advance', entity);
    const [stored] =
      await sql`select octet_length(entity) as rest, octet_length(entity_images) as images from results where job_id = ${jobId}`;
    expect(stored!.images).toBeGreaterThan(20 * stored!.rest);
    expect((await app.get<JobEntity>(`/api/v1/jobs/${job.id}`)).body.entity.result).toEqual(entity);
    const line = JSON.parse((await app.get(`${path}/results?format=jsonl`)).text);
    expect(line.checks.nin_advance.entity).toEqual(entity);
    const again = (await app.get<{ photo: string }>(`/api/v1/kyc/nin/advance?nin=${nin}`)).body as unknown as {
      cached: boolean;
      entity: object;
    };
    expect(again).toMatchObject({ cached: true, entity });

    // A table is written without noticing that the portrait does not open.
    await sql`update results set entity_images = '\\x00' where job_id = ${jobId}`;
    const csv = (await app.get(`${path}/results`)).text;
    expect(csv).toContain(nin);
    expect(csv).not.toContain(entity.photo.slice(0, 40));
    expect((await app.get(`${path}/results?format=xlsx`)).status).toBe(200);
    expect((await app.get(`/api/v1/jobs/${job.id}`)).status).toBe(500);
  });
});
