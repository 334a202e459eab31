/** Which column is which input: proposed with a confidence, and corrected by people. */
import type { Preview } from '../../client/client.ts';
import { checkName, count } from '../format.ts';
import { fieldName } from '../job/field-name.ts';
import { State } from '../parts/common.tsx';
import { Table } from '../parts/table.tsx';
import { inWords } from './problem-words.ts';

interface MappingProps {
  preview: Preview;
  onColumn: (field: string, column: string) => void;
  onDates: (format: string) => void;
}

type Proposal = Preview['mapping'][number];

const SURE = 0.9;

function sureness({ column, by, confidence, required }: Proposal) {
  if (column === null)
    return required.length > 0 ? ({ word: 'Needed', tone: 'bad' } as const) : ({ word: 'Not in the file', tone: 'plain' } as const);
  if (by === 'requested') return { word: 'Chosen', tone: 'good' } as const;
  if (by === 'saved') return { word: 'As last time', tone: 'good' } as const;
  return confidence >= SURE ? ({ word: 'Matches', tone: 'good' } as const) : ({ word: 'Please check', tone: 'warn' } as const);
}

/** The service takes a column with exactly the input's name by itself: it can be replaced, but not left out. */
const mayBeLeftOut = ({ by, required }: Proposal): boolean => required.length === 0 && by !== 'name' && by !== 'synonym';

const whyOf = ({ field, column, reason }: Proposal): string =>
  field === 'reference' && column === null
    ? 'Results show it beside each row. If the file has your own number for each customer, choose that column.'
    : reason;

const nameOf = (field: string): string => {
  const [check, input] = field.split('.');
  return input ? `${fieldName(input)} (${checkName(check!)})` : fieldName(field);
};

const DATES = [
  ['dmy', 'day, month, year'],
  ['mdy', 'month, day, year'],
  ['ymd', 'year, month, day'],
] as const;

export function Mapping({ preview, onColumn, onDates }: MappingProps) {
  return (
    <section class="card" aria-labelledby="columns">
      <header>
        <h2 id="columns">Columns</h2>
        {preview.saved_mapping && <span class="soft small">A file with these columns has been sent before.</span>}
      </header>
      <Table
        caption="Which column is used for which input"
        name="Columns of the file for each input"
        rows={preview.mapping}
        keyOf={(proposal) => proposal.field}
        columns={[
          { name: 'Input', isHead: true, cell: (proposal) => nameOf(proposal.field) },
          {
            name: 'Column of the file',
            cell: (proposal) => (
              <select
                aria-label={`Column for ${nameOf(proposal.field)}`}
                value={proposal.column ?? ''}
                onChange={(event) => onColumn(proposal.field, event.currentTarget.value)}
              >
                {(proposal.column === null || mayBeLeftOut(proposal)) && <option value="">Not in the file</option>}
                {preview.columns.map(({ name, position }) => (
                  <option key={position}>{name}</option>
                ))}
              </select>
            ),
          },
          { name: 'Match', cell: (proposal) => <State {...sureness(proposal)} /> },
          { name: 'Why', style: 'text small soft', cell: whyOf },
        ]}
      />
      {preview.date_format && (
        <div class="body filters">
          <label class="field">
            <span>Dates such as 01/02/1990 are</span>
            <select value={preview.date_format.value} onChange={(event) => onDates(event.currentTarget.value)}>
              {DATES.map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <p class="soft small">{preview.date_format.reason}</p>
        </div>
      )}
    </section>
  );
}

const SHOWN = 20;

/** What is wrong with rows of the sample. The upload skips such rows; its own file of them can be corrected and sent again. */
export function Problems({ preview: { problems, invalid_rows, sampled_rows } }: { preview: Preview }) {
  if (invalid_rows === 0) return null;
  return (
    <section class="card" aria-labelledby="problems">
      <header>
        <h2 id="problems">
          {count(invalid_rows)} of {count(sampled_rows)} rows examined cannot be checked
        </h2>
        <span class="soft small">
          They are skipped and cost nothing. After the upload you can save them as a file, correct them, and send only those.
        </span>
      </header>
      <Table
        caption="Rows with problems"
        rows={problems.slice(0, SHOWN)}
        keyOf={({ row, column, message }) => `${row} ${column} ${message}`}
        columns={[
          {
            name: 'Row',
            style: 'num',
            cell: ({ row, line, message }) => (
              <>
                {count(row)}
                {line !== null && !message.includes(' of the file)') && (
                  <small class="block soft nowrap">line {count(line)} of the file</small>
                )}
              </>
            ),
          },
          { name: 'Column', cell: ({ column }) => <bdi>{column ?? 'the whole row'}</bdi> },
          { name: 'Problem', style: 'text', cell: ({ message }) => inWords(message) },
        ]}
      />
      {problems.length > SHOWN && <p class="body soft">and {count(problems.length - SHOWN)} more</p>}
    </section>
  );
}
