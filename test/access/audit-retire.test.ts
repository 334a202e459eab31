/** A month of the audit that was retired may go, and verification says so; a month that somebody has dropped without that stays an alarm. */

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { bySystem, record } from '../../src/access/audit/append.ts';
import { retireMonth } from '../../src/access/audit/retire.ts';
import { type CopiedEntry, renewSeals, sealHeads, verifyAudit } from '../../src/access/audit/verify.ts';
import { type Context, openContext, openKeys } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { showId } from '../../src/foundation/ids.ts';
import { openIndexer } from '../../src/foundation/index-keys.ts';
import { appendInMonth, tableOf } from '../setup/audit-months.ts';
import { asOwner, createDatabase, type TestDatabase } from '../setup/database.ts';

let database: TestDatabase;
let ctx: Context;
let [one, other] = ['', ''];
const close = async () => {
  await ctx.close();
  await database.drop();
};
const chain = () => showId('app', one);
const add = (appId: string) =>
  ctx.sql.begin((tx) => record(tx, bySystem('test'), { appId, live: null, action: 'app.settings', object: 'now' }));
const drop = (month: string) => asOwner(database.url, (sql) => sql.unsafe(`drop table ${tableOf(month)}`));
const problems = async () =>
  (await verifyAudit(ctx)).problems.map(({ chain: name, seq, to, what }) => `${name} ${seq} to ${to ?? seq} ${what}`);
const byOwner = (statement: string) =>
  asOwner(database.url, (sql) => sql.begin((tx) => tx.unsafe(`set local session_replication_role = replica; ${statement}`)));
const copyOf = () => ctx.sql<CopiedEntry[]>`select app_id, seq::float8 as seq, hash from audit_entries order by app_id, seq`;

/** Entries of two months in one chain, of the first only in another. */
beforeEach(async () => {
  database = await createDatabase();
  ctx = database.openContext();
  [one, other] = [randomUUID(), randomUUID()];
  await appendInMonth(database.url, '2025-01', [one, other], 3);
  await appendInMonth(database.url, '2025-02', [one], 2);
  await add(one);
  await sealHeads(ctx);
  return close;
});

test('a month that was retired may go, then the next one, and nothing is wrong', async () => {
  expect(await retireMonth(ctx, '2025-01')).toEqual({ statement: 'drop table audit_entries_2025_01', chains: 2, entries: 6 });
  expect(await verifyAudit(ctx)).toMatchObject({ problems: [], retired: [] });
  await drop('2025-01');
  const { problems: none, retired } = await verifyAudit(ctx);
  expect([none, retired.map(({ to, month }) => [to, month])]).toEqual([
    [],
    [
      [3, '2025-01'],
      [3, '2025-01'],
    ],
  ]);
  expect(await sealHeads(ctx)).toEqual([]);
  expect(await retireMonth(ctx, '2025-02')).toMatchObject({ chains: 1, entries: 2 });
  await drop('2025-02');
  expect((await verifyAudit(ctx)).retired).toContainEqual({ chain: chain(), to: 5, month: '2025-02', at: expect.any(String) });
  expect(await problems()).toEqual([]);
  await add(one);
  expect(await sealHeads(ctx)).toEqual([]);
});

test('the record outlives the key that has signed it', async () => {
  await retireMonth(ctx, '2025-01');
  await drop('2025-01');
  const { CONFAM_INDEX_KEY: old } = database.environment;
  const key = newSecretKey();
  const both = database.openContext({ CONFAM_INDEX_KEY: `2:${key},1:${old}` });
  await renewSeals(both);
  await both.close();
  const config = database.config({ CONFAM_INDEX_KEY: `2:${key}` });
  const indexer = openIndexer(config.CONFAM_INDEX_KEY!, new Map([[1, Buffer.from(old!, 'base64')]]));
  const later = openContext(config, database.url, { keys: { ...openKeys(config), indexer } });
  expect(await verifyAudit(later)).toMatchObject({ problems: [], retired: [{ to: 3 }, { to: 3 }] });
  await later.close();
});

test('a month that nobody has retired is missing, and so is more than was retired', async () => {
  await drop('2025-01');
  // The last seal of the other chain went with it.
  const gaps = [`${chain()} 1 to 3 missing`, `${showId('app', other)} 1 to 3 missing`, `${showId('app', other)} 3 to 3 rewritten`];
  expect((await problems()).toSorted()).toEqual(gaps.toSorted());
  await expect(retireMonth(ctx, '2025-02')).rejects.toThrow('The audit is not whole');
});

test('what was retired hides nothing else: a month more, an entry of it, one after it', async () => {
  await retireMonth(ctx, '2025-01');
  await byOwner(`delete from audit_entries where app_id = '${one}' and seq = 2`);
  expect(await problems()).toEqual([`${chain()} 2 to 2 missing`]);
  await drop('2025-01');
  expect(await problems()).toEqual([]);
  await byOwner(`delete from audit_entries where app_id = '${one}' and seq = 4`);
  expect(await problems()).toEqual([`${chain()} 1 to 4 missing`]);
  await drop('2025-02');
  expect(await problems()).toEqual([`${chain()} 1 to 5 missing`]);
});

test('nobody without the key can retire a month: neither with the signature of a seal nor with that of another chain', async () => {
  const [seal] = await ctx.sql<
    { signature: string }[]
  >`select encode(signature, 'hex') as signature from audit_seals where app_id = ${other}`;
  const forge = async (signature: string) => {
    const [last] = await ctx.sql<
      { hash: string }[]
    >`select encode(hash, 'hex') as hash from audit_entries where app_id = ${one} and seq = 3`;
    await ctx.sql.begin((tx) =>
      record(tx, bySystem('test'), {
        appId: one,
        live: null,
        action: 'audit.retire',
        object: '2025-01',
        detail: { to: 3, hash: last!.hash, signature },
      }),
    );
  };
  await forge(Buffer.from(seal!.signature, 'hex').toString('base64url'));
  await retireMonth(ctx, '2025-01');
  const [signed] = await ctx.sql<
    { detail: string }[]
  >`select detail from audit_entries where app_id = ${other} and action = 'audit.retire'`;
  await byOwner(
    `delete from audit_entries where app_id = '${one}' and seq >= 8; update audit_heads h set seq = 7, hash = e.hash from audit_entries e where h.app_id = '${one}' and e.app_id = '${one}' and e.seq = 7; delete from audit_seals`,
  );
  await forge(JSON.parse(signed!.detail).signature);
  await drop('2025-01');
  expect(await problems()).toEqual([`${chain()} 1 to 3 missing`]);
});

test('a copy still has what was retired, and must end as was recorded', async () => {
  const copy = [...(await copyOf())];
  await retireMonth(ctx, '2025-01');
  await drop('2025-01');
  const compared = async (entries: CopiedEntry[]) => (await verifyAudit(ctx, Readable.from(entries))).problems;
  expect(await compared(copy)).toEqual([]);
  const changed = copy.map((entry) => (entry.appId === one && entry.seq === 3 ? { ...entry, hash: Buffer.alloc(32) } : entry));
  expect(await compared(changed)).toEqual([{ chain: chain(), seq: 3, what: 'missing' }]);
});

test('only the oldest month that is over can be retired', async () => {
  const now = new Date().toISOString().slice(0, 7);
  await expect(retireMonth(ctx, now)).rejects.toThrow(`${now} is not over`);
  await expect(retireMonth(ctx, '2024-01')).rejects.toThrow('There is nothing of 2024-01');
  await expect(retireMonth(ctx, '2025-02')).rejects.toThrow('There are entries of 2025-01, which has to go before 2025-02');
  expect((await ctx.sql`select 1 from audit_entries where action = 'audit.retire'`).length).toBe(0);
});

test('a month that a restore has put into the partition for all others goes by the statement that is given for it', async () => {
  const old = randomUUID();
  await appendInMonth(database.url, '2024-11', [old], 2, false);
  await appendInMonth(database.url, '2024-12', [old], 1, false);
  const { statement } = await retireMonth(ctx, '2024-11');
  await asOwner(database.url, (sql) => sql.unsafe(statement));
  expect((await verifyAudit(ctx)).retired).toMatchObject([{ chain: showId('app', old), to: 2 }]);
  expect(await problems()).toEqual([]);
  await expect(asOwner(database.url, (sql) => sql`delete from audit_entries_default`)).rejects.toThrow('append-only');
});
