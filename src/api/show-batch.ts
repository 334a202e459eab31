/** A batch as the API shows it. */
import type { z } from 'zod';
import { readSubmitters } from '../access/submitters.ts';
import { readMissing } from '../batches/funding.ts';
import { readRestMs } from '../batches/timeline.ts';
import { averageRate, type BatchRow, type batchAnswer, endedAt, runSeconds, showBatch, showProgress } from '../contract/batches.ts';
import { naira } from '../contract/fields.ts';
import type { Service } from '../pipeline/service.ts';
import { outageMs } from '../providers/availability.ts';
import { readErrors } from '../results/jobs.ts';
import { callerOf, type Http } from './http.ts';

/** Row errors in an answer; `/errors` has all of them. */
const ERRORS_SHOWN = 100;

/** With the time until its providers are asked again, if none answers. */
export const showNow = ({ router }: Pick<Service, 'router'>, batch: BatchRow) => showBatch(batch, outageMs(router, batch));

/** With who submitted each. */
export async function showBatches(c: Http, service: Service, batches: readonly BatchRow[]): Promise<z.infer<typeof batchAnswer>[]> {
  const submitterOf = await readSubmitters(service, callerOf(c), batches);
  return batches.map((batch) => ({ ...showNow(service, batch), created_by: submitterOf(batch) }));
}

export async function showWithErrors(c: Http, service: Service, batch: BatchRow) {
  const [[shown], errors, restMs, missingKobo] = await Promise.all([
    showBatches(c, service, [batch]),
    readErrors(service, batch, ERRORS_SHOWN),
    readRestMs(service, batch.id),
    batch.status === 'paused_funds' ? readMissing(service.sql, batch) : null,
  ]);
  const seconds = runSeconds(batch, restMs);
  const took = endedAt(batch) === null || seconds === null ? null : Math.round(seconds * 10) / 10;
  return {
    ...shown!,
    progress: showProgress(batch, averageRate(batch, seconds)),
    errors,
    took_seconds: took,
    erased_rows: batch.erasedRows,
    missing_amount: missingKobo === null ? null : naira(missingKobo),
  };
}
