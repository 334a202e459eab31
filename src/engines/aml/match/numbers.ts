/** Arrays that grow while an index is built. */

/** A growing array of numbers; its final copy is in shared memory. */
export class Numbers<Kind extends Int32Array | Uint8Array | Uint16Array | Float32Array> {
  private array: Kind;
  length = 0;
  constructor(
    private readonly make: new (buffer: ArrayBufferLike) => Kind,
    private readonly bytes: number,
    capacity = 1024,
  ) {
    this.array = new make(new ArrayBuffer(capacity * bytes));
  }
  push(value: number): void {
    if (this.length === this.array.length) this.grow(this.length + 1);
    this.array[this.length++] = value;
  }
  append(values: Uint8Array): void {
    if (this.length + values.length > this.array.length) this.grow(this.length + values.length);
    this.array.set(values, this.length);
    this.length += values.length;
  }
  get view(): Kind {
    return this.array;
  }
  shared(): Kind {
    const shared = new this.make(new SharedArrayBuffer(Math.max(1, this.length) * this.bytes));
    shared.set(this.array.subarray(0, this.length) as never);
    return shared;
  }
  private grow(least: number): void {
    const larger = new this.make(new ArrayBuffer(Math.max(least, this.length * 2) * this.bytes));
    larger.set(this.array.subarray(0, this.length) as never);
    this.array = larger;
  }
}

export const ints = (capacity?: number) => new Numbers(Int32Array, 4, capacity);
export const bytes = (capacity?: number) => new Numbers(Uint8Array, 1, capacity);
export const shorts = () => new Numbers(Uint16Array, 2);
export const ascii = (into: Numbers<Uint8Array>, text: string) => {
  for (let i = 0; i < text.length; i++) into.push(text.charCodeAt(i));
};
