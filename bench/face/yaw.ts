/**
 * Measures what a turned head costs: genuine pairs that are lost, by the yaw that was measured; and which heads are refused, by the angle by which a
 * photograph was turned. Nobody turned their head for this: the photograph is laid on a cylinder, and the cylinder is turned.
 */
import type { Comparer } from '../../src/engines/face/compare.ts';
import { confidence, cosine } from '../../src/engines/face/embed.ts';
import { MATCH_CONFIDENCE } from '../../src/engines/face/face.ts';
import { poseOf } from '../../src/engines/face/landmarks.ts';
import type { Manifest } from '../../src/engines/face/models.ts';
import type { Picture, Point } from '../../src/engines/face/picture.ts';
import { type Pair, photographNames, readPhotograph } from '../photographs.ts';
import type { Vectors } from './calibration.ts';
import { halfOfPerson } from './people.ts';
import { jpegOf, pixelsOf } from './pixels.ts';
import { type Case, nullIfRefused, type Rate, ratesOf, refusalOf } from './rates.ts';
import { colourAt } from './scene.ts';

/** Degrees, as the engine measures them; the gate is at 35. */
const RANGES = [
  [0, 10],
  [10, 20],
  [20, 30],
  [30, 35],
  [35, 90],
] as const;
/** Degrees of the cylinder. */
const TURNED = [0, 15, 30, 45, 60];
/** Width in pixels of a photograph that is turned. */
const ENLARGED = 500;
/** Degrees: a photograph that is turned starts from the front. */
const FRONT_MAX = 8;

/** Genuine pairs of the list, by the more turned of the two faces. A selfie beyond the gate would have been refused instead. */
export async function rateTurnedPairs(
  comparer: Comparer,
  pairs: readonly Pair[],
  vectors: Vectors,
  { confidence: by }: Manifest,
): Promise<Rate[]> {
  const yaws = new Map<string, number>();
  const yawOf = async (name: string): Promise<number> => {
    const known = yaws.get(name);
    if (known !== undefined) return known;
    const yaw = Math.abs(poseOf(await comparer.landmarks(readPhotograph(name), 'portrait')).yaw);
    yaws.set(name, yaw);
    return yaw;
  };
  const cases: Case[] = [];
  for (const { one, other, isSame } of pairs) {
    if (!isSame || !vectors.has(one) || !vectors.has(other)) continue;
    const yaw = Math.max(await yawOf(one), await yawOf(other));
    const range = RANGES.findLast(([from]) => yaw >= from)!;
    const value = confidence(cosine(vectors.get(one)!, vectors.get(other)!), by);
    cases.push({ what: lostWithin(range), half: halfOfPerson(one), counts: value < MATCH_CONFIDENCE });
  }
  const order = RANGES.map(lostWithin);
  return ratesOf(cases.toSorted((one, two) => order.indexOf(one.what) - order.indexOf(two.what)));
}

const lostWithin = ([from, to]: readonly [number, number]): string =>
  `genuine pairs lost at confidence ${MATCH_CONFIDENCE}: measured yaw ${from} to ${to}°`;

/** `every`: uses each n-th photograph; one that is refused as it is, or looks aside, counts nowhere. */
export async function rateTurned(comparer: Comparer, every: number): Promise<Rate[]> {
  const cases: Case[] = [];
  for (const [i, name] of photographNames().entries()) {
    if (i % every !== 0) continue;
    // Enlarged, so that a turned head is not refused for being narrow.
    const picture = await pixelsOf(readPhotograph(name), ENLARGED);
    const bytes = await jpegOf(picture);
    if ((await refusalOf(comparer, bytes, 'selfie')) !== null) continue;
    const points = await comparer.landmarks(bytes, 'portrait').catch(nullIfRefused);
    if (points === null || Math.abs(poseOf(points).yaw) > FRONT_MAX) continue;
    // Alternately to the left and to the right.
    const direction = i % (2 * every) === 0 ? 1 : -1;
    for (const angle of TURNED) {
      const refusal = await refusalOf(comparer, await jpegOf(turnedHead(picture, points, direction * angle)), 'selfie');
      const [half, what] = [halfOfPerson(name), `a head turned by ${angle}° (on a cylinder)`];
      cases.push({ what: `refused as face_turned_away: ${what}`, half, counts: refusal === 'face_turned_away' });
      cases.push({ what: `refused for any reason: ${what}`, half, counts: refusal !== null });
    }
  }
  return ratesOf(cases);
}

/** Radius of the cylinder, as a multiple of half the width of the jaw. */
const RADIUS = 1.15;
/** How far above and below the bridge of the nose the picture is fully turned, and over what length the turn then fades out. As multiples of the distance from there to the chin. */
const TALL = { up: 1, down: 1.1, fade: 0.3 };

/** The head as it looks if a cylinder that carries the photograph is turned by `angle` degrees about its upright axis. */
function turnedHead(picture: Picture, points: readonly Point[], angle: number): Picture {
  const { width, height } = picture;
  const [left, right, bridge, chin] = [points[0]!, points[16]!, points[27]!, points[8]!];
  const roll = Math.atan2(right.y - left.y, right.x - left.x);
  const [cos, sin] = [Math.cos(roll), Math.sin(roll)];
  const centre = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
  const radius = (RADIUS * Math.hypot(right.x - left.x, right.y - left.y)) / 2;
  const tall = Math.hypot(chin.x - bridge.x, chin.y - bridge.y);
  const data = new Uint8Array(picture.data.length);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const across = ((x - centre.x) * cos + (y - centre.y) * sin) / radius;
      const down = ((y - bridge.y) * cos - (x - bridge.x) * sin) / tall;
      const beyond = Math.max(0, down - TALL.down, -down - TALL.up) / TALL.fade;
      const turn = ((angle * Math.PI) / 180) * Math.max(0, 1 - beyond);
      const moved = Math.abs(across) < 1 ? (Math.sin(Math.asin(across) - turn) - across) * radius : 0;
      const [red, green, blue] = colourAt(picture, x + 0.5 + moved * cos, y + 0.5 + moved * sin);
      data.set([red, green, blue], (y * width + x) * 3);
    }
  return { data, width, height };
}
