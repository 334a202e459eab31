/**
 * Every call of the API, for the console and for the command line; `confam.ts` is what other programs get. Types come from `src/contract/`, so that a change of an
 * answer is a compiler's error here. It knows nothing of the server and has no dependency. Each resource's calls are one object.
 */
import type { z } from 'zod';
import type { overviewAnswer } from '../contract/overview.ts';
import type { invitationAnswer, sessionAnswer, signInBody } from '../contract/people.ts';
import { accountCalls } from './account.ts';
import { amlCalls } from './aml.ts';
import { auditCalls } from './audit.ts';
import { batchCalls } from './batches.ts';
import { checkCalls } from './checks.ts';
import { consentCalls } from './consents.ts';
import { jobCalls } from './jobs.ts';
import { keyCalls } from './keys.ts';
import { linkCalls } from './links.ts';
import { moneyCalls } from './money.ts';
import { operatorCalls } from './operator.ts';
import { approvalCalls, peopleCalls, settingsCalls } from './people.ts';
import { requestCalls } from './requests.ts';
import { reviewCalls } from './reviews.ts';
import { subjectCalls } from './subjects.ts';
import { openTransport, type Transport, type TransportOptions } from './transport.ts';
import { webhookCalls } from './webhooks.ts';

export type {
  Batch,
  BatchDetail,
  BatchFailure,
  BatchProgress,
  BatchStatus,
  InvalidRow,
  Preview,
  Quote,
  RowPage,
  StatusChange,
  Timeline,
} from './batches.ts';
export type { Job, Lookup } from './jobs.ts';
export type Overview = z.infer<typeof overviewAnswer>;
export type Session = z.infer<typeof sessionAnswer>;
export type Invitation = z.infer<typeof invitationAnswer>;

export type Client = ReturnType<typeof openClient>;

export function openClient(options: TransportOptions) {
  const transport = openTransport(options);
  return {
    transport,
    session: sessionCalls(transport),
    account: accountCalls(transport),
    people: peopleCalls(transport),
    keys: keyCalls(transport),
    approvals: approvalCalls(transport),
    settings: settingsCalls(transport),
    reviews: reviewCalls(transport),
    audit: auditCalls(transport),
    aml: amlCalls(transport),
    links: linkCalls(transport),
    batches: batchCalls(transport),
    jobs: jobCalls(transport),
    overview: (signal?: AbortSignal) => transport.send<Overview>('GET', 'api/v1/overview', { signal }),
    checks: checkCalls(transport),
    money: moneyCalls(transport),
    requests: requestCalls(transport),
    subjects: subjectCalls(transport),
    consents: consentCalls(transport),
    operator: operatorCalls(transport),
    webhooks: webhookCalls(transport),
  };
}

const SESSION = 'api/v1/session';

const sessionCalls = ({ send }: Transport) => ({
  read: (signal?: AbortSignal) => send<Session>('GET', SESSION, { signal }),
  signIn: (body: z.input<typeof signInBody>) => send<Session>('POST', SESSION, { body }),
  useLink: (body: { token: string; password?: string; name?: string; code?: string; recovery_code?: string }) =>
    send<Session>('POST', `${SESSION}/link`, { body }),
  readInvitation: (token: string) => send<Invitation>('POST', `${SESSION}/invitation`, { body: { token } }),
  challengePasskey: () => send<{ options: unknown }>('POST', `${SESSION}/passkey`),
  beginOidc: (body: { token?: string }) => send<{ url: string }>('POST', `${SESSION}/oidc`, { body }),
  signOut: () => send<unknown>('DELETE', SESSION),
});
