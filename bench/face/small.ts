/** Measures which small faces are found in a large picture (the second pass, in tiles), and that none is found where there is nobody. */
import sharp from 'sharp';
import type { Comparer } from '../../src/engines/face/compare.ts';
import { photographNames, readPhotograph } from '../photographs.ts';
import { halfOfPerson } from './people.ts';
import { type Case, nullIfRefused, type Rate, ratesOf, refusalOf } from './rates.ts';
import { furnishedRoom, type Random, seeded } from './scene.ts';

const [WIDTH, HEIGHT] = [3_000, 4_000];
/** Pixels. A selfie's face needs 80, a portrait's 40. */
const FACE_WIDTHS = [60, 80, 100, 145, 250];

/** `every`: uses each n-th photograph; one that is refused by itself counts nowhere. */
export async function rateSmall(comparer: Comparer, every: number): Promise<Rate[]> {
  const cases: Case[] = [];
  for (const [i, name] of photographNames().entries()) {
    if (i % every !== 0) continue;
    const photo = readPhotograph(name);
    const alone = await comparer.inspect({ picture: photo, side: 'selfie', wantsLiveness: false }).catch(nullIfRefused);
    if (alone === null) continue;
    const [random, half] = [seeded(i), halfOfPerson(name)];
    const room = await largeRoom(random);
    const inSize = `in ${WIDTH} × ${HEIGHT} pixels`;
    const empty = await refusalOf(comparer, await sharp(room).jpeg({ quality: 90 }).toBuffer(), 'selfie');
    cases.push({ what: `no face found: a room without anybody, ${inSize}`, half, counts: empty === 'no_face_detected' });
    for (const faceWidth of FACE_WIDTHS) {
      const picture = await placed(room, photo, faceWidth / alone.quality.face_width, random);
      for (const side of ['selfie', 'portrait'] as const) {
        const refusal = await refusalOf(comparer, picture, side);
        const what = `${side}, a face ${faceWidth} pixels wide ${inSize}`;
        cases.push({ what: `can be compared: ${what}`, half, counts: refusal === null });
        cases.push({ what: `no face found: ${what}`, half, counts: refusal === 'no_face_detected' });
      }
    }
  }
  return ratesOf(cases);
}

async function largeRoom(random: Random): Promise<Buffer> {
  const { data, width, height } = furnishedRoom(random);
  return sharp(data, { raw: { width, height, channels: 3 } })
    .resize({ width: WIDTH, height: HEIGHT, fit: 'fill' })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

async function placed(room: Buffer, photo: Buffer, scale: number, random: Random): Promise<Buffer> {
  const { width } = await sharp(photo).metadata();
  const side = Math.round(width * scale);
  const input = await sharp(photo).resize({ width: side, height: side, kernel: 'cubic' }).png().toBuffer();
  return sharp(room)
    .composite([{ input, left: Math.floor(random() * (WIDTH - side)), top: Math.floor(random() * (HEIGHT - side)) }])
    .jpeg({ quality: 90 })
    .toBuffer();
}
