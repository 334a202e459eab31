/**
 * Suspended apps, known to every process without a query: a change is announced at once, and the list is read again at a short interval in case an announcement
 * was lost. A suspended app starts nothing and receives no webhooks; questions already at a vendor are finished.
 */

import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { KEYS_CHANNEL } from './keys.ts';

/** A suspension holds everywhere within a second, announced or not. */
const READ_AGAIN_MS = 700;

export interface Suspensions {
  has(appId: string): boolean;
  /** Throws `app_suspended`. */
  refuse(appId: string): void;
  /** `listener` is called whenever an app is suspended or resumed. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export async function openSuspensions({ sql, log }: Pick<Context, 'sql' | 'log'>): Promise<Suspensions> {
  let suspended: ReadonlySet<string> = new Set();
  const listeners: (() => void)[] = [];
  const has = (appId: string): boolean => suspended.has(appId);
  /** Numbers the reads: of two that overlap, the later one wins. */
  let begun = 0;
  let taken = 0;
  const read = async (): Promise<void> => {
    const mine = ++begun;
    const rows = await sql<{ id: string }[]>`select id from apps where disabled_at is not null`;
    if (mine < taken) return;
    taken = mine;
    const next = new Set(rows.map(({ id }) => id));
    if (next.size === suspended.size && [...next].every(has)) return;
    suspended = next;
    for (const listener of listeners) listener();
  };
  const readAgain = () => void read().catch((error: unknown) => log.debug({ err: error }, 'suspensions were not read'));
  await read();
  const listener = sql.listen(KEYS_CHANNEL, readAgain);
  // The interval covers for a listener that failed, and the driver keeps trying.
  listener.catch((error: unknown) => log.warn({ err: error }, 'suspensions are not announced to this process'));
  const timer = setInterval(readAgain, READ_AGAIN_MS);
  timer.unref();
  return {
    has,
    onChange: (listener) => void listeners.push(listener),
    refuse(appId) {
      if (has(appId)) throw new ApiError('app_suspended', 'The app is suspended; its operator can resume it');
    },
    async close() {
      clearInterval(timer);
      await (await listener.catch(() => null))?.unlisten();
    },
  };
}
