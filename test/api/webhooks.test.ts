/** Webhook endpoints over HTTP with the whole service running: made, changed, delivered to, tested, replayed, disabled; real receivers. */
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventTypes, optInEvents } from '../../src/contract/webhooks.ts';
import { parseId } from '../../src/foundation/ids.ts';
import { emitEvents, type NewEvent } from '../../src/webhooks/events.ts';
import { type BatchEntity, type Client, type Entity, startApi, type TestApi, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import {
  create,
  DELIVERIES,
  type DeliveryEntity,
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

/** Emits events as the modules that settle work do. */
const emit = (client: Client, types: readonly NewEvent['type'][], options: { live?: boolean; url?: string; from?: TestApi } = {}) =>
  (options.from ?? api).service.sql.begin((tx) =>
    emitEvents(
      tx,
      types.map((type, i) => ({
        appId: parseId('app', client.app)!,
        live: options.live ?? false,
        type,
        data: { id: `bat_${i}`, status: 'completed' },
        url: options.url ?? null,
      })),
    ),
  );

describe('endpoints', () => {
  test('are made with a secret that is shown once, listed, read, changed and deleted', async () => {
    const app = await api.createApp();
    const answer = await app.post<EndpointEntity>(ENDPOINTS, {
      url: 'https://example.com/a',
      description: 'Billing',
      events: ['job.failed'],
    });
    expect(answer.status).toBe(201);
    const made = answer.body.entity;
    expect(made).toEqual({
      id: expect.stringMatching(/^whe_[0-9a-f]{32}$/),
      object: 'webhook_endpoint',
      url: 'https://example.com/a',
      description: 'Billing',
      events: ['job.failed'],
      signing: 'v1',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      public_key: null,
      previous_public_key: null,
      previous_secret_expires_at: null,
      rate_per_second: null,
      encryption_key: null,
      results: null,
      disabled: false,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      live: false,
      created_at: expect.any(String),
    });
    expect(answer.headers.get('location')).toBe(`${ENDPOINTS}/${made.id}`);
    const { secret, ...shown } = made;
    expect(await read(app, made.id)).toEqual(shown);
    const [row] = await api.service.sql<{ secret: Buffer }[]>`select secret from webhook_endpoints where id = ${parseId('whe', made.id)}`;
    expect(row!.secret.toString('latin1')).not.toContain(secret!.slice(6, 20));

    const changed = await patch(app, made.id, { url: 'https://example.com/b', description: null, events: [], rate_per_second: 5 });
    expect(changed.status).toBe(200);
    expect(changed.body.entity).toEqual({ ...shown, url: 'https://example.com/b', description: null, events: [], rate_per_second: 5 });
    const back = await patch(app, made.id, { rate_per_second: null });
    expect(back.body.entity).toMatchObject({ url: 'https://example.com/b', rate_per_second: null });

    const second = await create(app, { url: 'https://example.com/c' });
    const first = await app.get<List<EndpointEntity>>(`${ENDPOINTS}?limit=1`);
    expect(first.body.entity).toMatchObject({ data: [{ id: second.id }], has_more: true, next_cursor: second.id });
    const rest = await app.get<List<EndpointEntity>>(`${ENDPOINTS}?limit=1&cursor=${second.id}`);
    expect(rest.body.entity).toMatchObject({ data: [{ id: made.id }], has_more: false, next_cursor: null });

    expect((await app.send('DELETE', `${ENDPOINTS}/${made.id}`)).body.entity).toMatchObject({ id: made.id, deleted: true });
    for (const method of ['GET', 'DELETE']) expect((await app.send(method, `${ENDPOINTS}/${made.id}`)).status).toBe(404);
    expect((await app.get<List<EndpointEntity>>(ENDPOINTS)).body.entity.data.map(({ id }) => id)).toEqual([second.id]);
  });

  test('belong to their app and mode', async () => {
    const app = await api.createApp();
    const other = await api.createApp();
    const { received, url } = await startReceiver();
    const { id } = await create(app, { url });
    await app.post(`${ENDPOINTS}/${id}/test`);
    const [delivery] = await settled(app, id, 1);
    for (const stranger of [other, app.live]) {
      const asked: Promise<{ status: number }>[] = [
        stranger.get(`${ENDPOINTS}/${id}`),
        patch(stranger, id, { disabled: true }),
        stranger.send('DELETE', `${ENDPOINTS}/${id}`),
        ...['rotate', 'test'].map((action) => stranger.post(`${ENDPOINTS}/${id}/${action}`)),
        stranger.post(`${ENDPOINTS}/${id}/replay`, { since: '2020-01-01T00:00:00Z' }),
        stranger.get(`${ENDPOINTS}/${id}/deliveries`),
        stranger.get(`${DELIVERIES}/${delivery!.id}`),
        stranger.post(`${DELIVERIES}/${delivery!.id}/redeliver`),
      ];
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 404));
      expect((await stranger.get<List<EndpointEntity>>(ENDPOINTS)).body.entity.data).toEqual([]);
    }
    const before = received.length;
    await emit(other, ['batch.completed']);
    await emit(app, ['batch.completed'], { live: true });
    await emit(app, ['batch.canceled']);
    await settled(app, id, 2);
    expect(received.slice(before).map(({ message }) => message.type)).toEqual(['batch.canceled']);
    expect((await app.send('GET', `${ENDPOINTS}`, { headers: { Authorization: 'nonsense' } })).status).toBe(401);
  });

  test('bad input is refused and names the member', async () => {
    const app = await api.createApp();
    const url = 'https://example.com/';
    const { publicKey, privateKey } = await generateKeyPair('RSA-OAEP-256', { modulusLength: 3_072, extractable: true });
    const short = await exportJWK((await generateKeyPair('RSA-OAEP-256', { modulusLength: 2_048, extractable: true })).publicKey);
    const rsa = await exportJWK(publicKey);
    const bodies: [Entity, string][] = [
      [{}, 'url'],
      [{ url: 'ftp://example.com/' }, 'url'],
      [{ url: 'nonsense' }, 'url'],
      [{ url: 'https://user:password@example.com/' }, 'url'],
      [{ url: `https://example.com/${'a'.repeat(2048)}` }, 'url'],
      [{ url, events: ['job.exploded'] }, 'events.0'],
      [{ url, events: ['endpoint.test'] }, 'events.0'],
      [{ url, events: 'job.completed' }, 'events'],
      [{ url, signing: 'v2' }, 'signing'],
      [{ url, rate_per_second: 0 }, 'rate_per_second'],
      [{ url, rate_per_second: 1.5 }, 'rate_per_second'],
      [{ url, description: 'NUL \u0000' }, 'description'],
      [{ url, surprise: true }, 'surprise'],
      [{ url, encryption_key: 'text' }, 'encryption_key'],
      [{ url, encryption_key: { kty: 'oct', k: 'AAAA' } }, 'encryption_key'],
      [{ url, encryption_key: { kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' } }, 'encryption_key'],
      [{ url, encryption_key: { ...rsa, alg: 'RSA1_5' } }, 'encryption_key'],
      [{ url, encryption_key: { ...rsa, use: 'sig' } }, 'encryption_key'],
      [{ url, encryption_key: { ...rsa, n: rsa.n!.slice(0, 100) } }, 'encryption_key'],
      [{ url, encryption_key: short }, 'encryption_key'],
      [{ url, encryption_key: { kty: 'OKP', crv: 'X25519', x: Buffer.alloc(32).toString('base64url') } }, 'encryption_key'],
    ];
    for (const [body, path] of bodies) {
      const answer = await app.post(ENDPOINTS, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_request', details: [{ path }] });
    }
    const secretKey = await exportJWK(privateKey);
    const refused = await app.post(ENDPOINTS, { url, encryption_key: secretKey });
    expect(refused.body.details[0]).toMatchObject({ path: 'encryption_key', message: expect.stringContaining('private') });
    expect(refused.text).not.toContain(secretKey.d!.slice(0, 20));

    const { id } = await create(app, { url });
    // As an earlier release accepted it: what does not touch the key does not ask for another.
    await api.service.sql`update webhook_endpoints set encryption_key = ${JSON.stringify(short)} where id = ${parseId('whe', id)}`;
    expect((await patch(app, id, { description: 'older' })).status).toBe(200);
    expect((await patch(app, id, { signing: 'v1a' })).status).toBe(400);
    expect((await patch(app, id, { url: 'nonsense' })).status).toBe(400);
    expect((await app.send('PATCH', `${ENDPOINTS}/${id}`, { body: '{}' })).status).toBe(415);
    expect((await app.post(`${ENDPOINTS}/${id}/rotate`, { revoke_previous: 'yes' })).status).toBe(400);
    for (const body of [{}, { since: 'yesterday' }, { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }])
      expect((await app.post(`${ENDPOINTS}/${id}/replay`, body)).status).toBe(400);
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?cursor=x', `?cursor=${id}`, '?status=lost'])
      expect((await app.get(`${ENDPOINTS}/${id}/deliveries${query}`)).status, query).toBe(400);
    for (const path of ['whe_x', 'job_00000000000000000000000000000000', `whe_${'0'.repeat(32)}`])
      expect((await app.get(`${ENDPOINTS}/${path}`)).status).toBe(404);
    expect((await app.send('PUT', `${ENDPOINTS}/${id}`)).status).toBe(405);
  });

  test('number at most twenty, even if requested concurrently', async () => {
    const app = await api.createApp();
    const answers = await Promise.all(Array.from({ length: 24 }, () => app.post(ENDPOINTS, { url: 'https://example.com/' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(409)]);
    expect((await app.live.post(ENDPOINTS, { url: 'https://example.com/' })).status).toBe(201);
  });
});

describe('events', () => {
  test('of real work go to the endpoints whose filter matches, and also to the callback_url', async () => {
    const app = await api.createApp();
    const [all, jobsOnly, failures, callback] = [
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
    ];
    const everything = await create(app, { url: all.url });
    const jobs = await create(app, { url: jobsOnly.url, events: ['job.completed'] });
    await create(app, { url: failures.url, events: ['job.failed'] });
    const job = await runJob(app, { nin: NIN }, { callback_url: callback.url });
    const quiet = await runJob(app);
    const batch = (await app.csv('checks=nin_basic', `nin\n${NIN}\n`)).body.entity;
    await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`);
    await settled(app, everything.id, 3);
    await settled(app, jobs.id, 2);
    await waitFor('the callback', () => callback.received.length === 1);
    expect(all.types().sort()).toEqual(['batch.completed', 'job.completed', 'job.completed']);
    expect(jobsOnly.received.map(({ message }) => message.data.id).sort()).toEqual([job.id, quiet.id].sort());
    expect(failures.received).toEqual([]);
    // One event, three receivers.
    const idsOf = (receiver: { received: Received[] }) =>
      receiver.received.filter(({ message }) => message.data.id === job.id).map(({ headers }) => headers['webhook-id']);
    expect(new Set([...idsOf(all), ...idsOf(jobsOnly), ...idsOf(callback)]).size).toBe(1);
    new Webhook(everything.secret!).verify(all.received[0]!.body, all.received[0]!.headers as Record<string, string>);
    expect(() => new Webhook(jobs.secret!).verify(all.received[0]!.body, all.received[0]!.headers as Record<string, string>)).toThrow();
  });

  test('of opt-in types go to endpoints that name them, never to a callback_url, and are otherwise not stored', async () => {
    const app = await api.createApp();
    const [plain, asking, callback] = [await startReceiver(), await startReceiver(), await startReceiver()];
    const count = async () =>
      (await api.service.sql<{ n: number }[]>`select count(*)::int as n from events where app_id = ${parseId('app', app.app)}`)[0]!.n;
    await emit(app, ['batch.completed', ...optInEvents]);
    expect(await count()).toBe(0);
    const { id } = await create(app, { url: plain.url });
    await emit(app, optInEvents, { url: callback.url });
    expect(await count()).toBe(0);
    const asked = await create(app, { url: asking.url, events: optInEvents });
    await emit(app, eventTypes, { url: callback.url });
    expect(await count()).toBe(eventTypes.length);
    const others = eventTypes.filter((type) => !optInEvents.includes(type)).sort();
    await settled(app, id, others.length);
    await settled(app, asked.id, optInEvents.length);
    await waitFor('the callbacks', () => callback.received.length === others.length);
    expect(plain.types().sort()).toEqual(others);
    expect(callback.types().sort()).toEqual(others);
    expect(asking.types().sort()).toEqual([...optInEvents].sort());
  });
});

describe('secrets', () => {
  test('two are valid after a rotation, and only the newer one after a day', async () => {
    const app = await api.createApp();
    const { received, url } = await startReceiver();
    const { id, secret: first } = await create(app, { url });
    const rotated = (await app.post<EndpointEntity>(`${ENDPOINTS}/${id}/rotate`)).body.entity;
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(first);
    const hours = (Date.parse(rotated.previous_secret_expires_at!) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24.01);
    await app.post(`${ENDPOINTS}/${id}/test`);
    await settled(app, id, 1);
    const verify = (secret: string | null, { body, headers }: Received) =>
      new Webhook(secret!).verify(body, headers as Record<string, string>);
    expect(String(received[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [first, rotated.secret]) verify(secret, received[0]!);

    await api.service.sql`update webhook_endpoints set previous_expires_at = now() - interval '1 second' where id = ${parseId('whe', id)}`;
    await app.post(`${ENDPOINTS}/${id}/test`);
    await settled(app, id, 2);
    verify(rotated.secret, received[1]!);
    expect(() => verify(first, received[1]!)).toThrow();

    const revoked = (await app.post<EndpointEntity>(`${ENDPOINTS}/${id}/rotate`, { revoke_previous: true })).body.entity;
    expect(revoked.previous_secret_expires_at).toBeNull();
    await app.post(`${ENDPOINTS}/${id}/test`);
    await settled(app, id, 3);
    verify(revoked.secret, received[2]!);
    expect(() => verify(rotated.secret, received[2]!)).toThrow();
  });

  test('v1a signs by ed25519 with a public key that is always shown, and rotates likewise', async () => {
    const app = await api.createApp();
    const { received, url } = await startReceiver();
    const made = await create(app, { url, signing: 'v1a' });
    expect(made).toMatchObject({ signing: 'v1a', secret: null, public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/) });
    expect((await read(app, made.id)).public_key).toBe(made.public_key);
    const rotated = (await app.post<EndpointEntity>(`${ENDPOINTS}/${made.id}/rotate`)).body.entity;
    expect(rotated).toMatchObject({ secret: null, previous_public_key: made.public_key });
    await app.post(`${ENDPOINTS}/${made.id}/test`);
    await settled(app, made.id, 1);
    const { headers, body } = received[0]!;
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    const signatures = String(headers['webhook-signature']).split(' ');
    expect(signatures).toHaveLength(2);
    for (const [i, publicKey] of [rotated.public_key, made.public_key].entries()) {
      const x = Buffer.from(publicKey!.slice('whpk_'.length), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      const [version, signature] = signatures[i]!.split(',');
      expect(version).toBe('v1a');
      expect(verifySignature(null, signed, key, Buffer.from(signature!, 'base64'))).toBe(true);
      expect(verifySignature(null, Buffer.concat([signed, Buffer.from(' ')]), key, Buffer.from(signature!, 'base64'))).toBe(false);
    }
  });
});

describe('deliveries', () => {
  test('list every attempt with status, latency and the first KiB of the answer, which is encrypted at rest', async () => {
    const app = await api.createApp();
    const { url } = await startReceiver((response, count) =>
      count === 1 ? response.writeHead(500).end(`no: ${'x'.repeat(5_000)}`) : response.writeHead(201).end('thanks'),
    );
    const { id } = await create(app, { url });
    const test = await app.post<DeliveryEntity>(`${ENDPOINTS}/${id}/test`);
    expect(test.status).toBe(202);
    expect(test.body.entity).toMatchObject({ endpoint: id, status: 'pending', event: { type: 'endpoint.test' }, attempts: [] });
    const [delivery] = await settled(app, id, 1);
    expect(delivery).toMatchObject({
      id: test.body.entity.id,
      status: 'delivered',
      attempts: [
        { attempt: 1, status: 500, error: 'http_500', latency_ms: expect.any(Number) },
        { attempt: 2, status: 201, error: null, response: 'thanks' },
      ],
    });
    expect(delivery!.attempts[0]!.response).toBe(`no: ${'x'.repeat(1020)}`);
    const whole = (await app.get<DeliveryEntity>(`${DELIVERIES}/${delivery!.id}`)).body.entity;
    expect(whole).toMatchObject({ ...delivery, message: { type: delivery!.event.type, timestamp: delivery!.event.created_at } });
    expect(whole).toHaveProperty('message.data.object');
    const rows = await api.service.sql<{ excerpt: Buffer }[]>`
      select excerpt from delivery_attempts where delivery_id = ${parseId('dlv', delivery!.id)}`;
    for (const { excerpt } of rows) expect(excerpt.toString('latin1')).not.toMatch(/xxxx|thanks/);
  });

  test('are listed newest first, page by page and by status', async () => {
    const app = await api.createApp();
    const { url } = await startReceiver((response, count) => response.writeHead(count === 1 ? 200 : 400).end());
    const { id } = await create(app, { url });
    await emit(app, ['batch.completed']);
    await settled(app, id, 1);
    await emit(app, ['batch.canceled', 'batch.failed']);
    const all = await settled(app, id, 3);
    expect(all.map(({ status }) => status)).toEqual(['failed', 'failed', 'delivered']);
    expect(all[0]!.attempts).toHaveLength(4);
    const pages: DeliveryEntity[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
      const { entity } = (await app.get<List<DeliveryEntity>>(`${ENDPOINTS}/${id}/deliveries${query}`)).body;
      pages.push(...entity.data);
      cursor = entity.next_cursor;
    }
    expect(pages).toEqual(all);
    expect(await deliveriesOf(app, id, '?status=delivered')).toEqual(all.slice(2));
  });

  test("one is sent again under the same webhook-id, to the endpoint's current address", async () => {
    const app = await api.createApp();
    const [old, now, callback] = [await startReceiver(), await startReceiver(), await startReceiver()];
    const { id } = await create(app, { url: old.url });
    await emit(app, ['batch.completed'], { url: callback.url });
    const [first] = await settled(app, id, 1);
    await patch(app, id, { url: now.url });
    const again = await app.post<DeliveryEntity>(`${DELIVERIES}/${first!.id}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.body.entity.event).toEqual(first!.event);
    expect(again.body.entity.id).not.toBe(first!.id);
    await settled(app, id, 2);
    expect(now.received[0]!.headers['webhook-id']).toBe(old.received[0]!.headers['webhook-id']);
    expect(now.received[0]!.body).toBe(old.received[0]!.body);

    await waitFor('the callback', () => callback.received.length === 1);
    const [toCallback] = await api.service.sql<{ id: string }[]>`
      select replace(id::text, '-', '') as id from deliveries where app_id = ${parseId('app', app.app)} and endpoint_id is null`;
    expect((await app.post(`${DELIVERIES}/dlv_${toCallback!.id}/redeliver`)).status).toBe(202);
    await waitFor('the callback again', () => callback.received.length === 2);
  });

  test('are not sent again if their event is deleted at that moment', async () => {
    const app = await api.createApp();
    const { url } = await startReceiver();
    const { id } = await create(app, { url });
    const since = new Date(Date.now() - 60_000).toISOString();
    for (const isReplay of [false, true]) {
      await emit(app, ['batch.completed']);
      const [delivery] = await settled(app, id, 1);
      let answered: Promise<{ status: number; body: { code?: string; entity?: { deliveries?: number } } }> | undefined;
      await api.service.sql.begin(async (tx) => {
        await tx`delete from events e using deliveries d where d.event_id = e.id and d.id = ${parseId('dlv', delivery!.id)}`;
        answered = isReplay ? app.post(`${ENDPOINTS}/${id}/replay`, { since }) : app.post(`${DELIVERIES}/${delivery!.id}/redeliver`);
        await waitFor('the request to wait for the deletion', async () => {
          const waiting = await tx`
            select 1 from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`;
          return waiting.length > 0;
        });
      });
      const { status, body } = await answered!;
      expect([status, isReplay ? body.entity?.deliveries : body.code]).toEqual(isReplay ? [202, 0] : [404, 'resource_not_found']);
    }
  });

  test('are replayed since a time, all or only what never arrived', async () => {
    const app = await api.createApp();
    let isDown = true;
    const { received, types, url } = await startReceiver((response) => response.writeHead(isDown ? 503 : 200).end());
    const since = new Date(Date.now() - 60_000).toISOString();
    const { id } = await create(app, { url, events: ['batch.completed', 'batch.canceled'] });
    const replay = async (body: Entity) => {
      const answer = await app.post<{ deliveries: number; hastened: number; has_more: boolean }>(`${ENDPOINTS}/${id}/replay`, body);
      expect(answer.status, answer.text).toBe(202);
      return answer.body.entity;
    };
    await emit(app, ['batch.completed', 'batch.completed']);
    await settled(app, id, 2);
    isDown = false;
    await emit(app, ['batch.canceled', 'batch.failed']);
    await app.post(`${ENDPOINTS}/${id}/test`);
    await settled(app, id, 4);

    const before = received.length;
    expect(await replay({ since, missing_only: true })).toMatchObject({ deliveries: 2, hastened: 0, has_more: false });
    await settled(app, id, 6);
    expect(types().slice(before)).toEqual(['batch.completed', 'batch.completed']);
    expect(await replay({ since, missing_only: true })).toMatchObject({ deliveries: 0, hastened: 0 });
    expect(await replay({ since: new Date(Date.now() + 60_000).toISOString() })).toMatchObject({ deliveries: 0 });
    expect(await replay({ since, until: new Date(Date.now() - 50_000).toISOString() })).toMatchObject({ deliveries: 0 });

    // An event that no filter matched at its time is there for one that matches now.
    expect(await replay({ since })).toMatchObject({ deliveries: 3 });
    await settled(app, id, 9);
    await patch(app, id, { events: [] });
    expect(await replay({ since, missing_only: true })).toMatchObject({ deliveries: 1 });
    await settled(app, id, 10);
    expect(types().at(-1)).toBe('batch.failed');
  });

  test('of very many events are replayed in parts, and the answer says where to continue', async () => {
    const app = await api.createApp();
    const { url } = await startReceiver();
    const { id } = await create(app, { url, rate_per_second: 1, events: ['batch.failed'] });
    await emit(app, Array(10_003).fill('batch.completed'));
    await api.service.sql`
      update events e set created_at = now() - n * interval '1 millisecond'
      from (select id, row_number() over (order by id desc) as n from events where app_id = ${parseId('app', app.app)}) o where o.id = e.id`;
    await patch(app, id, { events: ['batch.completed'] });
    const replay = async (since: string) =>
      (await app.post<{ deliveries: number; next_since: string | null }>(`${ENDPOINTS}/${id}/replay`, { since })).body.entity;
    const first = await replay(new Date(Date.now() - 60_000).toISOString());
    expect(first).toMatchObject({ deliveries: 10_000, has_more: true });
    const second = await replay(first.next_since!);
    expect(second).toMatchObject({ has_more: false, next_since: null });
    // To the millisecond: events of the same millisecond may come twice, but none is left out.
    expect(second.deliveries).toBeGreaterThanOrEqual(3);
    expect(second.deliveries).toBeLessThan(6);
    await app.send('DELETE', `${ENDPOINTS}/${id}`);
    const [waiting] = await api.service.sql`
      select count(*)::int as n from deliveries where endpoint_id = ${parseId('whe', id)} and status = 'pending'`;
    expect(waiting!.n).toBe(0);
  });

  test('that wait for their next attempt become due by a replay of the missing, and are not doubled', async () => {
    const app = await api.createApp();
    const { received, url } = await startReceiver((response, count) =>
      count === 1 ? response.writeHead(503, { 'Retry-After': '3600' }).end() : response.end(),
    );
    const { id } = await create(app, { url });
    await emit(app, ['batch.completed']);
    const waiting = await waitFor('the first attempt', async () => {
      const [delivery] = await deliveriesOf(app, id);
      return delivery?.attempts.length === 1 && delivery.status !== 'sending' && delivery;
    });
    expect(waiting).toMatchObject({ status: 'pending', attempts: [{ status: 503 }] });
    // Longer than the schedule says, as the receiver asked.
    expect(Date.parse(waiting.next_attempt_at!) - Date.now()).toBeGreaterThan(3_500_000);
    const since = new Date(Date.now() - 60_000).toISOString();
    const replayed = await app.post(`${ENDPOINTS}/${id}/replay`, { since, missing_only: true });
    expect(replayed.body.entity).toMatchObject({ deliveries: 0, hastened: 1 });
    const [delivery] = await settled(app, id, 1);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{}, { attempt: 2, status: 200 }] });
    expect(received).toHaveLength(2);
  });
});

describe('lanes', () => {
  test('a slow endpoint delays no other, not even one on the same host', async () => {
    const app = await api.createApp();
    const slow: ServerResponse[] = [];
    const server = await startReceiver((response, count) => (count <= 4 ? slow.push(response) : response.end()));
    const slowOne = await create(app, { url: `${server.url}?slow`, events: ['batch.completed'] });
    const quick = await create(app, { url: server.url, events: ['batch.canceled'] });
    await emit(app, Array(10).fill('batch.completed'));
    await waitFor('four at the slow one', () => slow.length === 4);
    await emit(app, Array(6).fill('batch.canceled'));
    await settled(app, quick.id, 6);
    expect((await deliveriesOf(app, slowOne.id)).filter(({ status }) => status === 'delivered')).toEqual([]);
    for (const response of slow) response.end();
    await settled(app, slowOne.id, 10);
  });

  test("an endpoint’s rate bounds its own deliveries and no other's", async () => {
    const app = await api.createApp();
    const [limited, free] = [await startReceiver(), await startReceiver()];
    const { id } = await create(app, { url: limited.url, rate_per_second: 2 });
    const { id: freeId } = await create(app, { url: free.url });
    await emit(app, Array(8).fill('batch.completed'));
    await settled(app, freeId, 8);
    expect(limited.received.length).toBeLessThan(8);
    await settled(app, id, 8);
    // Two at once after the pause, then six at two a second.
    expect(limited.received[7]!.at - limited.received[0]!.at).toBeGreaterThan(2_400);
  });
});

describe('an endpoint is disabled', () => {
  test('by its owner: waiting deliveries are given up, nothing more is sent, and it can be enabled again', async () => {
    const app = await api.createApp();
    let isDown = true;
    const { received, url } = await startReceiver((response) =>
      isDown ? response.writeHead(500, { 'Retry-After': '3600' }).end() : response.end(),
    );
    const { id } = await create(app, { url });
    await emit(app, ['batch.completed']);
    await waitFor('a retry', async () => (await deliveriesOf(app, id))[0]?.attempts.length === 1);
    expect((await patch(app, id, { disabled: true })).body.entity).toMatchObject({ disabled: true, disabled_reason: 'requested' });
    expect(await deliveriesOf(app, id)).toMatchObject([{ status: 'failed', error: 'endpoint_disabled' }]);
    await emit(app, ['batch.canceled']);
    expect(await deliveriesOf(app, id)).toHaveLength(1);
    const [delivery] = await deliveriesOf(app, id);
    for (const path of [`${ENDPOINTS}/${id}/test`, `${DELIVERIES}/${delivery!.id}/redeliver`])
      expect((await app.post(path)).body.code).toBe('conflict');
    const since = new Date(Date.now() - 60_000).toISOString();
    expect((await app.post(`${ENDPOINTS}/${id}/replay`, { since })).status).toBe(409);

    isDown = false;
    expect((await patch(app, id, { disabled: false })).body.entity).toMatchObject({
      disabled: false,
      disabled_reason: null,
      failing_since: null,
    });
    // What happened meanwhile was kept.
    expect((await app.post(`${ENDPOINTS}/${id}/replay`, { since, missing_only: true })).body.entity).toMatchObject({ deliveries: 2 });
    await settled(app, id, 3);
    expect(received.slice(1).map(({ message }) => message.type)).toEqual(['batch.completed', 'batch.canceled']);
  });

  test('a delivery queued while its endpoint was being deleted is not sent', async () => {
    const app = await api.createApp();
    const { received, url } = await startReceiver();
    const { id } = await create(app, { url });
    const endpointId = parseId('whe', id)!;
    await api.service.sql.begin(async (tx) => {
      await emitEvents(tx, [{ appId: parseId('app', app.app)!, live: false, type: 'batch.failed', data: {}, url: null }]);
      await tx`update webhook_endpoints set deleted_at = now() where id = ${endpointId}`;
    });
    const [row] = await waitFor('its end', async () => {
      const rows = await api.service.sql<{ status: string; error: string; attempt: number }[]>`
        select status, error, attempt from deliveries where endpoint_id = ${endpointId}`;
      return rows[0]?.status === 'failed' && rows;
    });
    expect(row).toEqual({ status: 'failed', error: 'endpoint_deleted', attempt: 0 });
    expect(received).toEqual([]);
  });

  test('by 410, and the others are told', async () => {
    const app = await api.createApp();
    const gone = await startReceiver((response) => response.writeHead(410).end());
    const other = await startReceiver();
    const { id } = await create(app, { url: gone.url, description: 'old', events: ['batch.completed'] });
    const { id: otherId } = await create(app, { url: other.url, events: ['endpoint.disabled'] });
    await emit(app, ['batch.completed']);
    await settled(app, otherId, 1);
    expect(await read(app, id)).toMatchObject({ disabled: true, disabled_reason: 'gone' });
    expect(other.received[0]!.message).toMatchObject({
      type: 'endpoint.disabled',
      data: { id, object: 'webhook_endpoint', description: 'old', disabled_reason: 'gone' },
    });
    const [entry] = (await app.get<{ data: Entity[] }>(`/api/v1/audit?object=${id}&limit=1`)).body.entity.data;
    expect(entry).toMatchObject({ action: 'webhook.update', actor: { kind: 'system', id: 'webhooks' }, detail: { disabled: 'gone' } });
    await emit(app, ['batch.completed']);
    expect(await deliveriesOf(app, id)).toHaveLength(1);
  });

  test('when every attempt failed for too long, and not if one succeeded in between', async () => {
    const impatient = await startApi({ CONFAM_WEBHOOK_DISABLE_MS: '1000', CONFAM_WEBHOOK_SCHEDULE_MS: '0,300,300,300,300,300,300,300' });
    onTestFinished(() => impatient.stop());
    const app = await impatient.createApp();
    const failing = await startReceiver((response) => response.writeHead(500).end());
    const shaky = await startReceiver((response, count) => response.writeHead(count % 2 === 1 ? 500 : 200).end());
    const { id } = await create(app, { url: failing.url, events: ['batch.completed'] });
    const { id: shakyId } = await create(app, { url: shaky.url });
    await emit(app, ['batch.completed'], { from: impatient });
    const disabled = await waitFor('the end of patience', async () => {
      const endpoint = await read(app, id);
      return endpoint.disabled && endpoint;
    });
    expect(disabled).toMatchObject({ disabled_reason: 'failing', failing_since: expect.any(String) });
    const [delivery] = await settled(app, id, 1);
    expect(delivery!.status).toBe('failed');
    expect(delivery!.attempts.length).toBeGreaterThan(2);
    await settled(app, shakyId, 2);
    expect(shaky.types()).toContain('endpoint.disabled');
    expect(await read(app, shakyId)).toMatchObject({ disabled: false, failing_since: null });
  });
});

test('where the operator has named the hosts, no other is accepted, for an endpoint or as callback_url', async () => {
  const strict = await startApi({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'false', CONFAM_WEBHOOK_HOSTS: 'hooks.bank.example, .partner.example' });
  try {
    const client = await strict.createApp();
    const allowed = await client.post<EndpointEntity>(ENDPOINTS, { url: 'https://eu.partner.example/hook' });
    expect(allowed.status, allowed.text).toBe(201);
    const url = 'https://hooks.evil.example/';
    const refusals = [
      await client.post(ENDPOINTS, { url }),
      await client.send('PATCH', `${ENDPOINTS}/${allowed.body.entity.id}`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ url }),
      }),
      await client.post('/api/v1/jobs', { check: 'nin_basic', input: { nin: NIN }, callback_url: url }),
    ];
    for (const refused of refusals) {
      expect(refused.status, refused.text).toBe(400);
      expect(refused.body.details).toMatchObject([{ rule: 'forbidden_host' }]);
    }
  } finally {
    await strict.stop();
  }
});
