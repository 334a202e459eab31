/** Reads batches: the list, one batch with its ETag (at once, or when it has changed), its history, why checks failed, and its progress as a stream of events. */
import type { z } from 'zod';
import { listBatches } from '../batches/pages.ts';
import { readHistory, readTimeline, type StatusChange } from '../batches/timeline.ts';
import type { BatchLook, Waiters } from '../batches/waiters.ts';
import type { BatchRow, changeAnswer, failureAnswer, timelineAnswer } from '../contract/batches.ts';
import { batchesQuery, isBatchOver, showProgress } from '../contract/batches.ts';
import { showJobError } from '../contract/jobs.ts';
import { waitQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Service } from '../pipeline/service.ts';
import type { Router } from '../providers/router.ts';
import { type FailedJobs, readFailures } from '../results/failures.ts';
import { leaveFirstGate, passFirstGateAgain } from './admit.ts';
import { etag, ifNoneMatch, isAsked, tagged, tagOf, unchanged } from './etag.ts';
import { findBatch } from './find.ts';
import { whileAllowed } from './holders.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { answer, file, type Parameter } from './openapi/operation.ts';
import { listOf, pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { route } from './route.ts';
import { showBatches, showNow, showWithErrors } from './show-batch.ts';

/** A stream without news sends a comment this often, so that proxies and clients do not take it for dead. */
const HEARTBEAT_MS = 15_000;
/** Each heartbeat comes earlier by a random part up to this, so that streams that began together do not all write at once. */
const HEARTBEAT_SOONER = 0.2;
/** Progress alone is sent at most this often; a status is sent at once, together with the progress at that time. */
const PROGRESS_MS = 1_000;
/** How soon a client that lost its stream reconnects. */
const RETRY_MS = 2_000;

const common = { tag: 'batches', who: 'app', scope: 'results:read', method: 'get' } as const;

const lastEvent: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The last id seen; only later statuses follow',
  schema: { type: 'string' },
};

export const progressRoutes = [
  route({
    ...common,
    path: '/api/v1/batches',
    id: 'listBatches',
    audit: { none: 'shows nobody' },
    summary: 'Batches, newest first',
    query: batchesQuery,
    answers: { 200: answer('A page', pageOf(refTo('Batch'))) },
    async handle(c, { service, query: { status, reference, cursor = null, ...rest } }) {
      const found = await listBatches(service, callerOf(c), { ...rest, statuses: status, reference: reference || null, cursor });
      if (!found) throw refusedCursor();
      return envelope(c, page(await showBatches(c, service, found.batches), found.nextCursor));
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id',
    id: 'readBatch',
    audit: { none: 'shows nobody' },
    summary: 'A batch with its counts and progress',
    query: waitQuery,
    parameters: [ifNoneMatch],
    answers: { 200: answer('The batch', refTo('BatchWithErrors'), etag), 304: unchanged },
    async handle(c, { query: { wait }, ...tools }) {
      const { service, watch, holders } = tools;
      let batch = await findBatch(c, tools);
      const seen = stateTag(service, batch);
      if (wait !== null && (isAsked(c, seen) ?? !isBatchOver(batch))) {
        const { id, appId } = batch;
        const isConditional = c.req.header('if-none-match') !== undefined;
        const isNews = ({ batch }: BatchLook) => (isConditional ? stateTag(service, batch) !== seen : isBatchOver(batch));
        const isOver = (look: BatchLook) => service.suspensions.has(batch.appId) || isNews(look);
        await service.admission.waits.within(appId, () => {
          leaveFirstGate(c);
          return whileAllowed(c, holders, appId, (signal) => watch.batch(id, isOver, { ms: wait * 1000, signal }));
        });
        service.suspensions.refuse(batch.appId);
        await passFirstGateAgain(c, service.admission);
        batch = await findBatch(c, tools);
      }
      return tagged(c, stateTag(service, batch), await showWithErrors(c, service, batch));
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id/history',
    id: 'readBatchHistory',
    audit: { none: 'shows nobody' },
    summary: 'Every change of the batch’s status',
    find: findBatch,
    answers: { 200: answer('The changes, oldest first', listOf(refTo('StatusChange'))) },
    async handle(c, { service, found }) {
      const history = await readHistory(service, [found.id]);
      return envelope(c, { object: 'list', data: history.map(showChange) });
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id/timeline',
    id: 'readBatchTimeline',
    audit: { none: 'shows nobody' },
    summary: 'How the batch has gone: its outcomes over time',
    find: findBatch,
    answers: { 200: answer('The counts so far at each time', refTo('Timeline')) },
    async handle(c, { service, found }) {
      const points = await readTimeline(service, found);
      return envelope<z.infer<typeof timelineAnswer>>(c, {
        object: 'timeline',
        data: points.map(({ at, notFound, ...counts }) => ({ at: at.toISOString(), not_found: notFound, ...counts })),
      });
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id/failures',
    id: 'readBatchFailures',
    audit: { none: 'shows nobody' },
    summary: 'Why checks of the batch failed, and how many for each reason',
    find: findBatch,
    answers: { 200: answer('The reasons, the most frequent first', listOf(refTo('BatchFailure'))) },
    async handle(c, { service, found }) {
      const failures = await readFailures(service, found);
      return envelope(c, { object: 'list', data: failures.map(showFailure) });
    },
  }),
  route({
    ...common,
    path: '/api/v1/batches/:id/events',
    id: 'watchBatch',
    audit: { none: 'shows nobody' },
    summary: 'Statuses and progress as server-sent events',
    description:
      'Events `status` (with an id; the data is a StatusChange) and `progress` (percent, rate, estimate, counts, billed amount).',
    parameters: [lastEvent],
    find: findBatch,
    answers: {
      200: file('A stream until the batch is over', 'text/event-stream'),
      204: { description: 'The batch is over, and every status was seen' },
    },
    errors: ['overloaded'],
    async handle(c, { service, watch, sendEvents, found: batch }) {
      const history = await readHistory(service, [batch.id]);
      const seen = lastEventId(c, history.length);
      // 204 tells an EventSource client to stop: it has seen everything.
      if (seen === history.length && isBatchOver(batch)) return c.body(null, 204);
      const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
      const events = streamEvents(watch, service.router, { batch, history, rate: null }, seen, c.req.raw.signal);
      return sendEvents(c, batch.appId, events, headers);
    },
  }),
];

/** Without what changes with the clock. */
function stateTag(service: Service, batch: BatchRow): string {
  const { progress: _, next_attempt_at: __, ...state } = showNow(service, batch);
  return tagOf(state);
}

const showChange = (change: StatusChange): z.infer<typeof changeAnswer> => ({
  status: change.status,
  reason: change.reason,
  at: new Date(change.at).toISOString(),
  counts: { queued: change.queued, leased: change.leased, completed: change.completed, failed: change.failed, canceled: change.canceled },
});

const showFailure = ({ checkId, error, jobs, firstRow }: FailedJobs): z.infer<typeof failureAnswer> => ({
  check: checkId,
  ...showJobError(error)!,
  jobs,
  first_row: firstRow,
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
  watch: Waiters,
  router: Router,
  first: BatchLook,
  seen: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let look: BatchLook | null = first;
  let sent = seen;
  let shown: string | null = null;
  let shownMs = 0;
  yield Buffer.from(`retry: ${RETRY_MS}\n\n`);
  for (;;) {
    if (look) {
      let text = '';
      for (; sent < look.history.length; sent++) {
        text += `id: ${sent + 1}\nevent: status\ndata: ${JSON.stringify(showChange(look.history[sent]!))}\n\n`;
      }
      shown = progressOf(router, look).key;
      shownMs = performance.now();
      yield Buffer.from(`${text}${progressOf(router, look).event}`);
      if (isBatchOver(look.batch)) return;
    } else if (!signal.aborted) yield Buffer.from(': nothing new\n\n');
    const isNews = (next: BatchLook) =>
      next.history.length > sent || (performance.now() - shownMs >= PROGRESS_MS && progressOf(router, next).key !== shown);
    const began = performance.now();
    const ms = HEARTBEAT_MS * (1 - HEARTBEAT_SOONER * Math.random());
    look = await watch.batch(first.batch.id, isNews, { ms, signal });
    // Woken early without news: the client is gone, or this process is stopping. The client resumes elsewhere with Last-Event-ID.
    if (look === null && performance.now() - began < ms - 1_000) return;
  }
}

/** Built once for each look at the batch and shared by all its streams. `key` shows whether anything has changed. */
const progress = new WeakMap<BatchLook, { key: string; event: string }>();

function progressOf(router: Router, look: BatchLook): { key: string; event: string } {
  const known = progress.get(look);
  if (known) return known;
  const { counts, billed_amount, degraded, next_attempt_at, progress: average } = showNow({ router }, look.batch);
  const key = JSON.stringify({ counts, billed_amount, degraded });
  const estimate = look.rate === null ? average : showProgress(look.batch, look.rate);
  const event = `event: progress\ndata: ${JSON.stringify({ ...estimate, counts, billed_amount, degraded, next_attempt_at })}\n\n`;
  progress.set(look, { key, event });
  return { key, event };
}
