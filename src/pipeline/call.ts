/** A single call: verified while the client waits. Its money is taken before a provider is asked, and given back when there is no answer. */
import { isMismatch } from '../access/misses.ts';
import type { Owner } from '../access/owner.ts';
import { type Check, CheckRefusal } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import { ProviderFailure, ProviderPending, ProviderUnavailable } from '../checks/provider.ts';
import { codeOfProblems, readInput, sentence } from '../checks/read-input.ts';
import { callOptions } from '../contract/jobs.ts';
import { isDatabaseFault } from '../foundation/database-faults.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import { capExceeded, holderOf, insufficientFunds, isWatched } from '../money/caps.ts';
import { chargeOf, priceOf } from '../money/prices.ts';
import { refuseUnserved, refuseWithoutConsent } from '../providers/availability.ts';
import type { Asked } from '../providers/guarded-provider.ts';
import { fieldLabel } from '../rows/row.ts';
import type { RowProblem } from '../schema/batches.ts';
import type { Consent } from '../schema/jobs.ts';
import type { Service } from './service.ts';
import type { Verdict } from './verify.ts';

export interface CallAnswer {
  entity: Record<string, unknown>;
  billedKobo: number;
  cached: boolean;
  latencyMs: number;
}

/** The cache answers more often than this: money is taken only once it has not. */
const HIT_SHARE_MAX = 0.5;
/** Times that a call asks before it gives up; it never waits longer than CONFAM_SYNC_WAIT_MS in between. */
const TRIES = 2;
const LISTS_RETRY_MS = 60_000;

/** Input of a check → what the client calls it, where that differs. */
export type Names = Record<string, string>;

export interface CallOptions {
  names?: Names | undefined;
  cacheMode?: 'use' | 'refresh';
  consent?: Consent | undefined;
}

/** Throws `ApiError`: invalid input, no funds, not on record, provider failed or unavailable. Nothing but an answer is charged. */
export const answerCall = (
  service: Service,
  owner: Owner,
  check: Check,
  raw: Record<string, unknown>,
  options: CallOptions = {},
): Promise<CallAnswer> => service.turns.call(() => answer(service, owner, check, raw, options));

async function answer(
  service: Service,
  owner: Owner,
  check: Check,
  raw: Record<string, unknown>,
  { names = {}, cacheMode = 'use', consent }: CallOptions,
): Promise<CallAnswer> {
  const started = performance.now();
  refuseWithoutConsent(owner, consent);
  // As in rows and jobs, null stands for what was not supplied.
  const read = readInput(check, (field) => raw[names[field] ?? field] ?? undefined);
  if ('problems' in read) {
    const named = read.problems.map((problem) => ({ ...problem, field: problem.field && (names[problem.field] ?? problem.field) }));
    const problems = withTaken(named, check, raw, names);
    throw new ApiError(codeOfProblems(problems), sentence(problems), {
      details: problems.map((p) => ({ path: p.field ?? '', message: p.message, rule: p.rule })),
    });
  }
  refuseUnserved(service.router, check, owner.live);
  const question = service.misses.begin(owner, check, read.input, 'call');
  const { priceKobo, cachedPriceKobo } = priceOf(owner, check);
  const jobId = newId();
  const trail: Asked[] = [];
  let held = false;
  let holding: Promise<void> | null = null;
  /** Once, however many records the check looks up at a time. */
  const hold = (amountKobo: number): Promise<void> => {
    holding ??= takeHold(amountKobo);
    return holding;
  };
  const takeHold = async (amountKobo: number): Promise<void> => {
    const covered = await service.settle.holdForCall({ ...holderOf(owner), id: jobId, amountKobo });
    if (covered === false) throw await insufficientFunds(service.sql, owner, amountKobo);
    if (covered !== true) throw capExceeded(covered);
    held = true;
  };
  const settle = (result: Parameters<Service['settle']['call']>[0]['result']) =>
    service.settle.call({
      jobId,
      appId: owner.appId,
      live: owner.live,
      checkId: check.id,
      family: check.family,
      subject: service.cipher.index('subject', check.family, check.subject(read.input)),
      priceKobo,
      cachedPriceKobo,
      held,
      consent,
      trail,
      result,
    });
  // Where the cache mostly has no answer, the money is taken while it is looked at: a round trip less for a call that asks a vendor. A
  // cached answer is then charged against the hold; one whose hold was refused may still be covered. Who is told of caps and low balances is
  // not to be told of money that was not needed.
  if (service.cache.hitShare() < HIT_SHARE_MAX && !isWatched(owner)) hold(priceKobo).catch(() => {});
  /** Not waited for: the database may be away for longer than a client waits, and then the sweeper does it. */
  const giveBack = () => {
    holding?.then(() => settle({ status: 'failed', errorCode: 'unavailable' })).catch(() => {});
  };
  const holdEnded = () => holding?.catch(() => {});
  const store = async (verdict: Verdict): Promise<CallAnswer> => {
    if (verdict.outcome === 'not_found' && !verdict.cached) await question.missed();
    const billedKobo = chargeOf(verdict, { priceKobo, cachedPriceKobo });
    if (billedKobo > 0 && isWatched(owner)) await hold(billedKobo);
    await holdEnded();
    const latencyMs = Math.round(performance.now() - started);
    const settled = await settle({ status: 'completed', ...verdict, billedKobo, latencyMs });
    if (settled === 'insufficient_funds') throw await insufficientFunds(service.sql, owner, billedKobo);
    if (settled !== 'settled') throw capExceeded(settled);
    if (verdict.outcome === 'not_found')
      throw new ApiError('record_not_found', verdict.detail ?? `The registry has no record for this ${Object.keys(check.input.shape)[0]}`);
    return { entity: verdict.entity, billedKobo, cached: verdict.cached, latencyMs };
  };
  const request = {
    check,
    input: read.input,
    owner: {
      appId: owner.appId,
      live: owner.live,
      scope: owner.settings.cacheScope ?? 'app',
      settings: owner.settings,
      hasPortraits: owner.hasPortraits ?? false,
    } as const,
    cacheMode,
    priority: 'call',
    waitMaxMs: service.config.CONFAM_SYNC_WAIT_MS,
    askUntil: started + service.config.CONFAM_CALL_QUEUE_MS,
    reference: jobId,
    storesEntity: false,
    beforeProvider: () => hold(priceKobo),
    onTurn: () => service.suspensions.refuse(owner.appId),
    trail,
  } as const;

  const ask = async (attempt: number): Promise<CallAnswer> => {
    try {
      return await service.verify(request, store);
    } catch (error) {
      if (error instanceof ApiError) {
        // Suspended while it waited for its turn: what was set aside is given back.
        if (error.code === 'app_suspended' && held) await settle({ status: 'failed', errorCode: error.code });
        throw error;
      }
      if (isDatabaseFault(error)) {
        giveBack();
        throw error;
      }
      // A vendor that answers later is asked again for as long as the client waits.
      const waitMs = attempt < TRIES || error instanceof ProviderPending ? retryWaitMs(error) : null;
      const spentMs = error instanceof ProviderPending ? performance.now() - started : 0;
      if (waitMs !== null && spentMs + waitMs <= service.config.CONFAM_SYNC_WAIT_MS) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        return ask(attempt + 1);
      }
      if (isMismatch(error)) await question.missed();
      const refusal = refusalOf(error, names);
      await holdEnded();
      if (held) await settle({ status: 'failed', errorCode: refusal.code });
      if (refusal.code === 'internal') service.log.error({ job: jobId, check: check.id, err: error }, 'call failed');
      throw refusal;
    }
  };
  return ask(1).finally(question.end);
}

/** Milliseconds after which asking again may help; null: it will not. A provider that took its whole time is not asked again. */
function retryWaitMs(error: unknown): number | null {
  if (error instanceof ProviderPending) return error.askAgainMs;
  return error instanceof ProviderFailure && error.retryable && error.code !== 'timeout' && error.code !== 'lists_not_loaded'
    ? (error.retryAfterMs ?? 0)
    : null;
}

function refusalOf(error: unknown, names: Names): ApiError {
  if (error instanceof CheckRefusal) return refusedCheck(error, names);
  if (error instanceof ProviderUnavailable) {
    return new ApiError('provider_unavailable', 'Every provider is paused, down or busy; nothing was charged', {
      headers: retryAfter(error.retryAfterMs),
    });
  }
  if (error instanceof ProviderPending) {
    return new ApiError('provider_pending', 'The registry answers later: ask again, or submit a job; nothing was charged', {
      headers: retryAfter(error.askAgainMs),
    });
  }
  if (!(error instanceof ProviderFailure)) return new ApiError('internal', 'Something went wrong on our side; nothing was charged');
  if (error.code === 'not_configured') return new ApiError('provider_not_configured', 'No provider is configured for this check');
  if (error.code === 'lists_not_loaded' || error.code === 'list_not_loaded')
    return new ApiError('lists_not_loaded', `${error.detail}; nothing was charged`, { headers: retryAfter(LISTS_RETRY_MS) });
  if (error.code === 'invalid') return new ApiError('invalid_request', 'The provider says that the identifier is malformed');
  if (error.code === 'rate_limited' || error.code === 'out_of_credit' || error.code === 'unauthorized') {
    return new ApiError('provider_unavailable', 'The provider accepts no more requests at the moment; nothing was charged', {
      headers: retryAfter(error.retryAfterMs ?? 1000),
    });
  }
  if (error.code === 'mismatch')
    return new ApiError('subject_mismatch', 'What was sent about the subject contradicts its record; nothing was charged');
  if (error.code === 'no_consent')
    return new ApiError('no_consent', 'The subject has not agreed that the record be shared; nothing was charged');
  const reference = error.receipt?.reference;
  return new ApiError('provider_failed', 'The provider was asked and failed; nothing was charged', {
    extra: reference ? { provider_reference: reference } : {},
  });
}

function refusedCheck({ code, field, message }: CheckRefusal, names: Names): ApiError {
  if (field === null) return new ApiError(code, message);
  const path = names[field] ?? field;
  return new ApiError(code, `${path}: ${message}`, { details: [{ path, message, rule: code }] });
}

const retryAfter = (ms: number) => ({ 'Retry-After': String(Math.max(1, Math.ceil(ms / 1000))) });

/** Where an input is missing and something else was sent, such as a `video` for an `image`: says what is taken. */
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
