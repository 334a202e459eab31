/**
 * Connections to Postgres that are cut, over and over and at any moment. An error that nobody listens to would end a process of ours; here it
 * fails the run (vitest counts unhandled errors).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { createDatabase, type TestDatabase, waitFor } from './setup/database.ts';

const STORM_MS = 2_500;
const PATIENCE = { timeout: 10_000 };

describe('connections that are cut', () => {
  let database: TestDatabase;
  let ctx: Context;
  let outsider: Context;
  beforeAll(async () => {
    database = await createDatabase();
    ctx = database.openContext();
    outsider = database.openContext();
  });
  afterAll(async () => {
    await ctx.close();
    await outsider.close();
    await database.drop();
  });

  /** Repeats what fails and what succeeds until the storm is over; answers how often each. */
  async function weather(until: number, work: () => Promise<unknown>): Promise<{ done: number; lost: number }> {
    const count = { done: 0, lost: 0 };
    while (Date.now() < until) {
      await work().then(
        () => count.done++,
        () => count.lost++,
      );
    }
    return count;
  }

  async function cutAll(until: number): Promise<void> {
    while (Date.now() < until) {
      await outsider.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'outsider' and pid <> pg_backend_pid()`;
      await sleep(4);
    }
  }

  test('queries, transactions, and the tickets of the queue fail, and go on when it is over', async () => {
    await outsider.sql`set application_name = 'outsider'`;
    // The storm meets a process that runs.
    await ctx.sql`select 1`;
    // A queue of this attempt's own: what an attempt before left would be taken by its worker.
    const name = `storm-${randomUUID()}`;
    const queue = ctx.queues.queue(name);
    await queue.counts();
    let taken = 0;
    const worker = ctx.queues.worker(name, 4, async () => void taken++);
    await queue.add([{ id: 'before', priority: 0 }]);
    await waitFor('the worker', () => taken > 0);
    const until = Date.now() + STORM_MS;
    let ticket = 0;
    const [queries, transactions, tickets] = await Promise.all([
      weather(until, () => ctx.sql`select array[1, 2] as numbers`),
      weather(until, () => ctx.sql.begin((tx) => tx`select 1`)),
      weather(until, () => queue.add(Array.from({ length: 20 }, () => ({ id: String(ticket++), priority: 0 })))),
      cutAll(until),
    ]);
    for (const { lost } of [queries, transactions, tickets]) expect(lost).toBeGreaterThan(0);
    // The last cuts may not have been noticed yet: what is asked next on such a connection still fails. On one that is new, arrays are read as
    // on the first one.
    await expect
      .poll(() => ctx.sql<{ numbers: number[] }[]>`select array[1, 2] as numbers`.catch(String), PATIENCE)
      .toMatchObject([{ numbers: [1, 2] }]);
    await expect.poll(() => queue.add([{ id: 'after', priority: 0 }]).then(() => 'added', String), PATIENCE).toBe('added');
    await worker.close();
    await queue.close();
  });
});
