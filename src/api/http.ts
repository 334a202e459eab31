/** What all resources share: the request id, the caller, the envelope, refusals, request bodies. */
import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { NewAuditEntry } from '../access/audit/append.ts';
import type { Client } from '../access/gate.ts';
import type { Claim } from '../access/idempotency.ts';
import type { Owner } from '../access/owner.ts';
import type { Session } from '../access/people/sessions.ts';
import type { SentPictures } from '../checks/sent-pictures.ts';
import type { Action, Purpose } from '../contract/audit.ts';
import type { KeyTerms } from '../contract/keys.ts';
import type { Scope } from '../contract/scopes.ts';
import { ApiError, type ErrorCode, type ErrorDetail, errorCodes } from '../foundation/errors.ts';
import { messageOf, parseWith, ruleOf } from '../foundation/validation.ts';
import { unknownOptions } from '../rows/likely-names.ts';
import { keepSpace, spaceFor } from './body-space.ts';
import { parseBody, parseJson } from './bounded-json.ts';
import type { BodyDigest, BodyHash } from './fingerprint.ts';
import type { Who } from './openapi/operation.ts';
import { PACE, Pace, type PaceLimits } from './pace.ts';
import { CountedBody, type Place } from './place.ts';

/** What a read is about, beyond what the key and the path say. `link`: the link used to read it. */
export type About = Partial<Pick<NewAuditEntry, 'appId' | 'live' | 'object' | 'subject' | 'detail'>> & {
  link?: string;
  /** Stated otherwise than in the header. */
  purpose?: Purpose;
};

/** What a route leaves in the audit. `read` is also for what is stored nowhere, such as a link. `none`: why it leaves nothing. */
export type Audited = { read: Action } | { change: Action } | { none: string };

export interface Variables {
  requestId: string;
  /** The route that answers, as it was declared (`Route`). */
  route?: {
    path: string;
    who: Who;
    scope?: Scope | undefined;
    reveals: boolean;
    keepsAnswer: boolean;
    isCall: boolean;
    audit: Audited | undefined;
    options: readonly string[] | null;
  };
  caller: Owner | null;
  /**
   * The last authorization of the caller. `since`: its time, by `performance.now()`. `lookAgain` repeats it: reads `caller` again, or throws the refusal.
   * `sending`: called as more of the body arrives.
   */
  standing?: { since: number; lookAgain(): Promise<void>; sending?(): void };
  /** Who sent a key that we know, whether it may do this or not. `appId` null: the operator. `terms`: what the key may do; a person has none. */
  signedIn?: { actor: Actor; appId: string | null; live: boolean | null; terms?: KeyTerms };
  /** Where the request came from. */
  address?: string;
  /** What the request reads, for the audit. Null: its answer shows no personal data. */
  about?: About | null;
  /** The session of a person who makes the request. */
  session?: Session;
  /** The token that replaces the session's; its cookie goes out with the answer. */
  newSessionToken?: string | null;
  /** The error code of a refusal. */
  refusedAs?: ErrorCode;
  /** Headers of the answer, whatever its status. */
  answerHeaders: Record<string, string>;
  /** The place that a request of an app takes while it is answered. */
  place?: Place;
  /** With an Idempotency-Key: hashes the body as it is read. */
  bodyHash?: BodyHash;
  /** With an Idempotency-Key, while the request is being handled. */
  claim?: Claim;
}

export type Http = HonoContext<{ Variables: Variables }>;
export type Middleware = MiddlewareHandler<{ Variables: Variables }>;

/** Node's side of the answer. */
export const outgoingOf = (c: Http): ServerResponse => (c.env as HttpBindings).outgoing as ServerResponse;

export const clientOf = (c: Http): Client => ({
  isGone: () => outgoingOf(c).destroyed,
  signal: () => c.req.raw.signal,
});

/** The success envelope of a resource (a check's envelope has three more members). */
export function envelope<Entity>(c: Http, entity: Entity, status: 200 | 201 | 202 = 200, headers: Record<string, string> = {}): Response {
  return c.json({ status: 'success', entity, meta: { request_id: c.get('requestId') } }, status, headers);
}

/** RFC 9110 wants one with every 401. The scheme is not registered, so no browser opens a dialogue for it. */
const CHALLENGE = { 'WWW-Authenticate': 'ApiKey' } as const;

export function refusal(c: Http, error: ApiError): Response {
  const { status } = errorCodes[error.code];
  c.set('refusedAs', error.code);
  const details = error.details ? { details: error.details } : {};
  return c.json(
    { status: 'error', error: error.message, code: error.code, ...details, ...error.extra, meta: { request_id: c.get('requestId') } },
    status,
    status === 401 ? { ...error.headers, ...CHALLENGE } : error.headers,
  );
}

/** The app of the key. Authentication sets it on every path that has an owner. */
export function callerOf(c: Http): Owner {
  const caller = c.get('caller');
  if (!caller) throw new Error('a path without authentication asked for its caller');
  return caller;
}

/** The session of the person. Authentication sets it on every path that only people use. */
export function sessionOf(c: Http): Session {
  const session = c.get('session');
  if (!session) throw new Error('a path without a session asked for it');
  return session;
}

/** Only uploads may be larger. */
const JSON_BYTES_MAX = 256 * 1024;
/** Limit for a body sent before sign-in. Such a body is not counted (`place.ts`), since there is no app to count it for. */
const VISITOR_BYTES_MAX = 16 * 1024;

const bytesMaxOf = (c: Http): number => (c.get('route')?.who === 'visitor' ? VISITOR_BYTES_MAX : JSON_BYTES_MAX);

/** The JSON body, parsed by `schema`. Refuses another content type, a larger body and malformed JSON, and names every wrong member. `sent`: takes its pictures. */
export async function jsonBody<S extends z.ZodType>(
  c: Http,
  schema: S,
  bytesMax: number = bytesMaxOf(c),
  tooLarge = payloadTooLarge,
  sent?: SentPictures,
): Promise<z.infer<S>> {
  if (mediaType(c) !== 'application/json') throw new ApiError('unsupported_media_type', 'Content-Type must be application/json');
  refuseCharset(c, UTF_8);
  const coding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity')
    throw new ApiError('unsupported_media_type', 'Content-Encoding is for uploads only: send this body uncompressed');
  const bytes = await wholeBody(c, bytesMax, tooLarge);
  try {
    return checked(schema, await parseBody(bytes, sent));
  } finally {
    keepSpace(bytes);
  }
}

/** The body, in memory. Waits until there is room for it, and counts until the request is answered. */
export async function wholeBody(c: Http, bytesMax: number, tooLarge = payloadTooLarge): Promise<Buffer> {
  const body = new CountedBody(c.get('place'));
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared <= bytesMax) await body.upTo(declared);
  // Filled as the body arrives: joining 30 MB at the end would block the event loop for 30 ms.
  const whole = declared > 0 && declared <= bytesMax ? spaceFor(declared) : null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(c, bytesMax, tooLarge)) {
    if (whole) whole.set(chunk, size);
    else chunks.push(chunk);
    size += chunk.byteLength;
    await body.arrived(size, bytesMax);
  }
  return whole?.subarray(0, size) ?? Buffer.concat(chunks);
}

const payloadTooLarge = (bytesMax: number): ApiError => new ApiError('payload_too_large', `The body is larger than ${bytesMax} bytes`);

/**
 * The body's chunks as they arrive. Throws `tooLarge`, `invalid_request` when the client is too slow or hangs up, and a refusal if it took longer than its sender was
 * allowed to send it. If the caller stops early, the rest is
 * still read and discarded: unread bytes would break the client's next request on the same connection.
 */
export async function* bodyChunks(
  c: Http,
  bytesMax: number,
  tooLarge = payloadTooLarge,
  limits: PaceLimits = PACE,
): AsyncGenerator<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const reader = c.req.raw.body?.getReader();
  const hash = c.get('bodyHash');
  hash?.begin();
  if (!reader) {
    hash?.end();
    return;
  }
  const pace = new Pace(limits);
  let size = 0;
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await pace.follow(reader.read());
      isWhole = done;
      if (done) {
        hash?.end();
        await refuseLapsed(c);
        return;
      }
      hash?.update(value);
      size += value.byteLength;
      if (size > bytesMax) throw tooLarge(bytesMax);
      c.get('standing')?.sending?.();
      yield value;
    }
  } finally {
    if (!isWhole) discard(reader, hash).catch((error: unknown) => hash?.fail(error));
  }
}

/** A revocation, a removal or a suspension takes effect within a second, even for a request whose body is still arriving slowly. */
async function refuseLapsed(c: Http): Promise<void> {
  const standing = c.get('standing');
  if (standing && performance.now() - standing.since > STANDING_MS) await standing.lookAgain();
}

const STANDING_MS = 1_000;

/** Reads until the body ends or the server cuts the connection, which happens soon after the answer. */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>, hash: BodyHash | undefined): Promise<void> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) hash?.update(read.value);
  hash?.end();
}

/** The digest of the whole body. If the handler takes no body (a batch's start, for example), it is read here. */
export async function hashedBody(c: Http): Promise<BodyDigest> {
  const hash = c.get('bodyHash')!;
  if (!hash.begun) for await (const _ of bodyChunks(c, bytesMaxOf(c)));
  return hash.whole;
}

/** `value` parsed by `schema`. Throws `invalid_request` naming every wrong member. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = parseWith(schema, value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap((issue) => detailsOf(schema, issue)));
}

/** `invalid_request` whose message is composed of its details. */
export function invalid(details: ErrorDetail[]): ApiError {
  const sentences = details.map(({ path, message }) =>
    path === '' && message.startsWith('must ') ? `The body ${message}` : `${path} ${message}`.trim(),
  );
  return new ApiError('invalid_request', sentences.join('; ').slice(0, 1000), { details: details.slice(0, 100) });
}

function detailsOf(schema: z.ZodType, issue: z.core.$ZodIssue): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') return unknownOptions(issue.keys, membersAt(schema, issue.path), issue.path);
  return [{ path: issue.path.join('.'), message: messageOf(issue), rule: ruleOf(issue) }];
}

/** The members that a schema knows at a path within it. */
function membersAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  type Members = { properties?: Record<string, Members> };
  let at: Members | undefined = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Members;
  for (const step of path) at = at?.properties?.[String(step)];
  return Object.keys(at?.properties ?? {});
}

/** For paths without options. An empty body or `{}` is accepted; anything else was meant to have an effect and is refused. */
export async function refuseBody(c: Http): Promise<void> {
  const body = await wholeBody(c, bytesMaxOf(c));
  if (body.length > 0) checked(z.strictObject({}), parseJson('', body));
}

export const hasBody = (c: Http): boolean =>
  Number(c.req.header('content-length') ?? 0) > 0 || c.req.header('transfer-encoding') !== undefined;

/** ASCII is part of UTF-8. */
export const UTF_8: readonly string[] = ['utf-8', 'utf8', 'us-ascii'];

/** Refuses a `charset` of the Content-Type that names none of these encodings. Without one, the body itself must be in one of them. */
export function refuseCharset(c: Http, encodings: readonly string[]): void {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(c.req.header('content-type') ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && !encodings.includes(charset))
    throw new ApiError('unsupported_media_type', `charset in the Content-Type must be one of ${encodings.join(', ')}; UTF-8 needs none`);
}

export const mediaType = (c: Http): string => (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
