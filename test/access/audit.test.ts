/** The audit forms one chain an app, whoever writes at the same time, and verification finds every entry that was changed, removed or inserted. */

import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Audit, type Author, bySystem, type NewAuditEntry, openAudit, REFUSALS_MAX, record } from '../../src/access/audit/append.ts';
import { DEPLOYMENT } from '../../src/access/audit/entry.ts';
import { exportAudit, openFile, openSyslog } from '../../src/access/audit/export.ts';
import { readAudit, streamAudit } from '../../src/access/audit/read.ts';
import { type AuditProblem, type CopiedEntry, sealHeads, verifyAudit } from '../../src/access/audit/verify.ts';
import type { Context } from '../../src/foundation/context.ts';
import { showId } from '../../src/foundation/ids.ts';
import { asOwner, useDatabase } from '../setup/database.ts';

const database = useDatabase();
let ctx: Context;
let audit: Audit;
beforeAll(async () => {
  ctx = database.openContext();
  audit = await openAudit(ctx);
});
afterAll(async () => {
  await audit.close();
  await ctx.close();
});

const author: Author = { actor: { kind: 'key', id: 'key_1' }, address: '192.0.2.7', requestId: 'req_1', purpose: 'review' };
const entry = (appId: string, more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  appId,
  live: true,
  action: 'job.read',
  object: 'job_1',
  ...more,
});
const read = (appId: string, more: Partial<NewAuditEntry> = {}) => audit.read(author, entry(appId, more));

/** A chain of so many entries in an app of its own. */
async function chainOf(length: number): Promise<string> {
  const appId = randomUUID();
  for (let i = 1; i <= length; i++) await read(appId, { object: `job_${i}` });
  return appId;
}

const problemsOf = async (appId: string) => {
  const { problems } = await verifyAudit(ctx);
  return problems
    .filter(({ chain }) => chain === showId('app', appId))
    .map(({ seq, to, what }) => `${to === undefined ? seq : `${seq} to ${to}`} ${what}`);
};

/** Does what only the owner of the tables can: changes rows behind the triggers' back. */
const tamper = (work: (sql: Context['sql']) => Promise<unknown>) =>
  asOwner(database.url, async (sql) => {
    await sql`set session_replication_role = replica`;
    await work(sql as unknown as Context['sql']);
  });

describe('the chain', () => {
  test('50 appends at the same time, half in transactions of their own, form one chain without gaps', async () => {
    const appId = randomUUID();
    const inTransaction = (i: number) =>
      ctx.sql.begin((tx) => record(tx, author, entry(appId, { action: 'app.settings', object: `app_${i}` })));
    await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? read(appId, { object: `job_${i}` }) : inTransaction(i))));
    const rows = await ctx.sql<
      { seq: number; object: string }[]
    >`select seq, object from audit_entries where app_id = ${appId} order by seq`;
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(new Set(rows.map(({ object }) => object)).size).toBe(50);
    expect(await problemsOf(appId)).toEqual([]);
  });

  test('an undone transaction leaves no entry and no gap', async () => {
    const appId = await chainOf(1);
    await expect(
      ctx.sql.begin(async (tx) => {
        await record(tx, author, entry(appId));
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await read(appId);
    const rows = await ctx.sql<{ seq: number }[]>`select seq from audit_entries where app_id = ${appId} order by seq`;
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(await problemsOf(appId)).toEqual([]);
  });

  test('an entry keeps every member, and hashes to the same value whatever its letters', async () => {
    const appId = randomUUID();
    const subject = ctx.cipher.index('subject', '70123456789');
    await read(appId, { live: null, subject, detail: { words: ['Ọláyínká', '~', '1:a,', '\u007f\n"\\'], none: null } });
    const [entry] = (await readAudit(ctx, { appId, live: null }, { limit: 1 }))!.entries;
    expect(entry).toMatchObject({
      app: showId('app', appId),
      seq: 1,
      live: null,
      actor: { kind: 'key', id: 'key_1' },
      address: '192.0.2.7',
      action: 'job.read',
      target: 'job_1',
      subject: subject.toString('hex'),
      purpose: 'review',
      request_id: 'req_1',
      outcome: 'allowed',
      code: null,
      detail: { words: ['Ọláyínká', '~', '1:a,', '\u007f\n"\\'], none: null },
      previous: '0'.repeat(64),
    });
    expect(Math.abs(Date.parse(entry!.at) - Date.now())).toBeLessThan(60_000);
    expect(await problemsOf(appId)).toEqual([]);
  });

  test('no entry can be changed, deleted or truncated, in a partition or above it', async () => {
    await chainOf(1);
    const partitions = await ctx.sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'audit_entries'::regclass`;
    expect(partitions.length).toBeGreaterThanOrEqual(4);
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    const changes = ['update audit_entries set object = null', 'delete from audit_entries', `delete from audit_entries_${month}`];
    for (const statement of [...changes, ...[{ name: 'audit_entries' }, ...partitions].map(({ name }) => `truncate ${name}`)]) {
      await expect(
        asOwner(database.url, (sql) => sql.unsafe(statement)),
        statement,
      ).rejects.toThrow('append-only');
      await expect(ctx.sql.unsafe(statement), statement).rejects.toThrow('permission denied');
    }
  });

  test('a month without a partition is kept in the default one', async () => {
    const appId = randomUUID();
    await asOwner(
      database.url,
      (sql) => sql`
        insert into audit_entries (app_id, seq, at, actor_kind, actor_id, action, outcome, previous, hash)
        values (${appId}, 1, now() + interval '5 years', 'system', 'test', 'audit.read', 'allowed', '', '')`,
    );
    expect([...(await ctx.sql`select tableoid::regclass::text as kept from audit_entries where app_id = ${appId}`)]).toEqual([
      { kept: 'audit_entries_default' },
    ]);
    await tamper((sql) => sql`delete from audit_entries where app_id = ${appId}`);
  });
});

/** Writes everything after the first entry again, as another key's doing. */
async function rewrite(sql: Context['sql'], appId: string): Promise<void> {
  await sql`create table forged as select * from audit_entries where app_id = ${appId} and seq > 1`;
  await sql`delete from audit_entries where app_id = ${appId} and seq > 1`;
  await sql`update audit_heads h set seq = 1, hash = e.hash from audit_entries e where h.app_id = ${appId} and e.app_id = ${appId} and e.seq = 1`;
  await sql`select audit_append((select jsonb_agg(to_jsonb(f) || '{"actor_id": "key_2"}' order by seq) from forged f))`;
  await sql`drop table forged`;
}

/** Copies a chain out; compares it with the copy when called. */
async function copyOf(appId: string): Promise<() => Promise<AuditProblem[]>> {
  const copied = await ctx.sql<CopiedEntry[]>`select app_id, seq, hash from audit_entries where app_id = ${appId} order by seq`;
  return async () => {
    const { problems } = await verifyAudit(ctx, Readable.from(copied.map((one) => ({ ...one, seq: Number(one.seq) }))));
    return problems.filter(({ chain }) => chain === showId('app', appId));
  };
}

describe('verification', () => {
  test('names a changed entry', async () => {
    const appId = await chainOf(4);
    await tamper((sql) => sql`update audit_entries set actor_id = 'key_2' where app_id = ${appId} and seq = 2`);
    expect(await problemsOf(appId)).toEqual(['2 changed']);
  });

  test('names a changed entry whose own hash was made to fit', async () => {
    const appId = await chainOf(3);
    await tamper(async (sql) => {
      await sql`create table forged as select * from audit_entries where app_id = ${appId} and seq = 2`;
      await sql`delete from audit_entries where app_id = ${appId} and seq = 2`;
      await sql`update audit_heads h set seq = 1, hash = e.hash from audit_entries e where h.app_id = ${appId} and e.app_id = ${appId} and e.seq = 1`;
      await sql`select audit_append((select jsonb_agg(to_jsonb(f) || '{"actor_id": "key_2"}') from forged f))`;
      await sql`update audit_heads h set seq = 3, hash = e.hash from audit_entries e where h.app_id = ${appId} and e.app_id = ${appId} and e.seq = 3`;
      await sql`drop table forged`;
    });
    expect(await problemsOf(appId)).toEqual(['3 unlinked']);
  });

  test('names removed entries: the first, one in the middle, and the last', async () => {
    const [first, middle, last] = await Promise.all([chainOf(3), chainOf(3), chainOf(3)]);
    await tamper(
      (sql) => sql`
      delete from audit_entries where (app_id, seq) in ((${first}::uuid, 1), (${middle}::uuid, 2), (${last}::uuid, 3))`,
    );
    expect(await problemsOf(first)).toEqual(['1 missing']);
    expect(await problemsOf(middle)).toEqual(['2 missing']);
    expect(await problemsOf(last)).toEqual(['3 missing']);
  });

  test('names a gap once, however long, and what is wrong after it', async () => {
    const appId = randomUUID();
    await Promise.all(Array.from({ length: 1_100 }, () => read(appId)));
    await tamper(async (sql) => {
      await sql`delete from audit_entries where app_id = ${appId} and seq <= 1050`;
      await sql`update audit_entries set actor_id = 'key_2' where app_id = ${appId} and seq = 1080`;
    });
    expect(await problemsOf(appId)).toEqual(['1 to 1050 missing', '1080 changed']);
  });

  test('a copy names a chain that was removed with its seal, as one gap', async () => {
    const appId = await chainOf(5);
    await sealHeads(ctx);
    const compared = await copyOf(appId);
    expect(await compared()).toEqual([]);
    await tamper((sql) => sql`delete from audit_entries where app_id = ${appId} and seq < 4`);
    expect(await compared()).toEqual([{ chain: showId('app', appId), seq: 1, to: 3, what: 'missing' }]);
    await tamper(async (sql) => {
      await sql`delete from audit_entries where app_id = ${appId}`;
      await sql`delete from audit_heads where app_id = ${appId}`;
      await sql`delete from audit_seals where app_id = ${appId}`;
    });
    expect(await problemsOf(appId)).toEqual([]);
    expect(await compared()).toEqual([{ chain: showId('app', appId), seq: 1, to: 5, what: 'missing' }]);
  });

  test('only a copy names a chain that was rewritten and has lost its seal, which is signed again', async () => {
    const appId = await chainOf(3);
    await sealHeads(ctx);
    const compared = await copyOf(appId);
    await tamper(async (sql) => {
      await rewrite(sql, appId);
      await sql`delete from audit_seals where app_id = ${appId}`;
    });
    expect(await sealHeads(ctx)).not.toContain(showId('app', appId));
    expect(await problemsOf(appId)).toEqual([]);
    expect((await compared()).map(({ seq, what }) => `${seq} ${what}`)).toEqual(['2 rewritten', '3 rewritten']);
  });

  test('a chain whose sealed head was replaced or removed raises the alarm at once', async () => {
    const [replaced, removed] = await Promise.all([chainOf(2), chainOf(2)]);
    await sealHeads(ctx);
    await tamper(async (sql) => {
      await sql`update audit_heads set hash = sha256('another') where app_id = ${replaced}`;
      await sql`delete from audit_heads where app_id = ${removed}`;
    });
    const broken = await sealHeads(ctx);
    expect(broken).toContain(showId('app', replaced));
    expect(broken).toContain(showId('app', removed));
    await tamper(async (sql) => {
      await sql`delete from audit_entries where app_id in (${replaced}, ${removed})`;
      await sql`delete from audit_heads where app_id = ${replaced}`;
      await sql`delete from audit_seals where app_id in (${replaced}, ${removed})`;
    });
  });

  test('names an inserted entry, within the chain and after its head', async () => {
    const [within, after] = await Promise.all([chainOf(2), chainOf(2)]);
    const insert = (appId: string, from: number, to: number) =>
      asOwner(
        database.url,
        (sql) => sql`
      insert into audit_entries
      select app_id, ${to}, clock_timestamp(), live, actor_kind, actor_id, address, action, object, subject, purpose, request_id, outcome, code, detail, previous, hash
      from audit_entries where app_id = ${appId} and seq = ${from}`,
      );
    await insert(within, 1, 1);
    await insert(after, 2, 3);
    expect(await problemsOf(within)).toContain('1 inserted');
    expect(await problemsOf(after)).toEqual(['3 inserted']);
  });

  test('a chain that was rewritten up to its head no longer fits its seal, and is not sealed again', async () => {
    const appId = await chainOf(3);
    await sealHeads(ctx);
    expect(await problemsOf(appId)).toEqual([]);
    await tamper((sql) => rewrite(sql, appId));
    expect(await problemsOf(appId)).toEqual(['3 rewritten']);
    await read(appId);
    expect(await sealHeads(ctx)).toContain(showId('app', appId));
    expect(await problemsOf(appId)).toEqual(['3 rewritten']);
  });

  test('a forged seal is named, and sealing goes on from a good one', async () => {
    const appId = await chainOf(2);
    await sealHeads(ctx);
    await read(appId);
    await sealHeads(ctx);
    const [seal] = await ctx.sql<{ seq: number }[]>`select seq from audit_seals where app_id = ${appId}`;
    expect(seal!.seq).toBe(3);
    await ctx.sql`update audit_seals set seq = 2 where app_id = ${appId}`;
    expect(await problemsOf(appId)).toEqual(['2 seal_forged']);
  });
});

describe('reading', () => {
  test('pages, filters and CSV show the same entries, newest first, and never those of another app or mode', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    for (let i = 0; i < 5; i++) await read(mine, { object: `job_m${i}`, live: i % 2 === 0 });
    await read(mine, { live: null, action: 'app.settings', object: 'app_m' });
    await read(other, { object: 'job_o' });
    const scope = { appId: mine, live: true };
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = (await readAudit(ctx, scope, { limit: 2, cursor }))!;
      seen.push(...page.entries.map(({ target }) => target!));
      if (!page.nextCursor) break;
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['app_m', 'job_m4', 'job_m2', 'job_m0']);
    const find = async (filter: object) => (await readAudit(ctx, scope, { limit: 10, ...filter }))!.entries.map(({ target }) => target);
    expect(await find({ action: 'app.settings' })).toEqual(['app_m']);
    expect(await find({ object: 'job_m2' })).toEqual(['job_m2']);
    expect(await find({ object: 'job_o' })).toEqual([]);
    expect(await find({ actor: 'key_9' })).toEqual([]);
    const [newest] = (await readAudit(ctx, scope, { limit: 1 }))!.entries;
    expect(await find({ until: newest!.at })).toEqual(['job_m4', 'job_m2', 'job_m0']);
    expect(await find({ since: newest!.at })).toEqual(['app_m']);
    let csv = '';
    for await (const text of streamAudit(ctx, scope, {})) csv += text;
    expect(
      csv
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[6]),
    ).toEqual(seen);
    const foreign = (await readAudit(ctx, { appId: other, live: true }, { limit: 1 }))!;
    expect(foreign.entries).toHaveLength(1);
    const first = (await readAudit(ctx, scope, { limit: 1 }))!;
    expect(await readAudit(ctx, { appId: other, live: true }, { limit: 1, cursor: first.nextCursor! })).toBeNull();
  });

  test('a flood of refused attempts is recorded up to the bound, and its rest as a number', async () => {
    const own = await openAudit(ctx);
    const appId = randomUUID();
    await Promise.all(Array.from({ length: REFUSALS_MAX + 40 }, () => own.refused(author, entry(appId), 'resource_not_found')));
    await own.close();
    const { entries } = (await readAudit(ctx, { appId, live: null }, { limit: 1000 }))!;
    expect(entries.filter(({ outcome, code }) => outcome === 'refused' && code === 'resource_not_found')).toHaveLength(REFUSALS_MAX);
    expect(entries[0]).toMatchObject({ action: 'audit.unrecorded', actor: { kind: 'system' }, detail: { count: 40 } });
    expect(entries).toHaveLength(REFUSALS_MAX + 1);
  });

  test('a read that cannot be recorded is refused', async () => {
    const closed = database.openContext();
    const own = await openAudit(closed);
    await closed.close();
    await expect(own.read(author, entry(randomUUID()))).rejects.toThrow();
  });
});

describe('the export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'confam-audit-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const linesOf = (path: string) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('goes on where the last one ended, and each line holds the whole entry', async () => {
    const appId = await chainOf(2);
    const path = join(folder, 'audit.jsonl');
    const run = async (position: Record<string, number>) => {
      const sink = await openFile(path);
      return exportAudit(ctx, sink, position).finally(() => sink.close());
    };
    const reached = await run({});
    await read(appId, { object: 'job_later' });
    await run(reached);
    const lines = linesOf(path).filter(({ app }) => app === showId('app', appId));
    expect(lines.map(({ seq, target }) => [seq, target])).toEqual([
      [1, 'job_1'],
      [2, 'job_2'],
      [3, 'job_later'],
    ]);
    expect(lines[2].previous).toBe(lines[1].hash);
  });

  test('writes an entry again of which a full disk took only a part', async () => {
    const appId = await chainOf(3);
    const path = join(folder, 'full.jsonl');
    const run = async (position: Record<string, number>) => {
      const sink = await openFile(path);
      return exportAudit(ctx, sink, position).finally(() => sink.close());
    };
    await run({});
    const whole = readFileSync(path, 'utf8');
    const [kept, lost] = whole.trimEnd().split(/\n(?=[^\n]*$)/) as [string, string];
    truncateSync(path, Buffer.byteLength(whole) - 100);
    const last = JSON.parse(lost) as { app: string | null; seq: number };
    const heads = await ctx.sql<{ appId: string; seq: number }[]>`select app_id, seq from audit_heads`;
    const reached = Object.fromEntries(heads.map(({ appId: id, seq }) => [id === DEPLOYMENT ? 'deployment' : showId('app', id), seq]));
    await run({ ...reached, [last.app ?? 'deployment']: last.seq - 1 });
    expect(readFileSync(path, 'utf8')).toBe(`${kept}\n${lost}\n`);
    expect(linesOf(path).filter(({ app }) => app === showId('app', appId))).toHaveLength(3);
  });

  const DEPLOYMENT_ENTRY = entry(DEPLOYMENT, { live: null, action: 'list.update', object: 'ofac_sdn' });
  /** Everything but the deployment's last entry counts as exported. */
  const position = async () => {
    await ctx.sql.begin((tx) => record(tx, bySystem('test'), DEPLOYMENT_ENTRY));
    const heads = await ctx.sql<{ appId: string; seq: number }[]>`select app_id, seq from audit_heads`;
    return Object.fromEntries(
      heads.map(({ appId, seq }) => (appId === DEPLOYMENT ? ['deployment', seq - 1] : [showId('app', appId), seq])),
    );
  };
  const MESSAGE = /^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \S+ confam \d+ list\.update - \{.*"app":null,.*\}$/;

  test('sends syslog over UDP', async () => {
    const receiver = createSocket('udp4').bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    const got = once(receiver, 'message');
    const sink = await openSyslog(`udp://127.0.0.1:${receiver.address().port}`);
    await exportAudit(ctx, sink, await position());
    expect(String((await got)[0])).toMatch(MESSAGE);
    await sink.close();
    receiver.close();
  });

  test('sends syslog over TCP with octet counts', async () => {
    let text = '';
    const server = createTcpServer((socket) =>
      socket
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () => socket.end()),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sink = await openSyslog(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await exportAudit(ctx, sink, await position());
    await sink.close();
    server.close();
    const [, length, message] = /^(\d+) (.*)$/s.exec(text)!;
    expect(Buffer.byteLength(message!)).toBe(Number(length));
    expect(message).toMatch(MESSAGE);
  });

  test('refuses an address that is none, and fails when nobody listens', async () => {
    await expect(openSyslog('http://127.0.0.1')).rejects.toThrow('expected udp://');
    await expect(openSyslog('tcp://127.0.0.1:1')).rejects.toThrow('--syslog: no connection to tcp://127.0.0.1:1 (ECONNREFUSED)');
  });

  test('fails when the receiver hangs up, instead of waiting for it', async () => {
    const server = createTcpServer((socket) => socket.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sink = await openSyslog(address);
    const everything = async () => {
      // As many as fill the buffers of the connection.
      for (let i = 0; i < 200; i++) await exportAudit(ctx, sink, {});
    };
    await expect(everything()).rejects.toThrow(`--syslog: ${address} did not take every entry; run the same command again (E`);
    await expect(sink.close()).rejects.toThrow('did not take every entry');
    server.close();
  });

  test('names the file that it cannot write', async () => {
    await expect(openFile(join(folder, 'none/audit.jsonl'))).rejects.toThrow(/^--file: .*none\/audit.jsonl cannot be written \(ENOENT\)$/);
    await expect(openFile(folder)).rejects.toThrow(`--file: ${folder} cannot be written (EISDIR)`);
  });
});
