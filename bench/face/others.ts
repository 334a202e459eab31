/**
 * Measures how often a picture with two faces side by side is refused as `multiple_faces`: strangers, by the size of the second one; and one portrait
 * twice, as on a document with a second print of it.
 */
import sharp, { type OverlayOptions } from 'sharp';
import type { Comparer } from '../../src/engines/face/compare.ts';
import type { Side } from '../../src/engines/face/face.ts';
import { personOf, photographNames, readPhotograph } from '../photographs.ts';
import { halfOfPerson } from './people.ts';
import { type Case, HALVES, nullIfRefused, type Rate, ratesOf, refusalOf } from './rates.ts';

/** Widths of the second face to that of the first. */
const STRANGERS = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
const TWICE = [1, 0.9, 0.8, 0.7, 0.5];
/** Side of the first photograph in pixels; the photographs have half of it. */
const SIDE = 500;

interface Single {
  bytes: Buffer;
  /** Pixels of the photograph. */
  faceWidth: number;
}

/** `every`: uses each n-th of the pairs of neighbours in the list of people. */
export async function rateOthers(comparer: Comparer, every: number): Promise<Rate[]> {
  const cases: Case[] = [];
  for (const half of HALVES) {
    const names = firstOfEach(photographNames().filter((name) => halfOfPerson(name) === half));
    for (let i = 0; i + 1 < names.length; i += 2 * every) {
      const [first, second] = [await single(comparer, names[i]!), await single(comparer, names[i + 1]!)];
      if (first === null || second === null) continue;
      const isRefused = async (picture: Buffer, side: Side): Promise<boolean> =>
        (await refusalOf(comparer, picture, side)) === 'multiple_faces';
      for (const ratio of STRANGERS) {
        const picture = await sideBySide(first, second, ratio);
        for (const side of ['selfie', 'portrait'] as const)
          cases.push({
            what: `refused as multiple_faces: ${side}, a stranger's face ${ratio} times as wide`,
            half,
            counts: await isRefused(picture, side),
          });
      }
      for (const ratio of TWICE) {
        const picture = await sideBySide(first, first, ratio);
        cases.push({
          what: `refused as multiple_faces: portrait, the same photograph again, ${ratio} times as wide`,
          half,
          counts: await isRefused(picture, 'portrait'),
        });
      }
    }
  }
  return ratesOf(cases);
}

const firstOfEach = (names: readonly string[]): string[] =>
  names.filter((name, i) => i === 0 || personOf(name) !== personOf(names[i - 1]!));

/** Null: refused as a selfie by itself, for example because somebody else stands in it. */
async function single(comparer: Comparer, name: string): Promise<Single | null> {
  const bytes = readPhotograph(name);
  const inspection = await comparer.inspect({ picture: bytes, side: 'selfie', wantsLiveness: false }).catch(nullIfRefused);
  return inspection === null ? null : { bytes, faceWidth: inspection.quality.face_width };
}

/** Both stand on the lower edge. */
async function sideBySide(first: Single, second: Single, ratio: number): Promise<Buffer> {
  const other = Math.round((SIDE * ratio * first.faceWidth) / second.faceWidth);
  const height = Math.max(SIDE, other);
  const at = async ({ bytes }: Single, side: number, left: number): Promise<OverlayOptions> => ({
    input: await sharp(bytes).resize({ width: side, height: side, kernel: 'cubic' }).png().toBuffer(),
    left,
    top: height - side,
  });
  return sharp({ create: { width: SIDE + other, height, channels: 3, background: { r: 128, g: 124, b: 118 } } })
    .composite([await at(first, SIDE, 0), await at(second, other, SIDE)])
    .jpeg({ quality: 92 })
    .toBuffer();
}
