/**
 * A table of up to millions of lines, of which only those in view are in the page. The lines scroll by whole lines under a heading that stays; the scrollbar
 * stands for all of them.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../format.ts';
import { keep, kept } from '../kept-place.ts';

interface LongTableProps {
  caption: string;
  /** Names of the columns; `num` ones are aligned to the right. */
  columns: readonly { name: string; isNumber?: boolean }[];
  total: number;
  /** More lines than `total` may follow. */
  hasMore?: boolean;
  /** The cells of a line, the first of which heads it; null while it is not loaded. */
  line: (index: number) => ComponentChildren[] | null;
  /** Called when other lines come into view. */
  onView: (first: number, count: number) => void;
}

/** Firefox's limit is 17.9 million pixels. In longer tables the scrollbar's steps stand for more than a line. */
const PIXELS_MAX = 16_000_000;
const LINES = 14;

export function LongTable({ caption, columns, total, hasMore = false, line, onView }: LongTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(36);
  const [first, setFirst] = useState(0);
  const lines = Math.min(LINES, total);
  const last = Math.max(0, total - lines);
  const start = Math.min(first, last);
  const pixels = Math.min(total * height, PIXELS_MAX);
  /** How far the box scrolls for a line. */
  const step = last === 0 ? height : (pixels - lines * height) / last;

  useLayoutEffect(() => {
    const row = box.current?.querySelector('tbody tr');
    if (row) setHeight(row.getBoundingClientRect().height || 36);
  }, [total === 0]);
  useEffect(() => {
    if (lines > 0) onView(start, lines);
  }, [start, lines, onView]);

  const goTo = (index: number) => {
    if (box.current) box.current.scrollTop = Math.max(0, Math.min(index, last)) * step;
  };
  const keepPlace = useKeptPlace(caption, start, (line) => {
    box.current?.scrollIntoView({ block: 'nearest' });
    goTo(line);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current) return;
    const moves: Record<string, number> = {
      ArrowDown: start + 1,
      ArrowUp: start - 1,
      PageDown: start + lines - 1,
      PageUp: start - lines + 1,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    goTo(to);
  };
  /** Where a line's scroll step is less than its height, the wheel would leap over lines. */
  const onWheel = (event: WheelEvent) => {
    const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null;
    if (isInDialog || step >= height || event.deltaY === 0) return;
    event.preventDefault();
    goTo(start + Math.round(event.deltaY / height || Math.sign(event.deltaY)));
  };
  return (
    <>
      <section
        class="long"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
        tabIndex={0}
        aria-label={caption}
        onScroll={(event) => setFirst(Math.round(event.currentTarget.scrollTop / step))}
        onKeyDown={onKeyDown}
        onWheel={onWheel}
        onClickCapture={keepPlace}
      >
        <div style={{ height: `${pixels + height}px` }}>
          <table aria-rowcount={total + 1}>
            <caption class="unseen">{caption}</caption>
            <thead>
              <tr aria-rowindex={1}>
                {columns.map(({ name, isNumber }) => (
                  <th key={name} scope="col" class={isNumber ? 'num' : undefined}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: lines }, (_, at) => {
                const index = start + at;
                return <Line key={index} index={index} columns={columns} cells={line(index)} />;
              })}
            </tbody>
          </table>
        </div>
      </section>
      {total > lines && (
        <p class="printed">
          Rows {count(start + 1)}–{count(start + lines)} of {hasMore ? 'more than ' : ''}
          {count(total)}. Download the file for all of them.
        </p>
      )}
    </>
  );
}

interface LineProps {
  index: number;
  columns: LongTableProps['columns'];
  cells: ComponentChildren[] | null;
}

const Line = ({ index, columns, cells }: LineProps) => (
  <tr aria-rowindex={index + 2}>
    {columns.map(({ name, isNumber }, column) => (
      <td key={name} class={isNumber ? 'num' : undefined}>
        {cells ? cells[column] : column === 0 ? <span class="soft">…</span> : null}
      </td>
    ))}
  </tr>
);

/** Somebody who goes through rows one by one comes back to where they were. Returns the handler that keeps the line when a link is followed. */
function useKeptPlace(table: string, line: number, goBack: (line: number) => void) {
  useLayoutEffect(() => {
    const before = kept();
    if (before.table !== table) return;
    // Once: the same table may be opened again later.
    keep({ table: null });
    goBack(before.line ?? 0);
  }, []);
  return (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('a')) keep({ table, line });
  };
}
