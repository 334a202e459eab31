/** What a key with terms may not do by a detour: through another key's batch, answer, link or stream, or through people. */
import { describe, expect, test } from 'vitest';
import { type BatchEntity, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();

/** A key that the operator made with these terms. */
async function keyWith(app: TestApp, terms: object, mode = 'test') {
  const made = await api.admin.post<{ id: string; key: string }>(`/api/v1/admin/apps/${app.app}/keys`, { mode, ...terms });
  expect(made.status, made.text).toBe(201);
  const { id, key } = made.body.entity;
  return { ...openClient(api.url, app.app, key), id };
}

describe('a key limited to some scopes', () => {
  test('waits for a job only if it may read the result', async () => {
    const app = await api.createApp();
    const wait = { Prefer: 'wait=10' };
    const submit = (client: Pick<TestApp, 'post'>, headers = {}) =>
      client.post<JobEntity>('/api/v1/jobs', { check: 'nin_basic', input: { nin: freshNin() } }, headers);
    const [writer, reader] = [
      await keyWith(app, { scopes: ['batches:write'] }),
      await keyWith(app, { scopes: ['batches:write', 'results:read'] }),
    ];
    const refused = await submit(writer, wait);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      403,
      'forbidden',
      [{ path: 'Authorization', message: 'results:read', rule: 'scope' }],
    ]);
    expect((await app.get<{ data: object[] }>('/api/v1/jobs')).body.entity.data).toEqual([]);
    expect((await submit(writer)).status).toBe(202);
    const answered = await submit(reader, wait);
    expect([answered.status, answered.body.entity.result]).toEqual([200, expect.objectContaining({ nin: expect.any(String) })]);
  });

  test('gets the file of everything about a person with `privacy`, and without it neither with `results:read`', async () => {
    const app = await api.createApp();
    const nin = freshNin();
    await app.get(`/api/v1/kyc/nin?nin=${nin}`);
    const identifiers = [{ type: 'nin', value: nin }];
    const { id } = (await app.post<{ id: string }>('/api/v1/subjects/export', { identifiers })).body.entity;
    const path = `/api/v1/subjects/exports/${id}`;
    await waitFor('the export', async () => (await app.get(path)).body.entity.status === 'done');
    const [reader, keeper] = [await keyWith(app, { scopes: ['results:read'] }), await keyWith(app, { scopes: ['privacy'] })];
    const refused = await reader.get(`${path}/file`);
    expect([refused.status, refused.body.error]).toEqual([403, 'This key lacks the scope privacy']);
    expect((await keeper.get(`${path}/file`)).text).toContain(nin);
  });
});

describe('a key limited to some checks', () => {
  test('neither starts, resumes nor retries a batch of other checks, whoever submitted it', async () => {
    const app = await api.createApp();
    const [limited, other] = [await keyWith(app, { checks: ['nin_basic'] }), await keyWith(app, { checks: ['nin_basic', 'nin_advance'] })];
    const upload = async (checks: string) =>
      (await app.csv(`checks=${checks}&start=manual`, `nin\n${freshNin()}\n`)).body.entity as BatchEntity;
    const { id } = await upload('nin_basic,nin_advance');
    const verb = (client: Pick<TestApp, 'post'>, name: string, of = id) => client.post<BatchEntity>(`/api/v1/batches/${of}/${name}`);
    for (const name of ['start', 'resume', 'retry']) {
      const refused = await verb(limited, name);
      expect([refused.status, refused.body.error, refused.body.details]).toEqual([
        403,
        'This key may not run nin_advance',
        [{ path: 'check', message: 'nin_advance', rule: 'check' }],
      ]);
    }
    expect((await app.get<BatchEntity>(`/api/v1/batches/${id}`)).body.entity.status).toBe('awaiting_start');
    expect((await verb(limited, 'start', (await upload('nin_basic')).id)).status).toBe(200);
    expect((await verb(other, 'start')).status).toBe(200);
    const canceled = await upload('nin_advance');
    expect((await verb(limited, 'cancel', canceled.id)).status).toBe(200);
  });
});
