/**
 * One check on one subject: cache, then single flight, then the providers. The same function serves single calls and batch workers; it
 * writes nothing: what it found out (`cacheEntries`) is stored by `settle()` together with the charge.
 */

import type { Owner } from '../access/owner.ts';
import type { Check, LookupOptions, Monitored, Parts } from '../checks/check.ts';
import {
  type Asker,
  type LookupResult,
  ProviderFailure,
  ProviderPending,
  ProviderUnavailable,
  type RecordKind,
} from '../checks/provider.ts';
import type { Asked } from '../providers/guarded-provider.ts';
import type { Priority } from '../providers/limiter.ts';
import type { RoutedAnswer, Router } from '../providers/router.ts';
import type { Portraits } from '../sandbox/portraits/read.ts';
import type { Cache, CacheAddress, CacheEntry } from './cache.ts';

export interface VerifyRequest {
  check: Check;
  /** Valid by the check's input schema. */
  input: Record<string, string | undefined>;
  owner: Asker & { scope: 'app' | 'deployment'; hasPortraits: boolean };
  cacheMode: 'use' | 'refresh';
  priority: Priority;
  waitMaxMs: number;
  /** By `performance.now()`: no question is put to a provider after that. Undefined: whenever its turn comes. */
  askUntil?: number;
  /** Id of the job or call; sent to vendors that take an idempotency key. */
  reference: string;
  /** The entity will be stored as the result of job `reference`, so that the cache may point at it. */
  storesEntity: boolean;
  /** Called before the first provider is asked, and only then: a single call takes its money here. Throws to refuse. */
  beforeProvider?: () => Promise<void>;
  /** Called when its turn has come, each time that a vendor is asked. */
  onTurn?: () => void;
  /** Every question that is put to a vendor for it is added, whatever comes of it. */
  trail: Asked[];
}

/** What a request takes from whoever asks; the same for a single call and for a job. */
export const requestOf = (
  { appId, live, settings, hasPortraits = false }: Pick<Owner, 'appId' | 'live' | 'settings' | 'hasPortraits'>,
  check: Check,
): Pick<VerifyRequest, 'check' | 'owner'> => ({
  check,
  owner: { appId, live, scope: settings.cacheScope ?? 'app', settings, hasPortraits },
});

export type Verdict = (
  | { outcome: 'found'; entity: Record<string, unknown>; parts: Parts | undefined }
  | { outcome: 'not_found'; entity: null; detail: string | undefined }
) & {
  /** No provider answered on behalf of this request; one that failed has added nothing. */
  cached: boolean;
  provider: string | null;
  cacheEntries: CacheEntry[];
  monitor: Monitored | undefined;
};

/**
 * Verifies, then hands the verdict to `store`, which must settle it; answers what `store` answers. Until `store` has committed, others
 * who ask for the same subject share this answer, so that nobody looks up (and pays) in the gap before the cache knows it.
 * Throws `ProviderFailure`, `ProviderUnavailable`, `ProviderPending`, or what `beforeProvider` or `store` throw.
 */
export type Verify = <T>(request: VerifyRequest, store: (verdict: Verdict) => Promise<T>) => Promise<T>;

interface Flight {
  /** The request that asks. A job that was leased again while its first attempt is under way is still the one who asked. */
  reference: string;
  answer: Promise<RoutedAnswer>;
}

/** What one request found out, over all its look-ups. */
interface Findings {
  /** Look-ups that a provider answered. */
  asked: number;
  /** Who answered last; one that was asked comes before one whose answer was cached. */
  provider: string | null;
  cacheEntries: CacheEntry[];
  flights: Map<string, Flight>;
  /** To be told when all is stored. */
  settled: (() => Promise<void>)[];
}

const NO_HINTS = {};
/** Told to whoever waited in vain: when asking again may help. */
const BUSY_RETRY_MS = 1_000;

export function openVerify(cache: Cache, router: Router, portraits: Portraits): Verify {
  /** Look-ups of this process that are under way or not stored yet, by cache key and tier. */
  const underWay = new Map<string, Flight>();
  /** Somebody else may have set out since for what failed or was asked anew: theirs stays. */
  const land = (name: string, flight: Flight) => {
    if (underWay.get(name) === flight) underWay.delete(name);
  };

  async function known(request: VerifyRequest, address: CacheAddress, name: string): Promise<RoutedAnswer | null> {
    const shared = underWay.get(name);
    if (!shared) return cache.read(address);
    // Its owner may have been refused (no funds): that says nothing about us.
    return within(shared.answer, request.askUntil).catch((error: unknown) => {
      if (error instanceof ProviderFailure || error instanceof ProviderUnavailable || error instanceof ProviderPending) throw error;
      return known(request, address, name);
    });
  }

  async function lookup(
    request: VerifyRequest,
    findings: Findings,
    kind: RecordKind,
    tier: number,
    identifier: string,
    options: LookupOptions,
  ): Promise<LookupResult> {
    const { owner, check } = request;
    if (options.pictures) return compare(request, findings, cache.address(owner, kind, tier, identifier), identifier, options);
    const own = owner.hasPortraits && check.images.length > 0 ? await portraits.membersOf(owner.appId, kind, identifier) : null;
    const address = cache.address(owner, kind, tier, identifier);
    const name = `${address.key}:${tier}`;
    while (request.cacheMode === 'use' && check.cacheable) {
      const isOwn = underWay.get(name)?.reference === request.reference;
      const answer = await known(request, address, name);
      if (answer) {
        if (isOwn) findings.asked++;
        if (isOwn || findings.asked === 0) findings.provider = answer.provider;
        options.onAnswer?.(isOwn ? 'provider' : 'cache');
        return withMembers(answer.result, own);
      }
      // Somebody may have set out while the cache was read.
      if (!underWay.has(name)) break;
    }
    const flight: Flight = { reference: request.reference, answer: ask(request, address, identifier, options) };
    underWay.set(name, flight);
    findings.flights.set(name, flight);
    try {
      const answer = await flight.answer;
      findings.asked++;
      findings.provider = answer.provider;
      options.onAnswer?.('provider');
      if (answer.settled) findings.settled.push(answer.settled);
      // That nobody is on record under such a name says nothing to who knows the right one.
      const isWhole = answer.result.found ? !answer.result.isPartial : !options.hints;
      const isCached = check.cacheable && isWhole;
      if (isCached)
        findings.cacheEntries.push({
          ...address,
          result: answer.result,
          provider: answer.provider,
          // An entity with the app's own portrait is not the registry's record, and not for others.
          jobId: request.storesEntity && check.entityIsRecord && own === null ? request.reference : null,
        });
      return withMembers(answer.result, own);
    } catch (error) {
      land(name, flight);
      throw error;
    }
  }

  /** Pictures are no part of an address, so that two questions with the same one are not the same. */
  async function compare(
    request: VerifyRequest,
    findings: Findings,
    address: CacheAddress,
    identifier: string,
    options: LookupOptions,
  ): Promise<LookupResult> {
    const { result, provider } = await ask(request, address, identifier, options);
    findings.asked++;
    findings.provider = provider;
    return result;
  }

  async function ask(
    request: VerifyRequest,
    address: CacheAddress,
    identifier: string,
    { waitMaxMs = request.waitMaxMs, hints, pictures, read }: LookupOptions,
  ): Promise<RoutedAnswer> {
    await request.beforeProvider?.();
    const { reference, priority, owner, onTurn, trail } = request;
    const answer = await router.lookup({
      // Member by member: this runs for every look-up, and a spread costs microseconds.
      kind: address.kind,
      tier: address.tier,
      key: address.key,
      identifier,
      hints: hints ?? NO_HINTS,
      pictures,
      asker: owner,
      reference,
      onTurn,
      trail,
      live: owner.live,
      priority,
      waitMaxMs: Math.min(waitMaxMs, request.waitMaxMs),
      askUntil: request.askUntil,
    });
    if (answer.result.found) read?.(answer.result.record);
    return answer;
  }

  return async (request, store) => {
    const findings: Findings = { asked: 0, provider: null, cacheEntries: [], flights: new Map(), settled: [] };
    try {
      const result = await request.check.run(request.input, (kind, tier, identifier, options = {}) =>
        lookup(request, findings, kind, tier, identifier, options),
      );
      const facts = {
        cached: findings.asked === 0,
        provider: findings.provider,
        cacheEntries: findings.cacheEntries,
        monitor: result.found ? result.monitor : undefined,
      };
      const stored = await store(
        result.found
          ? { outcome: 'found', entity: result.entity, parts: result.parts, ...facts }
          : { outcome: 'not_found', entity: null, detail: result.detail, ...facts },
      );
      for (const settled of findings.settled) await settled();
      return stored;
    } finally {
      for (const [name, flight] of findings.flights) land(name, flight);
    }
  };
}

/** Somebody else's look-up, which may be batch work that waits behind all calls, for no longer than the request would wait itself. */
async function within(answer: Promise<RoutedAnswer>, until: number | undefined): Promise<RoutedAnswer> {
  if (until === undefined) return answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProviderUnavailable(BUSY_RETRY_MS)), Math.max(0, until - performance.now()));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The record is shared with whoever else asked for it: it is not changed. */
const withMembers = (result: LookupResult, members: Record<string, string> | null): LookupResult =>
  result.found && members !== null ? { found: true, record: { ...result.record, ...members } } : result;
