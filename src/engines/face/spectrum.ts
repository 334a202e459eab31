/**
 * Periodic patterns in the picture of a face, which skin does not have. A panel's grid, a print's dots, and the beat of either with the camera's own
 * grid show as peaks of the spectrum; a photograph's spectrum falls evenly from coarse to fine.
 */
import type { Box, Picture } from './picture.ts';

export interface Peaks {
  /** Decades by which the strongest peak stands out of its ring: across the picture's rows and columns … */
  slanted: number;
  /** … and along them, leaving out the peaks of JPEG's blocks. */
  upright: number;
}

/** Side of a window in pixels; a power of two. */
const SIDE = 64;
const HALF = SIDE / 2;
/** Windows across and down the face. Their mean is steadier than one spectrum of the whole face. */
const WINDOWS = 4;
/** Out of `SIDE`: lower frequencies are the features of a face. */
const FREQUENCY_MIN = 7;
/** Out of `SIDE`: JPEG's blocks of eight pixels, and their harmonics. */
const BLOCK = SIDE / 8;

const hann = Float64Array.from({ length: SIDE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIDE));
const cosines = Float64Array.from({ length: HALF }, (_, i) => Math.cos((2 * Math.PI * i) / SIDE));
const sines = Float64Array.from({ length: HALF }, (_, i) => -Math.sin((2 * Math.PI * i) / SIDE));
const reversed = Uint8Array.from({ length: SIDE }, (_, i) =>
  Number.parseInt(i.toString(2).padStart(Math.log2(SIDE), '0').split('').reverse().join(''), 2),
);

/** In the picture's own pixels. A face with fewer pixels than a window has no peaks. */
export function findPeaks(picture: Picture, face: Box): Peaks {
  const left = Math.max(0, Math.floor(face.left));
  const top = Math.max(0, Math.floor(face.top));
  const width = Math.min(picture.width, Math.floor(face.left + face.width)) - left;
  const height = Math.min(picture.height, Math.floor(face.top + face.height)) - top;
  if (width < SIDE || height < SIDE) return { slanted: 0, upright: 0 };
  const power = new Float64Array(SIDE * SIDE);
  const starts = (from: number, length: number): number[] =>
    Array.from({ length: WINDOWS }, (_, i) => from + Math.floor((i * (length - SIDE)) / (WINDOWS - 1)));
  for (const y of starts(top, height)) {
    const [a, b, c, d] = starts(left, width).map((x) => windowed(picture, x, y));
    // Two real windows in one complex transform: the sum of their powers is that of both halves.
    addPower(power, a!, b!);
    addPower(power, c!, d!);
  }
  return strongest(power);
}

function windowed({ data, width }: Picture, left: number, top: number): Float64Array {
  const values = new Float64Array(SIDE * SIDE);
  let mean = 0;
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1) {
      const p = ((top + y) * width + left + x) * 3;
      const luma = 0.299 * data[p]! + 0.587 * data[p + 1]! + 0.114 * data[p + 2]!;
      values[y * SIDE + x] = luma;
      mean += luma;
    }
  mean /= values.length;
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1) values[y * SIDE + x] = (values[y * SIDE + x]! - mean) * hann[x]! * hann[y]!;
  return values;
}

/** For z = one + i·other, |Z(k)|² + |Z(−k)|² is twice the sum of both powers. */
function addPower(power: Float64Array, real: Float64Array, imaginary: Float64Array): void {
  for (let line = 0; line < SIDE; line += 1) transform(real, imaginary, line * SIDE, 1);
  for (let column = 0; column < SIDE; column += 1) transform(real, imaginary, column, SIDE);
  for (let i = 0; i < power.length; i += 1) power[i]! += real[i]! ** 2 + imaginary[i]! ** 2;
}

/** Cooley and Tukey's transform, in place, over every `stride`th value from `start`. */
function transform(real: Float64Array, imaginary: Float64Array, start: number, stride: number): void {
  for (let i = 0; i < SIDE; i += 1) {
    const j = reversed[i]!;
    if (j <= i) continue;
    const p = start + i * stride;
    const q = start + j * stride;
    [real[p], real[q]] = [real[q]!, real[p]!];
    [imaginary[p], imaginary[q]] = [imaginary[q]!, imaginary[p]!];
  }
  for (let half = 1; half < SIDE; half *= 2)
    for (let block = 0; block < SIDE; block += 2 * half)
      for (let k = 0; k < half; k += 1) {
        const c = cosines[(k * HALF) / half]!;
        const s = sines[(k * HALF) / half]!;
        const p = start + (block + k) * stride;
        const q = p + half * stride;
        const re = real[q]! * c - imaginary[q]! * s;
        const im = real[q]! * s + imaginary[q]! * c;
        real[q] = real[p]! - re;
        imaginary[q] = imaginary[p]! - im;
        real[p]! += re;
        imaginary[p]! += im;
      }
}

function strongest(power: Float64Array): Peaks {
  const rings: number[][] = Array.from({ length: HALF + 1 }, () => []);
  const bins: { ring: number; isUpright: boolean; power: number }[] = [];
  // Half of the plane; the other half is the same.
  for (let y = 0; y <= HALF; y += 1)
    for (let x = -HALF + 1; x <= HALF; x += 1) {
      const ring = Math.round(Math.hypot(x, y));
      if (ring < FREQUENCY_MIN || ring > HALF) continue;
      const across = Math.abs(x);
      const value = power[y * SIDE + ((x + SIDE) % SIDE)]! + power[((SIDE - y) % SIDE) * SIDE + ((SIDE - x) % SIDE)]!;
      const isUpright = across <= 1 || y <= 1;
      if (isUpright && nearBlock(across) && nearBlock(y)) continue;
      rings[ring]!.push(value);
      bins.push({ ring, isUpright, power: value });
    }
  const medians = rings.map((values) => (values.length === 0 ? 1 : values.sort((a, b) => a - b)[values.length >> 1]!));
  const peaks = { slanted: 0, upright: 0 };
  for (const { ring, isUpright, power: value } of bins) {
    const kind = isUpright ? 'upright' : 'slanted';
    peaks[kind] = Math.max(peaks[kind], Math.log10(value / Math.max(medians[ring]!, Number.EPSILON)));
  }
  return peaks;
}

/** The width of a window spreads a peak over its neighbours. */
const nearBlock = (frequency: number): boolean => Math.abs(frequency - Math.round(frequency / BLOCK) * BLOCK) <= 1;
