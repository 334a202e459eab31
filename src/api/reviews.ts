/** Review cases: what a person must decide about, and the decision. */
import type { z } from 'zod';
import { namesById } from '../access/submitters.ts';
import { readJob, readJobs } from '../batches/submitted.ts';
import { showInstant } from '../contract/fields.ts';
import {
  assignBody,
  commentBody,
  decideBody,
  type ReviewRow,
  type reviewAnswer,
  reviewsQuery,
  type reviewWithNotes,
  showReview,
} from '../contract/reviews.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { entityOpener, openEntity } from '../jobs/entities.ts';
import { ROW_BYTES } from '../money/usage.ts';
import type { Service } from '../pipeline/service.ts';
import { assignReview, commentReview, decideReview, listReviews, readNotes, readReview } from '../reviews/reviews.ts';
import { summaryOf } from '../reviews/rules.ts';
import { aboutListed, aboutRead, authorOf } from './audited.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, page, pageById } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

const REVIEWS = '/api/v1/reviews';
const common = { tag: 'reviews', who: 'app' } as const;

async function find(c: Http, { service }: Tools): Promise<ReviewRow> {
  const id = parseId('rev', c.req.param('id') ?? '');
  const review = id === null ? null : await readReview(service, callerOf(c), id);
  if (!review) throw new ApiError('resource_not_found', 'There is no such review case');
  return review;
}

const changed = { ...common, method: 'post', scope: 'reviews', find, answers: { 200: answer('The case', refTo('Review')) } } as const;

export const reviewRoutes = [
  route({
    ...common,
    method: 'get',
    path: REVIEWS,
    id: 'listReviews',
    scope: 'results:read',
    audit: { read: 'references.read' },
    summary: 'Review cases, newest first',
    query: reviewsQuery,
    answers: { 200: answer('A page', pageOf(refTo('Review'))) },
    async handle(c, { service, query: { limit, cursor, state, kind, assignee, job } }) {
      const jobId = job === undefined ? null : parseId('job', job);
      if (job !== undefined && jobId === null) {
        aboutRead(c, null);
        return envelope(c, page([], null));
      }
      const who = assignee === 'me' ? authorOf(c).actor.id : (assignee ?? null);
      const filter = { states: state, kind, assignee: who, jobId, before: idCursor('rev', cursor), limit: limit + 1 };
      const cases = pageById(await shownAll(service, await listReviews(service, callerOf(c), filter)), limit);
      aboutListed(c, cases.data);
      return envelope(c, cases);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${REVIEWS}/:id`,
    id: 'readReview',
    scope: 'reviews',
    audit: { read: 'review.read' },
    summary: 'A case with its notes, and what is known of the result without anybody’s details; the job has the rest',
    find,
    answers: { 200: answer('The case', refTo('ReviewWithNotes')) },
    async handle(c, { service, found }) {
      const [notes, summary] = await Promise.all([readNotes(service, found.id), summarize(service, found)]);
      return envelope<z.infer<typeof reviewWithNotes>>(c, {
        ...(await shown(
          service,
          found,
          notes.map(({ actor }) => actor),
        )),
        summary,
        notes: notes.map(({ actor, decision, text, at }) => ({ actor, decision, text, at: showInstant(at) })),
      });
    },
  }),
  route({
    ...changed,
    path: `${REVIEWS}/:id/assign`,
    id: 'assignReview',
    audit: { change: 'review.assign' },
    summary: 'Say who looks into a case',
    body: { schema: assignBody, example: { assignee: 'me' } },
    errors: ['conflict'],
    async handle(c, { service, found, body }) {
      const by = authorOf(c);
      const assignee = body.assignee === 'me' ? by.actor.id : body.assignee;
      return envelope(c, await shown(service, await assignReview(service, found, assignee, by)));
    },
  }),
  route({
    ...changed,
    path: `${REVIEWS}/:id/comment`,
    id: 'commentReview',
    audit: { change: 'review.comment' },
    summary: 'Write a comment, for the people of the app',
    body: { schema: commentBody, example: { text: 'Asked the branch for the original' } },
    errors: ['storage_quota_exceeded'],
    async handle(c, { service, found, body }) {
      await service.storageQuota.refuseBeyond(service.sql, callerOf(c), ROW_BYTES + Buffer.byteLength(body.text));
      return envelope(c, await shown(service, await commentReview(service, found, body.text, authorOf(c))));
    },
  }),
  route({
    ...changed,
    path: `${REVIEWS}/:id/decide`,
    id: 'decideReview',
    audit: { change: 'review.decide' },
    summary: 'Approve, reject or escalate a case',
    description:
      'With the setting `reviews.twoPerson` another person must agree; if not, the case is escalated. Nobody decides a case that they have escalated.',
    body: { schema: decideBody, example: { decision: 'approve', reason: 'Seen in person' } },
    errors: ['conflict'],
    async handle(c, { service, found, body }) {
      const twoPerson = callerOf(c).settings.reviews?.twoPerson ?? false;
      return envelope(c, await shown(service, await decideReview(service, found, { ...body, twoPerson }, authorOf(c))));
    },
  }),
];

const inRow = ({ assignee, proposedBy, escalatedBy, decidedBy }: ReviewRow) => [assignee, proposedBy, escalatedBy, decidedBy];

/** Adds what the job tells, and the names of the people in a case and of `others`. */
async function shown(service: Service, row: ReviewRow, others: readonly string[] = []) {
  const [[one], names] = await Promise.all([withJobs(service, [row]), namesById(service, [...inRow(row), ...others])]);
  return { ...one!, names };
}

async function shownAll(service: Service, rows: readonly ReviewRow[]) {
  const [all, names] = await Promise.all([withJobs(service, rows), namesById(service, rows.flatMap(inRow))]);
  const of = (row: ReviewRow) => Object.fromEntries(Object.entries(names).filter(([id]) => inRow(row).includes(id)));
  return all.map((one, at) => ({ ...one, names: of(rows[at]!) }));
}

/** Adds by which reference, batch and row the job is known, and the level of a screening. All rows are of one app. */
async function withJobs(service: Service, rows: readonly ReviewRow[]): Promise<z.infer<typeof reviewAnswer>[]> {
  if (rows.length === 0) return [];
  const found = await readJobs(
    service,
    service.sql,
    rows[0]!.appId,
    rows.map(({ jobId }) => jobId),
  );
  const jobs = new Map(found.map((job) => [job.id, job]));
  const opener = await entityOpener(service.cipher, found);
  return rows.map((row) => {
    const job = jobs.get(row.jobId);
    const entity = job && openEntity(opener, job);
    return {
      ...showReview(row),
      reference: job?.reference ?? null,
      batch: job?.batchId ? showId('bat', job.batchId) : null,
      row: job?.rowNumber ?? null,
      risk_level: (entity && summaryOf(entity).aml?.risk_level) ?? null,
    };
  });
}

/** Null if the job has no stored result: single calls have none. */
async function summarize(service: Service, { appId, jobId }: ReviewRow) {
  const job = await readJob(service, service.sql, appId, jobId);
  const entity = job && openEntity(await entityOpener(service.cipher, [job]), job);
  return entity ? summaryOf(entity) : null;
}
