/** What a sandbox registry is: it computes the record of an identifier, always the same one, and stores nothing. */
import type { Script } from './faults.ts';

export interface Registry {
  /** Whether the registry accepts such an identifier; it refuses others as malformed. */
  accepts(identifier: string): boolean;
  /** The scripted outcome of the identifier (`faults.ts`); `found` for ordinary ones. */
  script(identifier: string): Script;
  /** Every field that the registry has; the check decides which tier shows which. Null: not on record. */
  record(identifier: string): Record<string, unknown> | null;
}
