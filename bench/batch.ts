/** Batches for measurements: what is uploaded, and when a batch has started or ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { sampleInput } from './inputs.ts';

/** Times of a batch on Postgres's clock, in milliseconds. */
export interface BatchRun {
  rows: number;
  /** From the first lease to the last commit, polled every `LOOK_MS`. */
  ms: number;
  /** `completed_at − started_at`: up to the start of the transaction that ended it. */
  statedMs: number;
}

const LOOK_MS = 20;

/** Generated while it is sent: generating it beforehand would block the event loop while calls are being timed. */
export async function* csvOf(rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('nin\n');
  for (let left = rows; left > 0; left -= CSV_SLICE_ROWS) yield Buffer.from(`${freshNins(Math.min(left, CSV_SLICE_ROWS)).join('\n')}\n`);
}

const CSV_SLICE_ROWS = 1_000;

/** The same for any check that has an input in `inputs.ts`. */
export async function* sampleCsv(check: string, rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${Object.keys(sampleInput(check, 0)!).join(',')}\n`);
  for (let n = 0; n < rows; n += CSV_SLICE_ROWS) {
    const slice = Array.from({ length: Math.min(CSV_SLICE_ROWS, rows - n) }, (_, i) => Object.values(sampleInput(check, n + i)!).join(','));
    yield Buffer.from(`${slice.join('\n')}\n`);
  }
}

let nextNin = 10_000_000_000;

/** Well-formed NINs that no earlier call has used. */
export function freshNins(count: number): string[] {
  return Array.from({ length: count }, () => {
    nextNin += 7;
    return String(nextNin);
  });
}

/** Resolves when the first rows of a batch are leased. */
export async function untilStarted(sql: postgres.Sql, batchId: string): Promise<void> {
  for (;;) {
    const [batch] = await sql`select 1 from batches where id = ${batchId} and started_at is not null`;
    if (batch) return;
    await sleep(LOOK_MS);
  }
}

/** Resolves when a batch is completed, whatever came of its rows. */
export async function untilOver(sql: postgres.Sql, batchId: string): Promise<void> {
  for (;;) {
    const [batch] = await sql`select 1 from batches where id = ${batchId} and status = 'completed'`;
    if (batch) return;
    await sleep(LOOK_MS);
  }
}

/** Resolves when a batch is over. Throws unless every row was found and charged in full: a failing batch is a fast one. */
export async function untilCompleted(sql: postgres.Sql, batchId: string): Promise<BatchRun> {
  for (;;) {
    const [batch] = await sql<{ status: string; rows: number; found: number; billedKobo: number; ms: number; statedMs: number }[]>`
      select status, rows, found, billed_kobo as "billedKobo", extract(epoch from clock_timestamp() - started_at)::float8 * 1000 as ms,
        extract(epoch from completed_at - started_at)::float8 * 1000 as "statedMs"
      from batches where id = ${batchId}`;
    const { status, rows, found, billedKobo, ms, statedMs } = batch!;
    if (status === 'completed') {
      if (found !== rows || billedKobo !== rows * 125_00) throw new Error(`of ${rows} rows ${found} were found, for ${billedKobo} kobo`);
      return { rows, ms, statedMs };
    }
    await sleep(LOOK_MS);
  }
}
