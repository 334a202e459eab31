/** Live screening follows the current lists: never without a required list, and without a gap from one version to the next. */
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Owner } from '../../src/access/owner.ts';
import { LISTS_CHANNEL } from '../../src/aml/current-lists.ts';
import type { ListOutcome } from '../../src/aml/refusal.ts';
import { storeList } from '../../src/aml/store.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import type { ScreeningEntity } from '../../src/checks/screening.ts';
import { formats } from '../../src/engines/aml/lists/formats.ts';
import type { Context } from '../../src/foundation/context.ts';
import { firstIdAt, parseId } from '../../src/foundation/ids.ts';
import { topUp } from '../../src/money/ledger.ts';
import { answerCall } from '../../src/pipeline/call.ts';
import type { Service } from '../../src/pipeline/service.ts';
import { type BatchEntity, type Client, type JobEntity, startApi, type TestApi } from '../setup/api.ts';
import { asOwner, createDatabase, type TestDatabase, waitFor } from '../setup/database.ts';
import { listed, putVersion } from '../setup/lists.ts';
import { expectExactBooks } from '../setup/process.ts';
import { makeOwner, openBench } from '../setup/work.ts';
import { definitionOf, textFile } from './publisher.ts';

const PRICE = 120;
const screening = knownCheck('aml_screening');

/** The name that stands for a number: no two are alike, and nobody is called so. */
function personOf(n: number): { name: string; date_of_birth: string } {
  const bytes = createHash('sha256').update(`person ${n}`).digest();
  const syllable = (i: number) => `${'bdfgjklmnprstvz'[bytes[i]! % 15]}${'aeiou'[bytes[i + 1]! % 5]}`;
  const word = (from: number) => [0, 2, 4, 6].map((i) => syllable(from + i)).join('');
  return { name: `${word(0)} ${word(8)}`, date_of_birth: `19${60 + (bytes[20]! % 40)}-0${1 + (bytes[21]! % 9)}-1${bytes[22]! % 10}` };
}

/** A list of the people with these numbers, in Confam's own format. */
const listOf = (numbers: readonly number[]): string => numbers.map((n) => `${JSON.stringify({ id: `p${n}`, ...personOf(n) })}\n`).join('');
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

const store = (ctx: Context, list: string, text: string): Promise<ListOutcome> =>
  storeList(ctx, definitionOf(list), [textFile(text)], { origin: 'list.jsonl', fetched: [] }, formats);

async function labelOf(outcome: Promise<ListOutcome>): Promise<string> {
  const stored = await outcome;
  if (stored.kind !== 'stored') throw new Error(`the list was not stored: ${stored.kind}`);
  return stored.version.label;
}

/** Both lists that a live screening requires. */
async function storeRequired(ctx: Context, sanctioned: readonly number[]): Promise<void> {
  await labelOf(store(ctx, 'un_sc', listOf(sanctioned)));
  await labelOf(store(ctx, 'ofac_sdn', listOf(range(1_000_000, 10))));
}

describe('in one process', () => {
  let database: TestDatabase;
  let service: Service;
  let owner: Owner;
  beforeEach(async () => {
    database = await createDatabase();
    service = await openService();
    const made = await makeOwner(service, 0);
    owner = { ...made, live: true };
    await topUp(service.sql, { appId: made.appId, live: true }, 1_000_000_00, null);
  });
  afterEach(async () => {
    await service.close();
    await database.drop();
  });

  const openService = async () => (await openBench(database, { extra: { CONFAM_AML_THREADS: '1' } })).service;
  const screen = async (n: number, by = service): Promise<ScreeningEntity> =>
    (await answerCall(by, owner, screening, personOf(n))).entity as ScreeningEntity;
  const refusal = (n: number) =>
    screen(n).then(
      () => null,
      (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
    );
  const untilHeard = (what: string) => waitFor(what, async () => (await refusal(1)) === null);
  const versionOf = ({ screening: { lists } }: ScreeningEntity, name: string) => lists.find(({ list }) => list === name)?.version;

  test('nothing is answered or charged until every required list is loaded', async () => {
    expect(await refusal(1)).toMatch(/^lists_not_loaded: Not loaded: ofac_sdn, un_sc/);
    await store(service, 'eu_fsf', listOf(range(1, 10)));
    const label = await labelOf(store(service, 'un_sc', listOf(range(1, 10))));
    await waitFor('the news', async () => (await refusal(1))?.startsWith('lists_not_loaded: Not loaded: ofac_sdn'));
    // The index is built without the missing list.
    service.screenings.preload();
    await labelOf(store(service, 'ofac_sdn', listOf(range(11, 10))));
    const first = await waitFor('an answer', () =>
      screen(11).catch((error) => {
        expect(error.code).toBe('lists_not_loaded');
        return null;
      }),
    );
    expect(first.hits, 'the first answer already searches it').toMatchObject([{ list: 'ofac_sdn', source_id: 'p11' }]);
    expect(versionOf(first, 'un_sc')).toBe(label);
    const [spent] = await service.sql<
      { kobo: number }[]
    >`select available_kobo::int as kobo from wallets where app_id = ${owner.appId} and live`;
    expect(spent!.kobo).toBe(1_000_000_00 - PRICE * 100);
  });

  test('a list not confirmed for too long counts as absent until it is confirmed', async () => {
    await storeRequired(service, range(1, 10));
    await untilHeard('the lists');
    await service.sql`update aml_lists set checked_at = now() - interval '8 days' where list = 'un_sc'`;
    await service.sql`select pg_notify(${LISTS_CHANNEL}, 'un_sc')`;
    const reason = await waitFor('its age', () => refusal(1));
    expect(reason).toMatch(/^lists_not_loaded: Not confirmed by the publisher for too long: un_sc/);
    expect((await store(service, 'un_sc', listOf(range(1, 10)))).kind).toBe('unchanged');
    await untilHeard('the confirmation');
    expect((await screen(1)).hits).toHaveLength(1);
  });

  test('under load in two processes, a new version replaces the old one and no answer mixes the two', async () => {
    const people = range(10, 2_000);
    // Each version drops one person and adds another: 0 and 1 stand for the versions.
    const versions = new Map([[await labelOf(store(service, 'un_sc', listOf([0, ...people]))), 0]]);
    await labelOf(store(service, 'ofac_sdn', listOf(range(1_000_000, 10))));
    const other = await openService();
    onTestFinished(() => other.close());
    const services = [service, other];
    await waitFor('both', async () =>
      (await Promise.allSettled(services.map((by) => screen(0, by)))).every(({ status }) => status === 'fulfilled'),
    );

    let isOver = false;
    const wrong: unknown[] = [];
    const answered: Record<number, number> = {};
    const load = services.map(async (by) => {
      const under: Promise<void>[] = [];
      while (!isOver) {
        under.push(
          Promise.all([0, 1].map((n) => answerCall(by, owner, screening, personOf(n)))).then(
            (pair) => {
              for (const [n, { entity }] of pair.entries()) {
                const version = versions.get(versionOf(entity as ScreeningEntity, 'un_sc')!);
                answered[version ?? -1] = (answered[version ?? -1] ?? 0) + 1;
                const hits = (entity as ScreeningEntity).hits.map(({ source_id }) => source_id);
                if (version === undefined || hits.length !== Number(n === version % 2)) wrong.push({ n, version, hits });
              }
            },
            (error) => void wrong.push(error),
          ),
        );
        // Two names: 100 a second in each process.
        await sleep(20);
      }
      await Promise.all(under);
    });
    for (const version of [1, 2]) {
      await waitFor('answers of the version before', () => (answered[version - 1] ?? 0) > 0);
      // Its label is known only once it is current.
      const text = listOf([version % 2, ...people.slice(version)]);
      const label = `${new Date().toISOString().slice(0, 10)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
      versions.set(label, version);
      expect(await labelOf(store(service, 'un_sc', text))).toBe(label);
      await waitFor('the version everywhere', async () =>
        (await Promise.all(services.map((by) => screen(5, by)))).every((entity) => versionOf(entity, 'un_sc') === label),
      );
    }
    await waitFor('answers of the last version', () => (answered[2] ?? 0) > 0);
    isOver = true;
    await Promise.all(load);
    expect(wrong).toEqual([]);
    expect(Object.keys(answered)).toEqual(['0', '1', '2']);
    console.log(`answers by version: ${Object.values(answered).join(', ')}`);
  }, 60_000);

  test('a broken file leaves the previous version answering', async () => {
    const label = await labelOf(store(service, 'un_sc', listOf(range(1, 10))));
    await labelOf(store(service, 'ofac_sdn', listOf(range(11, 10))));
    await untilHeard('the lists');
    for (const text of [listOf(range(1, 10)).slice(0, -30), 'nothing of a list', listOf(range(1, 2))])
      expect((await store(service, 'un_sc', text)).kind).toBe('refused');
    // What is announced later is heard later.
    const later = await labelOf(store(service, 'ofac_sdn', listOf(range(11, 11))));
    const entity = await waitFor('the other list', async () => {
      const answer = await screen(1);
      return versionOf(answer, 'ofac_sdn') === later && answer;
    });
    expect(entity.hits).toHaveLength(1);
    expect(versionOf(entity, 'un_sc')).toBe(label);
  });

  test('a failed index build is repeated shortly; the previous index answers meanwhile', async () => {
    await storeRequired(service, range(1, 10));
    await untilHeard('the lists');
    const errors = vi.spyOn(service.log, 'error');
    await asOwner(service.databaseUrl, (sql) => sql`alter table aml_entries rename column entry to gone`);
    await putVersionWithout(service);
    await service.sql`select pg_notify(${LISTS_CHANNEL}, 'un_sc')`;
    await waitFor('the failure', () => errors.mock.calls.some(([, message]) => message === 'the watch list index was not renewed'));
    expect((await screen(1)).hits).toHaveLength(1);
    await asOwner(service.databaseUrl, (sql) => sql`alter table aml_entries rename column gone to entry`);
    await waitFor('the next attempt', async () => (await screen(1)).hits.length === 0);
  }, 40_000);

  /** Takes person 1 off the list without announcing it. */
  const putVersionWithout = async ({ sql }: Context) => {
    await sql`
      with made as (
        insert into aml_list_versions (id, list, label, format, origin, checksum, bytes, entries, names, skipped, added, changed, removed)
        select gen_random_uuid(), list, 'next', format, origin, checksum, bytes, entries, names, skipped, 0, 0, 1
        from aml_list_versions where list = 'un_sc' returning id)
      update aml_lists set version_id = (select id from made) where list = 'un_sc'`;
    await sql`update aml_entries set to_version = (select version_id from aml_lists where list = 'un_sc') where source_id = 'p1'`;
  };

  test('a change made while the connection was lost is noticed afterwards', async () => {
    await storeRequired(service, range(1, 10));
    await untilHeard('the lists');
    expect((await screen(7_001)).hits).toHaveLength(0);
    // This version is not announced.
    await putVersion(service, 'un_sc', [listed('T.1', personOf(7_001).name)]);
    await asOwner(
      service.databaseUrl,
      (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
    );
    await waitFor('the version', async () => (await screen(7_001)).hits.length === 1);
  });

  test.skipIf(process.platform !== 'linux')(
    'closing a process during a build leaves no thread behind',
    async () => {
      const threads = () => readdirSync('/proc/self/task').length;
      await storeRequired(service, range(1, 2_000));
      await untilHeard('the lists');
      const before = threads();
      for (const afterMs of [0, 50, 400]) {
        const closing = await openService();
        closing.screenings.preload();
        await sleep(afterMs);
        const began = performance.now();
        await closing.close();
        expect(performance.now() - began).toBeLessThan(10_000);
      }
      await waitFor('the threads to end', () => threads() <= before);
    },
    60_000,
  );
});

describe('in jobs and batches', () => {
  let api: TestApi;
  let live: Client;
  beforeAll(async () => {
    const file = `${process.env.TMPDIR ?? '/tmp'}/confam-screenings-${process.pid}.json`;
    writeFileSync(file, JSON.stringify({ lists: { in_house: { category: 'sanction' } } }));
    api = await startApi({ CONFAM_LISTS: file, CONFAM_AML_THREADS: '1' });
    const app = await api.createApp({ naira: 0 });
    live = app.live;
    await topUp(api.service.sql, { appId: parseId('app', app.app)!, live: true }, 1_000_000_00, null);
    await storeRequired(api.service, range(0, 1_000));
    await waitFor('the lists', async () => (await live.post('/api/v1/aml/screening', personOf(0))).status === 200);
  });
  afterAll(async () => {
    await expectExactBooks(api.service.databaseUrl);
    await api.stop();
  });

  test('2,000 rows get the answers of the list, and each is charged once', async () => {
    // Every tenth row is on the list, some in another case or word order.
    const rows = range(0, 2_000).map((i) => {
      const { name, date_of_birth } = personOf(i % 10 === 0 ? i / 10 : 50_000 + i);
      return { name: i % 20 === 0 ? name.toUpperCase().split(' ').reverse().join(' ') : name, date_of_birth, reference: `r${i}` };
    });
    const before = (await live.wallet()).available;
    const csv = ['reference,name,date_of_birth', ...rows.map((row) => `${row.reference},${row.name},${row.date_of_birth}`)].join('\n');
    const accepted = await live.csv('checks=aml_screening', csv);
    expect(accepted.status, accepted.text).toBe(202);
    const path = `/api/v1/batches/${accepted.body.entity.id}`;
    const batch = await live.ended<BatchEntity>(path);
    expect(batch).toMatchObject({
      counts: { rows: 2_000, jobs: 2_000, found: 2_000, failed: 0, duplicate: 0 },
      billed_amount: 2_000 * PRICE,
    });
    expect(before - (await live.wallet()).available).toBe(2_000 * PRICE);
    const lines = (await live.get(`${path}/results?format=jsonl`)).text.trim().split('\n');
    const hits = lines.map((line) => {
      const { reference, checks } = JSON.parse(line) as { reference: string; checks: { aml_screening: { entity: ScreeningEntity } } };
      return [reference, checks.aml_screening.entity.hits.map(({ source_id }) => source_id)];
    });
    expect(hits).toEqual(rows.map(({ reference }, i) => [reference, i % 10 === 0 ? [`p${i / 10}`] : []]));
  }, 60_000);

  test('a job that names a missing list fails free of charge, and succeeds once the list is loaded', async () => {
    const submit = async () => {
      const { id } = (await live.job({ check: 'aml_screening', input: { ...personOf(90_000), lists: 'in_house' } })).body.entity;
      return live.ended<JobEntity>(`/api/v1/jobs/${id}`);
    };
    const before = (await live.wallet()).available;
    expect(await submit()).toMatchObject({ status: 'failed', billed_amount: 0, attempts: 1, error: { code: 'lists_not_loaded' } });
    expect(await live.wallet()).toMatchObject({ available: before, held: 0 });
    const label = await labelOf(store(api.service, 'in_house', listOf([90_000])));
    const job = await waitFor('the list', async () => {
      const job = await submit();
      return job.status === 'completed' && job;
    });
    expect(job).toMatchObject({ billed_amount: PRICE, result: { hits: [{ list: 'in_house', list_version: label, source_id: 'p90000' }] } });
  });

  test('a case stays decided when monitoring comes to the hit that its screening has shown, and opens again for a new one', async () => {
    const app = await api.createApp({ naira: 0, settings: { reviews: { amlLevel: 'LOW' } } });
    const appId = parseId('app', app.app)!;
    await topUp(api.service.sql, { appId, live: true }, 1_000_000_00, null);
    const someone = personOf(91_000);
    const bring = (...ids: string[]) => {
      const entries = ids.map((id) => `${JSON.stringify({ id, ...someone })}\n`);
      return labelOf(store(api.service, 'un_sc', listOf(range(0, 1_000)) + entries.join('')));
    };
    const label = await bring('q1');
    const job = await waitFor('an answer of that version', async () => {
      const accepted = await app.live.job({ check: 'aml_screening', input: { ...someone, monitor: 'true' } });
      expect(accepted.status, accepted.text).toBe(202);
      const { id } = accepted.body.entity;
      const job = await app.live.ended<JobEntity>(`/api/v1/jobs/${id}`);
      const { screening } = job.result as unknown as ScreeningEntity;
      if (screening.lists.some(({ version }) => version === label)) return job;
      // Had it started the monitor, the version would be new to that.
      await api.service.sql`delete from aml_monitors where app_id = ${appId}`;
      return null;
    });
    // Backdated by a minute: new monitors wait a little (src/aml/rescreen.ts).
    const [monitor] = await api.service.sql<{ id: string }[]>`
      update aml_monitors set id = ${firstIdAt(Date.now() - 60_000)} where app_id = ${appId} returning id`;
    const review = async () =>
      (await app.live.get<{ data: { id: string; state: string; monitor: string | null }[] }>(`/api/v1/reviews?job=${job.id}`)).body.entity
        .data[0]!;
    const { id } = await review();
    expect((await app.live.post(`/api/v1/reviews/${id}/decide`, { decision: 'approve', reason: 'Another town' })).status).toBe(200);
    await waitFor('the rescreen to pass the monitor', async () => {
      const [run] = await api.service.sql<{ isPast: boolean | null }[]>`
        select r.cursor >= ${monitor!.id} as is_past from aml_rescreens r join aml_list_versions v on v.id = r.version_id
        where v.list = 'un_sc' and v.label = ${label}`;
      return run!.isPast;
    });
    expect(await review()).toMatchObject({ state: 'decided', monitor: null });
    await bring('q1', 'q2');
    await waitFor('the new hit', async () => (await review()).state === 'open');
  }, 60_000);

  test('a batch whose list gets too old says that it waits, charges nothing, and continues when the list is confirmed', async () => {
    const accepted = await live.csv('checks=aml_screening&start=manual', ['name', ...range(0, 30).map((n) => personOf(n).name)].join('\n'));
    const path = `/api/v1/batches/${accepted.body.entity.id}`;
    await api.service.sql`update aml_lists set checked_at = now() - interval '8 days' where list = 'ofac_sdn'`;
    await api.service.sql`select pg_notify(${LISTS_CHANNEL}, 'ofac_sdn')`;
    await waitFor('its age', async () => (await live.post('/api/v1/aml/screening', personOf(0))).status === 503);
    await live.post(`${path}/start`);
    const waiting = await waitFor('it to say that it waits', async () => {
      const { entity } = (await live.get<BatchEntity & { degraded: boolean }>(path)).body;
      return entity.degraded && entity;
    });
    expect(waiting).toMatchObject({
      counts: { completed: 0, failed: 0 },
      billed_amount: 0,
    });
    expect((await store(api.service, 'ofac_sdn', listOf(range(1_000_000, 10)))).kind).toBe('unchanged');
    expect(await live.ended<BatchEntity>(path)).toMatchObject({ counts: { found: 30, failed: 0 }, billed_amount: 30 * PRICE });
  });
});
