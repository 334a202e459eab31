import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/access/fair-queue.ts';
import { Gate, type GateOptions, type Leave } from '../../src/access/gate.ts';
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
