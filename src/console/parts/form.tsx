/** Forms: sending one, its errors, and values that are shown only once. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Refused } from '../../client/errors.ts';
import { phase } from '../state.ts';
import { copy } from './copy.ts';
import { useOnce } from './once.ts';
import { refusalInFull, SESSION_ENDED } from './refusals.ts';

/** The entered text, trimmed; empty if there is no such field. */
export const textIn = (entered: FormData, name: string): string => String(entered.get(name) ?? '').trim();

/** The settings that this form has changed. Only these are sent, so that another person's changes stay. */
export const changesOf = <Terms extends object>(before: Terms, next: Partial<Terms>): Partial<Terms> =>
  Object.fromEntries(Object.entries(next).filter(([name, value]) => value !== before[name as keyof Terms])) as Partial<Terms>;

/** Something to correct before it is sent. */
export class Wrong extends Error {}

/** Messages for a request that was sent again with the same key. */
const REPEATED: Readonly<Record<string, string>> = {
  idempotency_mismatch:
    'This form was already sent with different entries, which were accepted. Close it and check before you send another.',
  idempotency_in_progress: 'What was sent before is still in progress. Send it again in a moment to see what came of it.',
};

/** A refusal in words. */
function told(error: unknown, form: HTMLFormElement | undefined): string {
  if (error instanceof Wrong) return error.message;
  if (!(error instanceof Refused))
    return 'Confam cannot be reached. Your request may have gone through. Check your connection and send this form again: it is done only once.';
  return REPEATED[error.code] ?? refusalInFull(error, form);
}

/** One attempt at a time. `submit` returns whether it was done; if not, `problem` says why, with the labels of `form`. */
export function useSubmit() {
  const [problem, setProblem] = useState('');
  const { isBusy, run } = useOnce();
  const isBack = phase.value === 'in' && problem === SESSION_ENDED;
  useEffect(() => {
    if (isBack) setProblem('');
  }, [isBack]);
  const submit = async (work: () => Promise<unknown>, form?: HTMLFormElement): Promise<boolean> => {
    let isDone = false;
    await run(async () => {
      setProblem('');
      try {
        await work();
        isDone = true;
      } catch (error) {
        setProblem(told(error, form));
      }
    });
    return isDone;
  };
  return { problem, setProblem, isBusy, submit };
}

export const Problem = ({ text }: { text: string }) => (
  <p role="alert" class="problem" hidden={!text}>
    {text}
  </p>
);

/** A value to hand over or to keep, with a button that copies it. */
export function Copyable({ label, value }: { label: string; value: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copyable">
        <input id={id} ref={field} class="mono" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" onClick={() => void copy(value, field.current!)}>
          Copy
        </button>
      </div>
    </div>
  );
}

interface ChoicesProps {
  legend: string;
  isLegendUnseen?: boolean;
  /** `radio`: exactly one. */
  type: 'checkbox' | 'radio';
  name: string;
  options: readonly { value: string; label: ComponentChildren; note?: ComponentChildren }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

export function Choices({ legend, isLegendUnseen = false, type, name, options, chosen, onChange }: ChoicesProps) {
  const toggle = (value: string, isOn: boolean) =>
    onChange(type === 'radio' ? [value] : isOn ? [...chosen, value] : chosen.filter((one) => one !== value));
  return (
    <fieldset class="choices">
      <legend class={isLegendUnseen ? 'unseen' : undefined}>{legend}</legend>
      {options.map(({ value, label, note }) => (
        <label key={value}>
          <input
            type={type}
            name={name}
            value={value}
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.currentTarget.checked)}
          />
          <span>
            {label}
            {note && <small>{note}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
