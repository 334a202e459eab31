/** What the page is about, for the title of the browser's tab: a reference or a name of a thing, never a person's name or number. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export const subject = signal<string | null>(null);

export function useSubject(text: string | null): void {
  useEffect(() => {
    subject.value = text;
    return () => {
      subject.value = null;
    };
  }, [text]);
}
