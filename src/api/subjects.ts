/** Erases a person from the app's data, and checks the receipt of that. */
import type { z } from 'zod';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { pageQuery } from '../contract/queries.ts';
import { eraseBody, type erasureAnswer, receiptBody } from '../contract/subjects.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { askErasure, readErasures } from '../lifecycle/erase.ts';
import type { ErasureRow } from '../lifecycle/erasure-group.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { checkingReceipts } from './receipts.ts';
import { route } from './route.ts';
import { withSubmitters } from './with-submitters.ts';

const common = { tag: 'privacy', who: 'app', scope: 'privacy' } as const;
const erasure = answer('The erasure as it is now', refTo('Erasure'));

export const subjectRoutes = [
  route({
    ...common,
    method: 'post',
    path: '/api/v1/subjects/erase',
    id: 'eraseSubject',
    audit: { change: 'subject.erase' },
    summary: 'Erase a person from the app’s data of this mode; the erasure waits for work in progress',
    description:
      'Cannot be undone. Name every identifier of the person that you know: data is found by the identifiers with which it was looked up or uploaded.',
    body: {
      schema: eraseBody,
      example: {
        identifiers: [
          { type: 'nin', value: '70123456789' },
          { type: 'person', name: 'Ada Obi', date_of_birth: '1990-02-01' },
        ],
      },
    },
    answers: { 202: erasure },
    async handle(c, { service, body: { identifiers } }) {
      const asked = await askErasure(service, callerOf(c), identifiers, authorOf(c), async (tx, row) =>
        keepAnswer(c, tx, envelope(c, await showOne(c, { sql: tx, cipher: service.cipher }, row), 202)),
      );
      return envelope(c, await showOne(c, service, asked), 202);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/subjects/erasures',
    id: 'listErasures',
    audit: { none: 'shows nobody' },
    summary: 'Erasures, newest first',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('Erasure'))) },
    async handle(c, { service, query: { limit, cursor } }) {
      const rows = await readErasures(service, callerOf(c), { id: null, before: idCursor('ers', cursor), limit: limit + 1 });
      return envelope(c, pageById(await showAll(c, service, rows), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/subjects/erasures/:id',
    id: 'readErasure',
    audit: { none: 'shows nobody' },
    summary: 'An erasure, its progress, and its signed receipt',
    answers: { 200: erasure },
    async handle(c, { service, params }) {
      const id = parseId('ers', params.id);
      const [row] = id === null ? [] : await readErasures(service, callerOf(c), { id, before: null, limit: 1 });
      if (!row) throw new ApiError('resource_not_found', 'There is no such erasure');
      return envelope(c, await showOne(c, service, row));
    },
  }),
  route({
    ...common,
    ...checkingReceipts('erasures'),
    path: '/api/v1/subjects/receipts',
    id: 'checkReceipt',
    summary: 'Whether this deployment has signed exactly this receipt',
    body: { schema: receiptBody, example: { receipt: '{"object":"erasure_receipt"}', signature: 'c2lnbmF0dXJl' } },
  }),
];

const { showAll, showOne } = withSubmitters(show);

function show({
  id,
  live,
  counts,
  kept,
  waiting,
  waitingJobs,
  askedAt,
  finishedAt,
  receipt,
  signature,
}: ErasureRow): z.infer<typeof erasureAnswer> {
  return {
    id: showId('ers', id),
    object: 'erasure',
    live,
    status: finishedAt !== null ? 'done' : waiting.length + waitingJobs.length > 0 ? 'waiting' : 'running',
    waiting_for: { batches: waiting.map((batch) => showId('bat', batch)), jobs: waitingJobs.length },
    counts,
    kept,
    asked_at: showInstant(askedAt),
    finished_at: showInstantOrNull(finishedAt),
    receipt,
    signature,
  };
}
