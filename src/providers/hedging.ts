/** Asks providers one after the other, or two at once if the first takes too long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenCircuitError } from 'cockatiel';
import { type Answer, ProviderFailure, ProviderUnavailable } from '../checks/provider.ts';
import type { Question, Seat } from './guarded-provider.ts';
import { PausedError } from './limiter.ts';

/** An answer and who gave it. */
interface Given {
  answer: Answer;
  seat: Seat;
}

/** Throws `ProviderFailure` if somebody was asked and nobody answered, `ProviderUnavailable` if nobody could be asked. */
export async function askInTurn(chosen: Seat[], question: Question, abandon?: AbortSignal): Promise<Given> {
  let failure: ProviderFailure | null = null;
  for (const seat of chosen) {
    try {
      return { answer: await seat.lookup(question, abandon), seat };
    } catch (error) {
      if (error instanceof ProviderFailure) {
        // A retryable failure outranks a final one: the job is tried again for it.
        if (!failure?.retryable || !error.elsewhere) failure = error;
        if (!error.elsewhere) break;
      } else if (!isUnavailable(error)) throw error;
    }
  }
  if (failure) throw failure;
  throw unavailable(Math.ceil(Math.min(...chosen.map((seat) => seat.unavailableForMs(question.kind)))));
}

/** Asks the next provider too if the first takes too long. The first answer counts, and the other question is abandoned. */
export async function askHedged([first, ...others]: Seat[], question: Question, hedgeAfterMs: number): Promise<Given> {
  const answered = new AbortController();
  const asked = askInTurn([first!], question, answered.signal);
  const timer = new AbortController();
  const late = sleep(hedgeAfterMs, null, { signal: timer.signal });
  try {
    const early = await Promise.race([asked, late]);
    if (early) return early;
  } catch (error) {
    if (error instanceof ProviderFailure && !error.elsewhere) throw error;
    return await askInTurn(others, question);
  } finally {
    timer.abort();
  }
  const both = [asked, askInTurn(others, { ...question, isHedge: true }, answered.signal)];
  try {
    return await Promise.any(both);
  } catch {
    return await asked;
  } finally {
    answered.abort();
    await Promise.allSettled(both);
  }
}

/** The provider was not asked: it is paused, busy, or behind an open breaker. */
export const isUnavailable = (error: unknown): boolean => error instanceof PausedError || error instanceof BrokenCircuitError;

/** The shortest wait reported to a caller. */
const RETRY_MS_MIN = 100;

export const unavailable = (ms: number): ProviderUnavailable => new ProviderUnavailable(Math.max(RETRY_MS_MIN, ms));
