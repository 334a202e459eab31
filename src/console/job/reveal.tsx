/** Values are masked until somebody asks to see them, with a purpose that the audit keeps. */
import { useState } from 'preact/hooks';
import type { Job, RevealBody } from '../../client/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client } from '../state.ts';

const PURPOSES: readonly (readonly [RevealBody['purpose'], string])[] = [
  ['onboarding', 'Onboarding a customer'],
  ['review', 'Review of a result'],
  ['screening', 'Screening'],
  ['support', 'A question of the customer'],
  ['complaint', 'A complaint'],
  ['fraud', 'Suspected fraud'],
  ['legal', 'A legal duty'],
  ['audit', 'An audit'],
  ['subject_request', 'The person asked for their data'],
];

export function Reveal({ id, onShown }: { id: string; onShown: (job: Job) => void }) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const reveal = async (entered: FormData) => {
    setBusy(true);
    const reason = String(entered.get('reason')).trim();
    const purpose = String(entered.get('purpose')) as RevealBody['purpose'];
    await attempt(async () => {
      const shown = await client.jobs.reveal(id, { purpose, ...(reason && { reason }) });
      if (shown.object === 'job') onShown(shown);
      else say('A second person must approve it first. Ask again once they have.');
      setAsking(false);
    }, null);
    setBusy(false);
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Show in clear
      </button>
      {isAsking && (
        <Dialog title="Show this row in clear?" onClose={() => setAsking(false)}>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              void reveal(new FormData(event.currentTarget));
            }}
          >
            <p>The audit keeps that you have seen it, and what for.</p>
            <label class="field">
              <span>What for</span>
              <select name="purpose">
                {PURPOSES.map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <label class="field">
              <span>Why, in words</span>
              <input name="reason" maxLength={500} />
            </label>
            <div class="actions">
              <button type="submit" class="main" disabled={isBusy}>
                Show in clear
              </button>
              <button type="button" onClick={() => setAsking(false)}>
                Back
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
