/** Leads to the review case of a job; nothing if it has none. */
import { useResource } from '../parts/resource.tsx';
import { client } from '../state.ts';

export function CaseLink({ job }: { job: string }) {
  const cases = useResource(`case of ${job}`, (signal) => client.reviews.page({ job, limit: 1 }, signal));
  const review = cases.data?.data[0];
  return review ? (
    <a class="button" href={`reviews/${review.id}`}>
      {review.state === 'decided' ? 'Open its review case' : 'Decide or escalate'}
    </a>
  ) : null;
}
