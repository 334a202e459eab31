/**
 * Suspended apps, known to every process within a second and without a query. A suspended app starts nothing and receives no webhooks; questions already at a
 * vendor are finished.
 */

import type { Context } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import { openAnnounced } from './announced.ts';

export interface Suspensions {
  has(appId: string): boolean;
  /** Throws `app_suspended`. */
  refuse(appId: string): void;
  /** `listener` is called whenever an app is suspended or resumed. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export async function openSuspensions(ctx: Pick<Context, 'sql' | 'log'>): Promise<Suspensions> {
  let suspended: ReadonlySet<string> = new Set();
  const listeners: (() => void)[] = [];
  const has = (appId: string): boolean => suspended.has(appId);
  const close = await openAnnounced(
    ctx,
    'suspensions',
    () => ctx.sql<{ id: string }[]>`select id from apps where disabled_at is not null`,
    (rows) => {
      const next = new Set(rows.map(({ id }) => id));
      if (next.size === suspended.size && [...next].every(has)) return;
      suspended = next;
      for (const listener of listeners) listener();
    },
  );
  return {
    has,
    onChange: (listener) => void listeners.push(listener),
    refuse(appId) {
      if (has(appId)) throw new ApiError('app_suspended', 'The app is suspended; its operator can resume it');
    },
    close,
  };
}
