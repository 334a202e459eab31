/**
 * Deletes an app. Its data keys, API keys, people and links end in the transaction that answers, so that nothing of it can be read or used from then on;
 * `purge-app.ts` then deletes the rows, in small steps. The app's id, the ledger and the audit stay. If anything stands in the way, the refusal names it and nothing is done.
 */

import { type Author, record } from '../access/audit/append.ts';
import { KEYS_CHANNEL } from '../access/keys.ts';
import { removeEverybody } from '../access/people/accounts.ts';
import type { ApprovalRequest } from '../approvals/approvals.ts';
import { cancelBatch } from '../batches/control.ts';
import { listed, OPEN, UNENDED } from '../batches/states.ts';
import type { ApprovalRow } from '../contract/approvals.ts';
import { appDeletionBody } from '../contract/apps.ts';
import { naira } from '../contract/fields.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { ApiError, type ErrorDetail } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import { emptyWallet, lockWallets, readWallet } from '../money/ledger.ts';
import { CANCELED_AT_ONCE, cancelJobs } from './cancel-jobs.ts';
import { type AppDeletionRow, FIRST_STAGE } from './purge-app.ts';

export interface DeletionTerms {
  /** What was done with the live balance; null: there is none. */
  balance: 'refunded' | 'written_off' | null;
  /** Cancels batches and jobs that have not ended, if the app is suspended. Questions already at a vendor must end first: ask again later. */
  cancelWork: boolean;
}

/**
 * Null if there is no such app. One that was deleted before is returned as it is. Throws `conflict` with everything that is in the way. `asked` runs last in the
 * transaction.
 */
export async function deleteApp(
  ctx: Context,
  id: string,
  { balance, cancelWork }: DeletionTerms,
  by: Author,
  asked: (tx: Tx, row: AppDeletionRow) => Promise<void> = async () => {},
): Promise<AppDeletionRow | null> {
  if (cancelWork) await cancelAll(ctx, id, by);
  return ctx.sql.begin(async (tx) => {
    const app = await lockApp(tx, id);
    if (!app) return null;
    if (app.isDeleted) return (await readDeletion({ sql: tx }, id))!;
    const row = await deleteLocked(tx, app, balance, by);
    await asked(tx, row);
    return row;
  });
}

/**
 * What a second administrator is asked to approve; null if there is no such app. Throws `conflict` with what is in the way, apart from work that the approval
 * will cancel.
 */
export async function deletionToApprove(
  { sql }: Context,
  id: string,
  { balance, cancelWork }: DeletionTerms,
): Promise<ApprovalRequest | null> {
  return sql.begin(async (tx) => {
    const app = await lockApp(tx, id);
    if (!app) return null;
    refuse((await obstaclesTo(tx, app, balance)).filter(({ rule }) => !(cancelWork && rule === 'ended')));
    const amountKobo = await moneyOf(tx, id);
    const terms = { ...(balance && { balance }), cancel_work: cancelWork };
    return { appId: id, live: null, action: 'delete_app', target: showId('app', id), amountKobo, terms, state: String(amountKobo) };
  });
}

/**
 * Before an approved deletion, in transactions of its own: cancels the app's work while `goesOn`, unless the deletion could not be carried out anyway. Throws as
 * `deleteApp`.
 */
export async function prepareDeletion(
  ctx: Context,
  { appId, terms, state }: ApprovalRow,
  by: Author,
  goesOn: () => Promise<boolean>,
): Promise<void> {
  const { balance = null, cancel_work: cancelWork } = appDeletionBody.parse(terms);
  const now = await deletionToApprove(ctx, appId, { balance, cancelWork });
  if (cancelWork && now?.state === state) await cancelAll(ctx, appId, by, goesOn);
}

/** Refuses if the amount in the live wallet has changed since the request. Throws as `deleteApp`. */
export async function deleteApproved(tx: Tx, { appId, terms, state }: ApprovalRow, by: Author): Promise<boolean> {
  const app = await lockApp(tx, appId);
  if (!app || app.isDeleted) return false;
  await lockWallets(tx, [{ appId, live: true }]);
  if (String(await moneyOf(tx, appId)) !== state) return false;
  await deleteLocked(tx, app, appDeletionBody.parse(terms).balance ?? null, by);
  return true;
}

/** What the live wallet has, with what is held for work that has not ended. */
async function moneyOf(tx: Tx, appId: string): Promise<number> {
  const { availableKobo, heldKobo } = await readWallet(tx, { appId, live: true });
  return availableKobo + heldKobo;
}

interface LockedApp {
  id: string;
  isSuspended: boolean;
  isDeleted: boolean;
}

/** Requests that add to the app hold this row until their commit (`refuseDeleted`), so their rows are visible after this lock. */
async function lockApp(tx: Tx, id: string): Promise<LockedApp | null> {
  const [app] = await tx<LockedApp[]>`
    select id, disabled_at is not null as is_suspended, deleted_at is not null as is_deleted from apps where id = ${id} for update`;
  return app ?? null;
}

async function deleteLocked(tx: Tx, app: LockedApp, balance: DeletionTerms['balance'], by: Author): Promise<AppDeletionRow> {
  const { id } = app;
  refuse(await obstaclesTo(tx, app, balance));
  const counts = await endAccess(tx, id);
  const balanceKobo = await emptyWallet(tx, { appId: id, live: true }, balance === 'refunded' ? 'refund' : 'write_off', by);
  await emptyWallet(tx, { appId: id, live: false }, 'write_off', by);
  const [row] = await tx<AppDeletionRow[]>`
    insert into app_deletions (app_id, stage, counts, balance_kobo, balance)
    values (${id}, ${FIRST_STAGE}, ${JSON.stringify(counts)}::text::jsonb, ${balanceKobo}, ${balanceKobo > 0 ? balance : null}) returning *`;
  await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
  await record(tx, by, { appId: id, live: null, action: 'app.delete', object: showId('app', id), detail: { balanceKobo, balance } });
  return row!;
}

const obstaclesTo = async (tx: Tx, { id, isSuspended }: LockedApp, balance: DeletionTerms['balance']): Promise<ErrorDetail[]> => [
  ...(isSuspended ? [] : [NOT_SUSPENDED]),
  ...(await inTheWay(tx, id, balance)),
];

function refuse(details: ErrorDetail[]): void {
  if (details.length > 0)
    throw new ApiError('conflict', `The app cannot be deleted yet: ${details.map(({ message }) => message).join('; ')}`, { details });
}

const NOT_SUSPENDED: ErrorDetail = { path: 'app', rule: 'suspended', message: 'it is not suspended' };

/** At most this many ids are named in a refusal. */
const NAMED = 5;

async function inTheWay(tx: Tx, appId: string, balance: DeletionTerms['balance']): Promise<ErrorDetail[]> {
  const [found] = await tx<{ batches: string[]; work: number; heldBatches: string[]; heldPeople: number; kobo: number }[]>`
    select
      (select coalesce(array_agg(id order by id), '{}') from batches where app_id = ${appId} and status in ${tx.unsafe(listed(UNENDED))}) as batches,
      (select count(*)::int from holds h where h.app_id = ${appId} and h.released_at is null and not exists (select 1 from batches where id = h.id)) as work,
      (select coalesce(array_agg(id order by id), '{}') from batches where app_id = ${appId} and legal_hold_at is not null) as held_batches,
      (select count(*)::int from subject_holds where app_id = ${appId} and lifted_at is null) as held_people,
      (select available_kobo from wallets where app_id = ${appId} and live) as kobo`;
  const { batches, work, heldBatches, heldPeople, kobo } = found!;
  const obstacle = (path: string, rule: string, isThere: boolean, message: string): ErrorDetail[] =>
    isThere ? [{ path, rule, message }] : [];
  return [
    ...obstacle('batches', 'ended', batches.length > 0, `batches have not ended: ${named(batches)}`),
    ...obstacle('jobs', 'ended', work > 0, work === 1 ? 'a job or call has not ended' : `${work} jobs or calls have not ended`),
    ...obstacle('batches', 'legal_hold', heldBatches.length > 0, `batches are under a legal hold: ${named(heldBatches)}`),
    ...obstacle(
      'subjects',
      'legal_hold',
      heldPeople > 0,
      heldPeople === 1 ? 'a person is under a legal hold' : `${heldPeople} people are under a legal hold`,
    ),
    ...obstacle(
      'balance',
      'required',
      kobo > 0 && balance === null,
      `the live wallet has ₦${naira(kobo).toLocaleString('en')}: say whether it was refunded or is written off`,
    ),
  ];
}

const named = (batches: readonly string[]): string => {
  const shown = batches.slice(0, NAMED).map((id) => showId('bat', id));
  return batches.length > NAMED ? `${shown.join(', ')} and ${batches.length - NAMED} more` : shown.join(', ');
};

/** Nothing that is sealed can be opened, and nobody can act for the app, once this is committed. Returns what ended. */
async function endAccess(tx: Tx, appId: string): Promise<Record<string, number>> {
  // Too short for a ciphertext: a rotation of keys must find nothing here to seal again.
  await tx`update apps set deleted_at = now(), webhook_secret = '\\x00' where id = ${appId}`;
  const dataKeys = await tx`delete from data_keys where app_id = ${appId}`;
  const apiKeys = await tx`
    update api_keys set revoked_at = coalesce(revoked_at, now()), name = null, addresses = null where app_id = ${appId}`;
  const links = await tx`update links set revoked_at = now() where app_id = ${appId} and revoked_at is null`;
  const { members, people } = await removeEverybody(tx, appId);
  // Their identifiers can no longer be opened, and everybody they ask about goes.
  const erasures = await tx`delete from erasures where app_id = ${appId} and finished_at is null`;
  const exports = await tx`delete from subject_exports where app_id = ${appId}`;
  return {
    data_keys: dataKeys.count,
    api_keys: apiKeys.count,
    links: links.count,
    members,
    people,
    open_erasures: erasures.count,
    subject_exports: exports.count,
  };
}

/** Nothing if the app is not suspended: its clients would only add more. */
async function cancelAll(ctx: Context, appId: string, by: Author, goesOn = async () => true): Promise<void> {
  const [app] = await ctx.sql`select 1 from apps where id = ${appId} and disabled_at is not null and deleted_at is null`;
  if (!app) return;
  const open = await ctx.sql<{ id: string }[]>`
    select id from batches where app_id = ${appId} and status in ${ctx.sql.unsafe(listed(OPEN))} order by id`;
  for (const { id } of open) {
    if (!(await goesOn())) return;
    await cancelBatch(ctx, appId, id, by);
  }
  while ((await goesOn()) && (await ctx.sql.begin((tx) => cancelJobs(tx, appId))) === CANCELED_AT_ONCE);
}

/** Null if the app was not deleted. */
export async function readDeletion({ sql }: { sql: Context['sql'] | Tx }, appId: string): Promise<AppDeletionRow | null> {
  const [row] = await sql<AppDeletionRow[]>`select * from app_deletions where app_id = ${appId}`;
  return row ?? null;
}
