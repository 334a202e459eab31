/** What may be done with a batch in its state. */
import { useState } from 'preact/hooks';
import type { BatchDetail } from '../../client/client.ts';
import { count, counted, naira } from '../format.ts';
import { Confirm } from '../parts/dialog.tsx';
import { attempt, say } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';

type Verb = 'start' | 'pause' | 'resume' | 'cancel' | 'retry';

const done: Readonly<Record<Exclude<Verb, 'start'>, string>> = {
  pause: 'The batch is paused. Rows in progress still finish.',
  resume: 'The batch has been resumed.',
  cancel: 'The batch is being canceled. Rows that have not begun are not charged.',
  retry: 'The failed rows are tried again.',
};

const verbsOf = ({ status, counts, approval }: BatchDetail): Verb[] => {
  if (status === 'awaiting_start') return approval === null ? ['start', 'cancel'] : ['cancel'];
  if (status === 'queued' || status === 'running') return ['pause', 'cancel'];
  if (status === 'paused') return ['resume', 'cancel'];
  if (status === 'paused_funds') return ['cancel'];
  const isOver = ['completed', 'canceled', 'failed', 'expired'].includes(status);
  return isOver && counts.failed > 0 ? ['retry'] : [];
};

/** Starts it, or asks a second person to; returns the batch as it is then. */
export async function startBatch(id: string): Promise<BatchDetail> {
  const started = await client.batches.start(id);
  if (started.object === 'batch') {
    say('The batch has started.');
    return started;
  }
  say('A second person must approve the start. It starts by itself when they do.');
  return client.batches.read(id);
}

export function Controls({ batch, onChanged }: { batch: BatchDetail; onChanged: (batch: BatchDetail) => void }) {
  const [asked, setAsked] = useState<Verb | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (!may('batches:write')) return null;
  const act = async (verb: Verb) => {
    setAsked(null);
    setBusy(true);
    if (verb === 'start') await attempt(async () => onChanged(await startBatch(batch.id)), null);
    else await attempt(async () => onChanged(await client.batches.control(batch.id, verb)), done[verb]);
    setBusy(false);
  };
  const open = batch.counts.queued + batch.counts.leased;
  const buttons: Record<Verb, { name: string; style?: string; onClick: () => void }> = {
    start: { name: `Start for ${naira(batch.quote_amount)}`, style: 'main', onClick: () => void act('start') },
    pause: { name: 'Pause', onClick: () => void act('pause') },
    resume: { name: 'Resume', style: 'main', onClick: () => void act('resume') },
    retry: { name: `Retry ${count(batch.counts.failed)} failed`, onClick: () => void act('retry') },
    cancel: { name: 'Cancel', style: 'danger', onClick: () => setAsked('cancel') },
  };
  return (
    <div class="actions">
      {verbsOf(batch).map((verb) => (
        <button key={verb} type="button" class={buttons[verb].style} disabled={isBusy} onClick={buttons[verb].onClick}>
          {buttons[verb].name}
        </button>
      ))}
      {asked === 'cancel' && (
        <Confirm title="Cancel this batch?" verb="Cancel the batch" isDanger onYes={() => void act('cancel')} onNo={() => setAsked(null)}>
          <p>
            {counted(open, 'check')} {open === 1 ? 'is' : 'are'} left, and will be neither made nor charged. What was found stays. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </div>
  );
}
