/** Selfies and simulated recaptures, through the whole pipeline, by kind (`bench/face/`). `npm run bench -- face` prints the table of docs/biometrics-accuracy.md. */
import { describe, expect, it } from 'vitest';
import { GROUPS, LIMITS, type LivenessRate, rateLiveness } from '../../../bench/face/liveness.ts';
import { hasPhotographs } from '../../../bench/photographs.ts';
import { openComparer } from '../../../src/engines/face/compare.ts';
import { readModels } from '../../../src/engines/face/models.ts';
import { modelsAreHere, skipNote } from './faces.ts';

/** Uses every n-th colour photograph: its recaptures take ten seconds. */
const EVERY = Number(process.env.CONFAM_TEST_LIVENESS_EVERY ?? 9);
/** By group, in their order. */
const REAL_MIN = [0.88, 0.88, 0.8, 0.7];
const RECAPTURE_MAX = [0.2, 0.2, 0.2, 0.3];
/** As a share of the selfies of the kinds that were known when the weights were fitted. */
const SPOOF_MAX = 0.04;
const SEED = Number(process.env.CONFAM_TEST_LIVENESS_SEED ?? 50_000);

describe.skipIf(!(hasPhotographs && modelsAreHere))(skipNote('liveness'), () => {
  it('lets real faces through, however they were sent, and few recaptures, of kinds that it knows and of others', async () => {
    const rates = await rateLiveness(await openComparer(await readModels()), EVERY, SEED);
    for (const { of, isReal, pictures, live, spoof, refused, inconclusive, reaching } of rates)
      console.log(
        `${isReal ? 'real' : 'recapture'}: ${of}: ${live} of ${pictures} live, ${spoof} spoof, ${refused} refused, ${inconclusive} inconclusive; score at least ${LIMITS.map((limit, i) => `${limit}: ${reaching[i]}`).join(', ')}`,
      );
    for (const [i, group] of GROUPS.entries()) {
      const share = (isReal: boolean): number =>
        shareOf(rates.find((rate) => rate.group === group && rate.isReal === isReal && !rate.isGray)!);
      // The new kinds of selfie have a window behind, a smeared lens or a filter; the new recaptures are cut-outs.
      expect(share(true)).toBeGreaterThanOrEqual(REAL_MIN[i]!);
      expect(share(false)).toBeLessThanOrEqual(RECAPTURE_MAX[i]!);
    }
    // Real faces that do not pass get a review or are asked for another picture; they are hardly ever called a spoof.
    for (const rate of rates.filter(({ isReal, isGray, group }) => isReal && !isGray && group !== null && group !== GROUPS[3]))
      expect(rate.spoof).toBeLessThanOrEqual(SPOOF_MAX * rate.pictures);
  }, 600_000);
});

const shareOf = ({ live, pictures, refused, inconclusive }: LivenessRate): number => live / (pictures - refused - inconclusive);
