/**
 * A gate in front of a limited resource of a process: places for uploads, bytes of bodies, a turn at writing a PDF. It bounds what is in use in
 * total and by app, and admits waiting requests fairly by app. `admission.ts` lists the gates; `pressure.ts` decides when a share is cut.
 */
import { ApiError, ClientGone, retryAfter } from '../foundation/errors.ts';
import { type Entry, FairQueue, type WeightOf } from './fair-queue.ts';
import type { Demand } from './loudness.ts';

export interface GateOptions {
  /** Plural noun for the refusal's sentence. */
  what: string;
  /** Capacity of this process. */
  all: number;
  /** Share of the capacity, and of the queue, for an app of weight 1. Default: half, so that others always have some. */
  share?: number;
  /** How many may wait, and how long; `ms` null: without limit. `pressed`: an app may wait only while its share is cut, and only within the uncut share. Null: nobody waits. */
  queue: { max: number | 'pressed'; ms: number | null } | null;
  /** While the event loop is late, a loud app may have only a part of its share, but always this much. Undefined: its share is never cut. */
  least?: number;
  /** While its share is cut, an app's place becomes free only after a rest. The rest grows with the time the app was inside and with the cut. Without it, even one at a time is too much. */
  rests?: true;
  retrySeconds: number;
  /** Subject of the refusal's sentence. Default: "This app". */
  whose?: string;
  /** Writes an amount for the refusal's sentence. */
  show?: (amount: number) => string;
}

/** May be called repeatedly. */
export type Leave = () => void;

/** The parts of an `ApiError`. With the error itself, thousands of refusals a second would each pay for a stack trace. */
export interface Refusal {
  code: 'too_many_in_progress' | 'overloaded';
  message: string;
  headers: Record<string, string>;
}

/** A refusal of a request that was not read. */
export interface EarlyRefusal extends Refusal {
  /** How long to delay the answer, so that refusals do not keep the event loop busy. */
  delayMs: number;
}

/** What cuts the share of a loud app. */
export interface Press {
  asked: Demand;
  /** The part that is left; 1: everything. */
  part(): number;
}

/** The waiting client. Its signal is read only if there is a wait. */
export interface Client {
  isGone(): boolean;
  signal(): AbortSignal;
}

interface Waiting {
  enter(leave: Leave): void;
}

/** A thousand requests that arrived together would give up in the same millisecond, and their refusals would delay everybody else. So each gives up earlier, by up to this share of the wait. */
const EARLIER = 0.2;

/** Longest rest: as a multiple of the time inside, and in milliseconds. */
const REST = { times: 7, ms: 3_000 };

/** The longest time an early refusal is held back while the app's share is cut: a client that waits for its answers sends less. */
const DELAY_MS = 5_000;

/** The share of the capacity that no single app gets, whatever its weight. */
const OTHERS_SHARE = 1 / 8;

export class Gate {
  readonly what: string;
  /** Refusals since they were last counted. */
  readonly refusals = { app: 0, all: 0 };
  private readonly options: GateOptions;
  private readonly weightOf: WeightOf;
  private readonly press: Press | null;
  private readonly held = new Map<string, number>();
  private readonly queue: FairQueue<Waiting>;
  private taken = 0;

  constructor(weightOf: WeightOf, options: GateOptions, press: Press | null = null) {
    this.what = options.what;
    this.options = options;
    this.weightOf = weightOf;
    this.press = options.least === undefined ? null : press;
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
    this.press?.asked.add(appId, size);
    // More than the whole share is admitted too, when the app has nothing else in progress.
    const amount = Math.min(size, this.shareOf(appId, this.options.all));
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

  /** Whether the app may have less than its share at the moment. */
  private isCutFor(appId: string): boolean {
    if ((this.press?.part() ?? 1) === 1) return false;
    // Requests that it already has here count too: a client that is waiting for answers may not send anything new.
    const has = (this.held.get(appId) ?? 0) + this.queue.amountOf(appId);
    return this.press!.asked.isLoud(appId, has, this.taken + this.queue.amount);
  }

  /** The refusal that `enter` would give at once; it counts as one more request. Undefined: `enter` would not refuse. */
  refusal(appId: string): EarlyRefusal | undefined {
    if (this.options.queue !== null && this.mayWait(appId, 1, this.options.queue.max)) return undefined;
    if (this.hasShareFor(appId, 1) && this.hasRoomFor(1)) return undefined;
    this.press?.asked.add(appId, 1);
    const delayMs = this.isCutFor(appId) ? DELAY_MS * (1 - this.press!.part()) : 0;
    return { ...this.refusalOf(appId, 1), delayMs };
  }

  private async wait(appId: string, amount: number, client?: Client): Promise<Leave> {
    const { queue: bounds } = this.options;
    if (!bounds || !this.mayWait(appId, amount, bounds.max)) throw this.refused(appId, amount);
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
        // The next in the queue may be smaller.
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
      // The entry whose turn it is goes first, even if a smaller one behind it would fit.
      if (!next || !this.hasRoomFor(next.size)) return;
      this.queue.take(next).enter(this.admit(next.appId, next.size));
    }
  }

  private admit(appId: string, amount: number): Leave {
    this.taken += amount;
    this.held.set(appId, (this.held.get(appId) ?? 0) + amount);
    const since = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (this.options.rests && this.isCutFor(appId)) {
        const times = Math.min(REST.times, 1 / this.press!.part() - 1);
        setTimeout(() => this.free(appId, amount), Math.min(REST.ms, times * (performance.now() - since))).unref();
      } else this.free(appId, amount);
    };
  }

  private free(appId: string, amount: number): void {
    this.taken -= amount;
    const left = this.held.get(appId)! - amount;
    if (left === 0) this.held.delete(appId);
    else this.held.set(appId, left);
    if (this.queue.length > 0) this.letIn();
  }

  private hasRoomFor(amount: number): boolean {
    return this.taken + amount <= this.options.all;
  }

  /** A request larger than a cut share goes in alone. */
  private hasShareFor(appId: string, amount: number): boolean {
    const held = this.held.get(appId) ?? 0;
    return held === 0 || held + amount <= this.boundOf(appId);
  }

  private boundOf(appId: string): number {
    const share = this.shareOf(appId, this.options.all);
    if (!this.isCutFor(appId)) return share;
    return Math.min(share, Math.max(this.options.least!, Math.floor(share * this.press!.part())));
  }

  private shareOf(appId: string, all: number): number {
    const most = all > 1 ? all - Math.max(1, Math.floor(all * OTHERS_SHARE)) : all;
    return Math.max(1, Math.min(most, Math.floor(all * (this.options.share ?? 1 / 2) * this.weightOf(appId))));
  }

  private mayWait(appId: string, amount: number, max: number | 'pressed'): boolean {
    if (max === 'pressed') {
      const waiting = this.queue.lengthOf(appId);
      const share = this.shareOf(appId, this.options.all);
      return (this.held.get(appId) ?? 0) + waiting + amount <= share && this.taken + this.queue.length + amount <= this.options.all;
    }
    return this.queue.length < max && (max === Number.POSITIVE_INFINITY || this.queue.lengthOf(appId) < this.shareOf(appId, max));
  }

  private refused(appId: string, amount: number): ApiError {
    const { code, message, headers } = this.refusalOf(appId, amount);
    return new ApiError(code, message, { headers });
  }

  private refusalOf(appId: string, amount: number): Refusal {
    const { what, all, queue, retrySeconds, whose = 'This app', show = String } = this.options;
    const headers = retryAfter(retrySeconds);
    if (!this.hasShareFor(appId, amount) || this.hasRoomFor(amount)) {
      this.refusals.app++;
      const bound = queue?.max === 'pressed' ? this.shareOf(appId, all) : this.boundOf(appId);
      const message = `${whose} already has its share of ${show(bound)} ${what} in progress; try again later`;
      return { code: 'too_many_in_progress', message, headers };
    }
    this.refusals.all++;
    return { code: 'overloaded', message: `${show(all)} ${what} are in progress; try again later`, headers };
  }
}
