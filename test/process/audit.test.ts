/** `confam audit` as an operator uses it on a deployment. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bySystem, record } from '../../src/access/audit/append.ts';
import type { Context } from '../../src/foundation/context.ts';
import { showId } from '../../src/foundation/ids.ts';
import { appendInMonth, tableOf } from '../setup/audit-months.ts';
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
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.filter(({ app }) => app !== null).map(({ target }) => target)).toEqual(['one', 'two', 'three']);
  // Each run has recorded itself first.
  const own = { action: 'audit.read', actor: { kind: 'operator', id: 'cli' }, outcome: 'allowed', detail: { to: 'file' } };
  expect(entries.filter(({ app }) => app === null)).toMatchObject([own, own]);
  expect((await run('export')).stderr).toContain('give either --file or --syslog');
  const nowhere = join(folder, 'none/position');
  expect(await run('export', '--file', join(folder, 'other.jsonl'), '--position', nowhere)).toMatchObject({
    code: 1,
    stderr: `--position: ${nowhere} cannot be written (ENOENT); everything was exported, and the next export repeats it\n`,
  });
});

describe('syslog over TLS', () => {
  const tls = (name: string): string => join(import.meta.dirname, '../fixtures/tls', name);

  /** A collector of logs with the certificate of the fixtures. */
  async function collector() {
    let text = '';
    const server = createServer({ key: readFileSync(tls('server.key')), cert: readFileSync(tls('server.pem')) }, (socket) =>
      socket
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () => socket.end()),
    );
    server.on('tlsClientError', () => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { address: `tls://127.0.0.1:${(server.address() as AddressInfo).port}`, text: () => text };
  }

  test('reaches a collector whose certificate is trusted', async () => {
    const { address, text } = await collector();
    const environment = { ...database.environment, NODE_EXTRA_CA_CERTS: tls('ca.pem') };
    const { code, stderr } = await runConfam(['audit', 'export', '--syslog', address], environment);
    expect([code, stderr]).toEqual([0, '']);
    const [, length, rest] = /^(\d+) (.*)$/s.exec(text())!;
    const first = Buffer.from(rest!).subarray(0, Number(length)).toString();
    expect(first).toMatch(/^<110>1 \S+Z \S+ confam \d+ audit\.read - \{.*\}$/);
    expect(text().match(/ confam \d+ app\.settings - /g)).toHaveLength(3);
  });

  test('sends nothing to one whose certificate is not', async () => {
    const { address, text } = await collector();
    expect(await run('export', '--syslog', address)).toMatchObject({
      code: 1,
      stderr: `--syslog: no connection to ${address} (UNABLE_TO_VERIFY_LEAF_SIGNATURE)\n`,
    });
    expect(text()).toBe('');
  });
});

test('verification against a copy finds what seals cannot: a chain that is gone with its seal, and one computed anew without it', async () => {
  const other = database.openContext();
  const [copy, lost] = [join(folder, 'copy.jsonl'), randomUUID()];
  try {
    await other.sql.begin((tx) => record(tx, bySystem('test'), { appId: lost, live: null, action: 'app.settings', object: 'lost' }));
    expect(await run('export', '--file', copy)).toMatchObject({ code: 0 });
    expect(await run('verify', '--copy', copy)).toMatchObject({ code: 0 });
    await asOwner(ctx.databaseUrl, (sql) =>
      sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx`delete from audit_entries where app_id = ${lost}`;
        await tx`delete from audit_heads where app_id = ${lost}`;
      }),
    );
    expect((await run('verify')).code).toBe(0);
    const { code, stdout } = await run('verify', '--copy', copy);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${showId('app', lost)} 1: missing\n`)]);
    const forged = readFileSync(copy, 'utf8').replace(/"hash":"\w{8}/, '"hash":"00000000');
    writeFileSync(copy, forged);
    expect((await run('verify', '--copy', copy)).stdout).toMatch(/ 1: rewritten\n/);
    writeFileSync(copy, '{"no":"entry"}\n');
    expect((await run('verify', '--copy', copy)).stderr).toContain('line 1');
    expect((await run('verify', '--copy', folder)).stderr).toBe(`--copy: there is no file ${folder}\n`);
  } finally {
    await other.close();
  }
});

test('verification says what is whole, and fails for what is not', async () => {
  expect(await run('verify')).toMatchObject({ code: 0, stdout: '8 entries in 2 chains, nothing was changed or removed\n' });
  await asOwner(ctx.databaseUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update audit_entries set object = 'other' where seq = 2 and app_id = ${appId}`;
    }),
  );
  const { code, stdout } = await run('verify');
  expect(stdout).toBe(`${showId('app', appId)} 2: changed\n8 entries in 2 chains, 1 problem\n`);
  expect(code).toBe(1);
});

test('verification names an entry that is missing', async () => {
  await asOwner(ctx.databaseUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`delete from audit_entries where seq = 2 and app_id = ${appId}`;
    }),
  );
  const { code, stdout } = await run('verify');
  expect(stdout).toBe(`${showId('app', appId)} 2: missing\n7 entries in 2 chains, 1 problem\n`);
  expect(code).toBe(1);
});

describe('a month that nobody has to keep any more', () => {
  const own = useDatabase();
  const chain = randomUUID();
  const confam = (...args: string[]) => runConfam(['audit', ...args], own.environment);
  const drop = (month: string) => asOwner(own.url, (sql) => sql.unsafe(`drop table ${tableOf(month)}`));

  test('is retired and dropped without an alarm; one that was only dropped is an alarm', async () => {
    await appendInMonth(own.url, '2025-01', [chain], 3);
    await appendInMonth(own.url, '2025-02', [chain], 2);
    expect((await confam('retire', '2025-13')).stderr).toBe('2025-13: give a month such as 2026-11\n');
    expect(await confam('retire', '2025-02')).toMatchObject({
      code: 1,
      stderr: 'There are entries of 2025-01, which has to go before 2025-02: nothing was recorded\n',
    });
    const { code, stdout } = await confam('retire', '2025-01');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^3 entries of 2025-01 in 1 chain may be dropped, .*\n.* drop table audit_entries_2025_01\n$/),
    ]);
    await drop('2025-01');
    expect(await confam('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^months up to 2025-01 were retired, the last on \d{4}-\d\d-\d\d: 3 entries in 1 chain\n3 entries in 1 chains, nothing else was changed or removed\n$/,
      ),
    });
    await drop('2025-02');
    expect(await confam('verify')).toMatchObject({
      code: 1,
      stdout: `${showId('app', chain)} 1 to 5: missing\n1 entries in 1 chains, 1 problem\n`,
    });
  });
});
