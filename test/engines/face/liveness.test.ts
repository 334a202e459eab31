/** Selfies and simulated recaptures, through the whole pipeline, by kind (`bench/face/`). `npm run bench -- face` prints the table of docs/biometrics.md. */
import { describe, expect, it } from 'vitest';
import { type LivenessRate, rateLiveness } from '../../../bench/face/liveness.ts';
import { hasPhotographs } from '../../../bench/photographs.ts';
import { openComparer } from '../../../src/engines/face/compare.ts';
import { readModels } from '../../../src/engines/face/models.ts';
import { modelsAreHere, skipNote } from './faces.ts';

/** Uses every n-th colour photograph: its recaptures take ten seconds. */
const EVERY = Number(process.env.CONFAM_TEST_LIVENESS_EVERY ?? 9);
const SEED = Number(process.env.CONFAM_TEST_LIVENESS_SEED ?? 50_000);

describe.skipIf(!(hasPhotographs && modelsAreHere))(skipNote('liveness'), () => {
  it('lets real faces through, however they were sent, and few recaptures, of kinds that it knows and of others', async () => {
    const rates = await rateLiveness(await openComparer(await readModels()), EVERY, SEED);
    for (const { kind, half, pictures, live, refused, inconclusive } of rates)
      console.log(`${kind} (${half}): ${live} of ${pictures} live, ${refused} refused, ${inconclusive} inconclusive`);
    for (const half of ['development', 'held out'] as const) {
      const real = shareOf(rates.find((rate) => rate.kind === 'all real faces' && rate.half === half)!);
      // Held out are haze, a window behind, a smeared lens and a filter.
      expect(real).toBeGreaterThanOrEqual(half === 'development' ? 0.88 : 0.8);
      expect(shareOf(rates.find((rate) => rate.kind === 'all recaptures' && rate.half === half)!)).toBeLessThanOrEqual(0.2);
    }
  }, 600_000);
});

const shareOf = ({ live, pictures, refused, inconclusive }: LivenessRate): number => live / (pictures - refused - inconclusive);
