/**
 * Events: what an app is told about, and the message that tells it, signed after Standard Webhooks 1.0.0. How a message gets to its
 * receiver is in `delivery.ts`.
 */
import { Webhook } from 'standardwebhooks';
import type { Tx } from './context.ts';
import { newId, showId } from './ids.ts';

export interface NewEvent {
  appId: string;
  /** Default: true. */
  live?: boolean;
  type:
    | 'job.completed'
    | 'job.failed'
    | 'batch.completed'
    | 'batch.canceled'
    | 'batch.failed'
    | 'batch.expired'
    | 'batch.paused'
    | 'batch.resumed'
    | 'batch.progress'
    | 'wallet.low_balance';
  /** Ids, status, counts; no personal data. */
  data: Record<string, unknown>;
  /** The `callback_url` of the job or batch; without one nobody is told. A wallet has none. */
  url: string | null;
}

/** Records events and the deliveries that are due, in the transaction of what they tell. */
export async function emitEvents(tx: Tx, events: NewEvent[]): Promise<void> {
  const kept = events
    .filter((event) => event.url !== null || event.type === 'wallet.low_balance')
    .map((event) => ({ ...event, id: newId(), deliveryId: newId() }));
  if (kept.length === 0) return;
  await tx`
    insert into events (id, app_id, live, type, data)
    select id, app_id, live, type, data::jsonb
    from unnest(${kept.map((e) => e.id)}::uuid[], ${kept.map((e) => e.appId)}::uuid[], ${tx.array(kept.map((e) => e.live ?? true))}::bool[],
      ${kept.map((e) => e.type)}::text[], ${kept.map((e) => JSON.stringify(e.data))}::text[]) as t(id, app_id, live, type, data)`;
  const told = kept.filter((event) => event.url !== null);
  if (told.length === 0) return;
  await tx`
    insert into deliveries (id, event_id, app_id, url, host)
    select * from unnest(${told.map((e) => e.deliveryId)}::uuid[], ${told.map((e) => e.id)}::uuid[], ${told.map((e) => e.appId)}::uuid[],
      ${told.map((e) => e.url)}::text[], ${told.map((e) => new URL(e.url!).host)}::text[])`;
}

/** An event as its row has it. */
export interface StoredEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
  createdAt: string;
}

/** The request that tells of `event`. Body and `webhook-id` are the same at every attempt, time and signature belong to this one. */
export function signedMessage(
  event: StoredEvent,
  secret: string,
  timestampSeconds: number,
): { headers: Record<string, string>; body: string } {
  const id = showId('evt', event.id);
  const body = JSON.stringify({ type: event.type, timestamp: new Date(event.createdAt).toISOString(), data: event.data });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'confam-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': sign(secret, id, timestampSeconds, body),
  };
  return { headers, body };
}

/** `v1,` + base64 of HMAC-SHA256 over `id.timestamp.body`. `secret`: `whsec_` + base64. */
export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  return new Webhook(secret).sign(id, new Date(timestampSeconds * 1000), body);
}
