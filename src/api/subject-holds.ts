/** Puts people under a legal hold, and lifts it. */
import { pageQuery } from '../contract/queries.ts';
import { holdBody } from '../contract/subjects.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { type HoldRow, liftHold, placeHold, readHolds } from '../lifecycle/holds.ts';
import { aboutReasons, authorOf } from './audited.ts';
import { callerOf, envelope } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { showHold } from './kept-items.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import { withSubmitters } from './with-submitters.ts';

const HOLDS = '/api/v1/subjects/holds';
const common = { tag: 'privacy', who: 'app', scope: 'privacy' } as const;
const hold = answer('The hold', refTo('SubjectHold'));

const { showAll, showOne } = withSubmitters((row: HoldRow, reading) => showHold(reading, row));

const noHold = () => new ApiError('resource_not_found', 'There is no such legal hold');

export const subjectHoldRoutes = [
  route({
    ...common,
    method: 'post',
    path: HOLDS,
    id: 'holdSubject',
    audit: { change: 'subject.hold' },
    summary: 'Put a person under a legal hold: nothing about them is deleted or erased until it is lifted',
    description:
      'Covers what is stored now and what comes later, in the app’s data of this mode. Name every identifier of the person that you know: data is found by the identifiers with which it was looked up or uploaded.',
    body: { schema: holdBody, example: { identifiers: [{ type: 'nin', value: '70123456789' }], reason: 'Suit FHC/L/CS/17/2026' } },
    answers: { 201: hold },
    async handle(c, { service, body: { identifiers, reason = null } }) {
      const placed = await placeHold(service, callerOf(c), { identifiers, reason }, authorOf(c), async (tx, row) =>
        keepAnswer(c, tx, envelope(c, await showOne(c, { sql: tx, cipher: service.cipher }, row), 201)),
      );
      return envelope(c, await showOne(c, service, placed), 201);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: HOLDS,
    id: 'listSubjectHolds',
    audit: { read: 'reasons.read' },
    summary: 'Legal holds of people, newest first',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('SubjectHold'))) },
    async handle(c, { service, query: { limit, cursor } }) {
      const rows = await readHolds(service, callerOf(c), { id: null, before: idCursor('hld', cursor), limit: limit + 1 });
      const shown = pageById(await showAll(c, service, rows), limit);
      aboutReasons(c, shown.data);
      return envelope(c, shown);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${HOLDS}/:id`,
    id: 'readSubjectHold',
    audit: { read: 'reasons.read' },
    summary: 'A legal hold of a person',
    answers: { 200: hold },
    async handle(c, { service, params }) {
      const id = parseId('hld', params.id);
      const [row] = id === null ? [] : await readHolds(service, callerOf(c), { id, before: null, limit: 1 });
      if (!row) throw noHold();
      const shown = await showOne(c, service, row);
      aboutReasons(c, [shown]);
      return envelope(c, shown);
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${HOLDS}/:id`,
    id: 'releaseSubject',
    audit: { change: 'subject.release' },
    summary: 'Lift the legal hold of a person',
    description: 'What is due by then is deleted by the next sweep. What an erasure has kept is not erased by itself: ask again.',
    answers: { 200: hold },
    async handle(c, { service, params }) {
      const id = parseId('hld', params.id);
      const row = id === null ? null : await liftHold(service, callerOf(c), id, authorOf(c));
      if (!row) throw noHold();
      return envelope(c, await showOne(c, service, row));
    },
  }),
];
