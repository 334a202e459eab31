/** Whom a job screened, as monitors and clearances know them. */
import type { AppMode } from '../access/owner.ts';
import type { Context } from '../foundation/context.ts';

/** The check whose subjects are cleared and monitored. */
export const SCREENING = 'aml_screening';

/**
 * The subject's HMAC under the current index key, then under the other keys that rows of `table` may have used: the job's, a later or an earlier one. Empty if the
 * app has no such screening in this mode.
 */
export async function subjectsOfJob(
  { sql, cipher }: Context,
  { appId, live }: AppMode,
  jobId: string | null,
  table: 'aml_monitors' | 'aml_clearances',
): Promise<Buffer[]> {
  const [job] = await sql<{ subject: Buffer }[]>`
    select subject from jobs where id = ${jobId} and app_id = ${appId} and live = ${live} and check_id = ${SCREENING} and subject is not null`;
  if (!job) return [];
  const { subject } = job;
  const key = cipher.keyOf(subject);
  const stored =
    key === 1
      ? []
      : await sql<{ subject: Buffer }[]>`
          select distinct subject from ${sql(table)}
          where app_id = ${appId} and live = ${live} and (octet_length(subject) = 32 or get_byte(subject, 0) < ${key})`;
  const earlier = stored.filter((one) => cipher.later(one.subject).some((hash) => hash.equals(subject)));
  return [cipher.renewed(subject), ...cipher.later(subject), ...earlier.map((one) => one.subject)];
}
