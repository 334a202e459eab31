/** Where somebody was on a page, kept in its entry of the browser's history: whoever comes back to the page, or reloads it, finds it as they left it. */

interface Kept {
  /** How far it was scrolled, in pixels. */
  scroll?: number;
  /** How many pages of its lists were shown, by the key of the list. */
  pages?: Readonly<Record<string, number>>;
  /** Where somebody was in a long table: its caption, and the line. */
  table?: string | null;
  line?: number;
}

export const kept = (): Kept => (history.state as Kept | null) ?? {};

export const keep = (more: Kept): void => history.replaceState({ ...kept(), ...more } satisfies Kept, '');

// The browser would do it too early, when what the page reads is not there yet.
history.scrollRestoration = 'manual';

const REST_MS = 250;
const BACK_MS = 5_000;

/** Until when a page may become long enough to be scrolled back; 0: none is waiting for that. */
let backUntil = 0;
let resting: ReturnType<typeof setTimeout>;

export function keepScroll(): void {
  clearTimeout(resting);
  if (backUntil === 0) keep({ scroll: scrollY });
}

addEventListener(
  'scroll',
  () => {
    clearTimeout(resting);
    resting = setTimeout(keepScroll, REST_MS);
  },
  { passive: true },
);

/** After a step back or a reload, scrolls to where the page was, as soon as it is long enough, unless the person does something first. */
export function scrollBack(): void {
  const { scroll = 0 } = kept();
  backUntil = scroll > 0 ? performance.now() + BACK_MS : 0;
  const step = () => {
    if (backUntil === 0) return;
    const isLong = document.documentElement.scrollHeight - innerHeight >= scroll - 1;
    if (isLong) scrollTo(0, scroll);
    if (isLong || performance.now() > backUntil) backUntil = 0;
    else requestAnimationFrame(step);
  };
  // Until then the page before is still there.
  requestAnimationFrame(step);
}
scrollBack();

for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
  addEventListener(type, () => (backUntil = 0), { capture: true, passive: true });
