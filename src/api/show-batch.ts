/** A batch as the API shows it. */
import { type BatchRow, showBatch } from '../contract/batches.ts';
import type { Service } from '../pipeline/service.ts';
import { outageMs } from '../providers/availability.ts';
import { readErrors } from '../results/jobs.ts';

/** Row errors in an answer; `/errors` has all of them. */
const ERRORS_SHOWN = 100;

/** With the time until its providers are asked again, if none answers. */
export const showNow = ({ router }: Pick<Service, 'router'>, batch: BatchRow) => showBatch(batch, outageMs(router, batch));

export const showWithErrors = async (service: Service, batch: BatchRow) => ({
  ...showNow(service, batch),
  errors: await readErrors(service, batch, ERRORS_SHOWN),
});
