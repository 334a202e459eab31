/** Deletes large kinds of rows that carry their own expiry time, in small steps (`pace.ts`): pictures, cached and kept answers, the log of requests. */
import { dropExpiredKeys } from '../access/idempotency.ts';
import { dropOldRequests } from '../access/request-log.ts';
import type { Context } from '../foundation/context.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { inSteps } from './pace.ts';

/** Every minute, until nothing is left or `stop`. */
export async function dropExpired(ctx: Context, stop: AbortSignal): Promise<void> {
  await dropImages(ctx, stop);
  await dropCached(ctx, stop);
  await inSteps(stop, async (rows) => (await dropExpiredKeys(ctx, rows)) === rows);
  await inSteps(stop, async (rows) => (await dropOldRequests(ctx, rows)) === rows);
}

const dropImages = ({ sql }: Context, stop: AbortSignal): Promise<void> =>
  inSteps(stop, async (rows) => {
    const dropped = await sql`
      update jobs set images = null, images_until = null
      where id in (select id from jobs where images_until < now() order by images_until limit ${rows} for update skip locked)`;
    return dropped.count === rows;
  });

/** Cached answers that one look finds. */
const FOUND = 10_000;

/** One search for expired rows serves many steps: the index only knows in which pages they may be, and each search would read those again. */
async function dropCached({ sql }: Context, stop: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !stop.aborted; ) {
    const due = await sql<{ key: Buffer }[]>`select key from cache_records where expires_at < now() limit ${FOUND}`;
    let at = 0;
    await inSteps(stop, async (rows) => {
      const keys = due.slice(at, at + rows).map(({ key }) => key);
      at += rows;
      if (keys.length > 0) await sql`delete from cache_records where key = any(${byteaArray(keys)}::bytea[]) and expires_at < now()`;
      return at < due.length;
    });
    isMore = due.length === FOUND;
  }
}
