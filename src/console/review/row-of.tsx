/** How the app itself knows the row of a case: by its reference, and by its place in a batch. */
import type { Review } from '../../client/reviews.ts';
import { count } from '../format.ts';
import { BatchName } from '../parts/batch-name.tsx';

export const RowOf = ({ review: { reference, batch, row } }: { review: Review }) => (
  <>
    {reference && <bdi>{reference}</bdi>}
    {batch ? (
      <div class="soft small">
        Row {count(row!)} of <BatchName id={batch} />
      </div>
    ) : (
      !reference && <span class="soft">A single job or call</span>
    )}
  </>
);
