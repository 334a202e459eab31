/** `confam keys rotate` and `confam keys index` as an operator runs them: killed midway and run again, and then the old key is removed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import type { Action } from '../../src/contract/audit.ts';
import type { Context } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId } from '../../src/foundation/ids.ts';
import { openIndexer } from '../../src/foundation/index-keys.ts';
import { recordset } from '../../src/foundation/recordset.ts';
import { useDatabase, waitFor } from '../setup/database.ts';
import { sealedEarlier } from '../setup/keys.ts';
import { killConfams, runConfam, startConfam } from '../setup/process.ts';

const database = useDatabase();
let environment: Record<string, string>;
const next = `2:${newSecretKey()}`;
const ROWS = 10_000;

beforeAll(() => {
  environment = { ...database.environment, CONFAM_KEYS: `${next},${database.environment.CONFAM_KEYS}` };
});
afterAll(killConfams);

const recorded = async ({ sql }: Context, action: Action) =>
  (await sql<{ actorId: string; detail: string }[]>`select actor_id, detail from audit_entries where action = ${action} order by seq`).map(
    ({ actorId, detail }) => ({ actorId, detail: JSON.parse(detail) }),
  );

test('a rotation that is killed goes on when it is repeated; then the old key may go, and a missing one is named', async () => {
  const ctx = database.openContext();
  try {
    const { sql } = ctx;
    const { id: appId } = await createApp(ctx, 'Rotated');
    const direct = sealedEarlier(ctx);
    const rows = Array.from({ length: ROWS }, newId).map((id) => ({ id, content: direct.seal(`of ${id}`, 'mapping', id) }));
    await sql`
      insert into saved_mappings (app_id, id, content)
      select ${appId}, id, content from ${recordset(sql, rows, { id: ['uuid', (r) => r.id], content: ['bytea', (r) => r.content] })} t`;
    const left = async () =>
      (await sql<{ n: number }[]>`select count(*)::int as n from saved_mappings where substring(content for 1) <> '\\x00'`)[0]!.n;
    const killed = startConfam(['keys', 'rotate'], environment);
    await waitFor('the first rows', async () => (await left()) < ROWS);
    await killed.kill();
    const rest = await left();
    expect(rest).toBeGreaterThan(0);

    const again = await runConfam(['keys', 'rotate', '--json'], environment);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ sealed: rest, faults: [] });
    expect(await left()).toBe(0);
    const alone = { ...environment, CONFAM_KEYS: next };
    expect(await runConfam(['keys', 'rotate'], alone)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing needs an older key any more'),
    });
    const lost = await runConfam(['keys', 'rotate'], { ...environment, CONFAM_KEYS: `3:${newSecretKey()}` });
    expect(lost.code).toBe(1);
    expect(lost.stderr).toMatch(/The data key [0-9a-f-]{36} is wrapped by key 2, which is not among CONFAM_KEYS/);
    expect(lost.stderr).not.toMatch(/^\s+at /m);
    // Written when it begins, also if it then fails.
    const begun = ['key:2', 'key:2', 'key:2', 'key:3'].map((to) => ({ actorId: 'cli', detail: { to } }));
    expect(await recorded(ctx, 'encryption.rotate')).toEqual(begun);
  } finally {
    await ctx.close();
  }
}, 120_000);

test('a change of the index key that is killed goes on when it is repeated; then the old key may go, and a missing one is named', async () => {
  const ctx = database.openContext();
  try {
    const { sql } = ctx;
    const { id: appId } = await createApp(ctx, 'Indexed');
    const first = database.environment.CONFAM_INDEX_KEY!;
    const second = newSecretKey();
    const references = Array.from({ length: ROWS }, (_, i) => `form-${i}`);
    const rows = references.map((reference) => ({ id: newId(), reference: ctx.cipher.index('consent', appId, 'true', reference) }));
    await sql`
      insert into consent_withdrawals (app_id, live, reference, id)
      select ${appId}, true, reference, id from ${recordset(sql, rows, { id: ['uuid', (r) => r.id], reference: ['bytea', (r) => r.reference] })} t`;
    const left = async () =>
      (await sql<{ n: number }[]>`select count(*)::int as n from consent_withdrawals where octet_length(reference) = 32`)[0]!.n;
    const missing = await runConfam(['keys', 'index'], { ...environment, CONFAM_INDEX_KEY: `3:${second}` });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('CONFAM_INDEX_KEY: key 2 is missing');
    expect(missing.stderr).not.toMatch(/^\s+at /m);

    // Known everywhere first, and the current one afterwards.
    const known = await runConfam(['keys', 'index'], { ...environment, CONFAM_INDEX_KEY: `1:${first},2:${second}` });
    expect(known.code).toBe(1);
    expect(known.stderr).toContain('key 2 is known, but key 1 is the current one');
    const both = { ...environment, CONFAM_INDEX_KEY: `2:${second},1:${first}` };
    const killed = startConfam(['keys', 'index'], both);
    await waitFor('the first rows', async () => (await left()) < ROWS);
    await killed.kill();
    const rest = await left();
    expect(rest).toBeGreaterThan(0);

    const again = await runConfam(['keys', 'index', '--json'], both);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ renewed: { consent_withdrawals: rest }, faults: [] });
    const stored = await sql<{ reference: Buffer }[]>`select reference from consent_withdrawals`;
    const { index } = openIndexer(both.CONFAM_INDEX_KEY);
    const expected = new Set(references.map((reference) => index('consent', appId, 'true', reference).toString('hex')));
    expect(new Set(stored.map(({ reference }) => reference.toString('hex')))).toEqual(expected);

    const alone = await runConfam(['keys', 'index'], { ...environment, CONFAM_INDEX_KEY: `2:${second}` });
    expect(alone, alone.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything is by index key 2 already.') });
    const wrong = await runConfam(['keys', 'index'], { ...environment, CONFAM_INDEX_KEY: `2:${newSecretKey()}` });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('its key 2 is not the key 2 with which this database was indexed');
    expect((await recorded(ctx, 'encryption.index')).slice(-1)).toEqual([{ actorId: 'cli', detail: { to: 2 } }]);
  } finally {
    await ctx.close();
  }
}, 120_000);
