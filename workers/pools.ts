/**
 * One BullMQ worker a family, which takes a chunk's id and passes it to `runChunk`. A chunk occupies one of the worker's places until it has ended or all of
 * its jobs are at vendors, whichever is sooner. So as many jobs are in flight as the vendors' limits allow, however long an answer takes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Family } from '../src/checks/check.ts';
import { NewerRelease } from '../src/jobs/release.ts';
import { handBack, runChunk } from '../src/pipeline/chunk.ts';
import type { Service } from '../src/pipeline/service.ts';

export interface Pools {
  /**
   * Takes no more chunks, returns jobs that have not begun, and waits for the rest. After `timeoutMs` it gives up its leases, so that others continue at
   * once.
   */
  close(timeoutMs: number): Promise<void>;
}

/** If more answers than this wait to be settled, we are slower than the vendors, and take no chunk until there are fewer. */
const SETTLING_MAX = 2_000;
const SETTLING_LOOK_MS = 10;

/** Throws if the chunk failed, after handing its jobs back. */
async function run(service: Service, id: string, leavePlace: () => void): Promise<void> {
  try {
    await runChunk(service, id, leavePlace);
  } catch (error) {
    const isLeft = error instanceof NewerRelease;
    // Nothing is lost: the chunk's jobs are leased again, at the latest when its lease runs out.
    if (isLeft) service.log.warn({ chunk: id, reason: error.message }, 'chunk left to a newer release');
    else service.log.error({ chunk: id, err: error }, 'chunk failed');
    await handBack(service, [id]).catch(() => {});
    if (!isLeft) throw error;
  }
}

export function startPools(service: Service, families: readonly Family[]): Pools {
  const open = new Map<string, Promise<void>>();
  const workers = families.map((family) => {
    const concurrency = service.config.CONFAM_POOLS.get(family) ?? service.config.CONFAM_POOL_CONCURRENCY;
    return service.queues.worker(family, concurrency, async (id) => {
      while (service.settle.job.size() > SETTLING_MAX) await sleep(SETTLING_LOOK_MS);
      let leavePlace = () => {};
      const left = new Promise<void>((resolve) => {
        leavePlace = resolve;
      });
      const running = run(service, id, leavePlace).finally(() => open.delete(id));
      open.set(id, running);
      await Promise.race([running, left]);
    });
  });
  return {
    async close(timeoutMs) {
      service.router.drain();
      const closed = Promise.all(workers.map((worker) => worker.close())).then(() => Promise.allSettled(open.values()));
      const late = await Promise.race([closed.then(() => false), sleep(timeoutMs, true, { ref: false })]);
      if (late) await handBack(service, [...open.keys()]);
    },
  };
}
