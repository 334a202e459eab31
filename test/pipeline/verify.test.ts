/** What is looked up, what is answered from the cache and at what price, and who shares an answer. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { submitJob } from '../../src/batches/submit-job.ts';
import { findCheck } from '../../src/checks/catalog.ts';
import { type Lookup, ProviderFailure } from '../../src/checks/provider.ts';
import { jobBody } from '../../src/contract/jobs.ts';
import { readWallet } from '../../src/money/ledger.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import { runChunk } from '../../src/pipeline/chunk.ts';
import { openDispatcher } from '../../src/pipeline/dispatch.ts';
import { createSandbox } from '../../src/sandbox/provider.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { listsIndexed } from '../setup/screening.ts';
import { freshNin, makeOwner, openBench, uploadNins, useBench } from '../setup/work.ts';

const database = useDatabase();
const bench = useBench(database);
beforeEach(() => {
  Object.assign(bench.sandbox.faults, { mode: 'ok' });
});

const call = (owner: Owner, id: string, input: Record<string, string>) => answerCall(bench.service, owner, findCheck(id)!, input);
const asked = async <T>(work: () => Promise<T>) => {
  const before = bench.sandbox.calls.total;
  const result = await work();
  return { result, calls: bench.sandbox.calls.total - before };
};
const price = ({ billedKobo, cached }: { billedKobo: number; cached: boolean }) => ({ billedKobo, cached });

it('pays for no company record while nobody can screen its people', async () => {
  const registry = createSandbox({ name: 'registry', kinds: ['cac'] });
  const own = await openBench(database, { providers: [registry] });
  const owner = await makeOwner(own.service);
  const screened = () => answerCall(own.service, owner, findCheck('cac_screening')!, { rc_number: 'RC1432074' });
  const notLoaded = new ProviderFailure('lists_not_loaded', { scope: 'subject', detail: 'The lists are being indexed' });
  const prepared = vi.spyOn(own.service.screenings, 'prepared').mockRejectedValue(notLoaded);
  await expect(screened()).rejects.toMatchObject({ code: 'lists_not_loaded' });
  expect(registry.calls.total).toBe(0);
  prepared.mockRestore();
  await listsIndexed(own.service);
  expect((await screened()).billedKobo).toBe(370_00);
  expect(registry.calls.total).toBe(1);
  await own.service.close();
});

it('answers a look-up of a company while one that screens its people waits for the lists', async () => {
  const registry = createSandbox({ name: 'registry', kinds: ['cac'] });
  const own = await openBench(database, { providers: [registry] });
  const owner = await makeOwner(own.service);
  const look = (check: string) => answerCall(own.service, owner, findCheck(check)!, { rc_number: 'RC1432074' });
  let ready = () => {};
  const prepared = vi.spyOn(own.service.screenings, 'prepared').mockReturnValue(new Promise<void>((resolve) => (ready = resolve)));
  const screened = look('cac_screening');
  await waitFor('the question', () => prepared.mock.calls.length > 0);
  expect(price(await look('cac_advance'))).toEqual({ billedKobo: 250_00, cached: false });
  ready();
  expect((await screened).entity).toMatchObject({ company_name: expect.any(String) });
  expect(registry.calls.total).toBe(1);
  await own.service.close();
});

describe('the cache', () => {
  it('answers a second look-up at the cached price', async () => {
    const owner = await makeOwner(bench.service);
    const nin = freshNin();
    expect(price(await call(owner, 'nin_advance', { nin }))).toEqual({ billedKobo: 125_00, cached: false });
    const again = await asked(() => call(owner, 'nin_advance', { nin }));
    expect(price(again.result)).toEqual({ billedKobo: 50_00, cached: true });
    expect(again.calls).toBe(0);
  });

  it.each([
    ['nin_premium', 'nin_basic', 50_00],
    ['nin_premium', 'nin_slip', 50_00],
    ['nin_advance', 'nin_slip', 50_00],
    ['bvn_advance', 'bvn_full', 38_00],
    ['bvn_advance', 'bvn_match', 38_00],
    ['bvn_match', 'bvn_full', 38_00],
  ])('lets %s answer %s', async (rich, poor, cachedKobo) => {
    const owner = await makeOwner(bench.service);
    const id = freshNin();
    const input: Record<string, string> = rich.startsWith('nin') ? { nin: id } : { bvn: id };
    await call(owner, rich, input);
    const answer = await call(owner, poor, input);
    expect(price(answer)).toEqual({ billedKobo: cachedKobo, cached: true });
    expect(answer.entity).toEqual((await call(await makeOwner(bench.service), poor, input)).entity);
  });

  it.each([
    ['nin_basic', 'nin_advance'],
    ['nin_slip', 'nin_advance'],
    ['nin_advance', 'nin_premium'],
    ['bvn_full', 'bvn_advance'],
  ])('does not let %s answer %s', async (poor, rich) => {
    const owner = await makeOwner(bench.service);
    const id = freshNin();
    const input: Record<string, string> = rich.startsWith('nin') ? { nin: id } : { bvn: id };
    await call(owner, poor, input);
    expect((await call(owner, rich, input)).cached).toBe(false);
    expect((await call(owner, poor, input)).cached).toBe(true);
  });

  it("serves single calls from a batch's look-ups, and a batch from single calls, with the same entity", async () => {
    const owner = await makeOwner(bench.service);
    const [first, second] = [freshNin(), freshNin()];
    const before = await call(owner, 'nin_advance', { nin: second });
    await uploadNins(bench.service, owner, [first, second], { checks: 'nin_advance' });
    for (const { id } of (await openDispatcher(bench.service, bench.service.router).fill(bench.service.sql)).leased)
      await runChunk(bench.service, id);
    const rows = await bench.service
      .sql`select row_number, cached, billed_kobo from jobs where batch_id is not null and app_id = ${owner.appId} order by row_number`;
    expect(rows).toMatchObject([
      { cached: false, billedKobo: 125_00 },
      { cached: true, billedKobo: 50_00 },
    ]);
    const after = await call(owner, 'nin_slip', { nin: first });
    expect(price(after)).toEqual({ billedKobo: 50_00, cached: true });
    expect(after.entity.nin).toBe(first);
    expect((await call(owner, 'nin_advance', { nin: second })).entity).toEqual(before.entity);
  });

  it('remembers that a subject is not on record, and charges nothing for it', async () => {
    const owner = await makeOwner(bench.service);
    for (const calls of [1, 0]) {
      const attempt = await asked(() => call(owner, 'nin_basic', { nin: '00000000001' }).catch((error) => error.code));
      expect(attempt).toEqual({ result: 'record_not_found', calls });
    }
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00, heldKobo: 0 });
  });

  it('is not shared between apps, nor between test and live, unless the operator allows it', async () => {
    const [one, other] = [await makeOwner(bench.service), await makeOwner(bench.service)];
    const nin = freshNin();
    await call(one, 'nin_basic', { nin });
    expect((await call(other, 'nin_basic', { nin })).cached).toBe(false);
    const shared = { cacheScope: 'deployment', shareCache: true } as const;
    const [third, fourth] = [await makeOwner(bench.service, 1000, shared), await makeOwner(bench.service, 1000, shared)];
    expect((await call(third, 'nin_basic', { nin })).cached).toBe(false);
    expect((await call(fourth, 'nin_basic', { nin })).cached).toBe(true);
  });

  it('expires: an old answer is looked up anew', async () => {
    const owner = await makeOwner(bench.service);
    const nin = freshNin();
    await call(owner, 'nin_basic', { nin });
    await bench.service.sql`update cache_records set expires_at = now() - interval '1 second'`;
    expect((await call(owner, 'nin_basic', { nin })).cached).toBe(false);
  });

  it('is gone with the result it points at', async () => {
    const owner = await makeOwner(bench.service);
    const nin = freshNin();
    await uploadNins(bench.service, owner, [nin], { checks: 'nin_advance' });
    for (const { id } of (await openDispatcher(bench.service, bench.service.router).fill(bench.service.sql)).leased)
      await runChunk(bench.service, id);
    const gone = await bench.service.sql`delete from results where job_id in (select id from jobs where app_id = ${owner.appId})`;
    expect(gone.count).toBe(1);
    expect((await call(owner, 'nin_advance', { nin })).cached).toBe(false);
  });

  it('holds neither identifier nor name in the clear', async () => {
    const owner = await makeOwner(bench.service);
    const nin = freshNin();
    const { entity } = await call(owner, 'nin_advance', { nin });
    const [dump] = await bench.service.sql<
      { text: string }[]
    >`select string_agg(c::text || encode(coalesce(c.record, ''), 'escape'), ' ') as text from cache_records c`;
    for (const secret of [nin, entity.surname as string, entity.telephoneno as string]) expect(dump!.text).not.toContain(secret);
  });
});

describe('single flight', () => {
  it('asks the provider once for twenty concurrent calls about one subject; one pays for the look-up', async () => {
    const owner = await makeOwner(bench.service);
    const nin = freshNin();
    const { result, calls } = await asked(() => Promise.all(Array.from({ length: 20 }, () => call(owner, 'nin_advance', { nin }))));
    expect(calls).toBe(1);
    expect(result.filter((answer) => !answer.cached)).toHaveLength(1);
    expect(result.reduce((sum, answer) => sum + answer.billedKobo, 0)).toBe(125_00 + 19 * 50_00);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1_000_000_00 - 125_00 - 19 * 50_00, heldKobo: 0 });
  });

  it('does not let a caller without funds spoil it for others', async () => {
    const shared = { cacheScope: 'deployment', shareCache: true } as const;
    const [poor, rich] = [await makeOwner(bench.service, 0, shared), await makeOwner(bench.service, 1000, shared)];
    const nin = freshNin();
    const [refused, answered] = await Promise.allSettled([call(poor, 'nin_basic', { nin }), call(rich, 'nin_basic', { nin })]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'insufficient_funds' } });
    expect(answered).toMatchObject({ status: 'fulfilled', value: { billedKobo: 125_00 } });
  });
});

describe('single flight of a question with hints', () => {
  it('is not shared with a caller who knows another name', async () => {
    const sandbox = createSandbox();
    let surname = '';
    const strict = async (question: Lookup) => {
      const answer = await sandbox.lookup(question);
      if (!('found' in answer && answer.found)) return answer;
      surname = String(answer.record.last_name);
      return question.hints.lastName === surname ? answer : { found: false as const };
    };
    const own = await openBench(database, { providers: [{ ...sandbox, lookup: strict }] });
    const owner = await makeOwner(own.service, 1_000);
    const named = (last_name: string) =>
      answerCall(own.service, owner, findCheck('passport')!, { passport_number: 'A00123456', last_name });
    await expect(named('Zzkwe')).rejects.toMatchObject({ code: 'record_not_found' });
    const [wrong, right] = await Promise.allSettled([named('Zzkwe'), named(surname)]);
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'record_not_found' } });
    expect(right).toMatchObject({ status: 'fulfilled', value: { cached: false } });
    await own.service.close();
  });
});

describe('money of a single call', () => {
  it('is refused before any provider is asked', async () => {
    const owner = await makeOwner(bench.service, 124);
    const attempt = await asked(() => call(owner, 'nin_basic', { nin: freshNin() }).catch((error) => error.code));
    expect(attempt).toEqual({ result: 'insufficient_funds', calls: 0 });
  });

  it('never goes below zero, however many call at once', async () => {
    const owner = await makeOwner(bench.service, 1000);
    const answers = await Promise.allSettled(Array.from({ length: 30 }, () => call(owner, 'nin_basic', { nin: freshNin() })));
    expect(answers.filter((a) => a.status === 'fulfilled')).toHaveLength(8);
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 0, heldKobo: 0 });
  });

  it('is released when the provider fails', async () => {
    const owner = await makeOwner(bench.service, 1000);
    expect(await call(owner, 'nin_basic', { nin: '00000000003' }).catch((error) => error.code)).toBe('provider_failed');
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 1000_00, heldKobo: 0 });
  });

  it("pays the answer's price when the first attempt failed", async () => {
    const owner = await makeOwner(bench.service, 1000);
    expect(price(await call(owner, 'nin_basic', { nin: '00000000006' }))).toEqual({ billedKobo: 125_00, cached: false });
    expect(await readWallet(bench.service.sql, owner)).toEqual({ availableKobo: 875_00, heldKobo: 0 });
  });
});

describe('cache: refresh', () => {
  it('looks up anew at the live price', async () => {
    const owner = await makeOwner(bench.service);
    const nin = freshNin();
    await call(owner, 'nin_basic', { nin });
    const { id } = await submitJob(bench.service, owner, jobBody.parse({ check: 'nin_basic', input: { nin }, cache: 'refresh' }));
    for (const chunk of (await openDispatcher(bench.service, bench.service.router).fill(bench.service.sql)).leased)
      await runChunk(bench.service, chunk.id);
    expect(await bench.service.sql`select cached, billed_kobo from jobs where id = ${id}`).toMatchObject([
      { cached: false, billedKobo: 125_00 },
    ]);
  });
});

describe("a call that shares a batch's look-up", () => {
  it('waits for it no longer than for a slot of its own, and then costs nothing', async () => {
    const sandbox = createSandbox();
    let asked = false;
    let answer = () => {};
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const lookup = async (question: Lookup) => {
      asked = true;
      await gate;
      return sandbox.lookup(question);
    };
    const providers = [{ ...sandbox, lookup }];
    const own = await openBench(database, { extra: { CONFAM_CALL_QUEUE_MS: '300' }, providers });
    const owner = await makeOwner(own.service, 1_000);
    const nin = freshNin();
    await uploadNins(own.service, owner, [nin]);
    const { leased } = await openDispatcher(own.service, own.service.router).fill(own.service.sql);
    const chunks = leased.map(({ id }) => runChunk(own.service, id));
    await waitFor('the batch to ask', () => asked);
    const began = performance.now();
    await expect(answerCall(own.service, owner, findCheck('nin_basic')!, { nin })).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await readWallet(own.service.sql, owner)).toEqual({ availableKobo: 875_00, heldKobo: 125_00 });
    answer();
    await Promise.all(chunks);
    await own.service.close();
  });
});
