/** Reading a stored batch on behalf of its owner. Batches enter by `submit.ts`, are steered by `control.ts` and ended by `ending.ts`. */
import type { BatchRow } from '../contract/batches.ts';
import type { Sql, Tx } from '../foundation/context.ts';

/** Wakes the dispatcher: one notification per submission, none per row. */
export const WORK_CHANNEL = 'confam_work';

/** Null if the batch does not exist or belongs to another app. */
export async function readBatch(sql: Sql | Tx, appId: string, id: string): Promise<BatchRow | null> {
  const [row] = await sql<BatchRow[]>`select * from batches where id = ${id} and app_id = ${appId}`;
  return row ?? null;
}
