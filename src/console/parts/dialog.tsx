/** Questions in front of the page: the browser's own `<dialog>`, which keeps the focus inside and gives it back. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useOnce } from './once.ts';
import { openDialogs } from './open-dialogs.ts';
import { Toasts } from './toasts.tsx';

/** `onClose` null: it cannot be dismissed. */
export function Dialog({ title, onClose, children }: { title: string; onClose: (() => void) | null; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const isTopmost = () => openDialogs.value.at(-1) === titleId;
  // Not `useEffect`: its cleanup waits for the next paint, and until then the keyboard would be nowhere.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const opener = document.activeElement;
    dialog.showModal();
    openDialogs.value = [...openDialogs.value, titleId];
    return () => {
      openDialogs.value = openDialogs.value.filter((one) => one !== titleId);
      dialog.close();
      // What was done may have removed the button that asked for it.
      const back = opener?.isConnected ? opener : document.getElementById('main');
      if (back instanceof HTMLElement) back.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (isTopmost()) onClose?.();
      }}
      onClose={() => {
        // On a second Escape the browser closes the dialog without asking, and sometimes those behind it too. If the element is gone from the page, its opener closed it.
        if (element.current?.open !== false) return;
        if (onClose !== null && isTopmost()) onClose();
        else showAll();
      }}
    >
      <div>
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
      <Toasts within={titleId} />
    </dialog>
  );
}

/** Shows the open dialogs again, the topmost last. */
function showAll(): void {
  for (const id of openDialogs.value) {
    const dialog = document.getElementById(id)!.closest('dialog')!;
    dialog.close();
    dialog.showModal();
  }
}

interface Question {
  title: string;
  children: ComponentChildren;
  /** The verb on the button that does it. */
  verb: string;
  isDanger?: boolean;
  /** While its promise is pending, the dialog stays and its buttons do nothing. */
  onYes: () => unknown;
  onNo: () => void;
}

export function Confirm({ title, children, verb, isDanger = false, onYes, onNo }: Question) {
  const { isBusy, run } = useOnce();
  return (
    <Dialog title={title} onClose={isBusy ? null : onNo}>
      {children}
      <div class="actions">
        <button type="button" class={isDanger ? 'danger' : 'main'} aria-disabled={isBusy} onClick={() => void run(onYes)}>
          {verb}
        </button>
        {/* A second press of Enter must not do what cannot be undone. */}
        <button type="button" autofocus={isDanger} aria-disabled={isBusy} onClick={isBusy ? undefined : onNo}>
          Back
        </button>
      </div>
    </Dialog>
  );
}
