/**
 * Opens cases in the transaction or statement that settles the job, so that none is lost. Notifying the app comes later and elsewhere
 * (`announceReviews`): a batch with 100,000 hits must not wait for its webhooks. New hits of a monitor open the case of its job in the same way.
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

export interface MonitoredCase extends Omit<NewReview, 'kind'> {
  monitorId: string;
}

/**
 * Opens the cases of jobs whose monitors found new hits, one for each job. A case that is decided, or that waits for a second decision, is opened again, because nobody has decided
 * about the new hits; its earlier decisions stay among its notes. (A second case for a job would break processes of the release before, which rely on there being one.)
 */
export async function openMonitored(tx: Tx, cases: readonly MonitoredCase[]): Promise<void> {
  if (cases.length === 0) return;
  const opened = recordset(tx, cases, {
    id: ['uuid', () => newId()],
    app_id: ['uuid', (r) => r.appId],
    live: ['bool', (r) => r.live],
    job_id: ['uuid', (r) => r.jobId],
    check_id: ['text', (r) => r.checkId],
    monitor_id: ['uuid', (r) => r.monitorId],
  });
  await tx`
    update reviews r set monitor_id = t.monitor_id from ${opened} t where r.job_id = t.job_id and r.state in ('open', 'escalated')`;
  await tx`
    insert into reviews (id, app_id, live, job_id, check_id, kind, monitor_id)
    select id, app_id, live, job_id, check_id, 'aml', monitor_id from ${opened} t order by job_id
    on conflict (job_id) do update set
      monitor_id = excluded.monitor_id, kind = excluded.kind, state = 'open', assignee = null, proposal = null, proposed_by = null, escalated_by = null,
      decision = null, decided_by = null, decided_at = null, opened_at = now(), announced_at = null
    where reviews.state in ('decided', 'seconding')`;
}

const ANNOUNCED_AT_ONCE = 1_000;

/** Emits `review.opened` for cases that have not been announced. Any number of processes may do so at once. */
export async function announceReviews({ sql }: Pick<Context, 'sql'>): Promise<void> {
  let announced = ANNOUNCED_AT_ONCE;
  while (announced === ANNOUNCED_AT_ONCE) {
    announced = await sql.begin(async (tx) => {
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
