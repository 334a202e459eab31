/**
 * A camera before a flat picture: a photograph on a panel or on paper, its frame, the room and the hand behind it, reflections, and what the camera and
 * the sender's application add. `recaptures.ts` says which kinds there are.
 */
import sharp from 'sharp';
import type { Picture } from '../../src/engines/face/picture.ts';

export type Random = () => number;
export type Colour = [number, number, number];

/** Mulberry32 with a fixed seed, so that each run makes the same pictures. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const between = (random: Random, low: number, high: number): number => low + random() * (high - low);
export const oneOf = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

/** `tall`: height of the photograph. */
export type Outline = (u: number, v: number, tall: number) => boolean;

/** Lengths are in widths of the photograph unless stated otherwise. */
export interface Scene {
  /** Pixels of the new picture. */
  width: number;
  height: number;
  /** Widths of the photograph across the new picture; below 1, its edges are outside. */
  span: number;
  /** Radians, and how much nearer one side is than the other. */
  turn: number;
  lean: { across: number; down: number };
  /** Around the photograph: what belongs to the same sheet or screen, and the frame around that. */
  margins: { sides: number; ends: number; colour: Colour };
  frame: { width: number; colour: Colour };
  /** Null: nobody holds it; it lies on something or hangs in front of it. */
  hand: Colour | null;
  /** The colour that the screen or print shows for a colour, at a place in pixels of the new picture. */
  render(colour: Colour, x: number, y: number, u: number, v: number): Colour;
  /** Whether a place in the photograph is within what was cut out of it; null: it is whole. */
  outline: Outline | null;
  /** Added light, at a place in the photograph. */
  glare(u: number, v: number): number;
}

/** `photo` and `room` of any size. */
export function shoot(photo: Picture, room: Picture, scene: Scene): Picture {
  const { width, height, span, turn, lean, margins, frame, outline } = scene;
  const data = new Uint8Array(width * height * 3);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const tall = photo.height / photo.width;
  const [sides, ends] = [margins.sides, margins.ends];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const right = (x / width - 0.5) * span;
      const down = ((y - height / 2) / width) * span;
      const depth = 1 + lean.across * right + lean.down * down;
      const u = 0.5 + (right * cos + down * sin) / depth;
      const v = tall / 2 + (down * cos - right * sin) / depth;
      const beyond = Math.max(-u - sides, u - 1 - sides, -v - ends, v - tall - ends);
      const isPhoto = u >= 0 && v >= 0 && u < 1 && v < tall && (outline === null || outline(u, v, tall));
      const isHand = scene.hand !== null && inHand(u, v, tall, sides + frame.width, ends + frame.width);
      const p = (y * width + x) * 3;
      let colour: Colour;
      if (isHand) colour = scene.hand!.map((value) => value * (0.8 + 0.25 * Math.sin(9 * v))) as Colour;
      else if (isPhoto) colour = scene.render(colourAt(photo, u * photo.width, (v / tall) * photo.height), x, y, u, v);
      else if (beyond <= 0 && outline === null) colour = scene.render(margins.colour, x, y, u, v);
      else if (beyond <= frame.width && outline === null) colour = frame.colour;
      else colour = colourAt(room, (x / width) * room.width, (y / height) * room.height);
      const isFlat = outline === null ? beyond <= frame.width : isPhoto;
      const light = isFlat && !isHand ? scene.glare(u, v) : 0;
      for (let c = 0; c < 3; c += 1) data[p + c] = Math.min(255, Math.max(0, colour[c]! + light));
    }
  return { data, width, height };
}

export const aroundHead: Outline = (u, v, tall) => ((u - 0.5) / 0.34) ** 2 + ((v / tall - 0.5) / 0.46) ** 2 <= 1;

/** Fingers over the lower corners, and over one side. */
function inHand(u: number, v: number, tall: number, sides: number, ends: number): boolean {
  const atLeft = ((u + sides) / 0.09) ** 2 + ((v - 0.75 * tall) / 0.16) ** 2 < 1;
  const atRight = [0.45, 0.62, 0.79].some((at) => ((u - 1 - sides) / 0.1) ** 2 + ((v - at * tall) / 0.06) ** 2 < 1);
  return atLeft || atRight || (v > tall + ends && Math.abs(u - 0.5) < 0.35 && v < tall + ends + 1);
}

export function colourAt({ data, width, height }: Picture, x: number, y: number): Colour {
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

/** A wall, a door, a shelf, a window, some of them out of focus. */
export async function roomOf(random: Random): Promise<Picture> {
  const [width, height] = [160, 200];
  const wall: Colour = [between(random, 90, 225), between(random, 90, 220), between(random, 80, 215)];
  const data = new Uint8Array(width * height * 3);
  const things = Array.from({ length: 2 + Math.floor(random() * 6) }, () => {
    const isTall = random() < 0.6;
    return {
      left: random() * width,
      top: random() * height * (isTall ? 0.4 : 1),
      width: between(random, 6, isTall ? 60 : 160),
      height: between(random, 6, isTall ? 190 : 50),
      colour: [between(random, 20, 245), between(random, 20, 245), between(random, 20, 245)] as Colour,
    };
  });
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const thing = things.findLast(({ left, top, width: w, height: h }) => x >= left && x < left + w && y >= top && y < top + h);
      const shade = 0.85 + 0.3 * (x / width);
      for (let c = 0; c < 3; c += 1) data[(y * width + x) * 3 + c] = Math.min(255, (thing?.colour ?? wall)[c]! * shade);
    }
  const { data: soft } = await sharp(data, { raw: { width, height, channels: 3 } })
    .blur(between(random, 0.4, 4))
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: soft, width, height };
}

/** A room with furniture in focus: surfaces with a pattern, and shadows between them, as dark as a camera sees them. */
export function furnishedRoom(random: Random, light = 1): Picture {
  const [width, height] = [480, 600];
  const wall: Colour = [between(random, 110, 225), between(random, 105, 220), between(random, 95, 215)];
  const shadow = between(random, 2, 16);
  const things = Array.from({ length: 4 + Math.floor(random() * 8) }, () => ({
    left: between(random, -0.1, 0.9) * width,
    top: between(random, 0, 0.9) * height,
    width: between(random, 0.06, 0.35) * width,
    height: between(random, 0.06, 0.5) * height,
    colour: [between(random, 15, 240), between(random, 15, 240), between(random, 15, 240)] as Colour,
    gap: between(random, 2, 9),
    pitch: between(random, 5, 40),
    depth: between(random, 0, 0.35),
    angle: random() * Math.PI,
  }));
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const thing = things.findLast(({ left, top, width: w, height: h }) => x >= left && x < left + w && y >= top && y < top + h);
      const isGap = thing !== undefined && (x < thing.left + thing.gap || y > thing.top + thing.height - thing.gap);
      const wave = thing === undefined ? 0 : Math.sin((x * Math.cos(thing.angle) + y * Math.sin(thing.angle)) / (thing.pitch / 6));
      const shade = (0.8 + (0.4 * x) / width) * (1 + (thing?.depth ?? 0) * wave) * light;
      const grain = 6 * (random() - 0.5);
      for (let c = 0; c < 3; c += 1) {
        const value = isGap ? shadow : (thing?.colour ?? wall)[c]! * shade + grain;
        data[(y * width + x) * 3 + c] = Math.min(255, Math.max(0, value));
      }
    }
  return { data, width, height };
}

export interface Sending {
  /** Gaussian, in pixels. */
  defocus: number;
  /** Standard deviation of the sensor's noise. */
  noise: number;
  exposure: number;
  /** Red over blue. */
  warmth: number;
  /** Of the picture as sent to that of the camera. */
  scale: number;
  quality: number;
}

export const anySending = (random: Random): Sending => ({
  defocus: random() < 0.5 ? 0 : between(random, 0.4, 1.3),
  noise: between(random, 0, 5),
  exposure: between(random, 0.75, 1.2),
  warmth: between(random, 0.92, 1.08),
  scale: between(random, 0.7, 1),
  quality: 60 + Math.floor(random() * 36),
});

/** The camera, and the application that sends: applied to real faces and recaptures alike. */
export async function send(
  picture: Picture,
  { defocus, noise, exposure, warmth, scale, quality }: Sending,
  random: Random,
): Promise<Buffer> {
  const { width, height } = picture;
  const raw = { raw: { width, height, channels: 3 as const } };
  const soft = defocus < 0.35 ? picture.data : await sharp(picture.data, raw).blur(defocus).raw().toBuffer();
  const data = new Uint8Array(soft.length);
  const gain = [exposure * warmth, exposure, exposure / warmth];
  for (let p = 0; p < data.length; p += 1) {
    // The sum of three uniform numbers is close enough to a normal one.
    const grain = noise * 2 * (random() + random() + random() - 1.5);
    data[p] = Math.min(255, Math.max(0, soft[p]! * gain[p % 3]! + grain));
  }
  return sharp(data, raw)
    .resize({ width: Math.round(width * scale) })
    .jpeg({ quality })
    .toBuffer();
}
