/** Patterns that skin lacks stand out in a spectrum, whatever JPEG adds. The pictures are made here. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { jpegOf, pixelsOf } from '../../../bench/face/pixels.ts';
import { seeded } from '../../../bench/face/scene.ts';
import type { Picture } from '../../../src/engines/face/picture.ts';
import { findPeaks } from '../../../src/engines/face/spectrum.ts';

const SIDE = 300;
const WHOLE = { left: 0, top: 0, width: SIDE, height: SIDE };

/** Coarse shades with a camera's grain, plus what `pattern` adds. */
function surface(pattern: (x: number, y: number) => number = () => 0, side = SIDE): Picture {
  const random = seeded(7);
  const data = new Uint8Array(side * side * 3);
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      const grain = (random() + random() + random() - 1.5) * 12;
      const value = 130 + 40 * Math.sin(x / 47) * Math.cos(y / 61) + grain + pattern(x, y);
      data.fill(value, (y * side + x) * 3, (y * side + x) * 3 + 3);
    }
  return { data, width: side, height: side };
}

const wave = (period: number, degrees: number, depth: number) => (x: number, y: number) =>
  depth * Math.cos((2 * Math.PI * (x * Math.cos((degrees * Math.PI) / 180) + y * Math.sin((degrees * Math.PI) / 180))) / period);

const highest = ({ slanted, upright }: { slanted: number; upright: number }) => Math.max(slanted, upright);

describe('peaks of the spectrum', () => {
  it('a grainy surface has none', () => {
    expect(highest(findPeaks(surface(), WHOLE))).toBeLessThan(1);
  });

  it.each([
    [2.3, 0],
    [3, 90],
    [4.5, 1],
  ])('a panel’s grid of %f pixels, turned by %i°, is upright', (period, degrees) => {
    const { upright, slanted } = findPeaks(surface(wave(period, degrees, 6)), WHOLE);
    expect(upright).toBeGreaterThan(2);
    expect(upright).toBeGreaterThan(slanted);
  });

  it.each([
    [2.6, 45],
    [3.5, 15],
    [5, 75],
  ])('a print’s dots of %f pixels, turned by %i°, are slanted', (period, degrees) => {
    const { upright, slanted } = findPeaks(surface(wave(period, degrees, 6)), WHOLE);
    expect(slanted).toBeGreaterThan(2);
    expect(slanted).toBeGreaterThan(upright);
  });

  it.each([60, 75, 90])('JPEG blocks at quality %i are not taken for a pattern, and a pattern is found through them', async (quality) => {
    const saved = async (picture: Picture) =>
      pixelsOf(
        await sharp(await jpegOf(picture))
          .jpeg({ quality })
          .toBuffer(),
      );
    expect(highest(findPeaks(await saved(surface()), WHOLE))).toBeLessThan(1.3);
    expect(highest(findPeaks(await saved(surface(wave(4, 45, 14))), WHOLE))).toBeGreaterThan(1.6);
  });

  it('a face of fewer pixels than a window has no spectrum', () => {
    expect(findPeaks(surface(wave(3, 0, 20), 60), { left: 0, top: 0, width: 60, height: 60 })).toEqual({ slanted: 0, upright: 0 });
  });
});
