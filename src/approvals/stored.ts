/** Stores and reads approvals. What was asked for, and why, is encrypted in `about`. `approvals.ts` changes their state. */
import type { AppMode } from '../access/owner.ts';
import type { ApprovalAction, ApprovalRow, ApprovalStatus } from '../contract/approvals.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { narrowed } from '../foundation/lists.ts';

export type Terms = Record<string, unknown>;

export interface About {
  state: string | null;
  terms: Terms;
  reason: string | null;
  declineReason: string | null;
}

export type StoredApproval = Omit<ApprovalRow, keyof About | 'askedName' | 'decidedName'> & {
  about: Buffer;
  askedName: string | null;
  askedPersonName: Buffer | null;
  askedPersonEmail: Buffer | null;
  decidedName: Buffer | null;
  decidedEmail: Buffer | null;
};

/** Columns of `approvals r`, with the names of those who asked and decided. */
export const shown = (sql: Sql | Tx) => sql`
  r.id, r.app_id, r.live, r.action, r.status, r.target, r.amount_kobo, r.asked_kind, r.asked_id, r.asked_person, r.about, r.asked_at, r.expires_at,
  r.decided_by, r.decided_at, r.usable_until,
  (select p.name from people p where p.id = r.asked_person and r.asked_kind = 'person') as asked_person_name,
  (select p.email from people p where p.id = r.asked_person and r.asked_kind = 'person') as asked_person_email,
  (select k.name from api_keys k where r.asked_kind <> 'person' and r.asked_id = 'key_' || replace(k.id::text, '-', '')) as asked_name,
  (select p.name from people p where p.id = r.decided_by) as decided_name,
  (select p.email from people p where p.id = r.decided_by) as decided_email`;

export async function opened(
  { cipher }: Pick<Context, 'cipher'>,
  { about, askedPersonName, askedPersonEmail, askedName, decidedName, decidedEmail, ...row }: StoredApproval,
): Promise<ApprovalRow> {
  const { open } = await cipher.opener([about, askedPersonName, askedPersonEmail, decidedName, decidedEmail]);
  const nameOf = (id: string | null, name: Buffer | null, email: Buffer | null) =>
    id && ((name && open(name, 'person_name', id)) || (email && open(email, 'person_email', id)));
  return {
    ...row,
    ...(JSON.parse(open(about, 'approval', row.id)) as About),
    askedName: nameOf(row.askedPerson, askedPersonName, askedPersonEmail) ?? askedName,
    decidedName: nameOf(row.decidedBy, decidedName, decidedEmail),
  };
}

/** A request to delete an app is sealed by the deployment's key: the app's own keys are gone when the approval is shown. The sweeper deletes it in the end. */
export const sealed = async (
  { cipher }: Pick<Context, 'cipher'>,
  { id, appId, action }: Pick<ApprovalRow, 'id' | 'appId' | 'action'>,
  { terms, reason, state, declineReason }: About,
): Promise<Buffer> =>
  (await cipher.sealer({ appId: action === 'delete_app' ? null : appId })).seal(
    JSON.stringify({ terms, reason, state, declineReason }),
    'approval',
    id,
  );

export interface ApprovalFilter {
  /** Null: those that administrators decide, of every app. */
  owner: AppMode | null;
  actions: readonly ApprovalAction[];
  status?: ApprovalStatus | undefined;
  target?: string | undefined;
  before: string | null;
  limit: number;
}

/** Newest first. One whose time has run out is shown as expired even before the sweeper marks it. */
export async function readApprovals(
  ctx: Context,
  { owner, actions, status, target, before, limit }: ApprovalFilter,
): Promise<ApprovalRow[]> {
  const { sql } = ctx;
  const rows = await sql<StoredApproval[]>`
    select ${shown(sql)}, ${statusNow(sql)} as status from approvals r
    where r.action = any(${actions as string[]}) and ${isOf(sql, owner)}
      ${narrowed(sql, [
        status !== undefined && sql`${statusNow(sql)}::text = ${status}`,
        target !== undefined && sql`r.target = ${target}`,
        before !== null && sql`r.id < ${before}`,
      ])}
    order by r.id desc limit ${limit}`;
  return Promise.all(rows.map((row) => opened(ctx, row)));
}

const isOf = (sql: Sql | Tx, owner: ApprovalFilter['owner']) =>
  owner === null ? sql`true` : sql`r.app_id = ${owner.appId} and (r.live is null or r.live = ${owner.live})`;

const statusNow = (sql: Sql | Tx) =>
  sql`case when r.status = 'pending_approval' and r.expires_at <= now() then 'expired' else r.status end`;

export async function readApproval(
  ctx: Context,
  id: string,
  { owner, actions }: Pick<ApprovalFilter, 'owner' | 'actions'>,
): Promise<ApprovalRow | null> {
  const [row] = await ctx.sql<StoredApproval[]>`
    select ${shown(ctx.sql)}, ${statusNow(ctx.sql)} as status from approvals r
    where r.id = ${id} and r.action = any(${actions as string[]}) and ${isOf(ctx.sql, owner)}`;
  return row ? opened(ctx, row) : null;
}
