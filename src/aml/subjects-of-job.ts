/** Whom a job screened, as monitors and clearances know them. */
import type { AppMode } from '../access/owner.ts';
import type { Context } from '../foundation/context.ts';

/** The check whose subjects are cleared and monitored. */
export const SCREENING = 'aml_screening';

type Table = 'aml_monitors' | 'aml_clearances';

/** As `subjectsLike`. Empty if the app has no such screening in this mode. */
export async function subjectsOfJob(ctx: Context, owner: AppMode, jobId: string | null, table: Table): Promise<Buffer[]> {
  const [job] = await ctx.sql<{ subject: Buffer }[]>`
    select subject from jobs
    where id = ${jobId} and app_id = ${owner.appId} and live = ${owner.live} and check_id = ${SCREENING} and subject is not null`;
  if (!job) return [];
  const [subjects] = await subjectsLike(ctx, owner, [job.subject], table);
  return subjects!;
}

/**
 * For each subject of a job, its HMAC under the current index key, then under the other keys that rows of `table` may have used: the job's, a later or an
 * earlier one.
 */
export async function subjectsLike(
  { sql, cipher }: Context,
  { appId, live }: AppMode,
  subjects: readonly Buffer[],
  table: Table,
): Promise<Buffer[][]> {
  const newest = Math.max(1, ...subjects.map((subject) => cipher.keyOf(subject)));
  const stored =
    newest === 1
      ? []
      : await sql<{ subject: Buffer }[]>`
          select distinct subject from ${sql(table)}
          where app_id = ${appId} and live = ${live} and (octet_length(subject) = 32 or get_byte(subject, 0) < ${newest})`;
  const earlier = new Map<string, Buffer[]>();
  for (const { subject: one } of stored)
    for (const hash of cipher.later(one).slice(1)) {
      const hex = hash.toString('hex');
      earlier.set(hex, [...(earlier.get(hex) ?? []), one]);
    }
  return subjects.map((subject) => [cipher.renewed(subject), ...cipher.later(subject), ...(earlier.get(subject.toString('hex')) ?? [])]);
}
