/** A form in front of the page: one attempt at a time, its errors, and a way back. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { newKey } from '../../client/transport.ts';
import { Dialog } from './dialog.tsx';
import { Problem, useSubmit } from './form.tsx';

interface FormDialogProps {
  title: string;
  /** On the button that sends it. */
  verb: string;
  isDanger?: boolean;
  /** False: there is nothing to send yet. */
  isReady?: boolean;
  onClose: () => void;
  /** Errors are shown in the dialog, which stays open. The key stays the same, so that something already done, but whose answer was lost, is not done twice. */
  onSubmit: (entered: FormData, idempotencyKey: string) => Promise<unknown>;
  children: ComponentChildren;
}

export function FormDialog({ title, verb, isDanger = false, isReady = true, onClose, onSubmit, children }: FormDialogProps) {
  const { problem, isBusy, submit } = useSubmit();
  const idempotencyKey = useMemo(newKey, []);
  return (
    // If it closed while it is busy, the same thing asked for again would have another key, and be done again.
    <Dialog title={title} onClose={isBusy ? null : onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const entered = new FormData(event.currentTarget);
          void submit(() => onSubmit(entered, idempotencyKey), event.currentTarget);
        }}
      >
        {children}
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class={isDanger ? 'danger' : 'main'} disabled={!isReady} aria-disabled={isBusy}>
            {verb}
          </button>
          <button type="button" aria-disabled={isBusy} onClick={isBusy ? undefined : onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}
