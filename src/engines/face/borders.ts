/**
 * Borders that were added to a finished picture: bars of one colour, edge pixels repeated, or the edge mirrored. They are cut away before anything is
 * judged: they hide how near the face is, and made three times as many recaptures pass as live (docs/biometrics.md).
 */
import type { Box, Picture } from './picture.ts';

/** Pixels of a line that are compared, and at a first glance. */
const SAMPLES = 128;
const FEW_SAMPLES = 16;
/** Mean difference of two lines, in levels of 255, up to which they are the same. JPEG makes equal blocks of equal lines; no camera records equal lines. */
const SAME_MAX = 0.5;
/** Side of JPEG's blocks of brightness. */
const BLOCK = 8;
/** Limit for mirrored lines, which fall into different JPEG blocks. */
const MIRRORED_MAX = 5;
/** Lines of a mirrored border must differ from each other this many times as much as from their images. */
const MIRRORED_DETAIL_MIN = 3;
/** Share of the side. */
const BORDER_MIN = 0.04;
const BORDER_MAX = 0.45;
/** Least share that must remain: a blank picture is not a border. */
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

/** The picture without added borders; the whole of it if there are none. `isJpeg`: in the pixels of such a file. */
export function contentOf(picture: Picture, isJpeg: boolean): Box {
  const content = { left: 0, top: 0, width: picture.width, height: picture.height };
  const memory = memoryFor(picture);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = { ...content };
    const top = borderOf(picture, linesFrom('top', picture, content), isJpeg, memory);
    content.top += top;
    content.height -= top;
    content.height -= borderOf(picture, linesFrom('bottom', picture, content), isJpeg, memory);
    const left = borderOf(picture, linesFrom('left', picture, content), isJpeg, memory);
    content.left += left;
    content.width -= left;
    content.width -= borderOf(picture, linesFrom('right', picture, content), isJpeg, memory);
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

function borderOf({ data }: Picture, lines: Lines, isJpeg: boolean, memory: Memory): number {
  const closely = new SampledLines(data, lines, SAMPLES, memory.closely);
  const least = Math.max(3, Math.round(BORDER_MIN * lines.count));
  const most = Math.floor(BORDER_MAX * lines.count);
  let equal = 1;
  while (equal < lines.count && closely.difference(0, equal) <= (isJpeg ? SAME_MAX : 0)) equal += 1;
  if (equal < least) return mirroredLines(least, most, closely, new SampledLines(data, lines, FEW_SAMPLES, memory.atFirst));
  if (equal > most) return 0;
  // A block of JPEG holds some of the border and some of the picture.
  if (isJpeg) return equal + BLOCK;
  // The last of equal lines is the picture's own, unless they are a bar.
  return detailOf(data, lines) === 0 ? equal : equal - 1;
}

/** The border that mirrors what follows it best; the line at the axis is repeated or not. */
function mirroredLines(least: number, most: number, closely: SampledLines, atFirst: SampledLines): number {
  let best = { border: 0, difference: Number.POSITIVE_INFINITY };
  for (let border = most; border >= least; border -= 1)
    for (const shared of [0, 1]) {
      if (!isLikely(border, shared, atFirst)) continue;
      const difference = mirroredDifference(border, shared, best.difference, closely);
      if (difference === null) continue;
      let detail = 0;
      for (let i = border; i > 0; i -= 1) detail += closely.difference(border - i, border - 1);
      if (detail >= Math.max(border, MIRRORED_DETAIL_MIN * difference * border)) best = { border, difference };
    }
  return best.border;
}

/** Mean difference of a border's lines from their images; null: not below `most`, or one of them is not an image. */
function mirroredDifference(border: number, shared: number, most: number, lines: SampledLines): number | null {
  let sum = 0;
  for (let i = border; i > 0; i -= 1) {
    const difference = lines.difference(border - i, border - 1 + i + shared);
    sum += difference;
    if (difference > MIRRORED_MAX || sum / border >= most) return null;
  }
  return sum / border;
}

/** A first glance, at few pixels: the lines farthest from the axis are each other's images, and differ from the axis. */
function isLikely(border: number, shared: number, lines: SampledLines): boolean {
  const last = 2 * border - 1 + shared;
  return (
    lines.difference(0, last) <= MIRRORED_MAX &&
    lines.difference(border >> 2, last - (border >> 2)) <= MIRRORED_MAX &&
    lines.difference(border >> 1, last - (border >> 1)) <= MIRRORED_MAX &&
    lines.difference(0, border - 1) >= 1
  );
}

/** Greatest difference along the outermost line. */
function detailOf(data: Uint8Array, { offset, along, length }: Lines): number {
  let most = 0;
  for (let i = 0; i < length; i += 1)
    for (let c = 0; c < 3; c += 1) most = Math.max(most, Math.abs(data[offset + i * along + c]! - data[offset + c]!));
  return most;
}

/** Room for the lumas of all lines, whichever edge they begin at. One edge after the other uses it. */
interface Memory {
  closely: Int32Array;
  atFirst: Int32Array;
}

function memoryFor({ width, height }: Picture): Memory {
  const longest = Math.max(width, height);
  // A line has fewer than twice as many samples as were asked for.
  return { closely: new Int32Array(longest * 2 * SAMPLES), atFirst: new Int32Array(longest * 2 * FEW_SAMPLES) };
}

/** Lumas of some pixels of each line. They are read once, because a line is compared with many others. */
class SampledLines {
  private readonly data: Uint8Array;
  private readonly lines: Lines;
  /** From one sample to the next along a line. */
  private readonly step: number;
  private readonly samples: number;
  /** Thousandths of levels, line by line. */
  private readonly lumas: Int32Array;
  private readonly isRead: Uint8Array;

  constructor(data: Uint8Array, lines: Lines, samples: number, memory: Int32Array) {
    this.data = data;
    this.lines = lines;
    this.step = Math.max(1, Math.floor(lines.length / samples));
    this.samples = Math.ceil(lines.length / this.step);
    this.lumas = memory;
    this.isRead = new Uint8Array(lines.count);
  }

  /** Mean difference of two lines, in levels of 255. */
  difference(one: number, other: number): number {
    const { lumas, samples } = this;
    let [i, j] = [this.startOf(one), this.startOf(other)];
    let sum = 0;
    for (const end = i + samples; i < end; i += 1, j += 1) sum += Math.abs(lumas[i]! - lumas[j]!);
    return sum / (1000 * samples);
  }

  private startOf(line: number): number {
    const start = line * this.samples;
    if (this.isRead[line] === 0) this.readLine(line, start);
    return start;
  }

  private readLine(line: number, start: number): void {
    const { data, lumas } = this;
    const { offset, inwards, along } = this.lines;
    const step = this.step * along;
    // ITU-R BT.601. JPEG's blocks of colours are larger than those of luma, and smoothed.
    for (let i = start, p = offset + line * inwards, end = start + this.samples; i < end; i += 1, p += step)
      lumas[i] = 299 * data[p]! + 587 * data[p + 1]! + 114 * data[p + 2]!;
    this.isRead[line] = 1;
  }
}
