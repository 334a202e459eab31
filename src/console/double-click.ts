/**
 * The second click of a double click does nothing if something else has come under the pointer meanwhile: the button that undoes what the first one did, or
 * a button of the page or dialog that it opened.
 */

/** Two clicks within this time are a double click. Somebody who has read the new button takes longer. */
const TOGETHER_MS = 700;
/** A finger does not hit the same spot twice. */
const SAME_PLACE_PX = 16;

let last: { control: Element; name: string; at: number; x: number; y: number } | null = null;

const nameOf = (control: Element): string => control.textContent.trim();

addEventListener(
  'click',
  (event) => {
    const control = event.target instanceof Element ? event.target.closest('button, a, summary') : null;
    if (!event.isTrusted || control === null) return;
    const before = last;
    const [name, at, x, y] = [nameOf(control), Date.now(), event.clientX, event.clientY];
    last = { control, name, at, x, y };
    if (before === null || at - before.at > TOGETHER_MS || name === before.name) return;
    // The keyboard clicks at no place, and moves with the focus.
    const isSamePlace = event.detail === 0 ? control === before.control : Math.hypot(x - before.x, y - before.y) <= SAME_PLACE_PX;
    if (!isSamePlace) return;
    last = { ...before, at };
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  { capture: true },
);

// A key that is held down counts once: otherwise it would also answer the question that it has opened.
addEventListener(
  'keydown',
  (event) => {
    if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
  },
  { capture: true },
);
