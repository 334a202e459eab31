/**
 * Whether the eyes or the lower half of an aligned face are covered: sunglasses, a hand, a mask. A covered face still resembles its owner's, and
 * everybody else's a little more, so the person is asked for another picture.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../../foundation/package-root.ts';
import { luma, type Planes } from './picture.ts';

/** Cells of the aligned face in each direction. */
const CELLS = 14;
const COLUMNS = { from: 1, to: 13 };
/** Rows of cells: brows to cheeks, nose to chin. */
const ROWS = { eyes: { from: 3, to: 9 }, mouth: { from: 7, to: 14 } } as const;
export type Region = keyof typeof ROWS;

const region = z.object({ offset: z.number(), limit: z.number(), weights: z.array(z.number()) });
const shape = z.object({ eyes: region, mouth: region });
/** Log-odds = offset + Σ weight · value, fitted on the coverings of `bench/face/coverings.ts`. Above the limit the region counts as covered. */
export type CoveredWeights = z.infer<typeof shape>;

const coveredWeightsPath = (): string => join(packageRoot(), 'src/engines/face/models/covered.json');

export const readCoveredWeights = async (): Promise<CoveredWeights> =>
  shape.parse(JSON.parse(await readFile(coveredWeightsPath(), 'utf8')));

/** The region that is covered, the eyes first; null: none. */
export function coveredRegion(aligned: Planes, weights: CoveredWeights): Region | null {
  const measures = measureCells(aligned);
  for (const name of ['eyes', 'mouth'] as const) {
    const { offset, limit, weights: list } = weights[name];
    if (regionOf(measures, name).reduce((sum, value, i) => sum + value * list[i]!, offset) > limit) return name;
  }
  return null;
}

/** For each cell: luma, edges across and down, and contrast, each relative to the whole face. */
type CellMeasures = Float64Array[];

function measureCells(aligned: Planes): CellMeasures {
  const { width, height } = aligned;
  const gray = luma(aligned);
  const side = width / CELLS;
  const [light, across, down, squares] = Array.from({ length: 4 }, () => new Float64Array(CELLS * CELLS));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const i = y * width + x;
      const cell = Math.floor(y / side) * CELLS + Math.floor(x / side);
      const value = gray[i]!;
      light![cell]! += value;
      squares![cell]! += value * value;
      across![cell]! += x + 1 < width ? Math.abs(gray[i + 1]! - value) : 0;
      down![cell]! += y + 1 < height ? Math.abs(gray[i + width]! - value) : 0;
    }
  const count = side * side;
  const means = light!.map((sum) => sum / count);
  const middle = median(means);
  const mean = meanOf(means);
  const deviation = Math.sqrt(meanOf(means.map((value) => (value - mean) ** 2))) + 5;
  return [
    means.map((value) => (value - middle) / deviation),
    relative(across!.map((sum) => sum / count)),
    relative(down!.map((sum) => sum / count)),
    relative(squares!.map((sum, i) => Math.max(0, sum / count - means[i]! ** 2))),
  ];
}

function regionOf(measures: CellMeasures, name: Region): number[] {
  const { from, to } = ROWS[name];
  const values: number[] = [];
  for (const cells of measures)
    for (let row = from; row < to; row += 1) values.push(...cells.subarray(row * CELLS + COLUMNS.from, row * CELLS + COLUMNS.to));
  return values;
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function relative(values: Float64Array): Float64Array {
  const whole = Math.log1p(meanOf(values));
  return values.map((value) => Math.log1p(value) - whole);
}

function median(values: Float64Array): number {
  const sorted = values.toSorted();
  return (sorted[(sorted.length >> 1) - 1]! + sorted[sorted.length >> 1]!) / 2;
}
