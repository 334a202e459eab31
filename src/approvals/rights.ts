/** What an approved request lets whoever asked do: for an hour, to see or take what it names. `approvals.ts` grants it. */
import type { Author } from '../access/audit/append.ts';
import type { ApprovalAction } from '../contract/approvals.ts';
import type { Context } from '../foundation/context.ts';
import type { ApprovalRequest } from './approvals.ts';
import type { About, Terms } from './stored.ts';

/** The targets for which the actor's request was approved within the last hour. */
export async function approvedTargets(
  { sql }: Pick<Context, 'sql'>,
  { by, appId, action, targets }: { by: Author; appId: string; action: ApprovalAction; targets: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rights = await sql<{ target: string }[]>`
    select distinct target from approvals
    where target = any(${targets as string[]}) and asked_id = ${by.actor.id} and app_id = ${appId} and action = ${action} and usable_until > now()`;
  return new Set(rights.map(({ target }) => target));
}

/** What covers these terms and was approved for the actor within the last hour, the newest first; null: nothing. `reason`: the one that was approved. */
export async function approvalCovering(
  { sql, cipher }: Pick<Context, 'sql' | 'cipher'>,
  by: Author,
  { appId, action, target, terms = {} }: ApprovalRequest,
): Promise<Pick<About, 'reason'> | null> {
  const rights = await sql<{ id: string; about: Buffer }[]>`
    select id, about from approvals
    where target = ${target} and asked_id = ${by.actor.id} and app_id = ${appId} and action = ${action} and usable_until > now() order by id desc`;
  const { open } = await cipher.opener(rights.map(({ about }) => about));
  const approved = rights.map(({ id, about }) => JSON.parse(open(about, 'approval', id)) as About);
  return approved.find((one) => (action === 'reveal' ? isForPurpose : covers)(one.terms, terms)) ?? null;
}

/** Pictures and reports belong to the look at their job, whatever it was for. */
const isForPurpose = (approved: Terms, asked: Terms): boolean => asked.purpose === undefined || approved.purpose === asked.purpose;

/** The results include the rows to correct. A link may also be downloaded by whoever made it; a download may not become a link. */
const covers = (approved: Terms, asked: Terms): boolean =>
  (approved.kind === asked.kind || (approved.kind === 'results' && asked.kind === 'errors')) &&
  (asked.link_seconds === undefined || Number(approved.link_seconds ?? 0) >= Number(asked.link_seconds));
