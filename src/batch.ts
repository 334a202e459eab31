/** Batches and jobs as they are stored, and who owns them. They come in by `submit.ts`, are steered by `control.ts` and ended by `settle.ts`. */
import type { Sql, Tx } from './context.ts';
import type { BatchRow, JobRow } from './contract.ts';
import type { AgreedPrices } from './prices.ts';
import type { AppSettings } from './schema.ts';

/** Wakes the dispatcher: one notification a submission, none a row. */
export const WORK_CHANNEL = 'confam_work';

export interface Owner {
  appId: string;
  live: boolean;
  settings: AppSettings;
  /** The key that it calls with. */
  keyId?: string;
  keyDailyCapKobo?: number | null;
  /** Agreed with it; the price list holds for the rest. */
  prices?: AgreedPrices | null;
}

/** "bvn must be 11 digits" */
export const sentence = (problems: { field: string | null; message: string }[]): string =>
  problems.map((p) => `${p.field ?? ''} ${p.message}`.trim()).join('; ');

/** Null: unknown, or another app's. */
export async function readBatch(sql: Sql | Tx, appId: string, id: string): Promise<BatchRow | null> {
  const [row] = await sql<BatchRow[]>`select * from batches where id = ${id} and app_id = ${appId}`;
  return row ?? null;
}

/** A job with its sealed entity and when it is tried again. */
export type StoredJob = JobRow & { entity: Buffer | null; runAfter: string | null };

/** Null: unknown, or another app's. */
export async function readJob(sql: Sql | Tx, appId: string, id: string): Promise<StoredJob | null> {
  const [row] = await sql<StoredJob[]>`
    select j.*, r.entity, w.run_after from jobs j left join results r on r.job_id = j.id left join waiting_jobs w on w.job_id = j.id
    where j.id = ${id} and j.app_id = ${appId}`;
  return row ?? null;
}
