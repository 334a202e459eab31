/**
 * Borders that were added to a finished picture: bars of one colour, edge pixels repeated, or the edge mirrored. They are cut away before anything is
 * judged: they hide how near the face is, and made three times as many recaptures pass as live (docs/biometrics.md).
 */
import type { Box, Picture } from './picture.ts';

/** Pixels of a line that are compared, and at a first glance. */
const SAMPLES = 128;
const FEW_SAMPLES = 16;
/** Mean difference of two lines, in levels of 255, up to which they are the same. JPEG makes equal blocks of equal lines; no camera takes any. */
const SAME_MAX = 0.5;
/** Side of JPEG's blocks of brightness. */
const BLOCK = 8;
/** Mirrored lines fall into different blocks of JPEG. */
const MIRRORED_MAX = 5;
/** Lines of a mirrored border differ from each other so many times as much as from their images. */
const MIRRORED_DETAIL_MIN = 3;
/** Share of the side. */
const BORDER_MIN = 0.04;
const BORDER_MAX = 0.45;
/** Of what remains: a picture of nothing is no border. */
const CONTENT_MIN = 0.25;
/** Borders within borders. */
const ROUNDS = 3;

/** Lines from one edge inwards: `offset` of the first, and the steps to the next line and along a line, in bytes. */
interface Lines {
  offset: number;
  inwards: number;
  along: number;
  count: number;
  length: number;
}

/** Mean difference of two lines, in levels of 255. */
type Differ = (one: number, other: number, samples?: number) => number;

/** The picture without added borders; the whole of it if there are none. `isJpeg`: in the pixels of such a file. */
export function contentOf(picture: Picture, isJpeg: boolean): Box {
  const content = { left: 0, top: 0, width: picture.width, height: picture.height };
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = { ...content };
    const top = borderOf(picture, linesFrom('top', picture, content), isJpeg);
    content.top += top;
    content.height -= top;
    content.height -= borderOf(picture, linesFrom('bottom', picture, content), isJpeg);
    const left = borderOf(picture, linesFrom('left', picture, content), isJpeg);
    content.left += left;
    content.width -= left;
    content.width -= borderOf(picture, linesFrom('right', picture, content), isJpeg);
    if (content.width === before.width && content.height === before.height) break;
  }
  const isEnough = content.width >= CONTENT_MIN * picture.width && content.height >= CONTENT_MIN * picture.height;
  return isEnough ? content : { left: 0, top: 0, width: picture.width, height: picture.height };
}

function linesFrom(edge: 'top' | 'bottom' | 'left' | 'right', picture: Picture, { left, top, width, height }: Box): Lines {
  const row = 3 * picture.width;
  const first = top * row + 3 * left;
  if (edge === 'top') return { offset: first, inwards: row, along: 3, count: height, length: width };
  if (edge === 'bottom') return { offset: first + (height - 1) * row, inwards: -row, along: 3, count: height, length: width };
  if (edge === 'left') return { offset: first, inwards: 3, along: row, count: width, length: height };
  return { offset: first + 3 * (width - 1), inwards: -3, along: row, count: width, length: height };
}

function borderOf({ data }: Picture, lines: Lines, isJpeg: boolean): number {
  const differ: Differ = (one, other, samples) => difference(data, lines, one, other, samples);
  const least = Math.max(3, Math.round(BORDER_MIN * lines.count));
  const most = Math.floor(BORDER_MAX * lines.count);
  let equal = 1;
  while (equal < lines.count && differ(0, equal) <= (isJpeg ? SAME_MAX : 0)) equal += 1;
  if (equal < least) return mirroredLines(least, most, differ);
  if (equal > most) return 0;
  // A block of JPEG holds some of the border and some of the picture.
  if (isJpeg) return equal + BLOCK;
  // The last of equal lines is the picture's own, unless they are a bar.
  return detailOf(data, lines) === 0 ? equal : equal - 1;
}

/** The border that mirrors what follows it best; the line at the axis is repeated or not. */
function mirroredLines(least: number, most: number, differ: Differ): number {
  let best = { border: 0, difference: Number.POSITIVE_INFINITY };
  for (let border = most; border >= least; border -= 1)
    for (const shared of [0, 1]) {
      if (!isLikely(border, shared, differ)) continue;
      let [detail, sum, i] = [0, 0, border];
      for (; i > 0; i -= 1) {
        const difference = differ(border - i, border - 1 + i + shared);
        if (difference > MIRRORED_MAX) break;
        sum += difference;
        detail += differ(border - i, border - 1);
      }
      if (i === 0 && detail >= Math.max(border, MIRRORED_DETAIL_MIN * sum) && sum / border < best.difference)
        best = { border, difference: sum / border };
    }
  return best.border;
}

/** A first glance, at few pixels: the lines farthest from the axis are each other's images, and differ from the axis. */
const isLikely = (border: number, shared: number, differ: Differ): boolean =>
  [0, border >> 2, border >> 1].every((i) => differ(i, 2 * border - 1 + shared - i, FEW_SAMPLES) <= MIRRORED_MAX) &&
  differ(0, border - 1, FEW_SAMPLES) >= 1;

/** Greatest difference along the outermost line. */
function detailOf(data: Uint8Array, { offset, along, length }: Lines): number {
  let most = 0;
  for (let i = 0; i < length; i += 1)
    for (let c = 0; c < 3; c += 1) most = Math.max(most, Math.abs(data[offset + i * along + c]! - data[offset + c]!));
  return most;
}

function difference(data: Uint8Array, { offset, inwards, along, length }: Lines, one: number, other: number, samples = SAMPLES): number {
  const step = Math.max(1, Math.floor(length / samples));
  const [a, b] = [offset + one * inwards, offset + other * inwards];
  let sum = 0;
  let count = 0;
  for (let i = 0; i < length; i += step) {
    const p = i * along;
    sum += Math.abs(lumaAt(data, a + p) - lumaAt(data, b + p));
    count += 1;
  }
  return sum / count;
}

/** JPEG's blocks of colours are larger, and smoothed. */
const lumaAt = (data: Uint8Array, p: number): number => 0.299 * data[p]! + 0.587 * data[p + 1]! + 0.114 * data[p + 2]!;
