/** `confam keys rotate` as an operator runs it: killed for real, repeated, and the old key taken away. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/access/apps.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { newId } from '../../src/foundation/ids.ts';
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
  } finally {
    await ctx.close();
  }
}, 120_000);
