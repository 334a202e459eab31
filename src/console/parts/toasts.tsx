/** Short messages about what has just been done. They stay long enough to be read; failures stay until they are closed. */
import { effect, signal } from '@preact/signals';
import { Refused } from '../../client/errors.ts';
import { phase } from '../state.ts';
import { openDialogs } from './open-dialogs.ts';
import { refusalInFull, SESSION_ENDED } from './refusals.ts';

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
}

const toasts = signal<Toast[]>([]);
const SHOWN_MS = 6_000;
effect(() => {
  if (phase.value === 'in') toasts.value = toasts.peek().filter(({ text }) => text !== SESSION_ENDED);
});
let last = 0;

const close = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

export function say(text: string, { isBad = false } = {}): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, text, isBad }];
  if (!isBad) setTimeout(() => close(id), SHOWN_MS);
}

/** Why something was not done, or may not have been. */
export const failureText = (error: unknown): string =>
  error instanceof Refused
    ? refusalInFull(error)
    : 'Confam cannot be reached. Your request may have gone through: look before you repeat it.';

/** Does the work and reports success or the reason for failure. Returns whether it was done. */
export async function attempt(work: () => Promise<unknown>, done: string | null): Promise<boolean> {
  try {
    await work();
    if (done !== null) say(done);
    return true;
  } catch (error) {
    say(failureText(error), { isBad: true });
    return false;
  }
}

/** Placed on the page and in each dialog. Only the topmost place shows them, because nothing under an open dialog can be pressed or is announced. */
export const Toasts = ({ within }: { within?: string }) => (
  <div class="toasts" role="status" aria-live="polite">
    {(openDialogs.value.at(-1) === within ? toasts.value : []).map(({ id, text, isBad }) => (
      <div key={id} class={`toast ${isBad ? 'bad' : ''}`}>
        <span aria-hidden="true">{isBad ? '■' : '●'}</span>
        {text}
        <button type="button" class="plain" aria-label="Close the message" onClick={() => close(id)}>
          ✕
        </button>
      </div>
    ))}
  </div>
);
