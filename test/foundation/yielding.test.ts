import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openYielding } from '../../src/foundation/yielding.ts';

/** Longer than long work may go on without yielding. */
const SLICE_MS = 6;
/** How late a timer may be on a busy machine. */
const LATE_MS = 100;

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('yielding', () => {
  it('never holds short work back', () => {
    expect(openYielding().long()()).toBeUndefined();
  });

  it('lets long work continue after one turn of the event loop while there is no call', async () => {
    const giveWay = openYielding().long();
    work(SLICE_MS);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await giveWay();
    expect(turned).toBe(true);
    expect(giveWay()).toBeUndefined();
  });

  it('holds long work back until the call in progress has ended', async () => {
    const yielding = openYielding();
    const giveWay = yielding.long();
    let answer = () => {};
    const call = yielding.call(() => new Promise<void>((resolve) => (answer = resolve)));
    work(SLICE_MS);
    const events: string[] = [];
    const waited = giveWay()!.then(() => void events.push('long work'));
    await nextTurn();
    events.push('answered');
    answer();
    await call;
    await waited;
    expect(events).toEqual(['answered', 'long work']);
    expect(await yielding.call(async () => 'answer')).toBe('answer');
  });

  it('holds it back only for a bounded time', async () => {
    const yielding = openYielding();
    const giveWay = yielding.long();
    void yielding.call(() => new Promise(() => {}));
    work(SLICE_MS);
    const began = performance.now();
    await giveWay();
    const waitedMs = performance.now() - began;
    expect(waitedMs).toBeGreaterThan(5);
    expect(waitedMs).toBeLessThan(8 + LATE_MS);
  });

  it('leaves calls two thirds of the time, however much long work there is', async () => {
    const yielding = openYielding();
    void yielding.call(() => new Promise(() => {}));
    const slices: { from: number; to: number }[] = [];
    const pieces = Array.from({ length: 6 }, async () => {
      const giveWay = yielding.long();
      for (let slice = 0; slice < 4; slice++) {
        const from = performance.now();
        work(SLICE_MS);
        slices.push({ from, to: performance.now() });
        await giveWay();
      }
    });
    await Promise.all(pieces);
    // The first slices begin together: nobody knew of the call.
    const later = slices.sort((a, b) => a.from - b.from).slice(6);
    const pauses = later.slice(1).map(({ from }, at) => from - later[at]!.to);
    expect(Math.min(...pauses)).toBeGreaterThan(4);
  });

  it('counts a failed call as ended', async () => {
    const yielding = openYielding();
    await expect(yielding.call(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    const giveWay = yielding.long();
    work(SLICE_MS);
    const began = performance.now();
    await giveWay();
    expect(performance.now() - began).toBeLessThan(LATE_MS);
  });
});
