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
  get view(): Kind {
    return this.array;
  }
  shared(): Kind {
    const shared = new this.make(new SharedArrayBuffer(Math.max(1, this.length) * this.bytes));
    shared.set(this.array.subarray(0, this.length) as never);
    return shared;
  }
  /** Makes room for `count` more. */
  protected reserve(count: number): void {
    if (this.length + count > this.array.length) this.grow(this.length + count);
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

/** Texts in UTF-8, end to end. */
export class Texts extends Numbers<Uint8Array> {
  /** The same memory. */
  private buffer: Buffer;
  constructor() {
    super(Uint8Array, 1);
    this.buffer = Buffer.from(this.view.buffer);
  }
  append(text: string): void {
    this.reserve(text.length * UTF8_MAX);
    if (this.buffer.buffer !== this.view.buffer) this.buffer = Buffer.from(this.view.buffer);
    this.length += this.buffer.write(text, this.length);
  }
}

/** Most bytes of a UTF-16 unit. */
const UTF8_MAX = 3;
