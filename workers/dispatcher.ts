/**
 * The dispatcher's loop. Any number may run; the one that holds the advisory lock leads, the others wait for it. The lock lives and dies
 * with the connection that every turn starts on, so that a leader who lost it cannot go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WORK_CHANNEL } from '../src/batch.ts';
import { families } from '../src/checks/catalog.ts';
import type { Sql } from '../src/context.ts';
import { leaseDeliveries } from '../src/delivery.ts';
import { type LeasedChunk, openChunks, openDispatcher } from '../src/dispatch.ts';
import type { TicketQueue } from '../src/queue.ts';
import type { Service } from '../src/service.ts';

/** Any fixed number: whoever holds it dispatches. */
const LEADER_LOCK = 7_266_202;
const LEAD_RETRY_MS = 1_000;
/** While there is work: short, so that a window never runs dry; a turn costs two small queries. */
const BUSY_MS = 15;
/** Without a wake-up: the net for a notification that got lost, and the pace of retries. */
const IDLE_MS = 500;
/** How often the queue is compared with what was leased; a queue that lost its content is filled again. */
const REPAIR_MS = 5_000;
const DELIVERIES_MAX = 200;

export interface Dispatching {
  close(): Promise<void>;
}

export function startDispatcher(service: Service): Dispatching {
  const { log } = service;
  const stop = new AbortController();
  let wake = new AbortController();
  const queues = new Map<string, TicketQueue>(families.map((family) => [family, service.queues.queue(family)]));
  const webhooks = service.queues.queue('webhooks');
  const dispatcher = openDispatcher(service, service.router);
  const listener = service.sql.listen(WORK_CHANNEL, () => wake.abort());

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

  async function lead(leader: Sql): Promise<void> {
    log.info('dispatcher leads');
    let repairedAt = Number.NEGATIVE_INFINITY;
    while (!stop.signal.aborted) {
      if (performance.now() - repairedAt > REPAIR_MS) {
        await repair();
        repairedAt = performance.now();
      }
      wake = new AbortController();
      const { leased, busy } = await dispatcher.fill(leader);
      await enqueue(leased);
      const deliveries = await leaseDeliveries(service, DELIVERIES_MAX);
      await webhooks.add(deliveries.map((id) => ({ id, priority: 0 })));
      const signal = AbortSignal.any([stop.signal, wake.signal]);
      await sleep(busy || deliveries.length > 0 ? BUSY_MS : IDLE_MS, undefined, { signal }).catch(() => {});
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const leader = await service.sql.reserve();
        try {
          const [row] = await leader<{ leads: boolean }[]>`select pg_try_advisory_lock(${LEADER_LOCK}) as leads`;
          if (row!.leads) {
            try {
              await lead(leader as unknown as Sql);
            } finally {
              await leader`select pg_advisory_unlock(${LEADER_LOCK})`;
            }
          }
        } finally {
          leader.release();
        }
      } catch (error) {
        log.error({ err: error }, 'dispatcher');
      }
      await sleep(LEAD_RETRY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
      await (await listener).unlisten();
      await Promise.all([...queues.values(), webhooks].map((queue) => queue.close()));
    },
  };
}
