/** The field that asks why somebody reads personal data. It proposes what was last chosen in this tab; the first time, something must be chosen. */
import type { Approval } from '../../client/people.ts';
import type { Purpose, Stated } from '../../client/purpose.ts';
import { lastPurpose } from '../state.ts';
import { purposes } from '../words.ts';
import { textIn } from './form.tsx';
import { FormDialog } from './form-dialog.tsx';
import { saveOnceApproved } from './save.ts';

/** `usual`: what is always proposed here, whatever was chosen elsewhere. */
export function WhatFor({ usual }: { usual?: Purpose }) {
  const proposed = usual ?? lastPurpose.value;
  return (
    <label class="field">
      <span>What for</span>
      <select
        name="purpose"
        required
        defaultValue={proposed}
        onChange={({ currentTarget: { value } }) => {
          if (usual === undefined) lastPurpose.value = value;
        }}
      >
        <option value="" hidden selected={proposed === ''}>
          Choose
        </option>
        {purposes.map(([value, name]) => (
          <option key={value} value={value} selected={value === proposed}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The field is required, so a form that was sent has a purpose. */
export const purposeIn = (entered: FormData): Purpose => textIn(entered, 'purpose') as Purpose;

interface SaveForProps {
  title: string;
  fileName: string;
  usual?: Purpose;
  read: (stated: Stated) => Promise<Blob | Approval>;
  onClose: () => void;
}

/** Asks for the purpose before a file about somebody is saved. */
export function SaveFor({ title, fileName, usual, read, onClose }: SaveForProps) {
  const take = async (entered: FormData) => {
    saveOnceApproved(await read({ purpose: purposeIn(entered) }), fileName);
    onClose();
  };
  return (
    <FormDialog title={title} verb="Save the file" onClose={onClose} onSubmit={take}>
      <p>The audit records that you have saved it, and why.</p>
      <WhatFor {...(usual && { usual })} />
    </FormDialog>
  );
}
