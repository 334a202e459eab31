/** Measures how often selfies and recaptures of the same photographs pass as live, by kind, through the whole pipeline; in groups also with their colours taken away. */
import type { Comparer } from '../../src/engines/face/compare.ts';
import type { Liveness } from '../../src/engines/face/face.ts';
import { wilson } from '../figure.ts';
import { photographNames, readPhotograph } from '../photographs.ts';
import { CUT_OUTS, SELFIES_BEFORE_ROOMS } from './cut-outs.ts';
import { halfOfPerson } from './people.ts';
import { grayOf, pixelsOf } from './pixels.ts';
import { nullIfRefused } from './rates.ts';
import { type Half, RECAPTURES, type Recapture, recapture } from './recaptures.ts';
import { anySending, type Random, seeded, send } from './scene.ts';
import { SELFIES } from './selfies.ts';

export interface LivenessRate {
  /** A kind, over all people; or a group of kinds and people. */
  of: string;
  isReal: boolean;
  isGray: boolean;
  /** Null: a single kind. */
  group: Group | null;
  pictures: number;
  /** No face, for example: neither live nor not. */
  refused: number;
  inconclusive: number;
  live: number;
  spoof: number;
  /** For each of `LIMITS`: how many of the judged pictures have at least that score. */
  reaching: number[];
  /** Of `live` among those that were judged. */
  interval: [number, number];
}

/** Minimum scores that a caller may choose for accepting a picture. */
export const LIMITS = [0.5, 0.7, 0.9, 0.95, 0.97] as const;

interface Kind {
  name: string;
  half: Half;
  /** Added after the weights had been fitted. */
  isNew: boolean;
}

/** Null: the picture was refused, for example because it has no face. */
type Verdict = Pick<Liveness, 'decision' | 'score'> | null;

interface Judged {
  kind: Kind;
  isReal: boolean;
  /** Of the people. */
  people: Half;
  asSent: Verdict;
  gray: Verdict;
}

/** The weights were fitted on the kinds and people for development only. */
export const GROUPS = [
  'kinds and people for development',
  'kinds for development, other people',
  'held-out kinds but for the new ones, all people',
  'new kinds, all people',
] as const;
type Group = (typeof GROUPS)[number];

/** Photographs are enlarged first, so that a panel's pixels are finer than theirs. */
const ENLARGED = 500;
const LATER = 7_919;

/** `every`: uses each n-th colour photograph. */
export async function rateLiveness(comparer: Comparer, every: number, seed: number): Promise<LivenessRate[]> {
  const judged: Judged[] = [];
  const decide = async (picture: Buffer): Promise<Verdict> => {
    const inspection = await comparer.inspect({ picture, side: 'selfie', wantsLiveness: true }).catch(nullIfRefused);
    return inspection === null ? null : inspection.liveness!;
  };
  const names = photographNames().filter((name) => name.startsWith('c_'));
  for (const [i, name] of names.entries()) {
    if (i % every !== 0) continue;
    const photo = await pixelsOf(readPhotograph(name), ENLARGED);
    const random = seeded(seed + i);
    const add = async ({ name: of, half }: Omit<Kind, 'isNew'>, isReal: boolean, isNew: boolean, picture: Buffer): Promise<void> => {
      const [asSent, gray] = [await decide(picture), await decide(await grayOf(picture))];
      judged.push({ kind: { name: of, half, isNew }, isReal, people: halfOfPerson(name), asSent, gray });
    };
    await add({ name: 'as it is', half: 'development' }, true, false, readPhotograph(name));
    for (const kind of SELFIES) await add(kind, true, false, await kind.take(photo, random));
    const retaken = async (kind: Recapture, by: Random): Promise<Buffer> => send(await recapture(kind, photo, by), anySending(by), by);
    for (const kind of RECAPTURES) await add(kind, false, false, await retaken(kind, random));
    // With numbers of their own, so that the pictures above stay the same.
    const later = seeded(seed + i + LATER);
    for (const kind of SELFIES_BEFORE_ROOMS) await add(kind, true, true, await kind.take(photo, later));
    for (const kind of CUT_OUTS) await add(kind, false, true, await retaken(kind, later));
  }
  return [true, false].flatMap((isReal) => {
    const rows = judged.filter((row) => row.isReal === isReal);
    return [
      ...[...new Set(rows.map(({ kind }) => nameOf(kind)))].map((of) =>
        rateOf(
          { of, isReal, isGray: false, group: null },
          rows.filter(({ kind }) => nameOf(kind) === of),
        ),
      ),
      ...[false, true].flatMap((isGray) =>
        GROUPS.map((group) =>
          rateOf(
            { of: group, isReal, isGray, group },
            rows.filter((row) => groupOf(row) === group),
          ),
        ),
      ),
    ];
  });
}

const nameOf = ({ name, half, isNew }: Kind): string => `${name} (${half}${isNew ? '; new' : ''})`;

function groupOf({ kind, people }: Judged): Group {
  if (kind.isNew) return GROUPS[3];
  if (kind.half === 'held out') return GROUPS[2];
  return people === 'held out' ? GROUPS[1] : GROUPS[0];
}

function rateOf(row: Pick<LivenessRate, 'of' | 'isReal' | 'isGray' | 'group'>, of: readonly Judged[]): LivenessRate {
  const verdicts = of.map(({ asSent, gray }) => (row.isGray ? gray : asSent));
  const count = (decision: Liveness['decision']): number => verdicts.filter((verdict) => verdict?.decision === decision).length;
  const [live, inconclusive] = [count('live'), count('inconclusive')];
  const refused = verdicts.filter((verdict) => verdict === null).length;
  /** An inconclusive picture has none. */
  const scores = verdicts.flatMap((verdict) => verdict?.score ?? []);
  return {
    ...row,
    pictures: of.length,
    refused,
    inconclusive,
    live,
    spoof: count('spoof'),
    reaching: LIMITS.map((limit) => scores.filter((score) => score >= limit).length),
    interval: wilson(live, scores.length),
  };
}
