/** Cached calls of one group are settled in one statement: exact money when the wallet runs dry, when calls are repeated, and over apps. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '../src/batches/batch.ts';
import { newId } from '../src/ids.ts';
import { ledgerDrift, readWallet } from '../src/money/ledger.ts';
import { type CallSettlement, settleCalls } from '../src/settlecalls.ts';
import { createDatabase, type TestDatabase } from './setup/database.ts';
import { type Bench, makeOwner, openBench } from './setup/work.ts';

let database: TestDatabase;
let bench: Bench;
beforeAll(async () => {
  database = await createDatabase();
  bench = await openBench(database);
});
afterAll(async () => {
  await bench.service.close();
  await database.drop();
});

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

const settled = (answers: readonly string[]) => answers.filter((answer) => answer === 'settled').length;

async function usage(owner: Owner) {
  const [row] = await bench.service.sql<{ found: number; notFound: number; billedKobo: number }[]>`
    select coalesce(sum(found), 0)::int as found, coalesce(sum(not_found), 0)::int as not_found, coalesce(sum(billed_kobo), 0)::bigint as billed_kobo
    from usage_days where app_id = ${owner.appId}`;
  return row!;
}

describe('cached calls', () => {
  it('are charged as far as the wallet goes, and free ones go through when it is empty', async () => {
    const owner = await makeOwner(bench.service, 175);
    const calls = [...Array.from({ length: 5 }, () => cachedCall(owner)), cachedCall(owner, 'not_found')];
    const answers = await settleCalls(bench.service, calls);
    expect(answers).toEqual(['settled', 'settled', 'settled', 'insufficient_funds', 'insufficient_funds', 'settled']);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 25_00, heldKobo: 0 });
    expect(await usage(owner)).toEqual({ found: 3, notFound: 1, billedKobo: 150_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('are charged once when a group is tried again, also when the wallet is empty by then', async () => {
    const owner = await makeOwner(bench.service, 100);
    const calls = [cachedCall(owner), cachedCall(owner)];
    for (let attempt = 0; attempt < 3; attempt++) expect(await settleCalls(bench.service, calls)).toEqual(['settled', 'settled']);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 0, heldKobo: 0 });
    expect(await usage(owner)).toEqual({ found: 2, notFound: 0, billedKobo: 100_00 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });

  it('of several apps in crossing orders, many groups at once, overdraw nobody', async () => {
    const owners = await Promise.all([1, 2, 3].map(() => makeOwner(bench.service, 1_000)));
    const groups = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 9 }, (_, j) => cachedCall(owners[(i + j * (1 + (i % 2))) % 3]!)),
    );
    const answers = await Promise.all(groups.map((calls) => settleCalls(bench.service, calls)));
    expect(settled(answers.flat())).toBe(60);
    for (const owner of owners) expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 0, heldKobo: 0 });
    expect(await ledgerDrift(bench.service)).toBe(0);
  });
});
