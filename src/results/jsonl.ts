/** Results as JSON Lines: one object for each submitted row, with its reference, its input, and each check's job with its entity. */
import { isTable, type RawRow, rowReader, storedReference } from '../batches/row-reader.ts';
import { openAbout } from '../contract/about.ts';
import type { BatchRow } from '../contract/batches.ts';
import { naira } from '../contract/fields.ts';
import { showJobError } from '../contract/jobs.ts';
import type { Opener } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import { openEntity } from '../jobs/entities.ts';
import type { ResultLine } from './own-rows.ts';
import type { ResultJob, ResultRow } from './page.ts';

/** Writes one line a row. */
export function jsonlWriter(opener: Opener, batch: BatchRow): (result: ResultRow) => string {
  const read = rowReader(isTable(batch.format) ? batch.columns : null, batch.mapping);
  return (result) => {
    const { row, problems, jobs } = result;
    const raw = result.raw();
    const first = jobs.find((job) => job !== undefined);
    const line: ResultLine = {
      row,
      reference: (first && ownReference(opener, first)) ?? (raw && storedReference((key) => read(raw, key))),
      input: named(batch, raw),
      status: problems ? 'invalid' : 'valid',
      errors: problems ?? [],
      checks: Object.fromEntries(batch.checks.flatMap((id, i) => (jobs[i] ? [[id, showResult(opener, jobs[i])]] : []))),
    };
    return `${JSON.stringify(line)}\n`;
  };
}

const ownReference = (opener: Opener, { id, reference, about }: ResultJob): string | null =>
  openAbout(opener, showId('job', id), about).reference ?? reference;

/** A row as an object by column names. A row that was submitted as an object is returned as it is. */
export const named = (batch: BatchRow, raw: RawRow | null): Record<string, unknown> | null =>
  Array.isArray(raw) ? Object.fromEntries(batch.columns.map((name, i) => [name, raw[i]])) : raw;

function showResult(opener: Opener, job: ResultJob) {
  const { state } = job;
  return {
    id: showId('job', job.id),
    status: state.status,
    outcome: state.outcome,
    billed_amount: naira(state.billedKobo),
    cached: state.cached,
    error: showJobError(state.errorCode),
    duplicate_of: job.twinRow,
    completed_at: job.completedAt?.toISOString() ?? null,
    entity: openEntity(opener, job),
  };
}
