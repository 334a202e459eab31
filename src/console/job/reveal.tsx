/** Values are masked until somebody asks to see them, with a purpose that the audit keeps. */
import { useState } from 'preact/hooks';
import type { Job } from '../../client/client.ts';
import { textIn } from '../parts/form.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useResource } from '../parts/resource.tsx';
import { say } from '../parts/toasts.tsx';
import { purposeIn, WhatFor } from '../parts/what-for.tsx';
import { client } from '../state.ts';

export function Reveal({ id, onShown }: { id: string; onShown: (job: Job) => void }) {
  const [isAsking, setAsking] = useState(false);
  const reveal = async (entered: FormData) => {
    const reason = textIn(entered, 'reason');
    const shown = await client.jobs.reveal(id, { purpose: purposeIn(entered), ...(reason && { reason }) });
    if (shown.object === 'job') onShown(shown);
    else say('A second person must approve it first. Ask again once they have.');
    setAsking(false);
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Show in clear
      </button>
      {isAsking && <Asking onSubmit={reveal} onClose={() => setAsking(false)} />}
    </>
  );
}

function Asking({ onSubmit, onClose }: { onSubmit: (entered: FormData) => Promise<void>; onClose: () => void }) {
  const settings = useResource('settings', (signal) => client.settings.read(signal));
  const needsReason = settings.data?.reveal_needs_reason ?? false;
  return (
    <FormDialog title="Show this job in clear?" verb="Show in clear" onClose={onClose} onSubmit={onSubmit}>
      <p>The audit records that you have seen it, and why.</p>
      <WhatFor />
      <label class="field">
        <span>Why, in words{!needsReason && <span class="soft small"> optional</span>}</span>
        <input name="reason" maxLength={500} required={needsReason} />
      </label>
    </FormDialog>
  );
}
