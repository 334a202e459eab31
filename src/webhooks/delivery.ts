/**
 * Deliveries: leases due deliveries fairly, makes one attempt each, retries by the schedule, and gives up on record. The queue only carries
 * tickets; whether a ticket is still valid is decided here when its attempt begins, and an attempt begins once.
 *
 *     pending ──────lease──────▶ sending ──2xx──▶ delivered
 *        ▲                          │  └──410, refused address, last attempt, endpoint disabled──▶ failed
 *        └──retry, lost, suspended──┘
 *
 * A lane is an endpoint, or the host of `callback_url`s. An endpoint that answers 410, or fails for days on end, is disabled.
 */

import { openEventData } from '../contract/about.ts';
import type { EncryptionKey } from '../contract/webhooks.ts';
import type { Context } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import type { Fragment } from '../foundation/leadership.ts';
import type { Outbound, OutboundResult } from '../net/guarded-http.ts';
import { disableEndpoint, openSecret } from './endpoints.ts';
import { type StoredEvent, signedMessage } from './events.ts';
import { withheldResults } from './makers.ts';
import { encryptResults, type OpenJobs } from './payload.ts';

/** Deliveries being sent at a time, over all lanes. A worker takes as many at once, so that no ticket waits behind a slow receiver. */
export const SENDING_MAX = 200;
/** Deliveries being sent at a time in one lane: a slow receiver delays only its own messages. */
export const SENDING_PER_LANE = 4;
/** Deliveries being sent at a time for one app: an app with many slow receivers delays only its own messages. */
export const SENDING_PER_APP = 50;
/** The longest wait that a receiver may ask for by `Retry-After`. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;
/** What an attempt may take beyond the configured timeout, to read the start of the answer's body. */
const ATTEMPT_OVERHEAD_MS = 1_000;

/** Allowed from lease to start, and again from start to end. */
const leaseMs = (ctx: Context): number => 2 * (ctx.config.CONFAM_WEBHOOK_TIMEOUT_MS + ATTEMPT_OVERHEAD_MS);

/**
 * Leases at most `limit` due deliveries and returns tickets for the queue. Apps take turns, and so do the lanes of one app. An endpoint with a rate gets that
 * many a second, and up to one second's worth at once after a pause (GCRA). Concurrent callers never lease the same delivery, but together may exceed the
 * bounds: the dispatcher is the only caller, and `isLeading` tells whether it still leads.
 */
export async function leaseDeliveries(ctx: Context, limit: number, isLeading: Fragment = ctx.sql`true`): Promise<string[]> {
  const firstWaitMs = ctx.config.CONFAM_WEBHOOK_SCHEDULE_MS[0]!;
  const rows = await ctx.sql<{ id: string; attempt: number; lease: number }[]>`
    with recursive lanes(host) as (
      -- One index probe per lane, however many deliveries wait for a dead receiver.
      (select host from deliveries where status = 'pending' order by host limit 1)
      union all
      select (select d.host from deliveries d where d.status = 'pending' and d.host > lanes.host order by d.host limit 1) from lanes where lanes.host is not null),
    sending as materialized (select app_id, host from deliveries where status = 'sending'),
    due as (
      select d.id, d.app_id, d.next_attempt_at, busy.places + row_number() over (partition by lanes.host order by d.next_attempt_at, d.id) as lane_place
      from lanes
      cross join lateral (select count(*) as places from sending where sending.host = lanes.host) busy
      left join lateral (
        select floor(extract(epoch from now() + interval '1 second' - greatest(paced_until, now())) * rate_per_second) as allowed
        from webhook_endpoints where id = case when lanes.host like 'endpoint:%' then substr(lanes.host, 10)::uuid end) rate on true
      cross join lateral (
        select id, app_id, next_attempt_at from deliveries
        where status = 'pending' and host = lanes.host and next_attempt_at <= now()
          and (attempt > 0 or created_at <= now() - ${firstWaitMs} * interval '1 millisecond')
          and not exists (select 1 from apps a where a.id = deliveries.app_id and a.disabled_at is not null)
        order by next_attempt_at, id limit greatest(0, least(${SENDING_PER_LANE} - busy.places, rate.allowed))) d
      where lanes.host is not null),
    ranked as (
      select id, next_attempt_at, row_number() over (partition by app_id order by lane_place, next_attempt_at, id)
        + (select count(*) from sending where sending.app_id = due.app_id) as app_place
      from due),
    chosen as (
      select id from deliveries
      where status = 'pending' and ${isLeading} and id in (
        select id from ranked where app_place <= ${SENDING_PER_APP} order by app_place, next_attempt_at, id
        limit greatest(0, least(${limit}, ${SENDING_MAX} - (select count(*) from sending))))
      order by id for update skip locked),
    leased as (
      update deliveries d set status = 'sending', leased_until = now() + ${leaseMs(ctx)} * interval '1 millisecond'
      from chosen where d.id = chosen.id
      returning d.id, d.endpoint_id, d.attempt, (extract(epoch from d.leased_until) * 1000)::bigint as lease),
    paced as (
      update webhook_endpoints e set paced_until = greatest(e.paced_until, now()) + taken / e.rate_per_second::float8 * interval '1 second'
      from (select endpoint_id, count(*) as taken from leased group by endpoint_id) l
      where e.id = l.endpoint_id and e.rate_per_second is not null)
    select id, attempt, lease from leased`;
  // The lease makes the ticket unique: the queue ignores one it still keeps, even a failed one.
  return rows.map(({ id, attempt, lease }) => `${id}.${attempt}.${lease}`);
}

interface StartedDelivery {
  id: string;
  eventId: string;
  appId: string;
  endpointId: string | null;
  url: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  type: string;
  data: Record<string, unknown>;
  /** The sealed members of `data`. */
  about: Buffer | null;
  createdAt: string;
  /** Ciphertexts: the app's secret signs for a `callback_url`; the endpoint's signs otherwise, beside the previous one while that is valid. */
  webhookSecret: Buffer;
  secret: Buffer | null;
  previousSecret: Buffer | null;
  encryptionKey: EncryptionKey | null;
  makerKeyId: string | null;
  makerPersonId: string | null;
  timestampSeconds: number;
}

/** Makes the attempt of `ticket` and records its outcome. Does nothing if that attempt has already begun. */
export async function deliver(ctx: Context, outbound: Outbound, ticket: string, openJobs: OpenJobs): Promise<void> {
  const delivery = await startAttempt(ctx, ticket);
  if (!delivery) return;
  const result = await send(ctx, outbound, delivery, openJobs);
  if (!result) return;
  const verdict = judge(result, ctx.config.CONFAM_WEBHOOK_SCHEDULE_MS[delivery.attempt]);
  const recorded = await record(ctx, delivery, result, verdict);
  ctx.metrics.webhookAttempts.inc({ result: verdict.result });
  ctx.log.info(
    {
      event: showId('evt', delivery.eventId),
      delivery: showId('dlv', delivery.id),
      app: showId('app', delivery.appId),
      ...(delivery.endpointId && { endpoint: showId('whe', delivery.endpointId) }),
      host: new URL(delivery.url).host,
      attempt: delivery.attempt,
      result: recorded ? verdict.result : 'superseded',
      status: statusOf(result),
      error: verdict.error,
      ms: latencyOf(result),
    },
    'webhook',
  );
  if (!recorded || !delivery.endpointId) return;
  if (isGone(result)) await disableEndpoint(ctx, delivery.endpointId, 'gone');
  else if (recorded.failing) await disableEndpoint(ctx, delivery.endpointId, 'failing');
}

/** Puts back leased deliveries whose worker never returned, and gives up those whose last attempt was lost. Returns how many were lost. */
export async function requeueLostDeliveries(ctx: Context): Promise<number> {
  const attempts = ctx.config.CONFAM_WEBHOOK_SCHEDULE_MS.length;
  const lost = await ctx.sql`
    with lost as (
      select id, attempt from deliveries where status = 'sending' and leased_until < now() order by id for update skip locked),
    kept as (
      -- An attempt that had begun has no record yet.
      insert into delivery_attempts (delivery_id, attempt, error, latency_ms) select id, attempt, 'lost', 0 from lost where attempt > 0
      on conflict do nothing)
    update deliveries d set
      status = case when d.attempt < ${attempts} then 'pending' else 'failed' end::delivery_status,
      error = case when d.attempt < ${attempts} then d.error else 'lost' end, next_attempt_at = now(), leased_until = null
    from lost where d.id = lost.id`;
  return lost.count;
}

/** Deliveries that wait or are being sent. */
export async function webhookBacklog(ctx: Context): Promise<number> {
  // Two counts, because each has its own partial index.
  const [row] = await ctx.sql<[{ count: number }]>`
    select (select count(*) from deliveries where status = 'pending') + (select count(*) from deliveries where status = 'sending') as count`;
  return row.count;
}

/**
 * Compare-and-swap on `attempt`: if a ticket is taken twice, at once or after a lost worker, only one taker gets the delivery. A delivery to an endpoint since
 * disabled or deleted fails here; a delivery of an app since suspended waits again, so that it goes as soon as the app is resumed.
 */
async function startAttempt(ctx: Context, ticket: string): Promise<StartedDelivery | null> {
  const match = /^([0-9a-f-]{36})\.(\d{1,4})\.\d+$/.exec(ticket);
  if (!match) return null;
  const [started] = await ctx.sql<(StartedDelivery & { status: 'sending' | 'failed' | 'pending' })[]>`
    with target as (
      select d.id, e.id as endpoint_id, coalesce(e.url, d.url) as url, e.secret, e.encryption_key, e.maker_key_id, e.maker_person_id,
        case when e.previous_expires_at > now() then e.previous_secret end as previous_secret,
        case when e.deleted_at is not null then 'endpoint_deleted' when e.disabled_at is not null then 'endpoint_disabled' end as closed,
        exists (select 1 from apps a where a.id = d.app_id and a.disabled_at is not null) as suspended
      from deliveries d left join webhook_endpoints e on e.id = d.endpoint_id where d.id = ${match[1]!}),
    started as (
      update deliveries d set
        attempt = d.attempt + case when t.closed is null and not t.suspended then 1 else 0 end,
        status = case when t.suspended then 'pending' when t.closed is null then 'sending' else 'failed' end::delivery_status,
        error = case when t.suspended then d.error else coalesce(t.closed, d.error) end, url = t.url,
        leased_until = case when t.closed is null and not t.suspended then now() + ${leaseMs(ctx)} * interval '1 millisecond' end
      from target t where d.id = t.id and d.status = 'sending' and d.attempt = ${Number(match[2])}
      returning d.id, d.event_id, d.app_id, d.url, d.attempt, d.status)
    select s.*, t.endpoint_id, t.secret, t.previous_secret, t.encryption_key, t.maker_key_id, t.maker_person_id, e.type, e.data, e.about, e.created_at,
      a.webhook_secret, extract(epoch from now())::int as timestamp_seconds
    from started s join target t on t.id = s.id join events e on e.id = s.event_id join apps a on a.id = s.app_id`;
  return started?.status === 'sending' ? started : null;
}

/** `unsigned` and `unencrypted` were never sent, because of a fault on our side or in the receiver's key. */
type SendResult = OutboundResult | { kind: 'unsigned' } | { kind: 'unencrypted' };

/** Null if the delivery was deleted meanwhile, together with what it is about. */
async function send(ctx: Context, outbound: Outbound, delivery: StartedDelivery, openJobs: OpenJobs): Promise<SendResult | null> {
  let event: StoredEvent;
  let secrets: string[];
  try {
    event = { ...delivery, id: delivery.eventId, data: openEventData(await ctx.cipher.opener([delivery.about]), delivery) };
    secrets = await openSecrets(ctx, delivery);
  } catch (error) {
    // An encryption key is missing from the configuration. The schedule leaves days to restore it.
    ctx.log.error({ app: showId('app', delivery.appId), err: error }, 'webhook secret or message');
    return { kind: 'unsigned' };
  }
  let encrypted: string | null = null;
  try {
    if (delivery.encryptionKey && !(await isWithheld(ctx, delivery)))
      encrypted = await encryptResults(ctx, event, delivery.encryptionKey, openJobs);
  } catch (error) {
    ctx.log.error({ delivery: showId('dlv', delivery.id), err: error }, 'webhook results');
    return { kind: 'unencrypted' };
  }
  // Reading the results may have taken long.
  if (encrypted !== null && !(await isStillThere(ctx, delivery))) return null;
  return outbound.post(delivery.url, signedMessage(event, secrets, delivery.timestampSeconds, encrypted));
}

const isWithheld = async ({ sql }: Context, { endpointId, ...made }: StartedDelivery): Promise<boolean> =>
  (await withheldResults(sql, [{ ...made, id: endpointId! }])).size > 0;

const isStillThere = async ({ sql }: Context, { id }: StartedDelivery): Promise<boolean> =>
  (await sql`select 1 from deliveries where id = ${id}`).length > 0;

async function openSecrets(ctx: Context, { appId, endpointId, webhookSecret, secret, previousSecret }: StartedDelivery): Promise<string[]> {
  if (endpointId === null) return [await ctx.cipher.open(webhookSecret, 'webhook_secret', appId)];
  return Promise.all([secret, previousSecret].filter((sealed) => sealed !== null).map((sealed) => openSecret(ctx, endpointId, sealed)));
}

interface Verdict {
  result: 'delivered' | 'retried' | 'failed';
  /** A short stable code; nothing that the receiver wrote. */
  error: string | null;
  /** Until the next attempt: the schedule's wait, and at least what the receiver asked for. */
  waitMs: number;
  retryAfterMs: number;
}

/** `waitMs`: the schedule's wait before the next attempt; undefined after the last attempt. */
function judge(result: SendResult, waitMs: number | undefined): Verdict {
  const delivered = result.kind === 'answered' && result.status >= 200 && result.status < 300;
  if (delivered) return { result: 'delivered', error: null, waitMs: 0, retryAfterMs: 0 };
  const error = errorOf(result);
  if (result.kind === 'refused' || isGone(result) || waitMs === undefined) return { result: 'failed', error, waitMs: 0, retryAfterMs: 0 };
  const retryAfterMs = result.kind === 'answered' ? Math.min(result.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS) : 0;
  return { result: 'retried', error, waitMs, retryAfterMs };
}

function errorOf(result: SendResult): string {
  if (result.kind === 'unsigned') return 'secret_unreadable';
  if (result.kind === 'unencrypted') return 'results_not_encrypted';
  return result.kind === 'answered' ? `http_${result.status}` : result.reason;
}

const isGone = (result: SendResult): boolean => result.kind === 'answered' && result.status === 410;
const statusOf = (result: SendResult): number | null => (result.kind === 'answered' ? result.status : null);
const latencyOf = (result: SendResult): number => ('latencyMs' in result ? result.latencyMs : 0);

const STATUS = { delivered: 'delivered', retried: 'pending', failed: 'failed' } as const;

/**
 * Records the outcome, the attempt and the endpoint's health in one statement. `failing`: every attempt at the endpoint has failed for so long that it should
 * be disabled. Null if the attempt was already given up as lost and a later one has begun.
 */
async function record(ctx: Context, delivery: StartedDelivery, result: SendResult, verdict: Verdict): Promise<{ failing: boolean } | null> {
  const status = STATUS[verdict.result];
  const excerpt = result.kind === 'answered' && result.excerpt !== '' ? result.excerpt : null;
  const sealed = excerpt && (await ctx.cipher.sealer({ appId: delivery.appId })).seal(excerpt, 'excerpt', attemptName(delivery));
  // What was never sent says nothing about the receiver.
  const tried = result.kind !== 'unsigned' && result.kind !== 'unencrypted';
  const [recorded] = await ctx.sql<{ failing: boolean }[]>`
    with recorded as (
      -- ±10 %, so that deliveries that failed together are not retried together.
      update deliveries set status = ${status}::delivery_status, leased_until = null, response_status = ${statusOf(result)}, error = ${verdict.error},
        delivered_at = case when ${status} = 'delivered' then now() end,
        next_attempt_at = now() + greatest(${verdict.waitMs} * (0.9 + 0.2 * random()), ${verdict.retryAfterMs}) * interval '1 millisecond'
      where id = ${delivery.id} and status = 'sending' and attempt = ${delivery.attempt}
      returning id, endpoint_id),
    kept as (
      insert into delivery_attempts (delivery_id, attempt, at, status, error, latency_ms, excerpt)
      select id, ${delivery.attempt}, now() - ${latencyOf(result)} * interval '1 millisecond', ${statusOf(result)}::smallint, ${verdict.error},
        ${latencyOf(result)}, ${sealed}::bytea
      from recorded),
    health as (
      -- Written only when it changes: at the first failure after a success, and at the first success after a failure.
      update webhook_endpoints e set failing_since = case when ${status} = 'delivered' then null else now() end
      from recorded r where e.id = r.endpoint_id and ${tried} and (e.failing_since is null) <> (${status} = 'delivered'))
    select ${tried} and ${status} <> 'delivered' and coalesce(e.failing_since <= now() - ${ctx.config.CONFAM_WEBHOOK_DISABLE_MS} * interval '1 millisecond', false) as failing
    from recorded r left join webhook_endpoints e on e.id = r.endpoint_id`;
  return recorded ?? null;
}

/** The name that binds a sealed excerpt to its attempt. */
export const attemptName = ({ id, attempt }: { id: string; attempt: number }): string => `${id}:${attempt}`;
