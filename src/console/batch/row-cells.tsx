/** The columns and cells of a table of a batch's rows. */
import { useState } from 'preact/hooks';
import type { InvalidRow, Job } from '../../client/client.ts';
import { checkName, count, jobState, naira } from '../format.ts';
import { State } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { inWords } from '../upload/problem-words.ts';
import { RowLink } from './row-pages.tsx';

export const COLUMNS = [
  { name: 'Row', isNumber: true },
  { name: 'Reference' },
  { name: 'Outcome' },
  { name: 'Note' },
  { name: 'Price', isNumber: true },
];

/** A duplicate has its original's error. */
const notesOf = ({ error, duplicate_of, cached }: Job): string[] => [
  ...(error === null ? [] : [error.message]),
  ...(duplicate_of !== null ? [`Same as row ${count(duplicate_of)}`] : cached ? ['From the cache'] : []),
];

/** A line has no room for a long one. The page of a job shows it in full. */
const Note = ({ text }: { text: string }) => (
  <span class="small" title={text || undefined}>
    {text}
  </span>
);

/** An invalid row has no page of its own, so its note opens in full. */
function Problems({ row, problems }: InvalidRow) {
  const [isOpen, setOpen] = useState(false);
  const text = wordsOf(problems);
  return (
    <>
      <button type="button" class="note small" title={text} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {text}
      </button>
      {isOpen && (
        <Dialog title={`What is wrong with row ${count(row)}`} onClose={() => setOpen(false)}>
          <ul class="plain-list">
            {problems.map((problem, index) => (
              <li key={index}>{wordsOf([problem])}</li>
            ))}
          </ul>
          <div class="actions">
            <button type="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

export const cellsOf = (jobs: Job[], hasSeveral: boolean) => [
  count(jobs[0]!.row!),
  <RowLink job={jobs[0]!} />,
  <span class="states">
    {jobs.map((job) => (
      <a key={job.id} class="bare" href={`jobs/${job.id}`}>
        {hasSeveral && <span class="small soft">{checkName(job.check)} </span>}
        <State {...jobState(job)} />
      </a>
    ))}
  </span>,
  <Note text={[...new Set(jobs.flatMap(notesOf))].join('; ')} />,
  naira(jobs.reduce((sum, { billed_amount }) => sum + billed_amount, 0)),
];

/** What is wrong with an invalid row. */
export const wordsOf = (problems: InvalidRow['problems']): string =>
  problems
    .map(({ field, column, message }) =>
      field === null || message.startsWith('Row ') ? message : `${column ?? field} ${inWords(message)}`,
    )
    .join('; ');

export const invalidCells = (invalid: InvalidRow) => [
  count(invalid.row),
  <bdi>{invalid.reference}</bdi>,
  <State word="Invalid" tone="warn" />,
  <Problems {...invalid} />,
  naira(0),
];
