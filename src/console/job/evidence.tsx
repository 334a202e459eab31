/** What a check was given and what it found, as whoever decides about it must see it: on the page of the job, and on that of its review case. */
import type { Job } from '../../client/client.ts';
import { CompanyHits } from './company-hits.tsx';
import type { Hit } from './explained-hit.tsx';
import { Faces } from './faces.tsx';
import { Fields } from './fields.tsx';
import { Hits } from './hits.tsx';

/** Undefined if the check does not screen, or has no result. */
export const hitsOf = (job: Job): readonly Hit[] | undefined => job.result?.hits as Hit[] | undefined;

const isFace = (job: Job): boolean => job.result !== null && 'liveness' in job.result;

/** Whether a result of this kind may have opened a review case. */
export const isReviewed = (job: Job): boolean => isFace(job) || hitsOf(job) !== undefined || isCompany(job);

const isCompany = (job: Job): boolean => job.result !== null && 'overall_risk' in job.result;

/** `onShown`: the job has changed, because a hit was cleared. */
export function Evidence({ job, onShown }: { job: Job; onShown: (job: Job) => void }) {
  const hits = hitsOf(job);
  return (
    <>
      {hits && (
        <Hits
          job={job}
          hits={hits}
          total={job.result!.total_hits as number}
          onCleared={(cleared) => onShown({ ...job, ...(cleared && { cleared }) })}
        />
      )}
      {isCompany(job) && <CompanyHits job={job} />}
      <Fields submitted={job.submitted ?? null} found={job.result} />
      {isFace(job) && <Faces job={job} />}
    </>
  );
}
