/** Deletes large kinds of rows that carry their own expiry time, in small steps (`pace.ts`): pictures, cached and kept answers, the log of requests. */
import type { Fragment } from 'postgres';
import { isFreeSubject } from '../access/held-subjects.ts';
import { dropExpiredKeys } from '../access/idempotency.ts';
import { dropOldRequests } from '../access/request-log.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { isFree, withoutHeld } from './holds.ts';
import { inSteps } from './pace.ts';

/** Every minute, until nothing is left or `stop`. */
export async function dropExpired(ctx: Context, stop: AbortSignal): Promise<void> {
  await dropCached(ctx, stop);
  await inSteps(stop, async (rows) => (await dropExpiredKeys(ctx, rows)) === rows);
  await inSteps(stop, async (rows) => (await dropOldRequests(ctx, rows)) === rows);
  await dropImages(ctx, stop);
}

/** Jobs whose pictures are due for deletion. Leaves out jobs under a known legal hold, jobs of a batch that is itself being deleted, and those of the batches in `except`. */
export const dueImages = (sql: Sql, now: Fragment, limit: number, except: readonly string[] = []): Fragment => sql`
  select x.id, x.app_id, x.live, x.batch_id, x.images_until as due_at from jobs x left join batches b on b.id = x.batch_id
  where x.images_until < ${now} and b.legal_hold_at is null and b.deleted_at is null and (x.batch_id = any(${except}::uuid[])) is not true
    and ${sql.unsafe(`${isFree('x.id')} and ${isFree('x.batch_id')} and ${isFreeSubject('x', 'x.subject')}`)}
  order by x.images_until limit ${limit}`;

interface WithImages {
  id: string;
  appId: string;
  live: boolean;
  batchId: string | null;
}

async function dropImages(ctx: Context, stop: AbortSignal): Promise<void> {
  // Whether a batch has a row about a held person may be unknown for a while. The pictures of other batches do not wait for that.
  const kept = new Set<string>();
  await inSteps(stop, async (rows) => {
    const due = await ctx.sql<WithImages[]>`${dueImages(ctx.sql, ctx.sql`now()`, rows, [...kept])}`;
    // A batch that has a row about a held person is kept whole.
    const batches = new Map(due.flatMap((job) => (job.batchId === null ? [] : [[job.batchId, { ...job, id: job.batchId }]])));
    const single = due.filter(({ batchId }) => batchId === null);
    const free = [...(await withoutHeld(ctx, [...batches.values()], 'batches')), ...(await withoutHeld(ctx, single, 'jobs'))];
    const ids = new Set(free.map(({ id }) => id));
    const remaining = [...batches.keys()].filter((id) => !ids.has(id));
    for (const id of remaining) kept.add(id);
    const dropped = due.filter(({ id, batchId }) => ids.has(batchId ?? id)).map(({ id }) => id);
    const { count } = await ctx.sql`
      update jobs set images = null, images_until = null
      where id in (select id from jobs where id = any(${dropped}::uuid[]) and images_until < now() for update skip locked)
        and not exists (select 1 from batches b where b.id = jobs.batch_id and b.legal_hold_at is not null)`;
    return due.length === rows && count + remaining.length > 0;
  });
}

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
