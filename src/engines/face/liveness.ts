/**
 * Passive liveness. From the surroundings of the face a net recognizes a picture of a picture. Measures without a model add evidence: the peaks of a
 * screen's grid or a print's dots, at two scales; tones that are nowhere dark; straight edges around the face. One logistic combines them.
 */
import type { Liveness, Unjudged } from './face.ts';
import { straightEdges } from './frame.ts';
import type { Net } from './net.ts';
import { type Box, fromBox, halved, mirrored, type Picture, sample } from './picture.ts';
import { findPeaks, type Peaks } from './spectrum.ts';

/** Sides of the crop, in heights of the face, as in the net's training. */
const CROP = 2.7;
/** With less of the picture around the face, nothing was measured. */
const ROOM_MIN = 0.85;

/** Each measure, except the net's, is 0 where nothing speaks against a living person. */
interface LivenessMeasures {
  /** Log-odds of a living person. */
  net: number;
  /** Decades by which the strongest peak of the spectrum exceeds that of photographs, in the pixels that were sent … */
  peaks: number;
  /** … and at half of their resolution, where a camera's processing has not smoothed it away. */
  coarse: number;
  /** Tenths by which the darkest tone is lifted. */
  floor: number;
  /** From 0 to 1: how long the second and the third longest straight edge around the face are. */
  frame: number;
}

type Term = keyof LivenessMeasures;
type LivenessWeights = Record<Term | 'offset', number>;

export interface LivenessLimits {
  live: number;
  spoof: number;
  /** Weights of the logistic. They belong to the net, because one of them scales its certainty. */
  weights: LivenessWeights;
}

/** What a measure was taken from, to name the reason. */
interface Seen {
  measures: LivenessMeasures;
  peaks: Peaks;
  isFlat: boolean;
}

/** `detail`: the face in the pixels that were sent, if `picture` is smaller. */
export async function judgeLiveness(net: Net, picture: Picture, face: Box, detail: Detail, limits: LivenessLimits): Promise<Liveness> {
  if ((Math.min(picture.width, picture.height) - 1) / face.height < ROOM_MIN) return unjudged('face_too_close');
  const seen = await look(net, picture, face, detail);
  const { offset, ...weights } = limits.weights;
  const terms = Object.keys(weights) as Term[];
  const evidence = Object.fromEntries(terms.map((term) => [term, weights[term] * seen.measures[term]])) as Record<Term, number>;
  const logOdds = terms.reduce((sum, term) => sum + evidence[term], offset);
  const score = probability(logOdds);
  if (score >= limits.live) return { score, decision: 'live', reason: null };
  if (probability(logOdds - evidence.floor) >= limits.live && isGray(picture)) return unjudged('no_colours');
  if (score >= limits.spoof) return { score, decision: 'review', reason: 'liveness_uncertain' };
  return { score, decision: 'spoof', reason: reasonOf(evidence, seen) };
}

const probability = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));
const unjudged = (reason: Unjudged): Liveness => ({ score: null, decision: 'inconclusive', reason });

interface Detail {
  picture: Picture;
  box: Box;
}

async function look(net: Net, picture: Picture, face: Box, detail: Detail): Promise<Seen> {
  const { width, height } = net.input;
  const seen = sample(picture, fromBox(cropAround(face, picture), width, height), width, height);
  const turned = mirrored(seen);
  const first = certainty((await net.run(seen))[0]!);
  const second = certainty((await net.run(turned))[0]!);
  const peaks = findPeaks(detail.picture, detail.box);
  const half = halved(detail.picture, detail.box);
  const coarse = findPeaks(half, { left: 0, top: 0, width: half.width, height: half.height });
  const [, secondEdge, thirdEdge] = straightEdges(picture, face);
  return {
    peaks,
    isFlat: first.isFlat,
    measures: {
      // A mirrored face is just as real. The mean of both accepts fewer prints at the same share of real faces (docs/biometrics-accuracy.md).
      net: (first.real + second.real) / 2,
      peaks: excess(peaks),
      coarse: excess(coarse),
      floor: Math.min(LIFT_MAX, liftOf(picture, face)),
      frame: (beyond(secondEdge, EDGES_MIN.second) + beyond(thirdEdge, EDGES_MIN.third)) / 2,
    },
  };
}

/** Shifted, never padded: with black bars only half of the real faces pass (FACE.md §4). If the picture is narrower than the crop, the crop is narrower too. */
function cropAround(face: Box, picture: Picture): Box {
  const width = Math.min(CROP * face.height, picture.width - 1);
  const height = Math.min(CROP * face.height, picture.height - 1);
  const left = face.left + face.width / 2 - width / 2;
  const top = face.top + face.height / 2 - height / 2;
  return { left: within(left, picture.width - width), top: within(top, picture.height - height), width, height };
}

const within = (value: number, most: number): number => Math.max(0, Math.min(value, most));

/** Limit on the net's logit: beyond it, the net is as sure of prints as of faces. */
const CERTAINTY_MAX = 8;

function certainty(classes: Float32Array): { real: number; isFlat: boolean } {
  const [real, flat, mask] = classes as unknown as [number, number, number];
  const others = Math.max(flat, mask) + Math.log1p(Math.exp(-Math.abs(flat - mask)));
  return { real: Math.max(-CERTAINTY_MAX, Math.min(real - others, CERTAINTY_MAX)), isFlat: flat >= mask };
}

/** In decades: one in a hundred of 448 photographs of other people has a stronger peak; nearly every simulated screen does. */
const PEAKS_MIN = 1.3;
/** JPEG's blocks leave stronger peaks along rows and columns than across them. */
const UPRIGHT_DISCOUNT = 0.2;
/** What rooms have: shares of the length that is looked for. */
const EDGES_MIN = { second: 0.75, third: 0.6 };
/** In tenths. Haze lifts a real picture's tones as far as ink does a print's, so they prove no more. */
const LIFT_MAX = 1.5;

const beyond = (edge: number, least: number): number => Math.max(0, edge - least) / (1 - least);
const excess = (peaks: Peaks): number => Math.max(0, Math.max(peaks.slanted, peaks.upright - UPRIGHT_DISCOUNT) - PEAKS_MIN);

/** The strongest evidence against liveness. */
function reasonOf(evidence: LivenessMeasures, { peaks, isFlat }: Seen): string {
  const grid = evidence.peaks + evidence.coarse;
  const strongest = Math.min(evidence.net, grid, evidence.floor, evidence.frame);
  if (strongest === evidence.frame && strongest < 0) return 'frame';
  if (strongest === evidence.net) return isFlat ? 'picture_of_a_picture' : 'mask';
  if (strongest === evidence.floor) return 'flat_tones';
  return peaks.upright - UPRIGHT_DISCOUNT > peaks.slanted ? 'screen_pattern' : 'print_pattern';
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
  const left = Math.max(0, Math.floor(face.left));
  for (let y = Math.max(0, Math.floor(face.top)); y < bottom; y += 1)
    for (let x = left, p = (y * width + left) * 3; x < right; x += 1, p += 3) {
      const red = data[p]!;
      const green = data[p + 1]!;
      const blue = data[p + 2]!;
      darkness[Math.min(red, green, blue)]! += 1;
      brightness[(0.299 * red + 0.587 * green + 0.114 * blue + 0.5) | 0]! += 1;
      count += 1;
    }
  return 10 * Math.max(0, quantile(darkness, DARKEST * count) / Math.max(1, quantile(brightness, BRIGHTEST * count)) - LIFT_MIN);
}

/** Levels between the least and the greatest of red, green and blue, which JPEG's rounding may add to a gray pixel; and the share of pixels that may have more. */
const CHROMA_MAX = 6;
const COLOURED_MAX = 0.01;

/** Whether the picture has no colours. Its shadows then look like ink, which `liftOf` tells from them by their colour. */
function isGray({ data }: Picture): boolean {
  let left = (COLOURED_MAX * data.length) / 3;
  for (let p = 0; p < data.length && left >= 0; p += 3) {
    const [red, green, blue] = [data[p]!, data[p + 1]!, data[p + 2]!];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > CHROMA_MAX) left -= 1;
  }
  return left >= 0;
}

function quantile(histogram: Uint32Array, rank: number): number {
  let below = 0;
  return histogram.findIndex((count) => {
    below += count;
    return below >= rank;
  });
}
