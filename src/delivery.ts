/**
 * Deliveries: a fair lease of what is due, one attempt each, retries by the schedule, giving up visibly. The queue only carries tickets;
 * whether a ticket still means anything is decided here when its attempt begins, and an attempt begins once.
 *
 *     pending ──lease──▶ sending ──2xx──▶ delivered
 *        ▲                 │  └──410, refused address, last attempt──▶ failed
 *        └──retry, lost────┘
 */
import type { Context } from './context.ts';
import { showId } from './ids.ts';
import type { Outbound, OutboundResult } from './outbound.ts';
import { signedMessage } from './webhook.ts';

/** Deliveries under way at a time, over all hosts. A worker takes as many at once, so that no ticket waits behind somebody's slow receiver. */
export const SENDING_MAX = 200;
/** The lane of a host: a slow receiver delays its own messages. */
export const SENDING_PER_HOST = 4;
/** An app with many slow hosts delays its own messages. */
export const SENDING_PER_APP = 50;
/** Longest that a receiver may put us off by `Retry-After`. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;
/** What an attempt may take beyond the configured timeout, for a look at the body of the answer. */
const ATTEMPT_OVERHEAD_MS = 1_000;

/** Time from lease to begin, and again from begin to end. */
const leaseMs = (ctx: Context): number => 2 * (ctx.config.CONFAM_WEBHOOK_TIMEOUT_MS + ATTEMPT_OVERHEAD_MS);

/**
 * Leases at most `limit` due deliveries and answers tickets for the queue. Those of an app alternate over its hosts, and apps alternate.
 * Several callers at once never lease the same delivery, but may exceed the bounds by what each took: the dispatcher leads alone.
 */
export async function leaseDeliveries(ctx: Context, limit: number): Promise<string[]> {
  const firstWaitMs = ctx.config.CONFAM_WEBHOOK_SCHEDULE_MS[0]!;
  const rows = await ctx.sql<{ id: string; attempt: number; lease: number }[]>`
    with recursive hosts(host) as (
      -- One index probe a host, however many deliveries wait in front of a dead receiver.
      (select host from deliveries where status = 'pending' order by host limit 1)
      union all
      select (select d.host from deliveries d where d.status = 'pending' and d.host > hosts.host order by d.host limit 1) from hosts where hosts.host is not null),
    sending as materialized (select app_id, host from deliveries where status = 'sending'),
    due as (
      select d.id, d.app_id, d.next_attempt_at, busy.lanes + row_number() over (partition by hosts.host order by d.next_attempt_at, d.id) as host_place
      from hosts
      cross join lateral (select count(*) as lanes from sending where sending.host = hosts.host) busy
      cross join lateral (
        select id, app_id, next_attempt_at from deliveries
        where status = 'pending' and host = hosts.host and next_attempt_at <= now()
          and (attempt > 0 or created_at <= now() - ${firstWaitMs} * interval '1 millisecond')
        order by next_attempt_at, id limit greatest(0, ${SENDING_PER_HOST} - busy.lanes)) d
      where hosts.host is not null),
    ranked as (
      select id, next_attempt_at, row_number() over (partition by app_id order by host_place, next_attempt_at, id)
        + (select count(*) from sending where sending.app_id = due.app_id) as app_place
      from due),
    chosen as (
      select id from deliveries
      where status = 'pending' and id in (
        select id from ranked where app_place <= ${SENDING_PER_APP} order by app_place, next_attempt_at, id
        limit greatest(0, least(${limit}, ${SENDING_MAX} - (select count(*) from sending))))
      order by id for update skip locked)
    update deliveries d set status = 'sending', leased_until = now() + ${leaseMs(ctx)} * interval '1 millisecond'
    from chosen where d.id = chosen.id
    returning d.id, d.attempt, (extract(epoch from d.leased_until) * 1000)::bigint as lease`;
  // The lease makes the ticket new: the queue ignores one that it still keeps, a failed one included.
  return rows.map(({ id, attempt, lease }) => `${id}.${attempt}.${lease}`);
}

interface StartedDelivery {
  id: string;
  eventId: string;
  appId: string;
  url: string;
  host: string;
  /** This attempt, from 1. */
  attempt: number;
  type: string;
  data: Record<string, unknown>;
  createdAt: string;
  webhookSecret: Buffer;
  timestampSeconds: number;
}

/** Makes the attempt of `ticket` and records what came of it. A ticket whose attempt has begun already does nothing. */
export async function deliver(ctx: Context, outbound: Outbound, ticket: string): Promise<void> {
  const delivery = await startAttempt(ctx, ticket);
  if (!delivery) return;
  const result = await send(ctx, outbound, delivery);
  const verdict = judge(result, ctx.config.CONFAM_WEBHOOK_SCHEDULE_MS[delivery.attempt]);
  const recorded = await record(ctx, delivery, result, verdict);
  ctx.metrics.webhookAttempts.inc({ result: verdict.result });
  ctx.log.info(
    {
      event: showId('evt', delivery.eventId),
      delivery: showId('dlv', delivery.id),
      app: showId('app', delivery.appId),
      host: delivery.host,
      attempt: delivery.attempt,
      result: recorded ? verdict.result : 'superseded',
      status: statusOf(result),
      error: verdict.error,
      ms: 'latencyMs' in result ? result.latencyMs : 0,
    },
    'webhook',
  );
}

/** Leased deliveries whose worker never came back. Those whose last attempt was lost are given up. Answers how many there were. */
export async function requeueLostDeliveries(ctx: Context): Promise<number> {
  const attempts = ctx.config.CONFAM_WEBHOOK_SCHEDULE_MS.length;
  const lost = await ctx.sql`
    with lost as (
      select id from deliveries where status = 'sending' and leased_until < now() order by id for update skip locked)
    update deliveries d set
      status = case when d.attempt < ${attempts} then 'pending' else 'failed' end::delivery_status,
      error = case when d.attempt < ${attempts} then d.error else 'lost' end, next_attempt_at = now(), leased_until = null
    from lost where d.id = lost.id`;
  return lost.count;
}

/** Deliveries that wait or are being sent. */
export async function webhookBacklog(ctx: Context): Promise<number> {
  // Two counts, because each has a partial index of its own.
  const [row] = await ctx.sql<[{ count: number }]>`
    select (select count(*) from deliveries where status = 'pending') + (select count(*) from deliveries where status = 'sending') as count`;
  return row.count;
}

/** Compare and swap on `attempt`: of a ticket that is taken twice, at the same time or after a lost worker, one finds its delivery. */
async function startAttempt(ctx: Context, ticket: string): Promise<StartedDelivery | null> {
  const match = /^([0-9a-f-]{36})\.(\d{1,4})\.\d+$/.exec(ticket);
  if (!match) return null;
  const [delivery] = await ctx.sql<StartedDelivery[]>`
    with started as (
      update deliveries set attempt = attempt + 1, leased_until = now() + ${leaseMs(ctx)} * interval '1 millisecond'
      where id = ${match[1]!} and status = 'sending' and attempt = ${Number(match[2])}
      returning id, event_id, app_id, url, host, attempt)
    select s.id, s.event_id as "eventId", s.app_id as "appId", s.url, s.host, s.attempt, e.type, e.data, e.created_at as "createdAt",
      a.webhook_secret as "webhookSecret", extract(epoch from now())::int as "timestampSeconds"
    from started s join events e on e.id = s.event_id join apps a on a.id = s.app_id`;
  return delivery ?? null;
}

type SendResult = OutboundResult | { kind: 'unsigned' };

async function send(ctx: Context, outbound: Outbound, delivery: StartedDelivery): Promise<SendResult> {
  let secret: string;
  try {
    secret = ctx.cipher.open(delivery.webhookSecret, 'webhook_secret', delivery.appId);
  } catch (error) {
    // An encryption key is missing from the configuration: the schedule leaves days to put it back.
    ctx.log.error({ app: showId('app', delivery.appId), err: error }, 'webhook secret');
    return { kind: 'unsigned' };
  }
  return outbound.post(delivery.url, signedMessage({ ...delivery, id: delivery.eventId }, secret, delivery.timestampSeconds));
}

interface Verdict {
  result: 'delivered' | 'retried' | 'failed';
  /** A short stable code; nothing of what the receiver wrote. */
  error: string | null;
  /** To the next attempt: by the schedule, and at least by the receiver's wish. */
  waitMs: number;
  retryAfterMs: number;
}

/** `waitMs`: the schedule's wait before the next attempt; undefined after the last one. */
function judge(result: SendResult, waitMs: number | undefined): Verdict {
  const delivered = result.kind === 'answered' && result.status >= 200 && result.status < 300;
  if (delivered) return { result: 'delivered', error: null, waitMs: 0, retryAfterMs: 0 };
  const error = errorOf(result);
  const final = result.kind === 'refused' || (result.kind === 'answered' && result.status === 410) || waitMs === undefined;
  if (final) return { result: 'failed', error, waitMs: 0, retryAfterMs: 0 };
  const retryAfterMs = result.kind === 'answered' ? Math.min(result.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS) : 0;
  return { result: 'retried', error, waitMs, retryAfterMs };
}

function errorOf(result: SendResult): string {
  if (result.kind === 'unsigned') return 'secret_unreadable';
  return result.kind === 'answered' ? `http_${result.status}` : result.reason;
}

const statusOf = (result: SendResult): number | null => (result.kind === 'answered' ? result.status : null);

const STATUS = { delivered: 'delivered', retried: 'pending', failed: 'failed' } as const;

/** False when the attempt was given up for lost meanwhile and a later one has begun. */
async function record(ctx: Context, delivery: StartedDelivery, result: SendResult, verdict: Verdict): Promise<boolean> {
  const status = STATUS[verdict.result];
  // ±10 %, so that what failed together does not come back together.
  const recorded = await ctx.sql`
    update deliveries set status = ${status}::delivery_status, leased_until = null, response_status = ${statusOf(result)}, error = ${verdict.error},
      delivered_at = case when ${status} = 'delivered' then now() end,
      next_attempt_at = now() + greatest(${verdict.waitMs} * (0.9 + 0.2 * random()), ${verdict.retryAfterMs}) * interval '1 millisecond'
    where id = ${delivery.id} and status = 'sending' and attempt = ${delivery.attempt}`;
  return recorded.count > 0;
}
