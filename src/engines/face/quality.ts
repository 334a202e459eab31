/** Measures of a usable face, and the rules by which a picture is refused. Each message says what to do. */
import type { Region } from './covered.ts';
import { area, type Face } from './detect.ts';
import { FaceRefusal, type Side } from './face.ts';
import { type Box, luma, type Picture, type Planes, sample } from './picture.ts';

/** Pixels between the sides of the face, in the picture as sent. Portraits on record are small. */
export const FACE_WIDTH_MIN: Record<Side, number> = { selfie: 80, portrait: 40 };
/**
 * A second face counts if it surely is one, is not much smaller than the first, and is more than half visible. People in the background do not count.
 */
const OTHER_SCORE_MIN = 0.8;
const OTHER_AREA_MIN = 0.4;
/** Width over height. A whole face has about 0.7. */
const OTHER_ASPECT_MIN = 0.5;
/** Of a portrait's faces, by size and place. A second print of the portrait on a document is much smaller. */
const EQUAL_MIN = 0.65;
/** Variance of the Laplacian. LFW: 52 at the 5th percentile; 12 after a Gaussian blur of 2 pixels, 3 after one of 4 (FACE.md §3). */
const SHARPNESS_MIN = 12;
/** Degrees. */
const YAW_MAX = 35;
/** Mean luma of the face. */
const BRIGHTNESS_MIN = 25;
/** Mean luma of a whole picture in which nothing is visible. */
const DARK_PICTURE = 20;

export interface Light {
  /** Mean luma, 0 to 255. */
  brightness: number;
  /** Variance of the Laplacian of the luma. */
  sharpness: number;
}

/** The main face: large, and in the middle of the picture. */
export const meantFace = (faces: readonly Face[], picture: Picture): Face | undefined =>
  faces.toSorted((one, other) => prominence(other.box, picture) - prominence(one.box, picture))[0];

export function refuseNoFace(picture: Picture, side: Side): never {
  if (meanLuma(picture) < DARK_PICTURE) throw new FaceRefusal('image_too_dark', side, `The ${side} is too dark; take it in more light`);
  throw new FaceRefusal('no_face_detected', side, `No face was found in the ${side}; show one face from the front, upright and uncovered`);
}

/** A selfie shows one person. A portrait may show others beside the main face, as long as it is clear who is meant. */
export function refuseOthers(faces: readonly Face[], picture: Picture, side: Side): void {
  if (side === 'selfie' && countFaces(faces) > 1)
    throw new FaceRefusal('multiple_faces', side, 'More than one face was found in the selfie; only one person may be in it');
  const [first, second] = [...faces.filter(({ score }) => score >= OTHER_SCORE_MIN)]
    .map(({ box }) => prominence(box, picture))
    .sort((one, other) => other - one);
  if (second !== undefined && second >= EQUAL_MIN * first!)
    throw new FaceRefusal(
      'multiple_faces',
      side,
      `Two faces in the ${side} are about equally large; cut the picture so that only the one that is meant can be seen`,
    );
}

function prominence(box: Box, picture: Picture): number {
  const x = (box.left + box.width / 2) / picture.width - 0.5;
  const y = (box.top + box.height / 2) / picture.height - 0.5;
  return area(box) * (1 - Math.hypot(x, y));
}

export function countFaces(faces: readonly Face[]): number {
  const [largest, ...others] = faces;
  if (largest === undefined) return 0;
  return (
    1 +
    others.filter(
      ({ box, score }) =>
        score >= OTHER_SCORE_MIN && area(box) >= OTHER_AREA_MIN * area(largest.box) && box.width >= OTHER_ASPECT_MIN * box.height,
    ).length
  );
}

export function refuseUnusable(box: Box, widthAsSent: number, light: Light, picture: Picture, side: Side): void {
  if (widthAsSent < FACE_WIDTH_MIN[side])
    throw new FaceRefusal(
      'face_too_small',
      side,
      `The face in the ${side} is ${Math.round(widthAsSent)} pixels wide; at least ${FACE_WIDTH_MIN[side]} are needed; come closer, or send the picture in its full size`,
    );
  if (cutOff(box, picture) > CUT_OFF_MAX)
    throw new FaceRefusal(
      'face_too_close',
      side,
      `The face in the ${side} is cut off by the edge of the picture; move back until all of it is seen`,
    );
  if (light.brightness < BRIGHTNESS_MIN)
    throw new FaceRefusal('image_too_dark', side, `The face in the ${side} is too dark; take it in more light`);
  if (light.sharpness < SHARPNESS_MIN)
    throw new FaceRefusal('image_blurry', side, `The ${side} is blurred; hold still, clean the lens and take it again`);
}

/** A selfie can be taken again. A portrait cannot, and the document's issuer has looked at it. */
export function refuseHidden(yaw: number, covered: Region | null, side: Side): void {
  if (side === 'portrait') return;
  if (Math.abs(yaw) > YAW_MAX)
    throw new FaceRefusal('face_turned_away', side, `The face in the ${side} is turned to the side; look straight into the camera`);
  if (covered === 'eyes')
    throw new FaceRefusal('eyes_covered', side, `The eyes in the ${side} are covered; take off sunglasses and whatever hides them`);
  if (covered === 'mouth')
    throw new FaceRefusal(
      'mouth_covered',
      side,
      `The lower half of the face in the ${side} is covered; take off the mask, or the hand away`,
    );
}

export function measureLight(aligned: Planes): Light {
  const gray = luma(aligned);
  const { width, height } = aligned;
  let total = 0;
  for (const value of gray) total += value;
  let sum = 0;
  let squares = 0;
  for (let y = 1; y < height - 1; y += 1)
    for (let i = y * width + 1; i < (y + 1) * width - 1; i += 1) {
      const edge = gray[i - 1]! + gray[i + 1]! + gray[i - width]! + gray[i + width]! - 4 * gray[i]!;
      sum += edge;
      squares += edge * edge;
    }
  const count = (width - 2) * (height - 2);
  return { brightness: total / gray.length, sharpness: squares / count - (sum / count) ** 2 };
}

/** Share of the face's height or width beyond the edge of the picture. */
const CUT_OFF_MAX = 0.2;

function cutOff({ left, top, width, height }: Box, picture: Picture): number {
  const across = Math.max(0, -left, left + width - picture.width) / width;
  const down = Math.max(0, -top, top + height - picture.height) / height;
  return Math.max(across, down);
}

function meanLuma(picture: Picture): number {
  const size = 32;
  const scale = { a: picture.width / size, b: 0, c: 0, d: 0, e: picture.height / size, f: 0 };
  const gray = luma(sample(picture, scale, size, size));
  return gray.reduce((sum, value) => sum + value, 0) / gray.length;
}
