/** Records who has seen a job in clear, and why: a row with the reason, and an entry in the audit, in one transaction. */
import type { Purpose } from '../contract/audit.ts';
import type { Context } from '../foundation/context.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import type { AppSettings } from '../schema/apps.ts';
import { type Author, record } from './audit/append.ts';

export interface StoredReveal {
  id: string;
  actorKind: 'key' | 'person';
  actorId: string;
  purpose: Purpose;
  reason: string | null;
  at: string;
}

/** How long a look with a reason opens the job's pictures and report: as long as an approved one. */
const OPEN_SECONDS = 3600;

/** Whether people of the app see data in clear only with a reason or an approval. */
export const seeUnderConditions = ({ revealNeedsReason, approveReveal }: AppSettings): boolean =>
  Boolean(revealNeedsReason || approveReveal);

export async function recordReveal(
  { sql, cipher }: Context,
  job: { id: string; appId: string; live: boolean; subject: Buffer | null },
  by: Author & { purpose: Purpose },
  reason: string | null,
): Promise<void> {
  const id = newId();
  const { appId, live, subject } = job;
  const { seal } = await cipher.sealer({ appId });
  await sql.begin(async (tx) => {
    await tx`
      insert into reveals (id, app_id, live, job_id, actor_kind, actor_id, purpose, reason)
      values (${id}, ${appId}, ${live}, ${job.id}, ${by.actor.kind}, ${by.actor.id}, ${by.purpose}, ${reason && seal(reason, 'reveal', id)})`;
    await record(tx, by, { appId, live, action: 'job.reveal', object: showId('job', job.id), subject });
  });
}

/** Which of these jobs somebody has seen in clear within the last hour. */
export async function revealedOf({ sql }: Pick<Context, 'sql'>, jobIds: readonly string[], actorId: string): Promise<Set<string>> {
  const rows = await sql<{ jobId: string }[]>`
    select distinct job_id from reveals
    where job_id = any(${jobIds as string[]}::uuid[]) and actor_id = ${actorId} and at > now() - make_interval(secs => ${OPEN_SECONDS})`;
  return new Set(rows.map(({ jobId }) => jobId));
}

/** Newest first. `before`: only those before that one; `limit` null: all. */
export async function readReveals(
  { sql, cipher }: Context,
  jobId: string,
  { before = null, limit = null }: { before?: string | null; limit?: number | null } = {},
): Promise<StoredReveal[]> {
  const rows = await sql<(Omit<StoredReveal, 'reason'> & { reason: Buffer | null })[]>`
    select id, actor_kind, actor_id, purpose, reason, at from reveals
    where job_id = ${jobId} ${narrowed(sql, [before !== null && sql`id < ${before}`])} order by id desc limit ${limit}`;
  const { open } = await cipher.opener(rows.map(({ reason }) => reason));
  return rows.map((row) => ({ ...row, reason: row.reason && open(row.reason, 'reveal', row.id) }));
}
