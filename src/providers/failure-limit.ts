/**
 * What failures leave of a limit of calls in flight (AIMD). It grows while answers are clean: by one an answer up to the level that last worked (so that a
 * vendor that recovers is used again within seconds), then by a share a round.
 */

/** Three tenths less on overload, at most this often, so that one burst of failures counts once. */
const DECREASE = 0.7;
const DECREASE_EVERY_MS = 500;
/** Good vendors fail this often too, so this rate shrinks nothing. Over some hundred answers, a vendor that fails half as often hardly ever exceeds it by chance. */
const FAILING_MAX = 0.1;
const FAILING_WEIGHT = 0.01;
/** A vendor that has begun to fail is noticed over the last twenty answers. There it takes more: five or six failures in a row. */
const SUDDEN_MAX = 0.25;
const SUDDEN_WEIGHT = 0.05;
/** Above the level that worked before failures, the limit grows by this share a round. */
const GROWTH = 0.05;

export class FailureLimit {
  private readonly max: number;
  private readonly now: () => number;
  private size: number;
  private didWell: number;
  private isShrinking = false;
  private shrunkAt = Number.NEGATIVE_INFINITY;
  private failing = 0;
  private failingSuddenly = 0;
  private answers = 0;

  constructor(max: number, now: () => number) {
    this.max = max;
    this.now = now;
    this.size = max;
    this.didWell = max;
  }

  limit(): number {
    return this.size;
  }

  clean(): void {
    this.learn(false);
    this.isShrinking = false;
    this.size = Math.min(this.max, this.size + (this.size < this.didWell ? 1 : Math.max(1 / this.size, GROWTH)));
  }

  /** `limit` is the limit that was in force. Returns whether it shrank. */
  failed(limit: number): boolean {
    this.learn(true);
    const isFailing = this.failing > FAILING_MAX || this.failingSuddenly > SUDDEN_MAX;
    if (!isFailing || this.now() - this.shrunkAt <= DECREASE_EVERY_MS) return false;
    // A second failure before any clean answer says nothing about the level that worked.
    if (!this.isShrinking) this.didWell = Math.max(1, limit * DECREASE);
    this.isShrinking = true;
    this.shrunkAt = this.now();
    this.size = Math.max(1, limit * DECREASE);
    return true;
  }

  private learn(isFailure: boolean): void {
    const atLeast = 1 / ++this.answers;
    this.failing += Math.max(FAILING_WEIGHT, atLeast) * (Number(isFailure) - this.failing);
    this.failingSuddenly += Math.max(SUDDEN_WEIGHT, atLeast) * (Number(isFailure) - this.failingSuddenly);
  }
}
