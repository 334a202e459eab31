/** What an app can read of its money: entries, statements, prices, usage. Each agrees with the ledger to the kobo. */
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { checks } from '../../src/checks/catalog.ts';
import type { batchChargeAnswer } from '../../src/contract/money.ts';
import { newId, parseId, showId } from '../../src/foundation/ids.ts';
import { type BatchEntity, type Client, type JobEntity, openClient, type TestApp, useApi } from '../setup/api.ts';
import { asOwner, waitFor } from '../setup/database.ts';
import { freshNin } from '../setup/work.ts';

const api = useApi();

interface Entry {
  id: string;
  at: string;
  kind: 'topup' | 'hold' | 'capture' | 'release';
  from: string;
  to: string;
  amount: number;
  batch: string | null;
  job: string | null;
  note: string | null;
  check: string | null;
  jobs: number | null;
}
interface List<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

const appIdOf = (app: { app: string }) => parseId('app', app.app)!;
const ledgerOf = (app: TestApp) => api.service.sql<
  { id: number; kind: string; amountKobo: number; fromAccount: string; toAccount: string; jobId: string; jobs: number | null }[]
>`
  select * from ledger_entries where app_id = ${appIdOf(app)} and not live order by id desc`;
const get = async <E>(client: Client, path: string): Promise<E> => {
  const answer = await client.get<E>(path);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.entity;
};

/** Calls (some cached, some not on record, some failing), jobs and a batch. */
async function beBusy(app: TestApp): Promise<BatchEntity> {
  const known = freshNin();
  await app.get(`/api/v1/kyc/nin?nin=${known}`);
  for (const nin of [known, known, freshNin(), '00000000001', '00000000003']) await app.get(`/api/v1/kyc/nin?nin=${nin}`);
  const jobs = await Promise.all([known, freshNin(), '00000000001'].map((nin) => app.job({ check: 'nin_basic', input: { nin } })));
  const rows = [freshNin(), freshNin(), freshNin(), '00000000001', known];
  const { entity } = (await app.csv('checks=nin_basic,nin_advance', `nin\n${rows.join('\n')}\n`)).body;
  for (const { body } of jobs) await app.ended<JobEntity>(`/api/v1/jobs/${body.entity.id}`);
  return app.ended<BatchEntity>(`/api/v1/batches/${entity.id}`);
}

describe('entries', () => {
  test('read page by page to the end are the ledger, newest first, and say what they belong to', async () => {
    const app = await api.createApp();
    const batch = await beBusy(app);
    const ledger = await ledgerOf(app);
    expect(ledger.length).toBeGreaterThan(25);
    const read: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: List<Entry> = await get(app, `/api/v1/wallet/entries?limit=7${cursor && `&cursor=${cursor}`}`);
      expect(page.data.length).toBe(page.has_more ? 7 : ledger.length % 7 || 7);
      read.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(read.map((e) => [e.id, e.kind, e.amount, e.from, e.to])).toEqual(
      ledger.map((e) => [`ent_${e.id}`, e.kind, e.amountKobo / 100, e.fromAccount, e.toAccount]),
    );
    const own = read.filter((e) => e.batch === batch.id);
    expect(own.filter((e) => e.kind === 'hold').map((e) => [e.amount, e.job])).toEqual([[batch.hold_amount, null]]);
    // Its charges are one for each check and price, or a few if they were settled in parts; each says for how many jobs it is.
    const charges = own.filter((e) => e.kind === 'capture');
    expect(charges.reduce((sum, e) => sum + e.amount, 0)).toBe(batch.billed_amount);
    const { data: jobs } = await get<List<JobEntity>>(app, `/api/v1/batches/${batch.id}/jobs`);
    for (const check of ['nin_basic', 'nin_advance']) {
      const [paid, charged] = [
        jobs.filter((job) => job.check === check && job.billed_amount > 0),
        charges.filter((e) => e.check === check),
      ];
      expect(charged.reduce((sum, e) => sum + e.jobs!, 0)).toBe(paid.length);
      expect(charged.reduce((sum, e) => sum + e.amount, 0)).toBe(paid.reduce((sum, job) => sum + job.billed_amount, 0));
    }
    const others = read.filter((e) => e.batch === null && e.kind === 'capture');
    expect(new Set(others.map((e) => e.jobs))).toEqual(new Set([1]));
    expect(read.filter((e) => e.kind !== 'capture').every((e) => e.check === null && e.jobs === null)).toBe(true);
    expect(read.filter((e) => e.batch === null && e.kind !== 'topup').every((e) => e.job?.startsWith('job_'))).toBe(true);
    // From the top-ups to the current balance.
    const change = (account: string) =>
      read.reduce((sum, e) => sum + (e.to === account ? e.amount : 0) - (e.from === account ? e.amount : 0), 0);
    expect({ available: change('available'), held: change('held') }).toEqual({ available: (await app.wallet()).available, held: 0 });
  });

  test('are also available as CSV, all of them', async () => {
    const app = await api.createApp({ naira: 10_000 });
    await api.admin.post(`/api/v1/admin/apps/${app.app}/topups`, { amount: 5, mode: 'test', note: '=cmd|calc, "x"' });
    await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    // More than one page of the stream.
    await api.service.sql`insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo)
      select ${appIdOf(app)}, false, 'topup', 'topups', 'available', 1 from generate_series(1, 2500)`;
    await api.service.sql`update wallets set available_kobo = available_kobo + 2500 where app_id = ${appIdOf(app)} and not live`;
    const answer = await app.get('/api/v1/wallet/entries?format=csv&limit=3');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain('entries.csv');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('id,at,kind,from,to,amount,batch,job,note,check,jobs');
    const ledger = await ledgerOf(app);
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(ledger.map((e) => `ent_${e.id}`));
    expect(lines.find((line) => line.includes('calc'))).toMatch(/,topup,topups,available,5,,,"'=cmd\|calc, ""x""",,$/);
  });

  test('are filtered by kind and time', async () => {
    const app = await api.createApp();
    await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    const kinds = async (query: string) => (await get<List<Entry>>(app, `/api/v1/wallet/entries?${query}`)).data.map((e) => e.kind);
    expect(await kinds('')).toEqual(['capture', 'hold', 'topup']);
    expect(await kinds('kind=hold')).toEqual(['hold']);
    expect(await kinds('kind=release')).toEqual([]);
    const { at } = (await get<List<Entry>>(app, '/api/v1/wallet/entries?kind=capture')).data[0]!;
    expect(await kinds(`until=${at}`)).toEqual(['hold', 'topup']);
    expect(await kinds(`until=${encodeURIComponent(at.replace('Z', '+00:00'))}`)).toEqual(['hold', 'topup']);
    expect(await kinds(`since=${at}`)).toEqual(['capture']);
    expect(await kinds('since=2100-01-01')).toEqual([]);
    expect(await kinds('until=2020-01-01')).toEqual([]);
  });

  test('of another app or the other mode are never shown, and their cursors are refused', async () => {
    const [one, two] = [await api.createApp(), await api.createApp()];
    for (const app of [one, two]) await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    await api.admin.post(`/api/v1/admin/apps/${one.app}/topups`, { amount: 7, mode: 'live' });
    const { next_cursor } = await get<List<Entry>>(one, '/api/v1/wallet/entries?limit=1');
    expect((await one.get(`/api/v1/wallet/entries?cursor=${next_cursor}`)).status).toBe(200);
    for (const client of [two, one.live]) expect((await client.get(`/api/v1/wallet/entries?cursor=${next_cursor}`)).status).toBe(400);
    const ids = async (client: Client) => (await get<List<Entry>>(client, '/api/v1/wallet/entries')).data.map((e) => e.id);
    const [a, b, live] = [await ids(one), await ids(two), await ids(one.live)];
    expect([a.length, b.length, live.length]).toEqual([3, 3, 1]);
    expect(new Set([...a, ...b, ...live]).size).toBe(7);
    expect((await one.live.get('/api/v1/wallet/entries?format=csv')).text.trimEnd().split('\r\n')).toHaveLength(2);
  });

  test('of batches, a line for each batch, check and price, open into jobs that add up to it', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const batches = [await beBusy(app), await beBusy(app)];
    type Line = z.infer<typeof batchChargeAnswer>;
    const lines: Line[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: List<Line> = await get(app, `/api/v1/wallet/entries?by=batch&limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.data.length).toBeLessThanOrEqual(2);
      lines.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(lines).toEqual((await get<List<Line>>(app, '/api/v1/wallet/entries?by=batch')).data);
    expect([...new Set(lines.map(({ batch }) => batch))]).toEqual(batches.map(({ id }) => id).toReversed());
    for (const { id, billed_amount } of batches) {
      const own = lines.filter(({ batch }) => batch === id);
      const { data } = await get<List<JobEntity>>(app, `/api/v1/batches/${id}/jobs`);
      const charged = new Set(data.filter((job) => job.billed_amount > 0).map((job) => `${job.check} ${job.billed_amount}`));
      expect(own.map(({ check, price }) => `${check} ${price}`).sort()).toEqual([...charged].sort());
      expect(own.reduce((sum, line) => sum + line.amount, 0)).toBe(billed_amount);
    }
    for (const { check, price, jobs, amount, jobs_url, first_at, last_at } of lines) {
      const { data } = await get<List<JobEntity>>(app, jobs_url);
      expect(data.map((job) => [job.check, job.billed_amount])).toEqual(Array.from({ length: jobs }, () => [check, price]));
      expect(data.reduce((sum, job) => sum + job.billed_amount, 0)).toBe(amount);
      expect(Date.parse(first_at)).toBeLessThanOrEqual(Date.parse(last_at));
    }
    const csv = (await app.get('/api/v1/wallet/entries?by=batch&format=csv')).text.trimEnd().split('\r\n');
    expect(csv[0]).toBe('batch,kind,check,price,jobs,amount,first_at,last_at,jobs_url,reference');
    expect(csv.slice(1).map((line) => line.split(',').slice(0, 6).join())).toEqual(
      lines.map((line) => [line.batch, line.kind, line.check, line.price, line.jobs, line.amount].join()),
    );
    const { data: none } = await get<List<Line>>(app, '/api/v1/wallet/entries?by=batch&until=2020-01-01');
    expect(none).toEqual([]);
    expect((await get<List<Line>>(await api.createApp(), '/api/v1/wallet/entries?by=batch')).data).toEqual([]);
    for (const [query, error] of [
      ['by=batch&kind=hold', 'kind cannot be combined with by=batch, which lists charges only'],
      ['by=batches', 'by must be batch'],
      ['kind=refunds', 'kind must be one of topup, hold, capture, release'],
    ])
      expect((await app.get(`/api/v1/wallet/entries?${query}`)).body).toMatchObject({
        code: 'invalid_request',
        error: expect.stringContaining(error!),
      });
    expect((await app.get(`/api/v1/batches/${batches[0]!.id}/jobs?billed=1e3`)).body.details[0]!.path).toBe('billed');
  });

  test('of batches have the reference of their batch, which a key that may not read results is not shown', async () => {
    const app = await api.createApp({ naira: 1_000 });
    const reference = 'Àjọ customers, May';
    const made = await app.csv(`checks=nin_basic&reference=${encodeURIComponent(reference)}`, `nin\n${freshNin()}\n`);
    await app.ended(`/api/v1/batches/${made.body.entity.id}`);
    const shown = async (client: Client) => [
      (await get<List<z.infer<typeof batchChargeAnswer>>>(client, '/api/v1/wallet/entries?by=batch')).data.map((line) => line.reference),
      (await client.get('/api/v1/wallet/entries?by=batch&format=csv')).text.includes(`"${reference}"`),
    ];
    expect(await shown(app)).toEqual([[reference], true]);
    const keyWith = async (scopes: string[]) =>
      openClient(api.url, app.app, (await app.post<{ key: string }>('/api/v1/keys', { scopes })).body.entity.key);
    expect(await shown(await keyWith(['wallet:read', 'results:read']))).toEqual([[reference], true]);
    expect(await shown(await keyWith(['wallet:read']))).toEqual([[null], false]);
  });

  test('of batches that an earlier release charged job by job are one line, too', async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const made = await app.csv('checks=nin_basic', `nin\n${Array.from({ length: 5 }, freshNin).join('\n')}\n`);
    const batch = await app.ended<BatchEntity>(`/api/v1/batches/${made.body.entity.id}`);
    await asOwner(api.service.databaseUrl, (sql) =>
      sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx`delete from ledger_entries where hold_id = ${parseId('bat', batch.id)} and kind = 'capture'`;
        await tx`
          insert into ledger_entries (app_id, live, kind, from_account, to_account, amount_kobo, hold_id, job_id)
          select app_id, live, 'capture', 'held', 'revenue', billed_kobo, batch_id, id from jobs where batch_id = ${parseId('bat', batch.id)}`;
      }),
    );
    const { data } = await get<List<z.infer<typeof batchChargeAnswer>>>(app, '/api/v1/wallet/entries?by=batch');
    expect(data).toMatchObject([{ batch: batch.id, check: 'nin_basic', price: 125, jobs: 5, amount: 625 }]);
  });

  test('refuse a tampered cursor and wrong parameters by name', async () => {
    const app = await api.createApp();
    await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    const cursor = (await get<List<Entry>>(app, '/api/v1/wallet/entries?limit=1')).next_cursor!;
    const tampered = [...cursor].map((c, i) => cursor.slice(0, i) + (c === 'A' ? 'B' : 'A') + cursor.slice(i + 1));
    for (const wrong of [
      ...tampered,
      'x',
      `${cursor}A`,
      cursor.slice(1),
      Buffer.from('9999').toString('base64url'),
      '%00',
      '../providers/',
    ]) {
      const answer = await app.get(`/api/v1/wallet/entries?cursor=${wrong}`);
      expect([answer.status, answer.body.details?.[0]?.path], wrong).toEqual([400, 'cursor']);
    }
    for (const [name, value] of [
      ['limit', '0'],
      ['limit', '1001'],
      ['limit', 'x'],
      ['limit', ''],
      ['limit', '1.5'],
      ['kind', 'gift'],
      ['format', 'xml'],
      ['since', 'yesterday'],
      ['since', '2026-02-30'],
      ['until', '2026-13-01'],
      ['until', '2026-01-01T00:00:00'],
    ]) {
      const answer = await app.get(`/api/v1/wallet/entries?${name}=${value}`);
      expect([answer.status, answer.body.details?.[0]?.path], `${name}=${value}`).toEqual([400, name]);
    }
    expect((await fetch(`${api.url}/api/v1/wallet/entries`)).status).toBe(401);
  });
});

interface Movement {
  count: number;
  amount: number;
}
interface Statement {
  month: string;
  opening: { total: number; available: number; held: number };
  top_ups: Movement;
  holds: Movement;
  releases: Movement;
  charges: Movement & { from_held: number; from_available: number; checks: (Movement & { check: string })[] };
  closing: { total: number; available: number; held: number };
}

const kobo = (naira: number) => Math.round(naira * 100);

function expectToAddUp({ opening, top_ups, holds, releases, charges, closing }: Statement): void {
  expect(kobo(opening.total) + kobo(top_ups.amount) - kobo(charges.amount)).toBe(kobo(closing.total));
  expect(kobo(opening.available) + kobo(top_ups.amount) - kobo(holds.amount) + kobo(releases.amount) - kobo(charges.from_available)).toBe(
    kobo(closing.available),
  );
  expect(kobo(opening.held) + kobo(holds.amount) - kobo(releases.amount) - kobo(charges.from_held)).toBe(kobo(closing.held));
  expect(charges.checks.reduce((sum, check) => sum + kobo(check.amount), 0)).toBe(kobo(charges.amount));
  expect(charges.checks.reduce((sum, check) => sum + check.count, 0)).toBe(charges.count);
}

describe('statements', () => {
  const thisMonth = new Date().toISOString().slice(0, 7);

  test('for this month agree with the wallet and with the charges', async () => {
    const app = await api.createApp();
    const batch = await beBusy(app);
    const waiting = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity;
    const statement = await get<Statement>(app, `/api/v1/wallet/statements/${thisMonth}`);
    expectToAddUp(statement);
    expect(statement.opening).toEqual({ total: 0, available: 0, held: 0 });
    expect(statement.top_ups).toEqual({ count: 1, amount: 100_000 });
    const wallet = await app.wallet();
    expect(statement.closing).toEqual({ total: wallet.available + wallet.held, available: wallet.available, held: waiting.hold_amount });
    const captures = (await ledgerOf(app)).filter((e) => e.kind === 'capture');
    expect(statement.charges.count).toBe(captures.reduce((sum, e) => sum + e.jobs!, 0));
    expect(batch.billed_amount).toBeGreaterThan(0);
    const csv = await app.get(`/api/v1/wallet/statements/${thisMonth}?format=csv`);
    expect(csv.headers.get('content-disposition')).toContain(`statement-${thisMonth}.csv`);
    expect(csv.text).toContain(`\r\nclosing_available,,,${wallet.available}\r\n`);
    for (const { check, count, amount } of statement.charges.checks)
      expect(csv.text).toContain(`\r\ncharges,${check},${count},${amount}\r\n`);
  });

  test('add up over months of random activity, each opening with the previous closing balance', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`statement seed ${seed}`);
    const random = mulberry(seed);
    const app = await api.createApp({ naira: 0 });
    const appId = appIdOf(app);
    const balance = { available: 0, held: 0 };
    const months = ['2026-05', '2026-06', '2026-07', '2026-08'];
    const closings = new Map<string, typeof balance>();
    const charged = new Map<string, number>();
    const entry = (at: string, kind: string, from: string, to: string, amount: number, jobId: string | null) =>
      api.service.sql`insert into ledger_entries (app_id, live, at, kind, from_account, to_account, amount_kobo, job_id)
        values (${appId}, false, ${at}, ${kind}::text::ledger_kind, ${from}::text::ledger_account, ${to}::text::ledger_account, ${amount}, ${jobId})`;
    for (const month of months) {
      // Nothing moves in July. A month includes its first and its last instant.
      const instants =
        month === '2026-07'
          ? []
          : [`${month}-01T00:00:00Z`, ...Array.from({ length: 20 }, (_, i) => `${month}-${10 + i}T12:00:00Z`), `${month}-30T23:59:59.999Z`];
      for (const at of instants) {
        const amount = 1 + Math.floor(random() * 1_000_00);
        const kind = ['topup', 'hold', 'release', 'direct', 'capture'][Math.floor(random() * 5)]!;
        if (kind === 'topup' || balance.available < amount) {
          await entry(at, 'topup', 'topups', 'available', amount, null);
          balance.available += amount;
        } else if (kind === 'hold' || (kind !== 'direct' && balance.held < amount)) {
          await entry(at, 'hold', 'available', 'held', amount, null);
          balance.available -= amount;
          balance.held += amount;
        } else if (kind === 'release') {
          await entry(at, 'release', 'held', 'available', amount, null);
          balance.available += amount;
          balance.held -= amount;
        } else {
          const from = kind === 'direct' ? 'available' : 'held';
          await entry(at, 'capture', from, 'revenue', amount, newId());
          await api.service
            .sql`insert into usage_days as u values (${appId}, false, ${at.slice(0, 10)}::text::date, 'nin_basic', 'call', 1, 0, 0, 0, 1, ${amount})
            on conflict (app_id, live, day, check_id, source) do update set charged = u.charged + 1, billed_kobo = u.billed_kobo + excluded.billed_kobo`;
          balance[from] -= amount;
          charged.set(month, (charged.get(month) ?? 0) + amount);
        }
      }
      closings.set(month, { ...balance });
    }
    await api.service
      .sql`update wallets set available_kobo = ${balance.available}, held_kobo = ${balance.held} where app_id = ${appId} and not live`;
    let before = { total: 0, available: 0, held: 0 };
    for (const month of ['2026-04', ...months, '2026-09', thisMonth]) {
      const statement = await get<Statement>(app, `/api/v1/wallet/statements/${month}`);
      expectToAddUp(statement);
      expect(statement.opening, `${month}, seed ${seed}`).toEqual(before);
      const { available, held } = closings.get(month) ?? (month === '2026-04' ? { available: 0, held: 0 } : balance);
      expect(statement.closing).toEqual({ total: (available + held) / 100, available: available / 100, held: held / 100 });
      expect(kobo(statement.charges.amount)).toBe(charged.get(month) ?? 0);
      before = statement.closing;
    }
    const july = await get<Statement>(app, '/api/v1/wallet/statements/2026-07');
    const nothing = { count: 0, amount: 0 };
    expect([july.top_ups, july.holds, july.releases]).toEqual([nothing, nothing, nothing]);
    expect(july.charges).toEqual({ ...nothing, from_held: 0, from_available: 0, checks: [] });
    // Of this app and mode only.
    const live = await get<Statement>(app.live, '/api/v1/wallet/statements/2026-08');
    expect([live.opening.total, live.closing.total, live.top_ups.count]).toEqual([0, 0, 0]);
  });

  test('are not given for a future or invalid month', async () => {
    const app = await api.createApp();
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1)).toISOString().slice(0, 7);
    for (const month of [next, '2999-01', '2026-13', '2026-00', '2026-1', '202601', 'now', '0000-01', '2026-01-01', '%00', "2026-01'"]) {
      const answer = await app.get(`/api/v1/wallet/statements/${month}`);
      expect([answer.status, answer.body.details?.[0]?.path], month).toEqual([400, 'month']);
    }
    expect((await app.get(`/api/v1/wallet/statements/${thisMonth}?format=pdf`)).status).toBe(400);
  });
});

interface Listed {
  check: string;
  price: number;
  cached_price: number;
  list_price?: number;
  list_cached_price?: number;
  valid_until?: string | null;
  path: string;
}
interface Agreement {
  id: string;
  check: string;
  price: number;
  cached_price: number;
  valid_from: string;
  valid_until: string | null;
}
const priceList = async (app: Client) => new Map((await get<List<Listed>>(app, '/api/v1/prices')).data.map((row) => [row.check, row]));
const agree = async (app: TestApp, body: object) => {
  const answer = await api.admin.post<Agreement>(`/api/v1/admin/apps/${app.app}/prices`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.entity;
};

describe('prices', () => {
  test('are listed for every check', async () => {
    const list = await priceList(await api.createApp());
    expect([...list.keys()]).toEqual(checks.map((check) => check.id));
    for (const check of checks)
      expect(list.get(check.id)).toMatchObject({
        price: check.priceKobo / 100,
        cached_price: check.cachedPriceKobo / 100,
        path: check.route.path,
      });
    expect(list.get('nin_basic')).not.toHaveProperty('list_price');
  });

  test('agreed with an app hold for its calls, jobs and batches, and for nobody else', async () => {
    const [app, other] = [await api.createApp(), await api.createApp()];
    const nin = freshNin();
    expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).body.billed_amount).toBe(125);
    await agree(app, { check: 'nin_basic', price: 99.5, cached_price: 10.25 });
    expect((await priceList(app)).get('nin_basic')).toMatchObject({
      price: 99.5,
      cached_price: 10.25,
      list_price: 125,
      list_cached_price: 50,
      valid_until: null,
    });
    expect((await app.get(`/api/v1/kyc/nin?nin=${nin}`)).body.billed_amount).toBe(99.5);
    expect((await app.get(`/api/v1/kyc/nin?nin=${nin}`)).body.billed_amount).toBe(10.25);
    const job = (await app.job({ check: 'nin_basic', input: { nin: freshNin() } })).body.entity;
    expect((await app.ended<JobEntity>(`/api/v1/jobs/${job.id}`)).billed_amount).toBe(99.5);
    const batch = (await app.csv('checks=nin_basic,nin_premium', `nin\n${freshNin()}\n`)).body.entity;
    expect(batch.quote_amount).toBe(99.5 + 150);
    expect((await priceList(other)).get('nin_basic')!.price).toBe(125);
    expect((await other.get(`/api/v1/kyc/nin?nin=${nin}`)).body.billed_amount).toBe(125);
    await app.ended(`/api/v1/batches/${batch.id}`);
  });

  test('begin and end by their dates; the one that began last counts', async () => {
    const app = await api.createApp();
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await agree(app, { check: 'nin_basic', price: 1, valid_from: at(3_600_000) });
    await agree(app, { check: 'nin_basic', price: 2, valid_from: at(-7_200_000), valid_until: at(-3_600_000) });
    expect((await priceList(app)).get('nin_basic')!.price).toBe(125);
    await agree(app, { check: 'nin_basic', price: 80, valid_from: at(-7_200_000), valid_until: at(3_600_000) });
    const latest = await agree(app, { check: 'nin_basic', price: 70, valid_from: at(-60_000) });
    expect((await priceList(app)).get('nin_basic')).toMatchObject({ price: 70, cached_price: 28, valid_until: null });
    const ended = await api.admin.send<Agreement>('DELETE', `/api/v1/admin/apps/${app.app}/prices/${latest.id}`);
    expect(ended.body.entity).toMatchObject({ id: latest.id, price: 70 });
    expect(Date.parse(ended.body.entity.valid_until!)).toBeLessThanOrEqual(Date.now() + 1_000);
    expect((await priceList(app)).get('nin_basic')!.price).toBe(80);
    // Ends by itself, at most 5 s late: that is how long a key's owner is cached.
    await agree(app, { check: 'nin_basic', price: 60, valid_from: at(-1_000), valid_until: at(1_500) });
    expect((await priceList(app)).get('nin_basic')!.price).toBe(60);
    await waitFor('the agreement to end', async () => (await priceList(app)).get('nin_basic')!.price === 80);
    const all = await get<List<Agreement>>(api.admin, `/api/v1/admin/apps/${app.app}/prices`);
    expect(all.data.map((row) => row.price)).toEqual([60, 70, 80, 2, 1]);
  });

  test('of a batch are those at its submission', async () => {
    const app = await api.createApp();
    const agreed = await agree(app, { check: 'nin_basic', price: 90, cached_price: 45 });
    const batch = (await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n${freshNin()}\n`)).body.entity;
    expect(batch.quote_amount).toBe(180);
    await api.admin.send('DELETE', `/api/v1/admin/apps/${app.app}/prices/${agreed.id}`);
    await agree(app, { check: 'nin_basic', price: 500 });
    await app.post(`/api/v1/batches/${batch.id}/start`);
    expect((await app.ended<BatchEntity>(`/api/v1/batches/${batch.id}`)).billed_amount).toBe(180);
    expect((await app.csv('checks=nin_basic&start=manual', `nin\n${freshNin()}\n`)).body.entity.quote_amount).toBe(500);
  });

  test('may be zero', async () => {
    const app = await api.createApp({ naira: 0 });
    await agree(app, { check: 'nin_basic', price: 0 });
    expect((await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`)).body).toMatchObject({ status: 'success', billed_amount: 0 });
  });

  test('are agreed only by the operator, and refused if they make no sense', async () => {
    const app = await api.createApp();
    const path = `/api/v1/admin/apps/${app.app}/prices`;
    for (const [member, body] of [
      ['check', { check: 'nin', price: 1 }],
      ['check', { price: 1 }],
      ['price', { check: 'nin_basic' }],
      ['price', { check: 'nin_basic', price: -1 }],
      ['price', { check: 'nin_basic', price: 0.001 }],
      ['price', { check: 'nin_basic', price: 1e9 }],
      ['price', { check: 'nin_basic', price: '5' }],
      ['cached_price', { check: 'nin_basic', price: 5, cached_price: 6 }],
      ['valid_from', { check: 'nin_basic', price: 5, valid_from: 'today' }],
      ['valid_until', { check: 'nin_basic', price: 5, valid_from: '2026-02-01T00:00:00Z', valid_until: '2026-01-01T00:00:00Z' }],
      ['valid_until', { check: 'nin_basic', price: 5, valid_until: '2026-01-01T00:00:00Z' }],
      ['price', { check: 'nin_basic', price: 1e-9 }],
    ] as const) {
      const answer = await api.admin.post(path, body);
      expect([answer.status, answer.body.details?.[0]?.path], JSON.stringify(body)).toEqual([400, member]);
    }
    expect((await app.post(path, { check: 'nin_basic', price: 1 })).status).toBe(403);
    expect((await app.get(path)).status).toBe(403);
    const none = showId('app', newId());
    expect((await api.admin.post(`/api/v1/admin/apps/${none}/prices`, { check: 'nin_basic', price: 1 })).status).toBe(404);
    const made = await agree(app, { check: 'nin_basic', price: 1 });
    const other = await api.createApp();
    for (const wrong of [`${other.app}/prices/${made.id}`, `${app.app}/prices/${showId('prc', newId())}`, `${app.app}/prices/x`])
      expect((await api.admin.send('DELETE', `/api/v1/admin/apps/${wrong}`)).status).toBe(404);
  });
});

interface Used {
  day?: string;
  check?: string;
  calls: number;
  jobs: number;
  found: number;
  not_found: number;
  failed: number;
  cached: number;
  charged: number;
  billed_amount: number;
}

describe('usage', () => {
  const today = () => new Date().toISOString().slice(0, 10);

  test('shows what was done, by check and day', async () => {
    const app = await api.createApp();
    await beBusy(app);
    const { data } = await get<List<Used>>(app, '/api/v1/usage');
    const jobs = await api.service.sql<Record<string, unknown>[]>`
      select check_id as check, (completed_at at time zone 'utc')::date::text as day, count(*) filter (where input is null and batch_id is null)::int as calls,
        count(*) filter (where input is not null or batch_id is not null)::int as jobs, count(*) filter (where outcome = 'found')::int as found,
        count(*) filter (where outcome = 'not_found')::int as "not_found", count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where cached)::int as cached, count(*) filter (where billed_kobo > 0)::int as charged, sum(billed_kobo)::int as billed
      from jobs where app_id = ${appIdOf(app)} and status in ('completed', 'failed') group by 1, 2 order by 2, 1`;
    expect(jobs.length).toBeGreaterThanOrEqual(2);
    expect(data).toEqual(
      jobs.map(({ billed, notFound, ...row }) => ({ ...row, not_found: notFound, billed_amount: (billed as number) / 100 })),
    );
    expect(data.find((row) => row.check === 'nin_basic')).toMatchObject({ calls: 6, failed: 1 });

    const total = await get<List<Used>>(app, '/api/v1/usage?group=day');
    expect(total.data.reduce((sum, row) => sum + row.billed_amount, 0)).toBe(data.reduce((sum, row) => sum + row.billed_amount, 0));
    expect(total.data[0]).not.toHaveProperty('check');
    const checked = await get<List<Used>>(app, '/api/v1/usage?group=check');
    expect(checked.data.map((row) => row.check)).toEqual(['nin_advance', 'nin_basic']);
    const csv = (await app.get('/api/v1/usage?format=csv')).text.trimEnd().split('\r\n');
    expect(csv[0]).toBe('day,check,calls,jobs,found,not_found,failed,cached,charged,billed_amount');
    expect(csv.slice(1)).toEqual(data.map((row) => Object.values(row).join(',')));
  });

  test('is separate for each app and mode, and covers the requested days', async () => {
    const [app, other] = [await api.createApp(), await api.createApp()];
    await app.get(`/api/v1/kyc/nin?nin=${freshNin()}`);
    for (const client of [other, app.live]) expect((await get<List<Used>>(client, '/api/v1/usage')).data).toEqual([]);
    await api.service
      .sql`insert into usage_days select app_id, live, day - 400, check_id, source, 5, 0, 0, 0, 5, 62500 from usage_days where app_id = ${appIdOf(app)}`;
    const then = new Date(Date.parse(today()) - 400 * 86_400_000).toISOString().slice(0, 10);
    expect((await get<List<Used>>(app, '/api/v1/usage')).data).toHaveLength(1);
    expect((await get<List<Used>>(app, `/api/v1/usage?from=${then}&to=${then}`)).data).toMatchObject([
      { day: then, found: 5, billed_amount: 625 },
    ]);
    expect((await get<List<Used>>(app, `/api/v1/usage?to=${then}`)).data).toHaveLength(1);
  });

  test('refuses more than a year, invalid days and unknown groups', async () => {
    const app = await api.createApp();
    for (const [path, query] of [
      ['from', 'from=2025-01-01&to=2026-01-02'],
      ['from', 'from=2026-02-30'],
      ['from', 'from=20260101'],
      ['to', 'to=tomorrow'],
      ['to', 'from=2026-02-02&to=2026-02-01'],
      ['group', 'group=key'],
      ['group', 'group='],
      ['group', 'group=day,check,day'],
      ['format', 'format=xlsx'],
    ]) {
      const answer = await app.get(`/api/v1/usage?${query}`);
      expect([answer.status, answer.body.details?.map((detail) => detail.path)], query).toEqual([400, [path]]);
    }
    expect((await app.get('/api/v1/usage?from=2025-01-01&to=2026-01-01')).status).toBe(200);
  });
});

/** A small seeded generator (mulberry32). */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
