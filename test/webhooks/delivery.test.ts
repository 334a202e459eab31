/** Webhooks end to end: real Postgres, the real queue on each backend, real receivers; a loop that leases and enqueues stands in for the dispatcher. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openJobs } from '../../src/batches/submitted.ts';
import { type Context, openContext } from '../../src/foundation/context.ts';
import { newWebhookSecret } from '../../src/foundation/crypto.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { type Outbound, openOutbound } from '../../src/net/guarded-http.ts';
import { openSettle } from '../../src/pipeline/settle.ts';
import {
  deliver as deliverBy,
  leaseDeliveries,
  requeueLostDeliveries,
  SENDING_MAX,
  SENDING_PER_APP,
  SENDING_PER_LANE,
  webhookBacklog,
} from '../../src/webhooks/delivery.ts';
import { emitEvents, sign } from '../../src/webhooks/events.ts';
import { startWebhookWorker } from '../../workers/webhooks.ts';
import { backends, useDatabase, waitFor } from '../setup/database.ts';
import { sealedEarlier } from '../setup/keys.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

/** A receiver that records its messages; `answer` is told how many have come, from 1. */
async function startReceiver(answer: (response: ServerResponse, count: number) => void = (response) => response.end()) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body, at: Date.now() });
    answer(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { received, url: `http://127.0.0.1:${port}/hook?token=secret`, host: `127.0.0.1:${port}` };
}

const answering = (...statuses: number[]) =>
  startReceiver((response, count) => response.writeHead(statuses[Math.min(count, statuses.length) - 1]!).end());
const hang = () => {};

async function createApp(ctx: Context): Promise<{ appId: string; secret: string }> {
  const appId = newId();
  const secret = newWebhookSecret();
  await ctx.sql`insert into apps (id, name, webhook_secret) values (${appId}, 'test', ${sealedEarlier(ctx).seal(secret, 'webhook_secret', appId)})`;
  return { appId, secret };
}

const emit = (ctx: Context, appId: string, urls: string[]) =>
  ctx.sql.begin((tx) =>
    emitEvents(
      tx,
      urls.map((url, i) => ({ appId, live: false, type: 'batch.completed' as const, data: { id: `bat_${i}`, status: 'completed' }, url })),
    ),
  );

interface DeliveryRow {
  id: string;
  eventId: string;
  status: string;
  attempt: number;
  responseStatus: number | null;
  error: string | null;
  waitMs: number;
  deliveredAt: string | null;
  leasedUntil: string | null;
}

const deliver = (ctx: Context, outbound: Outbound, ticket: string) => deliverBy(ctx, outbound, ticket, openJobs);

const deliveryRows = (ctx: Context) => ctx.sql<DeliveryRow[]>`
  select id, event_id as "eventId", status, attempt, response_status as "responseStatus", error, delivered_at as "deliveredAt", leased_until as "leasedUntil",
    (extract(epoch from next_attempt_at - now()) * 1000)::int as "waitMs"
  from deliveries order by id`;

const onlyRow = async (ctx: Context) => {
  const rows = await deliveryRows(ctx);
  expect(rows).toHaveLength(1);
  return rows[0]!;
};

const ended = async (ctx: Context) => {
  const rows = await deliveryRows(ctx);
  return rows.every(({ status }) => status === 'delivered' || status === 'failed') && rows;
};

const clear = (ctx: Context) => ctx.sql`delete from events`;

describe.each(backends())('delivered through the queue on %s', (backend) => {
  const database = useDatabase(backend);

  /** A context, a worker and the loop that feeds it, until the test ends. */
  async function start(settings: Record<string, string> = {}, { ticketsToLose = 0 } = {}) {
    const ctx = database.openContext(settings);
    await clear(ctx);
    const worker = startWebhookWorker(ctx);
    const queue = ctx.queues.queue('webhooks');
    let running = true;
    const fed = (async () => {
      while (running) {
        await requeueLostDeliveries(ctx);
        const tickets = await leaseDeliveries(ctx, 100);
        const lost = tickets.splice(0, ticketsToLose);
        ticketsToLose -= lost.length;
        await queue.add(tickets.map((id) => ({ id, priority: 1 })));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    onTestFinished(async () => {
      running = false;
      await fed;
      await worker.close();
      await queue.close();
      await ctx.close();
    });
    return { ctx, ...(await createApp(ctx)) };
  }

  test('a delivered message verifies only with the app’s secret, and only unaltered', async () => {
    const { ctx, appId, secret } = await start();
    const { received, url } = await startReceiver();
    await emit(ctx, appId, [url]);
    const [row] = await waitFor('the delivery', () => ended(ctx));
    expect(row).toMatchObject({ status: 'delivered', attempt: 1, responseStatus: 200, error: null, leasedUntil: null });
    expect(row!.deliveredAt).not.toBeNull();

    const { headers, body } = received[0]!;
    const [event] = await ctx.sql<{ id: string; createdAt: string }[]>`select id, created_at as "createdAt" from events`;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'confam-webhooks/1',
      'webhook-id': showId('evt', event!.id),
    });
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({
      type: 'batch.completed',
      timestamp: new Date(event!.createdAt).toISOString(),
      data: { id: 'bat_0', status: 'completed' },
    });
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers as Record<string, string>)).toThrow(WebhookVerificationError);
    expect(() => new Webhook(secret).verify(body.replace('bat_0', 'bat_1'), headers as Record<string, string>)).toThrow(
      WebhookVerificationError,
    );
    expect(await webhookBacklog(ctx)).toBe(0);
  });

  test('a failed message is retried by the schedule until accepted: same id and body, fresh time and signature', async () => {
    const { ctx, appId, secret } = await start({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,1100,100,100' });
    const { received, url } = await answering(500, 302, 204);
    await emit(ctx, appId, [url]);
    const [row] = await waitFor('the delivery', () => ended(ctx));
    expect(row).toMatchObject({ status: 'delivered', attempt: 3, responseStatus: 204, error: null });
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    for (const { headers, body } of received) new Webhook(secret).verify(body, headers as Record<string, string>);
    const times = received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times[1]).toBeGreaterThan(times[0]!);
    expect(received[1]!.headers['webhook-signature']).not.toBe(received[0]!.headers['webhook-signature']);
    // 10 % jitter either way.
    expect(received[1]!.at - received[0]!.at).toBeGreaterThanOrEqual(980);
    expect(received[2]!.at - received[1]!.at).toBeGreaterThanOrEqual(85);
  });

  test("after the schedule's last wait a message is given up with its reason", async () => {
    const { ctx, appId } = await start({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,20,20' });
    const { received, url } = await answering(500);
    await emit(ctx, appId, [url]);
    const [row] = await waitFor('the end', () => ended(ctx));
    expect(row).toMatchObject({ status: 'failed', attempt: 3, responseStatus: 500, error: 'http_500', deliveredAt: null });
    expect(received).toHaveLength(3);
  });

  test('410 ends it at once', async () => {
    const { ctx, appId } = await start();
    const { received, url } = await answering(410);
    await emit(ctx, appId, [url]);
    const [row] = await waitFor('the end', () => ended(ctx));
    expect(row).toMatchObject({ status: 'failed', attempt: 1, responseStatus: 410, error: 'http_410' });
    expect(received).toHaveLength(1);
  });

  test('a redirect is a failure and is not followed', async () => {
    const { ctx, appId } = await start({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,20' });
    const elsewhere = await startReceiver();
    const { received, url } = await startReceiver((response) => response.writeHead(307, { location: elsewhere.url }).end());
    await emit(ctx, appId, [url]);
    const [row] = await waitFor('the end', () => ended(ctx));
    expect(row).toMatchObject({ status: 'failed', attempt: 2, error: 'http_307' });
    expect(received).toHaveLength(2);
    expect(elsewhere.received).toHaveLength(0);
  });

  test('hanging receivers, in any number, do not delay other messages', async () => {
    const { ctx, appId } = await start({ CONFAM_WEBHOOK_TIMEOUT_MS: '5000' });
    const other = await createApp(ctx);
    const hanging = await startReceiver(hang);
    const hangingToo = await startReceiver(hang);
    const quick = await startReceiver();
    await emit(ctx, appId, [...Array(30).fill(hanging.url), ...Array(30).fill(hangingToo.url)]);
    await waitFor(
      'the hanging ones',
      () => hanging.received.length === SENDING_PER_LANE && hangingToo.received.length === SENDING_PER_LANE,
    );
    const emittedAt = Date.now();
    // Of the same app and of another.
    await emit(ctx, appId, [quick.url]);
    await emit(ctx, other.appId, Array(9).fill(quick.url));
    await waitFor('the quick ones', () => quick.received.length === 10, 4_000);
    expect(Date.now() - emittedAt).toBeLessThan(2_000);
    expect(hanging.received).toHaveLength(SENDING_PER_LANE);
  });

  test('a stopping worker aborts hanging deliveries, and their messages are retried', async () => {
    const ctx = database.openContext({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,60000', CONFAM_DRAIN_MS: '200' });
    await clear(ctx);
    const { appId } = await createApp(ctx);
    const hanging = await startReceiver(hang);
    const worker = startWebhookWorker(ctx);
    const queue = ctx.queues.queue('webhooks');
    await emit(ctx, appId, [hanging.url]);
    await queue.add((await leaseDeliveries(ctx, 10)).map((id) => ({ id, priority: 1 })));
    await waitFor('the message', () => hanging.received.length === 1);
    const startedAt = performance.now();
    await worker.close();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await onlyRow(ctx)).toMatchObject({ status: 'pending', attempt: 1, error: 'connection' });
    await queue.close();
    await ctx.close();
  });

  test('a message whose ticket was lost with the queue is sent after its lease', async () => {
    const { ctx, appId } = await start({ CONFAM_WEBHOOK_TIMEOUT_MS: '50' }, { ticketsToLose: 1 });
    const { received, url } = await startReceiver();
    await emit(ctx, appId, [url]);
    const [row] = await waitFor('the delivery', () => ended(ctx));
    expect(row).toMatchObject({ status: 'delivered', attempt: 1, error: null });
    expect(received).toHaveLength(1);
  });
});

describe('leases and attempts', () => {
  const database = useDatabase();
  let ctx: Context;

  beforeAll(async () => {
    ctx = database.openContext();
  });
  beforeEach(async () => {
    await clear(ctx);
  });
  afterAll(() => ctx.close());

  /** Another configuration over the same database. */
  function configured(settings: Record<string, string>): Context {
    const other = database.openContext(settings);
    onTestFinished(() => other.close());
    return other;
  }

  function openClient(from: Context = ctx) {
    const outbound = openOutbound({
      allowPrivate: from.config.CONFAM_WEBHOOK_ALLOW_PRIVATE,
      privateAnswers: from.config.CONFAM_WEBHOOK_PRIVATE_ANSWERS,
      timeoutMs: from.config.CONFAM_WEBHOOK_TIMEOUT_MS,
    });
    onTestFinished(() => outbound.close());
    return outbound;
  }

  /** Emits one message and makes its first attempt. */
  async function attemptOnce(from: Context, url: string): Promise<DeliveryRow> {
    const { appId } = await createApp(from);
    await emit(from, appId, [url]);
    const [ticket] = await leaseDeliveries(from, 1);
    await deliver(from, openClient(from), ticket!);
    return onlyRow(from);
  }

  const hostsOf = (count: number, name = 'host') => Array.from({ length: count }, (_, i) => `http://${name}${i}.example.com/`);

  const sendingBy = (column: 'host' | 'app_id') => ctx.sql<{ name: string; count: number }[]>`
    select ${ctx.sql(column)}::text as name, count(*) as count from deliveries where status = 'sending' group by 1 order by 1`;

  test('a ticket taken twice, in turn or at the same time, is sent once', async () => {
    const { appId } = await createApp(ctx);
    let release = () => {};
    const { received, url } = await startReceiver((response, count) => {
      if (count === 2) release = () => response.end();
      else response.end();
    });
    await emit(ctx, appId, [url, url]);
    const [first, second] = await leaseDeliveries(ctx, 10);
    const outbound = openClient();
    await deliver(ctx, outbound, first!);
    await deliver(ctx, outbound, first!);
    const underWay = deliver(ctx, outbound, second!);
    await waitFor('the second message', () => received.length === 2);
    await Promise.all([deliver(ctx, outbound, second!), deliver(ctx, outbound, second!)]);
    release();
    await underWay;
    expect(received).toHaveLength(2);
    expect(await deliveryRows(ctx)).toMatchObject([
      { status: 'delivered', attempt: 1 },
      { status: 'delivered', attempt: 1 },
    ]);
  });

  test('a ticket of a suspended app is not sent but frees its lease: resumed, it goes at once and only once', async () => {
    const { appId } = await createApp(ctx);
    const { received, url } = await answering(200);
    const suspend = (isSuspended: boolean) =>
      ctx.sql`update apps set disabled_at = case when ${isSuspended} then now() end where id = ${appId}`;
    await emit(ctx, appId, [url]);
    const [old] = await leaseDeliveries(ctx, 1);
    const outbound = openClient();
    await suspend(true);
    await Promise.all([deliver(ctx, outbound, old!), deliver(ctx, outbound, old!)]);
    expect(await onlyRow(ctx)).toMatchObject({ status: 'pending', attempt: 0, error: null, leasedUntil: null });
    expect(await leaseDeliveries(ctx, 1)).toEqual([]);
    await suspend(false);
    // An old ticket is worth nothing until the delivery is leased again.
    await deliver(ctx, outbound, old!);
    expect(received).toHaveLength(0);
    const [next] = await leaseDeliveries(ctx, 1);
    expect(next).not.toBe(old);
    await Promise.all([deliver(ctx, outbound, next!), deliver(ctx, outbound, old!), deliver(ctx, outbound, next!)]);
    expect(received).toHaveLength(1);
    expect(await onlyRow(ctx)).toMatchObject({ status: 'delivered', attempt: 1 });
  });

  test('a ticket that is outdated, unknown or nonsense does nothing', async () => {
    const { appId } = await createApp(ctx);
    const { received, url } = await answering(500, 200);
    await emit(ctx, appId, [url]);
    const [old] = await leaseDeliveries(ctx, 1);
    const outbound = openClient();
    await deliver(ctx, outbound, old!);
    await ctx.sql`update deliveries set next_attempt_at = now()`;
    expect(await leaseDeliveries(ctx, 1)).toHaveLength(1);
    for (const ticket of [old!, `${newId()}.0.1`, 'nonsense', '']) await deliver(ctx, outbound, ticket);
    expect(received).toHaveLength(1);
    expect(await onlyRow(ctx)).toMatchObject({ status: 'sending', attempt: 1 });
  });

  test('a result that comes after a later attempt has begun changes nothing', async () => {
    const { appId } = await createApp(ctx);
    let release = () => {};
    const { received, url } = await startReceiver((response, count) => {
      if (count === 1) release = () => response.writeHead(500).end();
      else response.end();
    });
    await emit(ctx, appId, [url]);
    const outbound = openClient();
    const [first] = await leaseDeliveries(ctx, 1);
    const late = deliver(ctx, outbound, first!);
    await waitFor('the first attempt', () => received.length === 1);
    await ctx.sql`update deliveries set leased_until = now() - interval '1 second'`;
    expect(await requeueLostDeliveries(ctx)).toBe(1);
    const [second] = await leaseDeliveries(ctx, 1);
    await deliver(ctx, outbound, second!);
    release();
    await late;
    expect(await onlyRow(ctx)).toMatchObject({ status: 'delivered', attempt: 2, responseStatus: 200, error: null });
  });

  test('a lost lease costs no attempt, a lost attempt does, and the last lost attempt ends it', async () => {
    const short = configured({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,0' });
    const { appId } = await createApp(short);
    const { url } = await startReceiver();
    await emit(short, appId, [url]);
    const expire = () => short.sql`update deliveries set leased_until = now() - interval '1 second'`;
    const lose = async () => {
      await leaseDeliveries(short, 1);
      await expire();
      expect(await requeueLostDeliveries(short)).toBe(1);
    };
    /** Like a process that dies after its attempt has begun. */
    const loseAttempt = async () => {
      await leaseDeliveries(short, 1);
      await short.sql`update deliveries set attempt = attempt + 1`;
      await expire();
      expect(await requeueLostDeliveries(short)).toBe(1);
    };
    await lose();
    expect(await onlyRow(short)).toMatchObject({ status: 'pending', attempt: 0 });
    await loseAttempt();
    expect(await onlyRow(short)).toMatchObject({ status: 'pending', attempt: 1 });
    await loseAttempt();
    expect(await onlyRow(short)).toMatchObject({ status: 'failed', attempt: 2, error: 'lost' });
    expect(await short.sql`select attempt, status, error from delivery_attempts order by attempt`).toEqual([
      { attempt: 1, status: null, error: 'lost' },
      { attempt: 2, status: null, error: 'lost' },
    ]);
    expect(await webhookBacklog(short)).toBe(0);
  });

  test('only due deliveries are leased, oldest first', async () => {
    const { appId } = await createApp(ctx);
    await emit(ctx, appId, Array(3).fill('http://a.example.com/'));
    const [one, two, three] = await deliveryRows(ctx);
    await ctx.sql`update deliveries set next_attempt_at = now() + interval '1 second' where id = ${one!.id}`;
    await ctx.sql`update deliveries set next_attempt_at = now() - interval '1 minute' where id = ${three!.id}`;
    const leased = async () => (await leaseDeliveries(ctx, 1)).map((ticket) => ticket.slice(0, 36));
    expect(await leased()).toEqual([three!.id]);
    expect(await leased()).toEqual([two!.id]);
    expect(await leased()).toEqual([]);
    expect(await webhookBacklog(ctx)).toBe(3);
    expect(await leaseDeliveries(ctx, 0)).toEqual([]);
  });

  test("the schedule's first wait counts too", async () => {
    const later = configured({ CONFAM_WEBHOOK_SCHEDULE_MS: '60000,10' });
    const { appId } = await createApp(later);
    await emit(later, appId, ['http://a.example.com/']);
    expect(await leaseDeliveries(later, 1)).toEqual([]);
    await later.sql`update deliveries set created_at = now() - interval '61 seconds'`;
    expect(await leaseDeliveries(later, 1)).toHaveLength(1);
  });

  test('a host, an app and all together have at most their share in progress', async () => {
    const apps = await Promise.all(Array.from({ length: 6 }, () => createApp(ctx)));
    for (const [i, { appId }] of apps.entries())
      await emit(
        ctx,
        appId,
        hostsOf(SENDING_PER_APP, `app${i}-`).flatMap((url) => Array(SENDING_PER_LANE + 2).fill(url)),
      );
    await emit(ctx, apps[0]!.appId, Array(SENDING_PER_LANE + 2).fill('http://one.example.com/'));
    const first = await leaseDeliveries(ctx, 60);
    expect(first).toHaveLength(60);
    // Six apps alternate.
    expect((await sendingBy('app_id')).map(({ count }) => count)).toEqual([10, 10, 10, 10, 10, 10]);
    expect(await leaseDeliveries(ctx, 1000)).toHaveLength(SENDING_MAX - 60);
    expect(await leaseDeliveries(ctx, 1000)).toEqual([]);
    expect(Math.max(...(await sendingBy('host')).map(({ count }) => count))).toBeLessThanOrEqual(SENDING_PER_LANE);
    expect(Math.max(...(await sendingBy('app_id')).map(({ count }) => count))).toBeLessThanOrEqual(SENDING_PER_APP);
  });

  test('an app with very many hosts leaves room for others', async () => {
    const { appId } = await createApp(ctx);
    const other = await createApp(ctx);
    await emit(ctx, appId, hostsOf(300));
    expect(await leaseDeliveries(ctx, 1000)).toHaveLength(SENDING_PER_APP);
    await emit(ctx, other.appId, ['http://one.example.com/']);
    expect(await leaseDeliveries(ctx, 1000)).toHaveLength(1);
  });

  test('the messages of one host wait for each other', async () => {
    const { appId } = await createApp(ctx);
    await emit(ctx, appId, [...Array(20).fill('http://one.example.com/'), 'http://two.example.com/']);
    expect(await leaseDeliveries(ctx, 1000)).toHaveLength(SENDING_PER_LANE + 1);
    expect(await leaseDeliveries(ctx, 1000)).toEqual([]);
    await ctx.sql`delete from deliveries where id = (select id from deliveries where status = 'sending' and host = 'one.example.com' limit 1)`;
    expect(await leaseDeliveries(ctx, 1000)).toHaveLength(1);
  });

  test('concurrent leases never take the same delivery', async () => {
    const { appId } = await createApp(ctx);
    await emit(ctx, appId, hostsOf(40));
    const tickets = (await Promise.all(Array.from({ length: 8 }, () => leaseDeliveries(ctx, 10)))).flat();
    expect(new Set(tickets.map((ticket) => ticket.slice(0, 36))).size).toBe(tickets.length);
    expect(tickets.length).toBeGreaterThan(0);
  });

  test('Retry-After delays a message if it is longer than the schedule, by a day at most', async () => {
    const slow = configured({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,100000,100000' });
    const cases: [string, number, number][] = [
      ['600', 595_000, 600_000],
      ['10', 89_000, 110_000],
      ['999999999', 86_395_000, 86_400_000],
    ];
    for (const [header, least, most] of cases) {
      await clear(slow);
      const { url } = await startReceiver((response) => response.writeHead(429, { 'retry-after': header }).end());
      const row = await attemptOnce(slow, url);
      expect(row).toMatchObject({ status: 'pending', error: 'http_429', responseStatus: 429 });
      expect(row.waitMs).toBeGreaterThan(least);
      expect(row.waitMs).toBeLessThanOrEqual(most);
    }
  });

  test('waits vary by 10 % either way', async () => {
    const slow = configured({ CONFAM_WEBHOOK_SCHEDULE_MS: '0,1000000' });
    const { url } = await answering(500);
    const { appId } = await createApp(slow);
    await emit(slow, appId, Array(24).fill(url));
    const outbound = openClient(slow);
    for (let tickets = await leaseDeliveries(slow, 100); tickets.length > 0; tickets = await leaseDeliveries(slow, 100)) {
      await Promise.all(tickets.map((ticket) => deliver(slow, outbound, ticket)));
    }
    const waits = (await deliveryRows(slow)).map(({ waitMs }) => waitMs);
    expect(Math.min(...waits)).toBeGreaterThan(890_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_100_000);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(20_000);
  });

  test("an attempt's failure is a short code", async () => {
    const { url } = await startReceiver(hang);
    const impatient = configured({ CONFAM_WEBHOOK_TIMEOUT_MS: '100', CONFAM_WEBHOOK_SCHEDULE_MS: '0,60000' });
    expect(await attemptOnce(impatient, url)).toMatchObject({ status: 'pending', error: 'timeout', responseStatus: null });
    await clear(ctx);
    expect(await attemptOnce(impatient, 'http://127.0.0.1:1/')).toMatchObject({ status: 'pending', error: 'connection' });
    await clear(ctx);
    expect(await attemptOnce(impatient, url.replace('http:', 'https:'))).toMatchObject({ status: 'pending', error: 'tls' });
  });

  test('without the setting, plain http and private addresses are refused for good', async () => {
    const strict = configured({ CONFAM_WEBHOOK_ALLOW_PRIVATE: 'false' });
    const { received, url, host } = await startReceiver();
    expect(await attemptOnce(strict, url)).toMatchObject({ status: 'failed', attempt: 1, error: 'https_required' });
    await clear(ctx);
    expect(await attemptOnce(strict, `https://${host}/`)).toMatchObject({ status: 'failed', error: 'forbidden_port' });
    await clear(ctx);
    expect(await attemptOnce(strict, 'https://127.0.0.1/')).toMatchObject({ status: 'failed', error: 'forbidden_address' });
    expect(received).toHaveLength(0);
  });

  test('a secret that does not open delays the message, unsent', async () => {
    const { received, url } = await startReceiver();
    const { appId } = await createApp(ctx);
    await ctx.sql`update apps set webhook_secret = ${sealedEarlier(ctx).seal('whsec_AAAA', 'webhook_secret', newId())} where id = ${appId}`;
    await emit(ctx, appId, [url]);
    const [ticket] = await leaseDeliveries(ctx, 1);
    await deliver(ctx, openClient(), ticket!);
    expect(await onlyRow(ctx)).toMatchObject({ status: 'pending', attempt: 1, error: 'secret_unreadable' });
    expect(received).toHaveLength(0);
  });

  test('an attempt is one log line, with the host and without path, query, body or secret, and one count', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const logged = openContext(database.config(), database.url, { log: pino({ base: null }, sink) });
    onTestFinished(() => logged.close());
    const { appId, secret } = await createApp(logged);
    const { url, host } = await startReceiver((response) => response.writeHead(500).end('receiver-says'));
    await emit(logged, appId, [url]);
    const [ticket] = await leaseDeliveries(logged, 1);
    await deliver(logged, openClient(logged), ticket!);
    const row = await onlyRow(logged);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: 'webhook',
      event: showId('evt', row.eventId),
      delivery: showId('dlv', row.id),
      app: showId('app', appId),
      host,
      attempt: 1,
      result: 'retried',
      status: 500,
      error: 'http_500',
      ms: expect.any(Number),
    });
    for (const private_ of ['/hook', 'token', 'receiver-says', 'bat_0', secret.slice(6)]) expect(lines[0]).not.toContain(private_);
    expect(row.error).toBe('http_500');
    expect((await logged.metrics.webhookAttempts.get()).values).toEqual([{ value: 1, labels: { result: 'retried' } }]);
  });

  test('a message reveals nothing of what was submitted or found', async () => {
    const { appId } = await createApp(ctx);
    const { received, url } = await startReceiver();
    const jobId = newId();
    const nin = '71234567890';
    const input = sealedEarlier(ctx).seal(JSON.stringify({ nin }), 'input', jobId);
    await ctx.sql`
      insert into jobs (id, app_id, live, status, attempt, price_kobo, cached_price_kobo, check_id, family, reference, callback_url, input)
      values (${jobId}, ${appId}, false, 'leased', 1, 12500, 5000, 'nin_advance', 'nin', 'order-7', ${url}, ${input})`;
    const settled = await openSettle(ctx).job({
      jobId,
      appId,
      batchId: null,
      attempt: 1,
      checkId: 'nin_advance',
      trail: [],
      result: {
        status: 'completed',
        outcome: 'found',
        entity: { nin, firstname: 'MORENIKE', telephoneno: '09011111111' },
        billedKobo: 0,
        cached: false,
        provider: 'sandbox',
        latencyMs: 5,
        cacheEntries: [],
      },
    });
    expect(settled).toBe('settled');
    const [ticket] = await leaseDeliveries(ctx, 1);
    await deliver(ctx, openClient(), ticket!);
    const message = JSON.parse(received[0]!.body);
    expect(message).toMatchObject({
      type: 'job.completed',
      data: { id: showId('job', jobId), status: 'completed', outcome: 'found', reference: 'order-7' },
    });
    expect(parseId('job', message.data.id)).toBe(jobId);
    for (const personal of [nin, 'MORENIKE', '09011111111', 'entity', 'input']) expect(received[0]!.body).not.toContain(personal);
  });
});

test('signatures are those of Standard Webhooks', () => {
  // The example of the specification's reference libraries.
  const signature = sign('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}');
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
