/** Keeps the focus in a group of buttons that change with the state of what they act on. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** If the button that has the focus goes away, the focus moves to the first one left, or to the top of the page's content. */
export function useKeptFocus<Element extends HTMLElement>() {
  const element = useRef<Element>(null);
  const hadFocus = element.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (!hadFocus || document.activeElement !== document.body) return;
    const next = element.current?.querySelector<HTMLElement>('button:enabled') ?? document.getElementById('main');
    next?.focus({ preventScroll: true });
  });
  return element;
}
