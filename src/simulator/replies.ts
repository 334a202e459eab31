/** The answers of the contract as the API writes them (`src/api/`): the envelopes of checks, jobs and refusals. */
import { CheckRefusal } from '../checks/check.ts';
import { ProviderFailure } from '../checks/provider.ts';
import { naira } from '../contract/fields.ts';
import { ApiError, errorCodes } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import type { Entity, Question } from './questions.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: object;
  /** If the answer holds a record: the question, its entity, and the same answer with another entity. */
  found?: { question: Question; entity: Entity; with(entity: Entity): object };
}

const meta = () => ({ request_id: showId('req', newId()) });

export function foundReply(question: Question, entity: Entity, latencyMs: number): Reply {
  const { check } = question;
  const body = {
    status: 'success',
    entity,
    billed_amount: naira(check.priceKobo),
    cached: false,
    meta: { ...meta(), service: check.service, latency_ms: latencyMs, ...(check.stage !== null && { stage: check.stage }) },
  };
  return { status: 200, headers: {}, body, found: { question, entity, with: (other) => ({ ...body, entity: other }) } };
}

export const resourceReply = (status: number, entity: object, headers: Record<string, string>): Reply => ({
  status,
  headers,
  body: { status: 'success', entity, meta: meta() },
});

export function refusalReply({ code, message, details, headers, extra }: ApiError): Reply {
  const body = { status: 'error', error: message, code, ...(details && { details }), ...extra, meta: meta() };
  return { status: errorCodes[code].status, headers, body };
}

/** The refusal for a call's error; rethrows errors that are not a vendor's answer. */
export function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CheckRefusal) return new ApiError(error.code, error.message);
  if (!(error instanceof ProviderFailure)) throw error;
  if (error.code === 'not_configured') return new ApiError('provider_not_configured', 'No provider is configured for this check');
  if (error.code === 'invalid') return new ApiError('invalid_request', 'The provider says that the identifier is malformed');
  if (error.code === 'rate_limited')
    return new ApiError('provider_unavailable', 'The provider accepts no more requests at the moment', {
      headers: retryAfter(Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)),
    });
  return new ApiError('provider_failed', 'The provider was asked and failed');
}

/** Null: the header is left out. */
export const retryAfter = (seconds: number | null): Record<string, string> => (seconds === null ? {} : { 'Retry-After': String(seconds) });

export const rateLimited = (seconds: number | null): ApiError =>
  new ApiError('rate_limited', 'The key has made too many requests', { headers: retryAfter(seconds) });
