/** A table whose columns are declared once, head and cell together. In a narrow window each row becomes a card; anything still too wide scrolls. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
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
  { columns: 7, query: '(max-width: 1099px)' },
  { columns: 6, query: '(max-width: 899px)' },
  { columns: 0, query: '(max-width: 599px)' },
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
  const isStacked = useMedia(CARDS_BELOW.find((one) => columns.length >= one.columns)!.query);
  return (
    <Scroll name={name} isCard={isCard}>
      <table class={isStacked ? 'stacked' : undefined}>
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
                <tr class={styleOf?.(row)}>
                  {columns.map((column) => (
                    <Cell key={column.name} column={column} row={row} />
                  ))}
                </tr>
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
