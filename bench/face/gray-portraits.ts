/** Measures what a document's black-and-white photograph costs: selfies in colours against the same portraits with and without their colours. */
import type { Comparer } from '../../src/engines/face/compare.ts';
import { bisector, confidence, cosine } from '../../src/engines/face/embed.ts';
import { MATCH_CONFIDENCE } from '../../src/engines/face/face.ts';
import type { Manifest } from '../../src/engines/face/models.ts';
import { personOf, photographNames, readPhotograph } from '../photographs.ts';
import { halfOfPerson } from './people.ts';
import { grayOf } from './pixels.ts';
import { type Case, nullIfRefused, type Rate, ratesOf } from './rates.ts';

interface Described {
  name: string;
  inColours: Float32Array;
  gray: Float32Array;
}

/** All pairs of colour photographs within a half of the people. `every`: uses each n-th photograph. */
export async function rateGrayPortraits(comparer: Comparer, { confidence: by }: Manifest, every: number): Promise<Rate[]> {
  const described: Described[] = [];
  for (const name of photographNames()
    .filter((one) => one.startsWith('c_'))
    .filter((_, i) => i % every === 0)) {
    const bytes = readPhotograph(name);
    const inColours = await comparer.describe(bytes, 'portrait').catch(nullIfRefused);
    const gray = await comparer.describe(await grayOf(bytes), 'portrait').catch(nullIfRefused);
    if (inColours !== null && gray !== null) described.push({ name, inColours: bisector(...inColours), gray: bisector(...gray) });
  }
  const cases: Case[] = [];
  for (const selfie of described)
    for (const portrait of described) {
      const half = halfOfPerson(selfie.name);
      if (selfie === portrait || halfOfPerson(portrait.name) !== half) continue;
      const isSame = personOf(selfie.name) === personOf(portrait.name);
      for (const [kind, vector] of [['in colours', portrait.inColours] as const, ['without colours', portrait.gray] as const]) {
        const matches = confidence(cosine(selfie.inColours, vector), by) >= MATCH_CONFIDENCE;
        const what = isSame ? 'genuine pairs lost' : 'strangers that match';
        cases.push({ what: `${what} at confidence ${MATCH_CONFIDENCE}: portrait ${kind}`, half, counts: isSame !== matches });
      }
    }
  return ratesOf(cases);
}
