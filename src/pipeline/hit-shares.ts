/** How often the cache has lately answered each app's calls: one app's misses say nothing about another's. */
import { LRUCache } from 'lru-cache';

const APPS_KEPT = 10_000;
/** Weight of the latest call. */
const WEIGHT = 0.05;

export class HitShares {
  private readonly shares = new LRUCache<string, number>({ max: APPS_KEPT });

  /** 0 to 1; 0 for an app that has not called yet. */
  of(appId: string): number {
    return this.shares.get(appId) ?? 0;
  }

  add(appId: string, isHit: boolean): void {
    const share = this.of(appId);
    this.shares.set(appId, share + WEIGHT * (Number(isHit) - share));
  }
}
