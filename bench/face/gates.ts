/** Measures how often photographs are refused as selfies, bare and with something drawn over the face (`coverings.ts`). */
import type { Comparer } from '../../src/engines/face/compare.ts';
import { FaceRefusal } from '../../src/engines/face/face.ts';
import { wilson } from '../figure.ts';
import { photographNames, readPhotograph } from '../photographs.ts';
import { COVERINGS, type Covering, cover } from './coverings.ts';
import { halfOfPerson } from './people.ts';
import type { Half } from './recaptures.ts';
import { seeded } from './scene.ts';

export interface CoveringRate {
  covering: Covering;
  /** The half of the people. The gate is fitted where covering and people are both for development. */
  people: Half;
  pictures: number;
  /** As covered, eyes or mouth. */
  refused: number;
  interval: [number, number];
}

/** `every`: uses each n-th photograph. One that is refused when bare, for another reason, counts nowhere. */
export async function rateGates(comparer: Comparer, every: number): Promise<CoveringRate[]> {
  const rows: { covering: Covering; people: Half; isRefused: boolean }[] = [];
  for (const [i, name] of photographNames().entries()) {
    if (i % every !== 0) continue;
    const bytes = readPhotograph(name);
    const points = await comparer.landmarks(bytes, 'portrait').catch(ignoreRefusal);
    if (points === null || (await refusalOf(comparer, bytes, OTHER_REASONS)) !== null) continue;
    const random = seeded(i);
    for (const covering of COVERINGS) {
      const refusal = await refusalOf(comparer, await cover(bytes, points, covering, random), COVERED);
      rows.push({ covering, people: halfOfPerson(name), isRefused: refusal !== null });
    }
  }
  return COVERINGS.flatMap((covering) =>
    (['development', 'held out'] as const).map((people) => {
      const of = rows.filter((row) => row.covering === covering && row.people === people);
      const refused = of.filter(({ isRefused }) => isRefused).length;
      return { covering, people, pictures: of.length, refused, interval: wilson(refused, of.length) };
    }),
  );
}

const COVERED = /^(?:eyes|mouth)_covered$/;
const OTHER_REASONS = /^(?!(?:eyes|mouth)_covered)/;

const refusalOf = (comparer: Comparer, picture: Buffer, codes: RegExp): Promise<string | null> =>
  comparer.inspect({ picture, side: 'selfie', wantsLiveness: false }).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof FaceRefusal)) throw error;
      return codes.test(error.code) ? error.code : null;
    },
  );

function ignoreRefusal(error: unknown): null {
  if (error instanceof FaceRefusal) return null;
  throw error;
}
