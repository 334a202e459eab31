/** Erasures that a step works on together, and what each of them counts. */
import type { erasures } from '../schema/lifecycle.ts';
import type { Whom, Whose } from './subject.ts';

export type ErasureRow = typeof erasures.$inferSelect;

/** Erasures of one app and mode that a step works on together, in the order of their ids. A `Whose` holds indexes into `erasures`. */
export interface ErasureGroup {
  erasures: readonly ErasureRow[];
  whom: Whom;
  /** Everybody under a legal hold; null: nobody is. */
  held: Whom | null;
}

/** Counts erased items, or items kept under a legal hold. */
export function add(erasure: ErasureRow, what: string, more: number, where: 'counts' | 'kept' = 'counts'): void {
  if (more > 0) erasure[where] = { ...erasure[where], [what]: (erasure[where][what] ?? 0) + more };
}

/** The erasures that the people in `whose` belong to, oldest first. An erasure leaves alone what is newer than itself. `id`: of the job or batch. */
export const askedFor = ({ erasures }: Pick<ErasureGroup, 'erasures'>, id: string, whose: Whose): ErasureRow[] =>
  whose.map((at) => erasures[at]!).filter((erasure) => erasure.id > id);
