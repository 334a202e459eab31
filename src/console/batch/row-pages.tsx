/** The rows of a batch that match a query. Further pages are loaded as somebody scrolls. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { Refused } from '../../client/errors.ts';
import { isAbort } from '../../client/transport.ts';
import { shortId } from '../format.ts';
import { Empty, Failure, Waiting } from '../parts/common.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { epoch } from '../state.ts';

interface RowPagesProps<Row> {
  read: (query: { limit: number; cursor: string | null }, signal: AbortSignal) => Promise<{ data: Row[]; next_cursor: string | null }>;
  caption: string;
  columns: readonly { name: string; isNumber?: boolean }[];
  /** One for each column. */
  cells: (row: Row) => ComponentChildren[];
  empty: ComponentChildren;
  /** Shown below the last row, once all rows are loaded. */
  foot?: (rows: number) => ComponentChildren;
}

/** The most rows or jobs in one answer. */
export const PAGE_MAX = 1_000;
const PAGE = 200;
/** The next page is loaded this many lines before the end of what is loaded. */
const AHEAD = 50;

export function RowPages<Row>({ read, caption, columns, cells, empty, foot }: RowPagesProps<Row>) {
  const [loaded, setLoaded] = useState<{ rows: Row[]; next: string | null; isFirst: boolean }>({ rows: [], next: null, isFirst: true });
  const [error, setError] = useState<unknown>(null);
  const isLoading = useRef(false);
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => () => stop.abort(), []);
  const load = useCallback(async (cursor: string | null, before: Row[]) => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const page = await read({ limit: PAGE, cursor }, stop.signal);
      setLoaded({ rows: [...before, ...page.data], next: page.next_cursor, isFirst: false });
      setError(null);
    } catch (failure) {
      if (!isAbort(failure)) setError(failure);
    }
    isLoading.current = false;
  }, []);
  useEffect(() => {
    if (loaded.isFirst || error !== null) void load(loaded.next, loaded.rows);
  }, [epoch.value]);
  const onView = useCallback(
    (first: number, lines: number) => {
      if (loaded.next !== null && first + lines > loaded.rows.length - AHEAD) void load(loaded.next, loaded.rows);
    },
    [loaded],
  );
  if (error instanceof Refused && error.code === 'resource_not_found') return <Empty title={`${error.message}.`} />;
  const failure = error !== null && <Failure error={error} retry={() => void load(loaded.next, loaded.rows)} />;
  if (loaded.isFirst) return failure || <Waiting />;
  return (
    <>
      {failure}
      {loaded.rows.length === 0 ? (
        empty
      ) : (
        <LongTable
          caption={caption}
          columns={columns}
          total={loaded.rows.length}
          hasMore={loaded.next !== null}
          line={(index) => cells(loaded.rows[index]!)}
          onView={onView}
        />
      )}
      {loaded.next === null && foot?.(loaded.rows.length)}
    </>
  );
}

export const RowLink = ({ job: { id, reference } }: { job: Job }) => (
  <a href={`jobs/${id}`}>
    <bdi>{reference ?? shortId(id)}</bdi>
  </a>
);
