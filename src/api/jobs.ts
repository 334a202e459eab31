/** Single jobs: accepted at once, answered later: by waiting, by polling or by webhook. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { StoredJob } from '../batches/batch.ts';
import { readImage } from '../batches/images.ts';
import { submitJob } from '../batches/submit.ts';
import { jobChanged, type Watch } from '../batches/watch.ts';
import { inputBytesMax } from '../checks/catalog.ts';
import { imageType } from '../checks/inputs.ts';
import { isJobOver, jobBody, showJob } from '../contract.ts';
import { openEntity } from '../entities.ts';
import { ApiError } from '../errors.ts';
import { parseId, showId } from '../ids.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, checked, envelope, jsonBody, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { findJob, preferredWait, waitMs } from './query.ts';
import { isAsked, tagged, tagOf } from './watch.ts';

const imagePath = z.object({ side: z.enum(['selfie', 'portrait'], 'must be selfie or portrait') });

export function jobRoutes(service: Service, authentication: Authentication, watch: Watch) {
  const show = (job: StoredJob) => ({ ...showJob(job), result: openEntity(service.cipher, job) });

  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/jobs', authentication.app, async (c) => {
      const body = await jsonBody(c, jobBody, inputBytesMax);
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
    .get('/api/v1/jobs/:id', authentication.app, async (c) => {
      const wait = waitMs(c);
      let job = await findJob(service, c, parseId('job', c.req.param('id')));
      if (wait !== null && (isAsked(c, tagOf(show(job))) ?? !isJobOver(job))) {
        const isNews = c.req.header('if-none-match') === undefined ? isJobOver : jobChanged(job);
        await watch.job(job.id, isNews, { ms: wait, signal: c.req.raw.signal });
        job = await findJob(service, c, job.id);
      }
      const entity = show(job);
      return tagged(c, tagOf(entity), entity);
    })
    .get('/api/v1/jobs/:id/images/:side', authentication.app, async (c) => {
      const { side } = checked(imagePath, c.req.param());
      const { entityOf } = await findJob(service, c, parseId('job', c.req.param('id')));
      const image = await readImage(service, entityOf, side);
      if (!image) throw new ApiError('resource_not_found', 'The job has no such picture, or not any more');
      // Somebody's face: nothing keeps a copy, or guesses another type.
      const headers = { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' };
      return new Response(new Uint8Array(image), { headers: { ...headers, 'Content-Type': imageType(image)! } });
    });
}
