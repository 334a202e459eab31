/**
 * Passive liveness. From the surroundings of the face a net recognises a picture of a picture. Two measures without a model add evidence: the peaks
 * of a screen's grid or a print's dots, and tones that are nowhere dark. One logistic combines them.
 */
import type { Liveness } from './face.ts';
import type { Net } from './net.ts';
import { type Box, fromBox, mirrored, type Picture, sample, squareAround } from './picture.ts';
import { findPeaks, type Peaks } from './spectrum.ts';

/** Side of the crop, in heights of the face, as in the net's training. */
const CROP = 2.7;
/** With less around the face the net's answer is meaningless: crops of 1.2 accept 54 % of real faces, and most fakes (FACE.md §4). */
const CROP_MIN = 1.5;

export interface LivenessLimits {
  live: number;
  spoof: number;
  /** Weights of the logistic. They belong to the net, because one of them scales its certainty. */
  weights: { net: number; peaks: number; floor: number; offset: number };
}

/** `detail`: the face in the pixels that were sent, if `picture` is smaller. */
export async function judgeLiveness(
  net: Net,
  picture: Picture,
  face: Box,
  detail: { picture: Picture; box: Box },
  limits: LivenessLimits,
): Promise<Liveness> {
  const crop = Math.min(CROP, (picture.width - 1) / face.height, (picture.height - 1) / face.height);
  if (crop < CROP_MIN) return { score: null, decision: 'inconclusive', reason: 'face_too_close' };
  const { width, height } = net.input;
  // Shifted, never padded: with black bars only half of the real faces pass (FACE.md §4).
  const seen = sample(picture, fromBox(squareAround(face, crop * face.height, picture), width, height), width, height);
  const turned = mirrored(seen);
  const [one] = await net.run(seen);
  const [other] = await net.run(turned);
  // A mirrored face is just as real. Averaging both accepts a fifth fewer prints at the same share of real faces (docs/biometrics.md).
  const [real, flat, mask] = softmax(one!.map((value, i) => (value + other![i]!) / 2));
  const peaks = findPeaks(detail.picture, detail.box);
  const { weights } = limits;
  const evidence = {
    net: weights.net * clamp(Math.log(real! / (1 - real!)), CERTAINTY_MAX),
    peaks: weights.peaks * excess(peaks),
    floor: weights.floor * liftOf(picture, face),
  };
  const score = 1 / (1 + Math.exp(-(evidence.net + evidence.peaks + evidence.floor + weights.offset)));
  if (score >= limits.live) return { score, decision: 'live', reason: null };
  if (score >= limits.spoof) return { score, decision: 'review', reason: 'liveness_uncertain' };
  return { score, decision: 'spoof', reason: reasonOf(evidence, peaks, flat! >= mask!) };
}

/** Limit on the net's logit: beyond it, the net is as sure of prints as of faces. */
const CERTAINTY_MAX = 8;
/** In decades: one in a hundred of 448 photographs of other people has a stronger peak; nearly every simulated screen does. */
const PEAKS_MIN = 1.3;
/** JPEG's blocks leave stronger peaks along rows and columns than across them. */
const UPRIGHT_DISCOUNT = 0.2;

const excess = (peaks: Peaks): number => Math.max(0, Math.max(peaks.slanted, peaks.upright - UPRIGHT_DISCOUNT) - PEAKS_MIN);

/** The strongest evidence against liveness. */
function reasonOf({ net, peaks, floor }: { net: number; peaks: number; floor: number }, found: Peaks, isFlat: boolean): string {
  if (net <= peaks && net <= floor) return isFlat ? 'picture_of_a_picture' : 'mask';
  if (floor <= peaks) return 'flat_tones';
  return found.upright - UPRIGHT_DISCOUNT > found.slanted ? 'screen_pattern' : 'print_pattern';
}

/** Share of the face's pixels below what counts as its darkest tone. */
const DARKEST = 0.01;
const BRIGHTEST = 0.99;
/** A face has nostrils, pupils and hair: half of the photographs stay below 0.02, 95 in a hundred below 0.14. */
const LIFT_MIN = 0.08;

/**
 * How much the darkest tone is lifted. Ink on paper is not black, nor is a panel in a lit room: L* 16 on coated, 31 on uncoated paper (ISO 12647-2),
 * a fifth to a third of white in sRGB. Takes the least of red, green and blue, since dark skin and shadows still have a colour. In tenths above what
 * photographs have.
 */
function liftOf({ data, width, height }: Picture, face: Box): number {
  const darkness = new Uint32Array(256);
  const brightness = new Uint32Array(256);
  let count = 0;
  const right = Math.min(width, face.left + face.width);
  const bottom = Math.min(height, face.top + face.height);
  for (let y = Math.max(0, Math.floor(face.top)); y < bottom; y += 1)
    for (let x = Math.max(0, Math.floor(face.left)); x < right; x += 1) {
      const p = (y * width + x) * 3;
      const [red, green, blue] = [data[p]!, data[p + 1]!, data[p + 2]!];
      darkness[Math.min(red, green, blue)]! += 1;
      brightness[Math.round(0.299 * red + 0.587 * green + 0.114 * blue)]! += 1;
      count += 1;
    }
  return 10 * Math.max(0, quantile(darkness, DARKEST * count) / Math.max(1, quantile(brightness, BRIGHTEST * count)) - LIFT_MIN);
}

function quantile(histogram: Uint32Array, rank: number): number {
  let below = 0;
  return histogram.findIndex((count) => {
    below += count;
    return below >= rank;
  });
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(value, most));

function softmax(values: Float32Array): number[] {
  const powers = [...values].map(Math.exp);
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
