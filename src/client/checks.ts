/** Single calls, and the catalogue that says what each takes. */
import type { z } from 'zod';
import type { checkAnswer } from '../contract/checks.ts';
import type { consent } from '../contract/own-fields.ts';
import { type CheckId, type Checks, catalogue } from './catalogue.ts';
import type { Query, Transport } from './transport.ts';

export type Check = z.infer<typeof checkAnswer>;
export type CheckInput = Check['inputs'][number];

/** The whole answer of a call: what was found, and what that took. */
export interface CallAnswer<Entity = Record<string, unknown>> {
  entity: Entity;
  /** Naira. */
  billed_amount: number;
  cached: boolean;
  meta: { request_id: string; service: string; latency_ms: number; stage?: string };
}

export interface CallOptions {
  /** `refresh` looks up again even if the cache has an answer. */
  cache?: 'use' | 'refresh';
  consent?: z.input<typeof consent> | undefined;
  signal?: AbortSignal;
}

/** Calls a check by its id; throws `Refused` with `record_not_found` if the registry has no such subject. */
export type CheckCall<Id extends CheckId> = (
  input: Checks[Id]['input'],
  options?: CallOptions,
) => Promise<CallAnswer<Checks[Id]['entity']>>;

/** `client.nin.advance`, and so on for every check. */
export type CheckCalls = {
  [F in keyof typeof catalogue]: { [N in keyof (typeof catalogue)[F]]: CheckCall<IdOf<(typeof catalogue)[F][N]>> };
};
type IdOf<Entry> = Entry extends { id: infer Id extends CheckId } ? Id : never;

export const checkCalls = ({ send, read }: Transport) => ({
  all: (signal?: AbortSignal) => send<{ data: Check[] }>('GET', 'api/v1/checks', { signal }),
  call({ method, path }: Pick<Check, 'method' | 'path'>, input: Readonly<Record<string, unknown>>, options: CallOptions = {}) {
    const { cache, consent, signal } = options;
    const sent = { ...input, ...(cache && { cache }) };
    const headers: Record<string, string> = consent ? { Consent: asciiJson(consent) } : {};
    const isQuery = method === 'GET';
    return read<CallAnswer>(method, path, {
      headers,
      signal,
      isCharged: isQuery,
      ...(isQuery ? { query: sent as Query } : { body: sent }),
    });
  },
});

/** Every check of the catalogue by its family and name. */
export function familyCalls(call: ReturnType<typeof checkCalls>['call']): CheckCalls {
  const families = Object.entries(catalogue).map(([family, members]) => {
    const calls = Object.entries(members as Record<string, Pick<Check, 'method' | 'path'>>).map(([name, check]) => [
      name,
      (input: Readonly<Record<string, unknown>>, options?: CallOptions) => call(check, input, options),
    ]);
    return [family, Object.fromEntries(calls)];
  });
  return Object.fromEntries(families) as CheckCalls;
}

/** Headers take no other letters. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
