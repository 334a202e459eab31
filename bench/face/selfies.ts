/** Real selfies as they arrive: near or far, in good and bad light, resized and saved again. Some kinds are held out, as with recaptures. */
import sharp from 'sharp';
import type { Picture } from '../../src/engines/face/picture.ts';
import type { Half } from './recaptures.ts';
import { anySending, between, colourAt, type Random, roomOf, type Sending, send } from './scene.ts';

export interface Selfie {
  name: string;
  half: Half;
  take(photo: Picture, random: Random): Promise<Buffer>;
}

/** `span`: visible share of the photograph's width. */
async function take(photo: Picture, random: Random, [low, high]: [number, number], changes: Partial<Sending>, veil = 0): Promise<Buffer> {
  const width = Math.round(photo.width * between(random, low, high));
  const height = Math.min(photo.height, Math.round(width * between(random, 1, 1.34)));
  const left = Math.round((photo.width - width) / 2);
  const top = Math.round((photo.height - height) / 2);
  const { data, info } = await sharp(photo.data, { raw: { width: photo.width, height: photo.height, channels: 3 } })
    .extract({ left, top, width, height })
    .resize({ width: Math.round(between(random, 420, 900)) })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const hazy = veil === 0 ? data : data.map((value) => value * (1 - veil / 255) + veil);
  return send({ data: hazy, width: info.width, height: info.height }, { ...anySending(random), ...changes }, random);
}

/** A person before a room: head and shoulders of the photograph, without hard edges. */
export function composed(photo: Picture, room: Picture, random: Random): Picture {
  const [width, height] = [600, Math.round(600 * between(random, 1, 1.34))];
  const span = between(random, 1.3, 1.9);
  const size = width / span;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [u, v] = [(x - (width - size) / 2) / size, (y - height + size) / size];
      const head = Math.hypot((u - 0.5) / 0.3, (v - 0.48) / 0.42);
      const shoulders = v > 0.75 ? Math.abs(u - 0.5) / 0.46 : 9;
      const there = u < 0 || v < 0 || u >= 1 ? 0 : Math.min(1, Math.max(0, (1 - Math.min(head, shoulders)) * 5));
      const behind = colourAt(room, (x / width) * room.width, (y / height) * room.height);
      const before = there === 0 ? behind : colourAt(photo, u * photo.width, v * photo.height);
      for (let c = 0; c < 3; c += 1) data[(y * width + x) * 3 + c] = before[c]! * there + behind[c]! * (1 - there);
    }
  return { data, width, height };
}

/** A room with doors and shelves. */
const beforeRoom = async (photo: Picture, random: Random): Promise<Buffer> =>
  send(composed(photo, await roomOf(random), random), anySending(random), random);

const FAR: [number, number] = [0.85, 1];

export const SELFIES: readonly Selfie[] = [
  { name: 'at arm’s length', half: 'development', take: (photo, random) => take(photo, random, FAR, {}) },
  { name: 'near: face over half of the width', half: 'development', take: (photo, random) => take(photo, random, [0.5, 0.72], {}) },
  { name: 'dark', half: 'development', take: (photo, random) => take(photo, random, FAR, { exposure: between(random, 0.4, 0.6) }) },
  { name: 'bright', half: 'held out', take: (photo, random) => take(photo, random, FAR, { exposure: between(random, 1.2, 1.4) }) },
  {
    name: 'hazy: a veil of 8 to 30 levels',
    half: 'held out',
    take: (photo, random) => take(photo, random, FAR, {}, between(random, 8, 30)),
  },
  { name: 'farther away, before a room (composed)', half: 'held out', take: beforeRoom },
  {
    name: 'near and saved at JPEG 50',
    half: 'held out',
    take: (photo, random) => take(photo, random, [0.5, 0.72], { quality: 50, scale: 0.7 }),
  },
];
