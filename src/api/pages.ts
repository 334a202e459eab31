/** Pages of lists, and their cursors. */
import { ApiError } from '../foundation/errors.ts';
import { type IdPrefix, parseId } from '../foundation/ids.ts';

/** A page of a list that makes its own cursors; `nextCursor` is null on the last page. */
export const page = <Item>(data: Item[], nextCursor: string | null) => ({
  object: 'list' as const,
  data,
  has_more: nextCursor !== null,
  next_cursor: nextCursor,
});

/** A page of items, newest first. `read` holds one more than `limit`, which shows whether more follow. The cursor is the last item's id. */
export function pageById<Item extends { id: string }>(read: Item[], limit: number) {
  const data = read.slice(0, limit);
  return page(data, read.length > limit ? data.at(-1)!.id : null);
}

/** The id in the cursor of such a page; null: the first page. */
export function idCursor(prefix: IdPrefix, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const id = parseId(prefix, cursor);
  if (id) return id;
  throw refusedCursor();
}

/** The cursor is malformed, or one of another list. */
export const refusedCursor = (): ApiError =>
  new ApiError('invalid_request', 'The cursor did not come from this list', {
    details: [{ path: 'cursor', message: 'did not come from this list', rule: 'cursor' }],
  });
