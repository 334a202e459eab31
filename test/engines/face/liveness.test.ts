/**
 * Real faces against simulated recaptures of the same faces (`recapture.ts`), through the whole pipeline: a refused recapture counts as not
 * accepted. The logistic's weights were fitted with other seeds (docs/biometrics.md).
 */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFaceEngine } from '../../../src/engines/face/engine.ts';
import { type FaceEngine, FaceRefusal, type Liveness } from '../../../src/engines/face/face.ts';
import { facesAreHere, jpegOf, modelsAreHere, pixelsOf, readFace, readPairs, skipNote } from './faces.ts';
import { print, type Random, screen, seeded } from './recapture.ts';

/** Uses every n-th colour photograph: recaptures take a second each. 1 for the table of docs/biometrics.md. */
const EVERY = Number(process.env.CONFAM_TEST_LIVENESS_EVERY ?? 8);
const SEED = Number(process.env.CONFAM_TEST_LIVENESS_SEED ?? 20_000);

const isHere = facesAreHere && modelsAreHere;

describe.skipIf(!isHere)(skipNote('liveness'), () => {
  let engine: FaceEngine;
  beforeAll(async () => {
    engine = await openFaceEngine({ threads: 1 });
  });
  afterAll(() => engine.close());

  it('lets real faces through, however they were saved, and hardly any recapture', async () => {
    const colour = [...new Set(readPairs().flatMap(({ one, other }) => [one, other]))].filter((name) => name.includes('/c_')).sort();
    const scores: Record<string, number[]> = {
      real: [],
      'real, saved again': [],
      screen: [],
      'screen, varied': [],
      print: [],
      'print, varied': [],
    };
    const reasons = new Set<string>();
    for (const [i, name] of colour.entries()) {
      if (i % EVERY !== 0) continue;
      const photo = await pixelsOf(readFace(name));
      const random = seeded(SEED + i);
      const real = await judge(readFace(name));
      // Two people, for example: the photograph is no selfie, so neither are its recaptures.
      if (real === null) continue;
      scores.real!.push(real.score!);
      const again = await judge(await savedAgain(readFace(name), random));
      if (again !== null) scores['real, saved again']!.push(again.score!);
      const recaptures = {
        screen: await jpegOf(screen(photo, random)),
        'screen, varied': await savedAgain(await jpegOf(screen(photo, random, shot(random))), random),
        print: await jpegOf(print(photo, random)),
        'print, varied': await savedAgain(await jpegOf(print(photo, random, shot(random))), random),
      };
      for (const [kind, picture] of Object.entries(recaptures)) {
        const liveness = await judge(picture);
        scores[kind]!.push(liveness?.score ?? 0);
        if (liveness?.decision === 'spoof') reasons.add(liveness.reason!);
      }
    }
    for (const limit of [0.5, 0.7, 0.9, 0.95])
      console.log(
        `score ${limit}: ${Object.entries(scores)
          .map(([kind, list]) => `${kind} ${(accepted(list, limit) * 100).toFixed(1)} % of ${list.length}`)
          .join('; ')}`,
      );
    expect(accepted(scores.real!)).toBeGreaterThanOrEqual(0.96);
    expect(accepted(scores['real, saved again']!)).toBeGreaterThanOrEqual(0.92);
    expect(accepted(scores.screen!)).toBe(0);
    expect(accepted(scores['screen, varied']!)).toBeLessThanOrEqual(0.05);
    expect(accepted(scores.print!)).toBeLessThanOrEqual(0.1);
    expect(accepted(scores['print, varied']!)).toBeLessThanOrEqual(0.1);
    expect([...reasons].filter((reason) => !REASONS.includes(reason))).toEqual([]);
  }, 300_000);

  /** Null: refused. */
  async function judge(picture: Buffer): Promise<Liveness | null> {
    try {
      return (await engine.inspect({ picture, side: 'selfie', wantsLiveness: true })).liveness;
    } catch (error) {
      if (error instanceof FaceRefusal) return null;
      throw error;
    }
  }
});

const REASONS = ['screen_pattern', 'print_pattern', 'flat_tones', 'picture_of_a_picture', 'mask'];

/** A nearer or farther camera, a finer or coarser panel or print. */
const shot = (random: Random) => ({ enlarged: 1.5 + random() * 1.3, coarser: 0.7 + random() * 1.1 });

/** As a messenger does: another size, and JPEG blocks of another quality. */
async function savedAgain(picture: Buffer, random: Random): Promise<Buffer> {
  const { width } = await sharp(picture).metadata();
  return sharp(picture)
    .resize({ width: Math.round(Math.max(240, width * (0.7 + random() * 0.6))) })
    .jpeg({ quality: 60 + Math.floor(random() * 36) })
    .toBuffer();
}

/** The default set's. */
const LIVE = 0.9;
const accepted = (scores: readonly number[], limit = LIVE): number => scores.filter((score) => score >= limit).length / scores.length;
