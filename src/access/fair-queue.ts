/**
 * A queue that is fair by app: each app's entries in order of arrival, and among the apps a share of the turns by weight (start-time fair queueing: an app's
 * next turn is due later, the more it has just had). An app that sends a thousand requests delays only its own.
 */

/** An app's share relative to others; 1 unless its settings say otherwise. */
export type WeightOf = (appId: string) => number;

export interface Entry<Item> {
  readonly appId: string;
  readonly item: Item;
  /** How much of the resource it takes. A turn counts that much. */
  readonly size: number;
}

interface Line<Item> {
  readonly entries: Set<Entry<Item>>;
  /** Sum of the sizes of its entries. */
  amount: number;
  /** When the app's next turn is due, in virtual time. */
  due: number;
}

export class FairQueue<Item> {
  private readonly weightOf: WeightOf;
  private readonly lines = new Map<string, Line<Item>>();
  /** Virtual time: when the latest turn was due. */
  private clock = 0;
  private size = 0;
  /** Sum of the sizes of all entries. */
  amount = 0;

  constructor(weightOf: WeightOf) {
    this.weightOf = weightOf;
  }

  get length(): number {
    return this.size;
  }

  lengthOf(appId: string): number {
    return this.lines.get(appId)?.entries.size ?? 0;
  }

  amountOf(appId: string): number {
    return this.lines.get(appId)?.amount ?? 0;
  }

  add(appId: string, item: Item, size = 1): Entry<Item> {
    const entry = { appId, item, size };
    const line = this.lines.get(appId) ?? { entries: new Set(), amount: 0, due: this.clock };
    if (line.entries.size === 0) line.due = Math.max(line.due, this.clock);
    line.entries.add(entry);
    line.amount += size;
    this.lines.set(appId, line);
    this.size++;
    this.amount += size;
    return entry;
  }

  /** The entry whose turn it is among the apps that `mayGo`. It stays in the queue. */
  peek(mayGo: (entry: Entry<Item>) => boolean = () => true): Entry<Item> | undefined {
    let first: { due: number; entry: Entry<Item> } | undefined;
    for (const [appId, { entries, due }] of this.lines) {
      if (entries.size === 0) {
        // Remembered only while it has had more than its share of turns.
        if (due <= this.clock) this.lines.delete(appId);
      } else if (!first || due < first.due) {
        const [entry] = entries;
        if (mayGo(entry!)) first = { due, entry: entry! };
      }
    }
    return first?.entry;
  }

  /** Removes an entry because its turn has come. */
  take(entry: Entry<Item>): Item {
    const line = this.lines.get(entry.appId)!;
    this.remove(entry);
    this.clock = Math.max(this.clock, line.due);
    line.due += entry.size / this.weightOf(entry.appId);
    return entry.item;
  }

  /** The next item, removed. */
  shift(): Item | undefined {
    const entry = this.peek();
    return entry && this.take(entry);
  }

  /** Removes an entry that no longer waits. */
  remove(entry: Entry<Item>): void {
    const line = this.lines.get(entry.appId);
    if (!line?.entries.delete(entry)) return;
    line.amount -= entry.size;
    this.amount -= entry.size;
    this.size--;
  }

  /** Empties the queue. */
  drain(): Item[] {
    const items = [...this.lines.values()].flatMap(({ entries }) => [...entries].map(({ item }) => item));
    this.lines.clear();
    this.size = 0;
    this.amount = 0;
    return items;
  }
}
