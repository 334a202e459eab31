/** Single jobs: accepted at once and answered later, by waiting, polling or webhook. */
import { refuseScope } from '../access/restrictions.ts';
import { readSubmitters } from '../access/submitters.ts';
import { readImage } from '../batches/images.ts';
import { listJobs } from '../batches/pages.ts';
import { submitJob } from '../batches/submit-job.ts';
import { type JobLook, jobChanged } from '../batches/waiters.ts';
import { askedCheck, inputBytesMax } from '../checks/catalog.ts';
import { imageType } from '../checks/inputs.ts';
import { imagePath, isJobOver, jobBody, jobsQuery, showJob } from '../contract/jobs.ts';
import { WAIT_SECONDS_MAX, waitQuery } from '../contract/queries.ts';
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import type { StoredJob } from '../jobs/job.ts';
import { leaveFirstGate, passFirstGateAgain } from './admit.ts';
import { mayReveal, waitsForApproval } from './asking.ts';
import { aboutListed, aboutRead } from './audited.ts';
import { consentOf } from './consent.ts';
import { etag, ifNoneMatch, isAsked, tagged, tagOf, unchanged } from './etag.ts';
import { findJob } from './find.ts';
import { whileAllowed } from './holders.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer, consentHeader, file, location, type Parameter } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { page, refusedCursor } from './pages.ts';
import { readJobReport } from './report.ts';
import { route } from './route.ts';
import { showJobs } from './shown-job.ts';

const common = { tag: 'jobs', who: 'app' } as const;

const prefer: Parameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`wait=10`: seconds to wait for the job to finish (RFC 7240). The answer has the result, so a key needs `results:read` too',
  schema: { type: 'string' },
};

export const jobRoutes = [
  route({
    ...common,
    method: 'post',
    path: '/api/v1/jobs',
    id: 'submitJob',
    scope: 'batches:write',
    audit: { none: 'the job that it makes is its record' },
    summary: 'One check, answered later',
    parameters: [prefer, consentHeader],
    body: {
      schema: jobBody,
      example: { check: 'nin_basic', input: { nin: '70123456789' }, reference: 'order-7' },
      bytesMax: inputBytesMax,
    },
    answers: {
      200: answer('The job finished within the wait', refTo('JobWithResult'), location),
      202: answer('Accepted', refTo('JobWithResult'), location),
    },
    errors: [
      'insufficient_funds',
      'spending_cap_exceeded',
      'storage_quota_exceeded',
      'too_many_misses',
      'invalid_image',
      'image_too_large',
      'provider_not_configured',
    ],
    async handle(c, { body, ...tools }) {
      const { service, watch, holders } = tools;
      const asked = { ...body, consent: consentOf(c, body.consent) };
      service.misses.refuseApp(callerOf(c));
      const wait = preferredWait(c);
      if (wait !== null) refuseScope(callerOf(c).terms, 'results:read');
      const accepted = async (made: StoredJob, sql: Sql | Tx = service.sql) => {
        const headers = {
          Location: `/api/v1/jobs/${showId('job', made.id)}`,
          ...(wait !== null && { 'Preference-Applied': `wait=${wait}` }),
        };
        const [entity] = await showJobs(c, service, [made], { sql });
        return isJobOver(made) ? envelope(c, entity, 200, headers) : envelope(c, entity, 202, { ...headers, 'Retry-After': '1' });
      };
      const submit = () => submitJob(service, callerOf(c), asked, async (tx, made) => keepAnswer(c, tx, await accepted(made, tx)));
      if (wait === null) return accepted(await submit());
      // It takes its place among the waiters first, so that a refusal leaves no job.
      return service.admission.waits.within(callerOf(c).appId, async () => {
        const job = await submit();
        leaveFirstGate(c);
        const watching = (signal: AbortSignal) => watch.job(job.id, isJobOver, { ms: wait * 1000, signal });
        const look = await whileAllowed(c, holders, job.appId, watching, 'results:read');
        return accepted(look ? await findJob(c, tools, job.id) : job);
      });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/jobs',
    id: 'listJobs',
    scope: 'results:read',
    audit: { read: 'references.read' },
    summary: 'Single jobs without their results, newest first',
    description: 'Rows of a batch are in `/api/v1/batches/{id}/jobs`.',
    query: jobsQuery,
    answers: { 200: answer('A page', pageOf(refTo('Job'))) },
    async handle(c, { service, query: { status, check, reference, cursor = null, ...rest } }) {
      const found = await listJobs(service, callerOf(c), {
        ...rest,
        statuses: status,
        check: check ? askedCheck(check, 'check').id : null,
        reference: reference || null,
        cursor,
      });
      if (!found) throw refusedCursor();
      const submitterOf = await readSubmitters(service, callerOf(c), found.jobs);
      const shown = found.jobs.map((job) => ({ ...showJob(job), created_by: submitterOf(job) }));
      aboutListed(c, shown);
      return envelope(c, page(shown, found.nextCursor));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/jobs/:id',
    id: 'readJob',
    scope: 'results:read',
    audit: { read: 'job.read' },
    summary: 'A job with its result; masked for people',
    query: waitQuery,
    parameters: [ifNoneMatch],
    answers: { 200: answer('The job', refTo('JobWithResult'), etag), 304: unchanged },
    async handle(c, { query: { wait }, ...tools }) {
      const { service, watch, holders } = tools;
      const shown = async (one: StoredJob) => (await showJobs(c, service, [one]))[0]!;
      let job = await findJob(c, tools);
      if (wait !== null && (isAsked(c, tagOf(await shown(job))) ?? !isJobOver(job))) {
        const isNews = c.req.header('if-none-match') === undefined ? isJobOver : jobChanged(job);
        const isOver = (look: JobLook) => service.suspensions.has(job.appId) || isNews(look);
        const { id, appId } = job;
        await service.admission.waits.within(appId, () => {
          leaveFirstGate(c);
          return whileAllowed(c, holders, appId, (signal) => watch.job(id, isOver, { ms: wait * 1000, signal }));
        });
        service.suspensions.refuse(job.appId);
        await passFirstGateAgain(c, service.admission);
        job = await findJob(c, tools);
      }
      const entity = await shown(job);
      // Until then, whoever waits for it would leave an entry with every look. Without a result, an outcome still says something about the person.
      aboutRead(c, isJobOver(job) ? { subject: job.subject, ...(entity.masked && { detail: { masked: true } }) } : null);
      return tagged(c, tagOf(entity), entity);
    },
  }),
  readJobReport,
  route({
    ...common,
    method: 'get',
    path: '/api/v1/jobs/:id/images/:side',
    id: 'readJobImage',
    scope: 'results:read',
    audit: { read: 'image.read' },
    reveals: true,
    summary: 'A picture submitted with the job, exactly as it was sent',
    description:
      'For face checks. Kept until the job is answered, and longer if the operator keeps pictures for the app (`keepImagesDays`).',
    params: imagePath,
    parameters: [{ name: 'side', in: 'path', required: true, schema: { enum: ['selfie', 'portrait'] } }],
    find: findJob,
    answers: { 200: file('The picture', 'image/jpeg', 'image/png', 'image/webp'), 202: waitsForApproval },
    async handle(c, { service, params: { side }, found }) {
      const { waits } = await mayReveal(c, { service }, found);
      if (waits) return waits;
      const { entityOf, subject } = found;
      aboutRead(c, { subject, detail: { side } });
      const image = await readImage(service, entityOf, side);
      if (!image) throw new ApiError('resource_not_found', 'The job has no such picture, or it was deleted');
      return new Response(new Uint8Array(image), { headers: { 'Content-Type': imageType(image)! } });
    },
  }),
];

/** Seconds of `Prefer: wait=10` (RFC 7240, 4.3), capped at our own maximum; null without one. A preference that makes no sense is ignored. */
function preferredWait(c: Http): number | null {
  const found = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(c.req.header('prefer') ?? '');
  return found ? Math.min(Number(found[1]), WAIT_SECONDS_MAX) : null;
}
