/** A picture that is to be a portrait: whether it can be read, and how a registry's record shows it. Whether there is a face in it is not asked here. */
import sharp from 'sharp';
import { IMAGE_BYTES_MAX, imageType } from '../../checks/inputs.ts';
import { ApiError } from '../../foundation/errors.ts';

export interface Picture {
  type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** As records show it. */
  shown: Buffer;
}

/** What a decoder may unfold a small file to; a telephone's camera makes fewer. */
const PIXELS_MAX = 40_000_000;
/**
 * Records carry pictures of a registry's size: results, downloads and chunks hold hundreds of them in memory at a time. What is larger is
 * shown as a JPEG within these sides, which has 20 to 40 KB.
 */
const SHOWN_BYTES_MAX = 64 * 1024;
const SHOWN_WIDTH = 400;
const SHOWN_HEIGHT = 500;
const SHOWN_QUALITY = 80;

/** Throws `ApiError` for what is no picture, broken, or too large. */
export async function readPicture(image: Buffer): Promise<Picture> {
  if (image.length === 0) throw new ApiError('invalid_image', 'The picture is empty');
  if (image.length > IMAGE_BYTES_MAX) throw tooLarge();
  const type = imageType(image);
  if (type === null) throw new ApiError('invalid_image', 'The picture must be a JPEG, PNG or WebP image');
  // The header alone: the limit is ours, so that what exceeds it is told from what is broken.
  const { width, height } = await decoded(sharp(image, { limitInputPixels: false }).metadata());
  if (width * height > PIXELS_MAX) throw new ApiError('image_too_large', `The picture has more than ${PIXELS_MAX / 1e6} million pixels`);
  const reduced = await decoded(
    sharp(image, { failOn: 'error', limitInputPixels: PIXELS_MAX })
      .autoOrient()
      .resize({ width: SHOWN_WIDTH, height: SHOWN_HEIGHT, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: SHOWN_QUALITY })
      .toBuffer(),
  );
  return { type, shown: image.length <= SHOWN_BYTES_MAX ? image : reduced };
}

export const tooLarge = (): ApiError => new ApiError('image_too_large', 'The picture has more than 10 MB');

/** Whatever the decoder finds wrong is wrong with the picture. */
const decoded = <T>(decoding: Promise<T>): Promise<T> =>
  decoding.catch(() => {
    throw new ApiError('invalid_image', 'The picture cannot be decoded: it is broken or incomplete');
  });
