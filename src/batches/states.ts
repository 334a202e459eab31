/** The states of a batch, grouped by what may still happen to it. */
import { type BatchRow, ENDED } from '../contract/batches.ts';

type BatchStatus = BatchRow['status'];

/** Ends by itself once no job is queued or leased. */
export const STARTED: readonly BatchStatus[] = ['queued', 'running', 'paused', 'paused_funds'];

/** May still be canceled. */
export const OPEN: readonly BatchStatus[] = ['awaiting_start', ...STARTED];

/** Has not ended; one that is being canceled can only end. */
export const UNENDED: readonly BatchStatus[] = [...OPEN, 'canceling'];

/** Ended before all its jobs ran. */
export const STOPPED: readonly BatchStatus[] = ENDED.filter((status) => status !== 'completed');

/** The list after `status in`, as literals: only for those does Postgres see that a partial index applies. */
export const listed = (states: readonly BatchStatus[]): string => `(${states.map((status) => `'${status}'`).join(', ')})`;
