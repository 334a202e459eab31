/**
 * Decides which apps are loud at a gate: those that recently asked for much more than the others, whether or not they got it, and those that hold or wait
 * for much more now. A request from a second ago counts half.
 */

/** An app is loud above this multiple of the average of the asking apps: never when it is alone or among equals. */
const LOUD = 1.5;
const HALVED_MS = 1_000;
const FADE_MS = 100;
/** A single request is forgotten after six seconds. */
const FORGOTTEN = 1 / 64;

/** What apps asked of one gate. */
export interface Demand {
  add(appId: string, amount: number): void;
  /**
   * Whether the app asks for, or already has, more than 1.5 times the average. `has`: its amount inside the gate and in the queue; `all`: everybody's. Apps that
   * use only other gates count as zero in the average.
   */
  isLoud(appId: string, has: number, all: number): boolean;
}

export class Loudness {
  private readonly now: () => number;
  /** Requests of any kind, by app. */
  private readonly apps = new Fading();
  private readonly gates: Fading[] = [];
  private fadedAt = 0;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  of(weightOf: (appId: string) => number): Demand {
    const asked = new Fading();
    this.gates.push(asked);
    return {
      add: (appId, amount) => {
        this.fade();
        this.apps.add(appId, 1);
        asked.add(appId, amount / weightOf(appId));
      },
      isLoud: (appId, has, all) => {
        this.fade();
        // An app that only waits has been forgotten as one that asks, but it is still active.
        const apps = this.apps.size + (this.apps.of(appId) === 0 ? 1 : 0);
        return asked.of(appId) * apps > LOUD * asked.total || (has / weightOf(appId)) * apps > LOUD * all;
      },
    };
  }

  private fade(): void {
    const now = this.now();
    const ms = now - this.fadedAt;
    if (ms < FADE_MS) return;
    this.fadedAt = now;
    const factor = 0.5 ** (ms / HALVED_MS);
    this.apps.fade(factor);
    for (const gate of this.gates) gate.fade(factor);
  }
}

class Fading {
  total = 0;
  private readonly amounts = new Map<string, number>();

  get size(): number {
    return this.amounts.size;
  }

  of(appId: string): number {
    return this.amounts.get(appId) ?? 0;
  }

  add(appId: string, amount: number): void {
    this.amounts.set(appId, this.of(appId) + amount);
    this.total += amount;
  }

  fade(factor: number): void {
    this.total = 0;
    for (const [appId, before] of this.amounts) {
      const amount = before * factor;
      if (amount < FORGOTTEN) this.amounts.delete(appId);
      else {
        this.amounts.set(appId, amount);
        this.total += amount;
      }
    }
  }
}
