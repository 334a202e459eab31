/**
 * Opens cases in the transaction or statement that settles the job, so that none is lost. Notifying the app comes later and elsewhere
 * (`announceReviews`): a batch with 100,000 hits must not wait for its webhooks.
 */
import { type ReviewRow, showReview } from '../contract/reviews.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import { recordset } from '../foundation/recordset.ts';
import type { ReviewKind } from '../schema/reviews.ts';
import { emitEvents } from '../webhooks/events.ts';

export interface NewReview {
  jobId: string;
  appId: string;
  live: boolean;
  checkId: string;
  kind: ReviewKind;
}

/** The statement that opens those cases for which `condition` holds. A job has one at most. */
export const putReviews = (sql: Sql | Tx, opened: NewReview[], condition: ReturnType<Sql>) => sql`
  insert into reviews (id, app_id, live, job_id, check_id, kind)
  select id, app_id, live, job_id, check_id, kind from ${recordset(sql, opened, {
    id: ['uuid', () => newId()],
    app_id: ['uuid', (r) => r.appId],
    live: ['bool', (r) => r.live],
    job_id: ['uuid', (r) => r.jobId],
    check_id: ['text', (r) => r.checkId],
    kind: ['text', (r) => r.kind],
  })} t where ${condition}
  on conflict (job_id) do nothing`;

const ANNOUNCED_AT_ONCE = 1_000;

/** Emits `review.opened` for cases that have not been announced. Any number of processes may do so at once. */
export async function announceReviews({ sql }: Pick<Context, 'sql'>): Promise<void> {
  let told = ANNOUNCED_AT_ONCE;
  while (told === ANNOUNCED_AT_ONCE) {
    told = await sql.begin(async (tx) => {
      const opened = await tx<ReviewRow[]>`
        select * from reviews where announced_at is null order by id limit ${ANNOUNCED_AT_ONCE} for update skip locked`;
      if (opened.length === 0) return 0;
      await emitEvents(
        tx,
        opened.map((row) => ({ appId: row.appId, live: row.live, type: 'review.opened', data: showReview(row), url: null })),
      );
      await tx`update reviews set announced_at = now() where id = any(${opened.map(({ id }) => id)}::uuid[])`;
      return opened.length;
    });
  }
}
