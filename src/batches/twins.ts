/**
 * A set of 128-bit hashes with a number each, for finding rows of an upload that say the same: open addressing in typed arrays, 20 bytes
 * an entry at three quarters full, where a Map of a million strings would take over 100 MB.
 */

const KEY_BYTES = 16;
const CAPACITY_FIRST = 1024;
/** Share of the slots that may be taken before the table doubles. */
const FILL_MAX = 0.75;

export class KeyTable {
  private capacity = CAPACITY_FIRST;
  private size = 0;
  /** Four words a slot. */
  private keys = new Uint32Array(CAPACITY_FIRST * 4);
  /** 0: the slot is free. */
  private numbers = new Uint32Array(CAPACITY_FIRST);

  /**
   * The number that was added with the first 16 bytes of `hash`; adds `number` (from 1) and answers 0 when there is none. Hashes must be
   * evenly spread, since their bits choose the slot.
   */
  findOrAdd(hash: Buffer, number: number): number {
    if (hash.length < KEY_BYTES) throw new RangeError('a key has 16 bytes');
    const [a, b, c, d] = [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8), hash.readUInt32LE(12)];
    if (this.size >= this.capacity * FILL_MAX) this.grow();
    const slot = this.slotOf(a, b, c, d);
    const known = this.numbers[slot]!;
    if (known === 0) {
      this.put(slot, a, b, c, d, number);
      this.size++;
    }
    return known;
  }

  /** Where the key is, or the free slot where it belongs. */
  private slotOf(a: number, b: number, c: number, d: number): number {
    const { keys, numbers } = this;
    const mask = this.capacity - 1;
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const at = slot * 4;
      if (numbers[slot] === 0) return slot;
      if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d) return slot;
    }
  }

  private put(slot: number, a: number, b: number, c: number, d: number, number: number): void {
    const at = slot * 4;
    this.keys[at] = a;
    this.keys[at + 1] = b;
    this.keys[at + 2] = c;
    this.keys[at + 3] = d;
    this.numbers[slot] = number;
  }

  private grow(): void {
    const { keys, numbers, capacity } = this;
    this.capacity = capacity * 2;
    this.keys = new Uint32Array(this.capacity * 4);
    this.numbers = new Uint32Array(this.capacity);
    for (let slot = 0; slot < capacity; slot++) {
      if (numbers[slot] === 0) continue;
      const at = slot * 4;
      const [a, b, c, d] = [keys[at]!, keys[at + 1]!, keys[at + 2]!, keys[at + 3]!];
      this.put(this.slotOf(a, b, c, d), a, b, c, d, numbers[slot]!);
    }
  }
}
