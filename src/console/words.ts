/** Roles, scopes and the audit's actions as people read them. */
import type { Action } from '../client/audit.ts';
import type { Scope } from '../client/keys.ts';
import type { Approval, Role } from '../client/people.ts';
import type { Purpose } from '../client/purpose.ts';
import type { Review } from '../client/reviews.ts';
import type { Worded } from './format.ts';

export const roleWords: Readonly<Record<Role, { word: string; may: string }>> = {
  viewer: { word: 'Viewer', may: 'Sees batches, balances and usage; not what was found about people.' },
  operator: { word: 'Operator', may: 'Also uploads, runs and reviews, and sees and downloads results.' },
  approver: { word: 'Approver', may: 'Also approves what somebody else has asked for.' },
  owner: { word: 'Owner', may: 'Also manages people, keys, privacy and the audit.' },
};

/** `a viewer`, `an owner` */
export const asRole = (role: Role): string => {
  const word = roleWords[role].word.toLowerCase();
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
};

export const roles = Object.keys(roleWords) as Role[];

export const scopeWords: Readonly<Record<Scope, string>> = {
  verify: 'Make single calls',
  'batches:write': 'Upload, start, pause and cancel batches',
  'results:read': 'Read batches, jobs and what they found',
  reveal: 'For people only: see personal data',
  reviews: 'Decide reviews, clear hits, end monitors',
  approve: 'For people only: approve requests',
  webhooks: 'Manage webhook endpoints',
  'wallet:read': 'Read balances, statements and prices',
  keys: 'Manage API keys',
  people: 'Manage people',
  privacy: 'Delete batches and jobs, place legal holds, set retention, erase and export personal data',
  'audit:read': 'Read the audit',
};

/** By what a person is found. */
export const identifierWords: Readonly<Record<string, string>> = {
  nin: 'NIN',
  bvn: 'BVN',
  phone: 'phone number',
  email: 'e-mail address',
  person: 'name',
};

/** What personal data may be seen for. */
export const purposes: readonly (readonly [Purpose, string])[] = [
  ['onboarding', 'Onboarding a customer'],
  ['review', 'Review of a result'],
  ['screening', 'Screening'],
  ['support', 'A customer’s question'],
  ['complaint', 'A complaint'],
  ['fraud', 'Suspected fraud'],
  ['legal', 'A legal duty'],
  ['audit', 'An audit'],
  ['subject_request', 'The person’s own request'],
];

export const purposeWords = (purpose: string): string => purposes.find(([id]) => id === purpose)?.[1] ?? purpose;

export const approvalWords: Readonly<Record<Approval['action'], string>> = {
  start_batch: 'Start a batch',
  reveal: 'See a job in clear',
  export: 'Export data',
  change_settings: 'Loosen settings',
  top_up: 'Top up a wallet',
  change_prices: 'Change prices',
  delete_app: 'Delete an app',
};

export const approvalStates: Readonly<Record<Approval['status'], Worded>> = {
  pending_approval: { word: 'Waiting', tone: 'warn' },
  approved: { word: 'Approved', tone: 'good' },
  declined: { word: 'Declined', tone: 'bad' },
  expired: { word: 'Expired', tone: 'plain' },
  void: { word: 'No longer valid', tone: 'plain' },
};

export const actionWords: Readonly<Record<Action, string>> = {
  'app.create': 'App created',
  'app.settings': 'Settings changed',
  'app.suspend': 'App suspended',
  'app.resume': 'App resumed',
  'app.export': 'App exported',
  'app.delete': 'App deleted',
  'provider.pause': 'Vendor paused',
  'provider.resume': 'Vendor resumed',
  'app.prices': 'Prices changed',
  'key.create': 'Key created',
  'key.change': 'Key changed',
  'key.rotate': 'Key rotated',
  'key.revoke': 'Key revoked',
  'encryption.rotate': 'Rotation of encryption keys begun',
  'encryption.index': 'Renewal of stored hashes begun',
  'wallet.topup': 'Wallet topped up',
  'wallet.refund': 'Balance paid back',
  'wallet.writeoff': 'Balance written off',
  'session.begin': 'Signed in',
  'session.end': 'Signed out',
  'person.invite': 'Person invited',
  'person.accept': 'Invitation accepted',
  'person.role': 'Role changed',
  'person.remove': 'Person removed',
  'person.disable': 'Person disabled',
  'person.enable': 'Person enabled',
  'person.link': 'Sign-in link made',
  'person.change': 'Own account changed',
  'people.read': 'People listed',
  'webhook.create': 'Webhook created',
  'webhook.update': 'Webhook changed',
  'webhook.delete': 'Webhook deleted',
  'webhook.rotate': 'Webhook secret rotated',
  'webhook.resend': 'Webhooks sent again',
  'approval.ask': 'Approval requested',
  'approval.approve': 'Approved',
  'approval.decline': 'Declined',
  'approval.void': 'Approval no longer needed',
  'approval.expire': 'Approval not given in time',
  'mapping.save': 'Mapping saved',
  'mapping.delete': 'Mapping deleted',
  'batch.submit': 'Batch submitted',
  'batch.control': 'Batch started, paused or stopped',
  'batch.delete': 'Batch deleted',
  'batch.hold': 'Legal hold placed',
  'batch.release': 'Legal hold lifted',
  'job.delete': 'Job deleted',
  'subject.erase': 'Erasure requested',
  'subject.export': 'Person’s data requested',
  'subject.hold': 'Person put under a legal hold',
  'subject.release': 'Legal hold on a person lifted',
  'consent.withdraw': 'Consent withdrawn',
  'subject.places': 'Person’s jobs and rows listed',
  'subject.read': 'Person’s data downloaded',
  'references.read': 'References listed',
  'reasons.read': 'Reasons read',
  'job.read': 'Job read',
  'job.reveal': 'Job seen in clear',
  'answer.read': 'Answer repeated',
  'image.read': 'Picture read',
  'report.read': 'Screening report read',
  'results.read': 'Results read',
  'errors.read': 'Rows to correct read',
  'link.create': 'Link made',
  'link.revoke': 'Link revoked',
  'link.read': 'Link opened',
  'review.read': 'Review case read',
  'review.assign': 'Review case assigned',
  'review.comment': 'Review case commented on',
  'review.decide': 'Review case decided',
  'clearance.create': 'Hit cleared',
  'clearance.revoke': 'Clearance revoked',
  'clearance.read': 'Clearances listed',
  'monitor.read': 'Monitors read',
  'monitor.end': 'Monitor ended',
  'portrait.enrol': 'Portrait enrolled',
  'portrait.remove': 'Portrait removed',
  'portrait.read': 'Portraits listed',
  'backup.write': 'Backup written',
  'backup.restore': 'Backup restored',
  'list.update': 'Watch list updated',
  'audit.read': 'Audit read',
  'audit.retire': 'Month of the audit retired',
  'audit.unrecorded': 'Further refused attempts',
};

export const reviewKinds: Readonly<Record<Review['kind'], string>> = {
  face: 'Face match uncertain',
  liveness: 'Liveness uncertain',
  aml: 'Screening hits',
};

export const whyOpened = ({ kind, monitor }: Pick<Review, 'kind' | 'monitor'>): string =>
  monitor ? 'New hits of a monitor' : reviewKinds[kind];

export const riskWords: Readonly<Record<NonNullable<Review['risk_level']>, string>> = {
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
  CRITICAL: 'Critical',
};

export function reviewStates({ state, decision }: Pick<Review, 'state' | 'decision'>): Worded {
  if (state === 'open') return { word: 'To decide', tone: 'warn' };
  if (state === 'seconding') return { word: 'Needs a second person', tone: 'warn' };
  if (state === 'escalated') return { word: 'Escalated', tone: 'bad' };
  return decision === 'approve' ? { word: 'Approved', tone: 'good' } : { word: 'Rejected', tone: 'bad' };
}
