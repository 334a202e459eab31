/** Questions that a vendor answers later: stores them, and continues them when their job comes again (`pending.ts` holds the rows). */
import { type LookupResult, ProviderFailure, ProviderPending } from '../checks/provider.ts';
import type { Context } from '../foundation/context.ts';
import type { GuardedProvider, Question } from './guarded-provider.ts';
import { isUnavailable, unavailable } from './hedging.ts';
import { dropPending, nextPollMs, type PendingQuestion, readPending, writePending } from './pending.ts';

export type PostponableQuestion = Question & PendingQuestion;

/** The key under which a question waits. It covers the hints, because the registry may answer differently for another name, birth date or state. Erasures find it by its subject. */
function placeOf({ cipher }: Context, { key, older, tier, subject, hints }: PostponableQuestion): PendingQuestion {
  const stated = JSON.stringify(hints);
  if (stated === '{}') return { key, older, tier, subject };
  const [own, ...others] = [key, ...(older ?? [])].map((one, at) => cipher.shortIndexes('pending', one, stated)[at]!.toString('base64'));
  return { key: own!, older: others.length === 0 ? null : others, tier, subject: key };
}

interface LateAnswer {
  result: LookupResult;
  provider: string;
  /** Drops the question. To be called once the result is stored; until then the result can be fetched again. */
  forget: () => Promise<void>;
}

/** Stores a pending question and throws `ProviderPending`. */
export async function postpone(
  ctx: Context,
  question: PostponableQuestion,
  { provider }: GuardedProvider,
  answer: { pending: string; askAgainMs: number },
): Promise<never> {
  await writePending(ctx, placeOf(ctx, question), { provider: provider.name, ticket: answer.pending }, question.reference);
  throw new ProviderPending(answer.askAgainMs);
}

/** Continues a question that is already pending; null: there is none. Throws `ProviderPending` if the vendor has no answer yet. */
export async function takeUp(
  ctx: Context,
  question: PostponableQuestion,
  byName: ReadonlyMap<string, GuardedProvider>,
): Promise<LateAnswer | null> {
  const place = placeOf(ctx, question);
  const known = await readPending(ctx, place);
  const guarded = known && byName.get(known.provider);
  // The routes have changed since it was asked.
  if (!known || !guarded?.provider.poll || guarded.provider.serves[question.kind] === undefined) return null;
  // The answer is already stored; a question that could not be removed expires by itself.
  const forget = () =>
    dropPending(ctx, place).catch((error: unknown) => ctx.log.warn({ err: error }, 'a question that was answered is still kept'));
  const asked = known.answer ? guarded.accept(known.answer, question) : guarded.poll(known.ticket, question);
  const answer = await asked.catch(async (error: unknown) => {
    if (isUnavailable(error)) throw unavailable(guarded.unavailableForMs(question.kind));
    // The vendor has decided. The next attempt asks it again, or asks another provider.
    if (error instanceof ProviderFailure && (error.ended || !error.retryable)) await forget();
    throw error;
  });
  if ('pending' in answer) throw new ProviderPending(nextPollMs(answer.askAgainMs, known.ageMs));
  return { result: answer, provider: known.provider, forget };
}
