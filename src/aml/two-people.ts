/** Where an app demands two people for its reviews, nobody clears a hit alone: two people must have approved the review case of the screening. */
import type { AppMode } from '../access/owner.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { DigestOf } from './digests.ts';
import { digestIndexes, sourceIndexes } from './listings.ts';

interface Asked {
  job?: string | undefined;
  list: string;
  source_id: string;
}

/**
 * `shown`: the list version of the hit in the stored result of the job; undefined if it has no such hit. Returns the list version since which the entry must not have changed;
 * undefined if it is known to be as the two people saw it. Throws `conflict` unless they approved the case of the job, with this hit among what was found.
 */
export async function versionApproved(
  ctx: Context,
  digestOf: DigestOf,
  owner: AppMode,
  asked: Asked,
  shown: string | undefined,
): Promise<string | undefined> {
  if (asked.job === undefined)
    throw new ApiError('conflict', 'In this app two people decide: clear the hit by the `job` whose review case they approved');
  const [approved] = await ctx.sql<Approved[]>`
    select monitor_id, decided_at from reviews
    where job_id = ${parseId('job', asked.job)} and app_id = ${owner.appId} and live = ${owner.live}
      and state = 'decided' and decision = 'approve' and proposed_by <> decided_by`;
  if (!approved) throw new ApiError('conflict', 'In this app two people decide: have them approve the review case of this job first');
  if (await hasFound(ctx, digestOf, owner, asked, approved)) return undefined;
  if (shown === undefined)
    throw new ApiError(
      'conflict',
      'In this app two people decide, and neither the stored result of this job nor its monitor has such a hit',
    );
  return shown;
}

interface Approved {
  /** Whose new hits opened the case; null: none. */
  monitorId: string | null;
  decidedAt: string;
}

/** Whether the monitor found the entry, as it is now, before the case was decided. */
async function hasFound(
  { sql, cipher }: Context,
  digestOf: DigestOf,
  { live }: AppMode,
  { list, source_id: sourceId }: Asked,
  { monitorId, decidedAt }: Approved,
): Promise<boolean> {
  const digest = monitorId === null ? null : await digestOf(live, list, sourceId);
  if (monitorId === null || digest === null) return false;
  const [found] = await sql`
    select 1 from aml_monitor_hits
    where monitor_id = ${monitorId} and list = ${list} and at <= ${decidedAt}
      and source_index = any(${byteaArray(sourceIndexes(cipher, { monitorId }, sourceId))}::bytea[])
      and digest = any(${byteaArray(digestIndexes(cipher, { monitorId }, { list, sourceId, digest }))}::bytea[])`;
  return found !== undefined;
}
