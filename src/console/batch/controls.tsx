/** What may be done with a batch in its state. */
import { useState } from 'preact/hooks';
import { hasBatchEnded } from '../../client/batches.ts';
import type { BatchDetail } from '../../client/client.ts';
import { count, counted, naira } from '../format.ts';
import { Confirm } from '../parts/dialog.tsx';
import { useKeptFocus } from '../parts/kept-focus.ts';
import { useOnce } from '../parts/once.ts';
import { attempt } from '../parts/toasts.tsx';
import { client, may } from '../state.ts';
import { startBatch, useStartRule } from './start.ts';

type Verb = 'pause' | 'resume' | 'cancel' | 'retry';

const done: Readonly<Record<Verb, string>> = {
  pause: 'The batch is paused. Rows in progress still finish.',
  resume: 'The batch has been resumed.',
  cancel: 'The batch is being canceled. Rows that have not begun are not charged.',
  retry: 'The failed rows are being retried.',
};

const verbsOf = (batch: BatchDetail): Verb[] => {
  const { status, counts } = batch;
  if (status === 'queued' || status === 'running') return ['pause', 'cancel'];
  if (status === 'paused' || status === 'paused_funds') return ['resume', 'cancel'];
  if (status === 'awaiting_start') return ['cancel'];
  return hasBatchEnded(batch) && counts.failed > 0 ? ['retry'] : [];
};

export function Controls({ batch, onChanged }: { batch: BatchDetail; onChanged: (batch: BatchDetail) => void }) {
  const [isCancelAsked, askToCancel] = useState(false);
  const { isBusy, run } = useOnce();
  const bar = useKeptFocus<HTMLDivElement>();
  if (!may('batches:write')) return null;
  const change = (made: () => Promise<BatchDetail>, told: string | null) => {
    askToCancel(false);
    void run(() => attempt(async () => onChanged(await made()), told));
  };
  const act = (verb: Verb) => change(() => client.batches.control(batch.id, verb), done[verb]);
  const open = batch.counts.queued + batch.counts.leased;
  const buttons: Record<Verb, { name: string; style?: string; onClick: () => void }> = {
    pause: { name: 'Pause', onClick: () => act('pause') },
    resume: { name: 'Resume', style: 'main', onClick: () => act('resume') },
    retry: { name: `Retry ${count(batch.counts.failed)} failed`, onClick: () => act('retry') },
    cancel: { name: 'Cancel', style: 'danger', onClick: () => askToCancel(true) },
  };
  return (
    <div ref={bar} class="actions">
      {batch.status === 'awaiting_start' && batch.approval === null && (
        <StartButton batch={batch} isBusy={isBusy} onStart={() => change(() => startBatch(batch.id), null)} />
      )}
      {verbsOf(batch).map((verb) => (
        <button key={verb} type="button" class={buttons[verb].style} aria-disabled={isBusy} onClick={buttons[verb].onClick}>
          {buttons[verb].name}
        </button>
      ))}
      {isCancelAsked && (
        <Confirm title="Cancel this batch?" verb="Cancel the batch" isDanger onYes={() => act('cancel')} onNo={() => askToCancel(false)}>
          <p>
            {counted(open, 'check')} {open === 1 ? 'is' : 'are'} left, and will be neither made nor charged. What was found stays. This
            cannot be undone.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function StartButton({ batch, isBusy, onStart }: { batch: BatchDetail; isBusy: boolean; onStart: () => void }) {
  const { approvalAbove, isKnown } = useStartRule(batch);
  return (
    <button type="button" class="main" disabled={!isKnown} aria-disabled={isBusy} onClick={onStart}>
      {approvalAbove === null ? 'Start' : 'Ask for approval to start'} for {naira(batch.quote_amount)}
    </button>
  );
}
