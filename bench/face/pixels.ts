/** Photographs as pixels, and pixels as files. */
import sharp from 'sharp';
import type { Picture } from '../../src/engines/face/picture.ts';

export async function pixelsOf(bytes: Uint8Array, width?: number): Promise<Picture> {
  const { data, info } = await sharp(bytes)
    .resize({ width, kernel: 'cubic' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

export const jpegOf = ({ data, width, height }: Picture): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();

/** Without colours, as a camera's black-and-white filter or a copying machine leaves it. */
export const grayOf = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).grayscale().jpeg({ quality: 95 }).toBuffer();
