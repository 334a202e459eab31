/** One statement settles a group's cached calls: exact money when the wallet runs dry, when calls are repeated, and across apps. */
import { describe, expect, it } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { findCheck } from '../../src/checks/catalog.ts';
import type { Lookup } from '../../src/checks/provider.ts';
import { newId } from '../../src/foundation/ids.ts';
import { holderOf, holdWithinCaps } from '../../src/money/caps.ts';
import { ledgerDrift } from '../../src/money/drift.ts';
import { readWallet, topUp } from '../../src/money/ledger.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import { type CallSettlement, settleCachedCalls, settleHeldCalls } from '../../src/pipeline/settle-calls.ts';
import { sweepExpired } from '../../src/pipeline/sweep.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import type { AppSettings } from '../../src/schema/apps.ts';
import { counted, useDatabase } from '../setup/database.ts';
import { freshNin, lockHold, makeOwner, openBench, useBench } from '../setup/work.ts';

const database = useDatabase();
const bench = useBench(database);

const PRICE_KOBO = 50_00;

const cachedCall = (owner: Owner, outcome: 'found' | 'not_found' = 'found'): CallSettlement => ({
  jobId: newId(),
  appId: owner.appId,
  live: false,
  checkId: 'nin_basic',
  family: 'nin',
  subject: Buffer.alloc(32),
  priceKobo: 125_00,
  cachedPriceKobo: PRICE_KOBO,
  held: false,
  by: { keyId: owner.keyId ?? null, personId: null },
  trail: [],
  result: {
    status: 'completed',
    outcome,
    entity: null,
    billedKobo: outcome === 'found' ? PRICE_KOBO : 0,
    cached: true,
    provider: 'sandbox',
    latencyMs: 1,
    cacheEntries: [],
  },
});

/** Each as `openSettle` settles it. */
const settleEach = async (calls: CallSettlement[], isAgain = false) => {
  const answers = new Map<CallSettlement, unknown>();
  for (const held of [true, false]) {
    const group = calls.filter((call) => call.held === held);
    const settled = held ? await settleHeldCalls(bench.service, group) : await settleCachedCalls(bench.service, group, isAgain);
    for (const [i, call] of group.entries()) answers.set(call, settled[i]);
  }
  return calls.map((call) => answers.get(call));
};

const settled = (answers: readonly unknown[]) => answers.filter((answer) => answer === 'settled').length;

async function usage(owner: Owner) {
  const [row] = await bench.service.sql<{ found: number; notFound: number; billedKobo: number }[]>`
    select coalesce(sum(found), 0)::int as found, coalesce(sum(not_found), 0)::int as not_found, coalesce(sum(billed_kobo), 0)::bigint as billed_kobo
    from usage_days where app_id = ${owner.appId}`;
  return row!;
}

describe('cached calls', () => {
  it('do not wait until the vendor’s answer to another call is stored', async () => {
    const { settle, sql } = bench.service;
    const [asking, caching] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    const held = { ...cachedCall(asking), held: true };
    await holdWithinCaps(sql, [{ ...holderOf(asking), id: held.jobId, amountKobo: held.priceKobo, expiresInSeconds: null }]);
    const unlock = await lockHold(bench.service, held.jobId);
    let isStored = false;
    const storing = settle.call(held).then((answer) => {
      isStored = true;
      return answer;
    });
    try {
      expect(await settle.call(cachedCall(caching))).toBe('settled');
      expect(isStored).toBe(false);
    } finally {
      await unlock();
    }
    expect(await storing).toBe('settled');
  });

  it('are charged as far as the wallet goes, and free ones succeed when it is empty', async () => {
    const owner = await makeOwner(bench.service, 175);
    const calls = [...Array.from({ length: 5 }, () => cachedCall(owner)), cachedCall(owner, 'not_found')];
    const answers = await settleEach(calls);
    expect(answers).toEqual(['settled', 'settled', 'settled', 'insufficient_funds', 'insufficient_funds', 'settled']);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 25_00, heldKobo: 0 });
    expect(await usage(owner)).toEqual({ found: 3, notFound: 1, billedKobo: 150_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('are refused together by an empty wallet, and do not make others wait', async () => {
    const [poor, rich] = [await makeOwner(bench.service, 20), await makeOwner(bench.service, 100)];
    const calls = [...Array.from({ length: 100 }, () => cachedCall(poor)), cachedCall(poor, 'not_found'), cachedCall(rich)];
    const { sql, count } = counted(bench.service.sql, 'with input as');
    const answers = await settleCachedCalls(Object.create(bench.service, { sql: { value: sql } }), calls, false);
    expect(answers).toEqual([...Array.from({ length: 100 }, () => 'insufficient_funds'), 'settled', 'settled']);
    expect(count()).toBe(2);
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('are charged once when a group is retried, even if the wallet is empty by then', async () => {
    const owner = await makeOwner(bench.service, 100);
    const calls = [cachedCall(owner), cachedCall(owner)];
    for (let attempt = 0; attempt < 3; attempt++) expect(await settleEach(calls, attempt > 0)).toEqual(['settled', 'settled']);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 0, heldKobo: 0 });
    expect(await usage(owner)).toEqual({ found: 2, notFound: 0, billedKobo: 100_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('of several apps in crossing orders, many groups at once, overdraw nobody', async () => {
    const owners = await Promise.all([1, 2, 3].map(() => makeOwner(bench.service, 1_000)));
    const groups = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 9 }, (_, j) => cachedCall(owners[(i + j * (1 + (i % 2))) % 3]!)),
    );
    const answers = await Promise.all(groups.map((calls) => settleEach(calls)));
    expect(settled(answers.flat())).toBe(60);
    for (const owner of owners) expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 0, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });
});

describe('a call whose hold expired before it was answered', () => {
  const LIVE_KOBO = 125_00;
  /** Its vendor has answered; its hold was released in the meantime. */
  const sweptCall = async (naira: number, settings: AppSettings = {}) => {
    const owner = await makeOwner(bench.service, naira, settings);
    const call = { ...cachedCall(owner), held: true };
    Object.assign(call.result, { billedKobo: LIVE_KOBO, cached: false });
    const { sql } = bench.service;
    expect(await holdWithinCaps(sql, [{ ...holderOf(owner), id: call.jobId, amountKobo: LIVE_KOBO, expiresInSeconds: 300 }])).toEqual([
      true,
    ]);
    await sql`update holds set expires_at = now() - interval '1 second' where id = ${call.jobId}`;
    await sweepExpired(bench.service);
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: naira * 100, heldKobo: 0 });
    return { owner, call };
  };
  const rowOf = async ({ jobId }: CallSettlement) =>
    (await bench.service.sql`select status, billed_kobo, error_code from jobs where id = ${jobId}`)[0];

  it('is charged once from what is available, however often it is settled', async () => {
    const { owner, call } = await sweptCall(200);
    for (let attempt = 0; attempt < 3; attempt++) expect(await settleEach([call], attempt > 0)).toEqual(['settled']);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 75_00, heldKobo: 0 });
    expect(await rowOf(call)).toEqual({ status: 'completed', billedKobo: LIVE_KOBO, errorCode: null });
    expect(await usage(owner)).toEqual({ found: 1, notFound: 0, billedKobo: LIVE_KOBO });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it("is refused if the money is gone, but keeps the vendor's cost on record", async () => {
    const { owner, call } = await sweptCall(200);
    const asked = {
      id: newId(),
      provider: 'p',
      kind: 'nin',
      tier: 1,
      outcome: 'found',
      latencyMs: 1,
      costKobo: 60_00,
      isHedge: false,
      receipt: null,
    } as const;
    const { sql } = bench.service;
    const other = newId();
    expect(await holdWithinCaps(sql, [{ ...holderOf(owner), id: other, amountKobo: 100_00, expiresInSeconds: null }])).toEqual([true]);
    const cached = cachedCall(owner);
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await settleEach([{ ...call, trail: [asked] }, cached], attempt > 0)).toEqual(['insufficient_funds', 'settled']);
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: 50_00, heldKobo: 100_00 });
    expect(await rowOf(call)).toEqual({ status: 'failed', billedKobo: 0, errorCode: 'insufficient_funds' });
    expect(await sql`select cost_kobo from provider_lookups where job_id = ${call.jobId}`).toEqual([{ costKobo: 60_00 }]);
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('is refused if others have used up the cap meanwhile', async () => {
    const { owner, call } = await sweptCall(1_000, { dailyCap: 200 });
    const { sql } = bench.service;
    const other = { ...holderOf(owner), id: newId(), amountKobo: 100_00, expiresInSeconds: null };
    expect(await holdWithinCaps(sql, [other])).toEqual([true]);
    expect(await settleEach([call])).toEqual([{ cap: 'app_day', limitKobo: 200_00, leftKobo: 100_00, amountKobo: LIVE_KOBO }]);
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: 900_00, heldKobo: 100_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('costs nothing if nobody was found or it failed, and is on record', async () => {
    for (const outcome of ['not_found', 'failed'] as const) {
      const { owner, call } = await sweptCall(200);
      const result = outcome === 'failed' ? { status: outcome, errorCode: 'provider_failed' } : { ...cachedCall(owner, outcome).result };
      expect(await settleEach([{ ...call, result }])).toEqual(['settled']);
      expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 200_00, heldKobo: 0 });
      expect(await rowOf(call)).toMatchObject({ status: outcome === 'failed' ? 'failed' : 'completed', billedKobo: 0 });
    }
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('answers 402 to a single call instead of the result', async () => {
    const sandbox = createSandbox();
    /** While the vendor works, the hold is released and the money spent on something else. */
    let meanwhile = async () => {};
    const slow = { ...sandbox, lookup: (question: Lookup) => meanwhile().then(() => sandbox.lookup(question)) };
    const own = await openBench(database, { providers: [slow] });
    const { sql } = own.service;
    const owner = await makeOwner(own.service, 130);
    const call = (nin = freshNin()) => answerCall(own.service, owner, findCheck('nin_basic')!, { nin });
    meanwhile = async () => {
      await sql`update holds set expires_at = now() - interval '1 second' where app_id = ${owner.appId}`;
      await sweepExpired(own.service);
    };
    expect(await call()).toMatchObject({ billedKobo: LIVE_KOBO, cached: false });
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: 5_00, heldKobo: 0 });
    await topUp(sql, owner, 125_00, null);
    const sweep = meanwhile;
    meanwhile = async () => {
      await sweep();
      expect(await holdWithinCaps(sql, [{ ...holderOf(owner), id: newId(), amountKobo: 10_00, expiresInSeconds: null }])).toEqual([true]);
    };
    const refused = freshNin();
    await expect(call(refused)).rejects.toMatchObject({ code: 'insufficient_funds' });
    // What nobody paid for is not in the cache.
    meanwhile = async () => {};
    await topUp(sql, owner, 125_00, null);
    expect(await call(refused)).toMatchObject({ billedKobo: LIVE_KOBO, cached: false });
    expect(await readWallet(sql, owner)).toEqual({ availableKobo: 120_00, heldKobo: 10_00 });
    expect(await ledgerDrift(own.service)).toBe(0);
    await own.service.close();
  });
});
