/** Results in messages, encrypted to the receiver: what is in them, who may have them sent, and for how long. */
import { calculateJwkThumbprint, compactDecrypt, exportJWK, generateKeyPair, type JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { parseId } from '../../src/foundation/ids.ts';
import type { AppSettings } from '../../src/schema/apps.ts';
import { type BatchEntity, type Client, type Entity, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { signedInAs } from '../setup/browser.ts';
import { waitFor } from '../setup/database.ts';
import {
  create,
  DELIVERIES,
  deliveriesOf,
  ENDPOINTS,
  type EndpointEntity,
  type List,
  NIN,
  patch,
  type Received,
  read,
  runJob,
  settled,
  startReceiver,
} from '../setup/webhooks.ts';

const api = useApi({ CONFAM_WEBHOOK_PRIVATE_ANSWERS: 'true' });

const X25519 = { crv: 'X25519', extractable: true };
const newKey = async (): Promise<JWK> => exportJWK((await generateKeyPair('ECDH-ES+A256KW', X25519)).publicKey);

/** Another key of the app. */
async function keyWith(app: TestApp, scopes: string[]): Promise<Client & { id: string }> {
  const { id, key } = (await app.post<{ id: string; key: string }>('/api/v1/keys', { scopes })).body.entity;
  return { ...openClient(api.url, app.app, key), id };
}

const isKeyed = ({ message }: Received) => 'encrypted' in message.data;

describe('results', () => {
  /** What the receiver reads, and what anybody on the way sees. */
  async function run(keyPair: Awaited<ReturnType<typeof generateKeyPair>>) {
    const app = await api.createApp();
    const { received, url } = await startReceiver();
    const encryption_key = { ...(await exportJWK(keyPair.publicKey)), kid: 'key-1' };
    const { id } = await create(app, { url, encryption_key });
    const decrypt = async ({ message }: Received) => {
      const { plaintext, protectedHeader } = await compactDecrypt(String(message.data.encrypted), keyPair.privateKey);
      return { header: protectedHeader, payload: JSON.parse(new TextDecoder().decode(plaintext)) };
    };
    return { app, id, received, decrypt };
  }

  test.each([
    ['RSA-OAEP-256', { modulusLength: 3_072 }],
    ['ECDH-ES+A256KW', { crv: 'P-256' }],
    ['ECDH-ES+A256KW', { crv: 'X25519' }],
  ])('travel encrypted to the receiver’s key: %s %o', async (alg, options) => {
    const { app, id, received, decrypt } = await run(await generateKeyPair(alg, { ...options, extractable: true }));
    const job = await runJob(app);
    await settled(app, id, 1);
    const { header, payload } = await decrypt(received[0]!);
    expect(header).toMatchObject({ alg, enc: 'A256GCM', kid: 'key-1' });
    expect(payload).toEqual({ result: job.result });
    for (const personal of [NIN, 'Morenike', 'Durojaiye']) expect(received[0]!.body).not.toContain(personal);
    const { encrypted, ...thin } = received[0]!.message.data;
    expect(thin).toMatchObject({ id: job.id, status: 'completed', outcome: 'found' });
    const stored = await api.service.sql<{ data: Entity }[]>`select data from events where app_id = ${parseId('app', app.app)}`;
    expect(JSON.stringify(stored)).not.toContain('encrypted');
    const strangers = await generateKeyPair(alg, { ...options, extractable: true });
    await expect(compactDecrypt(String(encrypted), strangers.privateKey)).rejects.toThrow();
  });

  test('of a batch come in row order, as far as they fit', async () => {
    const { app, id, received, decrypt } = await run(await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true }));
    const submit = async (nins: string[], check: string) => {
      const batch = (await app.csv(`checks=${check}`, ['nin', ...nins].join('\n'))).body.entity;
      await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
      return batch;
    };
    const nins = Array.from({ length: 600 }, (_, i) => String(40_000_000_000 + i * 7));
    const small = await submit(nins.slice(0, 3), 'nin_basic');
    await settled(app, id, 1);
    const first = (await decrypt(received[0]!)).payload;
    expect(first).toMatchObject({ truncated: false, results_url: `/api/v1/batches/${small.id}/results?format=jsonl` });
    expect(first.results.map((result: JobEntity) => result.row)).toEqual([1, 2, 3]);
    const page = await app.get<List<JobEntity>>(`/api/v1/batches/${small.id}/jobs`);
    expect(first.results.map((result: JobEntity) => result.result)).toEqual(page.body.entity.data.map(({ result }) => result));

    await submit(nins, 'nin_advance');
    await settled(app, id, 2);
    const second = (await decrypt(received[1]!)).payload;
    expect(second.truncated).toBe(true);
    expect(second.results.length).toBeGreaterThan(50);
    expect(second.results.length).toBeLessThan(600);
    expect(JSON.stringify(second).length).toBeLessThan(300_000);
    for (const { body } of received) expect(body).not.toContain(nins[0]);
  });

  test('do not go to an endpoint without a key, nor with events that have none', async () => {
    const { app, id, received } = await run(await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256', extractable: true }));
    const plain = await startReceiver();
    const { id: plainId } = await create(app, { url: plain.url });
    await runJob(app);
    for (const endpoint of [id, plainId]) expect((await app.post(`${ENDPOINTS}/${endpoint}/test`)).status).toBe(202);
    await settled(app, id, 2);
    await settled(app, plainId, 2);
    expect(plain.received.filter(({ message }) => 'encrypted' in message.data)).toEqual([]);
    expect(received.filter(({ message }) => 'encrypted' in message.data).map(({ message }) => message.type)).toEqual(['job.completed']);
    await patch(app, id, { encryption_key: null });
    await runJob(app);
    await settled(app, id, 3);
    expect(received.at(-1)!.message.data).not.toHaveProperty('encrypted');
  });
});

describe('an encryption key', () => {
  test('is set, and messages to it are sent again, only by keys that may read results', async () => {
    const app = await api.createApp();
    const { received, url } = await startReceiver();
    const encryption_key = await newKey();
    const { id } = await create(app, { url, encryption_key });
    await runJob(app);
    const [delivery] = await settled(app, id, 1);
    const narrow = await keyWith(app, ['webhooks']);
    const plain = await create(narrow, { url: 'https://example.com/plain' });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    for (const refused of [
      await narrow.post(ENDPOINTS, { url, encryption_key: await newKey() }),
      await patch(narrow, plain.id, { encryption_key }),
      await patch(narrow, id, { encryption_key: await newKey() }),
      await narrow.post(`${ENDPOINTS}/${id}/replay`, { since }),
      await narrow.post(`${DELIVERIES}/${delivery!.id}/redeliver`),
    ]) {
      expect([refused.status, refused.body.code], refused.text).toEqual([403, 'forbidden']);
      expect(refused.body.error).toBe('This key lacks the scope results:read');
      expect(refused.body.details).toEqual([{ path: 'Authorization', message: 'results:read', rule: 'scope' }]);
    }
    // What concerns no results stays open to it.
    expect((await narrow.post(`${ENDPOINTS}/${plain.id}/replay`, { since })).status).toBe(202);
    expect((await patch(narrow, id, { description: 'Orders', encryption_key: null })).body.entity).toMatchObject({ results: null });
    expect(await read(app, plain.id)).toMatchObject({ encryption_key: null, results: null });
    expect(received.filter(isKeyed)).toHaveLength(1);
    const { data } = (await app.get<List<Entity>>(`/api/v1/audit?actor=${narrow.id}`)).body.entity;
    const refusals = data.filter(({ outcome }) => outcome === 'refused').map(({ action }) => action);
    expect(refusals.sort()).toEqual(['webhook.create', 'webhook.resend', 'webhook.resend', 'webhook.update', 'webhook.update']);
  });

  test.each<[string, AppSettings, { person: number; key: number }, RegExp]>([
    ['nothing', {}, { person: 201, key: 201 }, /^$/],
    ['a reason to see data in clear', { revealNeedsReason: true }, { person: 403, key: 201 }, /only with a reason or an approval/],
    ['an approval to see data in clear', { approveReveal: true }, { person: 403, key: 201 }, /only with a reason or an approval/],
    ['an approval of exports', { approveExport: true }, { person: 403, key: 403 }, /requires an approval for every export/],
  ])('may be set where the app demands %s: by a person, by a key', async (_, settings, allowed, why) => {
    const app = await api.createApp({ settings });
    const { browser } = await signedInAs(api, app, 'operator');
    const encryption_key = await newKey();
    const url = 'https://example.com/results';
    for (const [status, answer] of [
      [allowed.person, await browser.post<EndpointEntity>(ENDPOINTS, { url, encryption_key })],
      [allowed.key, await app.post<EndpointEntity>(ENDPOINTS, { url, encryption_key })],
    ] as const) {
      expect(answer.status, answer.text).toBe(status);
      if (status === 201) expect(answer.body.entity.results).toBe('sent');
      else expect(answer.body.error).toMatch(why);
    }
    const made = await browser.post<EndpointEntity>(ENDPOINTS, { url });
    expect(made.status).toBe(201);
    const changed = await browser.send<EndpointEntity>('PATCH', `${ENDPOINTS}/${made.body.entity.id}`, { encryption_key });
    expect(changed.status).toBe(allowed.person === 201 ? 200 : 403);
    expect((await read(app, made.body.entity.id)).encryption_key === null).toBe(allowed.person !== 201);
  });
});

describe('results are withheld', () => {
  /** An endpoint with a key set by `maker`, and what a job's message to it carries. */
  async function keyedBy(app: TestApp, make: (body: Entity) => Promise<{ body: { entity: EndpointEntity } }>) {
    const { received, url } = await startReceiver();
    const encryption_key = await newKey();
    const { id } = (await make({ url, encryption_key })).body.entity;
    const sends = async () => {
      const { results } = await read(app, id);
      const count = received.length + 1;
      await runJob(app);
      await settled(app, id, count);
      expect(received).toHaveLength(count);
      expect(isKeyed(received.at(-1)!)).toBe(results === 'sent');
      return results;
    };
    expect(await sends()).toBe('sent');
    return { id, received, sends, encryption_key };
  }

  const setKey = (app: TestApp, id: string, body: Entity) =>
    app.send('PATCH', `/api/v1/keys/${id}`, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const setApp = (app: TestApp, settings: AppSettings) =>
    api.admin.send('PATCH', `/api/v1/admin/apps/${app.app}`, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ settings }),
    });

  test.each<[string, (app: TestApp, key: string) => Promise<{ status: number }>]>([
    ['is revoked', (app, key) => app.post(`/api/v1/keys/${key}/revoke`)],
    ['is narrowed', (app, key) => setKey(app, key, { scopes: ['webhooks'] })],
    [
      'expires',
      async (app, key) => {
        const soon = Date.now() + 1_000;
        const answer = await setKey(app, key, { expires_at: new Date(soon).toISOString() });
        await waitFor('its expiry', () => Date.now() > soon + 50);
        return answer;
      },
    ],
    ['may no longer export without an approval', (app) => setApp(app, { approveExport: true })],
  ])('once the key that set the encryption key %s', async (_, end) => {
    const app = await api.createApp();
    const maker = await keyWith(app, ['webhooks', 'results:read']);
    const { id, sends, received } = await keyedBy(app, (body) => maker.post<EndpointEntity>(ENDPOINTS, body));
    const ended = await end(app, maker.id);
    expect(ended.status).toBe(200);
    expect(await sends()).toBe('withheld');
    const { data } = (await app.get<List<EndpointEntity>>(ENDPOINTS)).body.entity;
    expect(data.map(({ results }) => results)).toEqual(['withheld']);
    // What was sent with results before is sent again without them.
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await app.post(`${ENDPOINTS}/${id}/replay`, { since })).status).toBe(202);
    await settled(app, id, 4);
    expect(received.map(isKeyed)).toEqual([true, false, false, false]);
  });

  test('not when that key is rotated, but when its successor is revoked; and sent again once another key has set it', async () => {
    const app = await api.createApp();
    const maker = await keyWith(app, ['webhooks', 'results:read']);
    const { id, sends, encryption_key } = await keyedBy(app, (body) => maker.post<EndpointEntity>(ENDPOINTS, body));
    const rotate = (key: string) => app.post<{ id: string }>(`/api/v1/keys/${key}/rotate`, { overlap_seconds: 0 });
    const second = (await rotate(maker.id)).body.entity.id;
    const third = (await rotate(second)).body.entity.id;
    expect(await sends()).toBe('sent');
    expect((await app.post(`/api/v1/keys/${third}/revoke`)).status).toBe(200);
    expect(await sends()).toBe('withheld');
    expect((await patch(app, id, { encryption_key })).body.entity.results).toBe('sent');
    expect(await sends()).toBe('sent');
  });

  test('once the person who set the encryption key may not see them, and sent again when they may', async () => {
    const app = await api.createApp();
    const owner = (await signedInAs(api, app, 'owner')).browser;
    const { browser, id: person } = await signedInAs(api, app, 'operator');
    const { sends } = await keyedBy(app, (body) => browser.post<EndpointEntity>(ENDPOINTS, body));
    const setRole = (role: string) => owner.send('PATCH', `/api/v1/people/${person}`, { role });
    const setDisabled = (disabled: boolean) =>
      api.admin.send('PATCH', `/api/v1/admin/people/${person}`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ disabled }),
      });
    for (const [change, results] of [
      [() => setRole('viewer'), 'withheld'],
      [() => setRole('approver'), 'sent'],
      [() => setDisabled(true), 'withheld'],
      [() => setDisabled(false), 'sent'],
      [() => setApp(app, { revealNeedsReason: true }), 'withheld'],
      [() => setApp(app, { revealNeedsReason: false }), 'sent'],
      [() => owner.send('DELETE', `/api/v1/people/${person}`), 'withheld'],
    ] as const) {
      const changed = await change();
      expect(changed.status, changed.text).toBe(200);
      expect(await sends()).toBe(results);
    }
  });

  test('never for an encryption key of an earlier release, of which nobody knows who set it', async () => {
    const app = await api.createApp();
    const maker = await keyWith(app, ['webhooks', 'results:read']);
    const { id, sends } = await keyedBy(app, (body) => maker.post<EndpointEntity>(ENDPOINTS, body));
    await api.service.sql`update webhook_endpoints set maker_key_id = null where id = ${parseId('whe', id)}`;
    await app.post(`/api/v1/keys/${maker.id}/revoke`);
    expect(await sends()).toBe('sent');
  });
});

test('the audit says which endpoint receives results and to which key, and that they were read to be sent again', async () => {
  const app = await api.createApp();
  const { url } = await startReceiver();
  const encryption_key = await newKey();
  const { id } = await create(app, { url, encryption_key });
  const plain = await create(app, { url });
  await runJob(app);
  await runJob(app);
  await app.post(`${ENDPOINTS}/${id}/test`);
  const deliveries = await settled(app, id, 3);
  await settled(app, plain.id, 2);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const why = { 'Audit-Purpose': 'complaint' };
  const resend = async (of: { id: string }, type: string) =>
    app.post(`${DELIVERIES}/${(await deliveriesOf(app, of.id)).find(({ event }) => event.type === type)!.id}/redeliver`, undefined, why);
  expect((await resend({ id }, 'job.completed')).status).toBe(202);
  expect((await resend({ id }, 'endpoint.test')).status).toBe(202);
  expect((await resend(plain, 'job.completed')).status).toBe(202);
  expect((await app.post(`${ENDPOINTS}/${id}/replay`, { since })).status).toBe(202);
  expect((await app.post(`${ENDPOINTS}/${plain.id}/replay`, { since })).status).toBe(202);
  const other = await newKey();
  await patch(app, id, { encryption_key: other });
  await patch(app, id, { encryption_key: null });
  await patch(app, id, { description: 'Orders' });

  const entries = async (action: string, target = id) => {
    const { data } = (await app.get<List<Entity & { detail: Entity }>>(`/api/v1/audit?action=${action}&object=${target}`)).body.entity;
    return data.reverse();
  };
  const details = async (action: string) => (await entries(action)).map(({ detail }) => detail);
  expect(await details('webhook.create')).toEqual([
    { events: [], results: true, thumbprint: await calculateJwkThumbprint(encryption_key) },
  ]);
  expect(await details('webhook.update')).toEqual([
    { members: ['encryption_key'], results: true, thumbprint: await calculateJwkThumbprint(other) },
    { members: ['encryption_key'], results: false },
    { members: ['description'] },
  ]);
  expect((await entries('webhook.create', plain.id)).map(({ detail }) => detail)).toEqual([{ events: [] }]);
  const reads = await entries('results.read');
  expect(reads.map(({ detail, purpose, live }) => ({ detail, purpose, live }))).toEqual([
    { detail: { events: 1 }, purpose: 'complaint', live: false },
    { detail: { events: 2 }, purpose: null, live: false },
  ]);
  expect(await entries('results.read', plain.id)).toEqual([]);
  expect((await details('webhook.resend')).map(({ events }) => events)).toEqual([2]);
  expect(deliveries).toHaveLength(3);
});
