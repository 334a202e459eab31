/** A person's own account: name, password, second factors, sessions. */
import type { z } from 'zod';
import type { listedSessionAnswer, passkeyAnswer, sessionAnswer } from '../contract/people.ts';
import { at } from './paths.ts';
import type { Transport } from './transport.ts';

export type ListedSession = z.infer<typeof listedSessionAnswer>;
export type Passkey = z.infer<typeof passkeyAnswer>;
type Session = z.infer<typeof sessionAnswer>;

const SESSION = 'api/v1/session';
const SESSIONS = 'api/v1/sessions';

export const accountCalls = ({ send }: Transport) => ({
  rename: (name: string) => send<Session>('PATCH', SESSION, { body: { name } }),
  /** `current`: the current password, if `current_password_required`. */
  setPassword: (password: string, current?: string) =>
    send<Session>('PUT', `${SESSION}/password`, { body: { password, ...(current !== undefined && { current_password: current }) } }),
  beginTotp: () => send<{ secret: string; uri: string }>('POST', `${SESSION}/totp`),
  confirmTotp: (code: string) => send<{ recovery_codes: string[] }>('POST', `${SESSION}/totp/confirm`, { body: { code } }),
  removeTotp: () => send<Session>('DELETE', `${SESSION}/totp`),
  newRecoveryCodes: () => send<{ recovery_codes: string[] }>('POST', `${SESSION}/recovery-codes`),
  passkeys: (signal?: AbortSignal) => send<{ data: Passkey[] }>('GET', `${SESSION}/passkeys`, { signal }),
  beginPasskey: () => send<{ options: unknown }>('POST', `${SESSION}/passkeys/options`),
  addPasskey: (name: string, passkey: unknown) => send<Passkey>('POST', `${SESSION}/passkeys`, { body: { name, passkey } }),
  removePasskey: (id: string) => send<Session>('DELETE', at(`${SESSION}/passkeys`, id)),
  sessions: (signal?: AbortSignal) => send<{ data: ListedSession[] }>('GET', SESSIONS, { signal }),
  endSession: (id: string) => send<unknown>('DELETE', at(SESSIONS, id)),
  endOtherSessions: () => send<unknown>('DELETE', SESSIONS),
});
