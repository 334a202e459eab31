/**
 * Finds the duplicates among an upload's rows: remembers each 128-bit hash with the first row that had it. Open addressing in typed arrays takes 20 bytes per
 * slot; a Map of a million strings would take over 100 MB.
 */

const KEY_BYTES = 16;
const CAPACITY_FIRST = 1024;
/** Share of used slots at which the table doubles. */
const FILL_MAX = 0.75;

export class FirstRows {
  private capacity = CAPACITY_FIRST;
  private size = 0;
  /** Four words per slot. */
  private keys = new Uint32Array(CAPACITY_FIRST * 4);
  /** 0: the slot is free. */
  private rows = new Uint32Array(CAPACITY_FIRST);

  /**
   * Returns the first row with the last 16 bytes of `hash` (those before may name an index key); if there is none, remembers `row` (from 1) and returns 0. Hashes
   * must be evenly distributed, since their bits choose the slot.
   */
  findOrAdd(hash: Buffer, row: number): number {
    if (hash.length < KEY_BYTES) throw new RangeError('a key needs 16 bytes');
    const from = hash.length - KEY_BYTES;
    const [a, b, c, d] = [hash.readUInt32LE(from), hash.readUInt32LE(from + 4), hash.readUInt32LE(from + 8), hash.readUInt32LE(from + 12)];
    if (this.size >= this.capacity * FILL_MAX) this.grow();
    const slot = this.slotOf(a, b, c, d);
    const known = this.rows[slot]!;
    if (known === 0) {
      this.put(slot, a, b, c, d, row);
      this.size++;
    }
    return known;
  }

  /** The key's slot, or the free slot where it belongs. */
  private slotOf(a: number, b: number, c: number, d: number): number {
    const { keys, rows } = this;
    const mask = this.capacity - 1;
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const at = slot * 4;
      if (rows[slot] === 0) return slot;
      if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d) return slot;
    }
  }

  private put(slot: number, a: number, b: number, c: number, d: number, row: number): void {
    const at = slot * 4;
    this.keys[at] = a;
    this.keys[at + 1] = b;
    this.keys[at + 2] = c;
    this.keys[at + 3] = d;
    this.rows[slot] = row;
  }

  private grow(): void {
    const { keys, rows, capacity } = this;
    this.capacity = capacity * 2;
    this.keys = new Uint32Array(this.capacity * 4);
    this.rows = new Uint32Array(this.capacity);
    for (let slot = 0; slot < capacity; slot++) {
      if (rows[slot] === 0) continue;
      const at = slot * 4;
      const [a, b, c, d] = [keys[at]!, keys[at + 1]!, keys[at + 2]!, keys[at + 3]!];
      this.put(this.slotOf(a, b, c, d), a, b, c, d, rows[slot]!);
    }
  }
}
