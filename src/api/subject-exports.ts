/** Finds everything held on a person in the app, and hands it out as a file. */
import type { z } from 'zod';
import { showInstant, showInstantOrNull } from '../contract/fields.ts';
import { pageQuery } from '../contract/queries.ts';
import { type exportAnswer, exportBody, type placeAnswer } from '../contract/subjects.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { typesOf } from '../lifecycle/data-subjects.ts';
import { askExport, type ExportRequest, type ExportRow, openAsked, readExports } from '../lifecycle/export.ts';
import { type FoundPlace, readPlaces } from '../lifecycle/places.ts';
import type { Service } from '../pipeline/service.ts';
import { mayExport, refuseMissingReason, waitsForApproval } from './asking.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer, file } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, page, pageById, refusedCursor } from './pages.ts';
import { route } from './route.ts';
import { subjectFile } from './subject-file.ts';
import type { Tools } from './tools.ts';
import { withSubmitters } from './with-submitters.ts';

const EXPORTS = '/api/v1/subjects/exports';

const common = { tag: 'privacy', who: 'app', scope: 'privacy' } as const;
const one = answer('The export as it is now', refTo('SubjectExport'));

async function findExport(c: Http, { service }: Tools): Promise<ExportRow> {
  const id = parseId('exp', c.req.param('id') ?? '');
  const [row] = id === null ? [] : await readExports(service, callerOf(c), { id, before: null, limit: 1 });
  if (!row) throw new ApiError('resource_not_found', 'There is no such export');
  return row;
}

/** What was asked. Throws unless the export is done and has not ended. */
async function openDone(service: Service, found: ExportRow): Promise<ExportRequest> {
  const asked = await openAsked(service, found);
  if (asked === null) throw new ApiError('resource_not_found', 'The export has ended: what it found is forgotten. Ask for a new one');
  if (found.finishedAt === null) throw new ApiError('conflict', 'The export is not finished yet; try again in a few seconds');
  return asked;
}

export const subjectExportRoutes = [
  route({
    ...common,
    method: 'post',
    path: '/api/v1/subjects/export',
    id: 'exportSubject',
    audit: { change: 'subject.export' },
    summary: 'Find everything that the app holds on a person in this mode, for a file',
    description:
      'Name every identifier of the person that you know: as in an erasure, data is found by the identifiers with which it was looked up or uploaded. The file can be downloaded for 7 days.',
    body: {
      schema: exportBody,
      example: { identifiers: [{ type: 'nin', value: '70123456789' }], reason: 'The customer has asked what we hold' },
    },
    answers: { 202: one },
    async handle(c, { service, body: { identifiers, reason = null } }) {
      refuseMissingReason(c, reason);
      const asked = await askExport(service, callerOf(c), { identifiers, reason }, authorOf(c), async (tx, row) =>
        keepAnswer(c, tx, envelope(c, await showOne(c, { sql: tx, cipher: service.cipher }, row), 202)),
      );
      return envelope(c, await showOne(c, service, asked), 202);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: EXPORTS,
    id: 'listSubjectExports',
    audit: { none: 'shows nobody' },
    summary: 'Exports of people, newest first',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('SubjectExport'))) },
    async handle(c, { service, query: { limit, cursor } }) {
      const rows = await readExports(service, callerOf(c), { id: null, before: idCursor('exp', cursor), limit: limit + 1 });
      return envelope(c, pageById(await showAll(c, service, rows), limit));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${EXPORTS}/:id`,
    id: 'readSubjectExport',
    audit: { none: 'shows nobody' },
    summary: 'An export of a person, and its progress',
    find: findExport,
    answers: { 200: one },
    handle: async (c, { service, found }) => envelope(c, await showOne(c, service, found)),
  }),
  route({
    ...common,
    method: 'get',
    path: `${EXPORTS}/:id/places`,
    id: 'listSubjectPlaces',
    audit: { read: 'subject.places' },
    summary: 'Where the person was found: jobs, calls and rows of batches, newest first',
    description: 'Ids, row numbers, states and outcomes only. What was deleted since is not in it.',
    query: pageQuery,
    find: findExport,
    answers: { 200: answer('A page', pageOf(refTo('SubjectPlace'))) },
    errors: ['conflict'],
    async handle(c, { service, query: { limit, cursor = null }, found }) {
      await openDone(service, found);
      const read = await readPlaces(service, found, { cursor, limit });
      if (read === null) throw refusedCursor();
      return envelope(c, page(read.places.map(showPlace), read.nextCursor));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${EXPORTS}/:id/file`,
    id: 'downloadSubject',
    audit: { read: 'subject.read' },
    reveals: true,
    summary: 'Everything held on the person, in clear, as JSON',
    description:
      'Written from what is stored when it is sent: what was deleted meanwhile is not in it. Where exports need an approval, so does this.',
    find: findExport,
    answers: { 200: file('The file', 'application/json'), 202: waitsForApproval },
    errors: ['conflict', 'overloaded'],
    async handle(c, { service, sendFile, found }) {
      const asked = await openDone(service, found);
      const waits = await mayExport(c, { service }, found, {
        target: showId('exp', found.id),
        terms: { kind: 'subject', identifiers: typesOf(asked.identifiers) },
        reason: asked.reason,
      });
      if (waits) return waits;
      return sendFile(c, found.appId, subjectFile(c, service, found, asked), {
        'Content-Type': 'application/json',
        'Content-Disposition': `attachment; filename="${showId('exp', found.id)}.json"`,
      });
    },
  }),
];

const { showAll, showOne } = withSubmitters(show);

function show({ id, live, asked, found, askedAt, finishedAt, expiresAt }: ExportRow): z.infer<typeof exportAnswer> {
  const rowsIn = (all: Record<string, number[]> = {}) => Object.values(all).reduce((sum, rows) => sum + rows.length, 0);
  const counts = {
    jobs: found?.jobs.length ?? 0,
    calls: found?.calls.length ?? 0,
    rows: rowsIn(found?.rows),
    invalid_rows: rowsIn(found?.invalidRows),
  };
  return {
    id: showId('exp', id),
    object: 'subject_export',
    live,
    status: asked === null ? 'expired' : finishedAt === null ? 'running' : 'done',
    counts: Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0)),
    asked_at: showInstant(askedAt),
    finished_at: showInstantOrNull(finishedAt),
    expires_at: showInstant(expiresAt),
  };
}

const showPlace = ({ kind, batch, jobs }: FoundPlace): z.infer<typeof placeAnswer> => ({
  object: 'place',
  kind,
  batch_id: batch && showId('bat', batch.id),
  row: batch?.row ?? null,
  jobs: jobs.map(({ id, checkId, status, outcome }) => ({ id: showId('job', id), check: checkId, status, outcome })),
  created_at: showInstant((batch ?? jobs[0]!).createdAt),
});
