/** The development face pairs, where installed: never part of the project (licensed for measuring only). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { defaultFolder } from '../../../src/engines/face/models.ts';
import type { Picture } from '../../../src/engines/face/picture.ts';
import { packageRoot } from '../../../src/foundation/package-root.ts';

const FOLDER = join(packageRoot(), '../shared/data/faces');

export const facesAreHere = existsSync(join(FOLDER, 'pairs.csv'));
export const modelsAreHere = existsSync(join(defaultFolder(), 'fr_feature.onnx'));

/** For the title of a suite that needs them. */
export const skipNote = (title: string): string => {
  if (!modelsAreHere) return `${title} (SKIPPED: no face models, see \`npm run models\`)`;
  return facesAreHere ? title : `${title} (SKIPPED: ../shared/data/faces is not here)`;
};

export interface Pair {
  one: string;
  other: string;
  isSame: boolean;
  set: string;
}

export function readPairs(): Pair[] {
  const [, ...lines] = readFileSync(join(FOLDER, 'pairs.csv'), 'utf8').trim().split(/\r?\n/);
  return lines.map((line) => {
    const [one, other, same, set] = line.split(',');
    return { one: one!, other: other!, isSame: same === '1', set: set! };
  });
}

export const readFace = (name: string): Buffer => readFileSync(join(FOLDER, name));

/** A file's name without its number. */
export const personOf = (name: string): string => name.replace(/^img\/[gc]_/, '').replace(/_\d+\.jpg$/, '');

export async function pixelsOf(bytes: Uint8Array): Promise<Picture> {
  const { data, info } = await sharp(bytes).toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export const jpegOf = ({ data, width, height }: Picture): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
