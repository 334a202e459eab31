/** A list that is read page by page: the first page at once, each further one when a button is pressed. A refresh reads all pages that are shown. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Page } from '../../client/transport.ts';
import { count } from '../format.ts';
import { keep, kept } from '../kept-place.ts';
import { Loaded, type Resource, useEvery, useResource } from './resource.tsx';
import { attempt } from './toasts.tsx';

export interface List<Item> {
  pages: Resource<Page<Item>[]>;
  items: Item[];
  /** Null: there is no more. */
  more: (() => Promise<unknown>) | null;
  reload(): void;
}

interface ListOptions<Item> {
  /** How often a page is refreshed while the tab is visible. With several pages shown, a full refresh takes several times as long. */
  everyMs?: number;
  /** Refresh only while this holds for the items shown. */
  isMoving?: (items: Item[]) => boolean;
}

export function useList<Item extends object>(
  key: string,
  load: (cursor: string | null, signal?: AbortSignal) => Promise<Page<Item>>,
  { everyMs, isMoving = () => true }: ListOptions<Item> = {},
): List<Item> {
  // As many as were shown when somebody left the page and comes back.
  const wanted = useRef({ key, pages: kept().pages?.[key] ?? 1 });
  if (wanted.current.key !== key) wanted.current = { key, pages: 1 };
  const pages = useResource(key, async (signal) => {
    const read = [await load(null, signal)];
    for (let next = read[0]!.next_cursor; next !== null && read.length < wanted.current.pages; next = read.at(-1)!.next_cursor)
      read.push(await load(next, signal));
    return read;
  });
  const shown = pages.data ?? [];
  const items = shown.flatMap(({ data }) => data);
  useEvery(everyMs !== undefined && isMoving(items) ? everyMs * Math.max(1, shown.length) : null, pages.refresh);
  const cursor = shown.at(-1)?.next_cursor ?? null;
  const end = useRef(cursor);
  end.current = cursor;
  const more = async () => {
    wanted.current.pages = shown.length + 1;
    keep({ pages: { ...kept().pages, [key]: shown.length + 1 } });
    const next = await load(cursor);
    // If the list was refreshed meanwhile, it may end elsewhere, and this page would leave a gap.
    pages.set((before) => (before.at(-1)?.next_cursor === cursor ? [...before, next] : before));
    if (end.current !== cursor) pages.reload();
  };
  return { pages, items, more: cursor === null ? null : () => attempt(more, null), reload: pages.reload };
}

/** The list in each of its states. */
export function Listed<Item>({
  of: { pages, items, more },
  empty,
  children,
}: {
  of: List<Item>;
  empty: ComponentChildren;
  children: (items: Item[]) => ComponentChildren;
}) {
  return (
    <Loaded of={pages}>
      {() =>
        items.length === 0 && more === null ? (
          empty
        ) : (
          <>
            {items.length > 0 && children(items)}
            {more && (
              <>
                <div>
                  <button type="button" onClick={() => void more()}>
                    Show more
                  </button>
                </div>
                <p class="printed">The first {count(items.length)}. More follow in the console.</p>
              </>
            )}
          </>
        )
      }
    </Loaded>
  );
}
