/**
 * Faces cut out of prints, before a room in which nothing is wrong, and selfies that are lit, veiled or brightened so that they resemble them. They were added
 * after the weights had been fitted, so all of them are held out.
 */
import sharp from 'sharp';
import type { Picture } from '../../src/engines/face/picture.ts';
import { halftone, paper, type Recapture, tube } from './recaptures.ts';
import { anySending, aroundHead, between, type Colour, furnishedRoom, type Outline, type Random, send } from './scene.ts';
import { composed, type Selfie } from './selfies.ts';

const headAndShoulders: Outline = (u, v, tall) => {
  const x = Math.abs(u - 0.5);
  const y = v / tall;
  return (x / 0.3) ** 2 + ((y - 0.47) / 0.42) ** 2 <= 1 || (y > 0.78 && x < 0.3 + 0.8 * (y - 0.78));
};

function plainWall(random: Random): Picture {
  const [width, height] = [60, 80];
  const wall: Colour = [between(random, 110, 225), between(random, 105, 220), between(random, 95, 215)];
  const shade = between(random, -0.25, 0.25);
  const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => {
    const x = (Math.floor(i / 3) % width) / width;
    return Math.min(255, wall[i % 3]! * (1 + shade * (x - 0.5)));
  });
  return { data, width, height };
}

export const CUT_OUTS: readonly Recapture[] = [
  {
    name: 'head cut out of a laser print, before a furnished room',
    half: 'held out',
    room: furnishedRoom,
    scene: (random) => ({
      render: halftone(random, between(random, 1.6, 3), { isGray: random() < 0.3, ink: [25, 55] }),
      span: between(random, 0.9, 1.3),
      outline: aroundHead,
    }),
  },
  {
    name: 'head and shoulders cut out of a glossy photograph, before a furnished room',
    half: 'held out',
    room: furnishedRoom,
    scene: (random) => ({
      render: paper(random, { ink: [6, 24] }),
      span: between(random, 0.9, 1.4),
      outline: headAndShoulders,
      glare: tube(random),
    }),
  },
  {
    name: 'figure of cardboard, before a furnished room',
    half: 'held out',
    room: furnishedRoom,
    scene: (random) => ({
      render: halftone(random, between(random, 1.2, 2.2), { ink: [20, 45], depth: [0.08, 0.25] }),
      span: between(random, 0.9, 1.5),
      outline: headAndShoulders,
    }),
  },
  {
    name: 'head cut out of paper, before a plain wall',
    half: 'held out',
    room: plainWall,
    scene: (random) => ({
      render: paper(random, { drops: between(random, 0.02, 0.1), ink: [15, 45] }),
      span: between(random, 0.9, 1.3),
      outline: aroundHead,
    }),
  },
];

const shot = (picture: Picture, random: Random): Promise<Buffer> => send(picture, anySending(random), random);

/** Levels of light added to each pixel. */
function lit({ data, width, height }: Picture, light: (x: number, y: number) => number): Picture {
  const brighter = data.map((value, i) => {
    const p = Math.floor(i / 3);
    const added = light((p % width) / width, Math.floor(p / width) / height);
    return Math.min(255, value * (1 - added / 255) + added);
  });
  return { data: brighter, width, height };
}

/** Light from behind, scattered in the lens: most around the window, some everywhere. */
function windowBehind(photo: Picture, random: Random): Picture {
  const [x0, y0, size] = [random(), between(random, 0, 0.5), between(random, 0.15, 0.35)];
  const [bloom, veil] = [between(random, 20, 60), between(random, 2, 10)];
  const room = lit(furnishedRoom(random), (x, y) => (Math.abs(x - x0) < size && Math.abs(y - y0) < size ? 250 : 0));
  return lit(composed(photo, room, random), (x, y) => veil + bloom * Math.exp(-((x - x0) ** 2 + (y - y0) ** 2) / (2 * size) ** 2));
}

/** A lens with grease on it scatters a share of the light over its surroundings. */
async function smearedLens(photo: Picture, random: Random): Promise<Picture> {
  const { width, height } = photo;
  const share = between(random, 0.06, 0.2);
  const glow = await sharp(photo.data, { raw: { width, height, channels: 3 } })
    .blur(between(random, 0.05, 0.15) * width)
    .raw()
    .toBuffer();
  return { data: photo.data.map((value, i) => value * (1 - share) + share * glow[i]!), width, height };
}

export const SELFIES_BEFORE_ROOMS: readonly Selfie[] = [
  {
    name: 'before a furnished room (composed)',
    half: 'held out',
    take: (photo, random) => shot(composed(photo, furnishedRoom(random), random), random),
  },
  {
    name: 'flash in a dark room (composed)',
    half: 'held out',
    take: (photo, random) => shot(composed(photo, furnishedRoom(random, between(random, 0.08, 0.35)), random), random),
  },
  {
    name: 'a window behind (composed)',
    half: 'held out',
    take: (photo, random) => shot(windowBehind(photo, random), random),
  },
  {
    name: 'through a smeared lens',
    half: 'held out',
    take: async (photo, random) => shot(await smearedLens(photo, random), random),
  },
  {
    name: 'face brightened by a filter, before a furnished room (composed)',
    half: 'held out',
    take: (photo, random) => {
      const strength = between(random, 5, 20);
      const brighter = lit(photo, (x, y) => strength * Math.max(0, 1 - Math.hypot((x - 0.5) / 0.3, (y - 0.5) / 0.4) ** 4));
      return shot(composed(brighter, furnishedRoom(random), random), random);
    },
  },
];
