/** Replaces a key with a new one; the old key keeps working for a while. */
import type { Key, NewKey } from '../../client/keys.ts';
import { keyName } from '../format.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { client } from '../state.ts';

const HOUR = 3600;
const OVERLAPS = [
  [0, 'No time: it stops now'],
  [HOUR, 'An hour'],
  [24 * HOUR, 'A day'],
  [7 * 24 * HOUR, 'A week'],
  [30 * 24 * HOUR, '30 days'],
] as const;

export function RotateDialog({ of: key, onClose, onDone }: { of: Key; onClose: () => void; onDone: (made: NewKey) => void }) {
  const rotate = async (entered: FormData, idempotencyKey: string) =>
    onDone(await client.keys.rotate(key.id, { overlap_seconds: Number(entered.get('overlap')) }, { idempotencyKey }));
  return (
    <FormDialog title={`Rotate ${keyName(key)}`} verb="Rotate" onClose={onClose} onSubmit={rotate}>
      <p>A new key with the same terms takes its place. Update your program while both keys work.</p>
      <label class="field">
        <span>The old key keeps working for</span>
        <select name="overlap" defaultValue={24 * HOUR}>
          {OVERLAPS.map(([seconds, word]) => (
            <option key={seconds} value={seconds} selected={seconds === 24 * HOUR}>
              {word}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
