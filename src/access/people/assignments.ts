/** Review cases of people who can no longer work on them: they lose their assignee, so that somebody else finds them. `reviews/` does everything else to cases. */
import type { Tx } from '../../foundation/context.ts';
import { showId } from '../../foundation/ids.ts';
import type { NewAuditEntry } from '../audit/append.ts';

/** Takes a person's undecided cases from them. `appId`: only those of this app; null: of every app. Returns what to record, an entry for each case. */
export async function releaseCases(tx: Tx, personId: string, appId: string | null): Promise<NewAuditEntry[]> {
  const released = await tx<{ id: string; appId: string; live: boolean }[]>`
    update reviews set assignee = null
    where assignee = ${showId('per', personId)} and state <> 'decided'
      and app_id in (select ${appId}::uuid union all select app_id from app_people where person_id = ${personId} and ${appId}::uuid is null)
    returning id, app_id, live`;
  return released.map(({ id, ...app }) => ({ ...app, action: 'review.assign', object: showId('rev', id), detail: { assignee: null } }));
}
