/** Batches and jobs as they are stored, and who owns them. They come in by `submit.ts`, are steered by `control.ts` and ended by `pipeline/settle.ts`. */
import type { BatchRow } from '../contract/batches.ts';
import type { Sql, Tx } from '../foundation/context.ts';

/** Wakes the dispatcher: one notification a submission, none a row. */
export const WORK_CHANNEL = 'confam_work';

/** Null: unknown, or another app's. */
export async function readBatch(sql: Sql | Tx, appId: string, id: string): Promise<BatchRow | null> {
  const [row] = await sql<BatchRow[]>`select * from batches where id = ${id} and app_id = ${appId}`;
  return row ?? null;
}
