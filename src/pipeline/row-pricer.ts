/** For a quote: computes where in the cache the answers to an upload's rows would be. Uses no database, so it can run in a thread. */
import type { NewJob, Sink } from '../batches/intake.ts';
import type { FirstLookup, Pricing } from '../batches/row-thread.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { type CacheQuestion, cacheQuestion } from './cache.ts';

/** Jobs looked up in the cache at a time. */
const SLICE_JOBS = 2_000;

export class RowPricer implements Sink<FirstLookup[]> {
  private readonly cipher: Indexer;
  private readonly asked: Pricing;
  private waiting: NewJob[] = [];

  constructor(cipher: Indexer, asked: Pricing) {
    this.cipher = cipher;
    this.asked = asked;
  }

  job(job: NewJob): boolean {
    if (this.asked.usesCache && job.check.cacheable && job.twinRow === 0) this.waiting.push(job);
    // Waiting jobs keep their images in memory.
    return this.waiting.length >= SLICE_JOBS || (this.waiting.length > 0 && job.images !== null);
  }

  invalid(): boolean {
    return false;
  }

  async slice(): Promise<FirstLookup[]> {
    const jobs = this.waiting;
    this.waiting = [];
    return (await Promise.all(jobs.map((job) => this.firstLookup(job)))).filter((lookup) => lookup !== null);
  }

  /** The first record that the check asks for. Null if it asks for none. */
  private async firstLookup({ check, input }: NewJob): Promise<FirstLookup | null> {
    let question: CacheQuestion | null = null;
    let asked = 0;
    await check.run(input, async (kind, tier, identifier) => {
      asked++;
      question ??= cacheQuestion(this.cipher, this.asked.owner, kind, tier, identifier);
      return { found: false };
    });
    return question && { check: check.id, decides: asked === 1, ...(question as CacheQuestion) };
  }
}
