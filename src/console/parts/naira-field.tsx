/** A field for an amount in naira. The formatted amount is shown below while it is typed, so that nobody has to count zeros. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { naira } from '../format.ts';

interface NairaFieldProps {
  label: ComponentChildren;
  note?: string | null;
  isNarrow?: boolean;
  name: string;
  value?: number | null | undefined;
  min?: string;
  max?: string;
  required?: boolean;
  placeholder?: string;
}

export function NairaField({ label, note, isNarrow = false, value, min = '0', ...input }: NairaFieldProps) {
  const before = String(value ?? '');
  const [typed, setTyped] = useState(before);
  return (
    <label class={isNarrow ? 'field narrow' : 'field'}>
      <span>{label}</span>
      <input
        {...input}
        type="number"
        min={min}
        step="0.01"
        inputMode="decimal"
        defaultValue={before}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      {typed !== '' && <small class="soft">{naira(Number(typed))}</small>}
      {note && <small class="soft">{note}</small>}
    </label>
  );
}
