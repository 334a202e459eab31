/** What the simulator has observed, as evidence of a client's behaviour: counts, the busiest second, what was billed. */

export interface Stats {
  requests: number;
  answered: number;
  by_status: Record<string, number>;
  by_path: Record<string, number>;
  in_flight: number;
  in_flight_max_seen: number;
  /** Most requests that arrived within any one-second interval. */
  worst_second: number;
  first_at: string | null;
  last_at: string | null;
  /** Distinct Idempotency-Keys. */
  references: number;
  /** What a vendor would have charged: records found, and the number of their subjects. */
  billed: { found: number; distinct_subjects: number };
}

/** Distinct keys and subjects counted; beyond this the figures stop growing. */
const DISTINCT_MAX = 5_000_000;

export class Counter {
  #requests = 0;
  #answered = 0;
  #byStatus = new Map<number, number>();
  #byPath = new Map<string, number>();
  #inFlight = 0;
  #inFlightMax = 0;
  #worst = new WorstSecond();
  #first: number | null = null;
  #last: number | null = null;
  #references = new Set<string>();
  #found = 0;
  #subjects = new Set<string>();

  get inFlight(): number {
    return this.#inFlight;
  }

  /** `atMs`: `performance.now()`; `path`: its pattern, never an identifier. */
  arrived(atMs: number, path: string, reference: string | undefined): void {
    this.#requests += 1;
    this.#first ??= atMs;
    this.#last = atMs;
    this.#worst.add(atMs);
    this.#byPath.set(path, (this.#byPath.get(path) ?? 0) + 1);
    this.#inFlight += 1;
    if (this.#inFlight > this.#inFlightMax) this.#inFlightMax = this.#inFlight;
    if (reference !== undefined && this.#references.size < DISTINCT_MAX) this.#references.add(reference);
  }

  answered(status: number): void {
    this.#answered += 1;
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  left(): void {
    this.#inFlight -= 1;
  }

  found(subject: string): void {
    this.#found += 1;
    if (this.#subjects.size < DISTINCT_MAX) this.#subjects.add(subject);
  }

  /** Resets everything except the requests in flight. */
  reset(): void {
    this.#requests = this.#answered = this.#found = 0;
    this.#first = this.#last = null;
    this.#inFlightMax = this.#inFlight;
    this.#worst = new WorstSecond();
    for (const counts of [this.#byStatus, this.#byPath, this.#references, this.#subjects]) counts.clear();
  }

  read(): Stats {
    return {
      requests: this.#requests,
      answered: this.#answered,
      by_status: Object.fromEntries(this.#byStatus),
      by_path: Object.fromEntries(this.#byPath),
      in_flight: this.#inFlight,
      in_flight_max_seen: this.#inFlightMax,
      worst_second: this.#worst.most,
      first_at: instantOf(this.#first),
      last_at: instantOf(this.#last),
      references: this.#references.size,
      billed: { found: this.#found, distinct_subjects: this.#subjects.size },
    };
  }
}

const instantOf = (ms: number | null): string | null => (ms === null ? null : new Date(performance.timeOrigin + ms).toISOString());

const SECOND_MS = 1_000;

/** Exact: the arrivals of the last second are kept in a ring, which grows to the busiest second. */
export class WorstSecond {
  most = 0;
  #times = new Float64Array(1_024);
  #oldest = 0;
  #count = 0;

  /** Times must not run backwards. Two that are exactly a second apart do not share a second. */
  add(atMs: number): void {
    while (this.#count > 0 && this.#times[this.#oldest]! <= atMs - SECOND_MS) {
      this.#oldest = (this.#oldest + 1) % this.#times.length;
      this.#count -= 1;
    }
    if (this.#count === this.#times.length) this.#grow();
    this.#times[(this.#oldest + this.#count) % this.#times.length] = atMs;
    this.#count += 1;
    if (this.#count > this.most) this.most = this.#count;
  }

  #grow(): void {
    const larger = new Float64Array(this.#times.length * 2);
    larger.set(this.#times.subarray(this.#oldest));
    larger.set(this.#times.subarray(0, this.#oldest), this.#times.length - this.#oldest);
    this.#times = larger;
    this.#oldest = 0;
  }
}
