/** `confam audit` as an operator uses it on a deployment. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bySystem, record } from '../../src/access/audit/append.ts';
import type { Context } from '../../src/foundation/context.ts';
import { showId } from '../../src/foundation/ids.ts';
import { asOwner, useDatabase } from '../setup/database.ts';
import { runConfam } from '../setup/process.ts';

const database = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'confam-audit-'));
const appId = randomUUID();
let ctx: Context;
const run = (...args: string[]) => runConfam(['audit', ...args], database.environment);
const add = (object: string) => ctx.sql.begin((tx) => record(tx, bySystem('test'), { appId, live: null, action: 'app.settings', object }));

beforeAll(async () => {
  ctx = database.openContext();
  await add('one');
  await add('two');
});
afterAll(async () => {
  await ctx.close();
  rmSync(folder, { recursive: true });
});

test('the export goes on where the last one ended', async () => {
  const [file, position] = [join(folder, 'audit.jsonl'), join(folder, 'position')];
  const copy = () => run('export', '--file', file, '--position', position);
  expect(await copy()).toMatchObject({ code: 0 });
  await add('three');
  expect(await copy()).toMatchObject({ code: 0 });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).target)).toEqual(['one', 'two', 'three']);
  expect((await run('export')).stderr).toContain('give either --file or --syslog');
});

test('verification says what is whole, and fails for what is not', async () => {
  expect(await run('verify')).toMatchObject({ code: 0, stdout: '3 entries in 1 chains, nothing was changed or removed\n' });
  await asOwner(ctx.databaseUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update audit_entries set object = 'other' where seq = 2`;
    }),
  );
  const { code, stdout } = await run('verify');
  expect(stdout).toBe(`${showId('app', appId)} 2: changed\n3 entries in 1 chains, 1 problems\n`);
  expect(code).toBe(1);
});
