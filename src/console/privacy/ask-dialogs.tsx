/** The questions before a person's data is looked for or erased. */
import { useState } from 'preact/hooks';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { say } from '../parts/toasts.tsx';
import { purposeIn, WhatFor } from '../parts/what-for.tsx';
import { client, mode } from '../state.ts';
import { askAbout, Identifiers } from './identifiers.tsx';

interface AskProps {
  onClose: () => void;
  onDone: () => void;
}

/** Typed before anything is erased. */
const CONFIRMATION = 'ERASE';

export function AskForData({ onClose, onDone }: AskProps) {
  const ask = async (entered: FormData, idempotencyKey: string) => {
    const reason = textIn(entered, 'reason');
    const purpose = purposeIn(entered);
    await askAbout(entered, (identifiers) =>
      client.subjects.export({ identifiers, ...(reason && { reason }) }, purpose, { idempotencyKey }),
    );
    say('Confam is searching. The file can be downloaded from this page within seconds, or minutes where there are many rows.');
    onDone();
  };
  return (
    <FormDialog title="Find everything about a person" verb="Find it" onClose={onClose} onSubmit={ask}>
      <p>
        Looks through the app’s {mode.value} data: rows, jobs, calls, screenings and kept answers. The file holds it in clear, and the audit
        records who downloads it.
      </p>
      <Identifiers />
      <WhatFor usual="subject_request" />
      <label class="field">
        <span>Why, in words</span>
        <input name="reason" maxLength={500} />
      </label>
    </FormDialog>
  );
}

export function AskToErase({ onClose, onDone }: AskProps) {
  const [typed, setTyped] = useState('');
  const ask = async (entered: FormData, idempotencyKey: string) => {
    const purpose = purposeIn(entered);
    await askAbout(entered, (identifiers) => client.subjects.erase(identifiers, purpose, { idempotencyKey }));
    say('The person is being erased. The receipt appears on this page.');
    onDone();
  };
  return (
    <FormDialog
      title="Erase a person"
      verb="Erase for good"
      isDanger
      isReady={typed.trim().toUpperCase() === CONFIRMATION}
      onClose={onClose}
      onSubmit={ask}
    >
      <p>
        Deletes the person’s rows, jobs, calls, screenings and kept answers from the app’s {mode.value} data. This cannot be undone. What is
        under a legal hold stays.
      </p>
      <Identifiers />
      <WhatFor usual="subject_request" />
      <label class="field narrow">
        <span>Type {CONFIRMATION} to confirm</span>
        <input
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          required
        />
      </label>
    </FormDialog>
  );
}
