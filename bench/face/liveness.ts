/** Measures how often selfies and recaptures of the same photographs pass as live, by kind, through the whole pipeline. */
import sharp from 'sharp';
import type { Comparer } from '../../src/engines/face/compare.ts';
import { FaceRefusal, type Liveness } from '../../src/engines/face/face.ts';
import type { Picture } from '../../src/engines/face/picture.ts';
import { wilson } from '../figure.ts';
import { photographNames, readPhotograph } from '../photographs.ts';
import { CUT_OUTS, SELFIES_BEFORE_ROOMS } from './cut-outs.ts';
import { halfOfPerson } from './people.ts';
import { type Half, RECAPTURES, type Recapture, recapture } from './recaptures.ts';
import { anySending, type Random, seeded, send } from './scene.ts';
import { SELFIES } from './selfies.ts';

export interface LivenessRate {
  kind: string;
  isReal: boolean;
  /** Held out: a kind or a person that the weights were not fitted on. */
  half: Half;
  pictures: number;
  /** No face, for example: neither live nor not. */
  refused: number;
  inconclusive: number;
  live: number;
  /** Of those that were judged. */
  interval: [number, number];
}

/** Photographs are enlarged first, so that a panel's pixels are finer than theirs. */
const ENLARGED = 500;
const LATER = 7_919;

/** `every`: uses each n-th colour photograph. */
export async function rateLiveness(comparer: Comparer, every: number, seed: number): Promise<LivenessRate[]> {
  const rows: { kind: string; isReal: boolean; half: Half; decision: Liveness['decision'] | 'refused' }[] = [];
  const names = photographNames().filter((name) => name.startsWith('c_'));
  for (const [i, name] of names.entries()) {
    if (i % every !== 0) continue;
    const photo = await enlarged(name);
    const random = seeded(seed + i);
    const add = async (kind: string, isReal: boolean, half: Half, picture: Buffer): Promise<void> => {
      const people = halfOfPerson(name);
      rows.push({ kind, isReal, half: people === 'held out' ? people : half, decision: await decide(comparer, picture) });
    };
    await add('as it is', true, 'development', readPhotograph(name));
    for (const selfie of SELFIES) await add(selfie.name, true, selfie.half, await selfie.take(photo, random));
    const retaken = async (kind: Recapture, by: Random): Promise<Buffer> => send(await recapture(kind, photo, by), anySending(by), by);
    for (const kind of RECAPTURES) await add(kind.name, false, kind.half, await retaken(kind, random));
    // With numbers of their own, so that the pictures above stay the same.
    const later = seeded(seed + i + LATER);
    for (const selfie of SELFIES_BEFORE_ROOMS) await add(selfie.name, true, selfie.half, await selfie.take(photo, later));
    for (const kind of CUT_OUTS) await add(kind.name, false, kind.half, await retaken(kind, later));
  }
  const groups = [
    ...rows.map(({ kind, isReal, half }) => ({ kind, isReal, half })),
    ...[true, false].flatMap((isReal) => HALVES.map((half) => ({ kind: ALL[`${isReal}`], isReal, half }))),
  ];
  const keys = new Map(groups.map((group) => [JSON.stringify(group), group]));
  return [...keys.values()].map((group) => {
    const of = rows.filter(
      (row) => row.isReal === group.isReal && row.half === group.half && (row.kind === group.kind || group.kind === ALL[`${row.isReal}`]),
    );
    const count = (decision: (typeof of)[number]['decision']): number => of.filter((row) => row.decision === decision).length;
    const [refused, inconclusive, live] = [count('refused'), count('inconclusive'), count('live')];
    return { ...group, pictures: of.length, refused, inconclusive, live, interval: wilson(live, of.length - refused - inconclusive) };
  });
}

const HALVES: readonly Half[] = ['development', 'held out'];
export const ALL = { true: 'all real faces', false: 'all recaptures' } as const;

async function enlarged(name: string): Promise<Picture> {
  const { data, info } = await sharp(readPhotograph(name))
    .resize({ width: ENLARGED, kernel: 'cubic' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function decide(comparer: Comparer, picture: Buffer): Promise<Liveness['decision'] | 'refused'> {
  try {
    return (await comparer.inspect({ picture, side: 'selfie', wantsLiveness: true })).liveness!.decision;
  } catch (error) {
    if (error instanceof FaceRefusal) return 'refused';
    throw error;
  }
}
