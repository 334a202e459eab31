/** Publishers are asked for news over real HTTP; whatever they answer, the current list never gets worse. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ListDefinition } from '../../src/aml/definitions.ts';
import { FETCH_LIMITS } from '../../src/aml/fetch.ts';
import { refreshLists } from '../../src/aml/refresh.ts';
import { readStatus } from '../../src/aml/status.ts';
import { storeList } from '../../src/aml/store.ts';
import { updateList } from '../../src/aml/update.ts';
import type { ListFormat } from '../../src/engines/aml/list.ts';
import { formats } from '../../src/engines/aml/lists/formats.ts';
import type { Context } from '../../src/foundation/context.ts';
import { startListRefresh } from '../../workers/lists.ts';
import { backends, createDatabase, useDatabase, waitFor } from '../setup/database.ts';
import { definitionOf, openPublisher, type Publisher, people, textFile } from './publisher.ts';

const database = useDatabase();
let ctx: Context;
let publisher: Publisher;
let count = 0;
const CLOCK_MS = 720;
/** Not the system's folder for temporary files: other processes leave files there. */
const temporary = mkdtempSync(join(tmpdir(), 'confam-update-'));
const TMPDIR = process.env.TMPDIR;

beforeAll(async () => {
  process.env.TMPDIR = temporary;
  ctx = database.openContext();
  publisher = await openPublisher();
});
afterAll(async () => {
  await publisher.close();
  await ctx.close();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(temporary, { recursive: true });
});
beforeEach(() => {
  publisher.asked.length = 0;
});

const limits = { ...FETCH_LIMITS, idleMs: 300, fileMs: 2_000, bytesMax: 100_000 };
const update = (definition: ListDefinition, options = {}) => updateList(ctx, definition, formats, { limits, ...options });

/** A separate list with files `a`, `b` … */
function newList(files = 1): { definition: ListDefinition; path: (i: number) => string } {
  const list = `list${++count}`;
  const path = (i: number) => `/${list}/${'abc'[i]}.jsonl`;
  const addresses = Array.from({ length: files }, (_, i) => publisher.url + path(i));
  return { definition: definitionOf(list, { addresses }), path };
}

const spools = () => readdirSync(temporary);

describe('an update', () => {
  it('fetches a list once; later a publisher without news sends nothing, and the list counts as fresh', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 10));
    expect(await update(definition)).toMatchObject({ kind: 'stored', version: { entries: 10 } });
    await ctx.sql`update aml_lists set checked_at = now() - interval '5 days' where list = ${definition.list}`;
    expect(await update(definition)).toEqual({ kind: 'unchanged' });
    expect(publisher.asked).toEqual([path(0), `${path(0)} 304`]);
    const [status] = await readStatus(ctx, [definition]);
    expect(status).toMatchObject({ isRefreshed: true, refusal: null, version: { origin: publisher.url + path(0) } });
    expect(status!.ageSeconds).toBeLessThan(60);
    expect(spools()).toEqual([]);
  });

  it('fetches and reads again what an earlier release read in less detail', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 10));
    await update(definition);
    await ctx.sql`update aml_list_versions set reading = 1 where list = ${definition.list}`;
    expect(await update(definition)).toMatchObject({ kind: 'stored', version: { entries: 10, added: 0, changed: 0, removed: 0 } });
    expect(publisher.asked).toEqual([path(0), path(0)]);
    expect(await update(definition)).toEqual({ kind: 'unchanged' });
  });

  it('uses Last-Modified where there is no ETag', async () => {
    const { definition, path } = newList();
    const at = 'Fri, 20 Nov 2026 10:00:00 GMT';
    publisher.serve(path(0), (response, headers) => {
      if (headers['if-modified-since'] === at) response.writeHead(304).end();
      else response.writeHead(200, { 'last-modified': at }).end(people(1, 3));
    });
    expect(await update(definition)).toMatchObject({ kind: 'stored' });
    expect(await update(definition)).toEqual({ kind: 'unchanged' });
  });

  it('treats several files as one publication: if one changed, all are fetched', async () => {
    const { definition, path } = newList(2);
    publisher.serve(path(0), people(1, 5));
    publisher.serve(path(1), people(6, 5));
    expect(await update(definition)).toMatchObject({ kind: 'stored', version: { entries: 10 } });
    expect(await update(definition)).toEqual({ kind: 'unchanged' });
    publisher.serve(path(1), people(6, 6));
    publisher.asked.length = 0;
    expect(await update(definition)).toMatchObject({ kind: 'stored', version: { entries: 11, added: 1, changed: 0, removed: 0 } });
    expect(publisher.asked).toEqual([`${path(0)} 304`, path(1), path(0), path(1)]);
  });

  it('is all or nothing: if one file is unavailable, none is taken', async () => {
    const { definition, path } = newList(2);
    publisher.serve(path(0), people(1, 5));
    publisher.serve(path(1), people(6, 5));
    await update(definition);
    publisher.serve(path(0), people(1, 5, 'x'));
    publisher.serve(path(1), (response) => void response.writeHead(500).end());
    expect(await update(definition)).toMatchObject({ kind: 'refused', reason: 'http_status' });
    expect((await readStatus(ctx, [definition]))[0]).toMatchObject({
      version: { entries: 10, added: 10 },
      refusal: { reason: 'http_status', detail: expect.stringContaining('500') },
    });
    expect(spools()).toEqual([]);
  });

  it.each([
    ['gzip on the way', (text: string) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(text) })],
    ['a gzip file', (text: string) => ({ headers: { 'content-type': 'application/gzip' }, body: gzipSync(text) })],
    ['gzip on the way of a gzip file', (text: string) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(gzipSync(text)) })],
  ])("undoes %s; the checksum is the list's own", async (_, pack) => {
    const { definition, path } = newList();
    const { headers, body } = pack(people(1, 10));
    publisher.serve(path(0), (response) => void response.writeHead(200, headers as Record<string, string>).end(body));
    expect(await update(definition)).toMatchObject({ kind: 'stored', version: { entries: 10 } });
    publisher.serve(path(0), people(1, 10));
    expect(await update(definition)).toEqual({ kind: 'unchanged' });
  });

  it('follows three redirects, not four, and none away from https', async () => {
    const { definition, path } = newList();
    const hop = (to: string) => (response: ServerResponse) => void response.writeHead(302, { location: to }).end();
    publisher.serve(path(0), hop('/1'));
    publisher.serve('/1', hop('/2'));
    publisher.serve('/2', hop(`${publisher.url}/3`));
    publisher.serve('/3', people(1, 4));
    expect(await update(definition)).toMatchObject({ kind: 'stored', version: { entries: 4 } });
    publisher.serve('/3', hop('/4'));
    expect(await update(definition)).toMatchObject({ kind: 'refused', reason: 'bad_redirect' });
    for (const target of ['http://lists.example/a', 'ftp://lists.example/a', 'http://user:word@127.0.0.1/', 'file:///etc/hostname', '//']) {
      publisher.serve(path(0), hop(target));
      expect(await update(definition), target).toMatchObject({ kind: 'refused', reason: 'bad_redirect' });
    }
  });

  it('never shows the token in a URL', async () => {
    const { definition, path } = newList();
    const secret = { ...definition, addresses: definition.addresses.map((url) => `${url}?token=sesame`) };
    publisher.serve(`${path(0)}?token=sesame`, people(1, 4));
    await update(secret);
    publisher.serve(`${path(0)}?token=sesame`, (response) => void response.writeHead(403).end());
    const outcome = await update(secret);
    expect(JSON.stringify([outcome, await readStatus(ctx, [definition])])).not.toContain('sesame');
  });
});

describe('a publisher that fails', () => {
  it.each([
    ['answers 500', 'http_status', (response: ServerResponse) => void response.writeHead(500).end('x')],
    ['answers 304 to an unconditional request', 'http_status', (response) => void response.writeHead(304).end()],
    [
      'hangs up before the end',
      'interrupted',
      (response) => {
        response.writeHead(200, { 'content-length': 10_000 }).write(people(1, 3));
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'hangs up within chunks',
      'interrupted',
      (response) => {
        response.writeHead(200).write(people(1, 3));
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'cuts gzip off',
      'interrupted',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(people(1, 90)).subarray(0, 100)),
    ],
    ['answers without HTTP', 'not_http', (response) => void response.socket!.end('Zubairu Testman\n\n')],
    [
      'breaks its own framing',
      'not_http',
      (response) => void response.socket!.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    ],
    ['never answers', 'timeout', () => {}],
    ['stalls in the middle', 'timeout', (response) => void response.writeHead(200).write(people(1, 3))],
    [
      'drips for ever',
      'timeout',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('{'), 100);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['says that it is too large', 'too_large', (response) => void response.writeHead(200, { 'content-length': 100_001 }).end()],
    [
      'sends more than is accepted',
      'too_large',
      (response) => {
        response.writeHead(200);
        const piece = randomBytes(20_000);
        for (let i = 0; i < 10; i++) response.write(piece);
        response.end();
      },
    ],
    [
      'sends a bomb',
      'too_large',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000))),
    ],
    ['uses an unknown compression', 'bad_encoding', (response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('x')],
    ['sends an HTML page', 'unknown_format', (response) => void response.writeHead(200).end('<html>Please log in</html>')],
    ['sends an empty file', 'unknown_format', (response) => void response.writeHead(200).end()],
  ] satisfies [string, string, (response: ServerResponse) => void][])('%s: the old version stays', async (_, reason, answer) => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 20));
    await update(definition);
    publisher.serve(path(0), answer);
    const outcome = await update(definition, { force: reason === 'http_status' });
    expect(outcome).toMatchObject({ kind: 'refused', reason });
    expect((await readStatus(ctx, [definition]))[0]).toMatchObject({ version: { entries: 20 }, refusal: { reason } });
    publisher.serve(path(0), people(1, 20));
    expect(['stored', 'unchanged']).toContain((await update(definition)).kind);
    expect((await readStatus(ctx, [definition]))[0]!.refusal).toBeNull();
    expect(spools()).toEqual([]);
  });

  it('is not there', async () => {
    const gone = definitionOf('gone', { addresses: ['http://127.0.0.1:9/list'] });
    expect(await update(gone)).toMatchObject({ kind: 'refused', reason: 'unreachable' });
  });

  it('is not blamed for a temporary folder that is missing here', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 5));
    vi.stubEnv('TMPDIR', '/nowhere');
    await expect(update(definition)).rejects.toMatchObject({ code: 'ENOENT' });
    vi.unstubAllEnvs();
    expect((await update(definition)).kind).toBe('stored');
  });

  it('sends less than the list ever had', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 5));
    expect(await update({ ...definition, bytesMin: 50_000 })).toMatchObject({ kind: 'refused', reason: 'too_small' });
  });

  it('sends a list that shrank: refused until an operator insists', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 20));
    await update(definition);
    publisher.serve(path(0), people(1, 10));
    expect(await update(definition)).toMatchObject({ kind: 'refused', reason: 'shrunk' });
    expect(await update(definition, { force: true })).toMatchObject({ kind: 'stored', version: { removed: 10 } });
  });
});

describe('two processes', () => {
  it('never fetch the same list at the same time', async () => {
    const { definition, path } = newList();
    let answer = () => {};
    publisher.serve(path(0), (response) => {
      answer = () => response.writeHead(200).end(people(1, 5));
    });
    const first = update(definition);
    await waitFor('the question', () => publisher.asked.length === 1);
    expect((await update(definition)).kind).toBe('busy');
    answer();
    expect((await first).kind).toBe('stored');
    expect(publisher.asked).toHaveLength(1);
  });

  it('an answer does not confirm a version that was imported while the publisher was asked', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 5));
    await update(definition);
    let answer = () => {};
    publisher.serve(path(0), (response) => {
      answer = () => response.writeHead(304).end();
    });
    const running = update(definition);
    await waitFor('the question', () => publisher.asked.length === 2);
    await storeList(ctx, definition, [textFile(people(1, 6))], { origin: 'by hand', fetched: [] }, formats);
    answer();
    expect(await running).toEqual({ kind: 'busy' });
    expect((await readStatus(ctx, [definition]))[0]).toMatchObject({ isRefreshed: false, version: { origin: 'by hand' } });
  });
});

describe('the refresh', () => {
  const never = new AbortController().signal;

  it('asks only for lists that were fetched before and are due', async () => {
    const [fetched, fresh, imported, unknown] = [newList(), newList(), newList(), newList()];
    for (const { path } of [fetched, fresh, imported, unknown]) publisher.serve(path(0), people(1, 5));
    for (const { definition } of [fetched, fresh]) await update(definition);
    await storeList(ctx, imported.definition, [textFile(people(1, 5))], { origin: 'x', fetched: [] }, formats);
    await ctx.sql`update aml_lists set checked_at = now() - interval '4 hours' where list <> ${fresh.definition.list}`;
    publisher.asked.length = 0;
    await refreshLists(
      ctx,
      [fetched, fresh, imported, unknown].map(({ definition }) => definition),
      formats,
      never,
    );
    expect(publisher.asked).toEqual([`${fetched.path(0)} 304`]);
  });

  it('stops when the process drains, and holds nothing against the publisher', async () => {
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 5));
    await update(definition);
    await ctx.sql`update aml_lists set checked_at = now() - interval '4 hours' where list = ${definition.list}`;
    publisher.serve(path(0), () => {});
    publisher.asked.length = 0;
    const stop = new AbortController();
    const running = refreshLists(ctx, [definition], formats, stop.signal);
    await waitFor('the question', () => publisher.asked.length === 1);
    stop.abort();
    await running;
    expect((await readStatus(ctx, [definition]))[0]!.refusal).toBeNull();
  });

  it('continues with the next list after a bug in one', async () => {
    const [first, second] = [newList(), newList()];
    for (const { definition, path } of [first, second]) {
      publisher.serve(path(0), people(1, 5));
      await update(definition);
      publisher.serve(path(0), people(1, 6));
    }
    await ctx.sql`update aml_lists set checked_at = now() - interval '4 hours'`;
    let calls = 0;
    const buggy: ListFormat = {
      ...formats.at(-1)!,
      recognizes(name, head) {
        if (calls++ === 0) throw new TypeError('a bug');
        return formats.at(-1)!.recognizes(name, head);
      },
    };
    await refreshLists(ctx, [first.definition, second.definition], [buggy], never);
    const status = await readStatus(ctx, [first.definition, second.definition]);
    expect(status.map(({ version }) => version!.entries)).toEqual([5, 6]);
  });
});

describe.each(backends())('the refresh clock on %s', (backend) => {
  it('ticks once for all processes, however many start', async () => {
    const own = await createDatabase(backend);
    const clock = own.openContext({ CONFAM_LISTS_REFRESH_HOURS: String(CLOCK_MS / 3_600_000) });
    const { definition, path } = newList();
    publisher.serve(path(0), people(1, 5));
    await updateList(clock, definition, formats, { limits });
    const folder = mkdtempSync(join(tmpdir(), 'lists-'));
    const file = join(folder, 'lists.json');
    writeFileSync(file, JSON.stringify({ lists: { [definition.list]: { category: 'sanction', addresses: definition.addresses } } }));
    const start = () => startListRefresh({ ...clock, config: { ...clock.config, CONFAM_LISTS: file } })!;
    const workers = [start(), start()];
    publisher.asked.length = 0;
    await waitFor('two ticks', () => publisher.asked.length >= 2);
    workers.push(start());
    const began = performance.now();
    const asked = publisher.asked.length;
    await waitFor('two more', () => publisher.asked.length >= asked + 2);
    // The first of the two may be due at any moment.
    expect(performance.now() - began).toBeGreaterThan(CLOCK_MS * 0.8);
    await Promise.all(workers.map((worker) => worker.close()));
    rmSync(folder, { recursive: true });
    await clock.close();
    await own.drop();
  });
});
