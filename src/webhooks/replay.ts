/**
 * What an app can see of its deliveries, and ask for: every attempt with the receiver's answer, a test message, one delivery again, or everything since a time
 * again. "Again" makes a new delivery of the same event; the receiver recognizes it by `webhook-id`.
 */
import type { z } from 'zod';
import { type Author, type NewAuditEntry, record } from '../access/audit/append.ts';
import type { Owner } from '../access/owner.ts';
import { openEventData } from '../contract/about.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  type deliveryWithMessage,
  type EndpointRow,
  type replayBody,
  showDelivery,
} from '../contract/webhooks.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { firstIdAt, newId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { attemptName } from './delivery.ts';
import type { EndpointOwner } from './endpoints.ts';
import { type DueDelivery, endpointLane, messageOf, queueDeliveries, recordEvents, type StoredEvent, wantedTypes } from './events.ts';
import { refuseWithoutResults } from './makers.ts';
import { carriesResults } from './payload.ts';

/** Events that one request may send again; the answer says where to continue. */
const REPLAY_MAX = 10_000;
/** Upper bound on clock skew: a process makes ids, Postgres sets `created_at`. */
const CLOCKS_MS = 600_000;

type ShownDelivery = ReturnType<typeof showDelivery>;

type DeliveryWithMessage = z.infer<typeof deliveryWithMessage>;

interface DeliveryFilter {
  /** The last id of the previous page. */
  before: string | null;
  limit: number;
  status: string | null;
}

/** An endpoint's deliveries, newest first. */
export async function listDeliveries(
  ctx: Context,
  endpointId: string,
  { before, limit, status }: DeliveryFilter,
): Promise<ShownDelivery[]> {
  const { sql } = ctx;
  return withAttempts(
    ctx,
    await sql<DeliveryRow[]>`
      select d.*, e.type, e.created_at as event_at from deliveries d join events e on e.id = d.event_id
      where d.endpoint_id = ${endpointId}
        ${narrowed(sql, [before !== null && sql`d.id < ${before}`, status !== null && sql`d.status = ${status}::text::delivery_status`])}
      order by d.id desc limit ${limit}`,
  );
}

/** Null if unknown, or if it belongs to another app or mode. Finds deliveries to a `callback_url` too. */
async function readDelivery(ctx: Context, owner: EndpointOwner, id: string): Promise<ShownDelivery | null> {
  const rows = await ctx.sql<DeliveryRow[]>`
    select d.*, e.type, e.created_at as event_at from deliveries d join events e on e.id = d.event_id
    where d.id = ${id} and d.app_id = ${owner.appId} and e.live = ${owner.live}`;
  return (await withAttempts(ctx, rows))[0] ?? null;
}

/** Also the message that it carries, without encrypted results. */
export async function readDeliveryWithMessage(ctx: Context, owner: EndpointOwner, id: string): Promise<DeliveryWithMessage | null> {
  const delivery = await readDelivery(ctx, owner, id);
  if (!delivery) return null;
  const [event] = await ctx.sql<(Omit<StoredEvent, 'id'> & { about: Buffer | null })[]>`
    select e.type, e.data, e.about, e.created_at from deliveries d join events e on e.id = d.event_id where d.id = ${id}`;
  return event
    ? { ...delivery, message: messageOf({ ...event, data: openEventData(await ctx.cipher.opener([event.about]), event) }) }
    : null;
}

async function withAttempts(ctx: Context, deliveries: DeliveryRow[]): Promise<ShownDelivery[]> {
  const attempts = await ctx.sql<AttemptRow[]>`
    select * from delivery_attempts where delivery_id = any(${deliveries.map(({ id }) => id)}::uuid[]) order by delivery_id, attempt`;
  const byDelivery = new Map<string, (AttemptRow & { response: string | null })[]>(deliveries.map(({ id }) => [id, []]));
  const { open } = await ctx.cipher.opener(attempts.map(({ excerpt }) => excerpt));
  for (const row of attempts) {
    const name = attemptName({ id: row.deliveryId, attempt: row.attempt });
    byDelivery.get(row.deliveryId)!.push({ ...row, response: row.excerpt === null ? null : open(row.excerpt, 'excerpt', name) });
  }
  return deliveries.map((delivery) => showDelivery(delivery, byDelivery.get(delivery.id)!));
}

/** Sends a test message to this endpoint alone, whatever its filter. Throws `conflict` if it is disabled. */
export async function sendTest(ctx: Context, endpoint: EndpointRow): Promise<ShownDelivery> {
  refuseDisabled(endpoint.disabledAt !== null);
  const { appId, live, id: endpointId, url } = endpoint;
  const eventId = newId();
  const data = { id: showId('whe', endpointId), object: 'webhook_endpoint' };
  const deliveryId = await ctx.sql.begin(async (tx) => {
    await recordEvents(tx, [{ id: eventId, appId, live, type: 'endpoint.test', data }]);
    return (await queueDeliveries(tx, [{ eventId, appId, endpointId, url }]))[0]!;
  });
  return (await readDelivery(ctx, endpoint, deliveryId))!;
}

/**
 * Makes a new delivery of the same event to the same receiver. Null if there is no such delivery. Throws `conflict` if its endpoint is disabled or deleted, `forbidden`
 * if the endpoint has an encryption key and the caller may not read results.
 */
export async function redeliver(
  ctx: Context,
  owner: EndpointOwner & Pick<Owner, 'terms'>,
  id: string,
  by: Author,
): Promise<ShownDelivery | null> {
  const again = await whileEventsStay(ctx, async (tx) => {
    const [delivery] = await tx<(DueDelivery & { type: string; hasKey: boolean; closed: boolean })[]>`
      select d.event_id, d.app_id, d.endpoint_id, coalesce(w.url, d.url) as url, e.type, w.encryption_key is not null as has_key,
        coalesce(w.disabled_at, w.deleted_at) is not null as closed
      from deliveries d join events e on e.id = d.event_id left join webhook_endpoints w on w.id = d.endpoint_id
      where d.id = ${id} and d.app_id = ${owner.appId} and e.live = ${owner.live}`;
    if (!delivery) return null;
    const { endpointId, type, hasKey, closed } = delivery;
    if (hasKey) refuseWithoutResults(owner);
    refuseDisabled(closed);
    const [queued] = await queueDeliveries(tx, [delivery]);
    const { appId, live } = owner;
    const resent: NewAuditEntry = { appId, live, action: 'webhook.resend', object: showId('dlv', id) };
    await record(tx, by, resent, ...readsOf(owner, hasKey ? endpointId : null, [type]));
    return queued!;
  });
  return again === null ? null : readDelivery(ctx, owner, again);
}

export interface Replayed {
  /** New deliveries made. */
  deliveries: number;
  /** For `missing_only`: deliveries that waited for their next attempt and are now due. */
  hastened: number;
  /** Where to continue if there were more events than one request may send, else null. */
  nextSince: string | null;
}

/**
 * Sends the events in [since, until) that match the endpoint's filter again, oldest first. `missing_only`: only those that never arrived; a delivery still
 * waiting for its next attempt becomes due now instead of being sent twice. Throws `conflict` if the endpoint is disabled, `forbidden` as `redeliver` does.
 */
export async function replay(
  ctx: Context,
  owner: Pick<Owner, 'terms'>,
  endpoint: EndpointRow,
  { since, until, missing_only }: z.infer<typeof replayBody>,
  by: Author,
): Promise<Replayed> {
  const hasKey = endpoint.encryptionKey !== null;
  if (hasKey) refuseWithoutResults(owner);
  refuseDisabled(endpoint.disabledAt !== null);
  return whileEventsStay(ctx, async (tx) => {
    // Two concurrent replays would both find the same events missing.
    await tx`select 1 from webhook_endpoints where id = ${endpoint.id} for no key update`;
    const inWindow = eventsIn(tx, endpoint, since, until);
    const hastened = missing_only ? await hasten(tx, endpoint.id, inWindow) : 0;
    const missing = tx`not exists (
      select 1 from deliveries d where d.event_id = e.id and d.endpoint_id = ${endpoint.id} and d.status <> 'failed')`;
    const events = await tx<{ id: string; type: string; createdAt: string }[]>`
      select e.id, e.type, e.created_at from events e where ${inWindow} and ${missing_only ? missing : tx`true`}
      order by e.created_at, e.id limit ${REPLAY_MAX + 1}`;
    const replayed = events.slice(0, REPLAY_MAX);
    await queueDeliveries(
      tx,
      replayed.map(({ id }) => ({ eventId: id, appId: endpoint.appId, endpointId: endpoint.id, url: endpoint.url })),
    );
    const { appId, live, id } = endpoint;
    const resent: NewAuditEntry = {
      appId,
      live,
      action: 'webhook.resend',
      object: showId('whe', id),
      detail: { events: replayed.length, since, until },
    };
    const types = replayed.map(({ type }) => type);
    await record(tx, by, resent, ...readsOf(endpoint, hasKey ? id : null, types));
    const next = events[REPLAY_MAX];
    return { deliveries: replayed.length, hastened, nextSince: next ? new Date(next.createdAt).toISOString() : null };
  });
}

/** What is read for messages to this endpoint with an encryption key. Events without results are about nobody. */
function readsOf({ appId, live }: EndpointOwner, keyed: string | null, types: readonly string[]): NewAuditEntry[] {
  const events = types.filter(carriesResults).length;
  if (keyed === null || events === 0) return [];
  return [{ appId, live, action: 'results.read', object: showId('whe', keyed), detail: { events } }];
}

/**
 * Starts again if an event was deleted after it had been found, with its job or by retention: the delivery that would refer to it is refused then. (A request of
 * an app may not lock events.)
 */
async function whileEventsStay<T>(ctx: Context, send: (tx: Tx) => Promise<T>): Promise<T> {
  for (let triesLeft = 3; ; triesLeft--) {
    try {
      return (await ctx.sql.begin(send)) as T;
    } catch (error) {
      const isGone = (error as { constraint_name?: string }).constraint_name === 'deliveries_event_id_events_id_fk';
      if (!isGone || triesLeft === 0) throw error;
    }
  }
}

/** Excludes test messages. */
function eventsIn(tx: Tx, endpoint: EndpointRow, since: string, until: string | undefined) {
  return tx`e.app_id = ${endpoint.appId} and e.live = ${endpoint.live} and e.type = any(${wantedTypes(endpoint.events)}::text[])
    and e.id >= ${firstIdAt(Date.parse(since) - CLOCKS_MS)} and e.created_at >= ${since}::timestamptz
    and e.created_at < coalesce(${until ?? null}::timestamptz, now())`;
}

/** Skips rows that the dispatcher is leasing right now: they are due anyway. */
async function hasten(tx: Tx, endpointId: string, inWindow: ReturnType<typeof eventsIn>): Promise<number> {
  const hastened = await tx`
    with waiting as (
      select d.id from deliveries d join events e on e.id = d.event_id
      where d.host = ${endpointLane(endpointId)} and d.status = 'pending' and d.next_attempt_at > now() and ${inWindow}
      order by d.id for update of d skip locked)
    update deliveries d set next_attempt_at = now() from waiting where d.id = waiting.id`;
  return hastened.count;
}

function refuseDisabled(disabled: boolean): void {
  if (disabled) throw new ApiError('conflict', 'The endpoint is disabled or deleted: nothing is sent to it');
}
