/** How long a batch is kept: its legal hold, placing and lifting it, and deleting the batch. */
import { useState } from 'preact/hooks';
import { isBatchOver } from '../../client/batches.ts';
import type { BatchDetail } from '../../client/client.ts';
import { counted, shortId } from '../format.ts';
import { Confirm } from '../parts/dialog.tsx';
import { textIn, Wrong } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';

export function Keeping({ batch, onChanged }: { batch: BatchDetail; onChanged: (batch: BatchDetail) => void }) {
  const [asked, setAsked] = useState<'hold' | 'delete' | null>(null);
  const { id, status, legal_hold: isHeld } = batch;
  if (status === 'deleting' || status === 'deleted' || !(isHeld || may('privacy'))) return null;
  const change = async () => {
    setAsked(null);
    await attempt(
      async () => onChanged(await client.batches.hold(id, !isHeld)),
      isHeld
        ? 'Lifted. Anything past its retention period is deleted within minutes.'
        : 'The batch is held. None of it is deleted until you lift the hold.',
    );
  };
  return (
    <section class="card" aria-labelledby="keeping">
      <header>
        <h2 id="keeping">Keep or delete</h2>
        {may('privacy') && (
          <div class="actions">
            <button type="button" onClick={() => setAsked('hold')}>
              {isHeld ? 'Lift the hold' : 'Hold this batch'}
            </button>
            {!isHeld && isBatchOver(batch) && (
              <button type="button" class="danger" onClick={() => setAsked('delete')}>
                Delete this batch
              </button>
            )}
          </div>
        )}
      </header>
      <div class="body">
        <p class="soft">
          {isHeld
            ? 'Under a legal hold: none of it is deleted or erased, whether by a person or by retention.'
            : 'It is not under a legal hold: it is deleted when its retention period ends, or when an owner deletes it.'}
        </p>
      </div>
      {asked === 'hold' && (
        <Confirm
          title={isHeld ? 'Lift the legal hold?' : 'Hold this batch?'}
          verb={isHeld ? 'Lift it' : 'Hold it'}
          isDanger={isHeld}
          onYes={() => void change()}
          onNo={() => setAsked(null)}
        >
          <p>
            {isHeld
              ? 'If its retention period has ended, the batch is permanently deleted within minutes. Request again any erasures that the hold stopped.'
              : 'Keeps everything of the batch: it is not deleted, nobody in it is erased, and retention does not apply until the hold is lifted.'}
          </p>
        </Confirm>
      )}
      {asked === 'delete' && (
        <DeleteDialog
          batch={batch}
          onClose={() => setAsked(null)}
          onDone={(deleted) => {
            setAsked(null);
            onChanged(deleted);
          }}
        />
      )}
    </section>
  );
}

function DeleteDialog({ batch, onClose, onDone }: { batch: BatchDetail; onClose: () => void; onDone: (batch: BatchDetail) => void }) {
  const name = batch.reference ?? shortId(batch.id);
  const send = async (entered: FormData) => {
    if (textIn(entered, 'name') !== name) throw new Wrong(`Nothing was deleted: the name is not “${name}”.`);
    const deleted = await client.batches.delete(batch.id);
    say('Nobody can read the batch any more. Its rows are being deleted.');
    onDone({ ...batch, ...deleted });
  };
  return (
    <FormDialog title="Delete this batch?" verb="Delete for good" isDanger onClose={onClose} onSubmit={send}>
      <p>
        Its {counted(batch.counts.rows, 'row')}, with results, pictures, messages and links, cannot be read from then on, except from
        backups made before. What it cost stays in the ledger. This cannot be undone.
      </p>
      <label class="field">
        <span>
          To confirm, type the name of the batch: <strong>{name}</strong>
        </span>
        <input name="name" required autoComplete="off" spellcheck={false} />
      </label>
    </FormDialog>
  );
}
