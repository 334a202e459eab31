import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/access/fair-queue.ts';
import { Gate, type GateOptions, type Leave } from '../../src/access/gate.ts';
import { Loudness } from '../../src/access/loudness.ts';
import { followLoop, Pressure } from '../../src/access/pressure.ts';
import { type ApiError, ClientGone } from '../../src/foundation/errors.ts';

const WEIGHTS: Record<string, number> = { heavy: 2, light: 0.25 };
const weightOf = (appId: string): number => WEIGHTS[appId] ?? 1;
const open = (options: Partial<GateOptions> = {}) =>
  new Gate(weightOf, { what: 'uploads', all: 8, queue: { max: 100, ms: 60_000 }, retrySeconds: 7, ...options });

const refusalOf = async (entering: () => unknown): Promise<ApiError> => {
  try {
    await entering();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('it was not refused');
};

describe('a fair queue', () => {
  it('gives each app turns by its weight, however many wait for one of them', () => {
    const queue = new FairQueue<string>(weightOf);
    for (let i = 0; i < 1_000; i++) queue.add('a', 'a');
    for (let i = 0; i < 20; i++) for (const app of ['heavy', 'light']) queue.add(app, app);
    const turns = Array.from({ length: 26 }, () => queue.shift());
    const count = (app: string) => turns.filter((turn) => turn === app).length;
    expect([count('heavy'), count('a'), count('light')]).toEqual([16, 8, 2]);
  });

  it('does not let an app save up turns while it wants none', () => {
    const queue = new FairQueue<string>(weightOf);
    queue.add('late', 'late');
    queue.shift();
    for (let i = 0; i < 10; i++) queue.add('a', 'a');
    for (let i = 0; i < 6; i++) queue.shift();
    for (let i = 0; i < 4; i++) queue.add('late', 'late');
    expect(Array.from({ length: 4 }, () => queue.shift())).toEqual(expect.arrayContaining(['a', 'late', 'a', 'late']));
  });

  it('counts a turn by its size', () => {
    const queue = new FairQueue<string>(weightOf);
    for (let i = 0; i < 2; i++) queue.add('large', 'large', 10);
    for (let i = 0; i < 20; i++) queue.add('small', 'small', 1);
    const turns = Array.from({ length: 13 }, () => queue.shift());
    expect(turns.filter((turn) => turn === 'large')).toHaveLength(2);
    expect(turns.indexOf('large', 1)).toBeGreaterThan(9);
  });
});

describe('a gate', () => {
  it('admits at once while there is room, without a promise', () => {
    const gate = open();
    const leave = gate.enter('a');
    expect(leave).toBeInstanceOf(Function);
    (leave as Leave)();
    (leave as Leave)();
    expect(gate.inUse()).toEqual({ taken: 0, waiting: 0 });
  });

  it('bounds an app by its weight, never leaves one everything, and tells whose bound it was', async () => {
    const bound = async (appId: string) => {
      const gate = open({ queue: null });
      for (let n = 0; ; n++) {
        const entered = await Promise.resolve(gate.enter(appId)).catch(() => null);
        if (entered === null) return n;
      }
    };
    expect([await bound('a'), await bound('heavy'), await bound('light')]).toEqual([4, 7, 1]);
    const gate = open({ queue: null });
    for (let i = 0; i < 4; i++) gate.enter('a');
    const own = await refusalOf(() => gate.enter('a'));
    expect([own.code, own.headers['Retry-After'], own.message]).toEqual([
      'too_many_in_progress',
      '7',
      'This app already has its share of 4 uploads in progress; try again later',
    ]);
    for (let i = 0; i < 4; i++) gate.enter('b');
    const ours = await refusalOf(() => gate.enter('c'));
    expect([ours.code, ours.headers['Retry-After'], ours.message]).toEqual([
      'overloaded',
      '7',
      '8 uploads are in progress; try again later',
    ]);
    expect(gate.refusals).toEqual({ app: 1, all: 1 });
  });

  it('lets apps in by turns, passing over one that has its share', async () => {
    const gate = open({ all: 2 });
    const leaves = [(await gate.enter('a')) as Leave, (await gate.enter('b')) as Leave];
    const order: string[] = [];
    const enter = async (appId: string) => {
      const leave = await gate.enter(appId);
      order.push(appId);
      leaves.push(leave);
    };
    const entering = ['a', 'a', 'a', 'b', 'c'].map(enter);
    leaves.splice(1, 1)[0]!();
    await entering[3];
    // Only `a` still has its first place.
    expect(order).toEqual(['b']);
    while (leaves.length > 0) {
      leaves.shift()!();
      await nextTurn();
    }
    await Promise.all(entering);
    expect(order).toEqual(['b', 'a', 'c', 'a', 'a']);
    expect(gate.inUse()).toEqual({ taken: 0, waiting: 0 });
  });

  it('makes the small wait for a large one whose turn it is, so that it is not passed for ever', async () => {
    const gate = open({ all: 100, share: 0.8 });
    const first = (await gate.enter('a', undefined, 60)) as Leave;
    const order: string[] = [];
    const enter = async (appId: string, size: number) => {
      await gate.enter(appId, undefined, size);
      order.push(appId);
    };
    const [large, small] = [enter('large', 70), enter('small', 1)];
    first();
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });

  it('admits what is larger than a whole share when the app has nothing else', async () => {
    const gate = open({ all: 100 });
    ((await gate.enter('light', undefined, 90)) as Leave)();
    expect(gate.inUse().taken).toBe(0);
  });

  it('bounds who waits: in time, in number, and by app', async () => {
    const short = open({ all: 2, queue: { max: 4, ms: 20 } });
    const leave = (await short.enter('a')) as Leave;
    const waits = [short.enter('a'), short.enter('a')];
    expect((await refusalOf(() => short.enter('a'))).code).toBe('too_many_in_progress');
    expect(await Promise.all(waits.map((wait) => refusalOf(() => wait)))).toMatchObject([
      { code: 'too_many_in_progress' },
      { code: 'too_many_in_progress' },
    ]);
    leave();
    expect(short.inUse()).toEqual({ taken: 0, waiting: 0 });
  });

  it('drops what a client asked for that has gone', async () => {
    const gate = open({ all: 1 });
    const leave = (await gate.enter('a')) as Leave;
    const leaving = new AbortController();
    const client = { isGone: () => leaving.signal.aborted, signal: () => leaving.signal };
    const dropped = gate.enter('b', client);
    const next = gate.enter('c');
    leaving.abort();
    await expect(dropped).rejects.toBeInstanceOf(ClientGone);
    leave();
    ((await next) as Leave)();
    expect(gate.inUse()).toEqual({ taken: 0, waiting: 0 });
  });
});

describe('a gate while the event loop is late', () => {
  const pressed = (options: Partial<GateOptions> = {}) => {
    const time = { now: 0 };
    const pressure = new Pressure();
    pressure.part = 0.1;
    const loudness = new Loudness(() => time.now);
    const press = { asked: loudness.of(weightOf), part: () => pressure.part };
    const all: GateOptions = { what: 'calls', all: 100, least: 2, queue: { max: 'pressed', ms: 60_000 }, retrySeconds: 1, ...options };
    return {
      gate: new Gate(weightOf, all, press),
      other: new Gate(weightOf, all, { ...press, asked: loudness.of(weightOf) }),
      time,
      pressure,
    };
  };
  /** Leave functions of the requests let in at once; the others wait or are refused. */
  const ask = (gate: Gate, appId: string, count: number) => {
    const refused: ApiError[] = [];
    const entered = Array.from({ length: count }, () => gate.enter(appId));
    const waiting = entered.filter((one) => one instanceof Promise);
    for (const one of waiting) one.catch((error: ApiError) => refused.push(error));
    return { leaves: entered.filter((one): one is Leave => !(one instanceof Promise)), waiting, refused };
  };

  it('lets a loud app wait beyond a part of its share, and refuses it only beyond the whole', async () => {
    const { gate, pressure } = pressed();
    gate.enter('quiet');
    const loud = ask(gate, 'loud', 60);
    await nextTurn();
    expect([loud.leaves.length, loud.refused.length]).toEqual([5, 10]);
    expect(loud.refused[0]).toMatchObject({ code: 'too_many_in_progress', message: expect.stringContaining('its share of 50 calls') });
    expect(gate.inUse()).toEqual({ taken: 6, waiting: 45 });
    // Held back for nine tenths of five seconds, as nine tenths of its share are cut.
    expect(gate.refusal('loud')).toMatchObject({ code: 'too_many_in_progress', delayMs: 4_500 });
    // Other apps get in at once, ahead of everybody who waits.
    expect(gate.refusal('quiet')).toBeUndefined();
    await gate.enter('quiet');
    loud.leaves[0]!();
    await nextTurn();
    expect(gate.inUse()).toEqual({ taken: 7, waiting: 44 });
    pressure.part = 1;
    loud.leaves[1]!();
    await nextTurn();
    expect(gate.inUse()).toEqual({ taken: 50, waiting: 0 });
  });

  it('still holds back an app that sends nothing new because it is waiting for all its answers', async () => {
    const { gate, time } = pressed();
    gate.enter('quiet');
    const loud = ask(gate, 'loud', 45);
    time.now = 20_000;
    for (let i = 0; i < 3; i++) gate.enter('quiet');
    loud.leaves[0]!();
    await nextTurn();
    expect(gate.inUse()).toEqual({ taken: 9, waiting: 39 });
  });

  it('counts what waits by its size', async () => {
    const { gate, time, pressure } = pressed();
    const quiet = ask(gate, 'quiet', 10);
    ask(gate, 'loud', 5);
    const large = gate.enter('loud', undefined, 40);
    expect(large).toBeInstanceOf(Promise);
    time.now = 20_000;
    gate.enter('quiet');
    quiet.leaves[0]!();
    await nextTurn();
    expect(gate.inUse()).toEqual({ taken: 15, waiting: 1 });
    pressure.part = 1;
    quiet.leaves[1]!();
    await large;
    expect(gate.inUse()).toEqual({ taken: 54, waiting: 0 });
  });

  it('leaves its share to an app that is alone, or among equals, or that asks elsewhere', async () => {
    const alone = pressed();
    expect(ask(alone.gate, 'a', 50).leaves).toHaveLength(50);
    const { gate, other } = pressed();
    for (let i = 0; i < 40; i++) for (const app of ['a', 'b']) expect(gate.enter(app)).toBeInstanceOf(Function);
    // Here `c` is the only one, but others ask for something else meanwhile.
    expect(ask(other, 'c', 20).leaves).toHaveLength(5);
  });

  it('forgets within seconds who was there', async () => {
    const { gate, time } = pressed();
    gate.enter('gone');
    time.now = 7_000;
    expect(ask(gate, 'a', 40).leaves).toHaveLength(40);
  });

  it('lets a body that is larger than what is left of the share go alone', async () => {
    const { gate } = pressed({ all: 1_000, least: 10, queue: { max: 10, ms: 60_000 } });
    gate.enter('quiet');
    const [first, second] = [gate.enter('loud', undefined, 400), gate.enter('loud', undefined, 100)];
    expect(gate.inUse()).toEqual({ taken: 401, waiting: 1 });
    ((await first) as Leave)();
    await second;
    expect(gate.inUse()).toEqual({ taken: 101, waiting: 0 });
  });

  it('gives a loud app the place of a body or an upload back after a rest, and everybody else at once', async () => {
    const { gate, pressure } = pressed({ all: 10, least: 1, rests: true, queue: { max: 10, ms: 60_000 } });
    const quiet = gate.enter('quiet') as Leave;
    for (let i = 0; i < 3; i++) (gate.enter('loud') as Leave)();
    const loud = (await gate.enter('loud')) as Leave;
    const next = gate.enter('loud');
    await sleep(20);
    const left = performance.now();
    loud();
    expect(gate.inUse()).toEqual({ taken: 2, waiting: 1 });
    quiet();
    expect(gate.inUse()).toEqual({ taken: 1, waiting: 1 });
    const second = await next;
    // Seven times as long as it was inside.
    expect(performance.now() - left).toBeGreaterThan(130);
    pressure.part = 1;
    second();
    expect(gate.inUse()).toEqual({ taken: 0, waiting: 0 });
  });
});

describe('the part of a share that is left', () => {
  it('falls quickly while the loop is late, never to nothing, and grows back slowly', () => {
    const pressure = new Pressure();
    pressure.tick(4);
    expect(pressure.part).toBe(1);
    pressure.tick(5);
    expect(pressure.part).toBeCloseTo(0.8);
    pressure.tick(5_000);
    expect(pressure.part).toBeCloseTo(0.8 * 0.8 ** 10);
    for (let i = 0; i < 100; i++) pressure.tick(10);
    expect(pressure.part).toBe(1 / 64);
    for (let i = 0; i < 250; i++) pressure.tick(0);
    expect(pressure.part).toBeCloseTo(0.5, 1);
    for (let i = 0; i < 500; i++) pressure.tick(0);
    expect(pressure.part).toBe(1);
  });

  it('says once that heavy load is over, and nothing after a single long pause', () => {
    const pressure = new Pressure();
    const calm = (ticks: number) => Array.from({ length: ticks }, () => pressure.tick(0));
    pressure.tick(5_000);
    expect(calm(600)).not.toContain(true);
    for (let i = 0; i < 50; i++) pressure.tick(5);
    const ticks = calm(600);
    expect(ticks.filter(Boolean)).toHaveLength(1);
    expect(ticks.indexOf(true)).toBeGreaterThan(400);
    expect(calm(600)).not.toContain(true);
  });

  it('follows the event loop of the process', async () => {
    const pressure = new Pressure();
    const stop = followLoop(pressure, () => {});
    const until = performance.now() + 150;
    while (performance.now() < until);
    await expect.poll(() => pressure.part, { interval: 5 }).toBeLessThan(0.5);
    stop();
  });
});
