/** How the app itself knows the row of a case: by its reference, and by its place in a batch. */
import type { Review } from '../../client/reviews.ts';
import { count, shortId } from '../format.ts';

export const RowOf = ({ review: { reference, batch, row } }: { review: Review }) => (
  <>
    {reference && <bdi>{reference}</bdi>}
    {batch ? (
      <div class="soft small">
        Row {count(row!)} of{' '}
        <a class="nowrap" href={`batches/${batch}`}>
          batch {shortId(batch)}
        </a>
      </div>
    ) : (
      !reference && <span class="soft">A single job</span>
    )}
  </>
);
