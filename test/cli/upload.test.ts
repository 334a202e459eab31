/**
 * `confam batch submit` when something is in its way: Ctrl-C at every stage, a connection that is lost with the answer or within the results, no service, a wrong
 * key, a full disk, a reader that leaves. `batch.test.ts` has wrong columns and an empty wallet.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, inject, test } from 'vitest';
import { type BatchEntity, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { canMakeSmallDisks, makeSmallDisk } from '../setup/small-disk.ts';
import { hasTerminals, openTerminal, type Running } from '../setup/terminal.ts';

const api = useApi();
const folder = mkdtempSync(join(tmpdir(), 'confam-upload-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the way to the service does with requests of one kind, by default submissions; everything else passes. */
type Way = (request: IncomingMessage, response: ServerResponse, pass: () => Promise<Response>) => void | Promise<void>;

async function openWay(way: Way, kind = /^POST \/api\/v1\/batches\?/): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const pass = async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
      return fetch(`${api.url}${request.url}`, {
        method: request.method!,
        headers,
        ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      });
    };
    if (kind.test(`${request.method} ${request.url}`)) return void way(request, response, pass);
    const answer = await pass();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Larger than what the sockets on the way hold. */
function largeFile(): string {
  const path = join(folder, 'large.csv');
  writeFileSync(path, `nin\n${Array.from({ length: 1_500_000 }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n`);
  return path;
}

const submit = ['--checks', 'nin_basic', '--start', 'manual', '--yes'];

test('Ctrl-C before the last byte submits nothing; after it the answer is open', async () => {
  const app = await api.createApp();
  let arrived: Running | null = null;
  const cases: [Way, RegExp][] = [
    // Nothing is read: the sockets fill up.
    [() => void arrived!.child.kill('SIGINT'), /^Stopped before the file was sent: nothing was submitted\.$/m],
    [
      (request) => void request.resume().on('end', () => arrived!.child.kill('SIGINT')),
      /may have accepted them\.\nLook: confam batch list$/m,
    ],
  ];
  const path = largeFile();
  for (const [act, says] of cases) {
    const way = await openWay(act);
    try {
      arrived = openTerminal({ api: way, app }).start(['batch', 'submit', path, ...submit]);
      const ended = await arrived.ended();
      expect(ended.code, ended.stderr).toBe(130);
      expect(ended.stderr).toMatch(says);
    } finally {
      way.close();
    }
  }
  expect((await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
});

test('Ctrl-C while the file is looked at submits nothing', async () => {
  const app = await api.createApp();
  const path = peopleFile('looked-at.csv', 3);
  let running: Running | null = null;
  const way = await openWay(() => void running!.child.kill('SIGINT'), /^POST \/api\/v1\/batches\/preview/);
  running = openTerminal({ api: way, app }).start(['batch', 'submit', path, ...submit]);
  expect(await running.ended()).toMatchObject({ code: 130, stderr: 'Stopped: nothing was submitted.\n' });
  way.close();
});

test.skipIf(!hasTerminals)('Ctrl-C while it is priced, and at the question, submits nothing', async () => {
  const app = await api.createApp();
  const args = ['batch', 'submit', peopleFile('priced.csv', 3), '--checks', 'nin_basic'];
  let running: Running | null = null;
  const way = await openWay(() => running!.type('\u0003'), /^POST \/api\/v1\/batches\/quote/);
  running = openTerminal({ api: way, app }).start(args, { isTerminal: true });
  const priced = await running.ended();
  way.close();
  const asked = openTerminal({ api, app }).start(args, { isTerminal: true });
  await waitFor('the question', () => asked.stdout().includes('[y/N]'), 20_000);
  asked.type('\u0003');
  for (const { code, stdout } of [priced, await asked.ended()]) {
    expect(code, stdout).toBe(130);
    expect(stdout).toMatch(/Stopped: nothing was submitted\.\r?\n$/);
  }
  expect((await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
});

test('Ctrl-C while the batch is followed leaves it, and while results are saved leaves no part of them', async () => {
  const app = await api.createApp();
  const path = peopleFile('followed.csv', 3);
  const output = join(folder, 'followed-results.csv');
  const following = openTerminal({ api, app }).start(['batch', 'submit', path, ...submit, '--output', output]);
  await waitFor('the batch', () => following.stderr().includes('waits to be started'), 40_000);
  following.child.kill('SIGINT');
  expect(await following.ended()).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(
      /The batch keeps running.*\nFollow it: confam batch watch bat_\w+ --output <file>\nEnd it: +confam batch cancel bat_\w+\n$/,
    ),
  });
  let running: Running | null = null;
  const RESULTS = /^GET \/api\/v1\/batches\/bat_\w+\/results/;
  const ways: [Way, number, RegExp][] = [
    [() => void running!.child.kill('SIGINT'), 130, /^Stopped: the results are not saved\./m],
    [
      (request, response) => {
        response.writeHead(200).write('nin\n');
        setTimeout(() => request.socket.destroy(), 50);
      },
      6,
      /^The connection was lost: the results are not saved\./m,
    ],
  ];
  for (const [act, code, says] of ways) {
    const way = await openWay(act, RESULTS);
    running = openTerminal({ api: way, app }).start(['batch', 'submit', path, '--checks', 'nin_basic', '--yes', '--output', output]);
    const ended = await running.ended();
    way.close();
    expect(ended.code, ended.stderr).toBe(code);
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).toMatch(/The batch itself is over\.\nSave them: confam batch results bat_\w+ --output <file>\n$/);
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('followed-results'))).toEqual([]);
}, 120_000);

test('an answer that is lost with its connection is asked for again, and there is one batch', async () => {
  const app = await api.createApp();
  const path = join(folder, 'small.csv');
  writeFileSync(path, 'nin\n70123456789\n');
  let tries = 0;
  const way = await openWay(async (request, response, pass) => {
    tries++;
    const answer = await pass();
    if (tries === 1) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()));
  });
  try {
    const ended = await openTerminal({ api: way, app }).run(['batch', 'submit', path, ...submit, '--json']);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const { data } = (await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity;
    expect(data.map(({ id }) => id)).toEqual([JSON.parse(ended.stdout).id]);
    expect(tries).toBe(2);
  } finally {
    way.close();
  }
});

test('without a service the command ends at once, and names the address', async () => {
  const app = await api.createApp();
  const path = join(folder, 'alone.csv');
  writeFileSync(path, 'nin\n70123456789\n');
  const way = await openWay(() => {});
  way.close();
  await waitFor('its end', () =>
    fetch(way.url).then(
      () => false,
      () => true,
    ),
  );
  const began = performance.now();
  const ended = await openTerminal({ api: way, app }).run(['batch', 'submit', path, ...submit]);
  expect(ended).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/^The service cannot be reached at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\./),
  });
  expect(performance.now() - began).toBeLessThan(20_000);
});

test('a wrong key submits nothing, and the hint says where to look', async () => {
  const app = await api.createApp();
  const path = join(folder, 'denied.csv');
  writeFileSync(path, 'nin\n70123456789\n');
  const stranger = openTerminal({ api, app: { app: app.app, key: `${app.key.slice(0, -4)}0000` } });
  const ended = await stranger.run(['batch', 'submit', path, ...submit]);
  expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/`confam whoami` shows which key is used/) });
  expect((await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data).toEqual([]);
});

/** Some 150 bytes of results a row. */
function peopleFile(name: string, count: number): string {
  const path = join(folder, name);
  writeFileSync(path, `nin\n${Array.from({ length: count }, (_, i) => 40_000_000_000 + i * 7).join('\n')}\n`);
  return path;
}

const canFill = canMakeSmallDisks();
test.skipIf(!canFill)(
  `results that do not fit on the disk leave no half a file, and can be saved elsewhere${canFill ? '' : ' (SKIPPED: only root can make a small disk)'}`,
  async () => {
    const app = await api.createApp({ naira: 1_000_000 });
    const terminal = openTerminal({ api, app });
    const disk = makeSmallDisk('64k');
    try {
      const path = peopleFile('many.csv', 3_000);
      const ended = await terminal.run(['batch', 'submit', path, '--checks', 'nin_basic', '--yes', '--output', join(disk.path, 'r.csv')]);
      expect(ended, ended.stderr).toMatchObject({
        code: 9,
        stderr: expect.stringMatching(/^The disk is full: .*\n.*confam batch results bat_/m),
      });
      expect(readdirSync(disk.path)).toEqual([]);
      const [batch] = (await app.get<{ data: BatchEntity[] }>('/api/v1/batches')).body.entity.data;
      expect(batch).toMatchObject({ status: 'completed' });
      const elsewhere = join(folder, 'elsewhere.csv');
      expect(await terminal.run(['batch', 'results', batch!.id, '--output', elsewhere])).toMatchObject({ code: 0 });
      expect(readFileSync(elsewhere, 'utf8').trimEnd().split('\n')).toHaveLength(3_001);
    } finally {
      disk.remove();
    }
  },
);

test('`| head -1` gets its line, and the command ends with a sentence', async () => {
  const app = await api.createApp({ naira: 1_000_000 });
  const terminal = openTerminal({ api, app });
  const { stdout } = await terminal.run([
    'batch',
    'submit',
    peopleFile('piped.csv', 3_000),
    '--checks',
    'nin_basic',
    '--yes',
    '--watch',
    '--json',
  ]);
  const { id } = JSON.parse(stdout) as { id: string };
  const { PATH, HOME } = process.env;
  const program = `'${process.execPath}' '${join(inject('compiled'), 'src/cli.js')}'`;
  const piped = await promisify(execFile)(
    'bash',
    ['-c', `${program} batch results ${id} --output - | head -1; echo "code \${PIPESTATUS[0]}"`],
    {
      env: { PATH, HOME, CONFAM_CONFIG_DIR: terminal.folder, CONFAM_URL: api.url, CONFAM_APP: app.app, CONFAM_KEY: app.key },
    },
  );
  expect(piped.stdout).toMatch(/^\ufeffnin,nin_basic\.status,[^\n]*\ncode 9\n$/);
  expect(piped.stderr).toMatch(/broken pipe/);
});
