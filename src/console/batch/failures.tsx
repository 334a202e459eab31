/** Why checks of a batch failed, and how many for each reason. */
import { hasBatchEnded, isBatchOver } from '../../client/batches.ts';
import type { BatchDetail, BatchFailure } from '../../client/client.ts';
import { checkName, count } from '../format.ts';
import { Loaded, useResource } from '../parts/resource.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { client, may } from '../state.ts';
import { toRows } from './rows.tsx';

/** The service looks through all the batch's checks to answer. */
const RUNNING_MS = 15_000;

export function Failures({ batch }: { batch: BatchDetail }) {
  // Of a deleted batch only the counts are left.
  if (batch.counts.failed === 0 || (isBatchOver(batch) && !hasBatchEnded(batch)) || !may('results:read')) return null;
  return <Reasons batch={batch} />;
}

function Reasons({ batch: { id, status, counts, checks } }: { batch: BatchDetail }) {
  const isRunning = status === 'running' || status === 'canceling';
  const failures = useResource(
    `failures ${id} ${status} ${isRunning ? '' : counts.failed}`,
    (signal) => client.batches.failures(id, signal),
    {
      everyMs: isRunning ? RUNNING_MS : null,
    },
  );
  return (
    <section class="card" aria-labelledby="failures">
      <header>
        <h2 id="failures">Why checks failed</h2>
        <div class="actions">
          <a class="button" href={`batches/${id}?rows=failed`} onClick={toRows}>
            Show these rows
          </a>
        </div>
      </header>
      <Loaded of={failures}>
        {({ data }) => (
          <Table
            caption="Reasons, the most frequent first"
            columns={checks.length > 1 ? [CHECK, ...COLUMNS] : COLUMNS}
            rows={data}
            keyOf={({ check, message }) => `${check} ${message}`}
          />
        )}
      </Loaded>
    </section>
  );
}

const CHECK: Column<BatchFailure> = { name: 'Check', cell: ({ check }) => checkName(check) };

const COLUMNS: readonly Column<BatchFailure>[] = [
  { name: 'Reason', cell: ({ message }) => message },
  { name: 'Checks', style: 'num', cell: ({ jobs }) => count(jobs) },
  { name: 'First row', style: 'num', cell: ({ first_row }) => count(first_row) },
];
