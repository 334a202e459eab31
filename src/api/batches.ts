/** Batches: upload, quote and control. Reading them is in `batch-progress.ts` and `results.ts`. */
import { Hono } from 'hono';
import { cancelBatch, pauseBatch, resumeBatch, retryBatch, startBatch } from '../batches/control.ts';
import { type Submitted, submitBatch } from '../batches/submit.ts';
import { type BatchRow, showBatch } from '../contract/batches.ts';
import type { Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { quoteBatch } from '../pipeline/quote.ts';
import type { Service } from '../pipeline/service.ts';
import { outageMs } from '../providers/availability.ts';
import { readErrors } from '../results/jobs.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, envelope, refuseBody, type Variables } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { findBatch } from './query.ts';
import { openUploads } from './uploads.ts';

const verbs = { start: startBatch, pause: pauseBatch, resume: resumeBatch, cancel: cancelBatch, retry: retryBatch };

export function batchRoutes(service: Service, authentication: Authentication) {
  const receive = openUploads(service);
  const show = async (batch: BatchRow) => ({
    ...showBatch(batch, outageMs(service.router, batch)),
    errors: await readErrors(service, batch, 100),
  });

  const routes = new Hono<{ Variables: Variables }>();
  for (const [verb, act] of Object.entries(verbs)) {
    routes.post(`/api/v1/batches/:id/${verb}`, authentication.app, async (c) => {
      await refuseBody(c);
      const { id, appId } = await findBatch(service, c);
      return envelope(c, await show((await act(service, appId, id))!));
    });
  }
  return routes
    .post('/api/v1/batches', authentication.app, async (c) => {
      const accepted = ({ batch, errors, unusedFiles, reading }: Submitted) =>
        envelope(c, { ...showBatch(batch), ...reading, ...(unusedFiles !== null && { unused_files: unusedFiles }), errors }, 202, {
          Location: `/api/v1/batches/${showId('bat', batch.id)}`,
          'Retry-After': '1',
        });
      const keep = (tx: Tx, submitted: Submitted) => keepAnswer(c, tx, accepted(submitted));
      return accepted(await receive(c, (upload) => submitBatch(service, callerOf(c), upload, keep)));
    })
    .post('/api/v1/batches/quote', authentication.app, async (c) =>
      envelope(c, await receive(c, (upload) => quoteBatch(service, callerOf(c), upload))),
    );
}
