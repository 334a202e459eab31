/** The app's batches, newest first. Running ones update by themselves. */
import type { Batch } from '../../client/client.ts';
import { CREATED, NAME, PROGRESS, STATE } from '../batch/columns.tsx';
import { RowsWithReference } from '../batch/rows-with-reference.tsx';
import { UploadLink } from '../batch/upload-link.tsx';
import { batchStates, checkName, count, naira } from '../format.ts';
import { Empty } from '../parts/common.tsx';
import { Filter, FilterForm, filterOf, Search } from '../parts/filter.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { setQuery } from '../router.ts';
import { client, may, mode } from '../state.ts';

const PAGE = 50;
const EVERY_MS = 5_000;

export default function BatchesPage() {
  const status = filterOf('status');
  const reference = filterOf('reference');
  const batches = useList<Batch>(
    `batches ${status} ${reference}`,
    (cursor, signal) => client.batches.page({ status, reference, limit: PAGE, cursor }, signal),
    { everyMs: EVERY_MS },
  );
  return (
    <>
      <div class="head">
        <h1>Batches</h1>
        <UploadLink />
      </div>
      <Filters />
      <Listed of={batches} empty={<Nothing isFiltered={status !== '' || reference !== ''} reference={reference} />}>
        {(items) => <Table caption="Batches, newest first" name="Batches" isCard rows={items} keyOf={({ id }) => id} columns={COLUMNS} />}
      </Listed>
      {reference !== '' && may('results:read') && <RowsWithReference reference={reference} />}
    </>
  );
}

const STATES = [['', 'All'] as const, ...Object.entries(batchStates).map(([id, { word }]) => [id, word] as const)];

const Filters = () => (
  <FilterForm>
    <Filter name="status" label="State" options={STATES} />
    <Search name="reference" label="Batch or row reference" placeholder="In full" />
  </FilterForm>
);

const Nothing = ({ isFiltered, reference }: { isFiltered: boolean; reference: string }) =>
  isFiltered ? (
    <Empty title={reference === '' ? 'No batch matches' : 'No batch itself has this reference'}>
      <button type="button" onClick={() => setQuery({ status: '', reference: '' })}>
        Show all batches
      </button>
    </Empty>
  ) : (
    <Empty title={`No batches in ${mode.value} mode yet`}>
      <p>
        A batch is a file of customers that is checked row by row.
        {may('batches:write', 'wallet:read') && ' Upload your first file to begin.'}
      </p>
    </Empty>
  );

const NAMED_WITH_CHECKS: Column<Batch> = {
  ...NAME,
  style: 'text',
  cell: (batch) => (
    <>
      {NAME.cell(batch)}
      <small class="soft below">{batch.checks.map(checkName).join(', ')}</small>
    </>
  ),
};

const COLUMNS: readonly Column<Batch>[] = [
  NAMED_WITH_CHECKS,
  STATE,
  { name: 'Rows', style: 'num', cell: ({ counts }) => count(counts.rows) },
  PROGRESS,
  { name: 'Found', style: 'num', cell: ({ counts }) => count(counts.found) },
  { name: 'Failed', style: 'num', cell: ({ counts }) => count(counts.failed) },
  { name: 'Cost', style: 'num', cell: ({ billed_amount }) => naira(billed_amount) },
  CREATED,
];
