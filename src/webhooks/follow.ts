/**
 * An endpoint's events as they happen, for a receiver without a public address: it holds a connection and reads, and each message is signed as if it had been
 * sent. Nothing is recorded about it, and no delivery is made.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventData } from '../contract/about.ts';
import type { EndpointRow } from '../contract/webhooks.ts';
import type { Context } from '../foundation/context.ts';
import { firstIdAt, showId } from '../foundation/ids.ts';
import { openSecret, readEndpoint } from './endpoints.ts';
import { type StoredEvent, signedMessage, wantedTypes } from './events.ts';

export interface FollowedEvent {
  /** `evt_…` */
  id: string;
  headers: Record<string, string>;
  body: string;
}

/** One indexed query for each follower. */
const LOOK_MS = 1_000;
const PAGE_EVENTS = 500;
/** An event's id is older than its commit, and comes from another machine's clock: looks overlap by this much. */
const OVERLAP_MS = 15_000;

/**
 * Yields after every look, with the new events or none, until the endpoint is deleted. `after`: the id of the event to continue from; events of the
 * seconds before it may come again. Null: only events from now on.
 */
export async function* followEvents(ctx: Context, endpoint: EndpointRow, after: string | null): AsyncGenerator<FollowedEvent[]> {
  const seen = new Map<string, number>(after === null ? [] : [[after, timeOf(after)]]);
  let from = after === null ? Date.now() : timeOf(after);
  let isPast = after === null;
  for (;;) {
    const current = await readEndpoint(ctx.sql, endpoint, endpoint.id);
    if (!current) return;
    const lookedAt = Date.now();
    const events = await readNew(ctx, current, from - OVERLAP_MS, [...seen.keys()]);
    for (const { id } of events) seen.set(id, timeOf(id));
    const isFull = events.length === PAGE_EVENTS;
    from = isFull ? timeOf(events.at(-1)!.id) : lookedAt;
    for (const [id, ms] of seen) if (ms < from - OVERLAP_MS) seen.delete(id);
    yield isPast ? [] : await Promise.all(events.map((event) => messageFor(ctx, current, event)));
    if (isFull) continue;
    isPast = false;
    await sleep(LOOK_MS);
  }
}

type Found = StoredEvent & { about: Buffer | null; timestampSeconds: number };

const readNew = (ctx: Context, { appId, live, events }: EndpointRow, sinceMs: number, seen: string[]): Promise<Found[]> => ctx.sql<Found[]>`
  select e.id, e.type, e.data, e.about, e.created_at, extract(epoch from now())::int as timestamp_seconds from events e
  where e.app_id = ${appId} and e.live = ${live} and e.type = any(${wantedTypes(events)}::text[])
    and e.id >= ${firstIdAt(sinceMs)} and e.id <> all(${seen}::uuid[])
  order by e.id limit ${PAGE_EVENTS}`;

/** By the endpoint's secret, and by the previous one while that is valid. */
async function messageFor(ctx: Context, endpoint: EndpointRow, event: Found): Promise<FollowedEvent> {
  const isRotating = endpoint.previousExpiresAt !== null && Date.parse(endpoint.previousExpiresAt) > Date.now();
  const sealed = [endpoint.secret, ...(isRotating && endpoint.previousSecret ? [endpoint.previousSecret] : [])];
  const secrets = await Promise.all(sealed.map((secret) => openSecret(ctx, endpoint.id, secret)));
  const message = signedMessage(
    { ...event, data: openEventData(await ctx.cipher.opener([event.about]), event) },
    secrets,
    event.timestampSeconds,
    null,
  );
  return { id: showId('evt', event.id), ...message };
}

/** When a UUIDv7 was made. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
