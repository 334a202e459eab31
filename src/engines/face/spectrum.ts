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
const hanns = Float64Array.from({ length: SIDE * SIDE }, (_, i) => hann[i % SIDE]! * hann[Math.floor(i / SIDE)]!);
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
  for (let y = 0, i = 0; y < SIDE; y += 1)
    for (let x = 0, p = ((top + y) * width + left) * 3; x < SIDE; x += 1, i += 1, p += 3) {
      const luma = 0.299 * data[p]! + 0.587 * data[p + 1]! + 0.114 * data[p + 2]!;
      values[i] = luma;
      mean += luma;
    }
  mean /= values.length;
  for (let i = 0; i < values.length; i += 1) values[i] = (values[i]! - mean) * hanns[i]!;
  return values;
}

/** For z = one + i·other, |Z(k)|² + |Z(−k)|² is twice the sum of both powers. */
function addPower(power: Float64Array, real: Float64Array, imaginary: Float64Array): void {
  transformColumns(real, imaginary);
  transpose(real);
  transpose(imaginary);
  transformColumns(real, imaginary);
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0, i = y, j = y * SIDE; x < SIDE; x += 1, i += SIDE, j += 1)
      power[i]! += real[j]! * real[j]! + imaginary[j]! * imaginary[j]!;
}

function transpose(values: Float64Array): void {
  for (let y = 1; y < SIDE; y += 1)
    for (let x = 0; x < y; x += 1) {
      const value = values[y * SIDE + x]!;
      values[y * SIDE + x] = values[x * SIDE + y]!;
      values[x * SIDE + y] = value;
    }
}

/** Cooley and Tukey's transform of every column, in place. All columns take each step together, because their values are neighbours in memory. */
function transformColumns(real: Float64Array, imaginary: Float64Array): void {
  for (let i = 0; i < SIDE; i += 1)
    if (reversed[i]! > i) {
      swapRows(real, i, reversed[i]!);
      swapRows(imaginary, i, reversed[i]!);
    }
  for (let half = 1; half < SIDE; half *= 2)
    for (let k = 0; k < half; k += 1) {
      const c = cosines[(k * HALF) / half]!;
      const s = sines[(k * HALF) / half]!;
      for (let row = k; row < SIDE; row += 2 * half)
        for (let p = row * SIDE, q = p + half * SIDE, end = p + SIDE; p < end; p += 1, q += 1) {
          const re = real[q]! * c - imaginary[q]! * s;
          const im = real[q]! * s + imaginary[q]! * c;
          real[q] = real[p]! - re;
          imaginary[q] = imaginary[p]! - im;
          real[p]! += re;
          imaginary[p]! += im;
        }
    }
}

function swapRows(values: Float64Array, one: number, other: number): void {
  for (let p = one * SIDE, q = other * SIDE, end = p + SIDE; p < end; p += 1, q += 1) {
    const value = values[p]!;
    values[p] = values[q]!;
    values[q] = value;
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
