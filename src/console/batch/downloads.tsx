/** Files of a batch: its results by outcome and format, and its invalid rows to be corrected. */
import { useState } from 'preact/hooks';
import type { BatchDetail } from '../../client/client.ts';
import type { Purpose } from '../../client/purpose.ts';
import { count, counted, foundWord } from '../format.ts';
import { asked } from '../parts/asked.ts';
import { textIn } from '../parts/form.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { purposeIn, WhatFor } from '../parts/what-for.tsx';
import { client, may } from '../state.ts';

/** The browser saves the file of a link that works for a minute, which counts as a download: it needs no header, and a file of any size goes straight to the disk. */
const LINK_SECONDS = 60;

type Linked = Parameters<typeof client.batches.link>[1];

const download = (id: string, purpose: Purpose, file: Omit<Linked, 'expires_in_seconds'>): Promise<boolean> =>
  attempt(async () => {
    const link = asked(await client.batches.link(id, { ...file, expires_in_seconds: LINK_SECONDS } as Linked, { purpose }));
    if (!link) return;
    const anchor = document.createElement('a');
    anchor.href = client.transport.addressed(link.path).url;
    anchor.download = '';
    anchor.click();
    say('The file is being saved.');
  }, null);

const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['jsonl', 'JSON Lines'],
] as const;

/** In which format a table's rows to correct are saved: as they were uploaded, unless somebody chooses otherwise. Other uploads have one format. */
const ErrorsFormat = ({ batch: { format } }: { batch: BatchDetail }) =>
  format === 'csv' || format === 'xlsx' ? (
    <label class="field">
      <span>Rows to correct as</span>
      <select name="errors_format" defaultValue={format}>
        {FORMATS.slice(0, 2).map(([id, name]) => (
          <option key={id} value={id} selected={id === format}>
            {name}
          </option>
        ))}
      </select>
    </label>
  ) : null;

/** Says nothing of the format of the upload, as links and approvals do that leave it to the batch. */
function errorsIn(entered: FormData, { format }: BatchDetail): Omit<Linked, 'expires_in_seconds'> {
  const chosen = textIn(entered, 'errors_format');
  return { kind: 'errors', ...(chosen !== '' && chosen !== format && { format: chosen as 'csv' | 'xlsx' }) };
}

/** The invalid rows, from a page that offers no other file. */
export const ErrorsDownload = ({ batch }: { batch: BatchDetail }) => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const entered = new FormData(event.currentTarget);
      void download(batch.id, purposeIn(entered), errorsIn(entered, batch));
    }}
  >
    <ErrorsFormat batch={batch} />
    <WhatFor />
    <button type="submit">Save {counted(batch.counts.invalid, 'row')} to correct</button>
  </form>
);

export function Downloads({ batch }: { batch: BatchDetail }) {
  const [format, setFormat] = useState<(typeof FORMATS)[number][0]>('csv');
  const [outcome, setOutcome] = useState('');
  const { counts } = batch;
  const isUnstarted = batch.status === 'awaiting_start';
  if (!may('results:read', 'reveal') || (isUnstarted && batch.errors_url === null)) return null;
  const outcomes = [
    ['', 'All rows', counts.rows],
    ['found', foundWord(batch.checks), counts.found],
    ['flagged', 'Flagged when answered', counts.flagged],
    ['not_found', 'Not found', counts.not_found],
    ['failed', 'Failed', counts.failed],
    ['invalid', 'Invalid', counts.invalid],
    ['duplicate', 'Duplicates', counts.duplicate],
    ['canceled', 'Canceled', counts.canceled],
  ] as const;
  return (
    <section class="card unprinted" aria-labelledby="downloads">
      <header>
        <h2 id="downloads">Download</h2>
      </header>
      <form
        class="body filters"
        onSubmit={(event) => {
          event.preventDefault();
          const entered = new FormData(event.currentTarget, event.submitter);
          const results = { kind: 'results', format, ...(outcome && { outcome: [outcome] }) } as Linked;
          void download(batch.id, purposeIn(entered), textIn(entered, 'kind') === 'errors' ? errorsIn(entered, batch) : results);
        }}
      >
        {!isUnstarted && (
          <>
            <label class="field wide">
              <span>Rows</span>
              <select value={outcome} onChange={(event) => setOutcome(event.currentTarget.value)}>
                {outcomes.map(([id, name, rows]) => (
                  <option key={id} value={id} disabled={rows === 0 && id !== ''}>
                    {name} ({count(rows)})
                  </option>
                ))}
              </select>
            </label>
            <label class="field">
              <span>Format</span>
              <select value={format} onChange={(event) => setFormat(event.currentTarget.value as typeof format)}>
                {FORMATS.map(([id, name]) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          </>
        )}
        <WhatFor />
        {!isUnstarted && <button type="submit">Download</button>}
        {batch.errors_url !== null && (
          <>
            <ErrorsFormat batch={batch} />
            <button type="submit" name="kind" value="errors">
              {counted(counts.invalid, 'row')} to correct
            </button>
          </>
        )}
      </form>
    </section>
  );
}
