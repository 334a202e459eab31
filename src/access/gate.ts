/**
 * A gate in front of something that a process has only so much of: places for uploads, bytes of bodies, a turn at writing a PDF. It bounds what is in use in
 * all and by app, and lets those who wait in fairly by app. Which gates there are: `admission.ts`.
 */
import { ApiError, ClientGone } from '../foundation/errors.ts';
import { type Entry, FairQueue, type WeightOf } from './fair-queue.ts';

export interface GateOptions {
  /** Plural noun for the refusal's sentence. */
  what: string;
  /** Capacity of this process. */
  all: number;
  /** Share of the capacity, and of the queue, for an app of weight 1. Default: half, so that others always have some. */
  share?: number;
  /** How many may wait, and how long; `ms` null: as long as it takes. Null: nobody waits. */
  queue: { max: number; ms: number | null } | null;
  retrySeconds: number;
  /** Subject of the refusal's sentence. Default: "This app". */
  whose?: string;
  /** Writes an amount for the refusal's sentence. */
  show?: (amount: number) => string;
}

/** May be called repeatedly. */
export type Leave = () => void;

/** Who waits for the answer. The signal is asked for only if there is a wait. */
export interface Client {
  isGone(): boolean;
  signal(): AbortSignal;
}

interface Waiting {
  enter(leave: Leave): void;
}

/** A thousand that came together would give up in the same millisecond, and their refusals keep everybody else waiting: each gives up by up to this share earlier. */
const EARLIER = 0.2;

/** Of the capacity, this share is never for one app alone, whatever its weight. */
const OTHERS_SHARE = 1 / 8;

export class Gate {
  readonly what: string;
  /** Refusals since they were last counted. */
  readonly refusals = { app: 0, all: 0 };
  private readonly options: GateOptions;
  private readonly weightOf: WeightOf;
  private readonly held = new Map<string, number>();
  private readonly queue: FairQueue<Waiting>;
  private taken = 0;

  constructor(weightOf: WeightOf, options: GateOptions) {
    this.what = options.what;
    this.options = options;
    this.weightOf = weightOf;
    this.queue = new FairQueue(weightOf);
  }

  inUse(): { taken: number; waiting: number } {
    return { taken: this.taken, waiting: this.queue.length };
  }

  /**
   * Takes `size` of the capacity until the returned function is called; at once if there is room, otherwise after a wait. Throws `too_many_in_progress` if the
   * app has its share, `overloaded` if everybody together has everything, and `ClientGone` if the client leaves while it waits.
   */
  enter(appId: string, client?: Client, size = 1): Leave | Promise<Leave> {
    // More than the whole share is admitted too, when the app has nothing else in progress.
    const amount = Math.min(size, this.boundOf(appId));
    if (this.queue.length === 0 && this.hasShareFor(appId, amount) && this.hasRoomFor(amount)) return this.admit(appId, amount);
    return this.wait(appId, amount, client);
  }

  /** Does `work` inside. */
  async within<T>(appId: string, work: () => Promise<T>, client?: Client): Promise<T> {
    const leave = await this.enter(appId, client);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  private async wait(appId: string, amount: number, client?: Client): Promise<Leave> {
    const { queue: bounds } = this.options;
    if (!bounds || !this.mayWait(appId, bounds.max)) throw this.refused(appId, amount);
    if (client?.isGone()) throw new ClientGone();
    return new Promise((resolve, reject) => {
      const signal = client?.signal();
      const over = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
      };
      const giveUp = (error: () => Error) => () => {
        over();
        this.queue.remove(entry);
        reject(error());
        // Whoever is behind it may be smaller.
        this.letIn();
      };
      const gone = giveUp(() => new ClientGone());
      const timer =
        bounds.ms === null
          ? undefined
          : setTimeout(
              giveUp(() => this.refused(appId, amount)),
              bounds.ms * (1 - EARLIER * Math.random()),
            );
      signal?.addEventListener('abort', gone);
      const entry: Entry<Waiting> = this.queue.add(
        appId,
        {
          enter(leave) {
            over();
            resolve(leave);
          },
        },
        amount,
      );
      this.letIn();
    });
  }

  private letIn(): void {
    for (;;) {
      const next = this.queue.peek(({ appId, size }) => this.hasShareFor(appId, size));
      // Whose turn it is goes first, even if a smaller one behind it would fit.
      if (!next || !this.hasRoomFor(next.size)) return;
      this.queue.take(next).enter(this.admit(next.appId, next.size));
    }
  }

  private admit(appId: string, amount: number): Leave {
    this.taken += amount;
    this.held.set(appId, (this.held.get(appId) ?? 0) + amount);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.taken -= amount;
      const left = this.held.get(appId)! - amount;
      if (left === 0) this.held.delete(appId);
      else this.held.set(appId, left);
      if (this.queue.length > 0) this.letIn();
    };
  }

  private hasRoomFor(amount: number): boolean {
    return this.taken + amount <= this.options.all;
  }

  private hasShareFor(appId: string, amount: number): boolean {
    return (this.held.get(appId) ?? 0) + amount <= this.boundOf(appId);
  }

  private boundOf(appId: string): number {
    return this.shareOf(appId, this.options.all);
  }

  private shareOf(appId: string, all: number): number {
    const most = all > 1 ? all - Math.max(1, Math.floor(all * OTHERS_SHARE)) : all;
    return Math.max(1, Math.min(most, Math.floor(all * (this.options.share ?? 1 / 2) * this.weightOf(appId))));
  }

  private mayWait(appId: string, max: number): boolean {
    return this.queue.length < max && (max === Number.POSITIVE_INFINITY || this.queue.lengthOf(appId) < this.shareOf(appId, max));
  }

  private refused(appId: string, amount: number): ApiError {
    const { what, all, retrySeconds, whose = 'This app', show = String } = this.options;
    const headers = { 'Retry-After': String(retrySeconds) };
    if (!this.hasShareFor(appId, amount) || this.hasRoomFor(amount)) {
      this.refusals.app++;
      const message = `${whose} already has its share of ${show(this.boundOf(appId))} ${what} in progress; try again later`;
      return new ApiError('too_many_in_progress', message, { headers });
    }
    this.refusals.all++;
    return new ApiError('overloaded', `${show(all)} ${what} are in progress; try again later`, { headers });
  }
}
