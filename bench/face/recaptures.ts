/**
 * Kinds of recapture, each simulated from its optics. The liveness weights are fitted on the development kinds. The others are held out: their figures stand for
 * kinds that nobody thought of.
 */
import type { Picture } from '../../src/engines/face/picture.ts';
import { aroundHead, between, type Colour, oneOf, type Random, roomOf, type Scene, shoot } from './scene.ts';

export type Half = 'development' | 'held out';

export interface Recapture {
  name: string;
  half: Half;
  scene(random: Random): Partial<Scene> & Pick<Scene, 'render'>;
  /** Behind it; by default a room out of focus. */
  room?(random: Random): Picture;
}

/**
 * `across`: pixels of the panel to one of the camera. Its grid is attenuated by the camera's pixels and lens, as far as they are finer than it; beyond
 * the camera's limit it comes back as a beat.
 */
function panel(random: Random, across: number, { isStriped = true, gamma = [0.85, 1.15], black = [4, 22] } = {}): Scene['render'] {
  const tilt = between(random, -0.08, 0.08);
  const depth = between(random, 0.35, 0.9);
  const blur = between(random, 0.25, 0.5);
  const seen = (frequency: number): number => {
    const x = Math.PI * frequency;
    return (Math.sin(x) / x) * Math.exp(-2 * (Math.PI * blur * frequency) ** 2);
  };
  const [first, rows] = [depth * seen(across), 0.7 * depth * seen(across * (isStriped ? 1 : 0.7))];
  const power = between(random, gamma[0]!, gamma[1]!);
  const lit = between(random, black[0]!, black[1]!);
  const white: Colour = [between(random, 0.88, 1), between(random, 0.95, 1), between(random, 0.96, 1.08)];
  return (colour, x, y) => {
    const column = 2 * Math.PI * across * (x + y * tilt);
    const row = 2 * Math.PI * across * (isStriped ? 1 : 0.7) * (y - x * tilt);
    const line = 1 + rows * Math.cos(row);
    return colour.map((value, c) => {
      const shift = isStriped ? (c * 2 * Math.PI) / 3 : c === 1 ? 0 : Math.PI;
      return (lit + (255 - lit) * (value / 255) ** power * white[c]!) * line * (1 + first * Math.cos(column + shift));
    }) as Colour;
  };
}

/** Dots of offset or laser printing: `pitch` in pixels of the camera. */
export function halftone(random: Random, pitch: number, { isGray = false, ink = [30, 62], depth = [0.12, 0.3] } = {}): Scene['render'] {
  const angle = Math.PI / 12 + (random() * Math.PI) / 6;
  const strength = between(random, depth[0]!, depth[1]!);
  const paper: Colour = [between(random, 225, 250), between(random, 222, 246), between(random, 205, 240)];
  const dark = between(random, ink[0]!, ink[1]!);
  const light = between(random, 0.85, 1);
  return (colour, x, y, u) => {
    const gray = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    return colour.map((value, c) => {
      // Each ink has its own angle, so that the dots of one do not cover those of another.
      const turn = angle + (isGray ? 0 : c * 0.52);
      const dots =
        Math.cos((2 * Math.PI * (x * Math.cos(turn) + y * Math.sin(turn))) / pitch) *
        Math.cos((2 * Math.PI * (y * Math.cos(turn) - x * Math.sin(turn))) / pitch);
      const covered = Math.min(1, Math.max(0, 1 - (isGray ? gray : value) / 255 + strength * dots));
      return (paper[c]! * (1 - covered) + dark * covered) * (light + (1 - light) * u);
    }) as Colour;
  };
}

/** Prints without a visible dot pattern: inkjet or photographic paper. */
export function paper(random: Random, { drops = 0, ink = [8, 30] }): Scene['render'] {
  const sheet: Colour = [between(random, 228, 252), between(random, 225, 250), between(random, 212, 246)];
  const dark = between(random, ink[0]!, ink[1]!);
  const light = between(random, 0.85, 1);
  const softer = between(random, 0.82, 1);
  return (colour, _x, _y, u) => {
    const drop = drops * (random() + random() - 1);
    return colour.map((value, c) => {
      const covered = Math.min(1, Math.max(0, 1 - (128 + (value - 128) * softer) / 255 + drop));
      return (sheet[c]! * (1 - covered) + dark * covered) * (light + (1 - light) * u);
    }) as Colour;
  };
}

const none = (): number => 0;

function lamp(random: Random, strength: [number, number]): Scene['glare'] {
  const [x, y, size, light] = [random(), random() * 0.7, between(random, 0.1, 0.3), between(random, ...strength)];
  return (u, v) => light * Math.exp(-((u - x) ** 2 + (v - y) ** 2) / size ** 2);
}

/** A window or a tube, as a slanted band, and the veil of a bright room. */
export function tube(random: Random): Scene['glare'] {
  const [at, slant, size, light, veil] = [
    random(),
    between(random, -1, 1),
    between(random, 0.03, 0.12),
    between(random, 50, 140),
    between(random, 5, 30),
  ];
  return (u, v) => veil + light * Math.exp(-(((u - at + slant * v) / size) ** 2));
}

const DARK: Colour = [16, 16, 18];
const skin = (random: Random): Colour =>
  oneOf<Colour>(random, [
    [196, 150, 125],
    [141, 93, 70],
    [92, 60, 45],
    [224, 180, 155],
  ]);
const bezel = (random: Random, low: number, high: number, colour: Colour = DARK): Pick<Scene, 'frame'> => ({
  frame: { width: between(random, low, high), colour },
});
const bars = (random: Random, sides: [number, number], ends: [number, number], colour: Colour): Pick<Scene, 'margins'> => ({
  margins: { sides: between(random, ...sides), ends: between(random, ...ends), colour },
});

export const RECAPTURES: readonly Recapture[] = [
  {
    name: 'phone (OLED), frame in sight',
    half: 'development',
    scene: (random) => ({
      render: panel(random, between(random, 0.8, 2.2), { isStriped: false, black: [0, 10] }),
      span: between(random, 1.1, 1.6),
      ...bars(random, [0, 0.02], [0.15, 0.5], [6, 6, 6]),
      ...bezel(random, 0.02, 0.05),
      glare: lamp(random, [0, 60]),
      hand: random() < 0.6 ? skin(random) : null,
    }),
  },
  {
    name: 'phone (LCD), from near',
    half: 'development',
    scene: (random) => ({
      render: panel(random, between(random, 0.45, 1.6)),
      span: between(random, 0.72, 1),
      glare: lamp(random, [0, 80]),
    }),
  },
  {
    name: 'monitor',
    half: 'development',
    scene: (random) => ({
      render: panel(random, between(random, 0.35, 0.8)),
      span: between(random, 0.8, 1.4),
      ...bars(
        random,
        [0.1, 0.8],
        [0.05, 0.3],
        oneOf<Colour>(random, [
          [20, 20, 20],
          [240, 240, 240],
          [60, 62, 66],
        ]),
      ),
      ...bezel(random, 0.03, 0.08),
      glare: lamp(random, [0, 50]),
    }),
  },
  {
    name: 'screen with a lamp in it',
    half: 'development',
    scene: (random) => ({
      render: panel(random, between(random, 0.4, 1.4)),
      span: between(random, 0.8, 1.3),
      ...bezel(random, 0.03, 0.08),
      glare: lamp(random, [60, 160]),
    }),
  },
  {
    name: 'offset print',
    half: 'development',
    scene: (random) => ({
      render: halftone(random, between(random, 2.2, 4.5)),
      span: between(random, 0.8, 1.3),
      ...bars(random, [0.02, 0.1], [0.02, 0.2], [255, 255, 255]),
      frame: { width: 0, colour: DARK },
    }),
  },
  {
    name: 'laser print in hand',
    half: 'development',
    scene: (random) => ({
      render: halftone(random, between(random, 1.6, 3), { isGray: random() < 0.3, ink: [25, 55] }),
      span: between(random, 1, 1.6),
      ...bars(random, [0.05, 0.2], [0.1, 0.4], [255, 255, 255]),
      frame: { width: 0, colour: DARK },
      hand: skin(random),
    }),
  },
  {
    name: 'inkjet print',
    half: 'development',
    scene: (random) => ({
      render: paper(random, { drops: between(random, 0.05, 0.16), ink: [22, 48] }),
      span: between(random, 0.8, 1.4),
      ...bars(random, [0.02, 0.15], [0.02, 0.25], [255, 255, 255]),
      frame: { width: 0, colour: DARK },
    }),
  },
  {
    name: 'tablet in hand, frame in sight',
    half: 'held out',
    scene: (random) => ({
      render: panel(random, between(random, 0.6, 1.7)),
      span: between(random, 1.3, 1.9),
      ...bars(random, [0.02, 0.12], [0.05, 0.25], [0, 0, 0]),
      ...bezel(random, 0.06, 0.12, oneOf<Colour>(random, [DARK, [235, 235, 232]])),
      glare: lamp(random, [0, 70]),
      hand: skin(random),
    }),
  },
  {
    name: 'laptop under a tube light',
    half: 'held out',
    scene: (random) => ({
      render: panel(random, between(random, 0.4, 1), { gamma: [0.7, 1.3], black: [10, 30] }),
      span: between(random, 0.85, 1.5),
      ...bars(random, [0, 0.5], [0, 0.1], [30, 30, 32]),
      ...bezel(random, 0.03, 0.07, oneOf<Colour>(random, [DARK, [150, 152, 155]])),
      glare: tube(random),
    }),
  },
  {
    name: 'television',
    half: 'held out',
    scene: (random) => ({
      render: panel(random, between(random, 0.16, 0.4), { gamma: [1, 1.4] }),
      span: between(random, 0.75, 1.1),
      glare: none,
    }),
  },
  {
    name: 'projector on a wall',
    half: 'held out',
    scene: (random) => ({
      render: panel(random, between(random, 0.3, 0.9), { black: [35, 60], gamma: [0.8, 1] }),
      span: between(random, 0.9, 1.5),
      margins: { sides: 0, ends: 0, colour: DARK },
      frame: { width: 0, colour: DARK },
    }),
  },
  {
    name: 'newspaper',
    half: 'held out',
    scene: (random) => ({
      render: halftone(random, between(random, 4, 7), { isGray: random() < 0.5, ink: [50, 80], depth: [0.2, 0.4] }),
      span: between(random, 0.8, 1.3),
      ...bars(random, [0.03, 0.2], [0.03, 0.2], [235, 230, 215]),
      frame: { width: 0, colour: DARK },
    }),
  },
  {
    name: 'photographic print, glossy',
    half: 'held out',
    scene: (random) => ({
      render: paper(random, { ink: [6, 24] }),
      span: between(random, 0.85, 1.5),
      ...bars(random, [0, 0.06], [0, 0.06], [255, 255, 255]),
      frame: { width: 0, colour: DARK },
      glare: tube(random),
      hand: random() < 0.5 ? skin(random) : null,
    }),
  },
  {
    name: 'face cut out of paper',
    half: 'held out',
    scene: (random) => ({
      render: paper(random, { drops: between(random, 0.02, 0.1), ink: [15, 45] }),
      span: between(random, 0.9, 1.3),
      outline: aroundHead,
    }),
  },
];

/** A recapture of a photograph. */
export async function recapture(kind: Recapture, photo: Picture, random: Random): Promise<Picture> {
  const width = Math.round(between(random, 420, 900));
  const usual: Scene = {
    width,
    height: Math.round(width * between(random, 1, 1.34)),
    span: 1,
    turn: between(random, -0.09, 0.09),
    lean: { across: between(random, -0.15, 0.15), down: between(random, -0.15, 0.15) },
    margins: { sides: 0, ends: 0, colour: [0, 0, 0] },
    frame: { width: 0.03, colour: DARK },
    hand: null,
    render: (colour) => colour,
    outline: null,
    glare: none,
  };
  return shoot(photo, kind.room?.(random) ?? (await roomOf(random)), { ...usual, ...kind.scene(random) });
}
