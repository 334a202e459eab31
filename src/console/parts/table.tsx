/** A table whose columns are declared once, head and cell together. In a narrow window each row becomes a card; anything still too wide scrolls. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Scroll } from './common.tsx';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  /** `num`: numbers, aligned to the right. `text`: may break into lines. Others as in the stylesheet. */
  style?: string;
  /** Heads its row. */
  isHead?: true;
  /** Its heading is for screen readers only, as in a column of buttons. */
  isNameUnseen?: true;
}

interface TableProps<Row> {
  /** What it lists, and in which order. */
  caption: string;
  /** Default: the caption. */
  name?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  styleOf?: (row: Row) => string | undefined;
  /** What a row that is opened shows below its cells; null: it is closed. */
  opened?: (row: Row) => ComponentChildren;
  /** Has a frame of its own. */
  isCard?: boolean;
}

/** In a window narrower than this, a table with at least so many columns is shown as cards. */
const CARDS_BELOW = [
  { columns: 7, query: '(max-width: 68.6875em)' },
  { columns: 6, query: '(max-width: 56.1875em)' },
  { columns: 0, query: '(max-width: 37.4375em)' },
] as const;

function useMedia(query: string): boolean {
  const [isMet, setMet] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const read = () => setMet(list.matches);
    read();
    list.addEventListener('change', read);
    return () => list.removeEventListener('change', read);
  }, [query]);
  return isMet;
}

export function Table<Row>({ caption, name = caption, columns, rows, keyOf, styleOf, opened, isCard = false }: TableProps<Row>) {
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => () => hasFocus(table.current) && focusHeading(table.current!), []);
  const isStacked = useMedia(CARDS_BELOW.find((one) => columns.length >= one.columns)!.query);
  return (
    <Scroll name={name} isCard={isCard}>
      <table ref={table} class={isStacked ? 'stacked' : undefined}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.style?.startsWith('num') ? 'num' : undefined}>
                {column.isNameUnseen ? <span class="unseen">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const below = opened?.(row) ?? null;
            return (
              <Fragment key={keyOf(row)}>
                <Line style={styleOf?.(row)}>
                  {columns.map((column) => (
                    <Cell key={column.name} column={column} row={row} />
                  ))}
                </Line>
                {below !== null && (
                  <tr class="opened">
                    <td colSpan={columns.length}>{below}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

/** If a row, or a button in it, goes away while it has the focus, the focus moves on. Otherwise the keyboard would start at the top of the page again. */
function Line({ style, children }: { style: string | undefined; children: ComponentChildren }) {
  const element = useRef<HTMLTableRowElement>(null);
  const hadFocus = hasFocus(element.current);
  useLayoutEffect(() => {
    if (hadFocus && !hasFocus(element.current)) passFocus(element.current!);
  });
  useLayoutEffect(() => () => hasFocus(element.current) && passFocus(element.current!, true), []);
  return (
    <tr ref={element} class={style}>
      {children}
    </tr>
  );
}

const hasFocus = (element: HTMLElement | null): boolean => element?.contains(document.activeElement) === true;

/** Moves the focus to a button in this row if the row stays; otherwise in the next row that has one, then in one before it, then to the heading. */
function passFocus(row: HTMLTableRowElement, isGone = false): void {
  const table = row.closest('table')!;
  const rows = [...table.tBodies[0]!.rows];
  const at = rows.indexOf(row);
  const near = [...rows.slice(isGone ? at + 1 : at), ...rows.slice(0, at).reverse()];
  const button = near.map((one) => one.querySelector<HTMLElement>('button:not(:disabled), a[href]')).find((one) => one !== null);
  if (button) button.focus();
  else focusHeading(table);
}

/** Of the section or dialog that the table is in, or else the whole page. */
function focusHeading(table: HTMLElement): void {
  const id = table.closest('[aria-labelledby]')?.getAttribute('aria-labelledby') ?? 'main';
  const heading = document.getElementById(id);
  if (!heading) return;
  heading.tabIndex = -1;
  // If the whole page goes away, the next one must begin at its top.
  heading.focus({ preventScroll: true });
}

/** In a card the column's name is shown beside the value. */
const Cell = <Row,>({ column: { name, cell, style, isHead, isNameUnseen }, row }: { column: Column<Row>; row: Row }) =>
  isHead ? (
    <th scope="row" class={`row-name ${style ?? ''}`}>
      {cell(row)}
    </th>
  ) : (
    <td class={style} data-name={isNameUnseen ? undefined : name}>
      {cell(row)}
    </td>
  );
