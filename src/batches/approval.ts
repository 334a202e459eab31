/** Decides which batches need a second person's approval to start, and asks for it. `control.ts` starts them. */
import type { Author } from '../access/audit/append.ts';
import type { Owner } from '../access/owner.ts';
import { ask } from '../approvals/approvals.ts';
import type { ApprovalRow } from '../contract/approvals.ts';
import type { BatchRow } from '../contract/batches.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';

/** Whether a batch of this price needs a second person to start. */
export const startNeedsApproval = ({ settings }: Pick<Owner, 'settings'>, quoteKobo: number): boolean =>
  settings.approveStartAboveKobo !== undefined && quoteKobo > settings.approveStartAboveKobo;

/** Asks for approval to start a batch. Asking again returns the pending approval. The caller has locked the batch, or created it. */
export async function askForBatch(
  ctx: Pick<Context, 'cipher'>,
  tx: Tx,
  { id, appId, live, quoteKobo }: Pick<BatchRow, 'id' | 'appId' | 'live' | 'quoteKobo'>,
  by: Author,
): Promise<ApprovalRow> {
  const approval = await ask(ctx, tx, by, { appId, live, action: 'start_batch', target: showId('bat', id), amountKobo: quoteKobo });
  await tx`update batches set approval_id = ${approval.id} where id = ${id} and approval_id is distinct from ${approval.id}`;
  return approval;
}
