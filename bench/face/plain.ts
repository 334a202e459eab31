/**
 * How unaltered photographs fare as selfies and as portraits: gray ones, colour ones, and the colour ones converted to gray, which isolates the effect of gray.
 * The data set rotated its gray photographs to level the eyes and filled the corners with black, which leaves straight edges like those of a picture frame. So the
 * gray photographs are also judged with their outer edges cropped.
 */
import sharp from 'sharp';
import type { Comparer } from '../../src/engines/face/compare.ts';
import type { FaceProblem, Liveness } from '../../src/engines/face/face.ts';
import { photographNames, readPairs, readPhotograph } from '../photographs.ts';
import { AFRICAN } from './calibration.ts';
import { halfOfPerson } from './people.ts';
import { grayOf } from './pixels.ts';
import { type Case, codeOf, type Rate, ratesOf, refusalOf } from './rates.ts';
import type { Half } from './recaptures.ts';

interface Sent {
  group: string;
  half: Half;
  selfie: Liveness | FaceProblem;
  portrait: FaceProblem | null;
}

/** Pixels on each side of 250. A photograph was turned by up to about 5°. */
const BLACK_EDGE = 24;

/** `every`: uses each n-th photograph. */
export async function ratePlain(comparer: Comparer, every: number): Promise<Rate[]> {
  const african = new Set(
    readPairs()
      .filter(({ set }) => set === AFRICAN)
      .flatMap(({ one, other }) => [one, other]),
  );
  const sent: Sent[] = [];
  for (const [i, name] of photographNames().entries()) {
    if (i % every !== 0) continue;
    const bytes = readPhotograph(name);
    const add = async (group: string, picture: Buffer): Promise<void> => {
      const selfie = await comparer.inspect({ picture, side: 'selfie', wantsLiveness: true }).then(({ liveness }) => liveness!, codeOf);
      sent.push({ group, half: halfOfPerson(name), selfie, portrait: await refusalOf(comparer, picture, 'portrait') });
    };
    if (name.startsWith('c_')) {
      await add('photographs in colours', bytes);
      await add('the same without colours', await grayOf(bytes));
    } else {
      const people = african.has(name) ? 'people of African descent' : 'other people';
      await add(`gray photographs, ${people}`, bytes);
      await add(`gray photographs without their black edges, ${people}`, await withoutEdges(bytes));
    }
  }
  const judged = sent.filter((one): one is Sent & { selfie: Liveness } => typeof one.selfie !== 'string');
  const reasons = new Set(sent.flatMap(({ selfie }) => (typeof selfie === 'string' ? [selfie] : [])));
  const cases: Case[] = [
    ...sent.map(({ group, half, portrait }) => ({ what: `refused as a portrait: ${group}`, half, counts: portrait !== null })),
    ...[...reasons].flatMap((code) =>
      sent.map(({ group, half, selfie }) => ({ what: `refused as a selfie, ${code}: ${group}`, half, counts: selfie === code })),
    ),
    ...(['live', 'review', 'spoof', 'inconclusive'] as const).flatMap((decision) =>
      judged.map(({ group, half, selfie }) => ({ what: `${decision}: ${group}`, half, counts: selfie.decision === decision })),
    ),
  ];
  return ratesOf(cases);
}

async function withoutEdges(bytes: Uint8Array): Promise<Buffer> {
  const { width, height } = await sharp(bytes).metadata();
  return sharp(bytes)
    .extract({ left: BLACK_EDGE, top: BLACK_EDGE, width: width - 2 * BLACK_EDGE, height: height - 2 * BLACK_EDGE })
    .jpeg({ quality: 95 })
    .toBuffer();
}
