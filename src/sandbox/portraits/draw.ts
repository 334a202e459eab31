/**
 * Small drawn pictures: a portrait in 64 and a signature in 32 variants, drawn on first use. They are valid PNG files and depict nobody: a face engine finds
 * no face in them, and each portrait bears the sandbox's mark.
 */
import { constants, crc32, deflateSync } from 'node:zlib';
import { Draw } from '../draw.ts';
import { OWN_SLOTS, type Person } from '../people.ts';

type Colour = readonly [red: number, green: number, blue: number];

interface Picture {
  width: number;
  height: number;
  /** Bits per pixel: 1 or 2. */
  depth: number;
  palette: readonly Colour[];
  /** Palette indices, row by row. */
  pixels: Uint8Array;
}

const PORTRAITS = 64;
const SIGNATURES = 32;

const SKINS: readonly Colour[] = [
  [141, 85, 54],
  [109, 64, 41],
  [88, 51, 33],
  [68, 40, 27],
];
const SHIRTS: readonly Colour[] = [
  [0, 122, 94],
  [31, 78, 140],
  [150, 40, 60],
  [224, 200, 150],
];
const BACKGROUNDS: readonly Colour[] = [
  [235, 238, 240],
  [203, 221, 233],
];
const HAIR: Colour = [24, 20, 20];
/** "SANDBOX", 28 × 5 pixels. */
const MARK = [
  'xxx xxx x  x xx  xx  xxx x x',
  'x   x x xx x x x x x x x x x',
  'xxx xxx x xx x x xx  x x  x ',
  '  x x x x  x x x x x x x x x',
  'xxx x x x  x xx  xx  xxx x x',
];
const MARK_LEFT = 2;
const MARK_TOP = 34;
const INK: Colour = [20, 36, 98];
const PAPER: Colour = [255, 255, 255];

const portraits: string[] = new Array(PORTRAITS);
const signatures: string[] = new Array(SIGNATURES);

/** Base64 of a PNG, 32 × 40. */
export function portraitOf({ gender, draw }: Person): string {
  const variant = draw.below(OWN_SLOTS + 20, PORTRAITS / 2) * 2 + (gender === 'male' ? 0 : 1);
  portraits[variant] ??= png(drawPortrait(variant)).toString('base64');
  return portraits[variant]!;
}

/** A data URI of a PNG, 96 × 32. */
export function signatureOf({ draw }: Person): string {
  const variant = draw.below(OWN_SLOTS + 21, SIGNATURES);
  signatures[variant] ??= `data:image/png;base64,${png(drawSignature(variant)).toString('base64')}`;
  return signatures[variant]!;
}

/** Bits of `variant`: 0 gender, 1-2 skin, 3-4 shirt, 5 background. */
function drawPortrait(variant: number): Picture {
  const [width, height] = [32, 40];
  const [BACKGROUND, SKIN, DARK, SHIRT] = [0, 1, 2, 3];
  const female = (variant & 1) === 1;
  const pixels = new Uint8Array(width * height);
  const inside = (x: number, y: number, cx: number, cy: number, rx: number, ry: number) =>
    ((x - cx) * ry) ** 2 + ((y - cy) * rx) ** 2 <= (rx * ry) ** 2;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let colour = BACKGROUND;
      if (inside(x, y, 15.5, female ? 15 : 12, female ? 10 : 8, female ? 13 : 9)) colour = DARK;
      if (inside(x, y, 15.5, 41, 15, 13)) colour = SHIRT;
      if (Math.abs(x - 15.5) < 3 && y > 20 && y < 30) colour = SKIN;
      if (y > 7 && inside(x, y, 15.5, 15, 7, 9)) colour = SKIN;
      if (y === 14 && (x === 12 || x === 13 || x === 18 || x === 19)) colour = DARK;
      if (y === 20 && Math.abs(x - 15.5) < 3) colour = DARK;
      // The mark, on a strip below the shoulders.
      if (y >= MARK_TOP - 1) colour = MARK[y - MARK_TOP]?.[x - MARK_LEFT] === 'x' ? DARK : BACKGROUND;
      pixels[y * width + x] = colour!;
    }
  }
  const palette = [BACKGROUNDS[(variant >> 5) & 1]!, SKINS[(variant >> 1) & 3]!, HAIR, SHIRTS[(variant >> 3) & 3]!];
  return { width, height, depth: 2, palette, pixels };
}

/** A few joined curves from left to right. Uses only products and sums, which every machine rounds alike. */
function drawSignature(variant: number): Picture {
  const [width, height, strokes, steps] = [96, 32, 5, 40];
  const draw = new Draw(variant, 0x5167);
  const pixels = new Uint8Array(width * height);
  let [x0, y0] = [6, 20];
  for (let stroke = 0; stroke < strokes; stroke++) {
    const [x1, y1] = [x0 + draw.below(stroke * 4, 14), 2 + draw.below(stroke * 4 + 1, 28)];
    const [x2, y2] = [x0 + 8 + draw.below(stroke * 4 + 2, 9), 10 + draw.below(stroke * 4 + 3, 14)];
    for (let step = 0; step <= steps; step++) {
      const t = step / steps;
      const x = Math.round((1 - t) * (1 - t) * x0 + 2 * t * (1 - t) * x1 + t * t * x2);
      const y = Math.round((1 - t) * (1 - t) * y0 + 2 * t * (1 - t) * y1 + t * t * y2);
      pixels[y * width + x] = 1;
    }
    [x0, y0] = [x2, y2];
  }
  return { width, height, depth: 1, palette: [PAPER, INK], pixels };
}

/**
 * PNG (W3C PNG specification, third edition): signature, IHDR, PLTE, IDAT, IEND. Every row uses filter 2 ("up"), which turns flat areas into zeros;
 * run-length matching alone then keeps the bytes identical in every build of zlib.
 */
function png({ width, height, depth, palette, pixels }: Picture): Buffer {
  const stride = (width * depth) / 8;
  const raw = Buffer.alloc(height * (stride + 1));
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(stride);
    for (let x = 0; x < width; x++) {
      const bit = x * depth;
      row[bit >> 3]! |= pixels[y * width + x]! << (8 - depth - (bit & 7));
    }
    raw[y * (stride + 1)] = 2;
    for (let i = 0; i < stride; i++) raw[y * (stride + 1) + 1 + i] = (row[i]! - above[i]!) & 0xff;
    above = row;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 3, 0, 0, 0], 8); // colour type 3: palette
  const data = deflateSync(raw, { level: 9, strategy: constants.Z_RLE });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
