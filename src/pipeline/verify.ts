/**
 * One check on one subject: cache, then single flight, then the providers. Single calls and batch workers use the same function. It writes nothing:
 * `settle()` stores its findings (`cacheEntries`) together with the charge.
 */

import type { Client } from '../access/gate.ts';
import type { Owner } from '../access/owner.ts';
import type { Check, LookupOptions, Monitored, Parts } from '../checks/check.ts';
import {
  type Asker,
  type Hints,
  type LookupResult,
  ProviderFailure,
  ProviderPending,
  ProviderUnavailable,
  type RecordKind,
} from '../checks/provider.ts';
import { decodePictures, type SentPictures } from '../checks/sent-pictures.ts';
import { cacheScopeOf } from '../contract/outside.ts';
import type { VendorLookup } from '../providers/guarded-provider.ts';
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
  /** On the clock of `performance.now()`: no provider is asked after this. Undefined: no limit. */
  askUntil?: number;
  /** The client that waits for a single call's answer. */
  client?: Client | undefined;
  /** Pictures of a single call that the inputs only name. */
  sentPictures?: SentPictures | undefined;
  /** Id of the job or call; sent to vendors that accept an idempotency key. */
  reference: string;
  /** The entity will be stored as the result of job `reference`, so the cache may point at it. */
  storesEntity: boolean;
  /** Called once, before the first provider is asked: a single call holds its price here. Throws to refuse. */
  beforeProvider?: () => Promise<void>;
  /** Called each time just before a vendor is asked. */
  beforeAsking?: () => void;
  /** Every question put to a vendor is added here, whatever becomes of it. */
  trail: VendorLookup[];
}

/** The owner of a request; the same for a single call and for a job. */
export const requestOwner = ({
  appId,
  live,
  settings,
  hasPortraits = false,
}: Pick<Owner, 'appId' | 'live' | 'settings' | 'hasPortraits'>): VerifyRequest['owner'] => ({
  appId,
  live,
  scope: cacheScopeOf(settings),
  settings,
  hasPortraits,
});

export type Verdict = (
  | { outcome: 'found'; entity: Record<string, unknown>; parts: Parts | undefined }
  | { outcome: 'not_found'; entity: null; detail: string | undefined }
) & {
  /** No provider answered on behalf of this request, or with parts, none of those that are paid for. Failed attempts do not count. */
  cached: boolean;
  provider: string | null;
  cacheEntries: CacheEntry[];
  monitor: Monitored | undefined;
};

/**
 * Verifies, then passes the verdict to `store`, which must settle it, and returns what `store` returns. Until `store` has committed, other requests for the
 * same subject share this answer, so nobody looks it up (and pays) in the gap before the cache has it.
 * Throws `ProviderFailure`, `ProviderUnavailable`, `ProviderPending`, or what `beforeProvider` or `store` throw.
 */
export type Verify = <T>(request: VerifyRequest, store: (verdict: Verdict) => Promise<T>) => Promise<T>;

interface Flight {
  /** The request that asks. A job leased again during its first attempt still owns that attempt's flight. */
  reference: string;
  answer: Promise<RoutedAnswer>;
}

/** Findings of one request over all its look-ups. */
interface Findings {
  /** Look-ups that a provider answered. */
  asked: number;
  /** The provider that answered last. A provider that was asked takes precedence over a cached answer. */
  provider: string | null;
  cacheEntries: CacheEntry[];
  flights: Map<string, Flight>;
  /** Called once everything is stored: they drop the questions whose late answers were taken. */
  forget: (() => Promise<void>)[];
}

const NO_HINTS: Hints = {};

/** Hints are part of the question: with another name or date of birth, the registry may answer otherwise. */
const flightName = ({ key }: CacheAddress, tier: number, hints: Hints | undefined): string =>
  hints ? `${key}:${tier}:${JSON.stringify(hints)}` : `${key}:${tier}`;

/** Retry hint for a request that waited in vain. */
const BUSY_RETRY_MS = 1_000;

export function openVerify(cache: Cache, router: Router, portraits: Portraits): Verify {
  const verifier = new Verifier(cache, router, portraits);
  return (request, store) => verifier.verify(request, store);
}

class Verifier {
  private readonly cache: Cache;
  private readonly router: Router;
  private readonly portraits: Portraits;
  /** This process's look-ups in flight or not stored yet, by cache key, tier and hints. */
  private readonly underWay = new Map<string, Flight>();

  constructor(cache: Cache, router: Router, portraits: Portraits) {
    this.cache = cache;
    this.router = router;
    this.portraits = portraits;
  }

  async verify<T>(request: VerifyRequest, store: (verdict: Verdict) => Promise<T>): Promise<T> {
    const findings: Findings = { asked: 0, provider: null, cacheEntries: [], flights: new Map(), forget: [] };
    try {
      const result = await request.check.run(request.input, (kind, tier, identifier, options = {}) =>
        this.lookup(request, findings, kind, tier, identifier, options),
      );
      const facts = {
        cached: (result.found && result.parts ? result.parts.asked : findings.asked) === 0,
        provider: findings.provider,
        cacheEntries: findings.cacheEntries,
        monitor: result.found ? result.monitor : undefined,
      };
      const stored = await store(
        result.found
          ? { outcome: 'found', entity: result.entity, parts: result.parts, ...facts }
          : { outcome: 'not_found', entity: null, detail: result.detail, ...facts },
      );
      for (const forget of findings.forget) await forget();
      return stored;
    } finally {
      for (const [name, flight] of findings.flights) this.land(name, flight);
    }
  }

  /** Another request may have started a new flight in the meantime; that one stays. */
  private land(name: string, flight: Flight): void {
    if (this.underWay.get(name) === flight) this.underWay.delete(name);
  }

  private async known(request: VerifyRequest, address: CacheAddress, name: string): Promise<RoutedAnswer | null> {
    const shared = this.underWay.get(name);
    if (!shared) return this.cache.read(address);
    // Its owner may have been refused (no funds), which says nothing about this request.
    return within(shared.answer, request.askUntil).catch((error: unknown) => {
      if (error instanceof ProviderFailure || error instanceof ProviderUnavailable || error instanceof ProviderPending) throw error;
      return this.known(request, address, name);
    });
  }

  private async lookup(
    request: VerifyRequest,
    findings: Findings,
    kind: RecordKind,
    tier: number,
    identifier: string,
    options: LookupOptions,
  ): Promise<LookupResult> {
    const { owner, check } = request;
    if (options.pictures) return this.compare(request, findings, this.cache.address(owner, kind, tier, identifier), identifier, options);
    const own = owner.hasPortraits && check.images.length > 0 ? await this.portraits.membersOf(owner.appId, kind, identifier) : null;
    const address = this.cache.address(owner, kind, tier, identifier);
    const name = flightName(address, tier, options.hints);
    const isShared = request.cacheMode === 'use' && check.cacheable && !options.isFresh;
    let isPrepared = options.onlyWith === undefined;
    for (;;) {
      if (isShared) {
        const isOwn = this.underWay.get(name)?.reference === request.reference;
        const answer = await this.known(request, address, name);
        if (answer) {
          if (isOwn) findings.asked++;
          if (isOwn || findings.asked === 0) findings.provider = answer.provider;
          options.onAnswer?.(isOwn ? 'provider' : 'cache');
          return withMembers(answer.result, own);
        }
        // Another request may have started a flight while the cache was read.
        if (this.underWay.has(name)) continue;
      }
      if (isPrepared) break;
      // Prepare before the flight begins: requests that need only this record share the flight.
      await this.prepare(request, options.onlyWith!);
      isPrepared = true;
    }
    const flight: Flight = { reference: request.reference, answer: this.ask(request, address, identifier, options) };
    this.underWay.set(name, flight);
    findings.flights.set(name, flight);
    try {
      const answer = await flight.answer;
      if (!options.isFresh) {
        findings.asked++;
        findings.provider = answer.provider;
      }
      options.onAnswer?.('provider');
      if (answer.forget) findings.forget.push(answer.forget);
      // A miss that used name hints is not cached: another caller may know the right name.
      const isWhole = answer.result.found ? !answer.result.isPartial : !options.hints;
      const isCached = check.cacheable && !options.isFresh && isWhole;
      if (isCached)
        findings.cacheEntries.push({
          ...address,
          result: answer.result,
          provider: answer.provider,
          // An entity with the app's own portrait is not the registry's record and must not answer others.
          jobId: request.storesEntity && check.entityIsRecord && own === null ? request.reference : null,
        });
      return withMembers(answer.result, own);
    } catch (error) {
      this.land(name, flight);
      throw error;
    }
  }

  /** An address does not include the pictures, so two questions with the same address may differ. */
  private async compare(
    request: VerifyRequest,
    findings: Findings,
    address: CacheAddress,
    identifier: string,
    options: LookupOptions,
  ): Promise<LookupResult> {
    const { result, provider } = await this.ask(request, address, identifier, options);
    findings.asked++;
    findings.provider = provider;
    return result;
  }

  private async prepare(
    { owner, waitMaxMs }: VerifyRequest,
    { any, waitMaxMs: ownWaitMaxMs }: NonNullable<LookupOptions['onlyWith']>,
  ): Promise<void> {
    const unavailableForMs = this.router.unavailableForMs({ all: {}, any }, owner.live);
    if (unavailableForMs > Math.min(ownWaitMaxMs, waitMaxMs)) throw new ProviderUnavailable(Math.ceil(unavailableForMs));
    await this.router.prepared(any, owner.live);
  }

  private async ask(
    request: VerifyRequest,
    address: CacheAddress,
    identifier: string,
    { waitMaxMs = request.waitMaxMs, hints, pictures, read }: LookupOptions,
  ): Promise<RoutedAnswer> {
    await request.beforeProvider?.();
    const { reference, priority, owner, beforeAsking, trail, client, sentPictures } = request;
    const answer = await this.router.lookup({
      // Member by member: this runs for every look-up, and a spread costs microseconds.
      kind: address.kind,
      tier: address.tier,
      key: address.key,
      older: address.older,
      subject: address.subject,
      identifier,
      hints: hints ?? NO_HINTS,
      pictures: pictures && decodePictures(pictures, sentPictures),
      asker: owner,
      reference,
      beforeAsking,
      trail,
      live: owner.live,
      priority,
      waitMaxMs: Math.min(waitMaxMs, request.waitMaxMs),
      askUntil: request.askUntil,
      client,
    });
    if (answer.result.found) read?.(answer.result.record);
    return answer;
  }
}

/** Waits for another request's look-up, but no longer than this request would wait by itself: the look-up may be batch work, queued behind all calls. */
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

/** The record is shared with other requests, so it is copied, not changed. */
const withMembers = (result: LookupResult, members: Record<string, string> | null): LookupResult =>
  result.found && members !== null ? { found: true, record: { ...result.record, ...members } } : result;
