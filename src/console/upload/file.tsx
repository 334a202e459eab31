/** Where a file is dropped or chosen, and how it begins, cell by cell. */
import type { Ref } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Preview } from '../../client/client.ts';
import { bytes, count, counted } from '../format.ts';
import { Scroll } from '../parts/common.tsx';
import { ACCEPTED } from './send.ts';
import { Warnings } from './warnings.tsx';

interface DropProps {
  file: File | null;
  problem: string | null;
  /** The field in which a file is chosen. */
  field: Ref<HTMLInputElement>;
  onFiles: (files: readonly File[]) => void;
}

export function Drop({ file, problem, field, onFiles }: DropProps) {
  const [isOver, setOver] = useState(false);
  const id = useId();
  const take = (list: FileList | null | undefined) => onFiles([...(list ?? [])]);
  return (
    <section
      class={`drop ${isOver ? 'over' : ''}`}
      aria-label="File"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      {file ? (
        <p>
          <strong>
            <bdi>{file.name}</bdi>
          </strong>{' '}
          <span class="soft">{bytes(file.size)}</span>
        </p>
      ) : (
        <p>
          Drop a spreadsheet of customers here. <span class="soft">CSV, Excel, NDJSON, JSON, or a ZIP archive with pictures.</span>
        </p>
      )}
      <label class="button" for={id}>
        {file ? 'Choose another file' : 'Choose a file'}
      </label>
      <input
        id={id}
        ref={field}
        class="unseen"
        type="file"
        accept={ACCEPTED}
        onChange={(event) => {
          take(event.currentTarget.files);
          // Choosing the same file again, corrected in the meantime, counts as a choice.
          event.currentTarget.value = '';
        }}
      />
      <p role="alert" class="problem" hidden={problem === null}>
        {problem}
      </p>
    </section>
  );
}

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
const ROWS_SHOWN = 6;

/** What follows from a warning, or what to do. */
const ADVICE: Readonly<Record<Preview['warnings'][number]['code'], string>> = {
  header_is_data:
    'If that row is data, add a row of headings above it and choose the file again: Confam reads no column whose heading is data.',
  one_column: 'As the file stands, no column can be told from another. Correct it, and choose it again.',
  windows_1252: 'Look at the rows below. Wrong letters come back in the results, and a name with wrong letters may not match.',
  unread_column: 'Choose it for that input below, if that is what it says. Otherwise leave it.',
};
function readAs({ format, dialect, sampled_rows, is_whole, columns }: Preview): string {
  const parts = [
    format === 'csv' ? `CSV${dialect.delimiter ? ` with ${DELIMITERS[dialect.delimiter]}` : ''}` : format.toUpperCase(),
    ...(dialect.encoding && dialect.encoding !== 'utf-8' ? [dialect.encoding] : []),
    ...(dialect.header_row !== null && dialect.header_row > 1 ? [`header in line ${dialect.header_row}`] : []),
    counted(columns.length, 'column'),
    is_whole ? counted(sampled_rows, 'row') : `first ${count(sampled_rows)} rows examined`,
  ];
  return parts.join(', ');
}

export function Cells({ preview, onSheet }: { preview: Preview; onSheet: (sheet: string) => void }) {
  return (
    <section class="card" aria-labelledby="cells">
      <header>
        <h2 id="cells">How the file is read</h2>
        <span class="soft small">{readAs(preview)}</span>
        {preview.sheets.length > 1 && (
          <div class="actions">
            <label>
              Sheet{' '}
              <select class="fit" value={preview.sheet ?? ''} onChange={(event) => onSheet(event.currentTarget.value)}>
                {preview.sheets.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
        )}
      </header>
      <Warnings of={preview.warnings} advice={ADVICE} />
      <Scroll name="The first rows">
        <table class="cells">
          <caption class="unseen">The first rows of the file</caption>
          <thead>
            <tr>
              {preview.columns.map(({ name, position }) => (
                <th key={position} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.slice(0, ROWS_SHOWN).map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, at) => (
                  <td key={at}>
                    <bdi>{cell}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {preview.sampled_rows > ROWS_SHOWN && <p class="body soft small">The first {ROWS_SHOWN} rows are shown.</p>}
    </section>
  );
}
