/** The legal hold of a batch: that there is one, placing it, and lifting it. */
import { useState } from 'preact/hooks';
import type { BatchDetail } from '../../client/client.ts';
import { Confirm } from '../parts/dialog.tsx';
import { attempt } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';

export function LegalHold({ batch, onChanged }: { batch: BatchDetail; onChanged: (batch: BatchDetail) => void }) {
  const [isAsked, setAsked] = useState(false);
  const { id, status, legal_hold: isHeld } = batch;
  if (status === 'deleting' || status === 'deleted' || !(isHeld || may('privacy'))) return null;
  const change = async () => {
    setAsked(false);
    await attempt(
      async () => onChanged(await client.batches.hold(id, !isHeld)),
      isHeld
        ? 'Lifted. Anything past its retention period is deleted within minutes.'
        : 'The batch is held. None of it is deleted until you lift the hold.',
    );
  };
  return (
    <section class="card" aria-labelledby="legal-hold">
      <header>
        <h2 id="legal-hold">Legal hold</h2>
        {may('privacy') && (
          <div class="actions">
            <button type="button" onClick={() => setAsked(true)}>
              {isHeld ? 'Lift the hold' : 'Hold this batch'}
            </button>
          </div>
        )}
      </header>
      <div class="body">
        <p class="soft">
          {isHeld
            ? 'Under a legal hold: none of it is deleted or erased, whether by a person or by retention.'
            : 'None. The batch is deleted when its retention period ends, or when somebody deletes it.'}
        </p>
      </div>
      {isAsked && (
        <Confirm
          title={isHeld ? 'Lift the legal hold?' : 'Hold this batch?'}
          verb={isHeld ? 'Lift it' : 'Hold it'}
          isDanger={isHeld}
          onYes={() => void change()}
          onNo={() => setAsked(false)}
        >
          <p>
            {isHeld
              ? 'If its retention period has ended, the batch is permanently deleted within minutes. Request again any erasures that the hold stopped.'
              : 'Keeps everything of the batch: it is not deleted, nobody in it is erased, and retention does not apply until the hold is lifted.'}
          </p>
        </Confirm>
      )}
    </section>
  );
}
