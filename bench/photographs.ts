/** Reads the photographs in `../shared/data/faces` (250 × 250 JPEGs) and their labelled pairs. Their licence allows measuring only, so the project does not include them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/foundation/package-root.ts';

const FOLDER = join(packageRoot(), '../shared/data/faces');

export const hasPhotographs = existsSync(join(FOLDER, 'pairs.csv'));

export interface Pair {
  /** Names of photographs: `g_…` is gray, `c_…` has colours. */
  one: string;
  other: string;
  isSame: boolean;
  set: string;
}

export function readPairs(): Pair[] {
  const [, ...lines] = readFileSync(join(FOLDER, 'pairs.csv'), 'utf8').trim().split(/\r?\n/);
  return lines.map((line) => {
    const [one, other, same, set] = line.split(',');
    return { one: nameOf(one!), other: nameOf(other!), isSame: same === '1', set: set! };
  });
}

const nameOf = (path: string): string => path.replace(/^img\//, '').replace(/\.jpg$/, '');

/** Every photograph of the pairs once, by name. */
export const photographNames = (): string[] => [...new Set(readPairs().flatMap(({ one, other }) => [one, other]))].sort();

export const readPhotograph = (name: string): Buffer => readFileSync(join(FOLDER, 'img', `${name}.jpg`));

export const personOf = (name: string): string => name.replace(/^[gc]_/, '').replace(/_\d+$/, '');
