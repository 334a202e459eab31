/** Who is meant by an id in a review case. */
import type { Review } from '../../client/reviews.ts';
import { shortId } from '../format.ts';
import { session } from '../state.ts';

/** A name where there is one: somebody who has left has none. */
export function actorName({ names }: Pick<Review, 'names'>, id: string): string {
  if (id === session.value?.person.id) return 'You';
  const name = names?.[id] ?? shortId(id);
  return id.startsWith('key_') ? `Key ${name}` : name;
}
