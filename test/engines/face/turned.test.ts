/**
 * Photographs that lie on their side or upside down without saying so: recognized as the same people, and strangers as strangers. Without turning
 * them, one pair of strangers in six matched when both lay the same way (docs/biometrics-accuracy.md).
 */
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPhotographs, personOf, readPairs, readPhotograph } from '../../../bench/photographs.ts';
import { openComparer } from '../../../src/engines/face/compare.ts';
import { bisector, confidence, cosine } from '../../../src/engines/face/embed.ts';
import { MATCH_CONFIDENCE } from '../../../src/engines/face/face.ts';
import { readModels } from '../../../src/engines/face/models.ts';
import { modelsAreHere, skipNote } from './faces.ts';

const EVERY = Number(process.env.CONFAM_TEST_TURNED_EVERY ?? 12);
const ANGLES = [0, 90, 180, 270] as const;
const isHere = hasPhotographs && modelsAreHere;

describe.skipIf(!isHere)(skipNote('turned photographs'), () => {
  const pairs = isHere ? readPairs() : [];
  const names = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))].filter((_, i) => i % EVERY === 0);
  const vectors = new Map<number, Map<string, Float32Array>>();
  let matches: (one: Float32Array, other: Float32Array) => boolean;

  beforeAll(async () => {
    const models = await readModels();
    const comparer = await openComparer(models);
    matches = (one, other) => confidence(cosine(one, other), models.manifest.confidence) >= MATCH_CONFIDENCE;
    for (const angle of ANGLES) {
      const found = new Map<string, Float32Array>();
      vectors.set(angle, found);
      for (const name of names) {
        const picture =
          angle === 0 ? readPhotograph(name) : await sharp(readPhotograph(name)).rotate(angle).jpeg({ quality: 95 }).toBuffer();
        await comparer.describe(picture, 'portrait').then(
          (views) => found.set(name, bisector(...views)),
          () => {},
        );
      }
    }
  }, 600_000);

  it.each([90, 180, 270])('turned by %i degrees, a photograph is the same person, and strangers stay strangers', (angle) => {
    const upright = vectors.get(0)!;
    const turned = [...vectors.get(angle)!];
    const themselves = turned.filter(([name, vector]) => upright.has(name) && matches(upright.get(name)!, vector)).length;
    const strangers = turned.flatMap(([name, vector], i) =>
      turned.slice(0, i).flatMap(([other, theirs]) => (personOf(name) === personOf(other) ? [] : [matches(vector, theirs)])),
    );
    const taken = strangers.filter(Boolean).length;
    console.log(
      `${angle}°: ${turned.length} of ${names.length} can be compared, ${themselves} are themselves; ${taken} of ${strangers.length} pairs of strangers match (${((taken / strangers.length) * 100).toFixed(3)} %)`,
    );
    expect(themselves).toBeGreaterThanOrEqual(upright.size * 0.98);
    expect(taken).toBeLessThanOrEqual(strangers.length * 0.0005);
  });
});
