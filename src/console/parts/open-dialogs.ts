/** Ids of the open dialogs. The last one is on top; the browser makes everything outside of it unusable. */
import { signal } from '@preact/signals';

export const openDialogs = signal<readonly string[]>([]);
