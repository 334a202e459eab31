/** Whether tests that need models or photographs can run, and pictures as arrays of pixels. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { hasPhotographs } from '../../../bench/photographs.ts';
import { defaultFolder } from '../../../src/engines/face/models.ts';
import type { Picture } from '../../../src/engines/face/picture.ts';

export const modelsAreHere = existsSync(join(defaultFolder(), 'fr_feature.onnx'));

/** For the title of a suite that needs them. */
export const skipNote = (title: string): string => {
  if (!modelsAreHere) return `${title} (SKIPPED: no face models, see \`npm run models\`)`;
  return hasPhotographs ? title : `${title} (SKIPPED: ../shared/data/faces is not here)`;
};

export async function pixelsOf(bytes: Uint8Array): Promise<Picture> {
  const { data, info } = await sharp(bytes).toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export const jpegOf = ({ data, width, height }: Picture): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
