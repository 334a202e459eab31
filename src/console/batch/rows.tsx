/** The rows of a batch. All of them: any place at once, by row number. Filtered ones: page after page. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isBatchOver } from '../../client/batches.ts';
import type { BatchDetail, InvalidRow, Job } from '../../client/client.ts';
import { isAbort } from '../../client/transport.ts';
import { count, foundWord } from '../format.ts';
import { Empty, Failure, State } from '../parts/common.tsx';
import { filterOf } from '../parts/filter.tsx';
import { textIn } from '../parts/form.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { setQuery } from '../router.ts';
import { client, epoch, may } from '../state.ts';
import { FoundRow } from './found-row.tsx';
import { COLUMNS, cellsOf, invalidCells } from './row-cells.tsx';
import { PAGE_MAX, RowPages } from './row-pages.tsx';

const FILTERS = [
  ['', 'All rows', {}],
  ['found', 'Found', { outcome: 'found' }],
  ['flagged', 'Flagged when answered', { flagged: true }],
  ['not_found', 'Not found', { outcome: 'not_found' }],
  ['failed', 'Failed', { status: 'failed' }],
  ['invalid', 'Invalid', {}],
  ['duplicate', 'Duplicates', { status: 'duplicate' }],
  ['canceled', 'Canceled', { status: 'canceled' }],
  ['queued', 'Waiting', { status: 'queued' }],
] as const;

const FILTER = 'rows-shown';

/** For links that filter the rows from elsewhere on the page: scrolls down to the rows and focuses the filter. */
export function toRows(): void {
  document.getElementById('rows')?.scrollIntoView();
  document.getElementById(FILTER)?.focus({ preventScroll: true });
}

export function Rows({ batch }: { batch: BatchDetail }) {
  const reference = filterOf('reference');
  const filter = reference === '' ? filterOf('rows') : '';
  const [turn, setTurn] = useState(0);
  const { counts } = batch;
  // Not their sum: a retry ends with as many checks done as before.
  const done = `${counts.completed} ${counts.failed} ${counts.canceled}`;
  const doneWhenRead = useRef(done);
  const isOver = isBatchOver(batch);
  const isNews = done !== doneWhenRead.current;
  const refresh = () => {
    doneWhenRead.current = done;
    setTurn((n) => n + 1);
  };
  useEffect(() => {
    if (isOver && isNews) refresh();
  }, [isOver, isNews]);
  if (!may('results:read') || counts.rows === 0) return null;
  const query = FILTERS.find(([id]) => id === filter)?.[2] ?? {};
  return (
    <section class="card" aria-labelledby="rows">
      <header>
        <h2 id="rows">Rows</h2>
        <div class="actions">
          {isNews && !isOver && (
            <button type="button" onClick={refresh}>
              Show new results
            </button>
          )}
          <FindForm reference={reference} />
          <label>
            <span class="unseen">Show</span>
            <select
              id={FILTER}
              value={filter}
              onChange={(event) => {
                setQuery({ rows: event.currentTarget.value, reference: '' });
                refresh();
              }}
            >
              {FILTERS.map(([id, name]) => (
                <option key={id} value={id}>
                  {id === 'found' ? foundWord(batch.checks) : name}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      <ErasedRows number={batch.erased_rows ?? 0} />
      {filter === 'flagged' && (
        <p class="body soft">
          These rows were flagged when they were answered. A row whose hits have all been cleared since says so, and stays in this list.
        </p>
      )}
      {reference !== '' ? (
        <FoundRow key={`${reference} ${turn}`} batch={batch} reference={reference} />
      ) : filter === '' ? (
        <AllRows key={turn} batch={batch} />
      ) : (
        <RowPages<Job | InvalidRow>
          key={`${filter} ${turn}`}
          read={(page, signal) =>
            filter === 'invalid'
              ? client.batches.invalidRows(batch.id, page, signal)
              : client.batches.jobs(batch.id, { ...page, ...query }, signal)
          }
          caption="Rows that match the filter"
          columns={COLUMNS}
          cells={(row) => (row.object === 'job' ? cellsOf([row], false) : invalidCells(row))}
          empty={
            <Empty title="No row matches">
              <button type="button" onClick={() => setQuery({ rows: '' })}>
                Show all rows
              </button>
            </Empty>
          }
        />
      )}
    </section>
  );
}

const FindForm = ({ reference }: { reference: string }) => (
  <form
    class="find"
    onSubmit={(event) => {
      event.preventDefault();
      setQuery({ reference: textIn(new FormData(event.currentTarget), 'reference'), rows: '' });
    }}
  >
    <label>
      <span class="unseen">Reference of a row</span>
      <input key={reference} name="reference" type="search" defaultValue={reference} placeholder="Reference in full" maxLength={200} />
    </label>
    <button type="submit">Find</button>
  </form>
);

const ErasedRows = ({ number }: { number: number }) =>
  number > 0 && (
    <p class="body soft">
      {number === 1
        ? '1 row is gone because the person in it was erased. The counts of this batch still include it.'
        : `${count(number)} rows are gone because the people in them were erased. The counts of this batch still include them.`}
    </p>
  );

const CHUNK_ROWS = 100;
const CHUNKS_KEPT = 30;

interface Chunk {
  jobs: ReadonlyMap<number, Job[]>;
  invalid: ReadonlyMap<number, InvalidRow>;
}

function AllRows({ batch }: { batch: BatchDetail }) {
  const { counts, checks, errors_url } = batch;
  const { rowAt, error, onView, reload } = useChunks(batch);
  const line = (index: number) => {
    const found = rowAt(index + 1);
    if (!found) return null;
    if (found.jobs) return cellsOf(found.jobs, checks.length > 1);
    if (found.invalid) return invalidCells(found.invalid);
    // Once the rows to correct are gone, nothing tells which rows they were.
    const mayBeInvalid = counts.invalid > 0 && errors_url === null;
    return [count(index + 1), '', <State word={mayBeInvalid ? 'Invalid or erased' : 'Erased'} tone="plain" />, '', ''];
  };
  return (
    <>
      {error !== null && <Failure error={error} retry={reload} />}
      <LongTable caption="Rows of the batch" columns={COLUMNS} total={counts.rows} line={line} onView={onView} />
    </>
  );
}

/** Reads the chunks that are in view, and forgets the oldest ones. */
function useChunks({ id, checks, errors_url }: BatchDetail) {
  const size = Math.min(CHUNK_ROWS, Math.floor(PAGE_MAX / checks.length));
  const chunks = useMemo(() => new Map<number, Chunk | 'loading'>(), []);
  const [error, setError] = useState<unknown>(null);
  const [, setLoaded] = useState(0);
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => () => stop.abort(), []);
  const load = useCallback(async (chunk: number) => {
    chunks.set(chunk, 'loading');
    try {
      const first = chunk * size + 1;
      const [{ data }, invalid] = await Promise.all([
        client.batches.jobs(id, { from_row: first, limit: size * checks.length }, stop.signal),
        errors_url === null ? { data: [] } : client.batches.invalidRows(id, { from_row: first, limit: size }, stop.signal),
      ]);
      const jobs = new Map<number, Job[]>();
      for (const job of data) if (job.row! < first + size) jobs.set(job.row!, [...(jobs.get(job.row!) ?? []), job]);
      chunks.delete(chunk);
      chunks.set(chunk, { jobs, invalid: new Map(invalid.data.map((row) => [row.row, row])) });
      for (const old of [...chunks.keys()].slice(0, -CHUNKS_KEPT)) chunks.delete(old);
      setError(null);
      setLoaded((n) => n + 1);
    } catch (failure) {
      if (chunks.get(chunk) === 'loading') chunks.delete(chunk);
      if (!isAbort(failure)) setError(failure);
    }
  }, []);
  const inView = useRef({ first: 0, lines: 0 });
  const loadView = useCallback(() => {
    const { first, lines } = inView.current;
    for (let chunk = Math.floor(first / size); chunk <= Math.floor((first + lines - 1) / size); chunk++)
      if (!chunks.has(chunk)) void load(chunk);
  }, []);
  /** A scrollbar that is dragged passes thousands of places: only where it rests is read. */
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onView = useCallback((first: number, lines: number) => {
    inView.current = { first, lines };
    clearTimeout(resting.current);
    if (chunks.size === 0) loadView();
    else resting.current = setTimeout(loadView, 80);
  }, []);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) {
      chunks.clear();
      loadView();
    }
    isFirst.current = false;
  }, [epoch.value]);
  /** What is in a row; null while its chunk is not loaded. */
  const rowAt = (row: number) => {
    const chunk = chunks.get(Math.floor((row - 1) / size));
    if (!chunk || chunk === 'loading') return null;
    return { jobs: chunk.jobs.get(row), invalid: chunk.invalid.get(row) };
  };
  return { rowAt, error, onView, reload: loadView };
}
