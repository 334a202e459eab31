/** Whether anybody uses the tab. What it reads by itself must not keep the session of somebody who has gone away. */
import { unsaved } from './router.ts';

const UNATTENDED_MS = 60_000;

let usedAt = Date.now();
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'touchmove'])
  addEventListener(type, () => (usedAt = Date.now()), { capture: true, passive: true });

/** A file that is being sent needs its session until it has arrived. */
export const isUnattended = (): boolean => unsaved.value === null && Date.now() - usedAt > UNATTENDED_MS;
