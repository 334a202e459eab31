/** Asks providers one after the other, or two at once if the first takes too long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenCircuitError } from 'cockatiel';
import { type Answer, ProviderFailure, ProviderUnavailable } from '../checks/provider.ts';
import { Abandoned, type GuardedProvider, type Question } from './guarded-provider.ts';
import { PausedError } from './limiter.ts';

/** An answer and who gave it. */
interface Given {
  answer: Answer;
  guarded: GuardedProvider;
}

/**
 * Throws `ProviderFailure` if a provider was asked and none answered, `ProviderUnavailable` if none could be asked. `before`: why the providers tried
 * earlier did not answer.
 */
export async function askInTurn(
  chosen: GuardedProvider[],
  question: Question,
  abandon?: AbortSignal,
  before: unknown[] = [],
): Promise<Given> {
  const reasons = [...before];
  for (const guarded of chosen) {
    try {
      return { answer: await guarded.lookup(question, abandon), guarded };
    } catch (error) {
      const reason = isUnavailable(error) ? unavailable(Math.ceil(guarded.unavailableForMs(question.kind))) : error;
      reasons.push(reason);
      if (isFinal(reason)) break;
    }
  }
  throw gravest(reasons);
}

/** Asks the next provider too if the first takes too long. The first answer counts, and the other question is abandoned. */
export async function askHedged([first, ...others]: GuardedProvider[], question: Question, hedgeAfterMs: number): Promise<Given> {
  const abandon = new AbortController();
  const asked = askInTurn([first!], question, abandon.signal);
  const timer = new AbortController();
  const late = sleep(hedgeAfterMs, null, { signal: timer.signal });
  try {
    const early = await Promise.race([asked, late]);
    if (early) return early;
  } catch (error) {
    if (isFinal(error)) throw error;
    return await askInTurn(others, question, undefined, [error]);
  } finally {
    timer.abort();
  }
  const both = [asked, askInTurn(others, { ...question, isHedge: true }, abandon.signal)];
  try {
    return await Promise.any(both);
  } catch (error) {
    throw gravest((error as AggregateError).errors);
  } finally {
    abandon.abort(new Abandoned());
    // The abandoned question ends at once, whatever it waits for. From then on it is in the trail.
    await Promise.allSettled(both);
  }
}

/** Asking another provider does not help: the failure is about the subject, or it is not a provider's failure (the client has gone, no funds, a bug). */
const isFinal = (reason: unknown): boolean =>
  reason instanceof ProviderFailure ? !reason.elsewhere : !(reason instanceof ProviderUnavailable);

/** A failure outranks a provider that was not asked, and a retryable one outranks the others: the job is tried again for it. */
function gravity(reason: unknown): number {
  if (isFinal(reason)) return 3;
  if (reason instanceof ProviderFailure) return reason.retryable ? 2 : 1;
  return 0;
}

/** What the caller is told if nobody answered. */
function gravest(reasons: unknown[]): unknown {
  const [first] = reasons.toSorted((a, b) => gravity(b) - gravity(a));
  if (!(first instanceof ProviderUnavailable)) return first;
  return unavailable(Math.min(...reasons.map((reason) => (reason as ProviderUnavailable).retryAfterMs)));
}

/** The provider was not asked: it is paused, busy, or behind an open breaker. */
export const isUnavailable = (error: unknown): boolean => error instanceof PausedError || error instanceof BrokenCircuitError;

/** The shortest wait reported to a caller. */
const RETRY_MS_MIN = 100;

export const unavailable = (ms: number): ProviderUnavailable => new ProviderUnavailable(Math.max(RETRY_MS_MIN, ms));
