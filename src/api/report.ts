/** The evidence of a screening as a file for an analyst to keep. */
import { Hono } from 'hono';
import { readSubmitted } from '../batches/submitted.ts';
import { knownCheck } from '../checks/catalog.ts';
import { readInput } from '../checks/read-input.ts';
import type { ScreeningEntity } from '../checks/screening.ts';
import { showInstant } from '../contract/fields.ts';
import { isJobOver } from '../contract/jobs.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { openEntity } from '../jobs/entities.ts';
import type { StoredJob } from '../jobs/job.ts';
import type { Service } from '../pipeline/service.ts';
import type { Authentication } from './authenticate.ts';
import type { Variables } from './http.ts';
import { findJob } from './query.ts';

const SCREENING = 'aml_screening';

const HEADERS = { 'Content-Type': 'application/pdf' };

export function reportRoutes(service: Service, authentication: Authentication) {
  let before: Promise<unknown> = Promise.resolve();
  /** One at a time in a process: writing a report of 200 hits takes 60 MB and half a second. */
  const inTurn = (write: () => Promise<Buffer>): Promise<Buffer> => {
    const mine = before.then(write);
    before = mine.catch(() => {});
    return mine;
  };

  return new Hono<{ Variables: Variables }>().get('/api/v1/jobs/:id/report', authentication.app, async (c) => {
    const job = await findJob(service, c, parseId('job', c.req.param('id')));
    const entity = screeningOf(service, job);
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
      madeAt: new Date(),
    };
    // Loaded on first use: the PDF library takes 90 ms and 28 MB in each process that answers calls.
    const { writeScreeningReport } = await import('../reports/screening.ts');
    const file = await inTurn(() => writeScreeningReport(report, service.turns.long()));
    return new Response(new Uint8Array(file), { headers: { ...HEADERS, 'Content-Disposition': `attachment; filename="${id}.pdf"` } });
  });
}

/** Throws `conflict` for a job without a screening. */
function screeningOf(service: Service, job: StoredJob): ScreeningEntity {
  if (job.checkId !== SCREENING) throw new ApiError('conflict', `A report needs a job of ${SCREENING}; this one is of ${job.checkId}`);
  const entity = isJobOver(job) ? openEntity(service.cipher, job) : null;
  if (entity === null) throw new ApiError('conflict', `A report needs a completed job with a result; this one is ${job.status}`);
  return entity as unknown as ScreeningEntity;
}

/** The input as it was validated on submission. */
async function inputOf(service: Service, job: StoredJob): Promise<Record<string, string | undefined>> {
  const submitted = await readSubmitted(service, [job]);
  const result = readInput(knownCheck(job.checkId), submitted(job));
  if ('problems' in result) throw new Error('a stored input no longer fits its check');
  return result.input;
}
