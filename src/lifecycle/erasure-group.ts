/** Erasures that a step works on together, and what each of them counts. */
import type { Identifier } from '../contract/subjects.ts';
import type { erasures, PersonMarks } from '../schema/lifecycle.ts';
import type { DataSubjects, Matches } from './data-subjects.ts';

export type ErasureRow = typeof erasures.$inferSelect;

/** Erasures of one app and mode that a step works on together, in the order of their ids. `Matches` are indexes into `erasures`. */
export interface ErasureGroup {
  erasures: readonly ErasureRow[];
  dataSubjects: DataSubjects;
  /** Everybody under a legal hold; null: nobody is. */
  held: DataSubjects | null;
}

/** The people an erasure is about. `identifiers`: null in one repeated after a restore. */
export interface Person {
  marks: PersonMarks;
  identifiers: Identifier[] | null;
}

/** `waits`: nothing is left to do until some time has passed. */
export type Progress = ErasureRow & { waits?: boolean };

/** Erasures of one app that proceed together. */
export interface StepGroup extends ErasureGroup {
  erasures: Progress[];
  /** By erasure. */
  people: Person[];
  /** Whether the step has taken long enough. */
  isLong(): boolean;
}

/** Counts erased items, or items kept under a legal hold. */
export function count(erasure: ErasureRow, what: string, more: number, where: 'counts' | 'kept' = 'counts'): void {
  if (more > 0) erasure[where] = { ...erasure[where], [what]: (erasure[where][what] ?? 0) + more };
}

/** The erasures that the people in `matches` belong to, oldest first. An erasure leaves alone what is newer than itself. `id`: of the job or batch. */
export const askedFor = ({ erasures }: Pick<ErasureGroup, 'erasures'>, id: string, matches: Matches): ErasureRow[] =>
  matches.map((at) => erasures[at]!).filter((erasure) => erasure.id > id);
