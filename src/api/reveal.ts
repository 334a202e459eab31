/** Shows people a job in clear, for a purpose that the audit keeps; and who has seen it. */
import type { z } from 'zod';
import { readReveals, recordReveal } from '../access/reveals.ts';
import { showInstant } from '../contract/fields.ts';
import { pageQuery } from '../contract/queries.ts';
import { type revealAnswer, revealBody } from '../contract/reveals.ts';
import { showId } from '../foundation/ids.ts';
import { mayReveal, refuseMissingReason, waitsForApproval } from './asking.ts';
import { aboutRead, aboutReasons, authorOf } from './audited.ts';
import { findJob } from './find.ts';
import { callerOf, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import { showInClear, submittedOf, withCleared } from './shown-job.ts';

const JOB = '/api/v1/jobs/:id';

const common = { tag: 'jobs', who: 'app', find: findJob } as const;

export const revealRoutes = [
  route({
    ...common,
    method: 'post',
    path: `${JOB}/reveal`,
    id: 'revealJob',
    scope: 'reveal',
    audit: { change: 'job.reveal' },
    keepsAnswer: false,
    summary: 'A job in clear, with what was submitted, for a purpose that is recorded',
    description: 'People see jobs masked until they ask for one. Pictures are not in it: `/images/{side}` has them.',
    body: { schema: revealBody, example: { purpose: 'review', reason: 'The customer says that the name is wrong' } },
    answers: { 200: answer('The job', refTo('JobWithResult')), 202: waitsForApproval },
    async handle(c, { service, found: job, body: { purpose, reason = null } }) {
      refuseMissingReason(c, reason);
      const leave = await mayReveal(c, { service }, job, { purpose }, reason);
      if (leave.waits) return leave.waits;
      const [submitted] = await submittedOf(service, [job]);
      await recordReveal(service, job, { ...authorOf(c), purpose }, leave.reason);
      const [shown] = await withCleared(service, callerOf(c), [job], await showInClear(callerOf(c), service, [job]));
      return envelope(c, { ...shown!, submitted: submitted!, masked: false });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: `${JOB}/reveals`,
    id: 'listReveals',
    scope: 'audit:read',
    audit: { read: 'reasons.read' },
    summary: 'Who has seen the job in clear, and why, newest first',
    query: pageQuery,
    answers: { 200: answer('A page', pageOf(refTo('Reveal'))) },
    async handle(c, { service, query: { limit, cursor }, found: { id, subject } }) {
      const read = (await readReveals(service, id, { before: idCursor('rvl', cursor), limit: limit + 1 })).map(
        ({ actorKind, actorId, at, ...rest }): z.infer<typeof revealAnswer> => ({
          object: 'reveal',
          ...rest,
          id: showId('rvl', rest.id),
          actor: { kind: actorKind, id: actorId },
          at: showInstant(at),
        }),
      );
      const shown = pageById(read, limit);
      aboutRead(c, { subject });
      aboutReasons(c, shown.data);
      return envelope(c, shown);
    },
  }),
];
