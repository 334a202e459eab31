/** Puts a new key in the place of one, which goes on working for a while. */
import type { Key, NewKey } from '../../client/keys.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Problem, useSubmit } from '../parts/form.tsx';
import { client } from '../state.ts';

const HOUR = 3600;
const OVERLAPS = [
  [0, 'Nothing: it stops now'],
  [HOUR, 'An hour'],
  [24 * HOUR, 'A day'],
  [7 * 24 * HOUR, 'A week'],
  [30 * 24 * HOUR, '30 days'],
] as const;

export function RotateDialog({ of: key, onClose, onDone }: { of: Key; onClose: () => void; onDone: (made: NewKey) => void }) {
  const { problem, isBusy, submit } = useSubmit();
  return (
    <Dialog title={`Rotate ${key.name ?? `${key.hint}…`}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const seconds = Number(new FormData(event.currentTarget).get('overlap'));
          void submit(async () => onDone(await client.keys.rotate(key.id, { overlap_seconds: seconds })));
        }}
      >
        <p>A new key with the same terms takes its place. Use the time in which both work to change your program.</p>
        <label class="field">
          <span>The old key goes on for</span>
          <select name="overlap" defaultValue={24 * HOUR}>
            {OVERLAPS.map(([seconds, word]) => (
              <option key={seconds} value={seconds} selected={seconds === 24 * HOUR}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Rotate
          </button>
          <button type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
