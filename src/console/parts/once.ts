/** Does one thing at a time: a second click does nothing until the first has finished. */
import { useRef, useState } from 'preact/hooks';

export function useOnce(): { isBusy: boolean; run: (work: () => unknown) => Promise<void> } {
  const isRunning = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => unknown) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, run };
}
