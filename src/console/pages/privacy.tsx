/** Finds, erases and holds one person's data, withdraws consents, and shows how many days each kind of data is kept in each mode. */
import { useState } from 'preact/hooks';
import type { Kept } from '../../client/people.ts';
import { counted } from '../format.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { say } from '../parts/toasts.tsx';
import { Consents } from '../privacy/consents.tsx';
import { Holds } from '../privacy/holds.tsx';
import { LookupsReport } from '../privacy/lookups.tsx';
import { Outside } from '../privacy/outside.tsx';
import { PeopleRequests } from '../privacy/requests.tsx';
import { client, may } from '../state.ts';

export default function PrivacyPage() {
  const kept = useResource('retention', (signal) => client.settings.retention(signal));
  const [asked, setAsked] = useState<Kept | null>(null);
  return (
    <>
      <div class="head">
        <h1>Privacy</h1>
      </div>
      {may('privacy') && (
        <>
          <PeopleRequests />
          <Holds />
          <Consents />
          <LookupsReport />
        </>
      )}
      <div class="stack tight">
        <h2>How long data is kept</h2>
        <p class="soft">
          Anything older is deleted automatically within minutes and cannot be brought back. What is under a legal hold stays until the hold
          is lifted.
        </p>
      </div>
      <Loaded of={kept}>
        {({ data }) => (
          <Table
            caption="What is kept, and for how many days"
            isCard
            rows={data}
            keyOf={({ kind }) => kind}
            columns={[
              { name: 'What', isHead: true, style: 'text', cell: ({ what }) => what.replace(/^./, (letter) => letter.toUpperCase()) },
              { name: 'Live', cell: ({ live_days, default_live_days }) => <Days of={live_days} usual={default_live_days} /> },
              { name: 'Test', cell: ({ test_days, default_test_days }) => <Days of={test_days} usual={default_test_days} /> },
              {
                name: 'Actions',
                isNameUnseen: true,
                cell: (one) =>
                  may('privacy') &&
                  one.max_days > one.min_days && (
                    <div class="row-actions">
                      <button type="button" class="plain" onClick={() => setAsked(one)}>
                        Change<span class="unseen"> the days of {one.what}</span>
                      </button>
                    </div>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <Outside />
      <section class="card body stack" aria-labelledby="elsewhere">
        <h2 id="elsewhere">The same for everybody</h2>
        <ul class="plain-list">
          <li>Answers that found nobody: cached for 15 minutes.</li>
          <li>Pictures of a check that was answered: not at all, or for as long as your administrator has set for the app.</li>
          <li>Monitors and clearances: until somebody ends them.</li>
          <li>The audit, the ledger and the usage stay. They contain no names, only ids and keyed hashes.</li>
        </ul>
      </section>
      {asked && (
        <Change
          kept={asked}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            kept.reload();
          }}
        />
      )}
    </>
  );
}

const Days = ({ of, usual }: { of: number; usual: number }) => (
  <>
    {counted(of, 'day')}
    {of !== usual && <small class="soft below">instead of {usual}</small>}
  </>
);

function Change({ kept, onClose, onDone }: { kept: Kept; onClose: () => void; onDone: () => void }) {
  const { kind, what, min_days, max_days } = kept;
  const save = async (entered: FormData) => {
    const days = (mode: string) => ({ [kind]: Number(entered.get(mode)) });
    await client.settings.changeRetention({ live: days('live'), test: days('test') });
    say('Saved. Anything older is deleted within minutes.');
    onDone();
  };
  const field = (mode: 'live' | 'test', label: string, value: number) => (
    <label class="field narrow">
      <span>{label}</span>
      <input name={mode} type="number" inputMode="numeric" min={min_days} max={max_days} step={1} required defaultValue={value} />
    </label>
  );
  return (
    <FormDialog title="For how many days?" verb="Save" isDanger onClose={onClose} onSubmit={save}>
      <p>
        How long to keep {what}. Choose {min_days} to {max_days} days; anything older is deleted for good.
      </p>
      {field('live', 'Days in live mode', kept.live_days)}
      {field('test', 'Days in test mode', kept.test_days)}
    </FormDialog>
  );
}
