/** The rows of a batch that match a query. Further pages are loaded as somebody scrolls. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { Refused } from '../../client/errors.ts';
import { isAbort } from '../../client/transport.ts';
import { shortId } from '../format.ts';
import { Empty, Failure, Waiting } from '../parts/common.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { client, epoch } from '../state.ts';

interface RowPagesProps {
  /** The batch's id. */
  id: string;
  query: Readonly<Record<string, string | number>>;
  caption: string;
  columns: readonly { name: string; isNumber?: boolean }[];
  /** One for each column. */
  cells: (job: Job) => ComponentChildren[];
  empty: ComponentChildren;
  /** Shown below the last row, once all rows are loaded. */
  foot?: (rows: number) => ComponentChildren;
}

const PAGE = 200;
/** The next page is loaded this many lines before the end of what is loaded. */
const AHEAD = 50;

export function RowPages({ id, query, caption, columns, cells, empty, foot }: RowPagesProps) {
  const [read, setRead] = useState<{ jobs: Job[]; next: string | null; isFirst: boolean }>({ jobs: [], next: null, isFirst: true });
  const [error, setError] = useState<unknown>(null);
  const isLoading = useRef(false);
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => () => stop.abort(), []);
  const load = useCallback(async (cursor: string | null, before: Job[]) => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const page = await client.batches.jobs(id, { ...query, limit: PAGE, cursor }, stop.signal);
      setRead({ jobs: [...before, ...page.data], next: page.next_cursor, isFirst: false });
      setError(null);
    } catch (failure) {
      if (!isAbort(failure)) setError(failure);
    }
    isLoading.current = false;
  }, []);
  useEffect(() => {
    if (read.isFirst || error !== null) void load(read.next, read.jobs);
  }, [epoch.value]);
  const onView = useCallback(
    (first: number, lines: number) => {
      if (read.next !== null && first + lines > read.jobs.length - AHEAD) void load(read.next, read.jobs);
    },
    [read],
  );
  if (error instanceof Refused && error.code === 'resource_not_found') return <Empty title={`${error.message}.`} />;
  if (error !== null) return <Failure error={error} retry={() => void load(read.next, read.jobs)} />;
  if (read.isFirst) return <Waiting />;
  return (
    <>
      {read.jobs.length === 0 ? (
        empty
      ) : (
        <LongTable
          caption={caption}
          columns={columns}
          total={read.jobs.length}
          line={(index) => cells(read.jobs[index]!)}
          onView={onView}
        />
      )}
      {read.next === null && foot?.(read.jobs.length)}
    </>
  );
}

export const RowLink = ({ job: { id, reference } }: { job: Job }) => (
  <a href={`jobs/${id}`}>
    <bdi>{reference ?? shortId(id)}</bdi>
  </a>
);
