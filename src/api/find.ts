/** The batch or job that a path names. One of another app or of the other mode looks as if it did not exist. */
import { readBatch } from '../batches/batch.ts';
import { readJob } from '../batches/submitted.ts';
import type { BatchRow } from '../contract/batches.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import type { StoredJob } from '../jobs/job.ts';
import { callerOf, type Http } from './http.ts';
import type { OpenTools } from './tools.ts';

export async function findBatch(c: Http, { service }: OpenTools): Promise<BatchRow> {
  const { appId, live } = callerOf(c);
  const id = parseId('bat', c.req.param('id') ?? '');
  const batch = id === null ? null : await readBatch(service, service.sql, appId, id);
  if (!batch || batch.live !== live) throw new ApiError('resource_not_found', 'There is no such batch');
  return batch;
}

/** For routes that show its data: a deleted batch has none. */
export async function findKeptBatch(c: Http, tools: OpenTools): Promise<BatchRow> {
  const batch = await findBatch(c, tools);
  if (batch.deletedAt !== null) throw new ApiError('resource_not_found', 'The batch was deleted: its rows and results are gone');
  return batch;
}

/** `id`: default, the one in the path. */
export async function findJob(c: Http, { service }: OpenTools, id = parseId('job', c.req.param('id') ?? '')): Promise<StoredJob> {
  const { appId, live } = callerOf(c);
  const job = id === null ? null : await readJob(service, service.sql, appId, id);
  // The record of a single call has neither input nor batch: nobody submitted it as a job.
  if (!job || (job.input === null && job.batchId === null) || job.live !== live)
    throw new ApiError('resource_not_found', 'There is no such job');
  return job;
}
