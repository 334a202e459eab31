import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openTurns } from '../../src/foundation/yielding.ts';

/** Longer than long work may go on without yielding. */
const SLICE_MS = 6;
/** How late a timer may be on a busy machine. */
const LATE_MS = 100;

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('yielding', () => {
  it('never holds short work back', () => {
    expect(openTurns().long()()).toBeUndefined();
  });

  it('lets long work continue after one turn of the event loop while there is no call', async () => {
    const turn = openTurns().long();
    work(SLICE_MS);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await turn();
    expect(turned).toBe(true);
    expect(turn()).toBeUndefined();
  });

  it('holds long work back until the call in progress has ended', async () => {
    const turns = openTurns();
    const turn = turns.long();
    let answer = () => {};
    const call = turns.call(() => new Promise<void>((resolve) => (answer = resolve)));
    work(SLICE_MS);
    const events: string[] = [];
    const waited = turn()!.then(() => void events.push('long work'));
    await nextTurn();
    events.push('answered');
    answer();
    await call;
    await waited;
    expect(events).toEqual(['answered', 'long work']);
    expect(await turns.call(async () => 'answer')).toBe('answer');
  });

  it('holds it back only for a bounded time', async () => {
    const turns = openTurns();
    const turn = turns.long();
    void turns.call(() => new Promise(() => {}));
    work(SLICE_MS);
    const began = performance.now();
    await turn();
    const waitedMs = performance.now() - began;
    expect(waitedMs).toBeGreaterThan(5);
    expect(waitedMs).toBeLessThan(8 + LATE_MS);
  });

  it('counts a failed call as ended', async () => {
    const turns = openTurns();
    await expect(turns.call(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    const turn = turns.long();
    work(SLICE_MS);
    const began = performance.now();
    await turn();
    expect(performance.now() - began).toBeLessThan(LATE_MS);
  });
});
