/** Whatever bytes are sent as a picture, the result is upright 8-bit RGB or a refusal that says what to do. */
import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { BYTES_MAX, decode, decodePart, turnTo } from '../../../src/engines/face/decode.ts';
import type { FaceRefusal } from '../../../src/engines/face/face.ts';
import type { Picture, QuarterTurns } from '../../../src/engines/face/picture.ts';

const RED = [220, 30, 30];
const BLUE = [30, 30, 220];
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300" fill="red"/></svg>';

/** Red above, blue below: 120 wide, 200 high. */
const flag = (channels: 3 | 4 = 3): Sharp => {
  const half = (colour: number[]) => ({ create: { width: 120, height: 100, channels: 3 as const, background: rgb(colour) } });
  const base = sharp({ create: { width: 120, height: 200, channels, background: rgb(BLUE) } });
  return base.composite([{ input: half(RED), top: 0, left: 0 }]);
};
const rgb = ([r, g, b]: number[]) => ({ r: r!, g: g!, b: b! });

const colourAt = ({ data, width }: Picture, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
];

const close = (colour: number[], expected: number[], by = 12): boolean => colour.every((value, c) => Math.abs(value - expected[c]!) <= by);

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A 1-bit PNG that declares the given size. */
function bomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const rows = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

async function refusal(bytes: Uint8Array): Promise<FaceRefusal> {
  const began = performance.now();
  const error = await decode(bytes, 'selfie').then(
    () => null,
    (thrown: FaceRefusal) => thrown,
  );
  expect(error?.name).toBe('FaceRefusal');
  expect(error!.side).toBe('selfie');
  expect(performance.now() - began).toBeLessThan(2_000);
  return error!;
}

describe('decoding', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('%s becomes 8-bit RGB', async (format) => {
    const { picture, scale } = await decode(await flag().toFormat(format, { lossless: true }).toBuffer(), 'selfie');
    expect([picture.width, picture.height, picture.data.length, scale]).toEqual([120, 200, 120 * 200 * 3, 1]);
    expect(close(colourAt(picture, 60, 20), RED)).toBe(true);
    expect(close(colourAt(picture, 60, 180), BLUE)).toBe(true);
  });

  it.each([
    [
      'gray',
      async () =>
        sharp(await flag().png().toBuffer())
          .toColourspace('b-w')
          .png(),
    ],
    ['sixteen bits', async () => flag().toColourspace('rgb16').png()],
    ['CMYK', async () => flag().toColourspace('cmyk').jpeg()],
    ['a palette', async () => flag().png({ palette: true })],
    ['progressive', async () => flag().jpeg({ progressive: true })],
  ])('%s also has three channels of eight bits', async (name, make) => {
    const { picture } = await decode(await (await make()).toBuffer(), 'portrait');
    expect(picture.data.length).toBe(picture.width * picture.height * 3);
    const colour = colourAt(picture, 60, 20);
    if (name === 'gray') expect(Math.max(...colour) - Math.min(...colour)).toBeLessThanOrEqual(1);
    else expect(close(colour, RED, 60)).toBe(true);
  });

  it('transparent pixels become white', async () => {
    const clear = sharp({ create: { width: 100, height: 100, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
    expect(colourAt((await decode(await clear.png().toBuffer(), 'portrait')).picture, 50, 50)).toEqual([255, 255, 255]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('EXIF orientation %i is undone', async (orientation) => {
    // What a camera held that way would store: the upright picture turned the other way, then mirrored.
    const turned = [0, 0, 180, 180, 90, 270, 270, 90][orientation - 1]!;
    const mirrored = [2, 4, 5, 7].includes(orientation);
    const rotated = await sharp(await flag().png().toBuffer())
      .rotate(turned)
      .png()
      .toBuffer();
    const stored = await sharp(rotated).flop(mirrored).png().toBuffer();
    const { picture } = await decode(await sharp(stored).withMetadata({ orientation }).jpeg().toBuffer(), 'selfie');
    expect([picture.width, picture.height]).toEqual([120, 200]);
    expect(close(colourAt(picture, 60, 20), RED)).toBe(true);
    expect(close(colourAt(picture, 60, 180), BLUE)).toBe(true);
  });

  it('a large photograph is reduced for the work, and reports by how much', async () => {
    const large = await sharp({ create: { width: 3000, height: 4000, channels: 3, background: rgb(RED) } })
      .jpeg()
      .toBuffer();
    const whole = await decode(large, 'selfie');
    expect([whole.picture.width, whole.picture.height, whole.scale]).toEqual([480, 640, 6.25]);
    const part = await decodePart(large, 'selfie', whole, { left: 160.1, top: 80, width: 96.1, height: 96 });
    expect([part.picture.width, part.picture.height, part.scale]).toEqual([600, 600, 1]);
  });

  it('a part at the edge is read, even though rounding put the smaller picture beyond it', async () => {
    const large = await sharp({ create: { width: 4000, height: 2999, channels: 3, background: rgb(RED) } })
      .jpeg()
      .toBuffer();
    const whole = await decode(large, 'selfie');
    const { picture } = await decodePart(large, 'selfie', whole, { left: 0, top: 180, width: 160, height: 300 });
    expect([picture.width, picture.height]).toEqual([342, 640]);
  });

  it.each<[QuarterTurns, number[], number[]]>([
    [1, [0.95, 0.05], [0.05, 0.05]],
    [2, [0.5, 0.95], [0.5, 0.05]],
    [3, [0.05, 0.95], [0.95, 0.95]],
  ])('turned by %i quarters, a part is cut out of the file in the right place', async (turn, red, blue) => {
    const large = await sharp(await flag().png().toBuffer())
      .resize(1_500, 2_500, { fit: 'fill', kernel: 'nearest' })
      .png()
      .toBuffer();
    const whole = turnTo(await decode(large, 'selfie'), turn);
    for (const [[x, y], colour] of [
      [red, RED],
      [blue, BLUE],
    ] as const) {
      const box = { left: x! * whole.picture.width, top: y! * whole.picture.height, width: 16, height: 8 };
      const { picture } = await decodePart(large, 'selfie', whole, box);
      expect([picture.width, picture.height]).toEqual([62, 31]);
      expect(close(colourAt(picture, 1, 1), colour)).toBe(true);
    }
  });

  it('damaged data is invalid', async () => {
    const jpeg = await flag().jpeg().toBuffer();
    const png = await flag().png().toBuffer();
    const damaged = [
      Buffer.alloc(0),
      jpeg.subarray(0, 3),
      jpeg.subarray(0, jpeg.length / 2),
      png.subarray(0, png.length - 40),
      Buffer.concat([jpeg.subarray(0, 4), randomBytes(5_000)]),
      Buffer.concat([png.subarray(0, 8), randomBytes(5_000)]),
    ];
    for (const bytes of damaged) expect((await refusal(bytes)).code).toBe('invalid_image');
  });

  it('other formats are invalid, and HEIC is named', async () => {
    const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic'), Buffer.alloc(5_000)]);
    const others = [
      Buffer.from(SVG),
      Buffer.from(`<?xml version="1.0"?>${SVG}`),
      await flag().gif().toBuffer(),
      await flag().tiff().toBuffer(),
      await flag().avif().toBuffer(),
      Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'),
      Buffer.from('not a picture at all'),
      randomBytes(10_000),
    ];
    for (const bytes of others) expect((await refusal(bytes)).code).toBe('invalid_image');
    const refused = await refusal(heic);
    expect([refused.code, refused.message]).toEqual(['invalid_image', 'The selfie must be a JPEG, PNG or WebP picture, not HEIC']);
  });

  it('an animated WebP is invalid', async () => {
    const frames = [await flag().png().toBuffer(), await flag().negate().png().toBuffer()];
    const animated = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    expect((await refusal(animated)).message).toContain('animated WebP');
  });

  it('too many bytes or pixels are refused before decoding', async () => {
    const jpeg = await flag().jpeg().toBuffer();
    const codes = [];
    for (const bytes of [bomb(30_000, 30_000), bomb(8_000, 5_001), Buffer.concat([jpeg, Buffer.alloc(BYTES_MAX)])])
      codes.push((await refusal(bytes)).code);
    expect(codes).toEqual(['image_too_large', 'image_too_large', 'image_too_large']);
  });
});
