/** The scheduled refresh of watch lists. BullMQ keeps the schedule, so that it fires once however many processes work. */
import { configureLists } from '../src/aml/definitions.ts';
import { refreshLists } from '../src/aml/refresh.ts';
import { formats } from '../src/engines/aml/lists/formats.ts';
import type { Context } from '../src/foundation/context.ts';
import { LISTS_QUEUE, type QueueWorker } from '../src/foundation/queue.ts';

const REFRESH = 'refresh';
const HOUR_MS = 3_600_000;
/** How often the schedule is set again, in case the queue lost its content. */
const SET_AGAIN_MS = 10 * 60_000;

/** Null: never (CONFAM_LISTS_REFRESH_HOURS=0). `close()` waits for the list that is being refreshed. */
export function startListRefresh(ctx: Context): QueueWorker | null {
  const everyMs = Math.round(ctx.config.CONFAM_LISTS_REFRESH_HOURS * HOUR_MS);
  if (everyMs === 0) return null;
  const definitions = configureLists(ctx.config);
  const stop = new AbortController();
  const queue = ctx.queues.queue(LISTS_QUEUE);
  const setClock = () =>
    queue.repeat(REFRESH, everyMs).catch((error) => ctx.log.error({ err: error }, 'could not schedule the list refresh'));
  const set = setClock();
  const timer = setInterval(setClock, SET_AGAIN_MS);
  const worker = ctx.queues.worker(LISTS_QUEUE, 1, () => refreshLists(ctx, definitions, formats, stop.signal));
  return {
    async close() {
      stop.abort();
      clearInterval(timer);
      await set;
      await Promise.all([worker.close(), queue.close()]);
    },
  };
}
