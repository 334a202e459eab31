/** Measures how often photographs are refused as selfies, bare and with something drawn over the face (`coverings.ts`). */
import type { Comparer } from '../../src/engines/face/compare.ts';
import { photographNames, readPhotograph } from '../photographs.ts';
import { COVERINGS, cover } from './coverings.ts';
import { halfOfPerson } from './people.ts';
import { type Case, nullIfRefused, type Rate, ratesOf, refusalOf } from './rates.ts';
import { seeded } from './scene.ts';

/**
 * The gate is fitted where covering and people are both for development. `every`: uses each n-th photograph. One that is refused when bare, for another
 * reason, counts nowhere.
 */
export async function rateGates(comparer: Comparer, every: number): Promise<Rate[]> {
  const cases: Case[] = [];
  for (const [i, name] of photographNames().entries()) {
    if (i % every !== 0) continue;
    const bytes = readPhotograph(name);
    const points = await comparer.landmarks(bytes, 'portrait').catch(nullIfRefused);
    const bare = await refusalOf(comparer, bytes, 'selfie');
    if (points === null || (bare !== null && !isCovered(bare))) continue;
    const random = seeded(i);
    for (const covering of COVERINGS) {
      const refusal = await refusalOf(comparer, await cover(bytes, points, covering, random), 'selfie');
      cases.push({
        what: `refused as covered: ${covering.name} (covers ${covering.covers}; kind: ${covering.half})`,
        half: halfOfPerson(name),
        counts: refusal !== null && isCovered(refusal),
      });
    }
  }
  return ratesOf(cases);
}

const isCovered = (code: string): boolean => code === 'eyes_covered' || code === 'mouth_covered';
