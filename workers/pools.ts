/** One BullMQ worker a family: takes a chunk's id, hands it to `runChunk`. */
import type { Family } from '../src/checks/check.ts';
import { runChunk } from '../src/chunk.ts';
import type { Service } from '../src/service.ts';

export interface Pools {
  /** Takes no more chunks, hands back what has not begun, waits for the rest; after `timeoutMs` gives up its leases, so that others go on at once. */
  close(timeoutMs: number): Promise<void>;
}

export function startPools(service: Service, families: readonly Family[]): Pools {
  const open = new Set<string>();
  const workers = families.map((family) => {
    const concurrency = service.config.CONFAM_POOLS.get(family) ?? service.config.CONFAM_POOL_CONCURRENCY;
    return service.queues.worker(family, concurrency, async (id) => {
      open.add(id);
      try {
        await runChunk(service, id);
      } catch (error) {
        // Nothing of it is lost: its lease runs out and its jobs are leased anew.
        service.log.error({ chunk: id, err: error }, 'chunk failed');
        throw error;
      } finally {
        open.delete(id);
      }
    });
  });
  return {
    async close(timeoutMs) {
      service.router.drain();
      const closed = Promise.all(workers.map((worker) => worker.close()));
      const late = await Promise.race([
        closed.then(() => false),
        new Promise<boolean>((resolve) => setTimeout(resolve, timeoutMs, true).unref()),
      ]);
      if (late) await service.sql`update chunks set leased_until = now() where id = any(${[...open]}::uuid[]) and finished_at is null`;
    },
  };
}
