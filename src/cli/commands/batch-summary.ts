/** A batch's state for people, and what they may do next. */
import { hasBatchEnded, isBatchOver } from '../../client/batches.ts';
import type { BatchDetail, BatchFailure } from '../../client/client.ts';
import type { Connection } from '../terminal/connection.ts';
import type { Output } from '../terminal/output.ts';
import { toneOfBatch } from '../terminal/tables.ts';
import { count, counted, duration, minute, naira } from '../terminal/text.ts';

/** Why its checks failed. With `--json` the answer is the batch alone. */
export const failuresOf = async ({ client, out }: Connection, { id, counts }: BatchDetail): Promise<BatchFailure[]> =>
  out.isJson || counts.failed === 0 ? [] : (await client.batches.failures(id)).data;

export function showBatch(out: Output, batch: BatchDetail, failures: readonly BatchFailure[] = []): void {
  const { id, status, reason, counts, progress, checks, approval, live } = batch;
  out.line(`${out.paint('strong', id)}  ${out.paint(toneOfBatch(status), status)}${reason ? ` (${reason.replaceAll('_', ' ')})` : ''}`);
  out.line();
  out.facts([
    ['checks', `${checks.join(', ')} (${live ? 'live' : 'test'})`],
    ['progress', isBatchOver(batch) ? null : progressOf(progress)],
    ['rows', rowsOf(counts)],
    [
      'jobs',
      `${count(counts.jobs)}: ${count(counts.found)} found, ${count(counts.not_found)} not found, ${count(counts.failed)} failed, ${count(counts.canceled)} canceled`,
    ],
    ['cost', `${naira(batch.billed_amount)}${isBatchOver(batch) ? '' : ' so far'} of at most ${naira(batch.quote_amount)}`],
    [
      'waits for',
      batch.degraded
        ? `a provider; asked again ${minute(batch.next_attempt_at)}`
        : approval && `the approval of a second person (${approval})`,
    ],
    ['reference', batch.reference],
    ['created', minute(batch.created_at)],
    ['ended', minute(endedAt(batch))],
  ]);
  showFailures(out, batch, failures);
  showRowErrors(out, batch);
  const next = nextOf(batch);
  if (next.length > 0) out.line();
  for (const line of next) out.line(out.paint('soft', line));
}

/** The last of the times: a batch that was stopped and then retried has several. */
function endedAt(batch: BatchDetail): string | null {
  if (!isBatchOver(batch)) return null;
  const times = [batch.completed_at, batch.canceled_at, batch.failed_at, batch.expired_at].filter((time) => time !== null);
  return times.sort().at(-1) ?? null;
}

const progressOf = ({ percent, rate_per_second: rate, eta_seconds: left }: BatchDetail['progress']): string =>
  [`${percent} %`, ...(rate ? [`${count(Math.round(rate))}/s`] : []), ...(left === null ? [] : [`${duration(left)} left`])].join(', ');

const rowsOf = ({ rows, invalid, duplicate }: BatchDetail['counts']): string =>
  [
    count(rows),
    ...(invalid ? [`${count(invalid)} invalid`] : []),
    ...(duplicate ? [`${counted(duplicate, 'duplicate')} (looked up once)`] : []),
  ].join(', ');

function showFailures(out: Output, { counts }: Pick<BatchDetail, 'counts'>, failures: readonly BatchFailure[]): void {
  if (failures.length === 0) return;
  out.line();
  out.line(out.paint('warn', `${counted(counts.failed, 'failed job')}:`));
  for (const { check, message, jobs } of failures) out.line(`  ${count(jobs)} of ${check}: ${message}`);
}

const ERRORS_SHOWN = 5;

function showRowErrors(out: Output, { errors, counts }: Pick<BatchDetail, 'errors' | 'counts'>): void {
  if (errors.length === 0) return;
  out.line();
  out.line(out.paint('warn', `${counted(counts.invalid, 'invalid row')}, skipped at no cost:`));
  for (const { row, path, message } of errors.slice(0, ERRORS_SHOWN)) out.line(`  row ${row ?? '?'}  ${path}: ${message}`);
}

/** Commands that this state of the batch calls for. */
export function nextOf(batch: Pick<BatchDetail, 'id' | 'status' | 'counts' | 'format'>): string[] {
  const { id, status, counts, format } = batch;
  const hasEnded = hasBatchEnded(batch);
  // Of a deleted batch only the counts are left.
  if (isBatchOver(batch) && !hasEnded) return [];
  return [
    ...(status === 'awaiting_start' ? [`confam batch start ${id}`] : []),
    ...(status === 'paused' || status === 'paused_funds' ? [`confam batch resume ${id}`] : []),
    ...(hasEnded ? [`confam batch results ${id} --output results.csv`] : [`confam batch watch ${id}`]),
    ...(counts.invalid > 0 ? [`confam batch errors ${id} --output to-correct.${endOf(format)}`] : []),
    ...(hasEnded && counts.failed > 0 ? [`confam batch retry ${id}`] : []),
  ];
}

/** Rows that were uploaded as JSON can only be had as JSON Lines; those of a workbook come as a workbook by default. */
const endOf = (format: BatchDetail['format']): string =>
  format === 'json' || format === 'ndjson' ? 'jsonl' : format === 'xlsx' ? 'xlsx' : 'csv';
