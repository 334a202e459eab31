/** Something that is read from the API for a page: read again when the app, the mode or the connection changes, and shown in each of its states. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isAbort } from '../../client/transport.ts';
import { epoch, scope } from '../state.ts';
import { Failure, Waiting } from './common.tsx';

export interface Resource<Data> {
  /** The last value read; it stays while it is read again. */
  data: Data | null;
  error: unknown;
  reload(): void;
  /** Reads again unless it is being read: a slow answer is waited for. */
  refresh(): void;
  /** Sets a newer value without reading again: from an event of a stream, or from the answer to a change. */
  set(change: (data: Data) => Data): void;
}

/** Repeats it while the tab is visible; null: never. */
export function useEvery(ms: number | null, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (ms === null) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** `key` names what is read: another key forgets what was read before. `everyMs`: read again while the tab is visible. */
export function useResource<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  { everyMs = null }: { everyMs?: number | null } = {},
): Resource<Data> {
  const whole = `${scope.value} ${key}`;
  const [read, setRead] = useState<{ key: string; data: Data | null; error: unknown }>({ key: whole, data: null, error: null });
  const [again, setAgain] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isReading = useRef(false);
  const turn = epoch.value;
  useEffect(() => {
    const stop = new AbortController();
    isReading.current = true;
    latest.current(stop.signal).then(
      (data) => {
        if (stop.signal.aborted) return;
        isReading.current = false;
        setRead({ key: whole, data, error: null });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        isReading.current = false;
        if (isAbort(error)) return;
        setRead((before) => ({ key: whole, data: before.key === whole ? before.data : null, error }));
      },
    );
    return () => stop.abort();
  }, [whole, again, turn]);
  const reload = useCallback(() => setAgain((n) => n + 1), []);
  const refresh = useCallback(() => isReading.current || reload(), []);
  useEvery(everyMs, refresh);
  const set = useCallback(
    (change: (data: Data) => Data) => setRead((before) => (before.data === null ? before : { ...before, data: change(before.data) })),
    [],
  );
  const isCurrent = read.key === whole;
  return { data: isCurrent ? read.data : null, error: isCurrent ? read.error : null, reload, refresh, set };
}

/** Waiting, failed, or there. A failure of a later reading is shown above what is known. */
export function Loaded<Data>({ of, what, children }: { of: Resource<Data>; what?: string; children: (data: Data) => ComponentChildren }) {
  const { data, error, reload } = of;
  if (data === null) return error === null ? <Waiting what={what} /> : <Failure error={error} retry={reload} />;
  return (
    <>
      {error !== null && <Failure error={error} retry={reload} />}
      {children(data)}
    </>
  );
}
