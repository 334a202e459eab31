/** Approvals: what waits for a second person, and that person's decision. People of an app decide for the app, administrators for the deployment. */
import type { AppMode } from '../access/owner.ts';
import { ownerHasScope } from '../access/restrictions.ts';
import { approve, decline } from '../approvals/approvals.ts';
import { readApproval, readApprovals } from '../approvals/stored.ts';
import {
  type ApprovalAction,
  type ApprovalRow,
  adminActions,
  adminApprovalsQuery,
  approvalsQuery,
  declineBody,
  ownActions,
  showApproval,
} from '../contract/approvals.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { ADMIN_APPROVALS, APPROVALS } from './asking.ts';
import { aboutReasons, authorOf } from './audited.ts';
import { carryOutOf, prepareFor } from './carry-out.ts';
import { callerOf, envelope, type Http } from './http.ts';
import { answer } from './openapi/operation.ts';
import { pageOf, refTo } from './openapi/schema.ts';
import { idCursor, pageById } from './pages.ts';
import { route } from './route.ts';
import type { Tools } from './tools.ts';

/** Which approvals a path is about. `owner` null: those of the deployment. */
interface Selection {
  owner: AppMode | null;
  actions: readonly ApprovalAction[];
}

const ofApp = (c: Http): Selection => {
  const { appId, live } = callerOf(c);
  return { owner: { appId, live }, actions: ownActions };
};
const ofDeployment = (): Selection => ({ owner: null, actions: adminActions });

const find =
  (selectionOf: (c: Http) => Selection) =>
  async (c: Http, { service }: Tools) => {
    const id = parseId('apr', c.req.param('id') ?? '');
    const approval = id === null ? null : await readApproval(service, id, selectionOf(c));
    if (!approval) throw new ApiError('resource_not_found', 'There is no such approval');
    return approval;
  };

/** A key may ask, but it is a person who decides. */
function deciderOf(c: Http) {
  const session = c.get('session');
  if (!session) throw new ApiError('forbidden', 'Only people can decide: sign in instead of using a key');
  return { personId: session.personId, by: authorOf(c) };
}

async function decideToApprove(c: Http, { service, forgetKeys }: Tools, approval: ApprovalRow): Promise<Response> {
  const decider = deciderOf(c);
  const decided = await approve(service, approval, decider, carryOutOf(approval.action, decider.by), (goesOn) =>
    prepareFor(service, approval, decider.by, goesOn),
  );
  forgetKeys();
  return envelope(c, showApproval(decided));
}

const decideToDecline = async (c: Http, { service }: Tools, approval: ApprovalRow, reason: string): Promise<Response> =>
  envelope(c, showApproval(await decline(service, approval, deciderOf(c), reason)));

/** Hides why somebody wants to see or export a person's data from everybody except the one who asked, those who may decide, and those who may read the audit. */
function showToCaller(c: Http, approval: ApprovalRow): ReturnType<typeof showApproval> {
  const isForCaller =
    approval.reason === null ||
    approval.askedId === authorOf(c).actor.id ||
    (['approve', 'audit:read'] as const).some((scope) => ownerHasScope(callerOf(c), scope));
  return showApproval(isForCaller ? approval : { ...approval, reason: null });
}

const page = answer('A page', pageOf(refTo('Approval')));
const one = answer('The approval', refTo('Approval'));
const decision = { method: 'post', peopleOnly: true, answers: { 200: answer('The approval, decided', refTo('Approval')) } } as const;
const approving = {
  ...decision,
  description:
    'Carries it out in the same transaction. `void`: what it was about has changed meanwhile, or whoever asked may no longer ask for it; nothing was done.',
  errors: ['conflict', 'insufficient_funds', 'spending_cap_exceeded'],
} as const;
const declining = { ...decision, body: { schema: declineBody, example: { reason: 'Wrong file' } }, errors: ['conflict'] } as const;
const reads = { read: 'reasons.read' } as const;

const app = { tag: 'approvals', who: 'app' } as const;
const admin = { tag: 'operator', who: 'admin' } as const;

export const approvalRoutes = [
  route({
    ...app,
    method: 'get',
    path: APPROVALS,
    id: 'listApprovals',
    scope: 'results:read',
    audit: reads,
    summary: 'What was asked for and what was decided, newest first',
    query: approvalsQuery,
    answers: { 200: page },
    async handle(c, { service, query: { action, cursor, limit, ...rest } }) {
      const selection = ofApp(c);
      const actions = action ? [action] : selection.actions;
      const found = await readApprovals(service, { ...selection, ...rest, actions, before: idCursor('apr', cursor), limit: limit + 1 });
      const shown = pageById(
        found.map((approval) => showToCaller(c, approval)),
        limit,
      );
      aboutReasons(c, shown.data);
      return envelope(c, shown);
    },
  }),
  route({
    ...app,
    method: 'get',
    path: `${APPROVALS}/:id`,
    id: 'readApproval',
    scope: 'results:read',
    audit: reads,
    summary: 'One approval',
    find: find(ofApp),
    answers: { 200: one },
    handle(c, { found }) {
      const shown = showToCaller(c, found);
      aboutReasons(c, [shown]);
      return envelope(c, shown);
    },
  }),
  route({
    ...app,
    ...approving,
    path: `${APPROVALS}/:id/approve`,
    id: 'approve',
    scope: 'approve',
    audit: { change: 'approval.approve' },
    summary: 'Approve what somebody else has asked for; only people do',
    find: find(ofApp),
    handle: (c, { found, ...tools }) => decideToApprove(c, tools, found),
  }),
  route({
    ...app,
    ...declining,
    path: `${APPROVALS}/:id/decline`,
    id: 'decline',
    scope: 'results:read',
    audit: { change: 'approval.decline' },
    summary: 'Decline it, with a reason, or withdraw what you have asked for yourself',
    description: 'Declining needs the scope `approve`; whoever asked may withdraw it without.',
    find: find(ofApp),
    handle: (c, { found, body, ...tools }) => decideToDecline(c, tools, found, body.reason),
  }),
];

export const adminApprovalRoutes = [
  route({
    ...admin,
    method: 'get',
    path: ADMIN_APPROVALS,
    id: 'listAdminApprovals',
    audit: reads,
    summary: 'Top-ups, prices and deletions of apps that wait for a second administrator, and those decided, newest first',
    query: adminApprovalsQuery,
    answers: { 200: page },
    async handle(c, { service, query: { action, cursor, limit, ...rest } }) {
      const selection = ofDeployment();
      const actions = action ? [action] : selection.actions;
      const found = await readApprovals(service, { ...selection, ...rest, actions, before: idCursor('apr', cursor), limit: limit + 1 });
      const shown = pageById(found.map(showApproval), limit);
      aboutReasons(c, shown.data);
      return envelope(c, shown);
    },
  }),
  route({
    ...admin,
    method: 'get',
    path: `${ADMIN_APPROVALS}/:id`,
    id: 'readAdminApproval',
    audit: reads,
    summary: 'One of them',
    find: find(ofDeployment),
    answers: { 200: one },
    handle(c, { found }) {
      const shown = showApproval(found);
      aboutReasons(c, [shown]);
      return envelope(c, shown);
    },
  }),
  route({
    ...admin,
    ...approving,
    path: `${ADMIN_APPROVALS}/:id/approve`,
    id: 'approveAdmin',
    audit: { change: 'approval.approve' },
    summary: 'Approve what another administrator has asked for; only people do',
    find: find(ofDeployment),
    handle: (c, { found, ...tools }) => decideToApprove(c, tools, found),
  }),
  route({
    ...admin,
    ...declining,
    path: `${ADMIN_APPROVALS}/:id/decline`,
    id: 'declineAdmin',
    audit: { change: 'approval.decline' },
    summary: 'Decline it, with a reason',
    find: find(ofDeployment),
    handle: (c, { found, body, ...tools }) => decideToDecline(c, tools, found, body.reason),
  }),
];
