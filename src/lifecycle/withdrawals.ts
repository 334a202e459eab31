/**
 * Withdraws the consents under a reference: look-ups under it are refused (`access/consents.ts`), jobs and rows that wait fail before they are asked, and the
 * monitors that rest on it end.
 */
import { type Author, record } from '../access/audit/append.ts';
import { consentIndexes } from '../access/consents.ts';
import type { AppMode } from '../access/owner.ts';
import { changeConsents } from '../aml/start-monitoring.ts';
import { openAbout } from '../contract/about.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { consentWithdrawals } from '../schema/lifecycle.ts';

export type WithdrawalRow = typeof consentWithdrawals.$inferSelect;

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
    const [row] = await tx<WithdrawalRow[]>`
      select * from consent_withdrawals where app_id = ${appId} and live = ${live} and reference = any(${byteaArray(indexes)}::bytea[]) order by id limit 1`;
    const ended = await tx`
      update aml_monitors set ended_at = now(), input = ''
      where app_id = ${appId} and live = ${live} and ended_at is null and (consent = any(${byteaArray(indexes)}::bytea[]) or id = any(${older}::uuid[]))`;
    await record(tx, by, { appId, live, action: 'consent.withdraw', object: showId('wdr', row!.id), detail: { monitors: ended.count } });
    await done(tx, row!, ended.count);
    return { row: row!, monitors: ended.count };
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
): Promise<WithdrawalRow[]> => sql<WithdrawalRow[]>`
  select * from consent_withdrawals where app_id = ${appId} and live = ${live} ${narrowed(sql, [before !== null && sql`id < ${before}`])}
  order by id desc limit ${limit}`;
