/** The person or key behind an id in a review case. */
import type { Review } from '../../client/reviews.ts';
import { shortId } from '../format.ts';
import { session } from '../state.ts';

/** Falls back to the id: people who have left have no name. */
export function actorName({ names }: Pick<Review, 'names'>, id: string): string {
  if (id === session.value?.person.id) return 'You';
  const name = names?.[id] ?? shortId(id);
  return id.startsWith('key_') ? `Key ${name}` : name;
}
