/** Money stays exact whatever is done with it, in any order and concurrently. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/foundation/ids.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { availableOf, holdFunds, readWallet, releaseHolds, topUp } from '../../src/money/ledger.ts';
import { asOwner, counted, useDatabase } from '../setup/database.ts';
import { makeOwner, useBench } from '../setup/work.ts';

const database = useDatabase();
const bench = useBench(database);

const hold = (owner: { appId: string; live: boolean }, amountKobo: number, id = newId()) =>
  bench.service.sql
    .begin((tx) => holdFunds(tx, [{ id, appId: owner.appId, live: owner.live, amountKobo, expiresInSeconds: null }]))
    .then(([covered]) => ({ id, covered }));
const release = (...ids: string[]) => bench.service.sql.begin((tx) => releaseHolds(tx, ids));

describe('the ledger', () => {
  it('refuses to change, remove or truncate an entry', async () => {
    await makeOwner(bench.service, 10);
    for (const statement of ['update ledger_entries set amount_kobo = 1', 'delete from ledger_entries', 'truncate ledger_entries']) {
      await expect(asOwner(bench.service.databaseUrl, (sql) => sql.unsafe(statement))).rejects.toThrow('append-only');
      await expect(bench.service.sql.unsafe(statement)).rejects.toThrow('permission denied');
    }
  });

  it('holds what is covered, refuses what is not, and releases what was not captured', async () => {
    const owner = await makeOwner(bench.service, 100);
    const first = await hold(owner, 60_00);
    expect(first.covered).toBe(true);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 40_00, heldKobo: 60_00 });
    expect((await hold(owner, 40_01)).covered).toBe(false);
    await release(first.id);
    await release(first.id);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 100_00, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('takes no top-up for an app that is being deleted', async () => {
    const owner = await makeOwner(bench.service, 0);
    let isDone = false;
    const topped = await bench.service.sql.begin(async (tx) => {
      await tx`select 1 from apps where id = ${owner.appId} for update`;
      await tx`update apps set deleted_at = now() where id = ${owner.appId}`;
      const toppingUp = topUp(bench.service.sql, owner, 100_00, null).finally(() => (isDone = true));
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(isDone).toBe(false);
      return { toppingUp };
    });
    expect(await topped.toppingUp).toBeNull();
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 0, heldKobo: 0 });
  });

  it('reads the balances of several wallets in the order asked, some of them twice and some unknown', async () => {
    const [rich, poor] = [await makeOwner(bench.service, 100), await makeOwner(bench.service, 1)];
    const unknown = { appId: newId(), live: true };
    expect(await availableOf(bench.service.sql, [poor, unknown, rich, poor])).toEqual([1_00, 0, 100_00, 1_00]);
  });

  it('never holds more than there is, however many ask at once', async () => {
    const owner = await makeOwner(bench.service, 100);
    const asked = await Promise.all(Array.from({ length: 40 }, () => hold(owner, 9_00)));
    expect(asked.filter((a) => a.covered)).toHaveLength(11);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_00, heldKobo: 99_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('grants every request of a group that fits, whatever was refused before it', async () => {
    const [rich, poor] = [await makeOwner(bench.service, 100), await makeOwner(bench.service, 10)];
    const ask = (owner: { appId: string; live: boolean }, amountKobo: number) => ({
      id: newId(),
      appId: owner.appId,
      live: owner.live,
      amountKobo,
      expiresInSeconds: null,
    });
    const asked = [
      ask(poor, 10_01),
      ask(rich, 60_00),
      ask(poor, 7_00),
      ask(rich, 41_00),
      ask(rich, 40_00),
      ask(poor, 4_00),
      ask(poor, 3_00),
    ];
    expect(await holdFunds(bench.service.sql, asked)).toEqual([false, true, true, false, true, false, true]);
    expect(await readWallet(bench.service.sql, rich)).toEqual({ availableKobo: 0, heldKobo: 100_00 });
    expect(await readWallet(bench.service.sql, poor)).toEqual({ availableKobo: 0, heldKobo: 10_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('asks an empty wallet once, however many holds it must refuse, and still grants a smaller one', async () => {
    const [poor, rich] = [await makeOwner(bench.service, 10), await makeOwner(bench.service, 100)];
    const ask = ({ appId, live }: { appId: string; live: boolean }, amountKobo: number) => ({
      id: newId(),
      appId,
      live,
      amountKobo,
      expiresInSeconds: null,
    });
    const asked = [...Array.from({ length: 100 }, () => [ask(poor, 10_01), ask(poor, 20_00)]).flat(), ask(rich, 60_00), ask(poor, 10_00)];
    const { sql, count } = counted(bench.service.sql, 'with known as');
    expect(await holdFunds(sql, asked)).toEqual([...Array.from({ length: 200 }, () => false), true, true]);
    expect(count()).toBe(2);
    expect(await readWallet(bench.service.sql, poor)).toEqual({ availableKobo: 0, heldKobo: 10_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('keeps play money and live money apart', async () => {
    const owner = await makeOwner(bench.service, 100);
    expect((await hold({ appId: owner.appId, live: true }, 1)).covered).toBe(false);
    expect(await topUp(bench.service.sql, { appId: owner.appId, live: true }, 5_00, 'gift')).toEqual({ availableKobo: 5_00, heldKobo: 0 });
    expect((await readWallet(bench.service.sql, owner)).availableKobo).toBe(100_00);
  });

  it('sums to zero and agrees with the wallets after any sequence of top-ups, holds and releases', async () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant('topup' as const), amount: fc.integer({ min: 1, max: 50_000 }) }),
      fc.record({ kind: fc.constant('hold' as const), amount: fc.integer({ min: 0, max: 60_000 }) }),
      fc.record({ kind: fc.constant('release' as const), amount: fc.nat({ max: 20 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
        const owner = await makeOwner(bench.service, 0);
        const open = new Map<string, number>();
        let available = 0;
        for (const { kind, amount } of actions) {
          if (kind === 'topup') {
            await topUp(bench.service.sql, owner, amount, null);
            available += amount;
          } else if (kind === 'hold') {
            const { id, covered } = await hold(owner, amount);
            expect(covered).toBe(amount <= available);
            if (covered) {
              open.set(id, amount);
              available -= amount;
            }
          } else {
            const id = [...open.keys()][amount % Math.max(1, open.size)];
            if (id === undefined) continue;
            await release(id);
            available += open.get(id)!;
            open.delete(id);
          }
        }
        const held = [...open.values()].reduce((sum, value) => sum + value, 0);
        expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: available, heldKobo: held });
        expect(await ledgerDrift(bench.service)).toBe(0);
      }),
      { numRuns: 15 },
    );
  });

  it('notices a tampered wallet', async () => {
    const owner = await makeOwner(bench.service, 10);
    await bench.service.sql`update wallets set available_kobo = available_kobo + 7 where app_id = ${owner.appId} and not live`;
    expect(await ledgerDrift(bench.service)).toBe(7);
    await bench.service.sql`update wallets set available_kobo = available_kobo - 7 where app_id = ${owner.appId} and not live`;
  });
});
