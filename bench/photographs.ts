/** Photographs of `../shared/data/faces`, which are not part of the project: JPEGs of 250 × 250 pixels. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/foundation/package-root.ts';

const FOLDER = join(packageRoot(), '../shared/data/faces/img');

export const hasPhotographs = existsSync(FOLDER);

export const readPhotograph = (name: string): Buffer => readFileSync(join(FOLDER, `${name}.jpg`));
