/** Six digits from an authenticator app. Many apps show them in two groups, so spaces are accepted. */
import type { Ref } from 'preact';

export const CodeField = ({ label, name, field }: { label: string; name: string; field?: Ref<HTMLInputElement> }) => (
  <label class="field">
    <span>{label}</span>
    <input
      ref={field}
      name={name}
      inputMode="numeric"
      autocomplete="one-time-code"
      pattern="\s*([0-9]\s*){6}"
      title="Six digits"
      required
    />
  </label>
);

/** The digits of an entered code. */
export const digitsOf = (entered: string): string => entered.replace(/\s/g, '');
