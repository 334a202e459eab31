/** The row of a batch that has a reference. */
import { useEffect, useState } from 'preact/hooks';
import type { BatchDetail, InvalidRow, Job, RowPage } from '../../client/client.ts';
import { isAbort, type Page } from '../../client/transport.ts';
import { count } from '../format.ts';
import { Empty, Failure, Waiting } from '../parts/common.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { setQuery } from '../router.ts';
import { client, epoch } from '../state.ts';
import { COLUMNS, cellsOf, invalidCells } from './row-cells.tsx';
import { PAGE_MAX } from './row-pages.tsx';

interface Look {
  jobs: Job[];
  /** If the row has no jobs. */
  invalid: InvalidRow | null;
  lookedTo: number;
  isOver: boolean;
}

/** Finds the row with a reference. The service searches for as long as a request may take, and says how far it got: a batch of a million rows takes several requests. */
export function FoundRow({ batch: { id, counts, checks }, reference }: { batch: BatchDetail; reference: string }) {
  const [{ jobs, invalid, lookedTo, isOver }, setLook] = useState<Look>({ jobs: [], invalid: null, lookedTo: 0, isOver: false });
  const [error, setError] = useState<unknown>(null);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const findJobs = async () => {
      for (let cursor: string | null = null; ; ) {
        const page: RowPage = await client.batches.jobs(id, { reference, limit: PAGE_MAX, cursor }, stop.signal);
        cursor = page.next_cursor;
        if (page.data.length > 0 || cursor === null) return page.data;
        setLook({ jobs: [], invalid: null, lookedTo: page.searched_to_row ?? 0, isOver: false });
      }
    };
    const findInvalid = async () => {
      for (let cursor: string | null = null; ; ) {
        const page: Page<InvalidRow> = await client.batches.invalidRows(id, { reference, cursor }, stop.signal);
        cursor = page.next_cursor;
        if (page.data.length > 0 || cursor === null) return page.data[0] ?? null;
      }
    };
    const search = async () => {
      const jobs = await findJobs();
      const invalid = jobs.length === 0 && counts.invalid > 0 ? await findInvalid() : null;
      setLook({ jobs, invalid, lookedTo: counts.rows, isOver: true });
    };
    setError(null);
    search().catch((failure: unknown) => isAbort(failure) || setError(failure));
    return () => stop.abort();
  }, [again, epoch.value]);
  if (error !== null) return <Failure error={error} retry={() => setAgain(again + 1)} />;
  if (!isOver) return <Waiting what={`Looking for it: row ${count(lookedTo)} of ${count(counts.rows)}`} />;
  if (jobs.length > 0 || invalid !== null)
    return (
      <LongTable
        caption="The row with this reference"
        columns={COLUMNS}
        total={1}
        line={() => (invalid === null ? cellsOf(jobs, checks.length > 1) : invalidCells(invalid))}
        onView={() => {}}
      />
    );
  return (
    <Empty title={`No row of this batch has the reference “${reference}”.`}>
      <p>Type it exactly as in the file.</p>
      <button type="button" onClick={() => setQuery({ reference: '' })}>
        Show all rows
      </button>
    </Empty>
  );
}
