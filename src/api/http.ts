/** What all resources share: the request id, who is calling, the envelope, the refusal, bodies. */
import type { Context as HonoContext } from 'hono';
import type { z } from 'zod';
import type { Owner } from '../batch.ts';
import { ApiError, errorCodes } from '../errors.ts';

export interface Variables {
  requestId: string;
  started: number;
  caller: Owner | null;
}

export type Http = HonoContext<{ Variables: Variables }>;

/** The success envelope of a resource (a check's own has three members more). */
export function envelope(c: Http, entity: unknown, status: 200 | 201 | 202 = 200, headers: Record<string, string> = {}): Response {
  return c.json({ status: 'success', entity, meta: { request_id: c.get('requestId') } }, status, headers);
}

export function refusal(c: Http, error: ApiError): Response {
  const { status } = errorCodes[error.code];
  const details = error.details ? { details: error.details } : {};
  return c.json(
    { status: 'error', error: error.message, code: error.code, ...details, ...error.extra, meta: { request_id: c.get('requestId') } },
    status,
    error.headers,
  );
}

/** The key's app. Set by the authentication of every path that has an owner. */
export function callerOf(c: Http): Owner {
  const caller = c.get('caller');
  if (!caller) throw new Error('a path without authentication asked for its caller');
  return caller;
}

/** Bodies that are not uploads are small. */
const JSON_BYTES_MAX = 256 * 1024;

/** The JSON body by its schema; refuses another content type, a larger body, malformed JSON, and names every wrong member. */
export async function jsonBody<S extends z.ZodType>(c: Http, schema: S): Promise<z.infer<S>> {
  if (mediaType(c) !== 'application/json') throw new ApiError('unsupported_media_type', 'Content-Type must be application/json');
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > JSON_BYTES_MAX) throw new ApiError('payload_too_large', `The body is larger than ${JSON_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new ApiError('invalid_request', 'The body is not valid JSON', {
      details: [{ path: '', message: 'is not valid JSON', rule: 'bad_json' }],
    });
  }
  return checked(schema, value);
}

/** `value` by `schema`, or `invalid_request` naming every member that is wrong. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message, rule: issue.code as string }));
  throw new ApiError(
    'invalid_request',
    details
      .map((d) => `${d.path} ${d.message}`.trim())
      .join('; ')
      .slice(0, 1000),
    { details: details.slice(0, 100) },
  );
}

export const mediaType = (c: Http): string => (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
