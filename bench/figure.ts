/** The result of a measurement and its table: one line a figure. Statistics over many samples are computed here. */

export interface Figure {
  what: string;
  measured: string;
  reference?: string;
  ratio?: string;
  target?: string;
  /** Undefined: there is no target. */
  ok?: boolean;
  /** Nothing was measured; `measured` holds the reason. */
  failed?: boolean;
}

export interface Report {
  figures: Figure[];
  /** Every repeat, for the file in `bench/results/`. */
  detail: Record<string, unknown>;
}

export interface Summary {
  count: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

/** Nearest rank: the smallest sample that `share` of all samples do not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function summarize(samples: readonly number[]): Summary {
  if (samples.length === 0) throw new Error('no samples to summarize');
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => round(percentile(sorted, share));
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

/** The median of the repeats' percentiles, so that one disturbed repeat does not decide. */
export const typical = (summaries: readonly Summary[], which: 'p50' | 'p99'): number => median(summaries.map((summary) => summary[which]));

/** The 95 % Wilson interval of a share, taking rows as independent. Of no rows it is from 0 to 1. */
export function wilson(count: number, rows: number): [number, number] {
  if (rows === 0) return [0, 1];
  const [z2, share] = [1.96 ** 2, count / rows];
  const middle = (share + z2 / (2 * rows)) / (1 + z2 / rows);
  const reach = (1.96 * Math.sqrt((share * (1 - share)) / rows + z2 / (4 * rows ** 2))) / (1 + z2 / rows);
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
}

const round = (value: number): number => Math.round(value * 100) / 100;

export const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
export const perSecond = (value: number, unit: string): string => `${Math.round(value).toLocaleString('en')} ${unit}/s`;
export const times = (value: number): string => value.toFixed(2);

const COLUMNS = ['what', 'measured', 'reference', 'ratio', 'target', 'verdict'] as const;

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => ({
    reference: '–',
    ratio: '–',
    target: '–',
    ...figure,
    verdict: figure.failed ? 'FAILED' : figure.ok === undefined ? '–' : figure.ok ? 'ok' : 'MISSED',
  }));
  const widths = COLUMNS.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd();
  return [
    line(COLUMNS),
    line(widths.map((width) => '─'.repeat(width))),
    ...rows.map((row) => line(COLUMNS.map((column) => row[column]))),
  ].join('\n');
}
