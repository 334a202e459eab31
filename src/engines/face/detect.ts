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
  const candidates = candidatesOf(scores!, boxes!, { left: 0, top: 0, width: width * scale, height: height * scale });
  return suppress(candidates)
    .filter(({ box }) => centreInside(box, picture))
    .sort((one, other) => area(other.box) - area(one.box));
}

/** In pixels of the net's input: the smallest face that it finds reliably. */
const FACE_IN_NET = 16;
/** Longest side of the picture in tiles; more would be more than 36 of them. */
const TILED_MAX = 1280;
/** Distance between tiles, as a share of a tile's side. A face no larger than the rest is whole in one of them. */
const STEP = 2 / 3;
/** Tiles that are hardly finer than the whole picture find nothing new. */
const FINER_MIN = 1.33;

/**
 * Longest side at which the picture should be read for `detectInTiles`; null if tiles would find nothing new. `faceMin`: width of the smallest face that is
 * any use, in pixels of the file.
 */
export function tiledSide(net: Net, file: { width: number; height: number }, faceMin: number): number | null {
  const { width, height } = net.input;
  const longest = Math.max(file.width, file.height);
  const perPixel = Math.max(1, faceMin / FACE_IN_NET, longest / TILED_MAX);
  return Math.max(file.width / width, file.height / height) >= FINER_MIN * perPixel ? Math.ceil(longest / perPixel) : null;
}

/** Finds faces that are small in a large picture: looks at overlapping tiles, as large as the net's input. Largest first. */
export async function detectInTiles(net: Net, picture: Picture): Promise<Face[]> {
  const { width, height } = net.input;
  const found: Face[] = [];
  for (const top of starts(picture.height, height))
    for (const left of starts(picture.width, width)) {
      const [scores, boxes] = await net.run(sample(picture, { a: 1, b: 0, c: left, d: 0, e: 1, f: top }, width, height));
      const tile = { left, top, width: Math.min(width, picture.width - left), height: Math.min(height, picture.height - top) };
      found.push(...candidatesOf(scores!, boxes!, { left, top, width, height }).filter(({ box }) => isWhole(box, tile, picture)));
    }
  return suppress(found).sort((one, other) => area(other.box) - area(one.box));
}

function starts(length: number, tile: number): number[] {
  if (length <= tile) return [0];
  const count = Math.ceil((length - tile) / (STEP * tile)) + 1;
  return Array.from({ length: count }, (_, i) => Math.round((i * (length - tile)) / (count - 1)));
}

/** Whether a box ends inside its tile, or where the picture does too: another tile has the rest. */
function isWhole({ left, top, width, height }: Box, tile: Box, picture: Picture): boolean {
  return (
    (left > tile.left || tile.left === 0) &&
    (top > tile.top || tile.top === 0) &&
    (left + width < tile.left + tile.width || tile.left + tile.width >= picture.width) &&
    (top + height < tile.top + tile.height || tile.top + tile.height >= picture.height)
  );
}

/** `seen`: the part of the picture that the net was shown. */
function candidatesOf(scores: Float32Array, boxes: Float32Array, seen: Box): Face[] {
  const candidates: Face[] = [];
  for (let i = 0; i < scores.length / 2; i += 1) {
    const score = scores[2 * i + 1]!;
    if (score < SCORE_MIN) continue;
    const left = seen.left + boxes[4 * i]! * seen.width;
    const top = seen.top + boxes[4 * i + 1]! * seen.height;
    const right = seen.left + boxes[4 * i + 2]! * seen.width;
    const bottom = seen.top + boxes[4 * i + 3]! * seen.height;
    candidates.push({ box: { left, top, width: right - left, height: bottom - top }, score });
  }
  return candidates;
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
