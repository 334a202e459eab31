/** How much was looked up for which purpose, on which basis. Purposes must be decrypted one by one, so the report is made on request. */
import { useState } from 'preact/hooks';
import type { LookupsByPurpose } from '../../client/consents.ts';
import { checkName, codeWords, count } from '../format.ts';
import { Empty } from '../parts/common.tsx';
import { Problem, textIn, useSubmit } from '../parts/form.tsx';
import { save } from '../parts/save.ts';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client } from '../state.ts';

export function LookupsReport() {
  const [report, setReport] = useState<LookupsByPurpose | null>(null);
  const { problem, isBusy, submit } = useSubmit();
  const ask = (entered: FormData) =>
    submit(async () => {
      const [from, to] = [textIn(entered, 'from'), textIn(entered, 'to')];
      setReport(await client.consents.lookups({ ...(from && { from }), ...(to && { to }) }));
    });
  const saved = ({ from, to }: LookupsByPurpose) =>
    attempt(async () => save(await client.consents.lookupsFile({ from, to }), `lookups-${from}-${to}.csv`), null);
  return (
    <section class="card" aria-labelledby="purposes">
      <header>
        <h2 id="purposes">Look-ups by purpose</h2>
        {report && report.data.length > 0 && (
          <div class="actions">
            <button type="button" onClick={() => void saved(report)}>
              Download as CSV
            </button>
          </div>
        )}
      </header>
      <div class="body stack">
        <p class="soft">
          How many look-ups were made for each purpose and lawful basis. Counts only what is still kept, by the day it was submitted (UTC).
        </p>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            void ask(new FormData(event.currentTarget));
          }}
        >
          <label class="field">
            <span>From</span>
            <input name="from" type="date" />
          </label>
          <label class="field">
            <span>To</span>
            <input name="to" type="date" />
          </label>
          <button type="submit" aria-disabled={isBusy}>
            Count look-ups
          </button>
        </form>
        <Problem text={problem} />
      </div>
      {report && <Report report={report} />}
    </section>
  );
}

function Report({ report: { data, from, to } }: { report: LookupsByPurpose }) {
  if (data.length === 0)
    return (
      <Empty title="Nothing was looked up">
        <p>
          {from} to {to}
        </p>
      </Empty>
    );
  return (
    <Table
      caption={`Look-ups from ${from} to ${to}`}
      name="Look-ups by purpose"
      rows={data}
      keyOf={({ purpose, basis, check }) => `${purpose} ${basis} ${check}`}
      columns={[
        { name: 'Purpose', isHead: true, style: 'text', cell: ({ purpose }) => purpose ?? 'No purpose or basis given' },
        { name: 'Basis', style: 'nowrap', cell: ({ basis }) => (basis === null ? '–' : codeWords(basis)) },
        { name: 'Check', style: 'nowrap', cell: ({ check }) => checkName(check) },
        { name: 'Found', style: 'num', cell: ({ found }) => count(found) },
        { name: 'Not on record', style: 'num', cell: ({ not_found }) => count(not_found) },
      ]}
    />
  );
}
