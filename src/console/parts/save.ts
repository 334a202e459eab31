/** Lets the browser save files that were fetched with the session's headers. */
import type { Approval } from '../../client/people.ts';
import { asked } from './asked.ts';
import { say } from './toasts.tsx';

export function save(file: Blob, name: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(file);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}

/** Saves the file, or says that it needs an approval first. */
export function saveOnceApproved(answer: Blob | Approval, name: string): void {
  const file = asked(answer);
  if (file === null) return;
  save(file, name);
  say('The file is being saved.');
}
