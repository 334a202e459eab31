/** A list that is read page by page: the first by itself, each further one at the press of a button. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Page } from '../../client/transport.ts';
import { Loaded, type Resource, useResource } from './resource.tsx';
import { attempt } from './toasts.tsx';

export interface List<Item> {
  first: Resource<Page<Item>>;
  items: Item[];
  /** Null: there is no more. */
  more: (() => Promise<unknown>) | null;
  reload(): void;
}

interface ListOptions<Item> {
  /** Read again while the tab is visible. Pages that follow stay, and an item is shown once, at its newest. */
  everyMs?: number;
  idOf?: (item: Item) => string;
}

export function useList<Item extends object>(
  key: string,
  load: (cursor: string | null, signal?: AbortSignal) => Promise<Page<Item>>,
  { everyMs, idOf }: ListOptions<Item> = {},
): List<Item> {
  const first = useResource(key, (signal) => load(null, signal), { everyMs: everyMs ?? null });
  const [further, setFurther] = useState<{ of: unknown; pages: Page<Item>[] }>({ of: null, pages: [] });
  // Otherwise the following pages no longer fit the new first page.
  const of = everyMs === undefined ? first.data : key;
  const pages = first.data === null ? [] : [first.data, ...(further.of === of ? further.pages : [])];
  const cursor = pages.at(-1)?.next_cursor ?? null;
  const all = pages.flatMap(({ data }) => data);
  return {
    first,
    items: idOf ? [...new Map(all.toReversed().map((item) => [idOf(item), item])).values()].toReversed() : all,
    more: cursor === null ? null : () => attempt(async () => setFurther({ of, pages: [...pages.slice(1), await load(cursor)] }), null),
    reload: first.reload,
  };
}

/** The list in each of its states. */
export function Listed<Item>({
  of: { first, items, more },
  empty,
  children,
}: {
  of: List<Item>;
  empty: ComponentChildren;
  children: (items: Item[]) => ComponentChildren;
}) {
  return (
    <Loaded of={first}>
      {() =>
        items.length === 0 && more === null ? (
          empty
        ) : (
          <>
            {items.length > 0 && children(items)}
            {more && (
              <div>
                <button type="button" onClick={() => void more()}>
                  Show more
                </button>
              </div>
            )}
          </>
        )
      }
    </Loaded>
  );
}
