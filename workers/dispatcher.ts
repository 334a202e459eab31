/**
 * The dispatcher's loop. Any number may run; the one that holds the lead (`foundation/leadership.ts`) works, the others ask for it every so often. A leader that is
 * stopped or cut off has lost it when it wakes: what it had not committed by then is undone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WORK_CHANNEL } from '../src/batches/batch.ts';
import { families } from '../src/checks/catalog.ts';
import { type Lead, LeadLost, takeLead } from '../src/foundation/leadership.ts';
import type { TicketQueue } from '../src/foundation/queue.ts';
import { type LeasedChunk, openChunks, openDispatcher } from '../src/pipeline/dispatch.ts';
import type { Service } from '../src/pipeline/service.ts';
import { leaseDeliveries, SENDING_MAX } from '../src/webhooks/delivery.ts';

const LEAD = 'dispatcher';
/** How often who does not lead asks for the lead. */
const LEAD_RETRY_MS = 500;
/** While there is work: short, so that a window never runs dry; a turn costs two small queries. */
const BUSY_MS = 15;
/** Without a wake-up: the net for a notification that got lost, and the pace of retries. */
const IDLE_MS = 500;
/** How often the queue is compared with what was leased; a queue that lost its content is filled again. */
const REPAIR_MS = 5_000;

import { WEBHOOK_QUEUE } from './webhooks.ts';

export interface Dispatching {
  close(): Promise<void>;
}

export function startDispatcher(service: Service): Dispatching {
  const { log } = service;
  const stop = new AbortController();
  let wake = new AbortController();
  const queues = new Map<string, TicketQueue>(families.map((family) => [family, service.queues.queue(family)]));
  const webhooks = service.queues.queue(WEBHOOK_QUEUE);
  const dispatcher = openDispatcher(service, service.router);
  const listener = service.sql.listen(WORK_CHANNEL, () => wake.abort());
  // Who could not listen looks again every so often, and the driver goes on trying.
  listener.catch((error: unknown) => log.warn({ err: error }, 'the dispatcher is not told of work'));

  const enqueue = async (chunks: LeasedChunk[]) => {
    for (const [family, queue] of queues) {
      await queue.add(chunks.filter((chunk) => chunk.family === family).map(({ id, single }) => ({ id, priority: single ? 0 : 1 })));
    }
  };

  async function repair(): Promise<void> {
    const open = await openChunks(service);
    for (const [family, queue] of queues) {
      const own = open.filter((chunk) => chunk.family === family);
      const { waiting, active } = own.length === 0 ? { waiting: 0, active: 0 } : await queue.counts();
      if (own.length > waiting + active) await enqueue(own);
    }
  }

  async function dispatch(lead: Lead): Promise<void> {
    log.info('dispatcher leads');
    let repairedAt = Number.NEGATIVE_INFINITY;
    while (!stop.signal.aborted) {
      await lead.renew();
      if (performance.now() - repairedAt > REPAIR_MS) {
        await repair();
        repairedAt = performance.now();
      }
      wake = new AbortController();
      const { leased, busy } = await dispatcher.fill(service.sql, lead.fence);
      await enqueue(leased);
      const deliveries = await leaseDeliveries(service, SENDING_MAX, lead.holds());
      await webhooks.add(deliveries.map((id) => ({ id, priority: 0 })));
      await pause(busy || deliveries.length > 0 ? BUSY_MS : IDLE_MS, AbortSignal.any([stop.signal, wake.signal]));
    }
    await lead.release();
  }

  async function run(): Promise<void> {
    let lead: Lead | null = null;
    while (!stop.signal.aborted) {
      try {
        lead ??= await takeLead(service, LEAD);
        if (lead) await dispatch(lead);
      } catch (error) {
        if (error instanceof LeadLost) {
          lead = null;
          log.warn('another dispatcher leads');
        } else log.error({ err: error }, 'dispatcher');
      }
      await pause(LEAD_RETRY_MS, stop.signal);
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
      await (await listener.catch(() => null))?.unlisten();
      await Promise.all([...queues.values(), webhooks].map((queue) => queue.close()));
    },
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {});
