/**
 * What a sweep could not work on. One item that fails, for example because its app's key is missing, must not hold up the others: it is left out for a while, and
 * the sweep goes on with the next one.
 */
import { isPassingFault } from '../foundation/database-faults.ts';
import { type IdPrefix, showId } from '../foundation/ids.ts';

/** Milliseconds after which a failed item is tried again at the latest, and half of that at the earliest. */
const AGAIN_MS = 60_000;
/** Items that an error names. */
const NAMED = 20;

export class FailedItems {
  private readonly againMs: number;
  /** When each may be tried again. */
  private readonly until = new Map<string, number>();
  private untold: { names: string[]; error: unknown }[] = [];

  constructor(againMs = AGAIN_MS) {
    this.againMs = againMs;
  }

  /** Ids of those that are left out at present. */
  ids(): string[] {
    const now = performance.now();
    for (const [id, until] of this.until) if (until <= now) this.until.delete(id);
    return [...this.until.keys()];
  }

  /**
   * Does a step of a sweep. `work` says which items it takes before it works on them, and answers whether there may be more to do. If it fails these items are left
   * out for a while. Throws a fault that says nothing about them, because the same may succeed a moment later.
   */
  async attempt(prefix: IdPrefix, work: (take: (ids: readonly string[]) => void) => Promise<boolean>): Promise<boolean> {
    let taken: readonly string[] = [];
    try {
      return await work((ids) => {
        taken = ids;
      });
    } catch (error) {
      if (taken.length === 0 || isPassingFault(error)) throw error;
      // At different times: of several that were worked on together, one may have stopped the rest.
      for (const id of taken) this.until.set(id, performance.now() + this.againMs * (0.5 + Math.random() / 2));
      this.untold.push({ names: taken.map((id) => showId(prefix, id)), error });
      return true;
    }
  }

  /** Throws what has failed since it was last told. At the end of a sweep. */
  tell(): void {
    const [first, ...others] = this.untold;
    this.untold = [];
    if (!first) return;
    const names = [first, ...others].flatMap((failure) => failure.names);
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    // A message of the database could quote values.
    const reason = first.error instanceof Error && first.error.name !== 'PostgresError' ? `: ${first.error.message}` : '';
    throw new Error(`${names.slice(0, NAMED).join(', ')}${more} failed, to be tried again later${reason}`, { cause: first.error });
  }
}
