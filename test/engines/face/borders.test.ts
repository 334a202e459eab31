/** Whatever border is put around a picture, the picture itself is found again; a picture without a border stays whole. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../bench/face/scene.ts';
import { contentOf } from '../../../src/engines/face/borders.ts';
import type { Picture } from '../../../src/engines/face/picture.ts';

const SEED = Number(process.env.CONFAM_TEST_BORDERS_SEED ?? Date.now() % 1_000_000);
const BORDERS = ['background', 'copy', 'mirror'] as const;
/** What JPEG may cost: the block at the edge, and lines of the picture that it made equal. */
const BLOCK = 24;

/** Blobs of colour, as a photograph has: no line equals its neighbours. */
async function anyPicture(random: () => number): Promise<Picture> {
  const [columns, rows] = [5 + Math.floor(random() * 4), 5 + Math.floor(random() * 4)];
  const coarse = Uint8Array.from({ length: columns * rows * 3 }, () => 20 + Math.floor(random() * 216));
  const width = 180 + Math.floor(random() * 200);
  const height = 180 + Math.floor(random() * 200);
  const { data } = await sharp(coarse, { raw: { width: columns, height: rows, channels: 3 } })
    .resize({ width, height, fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: data.map((value) => Math.max(0, Math.min(255, value + Math.round((random() - 0.5) * 20)))), width, height };
}

describe('borders', () => {
  const random = seeded(SEED);
  const part = (): number => (random() < 0.3 ? 0 : 0.12 + random() * 0.3);

  it.each(BORDERS)(`%s: cut away, whichever sides it is on, to the pixel (seed ${SEED})`, async (kind) => {
    for (let i = 0; i < 12; i += 1) {
      const picture = await anyPicture(random);
      const { bordered, rect } = await withBorder(picture, kind, part, random);
      const found = contentOf(bordered, false);
      expect(found, `${i}`).toEqual(rect);
    }
  });

  // Not mirrored ones: after JPEG those narrower than about 45 pixels are often left (docs/biometrics.md).
  it.each(['background', 'copy'] as const)(`%s: cut away to a block after JPEG (seed ${SEED})`, async (kind) => {
    for (let i = 0; i < 8; i += 1) {
      const { bordered, rect } = await withBorder(await anyPicture(random), kind, part, random);
      const jpeg = await sharp(bordered.data, { raw: { ...bordered, channels: 3 } })
        .jpeg({ quality: 75 + Math.floor(random() * 20) })
        .toBuffer();
      const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
      const found = contentOf({ data, width: info.width, height: info.height }, true);
      for (const [got, meant] of [
        [found.left, rect.left],
        [found.top, rect.top],
        [found.left + found.width, rect.left + rect.width],
        [found.top + found.height, rect.top + rect.height],
      ] as const)
        expect(Math.abs(got - meant), `${i}: ${JSON.stringify([found, rect])}`).toBeLessThanOrEqual(BLOCK + 1);
    }
  });

  it('a picture without a border, and one of nothing, stay whole', async () => {
    for (let i = 0; i < 20; i += 1) {
      const picture = await anyPicture(random);
      expect(contentOf(picture, false)).toEqual({ left: 0, top: 0, width: picture.width, height: picture.height });
    }
    const wall = { data: new Uint8Array(300 * 200 * 3).fill(180), width: 300, height: 200 };
    expect(contentOf(wall, false)).toEqual({ left: 0, top: 0, width: 300, height: 200 });
  });
});

async function withBorder(
  { data, width, height }: Picture,
  kind: (typeof BORDERS)[number],
  part: () => number,
  random: () => number,
): Promise<{ bordered: Picture; rect: { left: number; top: number; width: number; height: number } }> {
  const [top, bottom, left, right] = [part() * height, part() * height, part() * width, part() * width].map(Math.round) as [
    number,
    number,
    number,
    number,
  ];
  const level = (): number => Math.floor(random() * 256);
  const { data: out, info } = await sharp(data, { raw: { width, height, channels: 3 } })
    .extend({ top, bottom, left, right, extendWith: kind, background: { r: level(), g: level(), b: level() } })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { bordered: { data: out, width: info.width, height: info.height }, rect: { left, top, width, height } };
}
