/** The pool that sends webhooks. It takes many of the dispatcher's tickets at a time, since nearly all of the work is waiting for receivers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openJobs } from '../src/batches/submitted.ts';
import type { Context } from '../src/foundation/context.ts';
import { type QueueWorker, WEBHOOK_QUEUE } from '../src/foundation/queue.ts';
import { openOutbound } from '../src/net/guarded-http.ts';
import { deliver, SENDING_MAX } from '../src/webhooks/delivery.ts';

/** `close()` takes no more, gives receivers the drain time to answer, then breaks off; those attempts count as failed and are retried. */
export function startWebhookWorker(ctx: Context): QueueWorker {
  const outbound = openOutbound({
    allowPrivate: ctx.config.CONFAM_WEBHOOK_ALLOW_PRIVATE,
    hosts: ctx.config.CONFAM_WEBHOOK_HOSTS,
    privateAnswers: ctx.config.CONFAM_WEBHOOK_PRIVATE_ANSWERS,
    timeoutMs: ctx.config.CONFAM_WEBHOOK_TIMEOUT_MS,
  });
  const worker = ctx.queues.worker(WEBHOOK_QUEUE, SENDING_MAX, async (ticket) => {
    try {
      await deliver(ctx, outbound, ticket, openJobs);
    } catch (error) {
      // The lease expires, and the sweeper makes the delivery due again.
      ctx.log.error({ ticket, err: error }, 'webhook delivery failed');
    }
  });
  return {
    async close() {
      const drained = worker.close();
      const timer = new AbortController();
      await Promise.race([drained, sleep(ctx.config.CONFAM_DRAIN_MS, undefined, { signal: timer.signal }).catch(() => {})]);
      timer.abort();
      await outbound.close();
      await drained;
    },
  };
}
