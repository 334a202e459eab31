/** The engine as its callers see it: threads, verdicts and refusals. Suites that need faces compose them from the development pairs. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COVERINGS, cover } from '../../../bench/face/coverings.ts';
import { grayOf, jpegOf, pixelsOf } from '../../../bench/face/pixels.ts';
import { RECAPTURES, recapture } from '../../../bench/face/recaptures.ts';
import { seeded } from '../../../bench/face/scene.ts';
import { hasPhotographs, readPhotograph } from '../../../bench/photographs.ts';
import { type Comparer, openComparer } from '../../../src/engines/face/compare.ts';
import { openFaceEngine } from '../../../src/engines/face/engine.ts';
import type { FaceEngine, FaceRefusal } from '../../../src/engines/face/face.ts';
import { readModels } from '../../../src/engines/face/models.ts';
import { modelsAreHere, skipNote } from './faces.ts';

const CARTOON = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="640"><rect width="640" height="640" fill="#9cf"/>
  <rect x="120" y="120" width="400" height="400" rx="40" fill="#fc3" stroke="#000" stroke-width="8"/>
  <circle cx="230" cy="260" r="50" fill="#fff" stroke="#000" stroke-width="8"/><circle cx="230" cy="260" r="12"/>
  <rect x="370" y="230" width="80" height="60" fill="#fff" stroke="#000" stroke-width="8"/><path d="M220 420 L260 450 L300 420 L340 450 L380 420" fill="none" stroke="#000" stroke-width="10"/></svg>`;

const plain = (colour: string, size = 600): Promise<Buffer> =>
  sharp({ create: { width: size, height: size, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();

let engine: FaceEngine;
const refusal = (promise: Promise<unknown>): Promise<FaceRefusal | null> =>
  promise.then(
    () => null,
    (error: FaceRefusal) => error,
  );

describe.skipIf(!modelsAreHere)(modelsAreHere ? 'face engine' : 'face engine (SKIPPED: no face models, see `npm run models`)', () => {
  beforeAll(async () => {
    engine = await openFaceEngine({ threads: 1 });
  });
  afterAll(() => engine.close());

  it.each([
    ['a black frame', () => plain('black'), 'image_too_dark'],
    ['a wall', () => plain('#c8b090'), 'no_face_detected'],
    [
      'noise',
      () =>
        sharp({ create: { width: 500, height: 500, channels: 3, background: 'gray', noise: { type: 'gaussian', mean: 128, sigma: 60 } } })
          .jpeg()
          .toBuffer(),
      'no_face_detected',
    ],
    ['a cartoon', () => sharp(Buffer.from(CARTOON)).png().toBuffer(), 'no_face_detected'],
    ['a single pixel', () => plain('white', 1), 'no_face_detected'],
    ['nothing', async () => Buffer.alloc(0), 'invalid_image'],
  ])('%s is refused', async (_, make, code) => {
    const error = await refusal(engine.inspect({ picture: await make(), side: 'selfie', wantsLiveness: true }));
    expect([error?.name, error?.code, error?.side]).toEqual(['FaceRefusal', code, 'selfie']);
  });

  it('the refusal names the faulty picture', async () => {
    const wall = await plain('#c8b090');
    const error = await refusal(engine.compare({ selfie: wall, portrait: Buffer.from('%PDF-1.7'), wantsLiveness: false }));
    expect([error?.code, error?.side]).toEqual(['invalid_image', 'portrait']);
  });
});

const isHere = hasPhotographs && modelsAreHere;

describe.skipIf(!isHere)(skipNote('face engine on faces'), () => {
  const one = (): Buffer => readPhotograph('c_Tony_Blair_0001');
  const again = (): Buffer => readPhotograph('c_Tony_Blair_0002');
  const other = (): Buffer => readPhotograph('c_Colin_Powell_0003');
  const resized = (picture: Buffer, width: number): Promise<Buffer> => sharp(picture).resize({ width }).jpeg({ quality: 92 }).toBuffer();

  let comparer: Comparer;
  beforeAll(async () => {
    engine = await openFaceEngine({ threads: 2 });
    comparer = await openComparer(await readModels());
  });
  /** The face on a telephone. */
  const shown = async () => recapture(RECAPTURES[0]!, await pixelsOf(await resized(one(), 500)), seeded(7));
  afterAll(() => engine.close());

  it('the same person matches, another one does not', async () => {
    const [same, different] = await Promise.all([
      engine.compare({ selfie: one(), portrait: again(), wantsLiveness: true }),
      engine.compare({ selfie: one(), portrait: other(), wantsLiveness: false }),
    ]);
    expect(same.confidence).toBeGreaterThan(97);
    expect(different.confidence).toBeLessThan(20);
    expect([same.replay_suspected, different.replay_suspected]).toEqual([false, false]);
    expect(same.liveness!.score).toBeGreaterThanOrEqual(0);
    expect(different.liveness).toBeNull();
    expect(same.faces).toEqual({ selfie: 1, portrait: 1 });
    expect(Math.abs(same.quality.selfie.roll)).toBeLessThan(20);
  });

  it('the portrait itself, saved again, is suspicious as a selfie', async () => {
    const saved = await sharp(one()).resize({ width: 400 }).jpeg({ quality: 70 }).toBuffer();
    expect((await engine.compare({ selfie: saved, portrait: one(), wantsLiveness: false })).replay_suspected).toBe(true);
  });

  it('a mirrored selfie is the same person', async () => {
    const mirrored = await sharp(one()).flop().jpeg().toBuffer();
    expect((await engine.compare({ selfie: mirrored, portrait: again(), wantsLiveness: false })).confidence).toBeGreaterThan(95);
  });

  it('a face the camera turned is turned back by EXIF', async () => {
    const turned = await sharp(one()).rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer();
    const { confidence } = await engine.compare({ selfie: turned, portrait: again(), wantsLiveness: false });
    expect(confidence).toBeGreaterThan(97);
  });

  it.each([90, 180, 270])('a face turned by %i degrees without EXIF is found in its own pixels and is the same person', async (angle) => {
    const turned = await sharp(await resized(one(), 2_500))
      .rotate(angle)
      .jpeg({ quality: 92 })
      .toBuffer();
    const { confidence, quality, liveness, faces } = await engine.compare({ selfie: turned, portrait: again(), wantsLiveness: true });
    expect(confidence).toBeGreaterThan(97);
    expect(Math.abs(quality.selfie.roll)).toBeLessThan(20);
    expect(faces.selfie).toBe(1);
    const upright = await engine.inspect({ picture: await resized(one(), 2_500), side: 'selfie', wantsLiveness: true });
    expect(quality.selfie.face_width / upright.quality.face_width).toBeCloseTo(1, 1);
    expect(liveness!.decision).toBe(upright.liveness!.decision);
  });

  it('two strangers who both lie upside down are two people', async () => {
    const [selfie, portrait] = await Promise.all([one(), other()].map((picture) => sharp(picture).rotate(180).jpeg().toBuffer()));
    expect((await engine.compare({ selfie: selfie!, portrait: portrait!, wantsLiveness: false })).confidence).toBeLessThan(20);
  });

  it('two people in a selfie are refused; in a portrait the one in front counts, if there is one', async () => {
    const both = await sharp({ create: { width: 500, height: 250, channels: 3, background: 'gray' } })
      .composite([
        { input: one(), left: 0, top: 0 },
        { input: other(), left: 250, top: 0 },
      ])
      .jpeg()
      .toBuffer();
    for (const angle of [0, 90]) {
      const picture = await sharp(both).rotate(angle).jpeg().toBuffer();
      expect((await refusal(engine.inspect({ picture, side: 'selfie', wantsLiveness: false })))?.code).toBe('multiple_faces');
    }
    const twice = await sharp(both)
      .composite([{ input: one(), left: 250, top: 0 }])
      .jpeg()
      .toBuffer();
    const equal = await refusal(engine.inspect({ picture: twice, side: 'portrait', wantsLiveness: false }));
    expect([equal?.code, equal?.side]).toEqual(['multiple_faces', 'portrait']);
    const aside = await sharp({ create: { width: 420, height: 250, channels: 3, background: 'gray' } })
      .composite([
        { input: one(), left: 0, top: 0 },
        { input: await resized(other(), 170), left: 250, top: 0 },
      ])
      .jpeg()
      .toBuffer();
    expect((await engine.inspect({ picture: aside, side: 'portrait', wantsLiveness: false })).faces).toBe(2);
  });

  it('a face too small, dark, blurred or near is refused or cannot be judged', async () => {
    const code = async (picture: Promise<Buffer>) =>
      (await refusal(engine.inspect({ picture: await picture, side: 'selfie', wantsLiveness: true })))?.code;
    expect(await code(resized(one(), 130))).toBe('face_too_small');
    expect(await code(sharp(one()).linear(0.06, 0).jpeg().toBuffer())).toMatch(/image_too_dark|no_face_detected/);
    expect(await code(sharp(one()).blur(4).jpeg().toBuffer())).toMatch(/image_blurry|no_face_detected/);
  });

  it('a close selfie is judged; one that shows hardly more than the face is not', async () => {
    const near = (left: number, width: number) =>
      sharp(one()).extract({ left, top: 65, width, height: 125 }).resize({ height: 400 }).jpeg({ quality: 95 }).toBuffer();
    const judge = async (picture: Buffer) => (await engine.inspect({ picture, side: 'selfie', wantsLiveness: true })).liveness;
    expect((await judge(await near(65, 125)))!.score).toBeGreaterThan(0);
    expect(await judge(await near(75, 102))).toEqual({ score: null, decision: 'inconclusive', reason: 'face_too_close' });
  });

  it('tones that are nowhere dark say nothing about a picture without colours: another one is asked for', async () => {
    const veiled = await sharp(again()).linear(0.72, 70).jpeg({ quality: 95 }).toBuffer();
    const gray = await grayOf(veiled);
    const judge = async (picture: Buffer) => (await engine.inspect({ picture, side: 'selfie', wantsLiveness: true })).liveness;
    expect(await judge(veiled)).toMatchObject({ decision: 'review', reason: 'liveness_uncertain' });
    expect(await judge(gray)).toEqual({ score: null, decision: 'inconclusive', reason: 'no_colours' });
    expect((await judge(await grayOf(again())))?.decision, 'gray alone is no reason').toBe('live');
    const shot = await jpegOf(await shown());
    expect((await judge(await grayOf(shot)))?.decision, 'other evidence counts as before').toBe((await judge(shot))?.decision);
  });

  it('a portrait without colours is compared like any other', async () => {
    const gray = await grayOf(again());
    const { confidence, faces } = await engine.compare({ selfie: one(), portrait: gray, wantsLiveness: false });
    expect(confidence).toBeGreaterThan(90);
    expect(faces.portrait).toBe(1);
  });

  it.each(['background', 'copy', 'mirror'] as const)('a border (%s) around a picture changes no verdict', async (extendWith) => {
    const judge = async (picture: Buffer) => {
      const { liveness, quality } = await engine.inspect({ picture, side: 'selfie', wantsLiveness: true });
      return { ...liveness!, width: quality.face_width };
    };
    for (const picture of [again(), await jpegOf(await shown())]) {
      const without = await judge(await sharp(picture).png().toBuffer());
      for (const share of [0.1, 0.4]) {
        const { width, height } = await sharp(picture).metadata();
        const [x, y] = [Math.round(width * share), Math.round(height * share)];
        const bordered = sharp(picture).extend({ top: y, bottom: y, left: x, right: x, extendWith, background: '#204060' });
        const within = await judge(await bordered.png().toBuffer());
        expect(within.decision).toBe(without.decision);
        expect(Math.abs(within.score! - without.score!), `${share}: ${within.score} instead of ${without.score}`).toBeLessThan(0.1);
        const saved = await judge(await bordered.jpeg({ quality: 92 }).toBuffer());
        expect(saved.decision === 'live', `${share}, saved again: ${saved.score} instead of ${without.score}`).toBe(
          without.decision === 'live',
        );
      }
    }
  });

  it('a face that is small in a large picture is found', async () => {
    const scene = await sharp({ create: { width: 3000, height: 4000, channels: 3, background: '#b8b0a0' } })
      .composite([{ input: await resized(one(), 370), left: 1500, top: 2300 }])
      .jpeg()
      .toBuffer();
    const { confidence, quality, faces } = await engine.compare({ selfie: scene, portrait: again(), wantsLiveness: false });
    expect(quality.selfie.face_width).toBeGreaterThan(100);
    expect(quality.selfie.face_width).toBeLessThan(200);
    expect(confidence).toBeGreaterThan(90);
    expect(faces.selfie).toBe(1);
  });

  it.each(COVERINGS.filter(({ half }) => half === 'development'))('$name: refused if it covers the $covers', async (covering) => {
    const points = await comparer.landmarks(one(), 'portrait');
    const picture = await cover(one(), points, covering, seeded(3));
    const error = await refusal(engine.inspect({ picture, side: 'selfie', wantsLiveness: false }));
    expect(error?.code ?? 'taken').toMatch(covering.covers === 'nothing' ? /^taken$/ : /_covered$|^no_face|^face_too_small$/);
  });

  it('a face in profile is refused as a selfie and taken as a portrait', async () => {
    const profile = readPhotograph('g_Phil_Gramm_0002');
    expect((await refusal(engine.inspect({ picture: profile, side: 'selfie', wantsLiveness: false })))?.code).toBe('face_turned_away');
    expect(Math.abs((await engine.inspect({ picture: profile, side: 'portrait', wantsLiveness: false })).quality.yaw)).toBeGreaterThan(35);
  });

  it('a pattern visible only in the pixels of a large photograph is found there', async () => {
    const photo = await pixelsOf(await resized(again(), 1500));
    const { width } = photo;
    const dotted = photo.data.map((value, i) => {
      const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
      return Math.max(0, Math.min(255, value + 24 * Math.cos((2 * Math.PI * (0.94 * x + 0.34 * y)) / 2.6)));
    });
    const judge = async (picture: Buffer) => (await engine.inspect({ picture, side: 'selfie', wantsLiveness: true })).liveness!;
    expect((await judge(await jpegOf(photo))).decision).toBe('live');
    expect(await judge(await jpegOf({ ...photo, data: dotted }))).toMatchObject({ decision: 'spoof', reason: 'print_pattern' });
  });

  it('a large photograph with a small face is measured in its own pixels', async () => {
    const { quality } = await engine.inspect({ picture: await resized(one(), 2500), side: 'selfie', wantsLiveness: false });
    const small = await engine.inspect({ picture: one(), side: 'selfie', wantsLiveness: false });
    expect(quality.face_width / small.quality.face_width).toBeGreaterThan(9);
    expect(quality.face_width / small.quality.face_width).toBeLessThan(11);
  });
});
