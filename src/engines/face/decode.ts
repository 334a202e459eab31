/**
 * Turns submitted bytes into pixels. The decoder only gets JPEG, PNG and WebP of a bounded size. Other formats that libvips can read (SVG, GIF, TIFF,
 * PDF …) are refused by their first bytes.
 */
import sharp, { type Metadata } from 'sharp';
import { contentOf } from './borders.ts';
import { FaceRefusal, type Side } from './face.ts';
import { type Box, cropped, type Picture, type QuarterTurns, turned, turnedBox } from './picture.ts';

export interface Decoded {
  picture: Picture;
  /** Pixels of the file for each pixel of `picture`. */
  scale: number;
  /** The part of the file that is the picture, without added borders: pixels after its EXIF orientation is applied, before `turn`. */
  file: Box;
  /** How `picture` has been turned since. */
  turn: QuarterTurns;
}

export const BYTES_MAX = 10 * 1024 * 1024;
/** A full frame of a 40-megapixel phone. Decoding it takes 160 ms (FACE.md §5). */
const PIXELS_MAX = 40_000_000;
/** Longest side that is processed unscaled: shrinking it would take longer than decoding it. */
const AS_IT_IS_MAX = 1024;
/**
 * Longest side after a larger picture is shrunk. A face that fills a third of it still has twice the pixels that any net uses, and JPEG decodes at a
 * fraction of its size.
 */
const SIDE_MAX = 640;
const SECONDS_MAX = 5;
/** First byte. */
const JPEG = 0xff;

// Nothing is decoded twice, and each thread of the pool already uses one core.
sharp.cache(false);
sharp.concurrency(1);

export async function decode(bytes: Uint8Array, side: Side): Promise<Decoded> {
  if (bytes.length > BYTES_MAX) throw new FaceRefusal('image_too_large', side, `The ${side} is larger than 10 MB; send a smaller file`);
  refuseOtherFormats(bytes, side);
  const file = await readSize(bytes, side);
  if (file.width * file.height > PIXELS_MAX)
    throw new FaceRefusal('image_too_large', side, `The ${side} has more than 40 megapixels; send a smaller picture`);
  const { picture, scale } = await readScaled(bytes, side, file, null);
  const content = contentOf(picture, scale === 1 && bytes[0] === JPEG);
  if (content.width === picture.width && content.height === picture.height)
    return { picture, scale, file: { left: 0, top: 0, ...file }, turn: 0 };
  if (scale === 1) return { picture: cropped(picture, content), scale, file: content, turn: 0 };
  // Of a picture that was made smaller, the outermost pixels still hold some of the border.
  const inside = { left: content.left + 1, top: content.top + 1, width: content.width - 2, height: content.height - 2 };
  const part = wholePixels(inside, scale, file);
  return { ...(await readPart(bytes, side, part)), file: part, turn: 0 };
}

/** The same picture, turned clockwise from its orientation in the file. */
export const turnTo = (decoded: Decoded, turn: QuarterTurns): Decoded => ({ ...decoded, picture: turned(decoded.picture, turn), turn });

/**
 * Decodes a part of a file that has passed `decode`, given in pixels of `whole.picture`. A small face keeps the detail that the whole picture lost.
 */
export async function decodePart(
  bytes: Uint8Array,
  side: Side,
  { picture, file, scale, turn }: Decoded,
  box: Box,
): Promise<Pick<Decoded, 'picture' | 'scale'>> {
  const asFiled = wholePixels(turnedBox(box, ((4 - turn) % 4) as QuarterTurns, picture), scale, file);
  const part = await readPart(bytes, side, { ...asFiled, left: file.left + asFiled.left, top: file.top + asFiled.top });
  return { ...part, picture: turned(part.picture, turn) };
}

/** The same picture, its longer side of at most `longest` pixels, as it lies in the file. */
export async function decodeAt(bytes: Uint8Array, side: Side, { file }: Decoded, longest: number): Promise<Picture> {
  return read(bytes, side, file, Math.min(longest, Math.max(file.width, file.height)));
}

/** A box of a picture in pixels of its file, within it: the shorter side of the picture is rounded. */
function wholePixels(box: Box, scale: number, file: { width: number; height: number }): Box {
  const left = Math.min(Math.floor(box.left * scale), file.width - 1);
  const top = Math.min(Math.floor(box.top * scale), file.height - 1);
  const width = Math.min(Math.max(1, Math.floor(box.width * scale)), file.width - left);
  const height = Math.min(Math.max(1, Math.floor(box.height * scale)), file.height - top);
  return { left, top, width, height };
}

const readPart = (bytes: Uint8Array, side: Side, part: Box) => readScaled(bytes, side, part, part);

/** `size`: of the part, or of the whole file if `part` is null. */
async function readScaled(
  bytes: Uint8Array,
  side: Side,
  size: Pick<Box, 'width' | 'height'>,
  part: Box | null,
): Promise<Pick<Decoded, 'picture' | 'scale'>> {
  const longest = Math.max(size.width, size.height);
  const picture = await read(bytes, side, part, longest <= AS_IT_IS_MAX ? longest : SIDE_MAX);
  return { picture, scale: longest / Math.max(picture.width, picture.height) };
}

async function read(bytes: Uint8Array, side: Side, part: Box | null, longest: number): Promise<Picture> {
  try {
    const upright = sharp(bytes, { failOn: 'error', limitInputPixels: PIXELS_MAX, autoOrient: true }).timeout({ seconds: SECONDS_MAX });
    const { data, info } = await (part === null ? upright : upright.extract(part))
      .resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: 'white' })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  } catch {
    throw unreadable(side);
  }
}

/** Goes by the bytes; the declared type of a `data:` URI or form field counts for nothing. */
function refuseOtherFormats(bytes: Uint8Array, side: Side): void {
  const start = Buffer.from(bytes.subarray(0, 32)).toString('latin1');
  const isWebp = /^RIFF.{4}WEBP/s.test(start);
  if (!start.startsWith('\xff\xd8\xff') && !start.startsWith('\x89PNG\r\n\x1a\n') && !isWebp)
    throw new FaceRefusal('invalid_image', side, `The ${side} must be a JPEG, PNG or WebP picture${isHeic(start) ? ', not HEIC' : ''}`);
  // Extended header, animation flag: WebP Container Specification, "Extended File Format".
  if (isWebp && start.slice(12, 16) === 'VP8X' && (bytes[20]! & 0x02) !== 0)
    throw new FaceRefusal('invalid_image', side, `The ${side} is an animated WebP; send a single picture`);
}

/** The default format of iPhones, so the message names it. ISO/IEC 23008-12, brands. */
const isHeic = (start: string): boolean => /^.{4}ftyp(?:heic|heix|hevc|hevx|heim|heis|mif1|msf1)/s.test(start);

/** Reads only the header, whatever size it states. Applies the EXIF orientation. */
async function readSize(bytes: Uint8Array, side: Side): Promise<Metadata['autoOrient']> {
  try {
    return (await sharp(bytes, { failOn: 'error', limitInputPixels: false }).metadata()).autoOrient;
  } catch {
    throw unreadable(side);
  }
}

const unreadable = (side: Side): FaceRefusal =>
  new FaceRefusal('invalid_image', side, `The ${side} is damaged or incomplete; send it again`);
