/** Which actions of the app need a second person. Owners change this; requiring a second person less often needs an approval itself. */
import { useState } from 'preact/hooks';
import type { Settings } from '../../client/people.ts';
import { naira } from '../format.ts';
import { changesOf, Problem, useSubmit } from '../parts/form.tsx';
import { NairaField } from '../parts/naira-field.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { say } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';

export function ApprovalSettings({ onAsked }: { onAsked: () => void }) {
  const settings = useResource('settings', (signal) => client.settings.read(signal));
  return (
    <section class="card" aria-labelledby="settings">
      <header>
        <h2 id="settings">What needs a second person</h2>
      </header>
      <div class="body">
        <Loaded of={settings}>
          {(read) =>
            may('people') ? (
              <Form key={JSON.stringify(read)} settings={read} onDone={(next) => settings.set(() => next)} onAsked={onAsked} />
            ) : (
              <ul class="plain-list">
                <li>
                  {read.approvals.batch_start_above_kobo === null
                    ? 'Starting a batch needs no approval.'
                    : `Starting a batch for more than ${naira(read.approvals.batch_start_above_kobo / 100)}.`}
                </li>
                <li>{read.approvals.export ? 'Downloading results.' : 'Downloading results needs no approval.'}</li>
                <li>{read.approvals.reveal ? 'Seeing a job in clear.' : 'Seeing a job in clear needs no approval.'}</li>
              </ul>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

function Form({ settings, onDone, onAsked }: { settings: Settings; onDone: (settings: Settings) => void; onAsked: () => void }) {
  const { approvals } = settings;
  const above = approvals.batch_start_above_kobo;
  const [hasLimit, setLimit] = useState(above !== null);
  const { problem, isBusy, submit } = useSubmit();
  const save = (entered: FormData) =>
    submit(async () => {
      const changed = changesOf(approvals, {
        batch_start_above_kobo: hasLimit ? Math.round(Number(entered.get('above')) * 100) : null,
        reveal: entered.has('reveal'),
        export: entered.has('export'),
      });
      const rest = changesOf(settings, { reveal_needs_reason: entered.has('reason'), second_factor_required: entered.has('factor') });
      const changes = { ...rest, ...(Object.keys(changed).length > 0 && { approvals: changed }) };
      if (Object.keys(changes).length === 0) return;
      const answer = await client.settings.change(changes);
      if (answer.object === 'settings') {
        onDone(answer);
        say('Saved. It applies from now on.');
      } else {
        say('Somebody else must approve this: it loosens the current settings. The request is in the list above.');
        onAsked();
      }
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <div class="stack tight">
        <label class="check">
          <input type="checkbox" checked={hasLimit} onChange={(event) => setLimit(event.currentTarget.checked)} />
          Starting a batch above an amount
        </label>
        {hasLimit && <NairaField label="Above, in naira" isNarrow name="above" required value={above === null ? null : above / 100} />}
      </div>
      <label class="check">
        <input type="checkbox" name="export" defaultChecked={approvals.export} />
        Downloading results or rows to correct, and making links to them
      </label>
      <label class="check">
        <input type="checkbox" name="reveal" defaultChecked={approvals.reveal} />
        Seeing a job in clear
      </label>
      <h3>What everybody must do</h3>
      <label class="check">
        <input type="checkbox" name="reason" defaultChecked={settings.reveal_needs_reason} />A reason, to see a job in clear
      </label>
      <label class="check">
        <input type="checkbox" name="factor" defaultChecked={settings.second_factor_required} />A second factor, to act for the app
      </label>
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" aria-disabled={isBusy}>
          Save
        </button>
        <span class="soft small">If anything here needs a second person, loosening these settings needs one too.</span>
      </div>
    </form>
  );
}
