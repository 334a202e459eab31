/** Finds faces with UltraLight RFB-320, whose boxes need no decoding. Each face is one box; the other nets know it squared by its height. */
import type { Net } from './net.ts';
import { type Box, type Picture, sample } from './picture.ts';

export interface Face {
  box: Box;
  /** 0 to 1. */
  score: number;
}

/** From the net's author, and from the package that it comes in. */
const SCORE_MIN = 0.65;
const OVERLAP_MAX = 0.4;
/** Candidates examined; a face gives about ten. */
const CANDIDATES_MAX = 750;

/** Largest first. */
export async function detect(net: Net, picture: Picture): Promise<Face[]> {
  // One scale for both directions: otherwise a tall picture would show faces twice as wide as high.
  const { width, height } = net.input;
  const scale = Math.max(picture.width / width, picture.height / height);
  const [scores, boxes] = await net.run(sample(picture, { a: scale, b: 0, c: 0, d: 0, e: scale, f: 0 }, width, height));
  const candidates: Face[] = [];
  for (let i = 0; i < scores!.length / 2; i += 1) {
    const score = scores![2 * i + 1]!;
    if (score < SCORE_MIN) continue;
    const left = boxes![4 * i]! * width * scale;
    const top = boxes![4 * i + 1]! * height * scale;
    const right = boxes![4 * i + 2]! * width * scale;
    const bottom = boxes![4 * i + 3]! * height * scale;
    candidates.push({ box: { left, top, width: right - left, height: bottom - top }, score });
  }
  return suppress(candidates)
    .filter(({ box }) => centreInside(box, picture))
    .sort((one, other) => area(other.box) - area(one.box));
}

/** Non-maximum suppression: of overlapping boxes, the surest stays. */
export function suppress(candidates: readonly Face[]): Face[] {
  const kept: Face[] = [];
  for (const candidate of candidates.toSorted((one, other) => other.score - one.score).slice(0, CANDIDATES_MAX))
    if (kept.every(({ box }) => overlap(box, candidate.box) <= OVERLAP_MAX)) kept.push(candidate);
  return kept;
}

export const area = ({ width, height }: Box): number => width * height;

/** Intersection over union. */
function overlap(one: Box, other: Box): number {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (area(one) + area(other) - width * height);
}

function centreInside({ left, top, width, height }: Box, picture: Picture): boolean {
  const x = left + width / 2;
  const y = top + height / 2;
  return x > 0 && y > 0 && x < picture.width && y < picture.height;
}
