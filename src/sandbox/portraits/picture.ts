/** Reads a picture that is to become a portrait: whether it can be decoded, and how a registry's record shows it. It does not look for a face. */
import { IMAGE_BYTES_MAX, imageType } from '../../checks/inputs.ts';
import { ApiError } from '../../foundation/errors.ts';

export interface Picture {
  type: 'image/jpeg' | 'image/png' | 'image/webp';
  /** The picture as records show it. */
  shown: Buffer;
}

/** Limit on decoded size, since a small file may unfold to a large picture. Phone cameras stay below it. */
const PIXELS_MAX = 40_000_000;
/**
 * Records carry pictures of a registry's size, since results, downloads and chunks hold hundreds of them in memory. A larger picture, or one with
 * metadata, is shown as a JPEG within these sides, which takes 20 to 40 KB and has none.
 */
const SHOWN_BYTES_MAX = 64 * 1024;
const SHOWN_WIDTH = 400;
const SHOWN_HEIGHT = 500;
const SHOWN_QUALITY = 80;

/** Throws `ApiError` if the image is not a picture, broken, or too large. */
export async function readPicture(image: Buffer): Promise<Picture> {
  if (image.length === 0) throw new ApiError('invalid_image', 'The picture is empty');
  if (image.length > IMAGE_BYTES_MAX) throw tooLarge();
  const type = imageType(image);
  if (type === null) throw new ApiError('invalid_image', 'The picture must be a JPEG, PNG or WebP image');
  // Loaded with the first picture: a native library, which most processes never need.
  const { default: sharp } = await import('sharp');
  // Reads only the header. Our own limit comes first, so that an oversized picture is not reported as a broken one.
  const { width, height, exif, xmp, iptc, comments } = await decoded(sharp(image, { limitInputPixels: false }).metadata());
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
  // A phone writes the place into its pictures, and everybody who looks the number up would be shown it.
  const isBare = !(exif || xmp || iptc || comments);
  return { type, shown: image.length <= SHOWN_BYTES_MAX && isBare ? image : reduced };
}

export const tooLarge = (): ApiError => new ApiError('image_too_large', 'The picture is larger than 10 MB');

/** Any error of the decoder means that the picture is broken. */
const decoded = <T>(decoding: Promise<T>): Promise<T> =>
  decoding.catch(() => {
    throw new ApiError('invalid_image', 'The picture cannot be decoded: it is broken or incomplete');
  });
