/** The evidence of a screening as a file for an analyst to keep. */
import { namesById } from '../access/submitters.ts';
import { readSubmitted } from '../batches/submitted.ts';
import { knownCheck } from '../checks/catalog.ts';
import { readInput } from '../checks/read-input.ts';
import type { ScreeningEntity } from '../checks/screening.ts';
import { showInstant } from '../contract/fields.ts';
import { isJobOver } from '../contract/jobs.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { entityOpener, openEntity } from '../jobs/entities.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { Service } from '../pipeline/service.ts';
import type { ReportedReview } from '../reports/screening.ts';
import { listReviews } from '../reviews/reviews.ts';
import { mayReveal, waitsForApproval } from './asking.ts';
import { aboutRead } from './audited.ts';
import { findJob } from './find.ts';
import { clientOf } from './http.ts';
import { file } from './openapi/operation.ts';
import { route } from './route.ts';

const SCREENING = 'aml_screening';

const HEADERS = { 'Content-Type': 'application/pdf' };

export const readJobReport = route({
  method: 'get',
  path: '/api/v1/jobs/:id/report',
  id: 'readJobReport',
  audit: { read: 'report.read' },
  tag: 'jobs',
  summary: 'The evidence of a screening, as a PDF',
  description:
    'For a completed `aml_screening` job: the person, lists and versions, the result, what reviewers decided, every hit with its explanation, a seal.',
  who: 'app',
  scope: 'results:read',
  reveals: true,
  find: findJob,
  answers: { 200: file('The report', 'application/pdf'), 202: waitsForApproval },
  errors: ['conflict'],
  async handle(c, { service, found: job }) {
    const { waits } = await mayReveal(c, { service }, job);
    if (waits) return waits;
    aboutRead(c, { subject: job.subject });
    const entity = await screeningOf(service, job);
    const [app] = await service.sql<{ name: string }[]>`select name from apps where id = ${job.appId}`;
    const id = showId('job', job.id);
    const report = {
      appName: app!.name,
      job: {
        id,
        live: job.live,
        batch: job.batchId === null ? null : showId('bat', job.batchId),
        row: job.rowNumber,
        reference: job.reference,
        metadata: job.metadata,
        createdAt: showInstant(job.createdAt),
      },
      input: await inputOf(service, job),
      entity,
      review: await reviewOf(service, job),
      madeAt: new Date(),
    };
    // Loaded on first use: the PDF library takes 90 ms and 28 MB in each process that answers calls.
    const { writeScreeningReport } = await import('../reports/screening.ts');
    const write = () => writeScreeningReport(report, service.yielding.long());
    const pdf = await service.admission.reports.within(job.appId, write, clientOf(c));
    return new Response(new Uint8Array(pdf), { headers: { ...HEADERS, 'Content-Disposition': `attachment; filename="${id}.pdf"` } });
  },
});

/** Throws `conflict` for a job without a screening. */
async function screeningOf(service: Service, job: StoredJob): Promise<ScreeningEntity> {
  if (job.checkId !== SCREENING)
    throw new ApiError('conflict', `Reports exist only for ${SCREENING} jobs; this is a job of ${job.checkId}`);
  const entity = isJobOver(job) ? openEntity(await entityOpener(service.cipher, [job]), job) : null;
  if (entity === null) throw new ApiError('conflict', `A report needs a completed job with a result; this one is ${job.status}`);
  return entity as unknown as ScreeningEntity;
}

async function reviewOf(service: Service, job: StoredJob): Promise<ReportedReview | null> {
  const filter = { states: null, kind: null, assignee: null, jobId: job.id, before: null, limit: 1 };
  const [review] = await listReviews(service, job, filter);
  if (!review) return null;
  const { id, decision, decidedBy, decidedAt } = review;
  if (decision === null || decidedBy === null) return { id: showId('rev', id), decided: null };
  const name = (await namesById(service, [decidedBy]))[decidedBy];
  const by = name ? `${name} (${decidedBy})` : decidedBy;
  return { id: showId('rev', id), decided: { decision, by, at: showInstant(decidedAt!) } };
}

/** The input as it was validated on submission. */
async function inputOf(service: Service, job: StoredJob): Promise<Record<string, string | undefined>> {
  const submitted = await readSubmitted(service, [job]);
  const result = readInput(knownCheck(job.checkId), submitted(job));
  if ('problems' in result) throw new Error('a stored input no longer fits its check');
  return result.input;
}
