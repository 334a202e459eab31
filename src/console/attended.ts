/** Whether anybody is using the tab. A tab that refreshes itself must not keep the session of somebody who has left alive. */
import { unsaved } from './router.ts';

const UNATTENDED_MS = 60_000;

let usedAt = Date.now();
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'touchmove'])
  addEventListener(type, () => (usedAt = Date.now()), { capture: true, passive: true });

/** While a file is being sent, the session must not end. */
export const isUnattended = (): boolean => unsaved.value === null && Date.now() - usedAt > UNATTENDED_MS;
