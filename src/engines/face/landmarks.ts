/** The 68 points of a face (order of iBUG 300-W), and what follows from them: the five that align it, its roll and its yaw. */
import { mean } from './align.ts';
import type { Net } from './net.ts';
import { type Affine, type Box, type Picture, type Point, sample } from './picture.ts';

export interface Pose {
  /** Degrees; 0: upright, from the front. */
  roll: number;
  yaw: number;
}

export interface Landmarks {
  points: Point[];
  /** Average distance of a point in one crop from its mean over the crops, in heights of the face. Small if the net really sees a face. */
  spread: number;
}

/** Sides of the crops in the second pass, in heights of the face. */
const CROPS = [1, 1.08, 0.94] as const;
/** Distance of the nose's tip from the axis of the turning head, divided by that of the jaw's ends. */
const NOSE_OVER_JAW = 1.2;

/**
 * Runs in two passes, because the net was trained on upright faces: the first pass only finds how the face is turned; the second reads it upright,
 * from several crops, and averages them (genuine pairs lost at no false match: 0.91 %, against 1.27 % with a single pass, docs/biometrics-accuracy.md).
 */
export async function findLandmarks(net: Net, picture: Picture, box: Box): Promise<Landmarks> {
  const rough = await read(net, picture, crop(box, 0, CROPS[0], net.input.width));
  const roll = rollOf(rough);
  const passes: Point[][] = [];
  for (const size of CROPS) passes.push(await read(net, picture, crop(box, roll, size, net.input.width)));
  const points = rough.map((_, i) => mean(passes.map((pass) => pass[i]!)));
  const distances = passes.flatMap((pass) => pass.map(({ x, y }, i) => Math.hypot(x - points[i]!.x, y - points[i]!.y)));
  return { points, spread: distances.reduce((sum, distance) => sum + distance, 0) / distances.length / box.height };
}

/** Eyes, tip of the nose, corners of the mouth. */
export function fivePoints(points: readonly Point[]): Point[] {
  return [mean(points.slice(36, 42)), mean(points.slice(42, 48)), points[30]!, points[48]!, points[54]!];
}

export function poseOf(points: readonly Point[]): Pose {
  const roll = rollOf(points);
  // Along the line of the eyes: how much closer the nose is to one end of the jaw than to the other.
  const along = ({ x, y }: Point): number => x * Math.cos(roll) + y * Math.sin(roll);
  const left = along(points[0]!);
  const right = along(points[16]!);
  const offset = (2 * along(points[30]!) - left - right) / Math.max(1, right - left);
  return { roll: degrees(roll), yaw: degrees(Math.atan(offset / NOSE_OVER_JAW)) };
}

/** Radians. */
export function rollOf(points: readonly Point[]): number {
  const left = mean(points.slice(36, 42));
  const right = mean(points.slice(42, 48));
  return Math.atan2(right.y - left.y, right.x - left.x);
}

function crop(box: Box, roll: number, size: number, pixels: number): Affine {
  const scale = (box.height * size) / pixels;
  const a = Math.cos(roll) * scale;
  const d = Math.sin(roll) * scale;
  const centreX = box.left + box.width / 2;
  const centreY = box.top + box.height / 2;
  const half = pixels / 2;
  return { a, b: -d, c: centreX - (a - d) * half, d, e: a, f: centreY - (d + a) * half };
}

async function read(net: Net, picture: Picture, affine: Affine): Promise<Point[]> {
  const { width, height } = net.input;
  const { a, b, c, d, e, f } = affine;
  const [values] = await net.run(sample(picture, affine, width, height));
  return Array.from({ length: values!.length / 2 }, (_, i) => {
    const x = values![2 * i]! * width;
    const y = values![2 * i + 1]! * height;
    return { x: a * x + b * y + c, y: d * x + e * y + f };
  });
}

const degrees = (radians: number): number => (radians * 180) / Math.PI;
