/**
 * Places for things that a slow client can occupy for long: an upload in progress, a download. A process has a fixed number, and an app may hold no more than
 * its share, so that nobody can take them all.
 */
import { ApiError } from './errors.ts';

export interface PlacesOptions {
  all: number;
  /** Most that one app may hold. */
  each: number;
  /** Plural noun for the refusal's sentence. */
  what: string;
  retrySeconds: number;
}

/** The share of one app: half of the places, so that others always have some. */
export const share = (places: number): number => Math.max(1, Math.floor(places / 2));

/** May be called repeatedly. */
export type Leave = () => void;

export interface Places {
  /**
   * Waits for a place, at most `waitMs` (null: as long as it takes), then throws `overloaded`. Whoever has waited longest goes first, unless its app already
   * has its share.
   */
  take(appId: string, waitMs: number | null): Promise<Leave>;
}

export function openPlaces({ all, each, what, retrySeconds }: PlacesOptions): Places {
  const held = new Map<string, number>();
  const waiting = new Set<{ appId: string; enter: (leave: Leave) => void }>();
  let taken = 0;

  const hasShare = (appId: string): boolean => (held.get(appId) ?? 0) >= each;

  function enter(appId: string): Leave {
    taken++;
    held.set(appId, (held.get(appId) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      taken--;
      const left = held.get(appId)! - 1;
      if (left === 0) held.delete(appId);
      else held.set(appId, left);
      letIn();
    };
  }

  function letIn(): void {
    for (const next of waiting) {
      if (taken >= all) return;
      if (hasShare(next.appId)) continue;
      waiting.delete(next);
      next.enter(enter(next.appId));
    }
  }

  const refused = (appId: string): ApiError =>
    new ApiError(
      'overloaded',
      hasShare(appId)
        ? `This app already has its share of ${each} ${what} in progress; try again later`
        : `${all} ${what} are in progress; try again later`,
      { headers: { 'Retry-After': String(retrySeconds) } },
    );

  return {
    async take(appId, waitMs) {
      if (taken < all && !hasShare(appId)) return enter(appId);
      if (waitMs === 0) throw refused(appId);
      return new Promise((resolve, reject) => {
        const mine = {
          appId,
          enter: (leave: Leave) => {
            clearTimeout(timer);
            resolve(leave);
          },
        };
        const giveUp = () => {
          waiting.delete(mine);
          reject(refused(appId));
        };
        const timer = waitMs === null ? undefined : setTimeout(giveUp, waitMs);
        waiting.add(mine);
      });
    },
  };
}
