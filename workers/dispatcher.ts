/**
 * The dispatcher's loop. Any number may run: the one that holds the lead (`foundation/leadership.ts`) works, the others keep asking for it. A leader that was
 * stopped or cut off finds when it wakes that it has lost the lead, and whatever it had not committed is rolled back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WORK_CHANNEL } from '../src/batches/batch.ts';
import { families } from '../src/checks/catalog.ts';
import { isDatabaseAway } from '../src/foundation/database-faults.ts';
import { type Lead, LeadLost, takeLead } from '../src/foundation/leadership.ts';
import { openOutage } from '../src/foundation/outages.ts';
import { WEBHOOK_QUEUE, type WorkQueue } from '../src/foundation/queue.ts';
import { openDispatcher } from '../src/pipeline/dispatch.ts';
import { type LeasedChunk, openChunks } from '../src/pipeline/leases.ts';
import type { Service } from '../src/pipeline/service.ts';
import { leaseDeliveries, SENDING_MAX } from '../src/webhooks/delivery.ts';

const LEAD = 'dispatcher';
/** How often a process without the lead asks for it. */
const LEAD_RETRY_MS = 500;
/** A leader whose round fails gives up the lead for this long: another process, perhaps of another release, may fare better. */
const FAILED_REST_MS = 2 * LEAD_RETRY_MS;
/** The pause while there is work: short, so that a window never runs dry; a round costs about half a dozen small queries. */
const BUSY_MS = 15;
/** The pause without a wake-up: covers lost notifications and sets the pace of retries. */
const IDLE_MS = 500;
/** How often the queue is compared with the leases; a queue that lost its content is refilled. */
const REPAIR_MS = 5_000;

export interface Dispatching {
  close(): Promise<void>;
}

export function startDispatcher(service: Service): Dispatching {
  const { log } = service;
  const stop = new AbortController();
  const outage = openOutage(log, 'the dispatcher waits for the database', 'the dispatcher has the database again');
  let wake = new AbortController();
  const queues = new ChunkQueues(service);
  const webhooks = service.queues.queue(WEBHOOK_QUEUE);
  const dispatcher = openDispatcher(service, service.router);
  const listener = service.sql.listen(WORK_CHANNEL, () => wake.abort());
  // Without the listener the loop still polls every so often, and the driver keeps trying.
  listener.catch((error: unknown) => log.warn({ err: error }, 'the dispatcher gets no notifications of work'));

  /** Only the leader reports the depth, because metrics of all processes are added up. */
  const forgetDepth = () => service.metrics.queueDepth.reset();

  async function dispatch(lead: Lead): Promise<void> {
    log.info('this dispatcher leads');
    let repairedAt = Number.NEGATIVE_INFINITY;
    while (!stop.signal.aborted) {
      await lead.renew();
      if (performance.now() - repairedAt > REPAIR_MS) {
        await queues.repair();
        repairedAt = performance.now();
      }
      wake = new AbortController();
      const { leased, busy } = await dispatcher.fill(service.sql, lead.fence);
      await queues.add(leased);
      const deliveries = await leaseDeliveries(service, SENDING_MAX, lead.holds());
      await webhooks.add(deliveries.map((id) => ({ id, priority: 0 })));
      await pause(busy || deliveries.length > 0 ? BUSY_MS : IDLE_MS, AbortSignal.any([stop.signal, wake.signal]));
    }
    await lead.release();
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      let lead: Lead | null = null;
      let restMs = LEAD_RETRY_MS;
      try {
        lead = await takeLead(service, LEAD);
        if (lead) await dispatch(lead);
      } catch (error) {
        if (error instanceof LeadLost) log.warn('another dispatcher leads');
        else {
          if (isDatabaseAway(error)) outage(error);
          else log.error({ err: error }, 'dispatcher failed');
          restMs = FAILED_REST_MS;
          // Without the database the lead runs out by itself.
          await lead?.release().catch(() => {});
        }
      }
      forgetDepth();
      await pause(restMs, stop.signal);
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
      await (await listener.catch(() => null))?.unlisten();
      await Promise.all([queues.close(), webhooks.close()]);
    },
  };
}

/** A queue for each family. */
class ChunkQueues {
  private readonly service: Service;
  private readonly queues: ReadonlyMap<string, WorkQueue>;

  constructor(service: Service) {
    this.service = service;
    this.queues = new Map(families.map((family) => [family, service.queues.queue(family)]));
  }

  async add(chunks: LeasedChunk[]): Promise<void> {
    for (const [family, queue] of this.queues) {
      await queue.add(chunks.filter((chunk) => chunk.family === family).map(({ id, single }) => ({ id, priority: single ? 0 : 1 })));
    }
  }

  /** Refills the queues that have lost chunks whose leases are open. */
  async repair(): Promise<void> {
    const open = await openChunks(this.service);
    for (const [family, queue] of this.queues) {
      const own = open.filter((chunk) => chunk.family === family);
      const { waiting, active } = own.length === 0 ? { waiting: 0, active: 0 } : await queue.counts();
      if (own.length > waiting + active) await this.add(own);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {});
