/** The rows of all batches, and the single jobs, that have a reference: where one customer is. The service searches for as long as a request may take, and says how far it got. */
import { useEffect, useState } from 'preact/hooks';
import type { FoundRow } from '../../client/batches.ts';
import type { Job } from '../../client/client.ts';
import { isAbort } from '../../client/transport.ts';
import { checkName, count, jobState, shortId } from '../format.ts';
import { Empty, Failure, State, Time, Waiting } from '../parts/common.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { client, epoch, scope } from '../state.ts';
import { wordsOf } from './row-cells.tsx';

/** `row`: null for a single job. */
type Place = Omit<FoundRow, 'object' | 'batch' | 'row'> & { batch: string | null; row: number | null };

interface Search {
  places: Place[];
  /** ISO time: batches that were submitted later have been searched. Null: at the beginning. */
  searchedTo: string | null;
  isOver: boolean;
}

const BEGINNING: Search = { places: [], searchedTo: null, isOver: false };
const SINGLE_MAX = 100;

export function RowsWithReference({ reference }: { reference: string }) {
  const [{ places, searchedTo, isOver }, setSearch] = useState(BEGINNING);
  const [error, setError] = useState<unknown>(null);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const search = async () => {
      const { data } = await client.jobs.page({ reference, limit: SINGLE_MAX }, stop.signal);
      const single = data.map(
        (job): Place => ({
          batch: null,
          batch_reference: null,
          created_at: job.created_at,
          row: null,
          problems: null,
          jobs: [job],
        }),
      );
      const places = [...single];
      for (let cursor: string | null = null; ; ) {
        const page = await client.batches.rows({ reference, cursor: cursor ?? undefined }, stop.signal);
        places.push(...page.data);
        cursor = page.next_cursor;
        setSearch({ places: [...places], searchedTo: page.searched_to, isOver: cursor === null });
        if (cursor === null) return;
      }
    };
    setError(null);
    setSearch(BEGINNING);
    search().catch((failure: unknown) => isAbort(failure) || setError(failure));
    return () => stop.abort();
  }, [reference, again, epoch.value, scope.value]);
  return (
    <section class="card" aria-labelledby="rows-found">
      <header>
        <h2 id="rows-found">
          Rows with the reference “<bdi>{reference}</bdi>”
        </h2>
      </header>
      {places.length > 0 && (
        <Table
          caption="Rows with this reference, newest batch first"
          name="Rows with this reference"
          rows={places}
          keyOf={({ batch, row, jobs }) => `${batch ?? jobs[0]!.id} ${row} ${jobs.length}`}
          columns={columnsFor(reference)}
        />
      )}
      {error !== null ? (
        <Failure error={error} retry={() => setAgain(again + 1)} />
      ) : !isOver ? (
        <Waiting
          what={
            searchedTo === null ? (
              'Looking in every batch'
            ) : (
              <>
                Looking in batches before <Time at={searchedTo} />
              </>
            )
          }
        />
      ) : (
        places.length === 0 && (
          <Empty title="No row has this reference">
            <p>Type it exactly as in the file.</p>
          </Empty>
        )
      )}
    </section>
  );
}

const stateOf = (job: FoundRow['jobs'][number]) => jobState({ ...(job as Job), result: null });

const columnsFor = (reference: string): readonly Column<Place>[] => [
  {
    name: 'Batch',
    isHead: true,
    cell: ({ batch, batch_reference, row, jobs }) =>
      batch === null ? (
        <a href={`jobs/${jobs[0]!.id}`}>A single job</a>
      ) : (
        <>
          <a href={`batches/${batch}?${new URLSearchParams({ reference })}`}>
            {batch_reference === null ? `Batch ${shortId(batch)}` : <bdi>{batch_reference}</bdi>}
          </a>
          <small class="block soft">row {count(row!)}</small>
        </>
      ),
  },
  {
    name: 'Outcome',
    cell: ({ jobs }) =>
      jobs.length === 0 ? (
        <State word="Invalid" tone="warn" />
      ) : (
        <span class="states">
          {jobs.map((job) => (
            <a key={job.id} class="bare" href={`jobs/${job.id}`}>
              <span class="small soft">{checkName(job.check)} </span>
              <State {...stateOf(job)} />
            </a>
          ))}
        </span>
      ),
  },
  {
    name: 'Note',
    style: 'text',
    cell: ({ problems, jobs }) =>
      problems ? wordsOf(problems) : [...new Set(jobs.flatMap(({ error }) => error?.message ?? []))].join('; '),
  },
  { name: 'Submitted', cell: ({ created_at }) => <Time at={created_at} /> },
];
