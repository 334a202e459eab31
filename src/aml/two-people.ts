/** Where an app demands two people for its reviews, nobody clears a hit alone: two people must have approved the review case of the screening. */
import type { Owner } from '../access/owner.ts';
import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';

/** `hasHit`: whether the stored result of the job has the hit, so that the two could see it. Throws `conflict` unless they approved the case. */
export async function refuseAlone(
  { sql }: Pick<Context, 'sql'>,
  { appId, live }: Pick<Owner, 'appId' | 'live'>,
  job: string | undefined,
  hasHit: boolean,
): Promise<void> {
  if (job === undefined)
    throw new ApiError('conflict', 'In this app two people decide: clear the hit by the `job` whose review case they approved');
  const [approved] = await sql`
    select 1 from reviews
    where job_id = ${parseId('job', job)} and app_id = ${appId} and live = ${live}
      and state = 'decided' and decision = 'approve' and proposed_by <> decided_by`;
  if (!approved) throw new ApiError('conflict', 'In this app two people decide: have them approve the review case of this job first');
  if (!hasHit) throw new ApiError('conflict', 'In this app two people decide, and the stored result of this job has no such hit');
}
