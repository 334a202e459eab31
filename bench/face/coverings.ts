/**
 * Draws objects in front of faces, placed by their landmarks. The gate's weights are fitted on the development kinds only. The other kinds are held out, and
 * objects that cover nothing count as bare faces.
 */
import sharp from 'sharp';
import type { Point } from '../../src/engines/face/picture.ts';
import { between, oneOf, type Random } from './scene.ts';

export type Covers = 'nothing' | 'eyes' | 'mouth';

export interface Covering {
  name: string;
  covers: Covers;
  half: 'development' | 'held out';
  draw(face: Places, random: Random): string;
}

/** Of a face, in pixels of its picture. */
interface Places {
  left: Point;
  right: Point;
  /** Between the eyes, and its distance to the chin. */
  bridge: Point;
  nose: Point;
  mouth: Point;
  chin: Point;
  jaw: Point[];
  /** Between the eyes. */
  eyes: number;
  degrees: number;
}

const middle = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

function placesOf(points: readonly Point[]): Places {
  const left = middle(points.slice(36, 42));
  const right = middle(points.slice(42, 48));
  return {
    left,
    right,
    bridge: points[28]!,
    nose: points[30]!,
    mouth: middle(points.slice(48, 68)),
    chin: points[8]!,
    jaw: points.slice(0, 17),
    eyes: Math.hypot(right.x - left.x, right.y - left.y),
    degrees: (Math.atan2(right.y - left.y, right.x - left.x) * 180) / Math.PI,
  };
}

const at = (point: Point, degrees: number, inside: string): string =>
  `<g transform="translate(${point.x} ${point.y}) rotate(${degrees})">${inside}</g>`;

/** Two lenses, the bridge and the temples. `size` in distances of the eyes. */
function glasses({ left, right, eyes, degrees }: Places, lens: string, rim: string, size: { x: number; y: number }, round: number): string {
  const [w, h] = [size.x * eyes, size.y * eyes];
  const one = `<rect x="${-w / 2}" y="${-h * 0.48}" width="${w}" height="${h}" rx="${(round * h) / 2}" ${lens} ${rim}/>`;
  const between = middle([left, right]);
  const bridge = `<path d="M${-0.12 * eyes} ${-0.06 * eyes} H${0.12 * eyes} M${-0.5 * eyes - w / 2} ${-0.1 * eyes} H${-0.95 * eyes} M${0.5 * eyes + w / 2} ${-0.1 * eyes} H${0.95 * eyes}" ${rim} fill="none"/>`;
  return at(left, degrees, one) + at(right, degrees, one) + at(between, degrees, bridge);
}

const rimOf = (colour: string, eyes: number, thickness: number): string => `stroke="${colour}" stroke-width="${thickness * eyes}"`;
const gray = (random: Random, low: number, high: number): string => {
  const level = Math.round(between(random, low, high));
  return `rgb(${level},${level},${level})`;
};

/** From the middle of the nose along the jaw. */
function mask({ jaw, nose, bridge }: Places, fill: string, random: Random): string {
  const share = between(random, 0.25, 0.75);
  const top = { x: nose.x + (bridge.x - nose.x) * share, y: nose.y + (bridge.y - nose.y) * share };
  const edge = jaw.slice(2, 15);
  const path = edge.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  return `<path d="${path} Q${(edge.at(-1)!.x + top.x) / 2} ${top.y} ${top.x} ${top.y} Q${(edge[0]!.x + top.x) / 2} ${top.y} ${edge[0]!.x} ${edge[0]!.y} Z" ${fill}/>`;
}

const SKIN = ['#e0b49b', '#c4967d', '#8d5d46', '#5c3c2d', '#3f2a20'];

/** A flat rectangle before the face. `box`: from the point, in distances between the eyes. */
const sheet = (
  { eyes, degrees }: Places,
  point: Point,
  box: { x: number; y: number; width: number; height: number },
  fill: string,
): string =>
  at(
    point,
    degrees,
    `<rect x="${box.x * eyes}" y="${box.y * eyes}" width="${box.width * eyes}" height="${box.height * eyes}" fill="${fill}"/>`,
  );

const fingers = (point: Point, degrees: number, eyes: number, skin: string, rows: number): string =>
  at(
    point,
    degrees,
    Array.from(
      { length: rows },
      (_, i) =>
        `<rect x="${-1.25 * eyes}" y="${(i - rows / 2) * 0.34 * eyes}" width="${2.3 * eyes}" height="${0.33 * eyes}" rx="${0.16 * eyes}" fill="${skin}" stroke="rgba(60,30,20,0.45)" stroke-width="${0.02 * eyes}"/>`,
    ).join(''),
  );

export const COVERINGS: readonly Covering[] = [
  { name: 'nothing', covers: 'nothing', half: 'development', draw: () => '' },
  {
    name: 'clear glasses',
    covers: 'nothing',
    half: 'development',
    draw: (face, random) =>
      glasses(
        face,
        'fill="rgba(255,255,255,0.08)"',
        rimOf(gray(random, 0, 120), face.eyes, between(random, 0.03, 0.09)),
        { x: between(random, 0.7, 0.9), y: between(random, 0.42, 0.7) },
        random(),
      ),
  },
  {
    name: 'beard',
    covers: 'nothing',
    half: 'development',
    draw: (face, random) => {
      const hair = face.jaw.slice(2, 15).map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`);
      const { mouth, eyes } = face;
      return `<path d="${hair.join(' ')} L${mouth.x + 0.55 * eyes} ${mouth.y - 0.3 * eyes} Q${mouth.x + 0.5 * eyes} ${mouth.y + 0.35 * eyes} ${mouth.x} ${mouth.y + 0.33 * eyes} Q${mouth.x - 0.5 * eyes} ${mouth.y + 0.35 * eyes} ${mouth.x - 0.55 * eyes} ${mouth.y - 0.3 * eyes} Z" fill="rgba(25,18,14,${between(random, 0.3, 0.85)})"/>`;
    },
  },
  {
    name: 'black sunglasses',
    covers: 'eyes',
    half: 'development',
    draw: (face, random) =>
      glasses(
        face,
        `fill="${gray(random, 0, 45)}"`,
        rimOf(gray(random, 0, 60), face.eyes, 0.06),
        { x: between(random, 0.78, 0.98), y: between(random, 0.5, 0.8) },
        random(),
      ),
  },
  {
    name: 'tinted sunglasses',
    covers: 'eyes',
    half: 'development',
    draw: (face, random) =>
      glasses(
        face,
        `fill="${oneOf(random, ['#3b2a1a', '#1f2c22', '#26303d', '#4a3320'])}" fill-opacity="${between(random, 0.88, 1)}"`,
        rimOf(oneOf(random, ['#111', '#8a6a2a', '#777']), face.eyes, 0.04),
        { x: between(random, 0.8, 1), y: between(random, 0.55, 0.85) },
        between(random, 0.4, 1),
      ),
  },
  {
    name: 'bar over the eyes',
    covers: 'eyes',
    half: 'development',
    draw: (face, random) => sheet(face, middle([face.left, face.right]), { x: -1, y: -0.3, width: 2, height: 0.6 }, gray(random, 0, 255)),
  },
  {
    name: 'surgical mask',
    covers: 'mouth',
    half: 'development',
    draw: (face, random) => mask(face, `fill="${oneOf(random, ['#a9cfe0', '#8fb9cc', '#bcd8d0', '#dfe7ea'])}"`, random),
  },
  {
    name: 'black mask',
    covers: 'mouth',
    half: 'development',
    draw: (face, random) => mask(face, `fill="${gray(random, 8, 60)}"`, random),
  },
  {
    name: 'sheet before the lower half',
    covers: 'mouth',
    half: 'development',
    draw: (face, random) =>
      sheet(
        face,
        middle([face.nose, face.chin]),
        { x: -1.3, y: -0.55, width: 2.6, height: 1.6 },
        `hsl(${Math.floor(random() * 360)},${Math.floor(random() * 60)}%,${Math.floor(between(random, 20, 90))}%)`,
      ),
  },
  {
    name: 'hand over the mouth',
    covers: 'mouth',
    half: 'development',
    draw: ({ mouth, eyes, degrees }, random) => fingers(mouth, degrees + between(random, -20, 20), eyes, oneOf(random, SKIN), 4),
  },
  {
    name: 'rimless clear glasses, gold',
    covers: 'nothing',
    half: 'held out',
    draw: (face) => glasses(face, 'fill="rgba(255,240,200,0.05)"', rimOf('#b08d3c', face.eyes, 0.02), { x: 0.75, y: 0.5 }, 0.7),
  },
  {
    name: 'mirrored sunglasses',
    covers: 'eyes',
    half: 'held out',
    draw: (face, random) =>
      `<defs><linearGradient id="m" x2="0" y2="1"><stop stop-color="${oneOf(random, ['#7fa8d8', '#e0a050', '#9ad0b0'])}"/><stop offset="1" stop-color="#2a2c33"/></linearGradient></defs>${glasses(face, 'fill="url(#m)"', rimOf('#222', face.eyes, 0.05), { x: between(random, 0.8, 1), y: between(random, 0.55, 0.8) }, 0.8)}`,
  },
  {
    name: 'wide sunglasses, fading downwards',
    covers: 'eyes',
    half: 'held out',
    draw: (face, random) =>
      `<defs><linearGradient id="f" x2="0" y2="1"><stop stop-color="#15100c"/><stop offset="1" stop-color="#6b5440"/></linearGradient></defs>${glasses(face, 'fill="url(#f)"', rimOf('#2b1a10', face.eyes, 0.08), { x: 1, y: between(random, 0.75, 0.95) }, 0.6)}`,
  },
  {
    name: 'hand over the eyes',
    covers: 'eyes',
    half: 'held out',
    draw: ({ left, right, eyes, degrees }, random) =>
      fingers(middle([left, right]), degrees + between(random, -15, 15), eyes, oneOf(random, SKIN), 2),
  },
  {
    name: 'patterned scarf',
    covers: 'mouth',
    half: 'held out',
    draw: (face, random) =>
      `<defs><pattern id="s" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(${random() * 90})"><rect width="9" height="9" fill="${oneOf(random, ['#7a1f2b', '#1f4d3a', '#c9a227'])}"/><circle cx="4" cy="4" r="2.4" fill="${oneOf(random, ['#f0e0c0', '#203060', '#111'])}"/></pattern></defs>${mask(face, 'fill="url(#s)"', random)}`,
  },
  {
    name: 'white respirator',
    covers: 'mouth',
    half: 'held out',
    draw: (face, random) =>
      `<defs><radialGradient id="r"><stop stop-color="#fbfbf8"/><stop offset="1" stop-color="#b9b9b2"/></radialGradient></defs>${mask(face, 'fill="url(#r)"', random)}`,
  },
  {
    name: 'telephone before the mouth',
    covers: 'mouth',
    half: 'held out',
    draw: ({ mouth, eyes, degrees }, random) =>
      at(
        mouth,
        degrees + between(random, -10, 10),
        `<rect x="${-0.75 * eyes}" y="${-0.5 * eyes}" width="${1.5 * eyes}" height="${2.2 * eyes}" rx="${0.12 * eyes}" fill="${gray(random, 10, 50)}"/><circle cx="${-0.5 * eyes}" cy="${-0.3 * eyes}" r="${0.1 * eyes}" fill="#333"/>`,
      ),
  },
];

/** `points`: the 68 landmarks in pixels of the picture. */
export async function cover(picture: Buffer, points: readonly Point[], covering: Covering, random: Random): Promise<Buffer> {
  const drawn = covering.draw(placesOf(points), random);
  if (drawn === '') return picture;
  const { width, height } = await sharp(picture).metadata();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawn}</svg>`;
  return sharp(picture)
    .toColourspace('srgb')
    .composite([{ input: await sharp(Buffer.from(svg)).blur(0.6).png().toBuffer() }])
    .jpeg({ quality: 92 })
    .toBuffer();
}
