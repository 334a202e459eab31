/** Single jobs: accepted at once and answered later, by waiting, polling or webhook. */
import { Hono } from 'hono';
import { z } from 'zod';
import { readImage } from '../batches/images.ts';
import { listJobs } from '../batches/pages.ts';
import { submitJob } from '../batches/submit.ts';
import { type JobLook, jobChanged, type Watch } from '../batches/waiters.ts';
import { askedCheck, inputBytesMax } from '../checks/catalog.ts';
import { imageType } from '../checks/inputs.ts';
import { isJobOver, jobBody, showJob } from '../contract/jobs.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { openEntity } from '../jobs/entities.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { Service } from '../pipeline/service.ts';
import { jobOutcome, jobStatus } from '../schema/jobs.ts';
import type { Authentication } from './authenticate.ts';
import { isAsked, tagged, tagOf } from './batch-progress.ts';
import { consentOf } from './consent.ts';
import { callerOf, checked, envelope, jsonBody, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { findJob, oneOf, pageSize, preferredWait, refusedCursor, someOf, timeOf, waitMs } from './query.ts';

const imagePath = z.object({ side: z.enum(['selfie', 'portrait'], 'must be selfie or portrait') });

export function jobRoutes(service: Service, authentication: Authentication, watch: Watch) {
  const show = (job: StoredJob) => ({ ...showJob(job), result: openEntity(service.cipher, job) });

  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/jobs', authentication.app, async (c) => {
      const sent = await jsonBody(c, jobBody, inputBytesMax);
      const body = { ...sent, consent: consentOf(c, sent.consent) };
      service.misses.refuseApp(callerOf(c));
      const wait = preferredWait(c);
      const answer = (made: StoredJob) => {
        const headers = {
          Location: `/api/v1/jobs/${showId('job', made.id)}`,
          ...(wait !== null && { 'Preference-Applied': `wait=${wait}` }),
        };
        return isJobOver(made) ? envelope(c, show(made), 200, headers) : envelope(c, show(made), 202, { ...headers, 'Retry-After': '1' });
      };
      const job = await submitJob(service, callerOf(c), body, (tx, made) => keepAnswer(c, tx, answer(made)));
      const isOver = wait !== null && (await watch.job(job.id, isJobOver, { ms: wait * 1000, signal: c.req.raw.signal }));
      return answer(isOver ? await findJob(service, c, job.id) : job);
    })
    .get('/api/v1/jobs', authentication.app, async (c) => {
      const check = c.req.query('check') || null;
      const page = await listJobs(service, callerOf(c), {
        statuses: someOf(c, 'status', jobStatus.enumValues),
        outcome: oneOf(c, 'outcome', jobOutcome.enumValues),
        check: check && askedCheck(check, 'check').id,
        reference: c.req.query('reference') || null,
        since: timeOf(c, 'since'),
        until: timeOf(c, 'until'),
        cursor: c.req.query('cursor') ?? null,
        limit: pageSize(c),
      });
      if (!page) throw refusedCursor();
      return envelope(c, {
        object: 'list',
        data: page.jobs.map(showJob),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      });
    })
    .get('/api/v1/jobs/:id', authentication.app, async (c) => {
      const wait = waitMs(c);
      let job = await findJob(service, c, parseId('job', c.req.param('id')));
      if (wait !== null && (isAsked(c, tagOf(show(job))) ?? !isJobOver(job))) {
        const isNews = c.req.header('if-none-match') === undefined ? isJobOver : jobChanged(job);
        const isOver = (look: JobLook) => service.suspensions.has(job.appId) || isNews(look);
        await watch.job(job.id, isOver, { ms: wait, signal: c.req.raw.signal });
        service.suspensions.refuse(job.appId);
        job = await findJob(service, c, job.id);
      }
      const entity = show(job);
      return tagged(c, tagOf(entity), entity);
    })
    .get('/api/v1/jobs/:id/images/:side', authentication.app, async (c) => {
      const { side } = checked(imagePath, c.req.param());
      const { entityOf } = await findJob(service, c, parseId('job', c.req.param('id')));
      const image = await readImage(service, entityOf, side);
      if (!image) throw new ApiError('resource_not_found', 'The job has no such picture, or it was deleted');
      return new Response(new Uint8Array(image), { headers: { 'Content-Type': imageType(image)! } });
    });
}
