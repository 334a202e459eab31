/**
 * What people change about their own accounts goes into the audit of every app that they belong to, because its owners must account for who may see its data; into that
 * of the deployment if they administer it or belong to no app. Entries name people by their id only.
 */
import type { Action } from '../../contract/audit.ts';
import type { Sql, Tx } from '../../foundation/context.ts';
import { showId } from '../../foundation/ids.ts';
import { type Author, type NewAuditEntry, record } from '../audit/append.ts';
import { DEPLOYMENT } from '../audit/entry.ts';

interface About {
  action: Action;
  detail?: Record<string, unknown>;
}

export const entryOn = (appId: string | null, personId: string, { action, detail }: About): NewAuditEntry => ({
  appId: appId ?? DEPLOYMENT,
  live: null,
  action,
  object: showId('per', personId),
  detail: detail ?? null,
});

/** One entry for each chain that it belongs to. */
export async function entriesOn(sql: Sql | Tx, personId: string, about: About): Promise<NewAuditEntry[]> {
  const chains = await sql<{ appId: string }[]>`
    select app_id from app_people where person_id = ${personId} and accepted_at is not null
    union all select ${DEPLOYMENT}::uuid where exists (select 1 from people where id = ${personId} and administrator)
      or not exists (select 1 from app_people where person_id = ${personId} and accepted_at is not null)`;
  return chains.map(({ appId }) => entryOn(appId, personId, about));
}

/** Last in the transaction that makes the change. */
export async function recordOwn(tx: Tx, by: Author, personId: string, about: About): Promise<void> {
  await record(tx, by, ...(await entriesOn(tx, personId, about)));
}

export const asPerson = (by: Author, personId: string): Author => ({ ...by, actor: { kind: 'person', id: showId('per', personId) } });
