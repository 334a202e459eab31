/** The dialogs that are open, by id; the last one is on top, and the browser lets nobody use anything outside of it. */
import { signal } from '@preact/signals';

export const openDialogs = signal<readonly string[]>([]);
