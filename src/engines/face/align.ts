/** Turns a face upright, at the size and position that embedders of the ArcFace kind were trained with: a similarity transform of five points. */
import { type Affine, type Picture, type Planes, type Point, sample } from './picture.ts';

/** Eyes, tip of the nose, corners of the mouth, in 112 × 112 pixels (InsightFace, `arcface_dst`). */
const TEMPLATE: readonly Point[] = [
  { x: 38.2946, y: 51.6963 },
  { x: 73.5318, y: 51.5014 },
  { x: 56.0252, y: 71.7366 },
  { x: 41.5493, y: 92.3655 },
  { x: 70.7299, y: 92.2041 },
];
const TEMPLATE_SIZE = 112;

/** `view`: how much of the surroundings is included; 1 is as in the template. */
export function align(picture: Picture, five: readonly Point[], size: number, view: number): Planes {
  const scale = size / TEMPLATE_SIZE;
  const centre = mean(TEMPLATE);
  const template = TEMPLATE.map(({ x, y }) => ({
    x: (centre.x + (x - centre.x) / view) * scale,
    y: (centre.y + (y - centre.y) / view) * scale,
  }));
  return sample(picture, similarity(template, five), size, size);
}

/** The rotation, scale and shift that bring `from` closest to `to` by least squares (Umeyama 1991, in two dimensions, without reflection). */
export function similarity(from: readonly Point[], to: readonly Point[]): Affine {
  const centre = mean(from);
  const goal = mean(to);
  let dot = 0;
  let cross = 0;
  let spread = 0;
  for (const [i, point] of from.entries()) {
    const x = point.x - centre.x;
    const y = point.y - centre.y;
    const u = to[i]!.x - goal.x;
    const v = to[i]!.y - goal.y;
    dot += x * u + y * v;
    cross += x * v - y * u;
    spread += x * x + y * y;
  }
  const cosine = dot / spread;
  const sine = cross / spread;
  return {
    a: cosine,
    b: -sine,
    c: goal.x - cosine * centre.x + sine * centre.y,
    d: sine,
    e: cosine,
    f: goal.y - sine * centre.x - cosine * centre.y,
  };
}

export function mean(points: readonly Point[]): Point {
  let x = 0;
  let y = 0;
  for (const point of points) {
    x += point.x;
    y += point.y;
  }
  return { x: x / points.length, y: y / points.length };
}
