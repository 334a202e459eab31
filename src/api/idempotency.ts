/**
 * `Idempotency-Key` on POST: the first request with a key is carried out; a repetition gets the first one's answer. A refusal is not kept, so its key is free
 * for the corrected request. The reasons are in docs/decisions/0007-idempotency.md.
 */
import type { Next } from 'hono';
import { type Claimed, claimKey } from '../access/idempotency.ts';
import { UNRESTRICTED } from '../access/keys.ts';
import type { AppMode } from '../access/owner.ts';
import { excesses } from '../access/restrictions.ts';
import type { Action } from '../contract/audit.ts';
import { type KeyLimits, memberOf } from '../contract/keys.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { ApiError, retryAfter } from '../foundation/errors.ts';
import { showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import { aboutRead, recorded } from './audited.ts';
import { rememberAddress } from './client-address.ts';
import { expectedBody, fingerprint, openBodyHash } from './fingerprint.ts';
import { bodyChunks, type Http, hashedBody } from './http.ts';

const KEPT_HEADERS = ['Content-Type', 'Location', 'Retry-After'];
const IN_PROGRESS_RETRY_SECONDS = 2;

/** Runs between authentication and the handler. `scope`: whose keys they are. People have keys of their own, because an answer may be for one of them only. */
export async function idempotent(service: Service, c: Http, scope: AppMode, next: Next): Promise<void> {
  const key = c.req.header('idempotency-key');
  if (c.req.method !== 'POST' || key === undefined || c.get('route')?.keepsAnswer === false) return next();
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    const message = 'must be 1 to 255 printable ASCII characters';
    throw new ApiError('invalid_request', `Idempotency-Key ${message}`, {
      details: [{ path: 'Idempotency-Key', message, rule: 'invalid_format' }],
    });
  }
  c.set('bodyHash', openBodyHash(c.req.header('content-type') ?? ''));
  const actor = c.get('signedIn')?.actor;
  // A line break, which no key has: no key of the app is a key of a person.
  const claimed = await claimKey(service, { ...scope, key: actor?.kind === 'person' ? `${actor.id}\n${key}` : key });
  if (claimed.state === 'in_progress') throw inProgress();
  if (claimed.state === 'answered') {
    rememberAddress(c, service.config);
    const answer = await replay(c, claimed);
    aboutRead(c, { object: madeBy(claimed, c.get('route')?.isCall ?? false) });
    c.res = await recorded(c, service, 'answer.read', answer);
    return;
  }
  const { claim } = claimed;
  c.set('claim', claim);
  try {
    await next();
    await conclude(service, c).catch((error: unknown) =>
      service.log.error({ request: c.get('requestId'), err: error }, 'could neither keep nor release an idempotency key'),
    );
  } finally {
    claim.stop();
  }
}

/** Keeps the answer if the handler has not, and frees the key of a refused request. */
async function conclude(ctx: Context, c: Http): Promise<void> {
  const claim = c.get('claim')!;
  if (!c.res.ok) return claim.release();
  if (!claim.kept) await keepAnswer(c, ctx.sql, c.res.clone());
}

/**
 * Keeps `answer` in the transaction that makes it true; does nothing without an Idempotency-Key. Call it last in the transaction, after the body was read, so
 * that nobody waits long for the key's row. Throws if another request has taken the key over.
 */
export async function keepAnswer(c: Http, sql: Sql | Tx, answer: Response): Promise<void> {
  const claim = c.get('claim');
  if (!claim) return;
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const kept = await claim.keep(sql, {
    fingerprint: fingerprint(claim.sign, c.req.raw, await hashedBody(c)),
    terms: limitsOf(c),
    status: answer.status,
    headers: Object.fromEntries(headers),
    body: await answer.text(),
  });
  if (!kept) throw inProgress();
}

/** What the key may do; null if it may do everything, or no key is involved. */
function limitsOf(c: Http): KeyLimits | null {
  // An admin key has no app, and so is no caller.
  const terms = c.get('caller')?.terms ?? c.get('signedIn')?.terms;
  if (!terms || excesses(terms, UNRESTRICTED).length === 0) return null;
  const { name: _, ...limits } = terms;
  return limits;
}

/** Requests whose answers give away what the key may do: new keys, invitations, links to sign in with. */
const GIVING: ReadonlySet<Action> = new Set<Action>(['key.create', 'key.rotate', 'person.invite', 'person.link']);

/**
 * Refuses a key that would have been refused by itself, which only the handler would have found out: it may not run all checks that the first key could, or would get
 * a key or an invitation that it could not make. The scope of the route is already checked.
 */
function refuseNarrower(c: Http, first: KeyLimits | null): void {
  const own = limitsOf(c);
  if (own === null) return;
  const audit = c.get('route')?.audit;
  const isGiving = audit !== undefined && 'change' in audit && GIVING.has(audit.change);
  const beyond = excesses(own, first ?? UNRESTRICTED).filter((name) => isGiving || name === 'checks');
  if (beyond.length === 0) return;
  const members = beyond.map((name) => memberOf[name]).join(', ');
  throw new ApiError('forbidden', `This Idempotency-Key was used by a key that may do more than this one: ${members}`, {
    details: [{ path: 'Idempotency-Key', message: members, rule: 'exceeds_own' }],
  });
}

/** The kept answer, once the whole request has turned out to be the same. Stops reading the body as soon as it is longer than the first one. */
async function replay(c: Http, { answer: kept, signs }: Extract<Claimed, { state: 'answered' }>): Promise<Response> {
  const expected = expectedBody(signs, c.req.raw, kept.fingerprint);
  if (!expected) throw mismatch();
  const hash = c.get('bodyHash')!;
  for await (const _ of bodyChunks(c, Number.POSITIVE_INFINITY)) if (hash.size > expected.size) throw mismatch();
  const { digest } = await hash.whole;
  if (!expected.isSame(digest)) throw mismatch();
  refuseNarrower(c, kept.terms);
  return new Response(kept.body, { status: kept.status, headers: { ...kept.headers, 'Idempotency-Replayed': 'true' } });
}

/** The id of what the first request made; null if nothing has one. */
function madeBy({ answer, call }: Extract<Claimed, { state: 'answered' }>, isCall: boolean): string | null {
  if (isCall) return call && showId('job', call);
  return answer.headers.Location?.split('/').at(-1) ?? null;
}

const inProgress = () =>
  new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is in progress; repeat it to get its answer', {
    headers: retryAfter(IN_PROGRESS_RETRY_SECONDS),
  });

const mismatch = () =>
  new ApiError('idempotency_mismatch', 'This Idempotency-Key was used for another request; use a new key for a new request');
