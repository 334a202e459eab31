/** A single call: verified while the client waits. Its price is held before a provider is asked, and released if there is no answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseWithdrawn, refuseWithoutConsent } from '../access/consents.ts';
import type { Client } from '../access/gate.ts';
import type { Claim } from '../access/idempotency.ts';
import { type Attempt, isMismatch } from '../access/misses.ts';
import type { Owner, Price } from '../access/owner.ts';
import { refuseCheck } from '../access/restrictions.ts';
import { type Check, CheckRefusal, isFlagged } from '../checks/check.ts';
import { type Failure, failureOf } from '../checks/failures.ts';
import { imageInputs } from '../checks/inputs.ts';
import { codeOfProblems, readInput, sentence } from '../checks/read-input.ts';
import type { SentPictures } from '../checks/sent-pictures.ts';
import { callOptions } from '../contract/jobs.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError, ClientGone, retryAfter } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import { capExceeded, hasLimits, holderOf, insufficientFunds } from '../money/caps.ts';
import { chargeOf, priceOf } from '../money/prices.ts';
import { ROW_BYTES } from '../money/usage.ts';
import { refuseUnserved } from '../providers/availability.ts';
import type { VendorLookup } from '../providers/guarded-provider.ts';
import { reviewOf } from '../reviews/rules.ts';
import { fieldLabel } from '../rows/column-names.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { Consent } from '../schema/jobs.ts';
import { type Charged, endEarlierCall } from './earlier-call.ts';
import type { Service } from './service.ts';
import type { CallSettlement } from './settle-calls.ts';
import { requestOwner, type Verdict, type VerifyRequest } from './verify.ts';

export interface CallAnswer {
  entity: Record<string, unknown>;
  billedKobo: number;
  cached: boolean;
  latencyMs: number;
}

/** If the cache answers more than this share of an app's calls, a call holds its price only after the cache has missed. */
const HIT_SHARE_MAX = 0.5;
/** Attempts before a call gives up. It never waits longer than CONFAM_SYNC_WAIT_MS in between. */
const TRIES = 2;

/** A check's input → the client's name for it, where the two differ. */
export type Names = Record<string, string>;

export interface CallOptions {
  names?: Names | undefined;
  cacheMode?: 'use' | 'refresh';
  consent?: Consent | undefined;
  /** The waiting client: no provider is asked for a client that has gone. */
  client?: Client | undefined;
  /** Pictures that the inputs only name. */
  sentPictures?: SentPictures | undefined;
  /** The claim of the request's `Idempotency-Key`. */
  claim?: Claim | undefined;
}

/** Throws `ApiError` for invalid input, no funds, no record, and a provider that failed or is unavailable. Only an answer is charged. */
export const answerCall = (
  service: Service,
  owner: Owner,
  check: Check,
  raw: Record<string, unknown>,
  options: CallOptions = {},
): Promise<CallAnswer> => service.yielding.call(() => answer(service, owner, check, raw, options));

/** One call, from its first question to its answer. */
interface Call {
  service: Service;
  owner: Owner;
  check: Check;
  input: Record<string, string | undefined>;
  names: Names;
  id: string;
  /** By `performance.now()`. */
  started: number;
  price: Price;
  hold: CallHold;
  /** An earlier attempt was charged: this one is free. */
  charged: Charged | null;
  /** Every question put to a vendor. */
  trail: VendorLookup[];
  consent: Consent | undefined;
  question: Attempt;
  claim: Claim | undefined;
}

async function answer(
  service: Service,
  owner: Owner,
  check: Check,
  raw: Record<string, unknown>,
  { names = {}, cacheMode = 'use', consent, client, sentPictures, claim }: CallOptions,
): Promise<CallAnswer> {
  const started = performance.now();
  refuseCheck(owner.terms, check.id);
  refuseWithoutConsent(owner, consent);
  await refuseWithdrawn(service, owner, consent);
  const input = readCallInput(check, raw, names, service.router.watchLists(owner.live));
  refuseUnserved(service.router, check, owner.live);
  // A call stores little, but a monitor stays.
  if (input.monitor === 'true') await service.storageQuota.refuseBeyond(service.sql, owner, ROW_BYTES);
  const { id, price, charged } = await openAccount(service, owner, check, input, claim);
  const question = service.misses.begin(owner, check, input, 'call');
  const hold = new CallHold(service, owner, id);
  const call: Call = { service, owner, check, input, names, id, started, price, hold, charged, trail: [], consent, question, claim };
  // Where the cache rarely answers, the hold is taken while the cache is read: a call that asks a vendor saves a round trip. A cached answer
  // is then captured from that hold. Owners with caps or a low-balance alert wait, so that nobody is alerted about money that was not needed.
  // A refusal is seen by whoever takes the hold again: `beforeProvider`.
  if (service.hitShares.of(owner.appId) < HIT_SHARE_MAX && !hasLimits(owner)) hold.take(price.priceKobo).catch(() => {});
  const request: VerifyRequest = {
    check,
    owner: requestOwner(owner),
    input,
    cacheMode,
    priority: 'call',
    waitMaxMs: service.config.CONFAM_SYNC_WAIT_MS,
    askUntil: started + service.config.CONFAM_CALL_QUEUE_MS,
    client,
    sentPictures,
    reference: id,
    storesEntity: false,
    beforeProvider: () => hold.take(price.priceKobo),
    beforeAsking: () => service.suspensions.refuse(owner.appId),
    trail: call.trail,
  };
  return ask(call, request, 1).finally(question.end);
}

/** The id that the call is charged under, and its price: 0 if an earlier attempt with the same `Idempotency-Key` was charged. */
async function openAccount(
  service: Service,
  owner: Owner,
  check: Check,
  input: Call['input'],
  claim: Claim | undefined,
): Promise<Pick<Call, 'id' | 'price' | 'charged'>> {
  const price = priceOf(owner, check);
  if (!claim?.earlier) return { id: claim?.id ?? newId(), price, charged: null };
  const charged = await endEarlierCall(service, claim, claim.earlier, { ...callerOf(service, owner, check, input), ...price });
  return charged ? { id: newId(), price: { priceKobo: 0, cachedPriceKobo: 0 }, charged } : { id: claim.id, price, charged };
}

/** Verifies and stores; asks again while that may help and the client still waits. */
async function ask(call: Call, request: VerifyRequest, attempt: number): Promise<CallAnswer> {
  const { service, hold, started } = call;
  try {
    return await service.verify(request, (verdict) => store(call, verdict));
  } catch (error) {
    if (error instanceof ApiError) {
      // Suspended while it waited: the hold is released.
      if (error.code === 'app_suspended' && hold.isHeld()) await settle(call, { status: 'failed', errorCode: error.code });
      throw error;
    }
    if (error instanceof ClientGone) {
      await hold.ended()?.catch(() => {});
      if (hold.isHeld()) await settle(call, { status: 'failed', errorCode: 'client_gone' });
      throw error;
    }
    if (isDatabaseFault(error)) {
      // The charge may have been committed, with only the confirmation lost.
      call.claim?.doubt();
      // Not awaited: the database may be away for longer than the client waits. The sweeper releases what this cannot.
      hold
        .ended()
        ?.then(() => settle(call, { status: 'failed', errorCode: 'unavailable' }))
        .catch(() => {});
      throw error;
    }
    const failure = failureOf(error);
    const isPending = failure.kind === 'pending';
    // A pending answer is asked for again for as long as the client waits.
    if (failure.callRetries && (isPending || attempt < TRIES)) {
      const waitMs = failure.retryAfterMs ?? 0;
      const spentMs = isPending ? performance.now() - started : 0;
      if (spentMs + waitMs <= service.config.CONFAM_SYNC_WAIT_MS) {
        await sleep(waitMs);
        return ask(call, request, attempt + 1);
      }
    }
    throw await refuse(call, error, failure);
  }
}

/** Charges and stores the verdict, then returns the answer. */
async function store(call: Call, verdict: Verdict): Promise<CallAnswer> {
  const { service, owner, hold, price, question, started } = call;
  service.hitShares.add(owner.appId, verdict.cached);
  if (verdict.outcome === 'not_found' && !verdict.cached) await question.missed();
  const billedKobo = chargeOf(verdict, price);
  if (billedKobo > 0 && hasLimits(owner)) await hold.take(billedKobo);
  await hold.ended()?.catch(() => {});
  const latencyMs = Math.round(performance.now() - started);
  const settled = await settle(call, {
    status: 'completed',
    ...verdict,
    flagged: isFlagged(call.check, verdict.entity),
    review: reviewOf(owner.settings, verdict.entity),
    billedKobo,
    latencyMs,
  });
  if (settled === 'insufficient_funds') throw insufficientFunds(owner, billedKobo, await service.settle.available(owner));
  if (settled !== 'settled') throw capExceeded(settled);
  if (verdict.outcome === 'not_found')
    throw new ApiError('record_not_found', verdict.detail ?? `The registry has no record for this ${identifierSent(call)}`);
  return { entity: verdict.entity, billedKobo, cached: verdict.cached, latencyMs, ...call.charged };
}

/** Who calls, and about whom. */
const callerOf = ({ cipher }: Service, { appId, live, keyId, personId }: Owner, { id, family, subject }: Check, input: Call['input']) => ({
  appId,
  live,
  checkId: id,
  family,
  subject: cipher.index('subject', family, subject(input)),
  by: { keyId: keyId ?? null, personId: personId ?? null },
});

const settle = ({ service, owner, check, input, id, price, hold, trail, consent }: Call, result: CallSettlement['result']) =>
  service.settle.call({
    jobId: id,
    ...callerOf(service, owner, check, input),
    ...price,
    held: hold.isHeld(),
    consent,
    trail,
    result,
  });

/** The client's own name for the input that was looked up. */
function identifierSent({ check, input, names }: Call): string {
  const inputs = Object.keys(check.input.shape);
  const field = inputs.find((name) => input[name] === check.subject(input)) ?? inputs[0]!;
  return names[field] ?? field;
}

/** Releases the hold of a call that got no answer, and returns its refusal. */
async function refuse(call: Call, error: unknown, failure: Failure): Promise<ApiError> {
  const { service, owner, check, id, hold, names, question } = call;
  service.hitShares.add(owner.appId, false);
  if (isMismatch(error)) await question.missed();
  const refusal = error instanceof CheckRefusal ? refusedCheck(error, names) : refusalOf(failure);
  await hold.ended()?.catch(() => {});
  if (hold.isHeld()) await settle(call, { status: 'failed', errorCode: refusal.code });
  if (refusal.code === 'internal') service.log.error({ job: showId('job', id), check: check.id, err: error }, 'call failed');
  return refusal;
}

function refusalOf({ callCode, sentence, retryAfterMs, callRetryAfterMs, reference, kind }: Failure): ApiError {
  const waitMs = kind === 'unavailable' || kind === 'pending' ? retryAfterMs : callRetryAfterMs && (retryAfterMs ?? callRetryAfterMs);
  return new ApiError(callCode, `${sentence}; nothing was charged`, {
    headers: waitMs === undefined ? {} : retryAfter(Math.max(1, Math.ceil(waitMs / 1000))),
    extra: callCode === 'provider_failed' && reference ? { provider_reference: reference } : {},
  });
}

function refusedCheck({ code, field, message }: CheckRefusal, names: Names): ApiError {
  if (field === null) return new ApiError(code, message);
  const path = names[field] ?? field;
  const isSentence = message.startsWith(`${field} `);
  const detail = { path, message: isSentence ? message.slice(field.length + 1) : message, rule: code };
  return new ApiError(code, `${path}${isSentence ? ' ' : ': '}${detail.message}`, { details: [detail] });
}

/** The money of one call. A class rather than closures: `tsx` wraps each closure in a call that sets its name. */
class CallHold {
  private readonly service: Service;
  private readonly owner: Owner;
  private readonly id: string;
  private held = false;
  private holding: Promise<void> | undefined;

  constructor(service: Service, owner: Owner, id: string) {
    this.service = service;
    this.owner = owner;
    this.id = id;
  }

  /** Holds the amount, once, however many records the check looks up. Throws `insufficient_funds` or `spending_cap_exceeded`. */
  take(amountKobo: number): Promise<void> {
    this.holding ??= this.takeOnce(amountKobo);
    return this.holding;
  }

  /** Resolves when the attempt to hold is over, and rejects if it was refused. Undefined: no hold was attempted. */
  ended(): Promise<void> | undefined {
    return this.holding;
  }

  isHeld(): boolean {
    return this.held;
  }

  private async takeOnce(amountKobo: number): Promise<void> {
    const { service, owner, id } = this;
    const covered = await service.settle.holdForCall({ ...holderOf(owner), id, amountKobo });
    if (covered === false) throw insufficientFunds(owner, amountKobo, await service.settle.available(owner));
    if (covered !== true) throw capExceeded(covered);
    this.held = true;
  }
}

/** Throws `invalid_request`, or the code of a bad picture, with each problem under the client's own name for the input. */
function readCallInput(
  check: Check,
  raw: Record<string, unknown>,
  names: Names,
  watchLists: readonly string[] | null,
): Record<string, string | undefined> {
  // As in rows and jobs, null means not supplied.
  const read = readInput(check, (field) => raw[names[field] ?? field] ?? undefined, watchLists);
  if ('input' in read) return read.input;
  const named = read.problems.map((problem) => ({ ...problem, field: problem.field && (names[problem.field] ?? problem.field) }));
  const problems = withTaken(named, check, raw, names);
  throw new ApiError(codeOfProblems(problems), sentence(problems), {
    details: problems.map((p) => ({ path: p.field ?? '', message: p.message, rule: p.rule })),
  });
}

/** If an input is missing and something else was sent, such as a `video` for an `image`, says what is accepted. */
function withTaken(problems: RowProblem[], check: Check, raw: Record<string, unknown>, names: Names): RowProblem[] {
  const pictures = imageInputs(check);
  const inputs = Object.keys(check.input.shape);
  const taken = inputs.map((field) => `${names[field] ?? field}${pictures.includes(field) ? ' (JPEG, PNG or WebP in base64)' : ''}`);
  const known = [...inputs.map((field) => names[field] ?? field), ...Object.keys(callOptions.shape), 'consent'];
  const other = Object.keys(raw).find((name) => !known.includes(name));
  if (other === undefined) return problems;
  const hint = `; ${fieldLabel(other, 'what was sent')} is not taken: ${check.id} takes ${taken.join(', ')}`;
  return problems.map((problem) => (problem.rule === 'required' ? { ...problem, message: `${problem.message}${hint}` } : problem));
}
