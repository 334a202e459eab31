/** Single jobs: accepted at once, answered later by polling or webhook. */
import { Hono } from 'hono';
import { readJob, type StoredJob, submitJob } from '../batch.ts';
import { jobBody, showJob } from '../contract.ts';
import { ApiError } from '../errors.ts';
import { parseId, showId } from '../ids.ts';
import { openEntity } from '../results.ts';
import type { Service } from '../service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, envelope, jsonBody, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';

export function jobRoutes(service: Service, authentication: Authentication) {
  return new Hono<{ Variables: Variables }>()
    .post('/api/v1/jobs', authentication.app, async (c) => {
      const body = await jsonBody(c, jobBody);
      const accepted = (job: StoredJob) =>
        envelope(c, { ...showJob(job), result: null }, 202, { Location: `/api/v1/jobs/${showId('job', job.id)}`, 'Retry-After': '1' });
      return accepted(await submitJob(service, callerOf(c), body, (tx, job) => keepAnswer(c, tx, accepted(job))));
    })
    .get('/api/v1/jobs/:id', authentication.app, async (c) => {
      const id = parseId('job', c.req.param('id'));
      const job = id === null ? null : await readJob(service.sql, callerOf(c).appId, id);
      // The record of a single call has neither input nor entity: it is not a job that somebody submitted.
      if (!job?.input) throw new ApiError('resource_not_found', 'There is no such job');
      return envelope(c, { ...showJob(job), result: openEntity(service, job) });
    });
}
