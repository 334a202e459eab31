/** A password that its person can look at while typing it. */
import type { ComponentChildren, Ref } from 'preact';
import { useId, useState } from 'preact/hooks';

interface Props {
  label: string;
  name: string;
  autocomplete: 'current-password' | 'new-password';
  minLength?: number;
  field?: Ref<HTMLInputElement>;
  note?: ComponentChildren;
}

export function PasswordField({ label, name, field, note, ...own }: Props) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copyable">
        <input
          {...own}
          id={id}
          ref={field}
          name={name}
          type={(isShown ? 'text' : 'password') as 'password'}
          maxLength={256}
          spellcheck={false}
          required
        />
        <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          Show<span class="unseen"> what is typed</span>
        </button>
      </div>
      {note && <small class="soft">{note}</small>}
    </div>
  );
}
