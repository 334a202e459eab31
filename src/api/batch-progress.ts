/** Reads batches: the list, one batch with its ETag (at once, or when it has changed), its history, and its progress as a stream of events. */
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import type { z } from 'zod';
import { listBatches, readHistory, type StatusChange } from '../batches/pages.ts';
import type { BatchLook, Watch } from '../batches/waiters.ts';
import type { BatchRow, changeAnswer } from '../contract/batches.ts';
import { isBatchOver, showBatch, showProgress } from '../contract/batches.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import { outageMs } from '../providers/availability.ts';
import type { Router } from '../providers/router.ts';
import { readErrors } from '../results/jobs.ts';
import { batchStatus } from '../schema/batches.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, envelope, type Http, type Variables } from './http.ts';
import { findBatch, pageSize, refusedCursor, someOf, timeOf, waitMs } from './query.ts';
import { openStreams } from './streams.ts';

/** Row errors in an answer; `/errors` has all of them. */
const ERRORS_SHOWN = 100;
/** A stream without news sends a comment this often, so that proxies and clients do not take it for dead. */
const HEARTBEAT_MS = 15_000;
/** How soon a client that lost its stream reconnects. */
const RETRY_MS = 2_000;

const BUSY_RETRY_SECONDS = 30;

export function watchRoutes(service: Service, authentication: Authentication, watch: Watch) {
  const { router } = service;
  const sendStream = openStreams({
    all: service.config.CONFAM_EVENT_STREAMS_MAX,
    what: 'event streams',
    retrySeconds: BUSY_RETRY_SECONDS,
    suspensions: service.suspensions,
  });
  const shown = (batch: BatchRow) => showBatch(batch, outageMs(router, batch));
  const stateTag = (batch: BatchRow): string => {
    const { progress: _, next_attempt_at: __, ...state } = shown(batch);
    return tagOf(state);
  };
  const show = async (batch: BatchRow) => ({ ...shown(batch), errors: await readErrors(service, batch, ERRORS_SHOWN) });

  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/batches', authentication.app, async (c) => {
      const page = await listBatches(service, callerOf(c), {
        statuses: someOf(c, 'status', batchStatus.enumValues),
        reference: c.req.query('reference') ?? null,
        since: timeOf(c, 'since'),
        until: timeOf(c, 'until'),
        cursor: c.req.query('cursor') ?? null,
        limit: pageSize(c),
      });
      if (!page) throw refusedCursor();
      return envelope(c, {
        object: 'list',
        data: page.batches.map(shown),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      });
    })
    .get('/api/v1/batches/:id', authentication.app, async (c) => {
      const wait = waitMs(c);
      let batch = await findBatch(service, c);
      if (wait !== null && !(isAsked(c, stateTag(batch)) ?? !isBatchOver(batch))) return tagged(c, stateTag(batch), await show(batch));
      if (wait !== null) {
        const seen = stateTag(batch);
        const isConditional = c.req.header('if-none-match') !== undefined;
        const isNews = ({ batch }: BatchLook) => (isConditional ? stateTag(batch) !== seen : isBatchOver(batch));
        const isOver = (look: BatchLook) => service.suspensions.has(batch.appId) || isNews(look);
        await watch.batch(batch.id, isOver, { ms: wait, signal: c.req.raw.signal });
        service.suspensions.refuse(batch.appId);
        batch = await findBatch(service, c);
      }
      return tagged(c, stateTag(batch), await show(batch));
    })
    .get('/api/v1/batches/:id/history', authentication.app, async (c) => {
      const history = await readHistory(service, [(await findBatch(service, c)).id]);
      return envelope(c, { object: 'list', data: history.map(showChange) });
    })
    .get('/api/v1/batches/:id/events', authentication.app, async (c) => {
      const batch = await findBatch(service, c);
      const history = await readHistory(service, [batch.id]);
      const seen = lastEventId(c, history.length);
      // 204 tells an EventSource client to stop: it has seen everything.
      if (seen === history.length && isBatchOver(batch)) return c.body(null, 204);
      const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
      const events = streamEvents(watch, router, { batch, history, rate: null }, seen, c.req.raw.signal);
      return sendStream(c, batch.appId, events, headers);
    });
}

/**
 * A resource with its ETag, or 304 if the client has it already. The tag is weak: neither the request id nor an estimate that changes with the clock is part
 * of the state.
 */
export function tagged(c: Http, tag: string, entity: unknown): Response {
  return isAsked(c, tag) ? c.body(null, 304, { ETag: tag }) : envelope(c, entity, 200, { ETag: tag });
}

export const tagOf = (state: unknown): string =>
  `W/"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)}"`;

/** Does If-None-Match contain `tag`? Null without that header. */
export function isAsked(c: Http, tag: string): boolean | null {
  const header = c.req.header('if-none-match');
  if (header === undefined) return null;
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return header.split(',').some((one) => bare(one) === bare(tag) || one.trim() === '*');
}

const showChange = (change: StatusChange): z.infer<typeof changeAnswer> => ({
  status: change.status,
  reason: change.reason,
  at: new Date(change.at).toISOString(),
  counts: { queued: change.queued, leased: change.leased, completed: change.completed, failed: change.failed, canceled: change.canceled },
});

/** Ids number the batch's status changes. Progress events have none, so that a client always asks for the statuses it missed. */
function lastEventId(c: Http, changes: number): number {
  const text = c.req.header('last-event-id') ?? '';
  if (text === '') return 0;
  if (/^\d{1,9}$/.test(text) && Number(text) <= changes) return Number(text);
  const message = 'is not an id of this stream';
  throw new ApiError('invalid_request', `Last-Event-ID ${message}`, { details: [{ path: 'Last-Event-ID', message, rule: 'event_id' }] });
}

/**
 * Server-sent events of a batch, up to its final state. The generator advances only when its last event was taken: a slow reader gets every status but only
 * the latest progress.
 */
async function* streamEvents(
  watch: Watch,
  router: Router,
  first: BatchLook,
  seen: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let look: BatchLook | null = first;
  let told = seen;
  let shown: string | null = null;
  yield Buffer.from(`retry: ${RETRY_MS}\n\n`);
  for (;;) {
    if (look) {
      let text = '';
      for (; told < look.history.length; told++) {
        text += `id: ${told + 1}\nevent: status\ndata: ${JSON.stringify(showChange(look.history[told]!))}\n\n`;
      }
      shown = progressOf(router, look).key;
      yield Buffer.from(`${text}${progressOf(router, look).event}`);
      if (isBatchOver(look.batch)) return;
    } else if (!signal.aborted) yield Buffer.from(': nothing new\n\n');
    const isNews = (next: BatchLook) => next.history.length > told || progressOf(router, next).key !== shown;
    const began = performance.now();
    look = await watch.batch(first.batch.id, isNews, { ms: HEARTBEAT_MS, signal });
    // Woken early without news: the client is gone, or this process is stopping. The client resumes elsewhere with Last-Event-ID.
    if (look === null && performance.now() - began < HEARTBEAT_MS - 1_000) return;
  }
}

/** Built once for each look at the batch and shared by all its streams. `key` shows whether anything has changed. */
const progress = new WeakMap<BatchLook, { key: string; event: string }>();

function progressOf(router: Router, look: BatchLook): { key: string; event: string } {
  const known = progress.get(look);
  if (known) return known;
  const { counts, billed_amount, degraded, next_attempt_at, progress: average } = showBatch(look.batch, outageMs(router, look.batch));
  const key = JSON.stringify({ counts, billed_amount, degraded });
  const estimate = look.rate === null ? average : showProgress(look.batch, look.rate);
  const event = `event: progress\ndata: ${JSON.stringify({ ...estimate, counts, billed_amount, degraded, next_attempt_at })}\n\n`;
  progress.set(look, { key, event });
  return { key, event };
}
