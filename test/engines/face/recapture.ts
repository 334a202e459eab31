/**
 * A photograph shown to a camera a second time: on a screen, or printed. Simulated from the optics of each: the panel's grid beating with the
 * camera's, its gamma, its frame and a lamp's reflection; the dots of offset printing, ink that is not black, paper that is not white, its
 * margin.
 */
import type { Picture } from '../../../src/engines/face/picture.ts';

export type Random = () => number;

/** Mulberry32: the same recaptures in each run. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Colour = [number, number, number];

/** How the second camera is placed before the picture it takes. */
export interface Shot {
  /** How much larger than the photograph its picture is. */
  enlarged: number;
  /** Size of the panel's pixels or the print's dots, relative to the usual. */
  coarser: number;
}

const USUAL: Shot = { enlarged: 2, coarser: 1 };

export function screen(photo: Picture, random: Random, { enlarged, coarser } = USUAL): Picture {
  const tilt = (random() - 0.5) * 0.06;
  // Camera pixels for each pixel of the panel: near two, where the beat is slow and wide.
  const pitch = (1.7 + random() * 0.9) * coarser;
  const depth = 0.1 + random() * 0.15;
  const gamma = 0.8 + random() * 0.5;
  const bezel = 0.03 + random() * 0.05;
  const lamp = { x: random(), y: random() * 0.6, size: 0.12 + random() * 0.2, strength: 40 + random() * 80 };
  const bluish: Colour = [0.94, 1, 1.06];
  return reshoot(photo, enlarged, bezel + 0.05, (u, v, x, y, colour) => {
    if (u < -bezel || v < -bezel || u > 1 + bezel || v > 1 + bezel) return [96, 92, 88];
    const glare = lamp.strength * Math.exp(-((u - lamp.x) ** 2 + (v - lamp.y) ** 2) / lamp.size ** 2);
    if (u < 0 || v < 0 || u > 1 || v > 1) return [18 + glare * 0.3, 18 + glare * 0.3, 20 + glare * 0.3];
    const gridX = (x + y * tilt) / pitch;
    const gridY = (y - x * tilt) / pitch;
    return colour.map((value, c) => {
      // Red, green and blue lie side by side in each pixel of the panel.
      const stripes = 1 + depth * Math.cos(2 * Math.PI * (gridX + c / 3));
      const rows = 1 + depth * 0.6 * Math.cos(2 * Math.PI * gridY);
      const lit = 12 + 243 * (value / 255) ** gamma * bluish[c]!;
      return lit * stripes * rows + glare;
    }) as Colour;
  });
}

export function print(photo: Picture, random: Random, { enlarged, coarser } = USUAL): Picture {
  const angle = Math.PI / 12 + (random() * Math.PI) / 6;
  const pitch = (2.4 + random() * 1.4) * coarser;
  const depth = 0.15 + random() * 0.15;
  const margin = 0.04 + random() * 0.05;
  const paper: Colour = [238 + random() * 10, 234 + random() * 10, 218 + random() * 16];
  const ink = 40 + random() * 25;
  const light = 0.85 + random() * 0.15;
  return blur(
    reshoot(photo, enlarged, margin + 0.06, (u, v, x, y, colour) => {
      if (u < -margin || v < -margin || u > 1 + margin || v > 1 + margin) return [112, 90, 70];
      const shade = light + (1 - light) * u;
      if (u < 0 || v < 0 || u > 1 || v > 1) return paper.map((value) => value * shade) as Colour;
      return colour.map((value, c) => {
        // Each ink has its own angle, so that the dots of one do not cover those of another.
        const turn = angle + c * 0.52;
        const dots =
          Math.cos((2 * Math.PI * (x * Math.cos(turn) + y * Math.sin(turn))) / pitch) *
          Math.cos((2 * Math.PI * (y * Math.cos(turn) - x * Math.sin(turn))) / pitch);
        const covered = Math.min(1, Math.max(0, 1 - value / 255 + depth * dots));
        return (paper[c]! * (1 - covered) + ink * covered) * shade;
      }) as Colour;
    }),
  );
}

/**
 * `around`: what is visible beside the photograph, in units of its sides. `shade` gets the place in the photograph (0 to 1), the place in the new
 * picture, and the colour there.
 */
function reshoot(
  photo: Picture,
  enlarged: number,
  around: number,
  shade: (u: number, v: number, x: number, y: number, colour: Colour) => Colour,
): Picture {
  const width = Math.round(photo.width * enlarged);
  const height = Math.round(photo.height * enlarged);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const u = (x / width) * (1 + 2 * around) - around;
      const v = (y / height) * (1 + 2 * around) - around;
      const pixel = shade(u, v, x, y, colourAt(photo, u * photo.width, v * photo.height));
      for (let c = 0; c < 3; c += 1) data[(y * width + x) * 3 + c] = Math.min(255, Math.max(0, pixel[c]!));
    }
  return { data, width, height };
}

function colourAt({ data, width, height }: Picture, x: number, y: number): Colour {
  const sx = Math.min(width - 1.001, Math.max(0, x - 0.5));
  const sy = Math.min(height - 1.001, Math.max(0, y - 0.5));
  const p = (Math.floor(sy) * width + Math.floor(sx)) * 3;
  const wx = sx % 1;
  const wy = sy % 1;
  const mix = (c: number): number =>
    (data[p + c]! * (1 - wx) + data[p + 3 + c]! * wx) * (1 - wy) +
    (data[p + width * 3 + c]! * (1 - wx) + data[p + width * 3 + 3 + c]! * wx) * wy;
  return [mix(0), mix(1), mix(2)];
}

/** Three by three, binomial: a print is photographed from near, and softly. */
function blur({ data, width, height }: Picture): Picture {
  const soft = new Uint8Array(data);
  const row = width * 3;
  for (let y = 1; y < height - 1; y += 1)
    for (let i = y * row + 3; i < (y + 1) * row - 3; i += 1) {
      const line = (k: number): number => data[k - 3]! + 2 * data[k]! + data[k + 3]!;
      soft[i] = (line(i - row) + 2 * line(i) + line(i + row)) / 16;
    }
  return { data: soft, width, height };
}
