/** Columns of tables that list batches. */
import type { Batch } from '../../client/client.ts';
import { batchState, count, madeOf, shortId } from '../format.ts';
import { State, Time } from '../parts/common.tsx';
import { OutcomeBar } from '../parts/outcomes.tsx';
import type { Column } from '../parts/table.tsx';

export const NAME: Column<Batch> = {
  name: 'Batch',
  isHead: true,
  cell: ({ id, reference }) => (
    <a href={`batches/${id}`}>
      <bdi>{reference ?? shortId(id)}</bdi>
    </a>
  ),
};

export const STATE: Column<Batch> = { name: 'State', cell: (batch) => <State {...batchState(batch)} /> };

export const PROGRESS: Column<Batch> = {
  name: 'Progress',
  cell: (batch) => {
    const made = madeOf(batch);
    return (
      <span class="meter">
        <OutcomeBar counts={batch.counts} isThin />
        <span class="small soft nowrap">
          {made === null ? `${batch.progress.percent} %` : `${count(made)} of ${count(batch.counts.jobs)}`}
        </span>
      </span>
    );
  },
};

export const CREATED: Column<Batch> = { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> };
