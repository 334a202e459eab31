/** `Idempotency-Key` as in the contract: the answer given under a key is given again. A refusal is not kept, so its key stays free. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../foundation/errors.ts';
import { type Reply, retryAfter } from './replies.ts';

/** Number of keys remembered; beyond it the least recently used are forgotten. */
const KEPT_MAX = 50_000;

export interface Replays {
  /** `request`: everything that must match for it to count as the same request. */
  once(key: string, request: string, carryOut: () => Promise<Reply>): Promise<Reply>;
}

export function openReplays(): Replays {
  const kept = new LRUCache<string, { digest: string; reply: Reply | null }>({ max: KEPT_MAX });

  return {
    async once(key, request, carryOut) {
      const digest = createHash('sha256').update(request).digest('base64');
      const known = kept.get(key);
      if (known && known.digest !== digest)
        throw new ApiError('idempotency_mismatch', 'This Idempotency-Key was used for another request; use a new key for a new request');
      if (known?.reply) return { ...known.reply, headers: { ...known.reply.headers, 'Idempotency-Replayed': 'true' } };
      if (known)
        throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is in progress; repeat it to get its answer', {
          headers: retryAfter(1),
        });
      kept.set(key, { digest, reply: null });
      try {
        const reply = await carryOut();
        kept.set(key, { digest, reply });
        return reply;
      } catch (error) {
        kept.delete(key);
        throw error;
      }
    },
  };
}
