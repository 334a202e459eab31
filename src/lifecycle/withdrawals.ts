/**
 * Withdraws the consents under a reference: look-ups under it are refused (`access/consents.ts`), jobs and rows that wait fail before they are asked, and the
 * monitors that rest on it end.
 */
import { type Author, record } from '../access/audit/append.ts';
import { consentIndexes } from '../access/consents.ts';
import type { AppMode } from '../access/owner.ts';
import { changeConsents, endedInput } from '../aml/start-monitoring.ts';
import { openAbout } from '../contract/about.ts';
import type { Submitter } from '../contract/created-by.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { consentWithdrawals } from '../schema/lifecycle.ts';

/** With who withdrew it. */
export type WithdrawalRow = typeof consentWithdrawals.$inferSelect & Submitter;

/** Withdrawing again is not an error; it ends what began in between. `done` runs last in the transaction. */
export async function withdrawConsent(
  { sql, cipher }: Context,
  { appId, live }: AppMode,
  reference: string,
  by: Author,
  done: (tx: Tx, row: WithdrawalRow, monitors: number) => Promise<void>,
): Promise<{ row: WithdrawalRow; monitors: number }> {
  const indexes = consentIndexes(cipher, { appId, live }, reference);
  return sql.begin(async (tx) => {
    // First, because settlements wait for the lock, and this may open many ciphertexts.
    const older = await olderMonitors({ cipher }, tx, { appId, live }, reference);
    await changeConsents(tx, appId);
    await tx`
      insert into consent_withdrawals (app_id, live, reference, id) select ${appId}, ${live}, ${indexes[0]}, ${newId()}
      where not exists (select 1 from consent_withdrawals where app_id = ${appId} and live = ${live} and reference = any(${byteaArray(indexes)}::bytea[]))
      on conflict do nothing`;
    const [row] = await tx<Pick<WithdrawalRow, 'id'>[]>`
      select id from consent_withdrawals where app_id = ${appId} and live = ${live} and reference = any(${byteaArray(indexes)}::bytea[]) order by id limit 1`;
    const ended = await tx`
      update aml_monitors m set ended_at = now(), input = ${endedInput(tx, 'm')}
      where app_id = ${appId} and live = ${live} and ended_at is null and (consent = any(${byteaArray(indexes)}::bytea[]) or id = any(${older}::uuid[]))`;
    await record(tx, by, { appId, live, action: 'consent.withdraw', object: showId('wdr', row!.id), detail: { monitors: ended.count } });
    const [withdrawn] = await withAuthors(tx, tx`select * from consent_withdrawals where id = ${row!.id}`);
    await done(tx, withdrawn!, ended.count);
    return { row: withdrawn!, monitors: ended.count };
  });
}

/** Monitors of earlier releases do not name their consent: it is in what was said of the screening that started them. */
async function olderMonitors({ cipher }: Pick<Context, 'cipher'>, tx: Tx, { appId, live }: AppMode, reference: string): Promise<string[]> {
  const monitors = await tx<{ id: string; job: string; about: Buffer | null; batch: string | null; batchAbout: Buffer | null }[]>`
    select m.id, j.id as job, j.about, b.id as batch, b.about as batch_about
    from aml_monitors m join jobs j on j.id = m.job_id left join batches b on b.id = j.batch_id
    where m.app_id = ${appId} and m.live = ${live} and m.ended_at is null and m.consent is null and (j.about is not null or b.about is not null)`;
  const opener = await cipher.opener(monitors.flatMap(({ about, batchAbout }) => [about, batchAbout]));
  const references = new Map<string, string | undefined>();
  const referenceOf = (owner: string, about: Buffer | null) => {
    if (!references.has(owner)) references.set(owner, openAbout(opener, owner, about).consent?.reference);
    return references.get(owner);
  };
  return monitors.flatMap(({ id, job, about, batch, batchAbout }) =>
    (batch === null ? referenceOf(showId('job', job), about) : referenceOf(showId('bat', batch), batchAbout)) === reference ? [id] : [],
  );
}

/** Newest first; `before`: only older ones. */
export const readWithdrawals = (
  { sql }: Context,
  { appId, live }: AppMode,
  { before, limit }: { before: string | null; limit: number },
): Promise<WithdrawalRow[]> =>
  withAuthors(
    sql,
    sql`
      select * from consent_withdrawals where app_id = ${appId} and live = ${live} ${narrowed(sql, [before !== null && sql`id < ${before}`])}
      order by id desc limit ${limit}`,
  );

/**
 * Only the audit names the author. Its entry is as old as the withdrawal: later ones repeat it, and must not stand in for one whose month was dropped. Newest
 * first.
 */
async function withAuthors(sql: Sql | Tx, withdrawals: ReturnType<Sql>): Promise<WithdrawalRow[]> {
  const rows = await sql<(Omit<WithdrawalRow, keyof Submitter> & { actorId: string | null })[]>`
    select w.*, a.actor_id from (${withdrawals}) w left join lateral (
      select e.actor_id from audit_entries e
      where e.object = 'wdr_' || replace(w.id::text, '-', '') and e.app_id = w.app_id and e.action = 'consent.withdraw' and e.outcome = 'allowed'
        and e.at >= w.withdrawn_at and e.at < w.withdrawn_at + interval '5 minutes'
      order by e.at limit 1) a on true
    order by w.id desc`;
  return rows.map(({ actorId, ...row }) => ({ ...row, keyId: parseId('key', actorId ?? ''), personId: parseId('per', actorId ?? '') }));
}
