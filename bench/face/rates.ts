/** Shares of pictures, by what was done to them and by half of the people; and what the engine answers to one picture. */
import type { Comparer } from '../../src/engines/face/compare.ts';
import { type FaceProblem, FaceRefusal, type Side } from '../../src/engines/face/face.ts';
import { wilson } from '../figure.ts';
import type { Half } from './recaptures.ts';

export interface Case {
  what: string;
  /** Of the people. */
  half: Half;
  counts: boolean;
}

export interface Rate {
  what: string;
  half: Half;
  count: number;
  of: number;
  /** 95 %. */
  interval: [number, number];
}

export const HALVES: readonly Half[] = ['development', 'held out'];

/** In order of first occurrence of each `what`; both halves of each. */
export function ratesOf(cases: readonly Case[]): Rate[] {
  return [...new Set(cases.map(({ what }) => what))].flatMap((what) =>
    HALVES.map((half) => {
      const rows = cases.filter((row) => row.what === what && row.half === half);
      const count = rows.filter(({ counts }) => counts).length;
      return { what, half, count, of: rows.length, interval: wilson(count, rows.length) };
    }),
  );
}

/** Null: the picture can be compared. */
export const refusalOf = (comparer: Comparer, picture: Uint8Array, side: Side): Promise<FaceProblem | null> =>
  comparer.inspect({ picture, side, wantsLiveness: false }).then(() => null, codeOf);

/** Throws whatever is no refusal. */
export function codeOf(error: unknown): FaceProblem {
  if (error instanceof FaceRefusal) return error.code;
  throw error;
}

/** Throws whatever is no refusal. */
export function nullIfRefused(error: unknown): null {
  codeOf(error);
  return null;
}
