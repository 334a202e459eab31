/** A face as a unit vector: the more alike two faces are, the smaller the angle between their vectors. */
import { align } from './align.ts';
import type { Net } from './net.ts';
import type { Picture, Planes, Point } from './picture.ts';

/**
 * How much of the surroundings is included, relative to the template. Two views of a face, one closer and one wider, err in different ways. Their
 * mean loses 0.73 % of genuine pairs, a single view 1.45 % (docs/biometrics-accuracy.md), for one more run of the net.
 */
const VIEWS = [0.94, 1.06] as const;

/**
 * Cosines of the closer views that the wider views need not confirm. Over 495,510 pairs of the development pictures, the wider views moved a cosine
 * below 0.1 to 0.24 at most, and one from 0.6 up to 0.54 at least: no decision changes at any threshold from 5 to 99.5
 * (test/engines/face/accuracy.test.ts). Near the limit of a replay (`replay_cosine`) both are computed.
 */
const CLEAR = { apart: 0.1, alike: 0.6, same: 0.9 };

export interface Views {
  nearer: Planes;
  /** Read only where the nearer views leave a doubt. */
  farther(): Planes;
}

export const alignViews = (picture: Picture, five: readonly Point[], size: number): Views => ({
  nearer: align(picture, five, size, VIEWS[0]),
  farther: () => align(picture, five, size, VIEWS[1]),
});

/** Cosine of two faces, -1 to 1, from the closer views alone if they are clear. Consumes the views. */
export async function likeness(net: Net, one: Views, other: Views): Promise<number> {
  const nearer = [await vectorOf(net, one.nearer), await vectorOf(net, other.nearer)] as const;
  const atFirst = cosine(...nearer);
  if (isClear(atFirst)) return atFirst;
  return cosine(bisector(nearer[0], await vectorOf(net, one.farther())), bisector(nearer[1], await vectorOf(net, other.farther())));
}

export const isClear = (cosine: number): boolean => cosine < CLEAR.apart || (cosine >= CLEAR.alike && cosine < CLEAR.same);

/** The vector of each view. Consumes the views. */
export const embed = async (net: Net, { nearer, farther }: Views): Promise<[nearer: Float32Array, farther: Float32Array]> => [
  await vectorOf(net, nearer),
  await vectorOf(net, farther()),
];

const vectorOf = async (net: Net, view: Planes): Promise<Float32Array> => unit((await net.run(view))[0]!);

export const bisector = (one: Float32Array, other: Float32Array): Float32Array => unit(one.map((value, i) => value + other[i]!));

/** Both vectors must have length one. */
export const cosine = (one: Float32Array, other: Float32Array): number => Math.min(1, Math.max(-1, dot(one, other)));

/** From 0 to 100. */
export const confidence = (similarity: number, { slope, offset }: { slope: number; offset: number }): number =>
  100 / (1 + Math.exp(-(slope * similarity + offset)));

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / length);
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}
