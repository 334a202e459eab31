/** The audit as clients see it: which actions there are, its query, its entries. Every word here is fixed, so that an entry can hold no personal data. */
import { z } from 'zod';
import { instant, text } from './fields.ts';
import { dayOrTime, page } from './queries.ts';

/** Every action with its meaning, as `docs/audit.md` lists them. */
export const actions = {
  'app.create': 'an app was created',
  'app.settings': 'settings of an app were changed',
  'app.suspend': 'an app was suspended',
  'app.resume': 'a suspended app was resumed',
  'app.export': 'everything that an app holds was read as a file',
  'app.delete': 'an app was deleted, and its data keys were destroyed',
  'provider.pause': 'a provider was paused by hand',
  'provider.resume': 'the pause of a provider was lifted',
  'app.prices': 'prices were agreed with an app, or an agreement was ended',
  'key.create': 'an API key was created',
  'key.change': 'the terms of a key were changed: scopes, checks, networks, expiry, daily cap',
  'key.rotate': 'a key was replaced by a new one, with an overlap',
  'key.revoke': 'an API key was revoked',
  'encryption.rotate': 'a rotation of the encryption keys was begun (`confam keys rotate`)',
  'encryption.index': 'carrying stored hashes on to the current index key was begun (`confam keys index`)',
  'wallet.topup': 'money was added to a wallet',
  'wallet.refund': 'what was left in a wallet was paid back, because the app was deleted',
  'wallet.writeoff': 'what was left in a wallet was written off, because the app was deleted',
  'session.begin': 'somebody signed in, or failed to: then the outcome is `refused`',
  'session.end': 'somebody signed out, or ended sessions of their own',
  'person.invite': 'somebody was invited, with a role or as an administrator',
  'person.accept': 'somebody accepted an invitation',
  'person.role': 'somebody’s role was changed',
  'person.remove': 'somebody was removed, or an invitation withdrawn',
  'person.disable': 'somebody was disabled, which ends their sessions',
  'person.enable': 'somebody was enabled again',
  'person.link': 'a link to sign in with was made for somebody',
  'person.change': 'somebody changed their name, password or second factors, or the operator removed those factors',
  'people.read': 'the people of an app, or of the deployment, were listed',
  'webhook.create': 'a webhook endpoint was created',
  'webhook.update': 'a webhook endpoint was changed',
  'webhook.delete': 'a webhook endpoint was deleted',
  'webhook.rotate': 'the secret of a webhook endpoint was replaced',
  'webhook.resend': 'deliveries of events were sent again',
  'approval.ask': 'something was asked for that a second person must approve',
  'approval.approve': 'it was approved, and carried out unless its target had changed or whoever asked may no longer ask for it',
  'approval.decline': 'it was declined',
  'approval.void': 'what waited for approval no longer can be done: its batch was canceled, started otherwise, or its deadline passed',
  'approval.expire': 'nobody decided in time',
  'mapping.save': 'a mapping of columns was saved by itself; one that an upload used is saved with it',
  'mapping.delete': 'a saved mapping of columns was deleted',
  'batch.submit': 'rows were submitted as a batch',
  'batch.control': 'a batch was started, paused, resumed, canceled or retried',
  'batch.delete': 'a batch was deleted',
  'batch.hold': 'a batch was put under a legal hold',
  'batch.release': 'the legal hold of a batch was lifted',
  'job.delete': 'a job was deleted',
  'subject.erase': 'the erasure of a person was asked for',
  'subject.export': 'everything held on a person was asked for',
  'subject.hold': 'a person was put under a legal hold',
  'subject.release': 'the legal hold of a person was lifted',
  'subject.places': 'the list of where a person was found was read',
  'subject.read': 'the file of everything held on a person was read',
  'references.read': 'references or metadata were listed: of single jobs, rows or review cases, without results',
  'reasons.read': 'reasons were read: of approvals, legal holds of people, or for seeing a job in clear',
  'job.read': 'a job that is over was read, with its result if it has one',
  'job.reveal': 'a person saw a job in clear, with what was submitted',
  'answer.read': 'a request was repeated with its `Idempotency-Key`, and its kept answer was read',
  'image.read': 'a picture of a job was read',
  'report.read': 'the report of a screening was read',
  'results.read': 'results were read, as a page or a file of a batch, or to be sent again by webhook',
  'errors.read': 'the file of a batch’s rows to correct was read',
  'link.create': 'a signed link to a file of a batch was created',
  'link.revoke': 'a signed link was revoked',
  'link.read': 'a file of a batch was read through a signed link',
  'clearance.create': 'a hit was cleared',
  'clearance.revoke': 'a clearance was revoked',
  'clearance.read': 'clearances were listed',
  'monitor.read': 'monitors were read',
  'monitor.end': 'the monitoring of a person was ended',
  'review.read': 'a review case was read with its notes',
  'review.assign': 'a review case was assigned',
  'review.comment': 'a comment was written on a review case',
  'review.decide': 'a review case was approved, rejected or escalated',
  'consent.withdraw': 'the consents under a reference were withdrawn',
  'portrait.enrol': 'a portrait was enrolled in the sandbox',
  'portrait.remove': 'a portrait was removed from the sandbox',
  'portrait.read': 'details of enrolled portraits were read',
  'backup.write': 'everything in the database was written to a backup',
  'backup.restore': 'everything in the database was restored from a backup; what was recorded after the backup is not in this audit',
  'list.update': 'a version of a watch list came into force',
  'audit.read': 'the audit was read, or copied out from the command line',
  'audit.retire': 'a month of the audit was checked, and may be dropped (`confam audit retire`)',
  'audit.unrecorded': 'more attempts were refused within a minute than are recorded one by one',
} as const;

export type Action = keyof typeof actions;

/** What a read may be for. */
export const PURPOSES = [
  'onboarding',
  'review',
  'screening',
  'support',
  'complaint',
  'fraud',
  'legal',
  'audit',
  'subject_request',
] as const;

export type Purpose = (typeof PURPOSES)[number];

export const auditPurpose = z.enum(PURPOSES, `must be one of ${PURPOSES.join(', ')}`);

const OUTCOMES = ['allowed', 'refused'] as const;
const ACTOR_KINDS = ['key', 'person', 'operator', 'link', 'anonymous', 'system'] as const;

export const auditQuery = z.object({
  ...page,
  format: z.enum(['json', 'csv'], 'must be json or csv').default('json'),
  since: dayOrTime,
  until: dayOrTime,
  action: z.enum(Object.keys(actions) as [Action, ...Action[]], 'must be an action of docs/audit.md').optional(),
  actor: z.string().max(100).optional().describe('Id of an actor, such as key_…'),
  object: z.string().max(100).optional().describe('Id of what was read or changed, such as job_…'),
  outcome: z.enum(OUTCOMES, 'must be allowed or refused').optional(),
  purpose: auditPurpose.optional(),
});

export type AuditQuery = z.infer<typeof auditQuery>;

/** For the operator, whose audit covers every app. */
export const adminAuditQuery = auditQuery.extend({ app: z.string().optional().describe('app_…, or `deployment`') });

export const auditAnswer = z.object({
  object: z.literal('audit_entry'),
  app: text.nullable().describe('app_…; null for the deployment'),
  seq: z.int().describe('Counts the app’s entries from 1 without gaps'),
  at: instant.describe('Microseconds, as they are hashed'),
  live: z.boolean().nullable(),
  actor: z.object({ kind: z.enum(ACTOR_KINDS), id: text }),
  address: text.nullable(),
  action: z.enum(Object.keys(actions) as [Action, ...Action[]]),
  target: text.nullable().describe('Id of what was read or changed'),
  subject: text.nullable().describe('Keyed hash of the person or company, in hex'),
  purpose: z.enum(PURPOSES).nullable(),
  request_id: text.nullable(),
  outcome: z.enum(OUTCOMES),
  code: text.nullable().describe('Error code of a refusal'),
  detail: z.record(z.string(), z.unknown()).nullable(),
  previous: text.describe('Hash of the entry before it, in hex'),
  hash: text,
});
