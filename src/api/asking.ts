/** Requests that wait for a second person: 202 with the approval, and nothing is done yet. */
import type { AppMode } from '../access/owner.ts';
import { revealedOf, seeUnderConditions } from '../access/reveals.ts';
import { type ApprovalRequest, ask, askAboutApp } from '../approvals/approvals.ts';
import { approvalCovering, approvedTargets } from '../approvals/rights.ts';
import { type ApprovalRow, showApproval } from '../contract/approvals.ts';
import type { JobRow } from '../contract/jobs.ts';
import { ApiError } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { aboutRead, authorOf } from './audited.ts';
import { callerOf, envelope, type Http, invalid } from './http.ts';
import { keepAnswer } from './idempotency.ts';
import { answer, location } from './openapi/operation.ts';
import { refTo } from './openapi/schema.ts';
import type { Tools } from './tools.ts';

export const APPROVALS = '/api/v1/approvals';
export const ADMIN_APPROVALS = '/api/v1/admin/approvals';

/** The documented answer. */
export const waitsForApproval = answer('A second person must approve it first; nothing is done yet', refTo('Approval'), {
  Location: location.Location,
});

export const waiting = (c: Http, approval: ApprovalRow, path = APPROVALS): Response =>
  envelope(c, showApproval(approval), 202, { Location: `${path}/${showId('apr', approval.id)}` });

/** Null if a file of the target, a batch or everything held on a person, may go out now; otherwise the answer that says it waits for approval. */
export async function mayExport(
  c: Http,
  { service }: Pick<Tools, 'service'>,
  { appId, live }: AppMode,
  asked: Pick<ApprovalRequest, 'target' | 'terms' | 'reason'>,
): Promise<Response | null> {
  // A HEAD request gets no content.
  if (!callerOf(c).settings.approveExport || c.req.method === 'HEAD') return null;
  return (await unlessApproved(c, service, { ...asked, appId, live, action: 'export' })).waits;
}

/** What may be done now, and the reason that counts: the approved one, where an approval was needed. Or the answer that says it waits for approval. */
type Leave = { waits: null; reason: string | null } | { waits: Response };

/**
 * Whether a person may see the job in clear now. Keys see jobs in clear anyway. Throws `forbidden` where the app
 * demands a reason and the person has given none: pictures and reports take none, so the job must have been revealed with one before.
 */
export async function mayReveal(
  c: Http,
  { service }: Pick<Tools, 'service'>,
  { id, appId, live }: Pick<JobRow, 'id' | 'appId' | 'live'>,
  terms: Record<string, unknown> = {},
  reason: string | null = null,
): Promise<Leave> {
  if (!c.get('session') || c.req.method === 'HEAD') return { waits: null, reason };
  const { approveReveal, revealNeedsReason } = callerOf(c).settings;
  if (revealNeedsReason && reason === null && !(await revealedOf(service, [id], authorOf(c).actor.id)).has(id))
    throw new ApiError(
      'forbidden',
      'This app requires a reason. First show the job in clear with a reason; its pictures and report are then available for an hour',
    );
  if (!approveReveal) return { waits: null, reason };
  return unlessApproved(c, service, { appId, live, action: 'reveal', target: showId('job', id), terms, reason });
}

/** An app may demand a reason of whoever sees or exports personal data. */
export function refuseMissingReason(c: Http, reason: string | null): void {
  if (reason === null && callerOf(c).settings.revealNeedsReason)
    throw invalid([{ path: 'reason', message: 'is required: this app asks for a reason', rule: 'required' }]);
}

/** The jobs among these that the caller may already see in clear: no new reason or approval is needed. */
export async function jobsInClear(c: Http, { service }: Pick<Tools, 'service'>, ids: readonly string[]): Promise<(id: string) => boolean> {
  const { appId, settings } = callerOf(c);
  if (!c.get('session') || !seeUnderConditions(settings)) return () => true;
  const by = authorOf(c);
  const revealed = settings.revealNeedsReason ? await revealedOf(service, ids, by.actor.id) : null;
  const asked = { by, appId, action: 'reveal', targets: ids.map((id) => showId('job', id)) } as const;
  const approved = settings.approveReveal ? await approvedTargets(service, asked) : null;
  return (id) => (revealed?.has(id) ?? true) && (approved?.has(showId('job', id)) ?? true);
}

/** Asks for approval, unless the caller's request for it was approved within the last hour. */
async function unlessApproved(c: Http, service: Service, asked: ApprovalRequest): Promise<Leave> {
  const by = authorOf(c);
  const approved = await approvalCovering(service, by, asked);
  if (approved) return { waits: null, reason: approved.reason ?? asked.reason ?? null };
  const approval = await service.sql.begin((tx) => ask(service, tx, by, asked));
  aboutRead(c, null);
  return { waits: waiting(c, approval) };
}

/** Asks for a change of an app that a second administrator must approve. Throws `resource_not_found` if there is no such app. */
export async function askAdministrator(c: Http, service: Service, asked: ApprovalRequest): Promise<Response> {
  const approval = await service.sql.begin(async (tx) => {
    const made = await askAboutApp(service, tx, authorOf(c), asked);
    if (!made) throw new ApiError('resource_not_found', 'There is no such app');
    await keepAnswer(c, tx, waiting(c, made, ADMIN_APPROVALS));
    return made;
  });
  return waiting(c, approval, ADMIN_APPROVALS);
}
