/** The arithmetic between the nets: similarity of points, sampling, box suppression, pose, cosine and confidence. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { align, similarity } from '../../../src/engines/face/align.ts';
import { suppress } from '../../../src/engines/face/detect.ts';
import { confidence, cosine } from '../../../src/engines/face/embed.ts';
import { poseOf } from '../../../src/engines/face/landmarks.ts';
import {
  fromBox,
  luma,
  type Picture,
  type Point,
  type QuarterTurns,
  sample,
  turned,
  turnedBox,
} from '../../../src/engines/face/picture.ts';
import { measureLight } from '../../../src/engines/face/quality.ts';

const coordinate = fc.double({ min: -500, max: 500, noNaN: true });

function picture(width: number, height: number, colour: (x: number, y: number) => [number, number, number]): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) data.set(colour(x, y), (y * width + x) * 3);
  return { data, width, height };
}

describe('quarter turns', () => {
  // Each pixel encodes its original place.
  const upright = picture(5, 3, (x, y) => [x, y, 7]);
  const at = ({ data, width }: Picture, x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];

  it.each<[QuarterTurns, number, number, number[]]>([
    [0, 5, 3, [0, 0, 7]],
    [1, 3, 5, [0, 2, 7]],
    [2, 5, 3, [4, 2, 7]],
    [3, 3, 5, [4, 0, 7]],
  ])('%i of them clockwise', (turn, width, height, corner) => {
    const one = turned(upright, turn);
    expect([one.width, one.height]).toEqual([width, height]);
    expect(at(one, 0, 0)).toEqual(corner);
    const box = turnedBox({ left: 3, top: 1, width: 1, height: 1 }, turn, upright);
    expect(at(one, box.left, box.top)).toEqual([3, 1, 7]);
    expect(turned(one, ((4 - turn) % 4) as QuarterTurns)).toEqual(upright);
  });
});

describe('similarity transforms', () => {
  const five: Point[] = [
    { x: 38, y: 52 },
    { x: 74, y: 51 },
    { x: 56, y: 72 },
    { x: 41, y: 92 },
    { x: 71, y: 93 },
  ];

  it('recovers any turn, scale and shift', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        coordinate,
        coordinate,
        (turn, scale, x, y) => {
          const moved = five.map((point) => ({
            x: scale * (point.x * Math.cos(turn) - point.y * Math.sin(turn)) + x,
            y: scale * (point.x * Math.sin(turn) + point.y * Math.cos(turn)) + y,
          }));
          const { a, b, c, d, e, f } = similarity(five, moved);
          for (const [i, point] of five.entries()) {
            expect(a * point.x + b * point.y + c).toBeCloseTo(moved[i]!.x, 4);
            expect(d * point.x + e * point.y + f).toBeCloseTo(moved[i]!.y, 4);
          }
        },
      ),
    );
  });

  it('is optimal: no other turn, scale or shift comes nearer', () => {
    const goal = five.map(({ x, y }, i) => ({ x: x * 1.3 + [3, -2, 4, -5, 1][i]!, y: y * 1.3 + [-1, 4, -3, 2, 5][i]! }));
    const best = similarity(five, goal);
    const miss = ({ a, b, c, d, e, f }: typeof best): number =>
      five.reduce((sum, { x, y }, i) => sum + (a * x + b * y + c - goal[i]!.x) ** 2 + (d * x + e * y + f - goal[i]!.y) ** 2, 0);
    for (const by of [-0.02, 0.02]) {
      expect(miss({ ...best, a: best.a + by, e: best.e + by })).toBeGreaterThan(miss(best));
      expect(miss({ ...best, b: best.b - by, d: best.d + by })).toBeGreaterThan(miss(best));
      expect(miss({ ...best, c: best.c + by * 10 })).toBeGreaterThan(miss(best));
    }
  });

  it('a mirrored face is not turned inside out', () => {
    const { a, b, d, e } = similarity(
      five,
      five.map(({ x, y }) => ({ x: 112 - x, y })),
    );
    expect(a * e - b * d).toBeGreaterThan(0);
  });
});

describe('sampling', () => {
  const ramp = picture(40, 20, (x, y) => [x * 6, y * 12, 128]);

  it('the whole picture at its own size is the picture', () => {
    const { data } = sample(ramp, fromBox({ left: 0, top: 0, width: 40, height: 20 }, 40, 20), 40, 20);
    for (let i = 0; i < 800; i += 1) expect([data[i], data[800 + i], data[1600 + i]]).toEqual([...ramp.data.subarray(i * 3, i * 3 + 3)]);
  });

  it('shrinking averages the pixels below', () => {
    const checks = picture(40, 40, (x, y) => ((x + y) % 2 === 0 ? [255, 255, 255] : [0, 0, 0]));
    const { data } = sample(checks, fromBox({ left: 0, top: 0, width: 40, height: 40 }, 20, 20), 20, 20);
    for (const value of data) expect(value).toBeCloseTo(127.5, 3);
  });

  it('beyond the edge the edge continues', () => {
    const { data } = sample(ramp, fromBox({ left: -100, top: 0, width: 20, height: 20 }, 20, 20), 20, 20);
    expect(new Set(data.subarray(0, 400))).toEqual(new Set([0]));
  });

  it('a face lands where the template has it', () => {
    // A dot at each of the five points of a face turned by 20 degrees, twice as large as the template.
    const turn = Math.PI / 9;
    const template = [
      [38.2946, 51.6963],
      [73.5318, 51.5014],
      [56.0252, 71.7366],
      [41.5493, 92.3655],
      [70.7299, 92.2041],
    ];
    const five = template.map(([x, y]) => ({
      x: 2 * (x! * Math.cos(turn) - y! * Math.sin(turn)) + 150,
      y: 2 * (x! * Math.sin(turn) + y! * Math.cos(turn)) + 20,
    }));
    const dots = picture(400, 400, (x, y) =>
      five.some((point) => Math.hypot(point.x - x - 0.5, point.y - y - 0.5) < 5) ? [255, 255, 255] : [0, 0, 0],
    );
    const gray = luma(align(dots, five, 112, 1));
    for (const [x, y] of template) expect(gray[Math.floor(y!) * 112 + Math.floor(x!)]).toBeGreaterThan(200);
    expect(gray.filter((value) => value > 128).length).toBeLessThan(5 * 30);
  });
});

describe('boxes', () => {
  const face = (left: number, score: number, size = 100) => ({ box: { left, top: 0, width: size, height: size }, score });

  it('of overlapping boxes the most certain stays; separate boxes all stay', () => {
    expect(suppress([face(0, 0.8), face(10, 0.95), face(300, 0.7), face(20, 0.9)])).toEqual([face(10, 0.95), face(300, 0.7)]);
  });

  it('neighbours that share less than the limit are two faces', () => {
    expect(suppress([face(0, 0.9), face(60, 0.8)])).toHaveLength(2);
    expect(suppress([face(0, 0.9), face(40, 0.8)])).toHaveLength(1);
  });

  it('kept boxes never overlap, and every dropped box overlaps a more certain one', () => {
    const anyFace = fc.record({ left: fc.integer({ min: 0, max: 300 }), score: fc.double({ min: 0.65, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(anyFace, { maxLength: 40 }), (list) => {
        const faces = list.map(({ left, score }) => face(left, score));
        const kept = suppress(faces);
        const overlap = (one: number, other: number) =>
          Math.max(0, 100 - Math.abs(one - other)) / (100 + Math.min(100, Math.abs(one - other)));
        for (const [i, one] of kept.entries())
          for (const other of kept.slice(i + 1)) expect(overlap(one.box.left, other.box.left)).toBeLessThanOrEqual(0.4);
        for (const dropped of faces.filter((one) => !kept.includes(one)))
          expect(kept.some((one) => one.score >= dropped.score && overlap(one.box.left, dropped.box.left) > 0.4)).toBe(true);
      }),
    );
  });
});

describe('pose', () => {
  /** Points of a face that has only what the pose looks at. */
  function face(roll: number, nose: number): Point[] {
    const turn = (x: number, y: number): Point => ({
      x: x * Math.cos(roll) - y * Math.sin(roll),
      y: x * Math.sin(roll) + y * Math.cos(roll),
    });
    const points = Array.from({ length: 68 }, () => turn(0, 0));
    points[0] = turn(-60, 0);
    points[16] = turn(60, 0);
    for (let i = 36; i < 42; i += 1) points[i] = turn(-30, -10);
    for (let i = 42; i < 48; i += 1) points[i] = turn(30, -10);
    points[30] = turn(nose, 20);
    return points;
  }

  it('an upright frontal face has none', () => {
    expect(poseOf(face(0, 0)).roll).toBeCloseTo(0);
    expect(poseOf(face(0, 0)).yaw).toBeCloseTo(0);
  });

  it('roll and yaw are told apart', () => {
    expect(poseOf(face(Math.PI / 6, 0)).roll).toBeCloseTo(30);
    expect(poseOf(face(Math.PI / 6, 0)).yaw).toBeCloseTo(0);
    expect(poseOf(face(0, 40)).yaw).toBeGreaterThan(20);
    expect(poseOf(face(0, -40)).yaw).toBeLessThan(-20);
  });
});

describe('face measures', () => {
  it('cosine and confidence', () => {
    const unit = (x: number, y: number) => Float32Array.from([x, y]);
    expect(cosine(unit(1, 0), unit(1, 0))).toBe(1);
    expect(cosine(unit(1, 0), unit(0, 1))).toBe(0);
    expect(cosine(unit(1, 0), unit(-1, 0))).toBe(-1);
    expect(confidence(0.3, { slope: 20, offset: -6 })).toBeCloseTo(50);
    expect(confidence(1, { slope: 20, offset: -6 })).toBeLessThanOrEqual(100);
  });

  it('sharpness falls with detail, brightness with light', () => {
    const planes = (colour: (x: number, y: number) => number) => {
      const { data, width, height } = sample(
        picture(64, 64, (x, y) => [colour(x, y), colour(x, y), colour(x, y)]),
        fromBox({ left: 0, top: 0, width: 64, height: 64 }, 64, 64),
        64,
        64,
      );
      return measureLight({ data, width, height });
    };
    expect(planes(() => 90)).toEqual({ brightness: expect.closeTo(90, 3), sharpness: expect.closeTo(0, 3) });
    const fine = planes((x) => (x % 2) * 200);
    const coarse = planes((x) => 100 + 100 * Math.sin(x / 6));
    expect(fine.sharpness).toBeGreaterThan(coarse.sharpness * 100);
  });
});
