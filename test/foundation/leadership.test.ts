/** One process leads at a time, and a stopped leader that was replaced commits nothing more. A frozen process holds nobody's locks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/foundation/context.ts';
import { isDatabaseFault } from '../../src/foundation/database-faults.ts';
import { LeadLost, takeLead } from '../../src/foundation/leadership.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { leaseDeliveries } from '../../src/webhooks/delivery.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';
import { type Bench, freshNin, makeOwner, openBench, uploadNins } from '../setup/work.ts';

const database = useDatabase();
let bench: Bench;
let other: Context;
beforeAll(async () => {
  bench = await openBench(database);
  other = database.openContext();
});
afterAll(async () => {
  await other.close();
  await bench.service.close();
});

/** Makes the leader look dead: backdates its last sign of life. */
const lapse = (name: string) => other.sql`update leads set held_until = now() - interval '1 millisecond' where name = ${name}`;

describe('the lead', () => {
  test('belongs to one process until it lets go or falls silent', async () => {
    const first = (await takeLead(bench.service, 'one'))!;
    expect(await takeLead(other, 'one')).toBeNull();
    await first.release();
    const second = (await takeLead(other, 'one'))!;
    expect(await takeLead(bench.service, 'one')).toBeNull();
    const began = performance.now();
    const third = await waitFor('the lead to lapse', () => takeLead(bench.service, 'one'), 5_000);
    expect(performance.now() - began).toBeLessThan(4_500);
    await expect(other.sql.begin((tx) => second.fence(tx))).rejects.toThrow(LeadLost);
    await bench.service.sql.begin((tx) => third.fence(tx));
  });

  test('is renewed as long as its process lives', async () => {
    const lead = (await takeLead(bench.service, 'two'))!;
    // Soon over, unless it is renewed.
    await other.sql`update leads set held_until = now() + interval '1.5 seconds' where name = 'two'`;
    const began = performance.now();
    await waitFor('the time to be over', async () => {
      await lead.renew();
      return performance.now() - began > 1_600;
    });
    expect(await takeLead(other, 'two')).toBeNull();
    await lapse('two');
    expect(await takeLead(other, 'two')).not.toBeNull();
    const lost = await waitFor('the next renewal', () => lead.renew().catch((error: unknown) => error));
    expect(lost).toBeInstanceOf(LeadLost);
  });

  test('is not taken while a transaction that has shown it commits', async () => {
    const lead = (await takeLead(bench.service, 'three'))!;
    const order: string[] = [];
    let taking: Promise<unknown> | null = null;
    await bench.service.sql.begin(async (tx) => {
      await lead.fence(tx);
      taking = lapse('three')
        .then(() => takeLead(other, 'three'))
        .then((next) => order.push(next ? 'taken' : 'refused'));
      await waitFor(
        'the other to wait',
        async () =>
          (
            await asOwner(
              database.url,
              (sql) => sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).length > 0,
      );
      order.push('commit');
    });
    await taking;
    expect(order).toEqual(['commit', 'taken']);
  });

  test('once lost, lets a stale leader commit no lease: neither jobs nor deliveries', async () => {
    const owner = await makeOwner(bench.service);
    const batch = await uploadNins(bench.service, owner, [freshNin(), freshNin()]);
    const stale = (await takeLead(bench.service, 'dispatcher'))!;
    await lapse('dispatcher');
    const leader = (await takeLead(other, 'dispatcher'))!;
    const dispatcher = openDispatcher(bench.service, bench.service.router);
    await expect(dispatcher.fill(bench.service.sql, stale.fence)).rejects.toThrow(LeadLost);
    expect(await other.sql`select queued, leased from batches where id = ${batch.id}`).toEqual([{ queued: 2, leased: 0 }]);
    expect(await other.sql`select 1 from chunks`).toEqual([]);
    expect(await leaseDeliveries(bench.service, 10, stale.holds())).toEqual([]);
    expect((await dispatcher.fill(bench.service.sql, leader.fence)).leased).toHaveLength(1);
  });
});

test('a frozen transaction is ended, and its locks are free for others within two seconds', async () => {
  const owner = await makeOwner(bench.service);
  const standing = other.sql.begin(async (tx) => {
    await tx`select 1 from wallets where app_id = ${owner.appId} for update`;
    // Frozen for longer than it may be.
    await sleep(4_000);
    await tx`update wallets set available_kobo = 0 where app_id = ${owner.appId}`;
  });
  const ended = standing.then(
    () => null,
    (error: unknown) => error,
  );
  await waitFor('the lock', async () => {
    const rows = await asOwner(
      database.url,
      (sql) => sql`select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    return rows.length > 0;
  });
  const began = performance.now();
  await bench.service.sql`select 1 from wallets where app_id = ${owner.appId} for update`;
  expect(performance.now() - began).toBeLessThan(2_500);
  expect(isDatabaseFault(await ended)).toBe(true);
  expect(await bench.service.sql`select available_kobo from wallets where app_id = ${owner.appId} and not live`).toEqual([
    { availableKobo: 1_000_000_00 },
  ]);
});
