/**
 * How a batch has gone over time: its counters at each change of its status (`batch_history`, by a trigger), and samples of them while it runs. Nothing is
 * counted from its jobs, so a batch of a million rows is read as quickly as one of ten.
 */
import { type BatchRow, endedAt, isBatchOver } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import type { batchHistory } from '../schema/batches.ts';

/** No batch is sampled more often. */
const SAMPLE_MS = 2_000;
/** The interval is also at least a hundredth of the time that the batch has run: a day leaves 560 samples, a week 750. */
const SHARE = 100;

/** Called every second, by each sweeper. */
export async function sampleRunning({ sql }: Pick<Context, 'sql'>): Promise<void> {
  await sql`
    insert into batch_samples (batch_id, at, found, not_found, failed, canceled)
    select b.id, now(), b.found, b.not_found, b.failed, b.canceled from batches b
    where b.status in ('running', 'canceling') and not exists (
      select 1 from batch_samples s
      where s.batch_id = b.id and s.at > now() - greatest(${SAMPLE_MS} * interval '1 millisecond', (now() - b.started_at) / ${SHARE}))
    on conflict do nothing`;
}

/** The counters at a time. */
export interface TimelinePoint {
  at: Date;
  found: number;
  notFound: number;
  failed: number;
  canceled: number;
}

/** The most points a timeline may have. Of points that lie closer together, only the last is kept. */
const POINTS_MAX = 240;

/** From its start up to its end or now, oldest first. Empty before the start. */
export async function readTimeline({ sql }: Pick<Context, 'sql'>, batch: BatchRow): Promise<TimelinePoint[]> {
  const { id, startedAt, found, notFound, failed, canceled } = batch;
  if (startedAt === null) return [];
  const began: TimelinePoint = { at: new Date(startedAt), found: 0, notFound: 0, failed: 0, canceled: 0 };
  const [stored, [clock]] = await Promise.all([
    // Changes that an earlier release recorded do not say what was found.
    sql<(Omit<TimelinePoint, 'at'> & { at: string })[]>`
      select at, found, not_found, failed, canceled from batch_samples where batch_id = ${id}
      union all select at, found, not_found, failed, canceled from batch_history where batch_id = ${id} and found is not null
      order by at`,
    sql<{ now: string }[]>`select now()`,
  ]);
  const present: TimelinePoint = { at: new Date(endedAt(batch) ?? clock!.now), found, notFound, failed, canceled };
  const between = stored.map((point) => ({ ...point, at: new Date(point.at) })).filter(({ at }) => at > began.at && at < present.at);
  return thinned([began, ...between, present]);
}

function thinned(points: TimelinePoint[]): TimelinePoint[] {
  const [first, last] = [points[0]!, points.at(-1)!];
  const width = (last.at.getTime() - first.at.getTime()) / (POINTS_MAX - 2);
  const placeOf = ({ at }: TimelinePoint) => Math.floor((at.getTime() - first.at.getTime()) / width);
  return points.filter(
    (point, at) => point === first || point === last || points.length <= POINTS_MAX || placeOf(point) !== placeOf(points[at + 1]!),
  );
}

export type StatusChange = typeof batchHistory.$inferSelect;

/**
 * Every status change of these batches, oldest first. The ids of one batch follow the order of its changes, because each change holds the row
 * lock until its commit.
 */
export async function readHistory(ctx: Context, batchIds: string[]): Promise<StatusChange[]> {
  return [...(await ctx.sql<StatusChange[]>`select * from batch_history where batch_id = any(${batchIds}::uuid[]) order by id`)];
}

/** Milliseconds in all between the ends of the batch and the retries that followed them. */
export async function readRestMs(ctx: Context, batchId: string): Promise<number> {
  const changes = await readHistory(ctx, [batchId]);
  const rests = changes.map((change, i) => {
    const next = changes[i + 1];
    return next && isBatchOver(change) && !isBatchOver(next) ? Date.parse(next.at) - Date.parse(change.at) : 0;
  });
  return rests.reduce((sum, rest) => sum + rest, 0);
}
