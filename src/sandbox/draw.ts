/**
 * Repeatable randomness by 32-bit integer mixing: everything about an invented person follows from a number alone, the same on every machine. It makes test
 * data; it is not cryptography.
 */

/** Part of every key. Raising it invents another population; nothing else may change which person a number belongs to. */
export const PEOPLE_VERSION = 1;

/** MurmurHash3's 32-bit finalizer (public domain, Austin Appleby): a bijection on 32 bits in which every input bit reaches every output bit. */
export function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A subject's source of draws. A draw is identified by its slot, not its order, so a new field changes no other. */
export class Draw {
  readonly #a: number;
  readonly #b: number;

  /** `high` and `low`: the halves of the subject's number, each below 2^32. */
  constructor(high: number, low: number) {
    this.#a = mix(mix(high ^ 0x5bd1e995 ^ PEOPLE_VERSION) + low);
    this.#b = mix(mix(low ^ 0x27d4eb2f ^ PEOPLE_VERSION) + high);
  }

  /** A whole number in [0, 2^32). */
  bits(slot: number): number {
    return mix(mix(this.#a + Math.imul(slot + 1, 0x9e3779b9)) ^ this.#b);
  }

  /** A whole number in [0, count). The bias of the remainder is below count / 2^32. */
  below(slot: number, count: number): number {
    return this.bits(slot) % count;
  }

  /** True in `percent` per cent of cases. */
  chance(slot: number, percent: number): boolean {
    return this.below(slot, 100) < percent;
  }

  pick<T>(slot: number, list: readonly T[]): T {
    return list[this.below(slot, list.length)]!;
  }
}
