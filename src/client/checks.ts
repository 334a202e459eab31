/** Single calls, and the catalogue that says what each takes. */
import type { z } from 'zod';
import type { checkAnswer } from '../contract/checks.ts';
import type { Transport } from './transport.ts';

export type Check = z.infer<typeof checkAnswer>;
export type CheckInput = Check['inputs'][number];

/** The whole answer of a call: what was found, and what that took. */
export interface CallAnswer {
  entity: Record<string, unknown>;
  /** Naira. */
  billed_amount: number;
  cached: boolean;
  meta: { request_id: string; service: string; latency_ms: number; stage?: string };
}

export interface CallOptions {
  /** `refresh` looks up again even if the cache has an answer. */
  cache?: 'use' | 'refresh';
  consent?: { reference: string; purpose: string; obtained_at: string } | undefined;
  signal?: AbortSignal;
}

export const checkCalls = ({ send, open }: Transport) => ({
  all: (signal?: AbortSignal) => send<{ data: Check[] }>('GET', 'api/v1/checks', { signal }),
  async call(
    { method, path }: Pick<Check, 'method' | 'path'>,
    input: Readonly<Record<string, string>>,
    { cache, consent, signal }: CallOptions = {},
  ): Promise<CallAnswer> {
    const sent = { ...input, ...(cache && { cache }) };
    const headers: Record<string, string> = consent ? { Consent: asciiJson(consent) } : {};
    const response = await open(method, path, { headers, signal, ...(method === 'GET' ? { query: sent } : { body: sent }) });
    return (await response.json()) as CallAnswer;
  },
});

/** Headers take no other letters. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
