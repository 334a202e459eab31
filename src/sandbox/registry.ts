/** The interface of a sandbox registry: it computes the record of an identifier, always the same one, and stores nothing. */
import type { Script } from './faults.ts';

export interface Registry {
  /** Whether the identifier has the registry's form; others are refused as malformed. */
  accepts(identifier: string): boolean;
  /** The scripted outcome of the identifier (`faults.ts`); `found` for ordinary ones. */
  script(identifier: string): Script;
  /** Every field that the registry has; the check decides which tier shows which. Null: not on record. */
  record(identifier: string): Record<string, unknown> | null;
}
