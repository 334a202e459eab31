/**
 * The dispatcher's loop. Any number may run; the one that holds the advisory lock leads, the others wait for it. The lock lives and dies
 * with a connection of its own, which every turn starts on and which is never re-established, so that a leader who lost it cannot go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { WORK_CHANNEL } from '../src/batches/batch.ts';
import { families } from '../src/checks/catalog.ts';
import { type LeasedChunk, openChunks, openDispatcher } from '../src/dispatch.ts';
import type { TicketQueue } from '../src/queue.ts';
import type { Service } from '../src/service.ts';
import { leaseDeliveries, SENDING_MAX } from '../src/webhooks/delivery.ts';

/** Any fixed number: whoever holds it dispatches. */
const LEADER_LOCK = 7_266_202;
const LEAD_RETRY_MS = 1_000;
/** While there is work: short, so that a window never runs dry; a turn costs two small queries. */
const BUSY_MS = 15;
/** Without a wake-up: the net for a notification that got lost, and the pace of retries. */
const IDLE_MS = 500;
/** How often the queue is compared with what was leased; a queue that lost its content is filled again. */
const REPAIR_MS = 5_000;
/** Longest wait for a good-bye to the server that the lock's connection is to. */
const LOCK_END_MS = 1_000;

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

  async function lead(lock: pg.Client): Promise<void> {
    log.info('dispatcher leads');
    let repairedAt = Number.NEGATIVE_INFINITY;
    while (!stop.signal.aborted) {
      if (performance.now() - repairedAt > REPAIR_MS) {
        await repair();
        repairedAt = performance.now();
      }
      wake = new AbortController();
      await lock.query('select 1');
      const { leased, busy } = await dispatcher.fill(service.sql);
      await enqueue(leased);
      const deliveries = await leaseDeliveries(service, SENDING_MAX);
      await webhooks.add(deliveries.map((id) => ({ id, priority: 0 })));
      await pause(busy || deliveries.length > 0 ? BUSY_MS : IDLE_MS, AbortSignal.any([stop.signal, wake.signal]));
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      // Not of the pool: postgres.js would connect a lost connection anew, without the lock.
      const lock = new pg.Client({ connectionString: service.databaseUrl, application_name: 'confam-leader', keepAlive: true });
      lock.on('error', () => {}); // The next query on it fails.
      try {
        await lock.connect();
        while (!stop.signal.aborted && !(await tryLock(lock))) await pause(LEAD_RETRY_MS, stop.signal);
        await lead(lock);
      } catch (error) {
        log.error({ err: error }, 'dispatcher');
      }
      await Promise.race([lock.end().catch(() => {}), sleep(LOCK_END_MS)]);
      await pause(LEAD_RETRY_MS, stop.signal);
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

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ leads: boolean }>('select pg_try_advisory_lock($1) as leads', [LEADER_LOCK]);
  return rows[0]!.leads;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {});
