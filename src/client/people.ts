/** The people of the app, and what needs a second person: settings and approvals. */
import type { z } from 'zod';
import type { approvalAnswer, approvalsQuery, settingsAnswer, settingsPatch } from '../contract/approvals.ts';
import type { invitationBody, memberAnswer } from '../contract/people.ts';
import type { retentionAnswer, retentionPatch } from '../contract/retention.ts';
import { at } from './paths.ts';
import { keyOf, type OwnKey, type Page, type Query, type Transport } from './transport.ts';

export type Member = z.infer<typeof memberAnswer>;
export type Role = Member['role'];
export type Approval = z.infer<typeof approvalAnswer>;
export type Settings = z.infer<typeof settingsAnswer>;
export type Kept = z.infer<typeof retentionAnswer>['data'][number];
export type SettingsPatch = z.input<typeof settingsPatch>;

/** The file in an answer, or the approval that is needed first. */
export const fileOrApproval = async (answer: Response): Promise<Blob | Approval> =>
  answer.status === 202 ? ((await answer.json()) as { entity: Approval }).entity : answer.blob();

const PEOPLE = 'api/v1/people';
const APPROVALS = 'api/v1/approvals';
const SETTINGS = 'api/v1/settings';
const RETENTION = 'api/v1/retention';

export const peopleCalls = ({ send }: Transport) => ({
  list: (signal?: AbortSignal) => send<{ data: Member[] }>('GET', PEOPLE, { signal }),
  invite: (body: z.input<typeof invitationBody>, options: OwnKey = {}) =>
    send<{ id: string; link: string }>('POST', PEOPLE, { body, headers: keyOf(options) }),
  changeRole: (id: string, role: Role) => send<Member>('PATCH', at(PEOPLE, id), { body: { role } }),
  remove: (id: string) => send<unknown>('DELETE', at(PEOPLE, id)),
});

export const approvalCalls = ({ send }: Transport) => ({
  page: (query: Query & z.input<typeof approvalsQuery>, signal?: AbortSignal) => send<Page<Approval>>('GET', APPROVALS, { query, signal }),
  approve: (id: string) => send<Approval>('POST', at(APPROVALS, id, 'approve')),
  decline: (id: string, reason: string) => send<Approval>('POST', at(APPROVALS, id, 'decline'), { body: { reason } }),
});

export const settingsCalls = ({ send }: Transport) => ({
  read: (signal?: AbortSignal) => send<Settings>('GET', SETTINGS, { signal }),
  /** How many days data is kept, by kind and mode. */
  retention: (signal?: AbortSignal) => send<{ data: Kept[] }>('GET', RETENTION, { signal }),
  changeRetention: (body: z.input<typeof retentionPatch>) => send<{ data: Kept[] }>('PATCH', RETENTION, { body }),
  /** An approval: the change waits for a second person. */
  change: (body: SettingsPatch) => send<Settings | Approval>('PATCH', SETTINGS, { body }),
});
