/** The messages of a webhook endpoint as a stream, for receivers without a public address: `confam webhooks listen`. */
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { type FollowedEvent, followEvents } from '../webhooks/follow.ts';
import type { Http } from './http.ts';
import { file, type Parameter } from './openapi/operation.ts';
import { route } from './route.ts';
import { findEndpoint } from './webhooks.ts';

/** A stream without news sends a comment this often, so that proxies and clients do not take it for dead. */
const HEARTBEAT_MS = 15_000;
/** How soon a client that lost its stream reconnects. */
const RETRY_MS = 2_000;

const lastEvent: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The last id seen (evt_…). Later events follow; those of the seconds before it may come again',
  schema: { type: 'string' },
};

export const followRoutes = [
  route({
    tag: 'webhooks',
    who: 'app',
    scope: 'webhooks',
    method: 'get',
    path: '/api/v1/webhooks/endpoints/:id/events',
    id: 'followEndpoint',
    audit: { none: 'shows nobody' },
    summary: 'The endpoint’s messages as server-sent events, from now on',
    description:
      'Each event has the event’s id and, as data, `{"headers": {…}, "body": "…"}`: the signed request that a delivery would send, without encrypted results. An endpoint that is `disabled` is followed too: its events are kept, and nothing is sent to its address.',
    parameters: [lastEvent],
    find: findEndpoint,
    answers: { 200: file('A stream until the endpoint is deleted', 'text/event-stream') },
    errors: ['overloaded'],
    async handle(c, { service, state, sendEvents, found }) {
      const after = lastEventId(c);
      const isOver = () => c.req.raw.signal.aborted || state.phase() === 'draining' || service.suspensions.has(found.appId);
      const events = streamEvents(followEvents(service, found, after), isOver);
      return sendEvents(c, found.appId, events, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    },
  }),
];

function lastEventId(c: Http): string | null {
  const text = c.req.header('last-event-id') ?? '';
  const id = parseId('evt', text);
  if (text === '' || id !== null) return id;
  const message = 'is not an id of an event';
  throw new ApiError('invalid_request', `Last-Event-ID ${message}`, { details: [{ path: 'Last-Event-ID', message, rule: 'event_id' }] });
}

async function* streamEvents(looks: AsyncGenerator<FollowedEvent[]>, isOver: () => boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`retry: ${RETRY_MS}\n\n`);
  let toldAt = performance.now();
  for await (const events of looks) {
    if (isOver()) return;
    const isQuiet = performance.now() - toldAt > HEARTBEAT_MS;
    if (events.length === 0 && !isQuiet) continue;
    toldAt = performance.now();
    yield Buffer.from(events.length === 0 ? ': nothing new\n\n' : events.map(asMessage).join(''));
  }
}

const asMessage = ({ id, headers, body }: FollowedEvent): string =>
  `id: ${id}\nevent: message\ndata: ${JSON.stringify({ headers, body })}\n\n`;
