import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobChanged, openWaiters } from '../../src/batches/waiters.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newId } from '../../src/foundation/ids.ts';
import { useDatabase } from '../setup/database.ts';

const database = useDatabase();
let ctx: Context;
beforeAll(() => {
  ctx = database.openContext();
});
afterAll(() => ctx.close());

/** The context with every statement counted. */
function counting(): { context: Context; statements(): number } {
  let statements = 0;
  const sql = new Proxy(ctx.sql, {
    apply(target, self, parameters) {
      // A fragment is part of a statement.
      if (/^\s*select/.test(String(parameters[0]?.[0]))) statements++;
      return Reflect.apply(target as never, self, parameters);
    },
  });
  return { context: { ...ctx, sql }, statements: () => statements };
}

describe('waiters', () => {
  it('cost one statement a poll, however many they are', async () => {
    const polls = async (waiters: number): Promise<number> => {
      const { context, statements } = counting();
      const watch = openWaiters(context);
      const seen = { id: '', status: 'queued', attempt: 0, completedAt: null } as const;
      const signal = new AbortController().signal;
      await Promise.all(Array.from({ length: waiters }, () => watch.job(newId(), jobChanged(seen), { ms: 600, signal })));
      return statements();
    };
    // 30 ms apart, or further on a busy machine.
    for (const waiters of [1, 1_000]) {
      const statements = await polls(waiters);
      expect(statements, `${waiters} waiters`).toBeGreaterThan(0);
      expect(statements, `${waiters} waiters`).toBeLessThanOrEqual(21);
    }
  });
});
