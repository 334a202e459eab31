/** Puts a text on the clipboard. */
import { say } from './toasts.tsx';

/** Browsers refuse it, over plain http for example: then what `shown` shows is selected. */
export async function copy(text: string, shown: Element): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    if (shown instanceof HTMLInputElement) shown.select();
    else getSelection()?.selectAllChildren(shown);
    say('The browser did not allow copying. The text is selected: copy it with the keyboard.', { isBad: true });
  }
}
