/** Where a person was found: jobs and rows to open, without taking the file of their data. */
import type { SubjectPlace } from '../../client/subjects.ts';
import { checkName, count, plainState, shortId, type Worded } from '../format.ts';
import { BatchName } from '../parts/batch-name.tsx';
import { Empty, State, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { Table } from '../parts/table.tsx';
import { client } from '../state.ts';

export function Places({ id, onClose }: { id: string; onClose: () => void }) {
  const list = useList(`places ${id}`, (cursor, signal) =>
    client.subjects.places(id, { ...(cursor && { cursor }), purpose: 'subject_request' }, signal),
  );
  return (
    <Dialog title="Where they were found" onClose={onClose}>
      <Listed
        of={list}
        empty={
          <Empty title="Nothing left">
            <p>Whatever was found has been deleted since.</p>
          </Empty>
        }
      >
        {(places) => (
          <Table
            caption="Jobs, calls and rows of batches, newest first"
            name="Places"
            rows={places}
            keyOf={({ kind, batch_id, row, jobs }) => `${kind} ${batch_id} ${row} ${jobs[0]?.id}`}
            columns={[
              { name: 'Where', isHead: true, style: 'text', cell: (place) => <Where place={place} /> },
              { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
              { name: 'Checks', style: 'text', cell: (place) => <Checks place={place} /> },
            ]}
          />
        )}
      </Listed>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Where({ place: { kind, batch_id, row, jobs } }: { place: SubjectPlace }) {
  if (batch_id === null || row === null) return <>{`${kind === 'call' ? 'Call' : 'Job'} ${shortId(jobs[0]!.id)}`}</>;
  return (
    <>
      <BatchName id={batch_id} />, row {count(row)}
    </>
  );
}

function Checks({ place: { kind, jobs } }: { place: SubjectPlace }) {
  if (kind === 'invalid_row') return <State word="To correct" tone="warn" />;
  return (
    <div class="stack">
      {jobs.map((job) => (
        <span key={job.id}>
          {kind === 'call' ? checkName(job.check) : <a href={`jobs/${job.id}`}>{checkName(job.check)}</a>} <State {...stateOf(job)} />
        </span>
      ))}
    </div>
  );
}

/** Whether a screening had hits is not said here: that takes reading its result. */
const stateOf = (job: SubjectPlace['jobs'][number]): Worded =>
  job.outcome === 'found' && /screening/.test(job.check) ? { word: 'Screened', tone: 'plain' } : plainState(job);
