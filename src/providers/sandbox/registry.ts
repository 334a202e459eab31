/** What one registry of the sandbox is: it computes the record of an identifier, always the same one, and stores nothing. */
import type { Script } from './faults.ts';

export interface Registry {
  /** Whether the registry would look for such an identifier; it refuses others as malformed. */
  accepts(identifier: string): boolean;
  /** What the identifier is scripted to do (`faults.ts`); `found` for ordinary ones. */
  script(identifier: string): Script;
  /** Every field that the registry has; which tier shows which is decided by the check. Null: not on record. */
  record(identifier: string): Record<string, unknown> | null;
}
