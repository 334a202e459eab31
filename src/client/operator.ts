/** For administrators: apps and their money, prices, vendors, lists, approvals of the deployment. */
import type { z } from 'zod';
import type { approvalAnswer } from '../contract/approvals.ts';
import type { appAnswer, appDeletionAnswer, appDeletionBody, appPatch } from '../contract/apps.ts';
import type { findingAnswer } from '../contract/doctor.ts';
import type { listAnswer, listVersionAnswer } from '../contract/lists.ts';
import type { agreementAnswer, priceBody, topUpBody } from '../contract/money.ts';
import type { adminInvitationBody } from '../contract/people.ts';
import type { providersAnswer } from '../contract/providers.ts';
import { at } from './paths.ts';
import type { Stated } from './purpose.ts';
import { keyOf, type OwnKey, type Page, type Query, type Transport } from './transport.ts';

export type App = z.infer<typeof appAnswer>;
export type AppDeletion = z.infer<typeof appDeletionAnswer>;
export type Agreement = z.infer<typeof agreementAnswer>;
export type Providers = z.infer<typeof providersAnswer>;
export type WatchList = z.infer<typeof listAnswer>;
export type ListVersion = z.infer<typeof listVersionAnswer>;
export type Finding = z.infer<typeof findingAnswer>;
export type AdminApproval = z.infer<typeof approvalAnswer>;

/** A change that a second administrator must approve is answered with the approval. */
export const waitsForApproval = (answer: unknown): answer is AdminApproval => (answer as { object?: string } | null)?.object === 'approval';

const ADMIN = 'api/v1/admin';
const APPS = `${ADMIN}/apps`;
const APPROVALS = `${ADMIN}/approvals`;

export const operatorCalls = ({ send, addressed }: Transport) => ({
  apps: (query: Query, signal?: AbortSignal) => send<Page<App>>('GET', APPS, { query, signal }),
  app: (id: string, signal?: AbortSignal) => send<App>('GET', at(APPS, id), { signal }),
  createApp: (name: string, options: OwnKey = {}) =>
    send<{ id: string; webhook_secret: string }>('POST', APPS, { body: { name }, headers: keyOf(options) }),
  /** Settings that are absent stay as they are; null restores the default. */
  changeApp: (id: string, settings: z.input<typeof appPatch>['settings']) =>
    send<Pick<App, 'id' | 'settings'>>('PATCH', at(APPS, id), { body: { settings } }),
  invite: (body: z.input<typeof adminInvitationBody>, options: OwnKey = {}) =>
    send<{ id: string; link: string }>('POST', `${ADMIN}/people`, { body, headers: keyOf(options) }),
  suspend: (id: string) => send<App>('POST', at(APPS, id, 'suspend')),
  resume: (id: string) => send<App>('POST', at(APPS, id, 'resume')),
  deleteApp: (id: string, body: z.input<typeof appDeletionBody>, options: OwnKey = {}) =>
    send<AppDeletion | AdminApproval>('POST', at(APPS, id, 'deletion'), { body, headers: keyOf(options) }),
  /** A file of JSON Lines, for a link: an app may hold more than fits into memory. */
  exportUrl: (id: string, { purpose }: Stated = {}) => addressed(at(APPS, id, 'export'), { purpose }).url,
  appDeletion: (id: string, signal?: AbortSignal) => send<AppDeletion>('GET', at(APPS, id, 'deletion'), { signal }),
  topUp: (id: string, body: z.input<typeof topUpBody>, options: OwnKey = {}) =>
    send<unknown>('POST', at(APPS, id, 'topups'), { body, headers: keyOf(options) }),
  agreements: (id: string, signal?: AbortSignal) => send<{ data: Agreement[] }>('GET', at(APPS, id, 'prices'), { signal }),
  agree: (id: string, body: z.input<typeof priceBody>, options: OwnKey = {}) =>
    send<unknown>('POST', at(APPS, id, 'prices'), { body, headers: keyOf(options) }),
  endAgreement: (id: string, price: string) => send<unknown>('DELETE', at(APPS, id, 'prices', price)),
  vendors: (signal?: AbortSignal) => send<Providers>('GET', `${ADMIN}/providers`, { signal }),
  pauseVendor: (name: string, minutes: number) => send<unknown>('POST', at(`${ADMIN}/providers`, name, 'pause'), { body: { minutes } }),
  resumeVendor: (name: string) => send<unknown>('POST', at(`${ADMIN}/providers`, name, 'resume')),
  doctor: (signal?: AbortSignal) => send<{ data: Finding[] }>('GET', `${ADMIN}/doctor`, { signal }),
  lists: (signal?: AbortSignal) => send<{ data: WatchList[] }>('GET', `${ADMIN}/lists`, { signal }),
  listVersions: (list: string, query: Query, signal?: AbortSignal) =>
    send<Page<ListVersion>>('GET', at(`${ADMIN}/lists`, list, 'versions'), { query, signal }),
  approvals: (query: Query, signal?: AbortSignal) => send<Page<AdminApproval>>('GET', APPROVALS, { query, signal }),
  approve: (id: string) => send<AdminApproval>('POST', at(APPROVALS, id, 'approve')),
  decline: (id: string, reason: string) => send<AdminApproval>('POST', at(APPROVALS, id, 'decline'), { body: { reason } }),
});
