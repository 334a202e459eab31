/**
 * Events: what an app is notified of, and the signed message that carries it (Standard Webhooks 1.0.0). Receivers are the `callback_url` of the job or batch and
 * every endpoint of the app that wants the type. `delivery.ts` gets the message there.
 */

import { Webhook } from 'standardwebhooks';
import type { AppMode } from '../access/owner.ts';
import { type EventType, eventTypes, optInEvents } from '../contract/webhooks.ts';
import type { Tx } from '../foundation/context.ts';
import { signByWebhookKey } from '../foundation/crypto.ts';
import { newId, showId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';

export interface NewEvent {
  appId: string;
  live: boolean;
  type: EventType;
  /** Ids, status, counts; no personal data. */
  data: Record<string, unknown>;
  /** Members that are null or empty in `data`, sealed for its `eventOwner` (`contract/about.ts`). */
  about?: Buffer | null;
  /** The `callback_url` of the job or batch. Opt-in types do not go there. */
  url: string | null;
}

interface Listener {
  id: string;
  appId: string;
  live: boolean;
  url: string;
  events: string[];
  disabled: boolean;
}

/**
 * Records events and their due deliveries, in the transaction that causes them. Without a `callback_url`, an event is kept for replay if the app has any
 * endpoint; an opt-in type only if an endpoint names it. Otherwise the cost is one query.
 */
export async function emitEvents(tx: Tx, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const listeners = await tx<Listener[]>`
    select id, app_id, live, url, events, disabled_at is not null as disabled from webhook_endpoints
    where deleted_at is null and (app_id, live) in (
      select * from ${recordset(tx, events, { app_id: ['uuid', (e) => e.appId], live: ['bool', (e) => e.live] })} t)`;
  const byOwner = new Map<string, Listener[]>();
  for (const listener of listeners) byOwner.set(ownerOf(listener), [...(byOwner.get(ownerOf(listener)) ?? []), listener]);
  const kept: (NewEvent & { id: string })[] = [];
  const due: DueDelivery[] = [];
  for (const event of events) {
    const optIn = optInEvents.includes(event.type);
    const url = optIn ? null : event.url;
    const own = byOwner.get(ownerOf(event)) ?? [];
    const wanting = own.filter((listener) => wants(listener.events, event.type));
    if (url === null && (optIn ? wanting : own).length === 0) continue;
    const id = newId();
    kept.push({ ...event, id });
    if (url !== null) due.push({ eventId: id, appId: event.appId, endpointId: null, url });
    for (const listener of wanting)
      if (!listener.disabled) due.push({ eventId: id, appId: event.appId, endpointId: listener.id, url: listener.url });
  }
  await recordEvents(tx, kept);
  await queueDeliveries(tx, due);
}

const ownerOf = ({ appId, live }: AppMode): string => `${appId} ${live}`;

/** The types that an endpoint with this list wants. An empty list stands for all but the opt-in ones. */
export const wantedTypes = (filter: string[]): readonly string[] =>
  filter.length > 0 ? filter : eventTypes.filter((type) => !optInEvents.includes(type));

const wants = (filter: string[], type: EventType): boolean => wantedTypes(filter).includes(type);

/** Records events, whether or not anybody wants them. */
export async function recordEvents(
  tx: Tx,
  events: { id: string; appId: string; live: boolean; type: string; data: Record<string, unknown>; about?: Buffer | null }[],
): Promise<void> {
  if (events.length === 0) return;
  await tx`
    insert into events (id, app_id, live, type, data, about)
    select id, app_id, live, type, data::jsonb, about from ${recordset(tx, events, {
      id: ['uuid', (e) => e.id],
      app_id: ['uuid', (e) => e.appId],
      live: ['bool', (e) => e.live],
      type: ['text', (e) => e.type],
      data: ['text', (e) => JSON.stringify(e.data)],
      about: ['bytea', (e) => e.about ?? null],
    })} t`;
}

/** Deletes all events about these jobs, batches and review cases, with their deliveries, attempts and receivers' answers. `shown`: public ids. */
export async function deleteEventsAbout(tx: Tx, shown: readonly string[]): Promise<void> {
  if (shown.length > 0) await tx`select delete_events_about(${[...shown]}::text[])`;
}

export interface DueDelivery {
  eventId: string;
  appId: string;
  /** Null for a `callback_url`. */
  endpointId: string | null;
  url: string;
}

/** Returns the new deliveries' ids in the order given. */
export async function queueDeliveries(tx: Tx, due: DueDelivery[]): Promise<string[]> {
  const rows = due.map((delivery) => ({ ...delivery, id: newId() }));
  if (due.length > 0)
    await tx`
      insert into deliveries (id, event_id, app_id, endpoint_id, url, host)
      select * from ${recordset(tx, rows, {
        id: ['uuid', (d) => d.id],
        event_id: ['uuid', (d) => d.eventId],
        app_id: ['uuid', (d) => d.appId],
        endpoint_id: ['uuid', (d) => d.endpointId],
        url: ['text', (d) => d.url],
        host: ['text', laneOf],
      })} t`;
  return rows.map(({ id }) => id);
}

/** Cannot clash with a host: `endpoint:` would be followed by a port number. */
const laneOf = ({ endpointId, url }: DueDelivery): string => (endpointId === null ? new URL(url).host : endpointLane(endpointId));
export const endpointLane = (endpointId: string): string => `endpoint:${endpointId}`;

/** An event as stored, its sealed members opened. */
export interface StoredEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: string;
}

/**
 * The request that carries `event`. `webhook-id` and body stay the same over all attempts, except `encrypted` (results as a JWE, or null), which is made for each attempt;
 * the timestamp and the signatures, one per secret, belong to this attempt.
 */
export function signedMessage(
  event: StoredEvent,
  secrets: string[],
  timestampSeconds: number,
  encrypted: string | null,
): { headers: Record<string, string>; body: string } {
  const id = showId('evt', event.id);
  const message = messageOf(event);
  const body = JSON.stringify(encrypted === null ? message : { ...message, data: { ...message.data, encrypted } });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'confam-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => sign(secret, id, timestampSeconds, body)).join(' '),
  };
  return { headers, body };
}

/** What the body says, without results. */
export const messageOf = ({ type, createdAt, data }: Omit<StoredEvent, 'id'>) => ({
  type,
  timestamp: new Date(createdAt).toISOString(),
  data,
});

/** Signs `id.timestamp.body`: `whsec_…` gives `v1,` + base64 of HMAC-SHA256; `whsk_…` gives `v1a,` + base64 of ed25519. */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  if (secret.startsWith('whsk_')) return `v1a,${signByWebhookKey(secret, `${id}.${timestampSeconds}.${body}`)}`;
  return new Webhook(secret).sign(id, new Date(timestampSeconds * 1000), body);
}
