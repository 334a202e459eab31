/** Reading a stored batch on behalf of its owner. Batches enter by `submit.ts`, are steered by `control.ts` and ended by `ending.ts`. */
import { openRow } from '../contract/about.ts';
import { type BatchRow, showBatch, type UnopenedBatch } from '../contract/batches.ts';
import type { EventType } from '../contract/webhooks.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { NewEvent } from '../webhooks/events.ts';

/** Wakes the dispatcher: one notification per submission, none per row. */
export const WORK_CHANNEL = 'confam_work';

/** Null if the batch does not exist or belongs to another app. */
export async function readBatch({ cipher }: Pick<Context, 'cipher'>, sql: Sql | Tx, appId: string, id: string): Promise<BatchRow | null> {
  const [row] = await sql<UnopenedBatch[]>`select * from batches where id = ${id} and app_id = ${appId}`;
  return row ? openRow<BatchRow>(await cipher.opener([row.about]), 'bat', row) : null;
}

/** An event about a batch. Its reference and metadata stay sealed until the message is sent. */
export function batchEvent(batch: UnopenedBatch, type: EventType, url: string | null): NewEvent {
  return { appId: batch.appId, live: batch.live, type, data: showBatch(batch as BatchRow), about: batch.about, url };
}
