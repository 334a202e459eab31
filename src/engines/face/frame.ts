/**
 * Straight edges around a face: the frame of a screen, the edge of a sheet. A room has straight edges too, but seldom on three sides of a face, each as
 * long as the face is high.
 */
import { type Box, luma, type Picture, sample } from './picture.ts';

/** Longest side of the copy that is searched. A frame is coarse. */
const SIDE = 192;
/** Length of an edge, in heights of the face. */
const LENGTH = 1.5;
/** How far a held screen leans, as offset over length, and in how many steps to each side. */
const LEAN = { most: 0.18, steps: 6 };
/** Difference across two pixels, in levels. */
const EDGE_MIN = 7;
/** Share of the picture's side: what is left of an added border is not a frame. */
const EDGE = 0.03;
/** An edge lies this far outside the face, in its heights: hair and ears do not count. */
const CLEARANCE = 0.1;

/** For each side of the face, the longest straight edge, as a share of `LENGTH`: the longest first. */
export function straightEdges(picture: Picture, face: Box): [number, number, number, number] {
  const scale = Math.max(1, Math.max(picture.width, picture.height) / SIDE);
  const width = Math.max(8, Math.floor(picture.width / scale));
  const height = Math.max(8, Math.floor(picture.height / scale));
  const gray = luma(sample(picture, { a: scale, b: 0, c: 0, d: 0, e: scale, f: 0 }, width, height));
  const box = { left: face.left / scale, top: face.top / scale, width: face.width / scale, height: face.height / scale };
  const down = gridOf(gray, { along: width, across: 1, length: height, width });
  const across = gridOf(gray, { along: 1, across: width, length: width, width: height });
  const x = { middle: box.left + box.width / 2, from: box.left - CLEARANCE * box.height, to: box.left + box.width * (1 + CLEARANCE) };
  const y = { middle: box.top + box.height / 2, from: box.top - CLEARANCE * box.height, to: box.top + box.height * (1 + CLEARANCE) };
  const reach = (LENGTH * box.height) / 2;
  return [
    longest(down, { middle: y.middle, reach, from: EDGE * width, to: x.from }),
    longest(down, { middle: y.middle, reach, from: x.to, to: (1 - EDGE) * width }),
    longest(across, { middle: x.middle, reach, from: EDGE * height, to: y.from }),
    longest(across, { middle: x.middle, reach, from: y.to, to: (1 - EDGE) * height }),
  ].sort((one, other) => other - one) as [number, number, number, number];
}

/** More than a line has pixels. */
const FALLING = 2 * SIDE;

/** Steps from a pixel to the next one along an edge and across it, and how many there are. */
interface Steps {
  along: number;
  across: number;
  length: number;
  width: number;
}

interface Grid extends Steps {
  /** For each pixel: 1 if it lies on a rising edge, `FALLING` on a falling one, or else 0. Their sum holds both counts. */
  edges: Uint16Array;
}

function gridOf(gray: Float32Array, steps: Steps): Grid {
  const { along, across, length, width } = steps;
  const edges = new Uint16Array(gray.length);
  for (let i = 0; i < length; i += 1)
    for (let at = 1, p = i * along + across; at < width - 1; at += 1, p += across) {
      const difference = gray[p + across]! - gray[p - across]!;
      if (difference >= EDGE_MIN) edges[p] = 1;
      else if (difference <= -EDGE_MIN) edges[p] = FALLING;
    }
  return { ...steps, edges };
}

/** Where an edge may be: its middle and how far it reaches to either side, along it; and from where to where it may lie, across it. */
interface Place {
  middle: number;
  reach: number;
  from: number;
  to: number;
}

function longest({ edges, along, across, length, width }: Grid, { middle, reach, from, to }: Place): number {
  const first = Math.max(0, Math.round(middle - reach));
  const last = Math.min(length - 1, Math.round(middle + reach));
  const count = last - first + 1;
  let best = 0;
  for (let step = -LEAN.steps; step <= LEAN.steps; step += 1) {
    const lean = (step * LEAN.most) / LEAN.steps;
    // How far a line with this lean has moved across.
    const shifts = Int32Array.from({ length: Math.max(0, count) }, (_, i) => Math.round(lean * (first + i - middle)));
    for (let start = Math.max(1, Math.round(from)); start <= Math.min(width - 2, to); start += 1) {
      let sum = 0;
      for (let i = 0, line = first * along; i < count; i += 1, line += along) {
        const at = start + shifts[i]!;
        if (at >= 0 && at < width) sum += edges[line + at * across]!;
      }
      best = Math.max(best, sum % FALLING, Math.floor(sum / FALLING));
    }
  }
  return Math.min(1, best / Math.max(1, Math.round(2 * reach)));
}
