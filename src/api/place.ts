/** The resources of this process that a request occupies (`access/admission.ts`) while it is answered. */
import type { Client, Gate, Leave } from '../access/gate.ts';

export interface Place {
  appId: string;
  client: Client;
  /** Leaves the first gate; a request does so early when it passes one of its own. */
  leave: Leave;
  bodies: Gate;
  /** Parts of the capacity for bodies. */
  held: Leave[];
}

/** Small bodies are bounded by the number of requests. */
const UNCOUNTED_BYTES = 16 * 1024;
const STEP_BYTES = 256 * 1024;

/** Counts the bytes of a body that stays in memory until the request is answered. Without an app nothing is counted: such bodies are small. */
export class CountedBody {
  private readonly place: Place | undefined;
  private counted = UNCOUNTED_BYTES;

  constructor(place: Place | undefined) {
    this.place = place;
  }

  /** Waits until the first `bytes` of it may be in memory. Throws `too_many_in_progress`, `overloaded` or `ClientGone`. */
  async upTo(bytes: number): Promise<void> {
    if (!this.place || bytes <= this.counted) return;
    const { bodies, appId, client, held } = this.place;
    const more = bytes - this.counted;
    this.counted = bytes;
    held.push(await bodies.enter(appId, client, more));
  }

  /** The same for a body without a declared length: counted as it arrives. */
  async arrived(bytes: number, bytesMax: number): Promise<void> {
    if (bytes > this.counted) await this.upTo(Math.min(bytesMax, bytes + STEP_BYTES));
  }
}
