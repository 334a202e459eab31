/** `confam login`: where keys are kept, how they get there, and which one is used. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { canMakeSmallDisks, fillDisk, makeSmallDisk } from '../setup/small-disk.ts';
import { hasTerminals, openTerminal } from '../setup/terminal.ts';

const api = useApi();
let app: TestApp;
beforeAll(async () => {
  app = await api.createApp();
});

const flags = () => ['--url', api.url, '--app', app.app];

test('a key is piped in, kept for its owner alone, used by profile, and forgotten', async () => {
  const terminal = openTerminal(null);
  const ended = await terminal.run(['login', ...flags(), '--with-key', '--profile', 'test'], { input: `${app.key}\n` });
  expect(ended, ended.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Signed in to ${api.url} as ${app.app} with a test key.`),
  });
  const path = join(terminal.folder, 'profiles.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await terminal.run(['login', ...flags(), '--with-key', '--profile', 'live'], { input: app.live.key });
  expect(JSON.parse((await terminal.run(['whoami', '--json'])).stdout)).toMatchObject({ mode: 'live', url: api.url });
  // Somebody has opened the file to others.
  chmodSync(path, 0o644);
  const test = JSON.parse((await terminal.run(['whoami', '--json', '--profile', 'test'])).stdout);
  expect(test).toMatchObject({ mode: 'test', from: 'profile test', available: 100_000 });
  expect(app.key).toContain(test.key.slice(0, -1));
  expect(test.key.length).toBeLessThan(16);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse((await terminal.run(['whoami', '--json'], { env: { CONFAM_PROFILE: 'test' } })).stdout).mode).toBe('test');
  expect(await terminal.run(['whoami', '--profile', 'tset'])).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/no profile tset.*\nKnown: test, live/),
  });
  expect(await terminal.run(['logout', '--profile', 'live'])).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).not.toContain(app.live.key);
});

test('a wrong key is not kept, and a key on the command line is not taken', async () => {
  const terminal = openTerminal(null);
  const wrong = await terminal.run(['login', ...flags(), '--with-key'], { input: `${app.key.slice(0, -4)}AAAA` });
  expect(wrong).toMatchObject({ code: 4, stderr: expect.stringMatching(/key is wrong/) });
  const noKey = await terminal.run(['login', ...flags(), '--with-key'], { input: 'sk_live_another-service' });
  expect(noKey).toMatchObject({ code: 2, stderr: expect.stringMatching(/cf_test_ or cf_live_/) });
  expect(await terminal.run(['login', ...flags(), '--key', app.key])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/unknown option '--key'\n\(Do not pass a key as an argument: pipe it in, --with-key < key\.txt\./),
  });
  expect(await terminal.run(['login', ...flags()])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no terminal.*\nUse --with-key/),
  });
  expect(readdirSync(terminal.folder)).toEqual([]);
});

test('the sandbox of this folder is found by itself, and kept on request', async () => {
  const terminal = openTerminal(null);
  writeFileSync(
    join(terminal.folder, 'sandbox.json'),
    JSON.stringify({ base_url: api.url, app_id: app.app, test_key: app.key, live_key: app.live.key }),
  );
  const ended = await terminal.run(['check', 'nin_basic', '--nin', '70123456789']);
  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Durojaiye') });
  const kept = await terminal.run(['login', '--sandbox', join(terminal.folder, 'sandbox.json')]);
  expect(kept, kept.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('test key') });
  const elsewhere = { CONFAM_DATA_DIR: '/nowhere' };
  expect(JSON.parse((await terminal.run(['whoami', '--json'], { env: elsewhere })).stdout)).toMatchObject({
    from: 'profile sandbox',
    mode: 'test',
  });
});

test('a key of a profile is not sent to another address', async () => {
  const terminal = openTerminal(null);
  await terminal.run(['login', ...flags(), '--with-key'], { input: app.key });
  const ended = await terminal.run(['whoami'], { env: { CONFAM_URL: 'https://elsewhere.example' } });
  expect(ended).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/CONFAM_URL is https:\/\/elsewhere\.example, but the key of profile default belongs to/),
  });
});

test('an address without a service, one of something else, and what is no app: each has its sentence, and nothing is kept', async () => {
  const terminal = openTerminal(null);
  const login = (url: string, id = app.app) => terminal.run(['login', '--url', url, '--app', id, '--with-key'], { input: app.key });
  expect(await login('http://127.0.0.1:18')).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/^The service cannot be reached at 127\.0\.0\.1:18 \(ECONNREFUSED\)\.\nIs it running\?/),
  });
  expect(await login(api.url, app.key)).toMatchObject({ code: 2, stderr: 'That is not the id of an app: such ids begin with app_.\n' });
  const server = createServer((_, response) => response.writeHead(404).end('<html>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect(await login(`http://127.0.0.1:${port}`)).toMatchObject({
    code: 2,
    stderr: `http://127.0.0.1:${port} answers, but it is not Confam (404).\nIs the address right?\n`,
  });
  server.close();
  expect(readdirSync(terminal.folder)).toEqual([]);
});

test('a folder that cannot be written to is named', async () => {
  const env = { CONFAM_CONFIG_DIR: '/dev/null/confam' };
  const ended = await openTerminal(null).run(['login', ...flags(), '--with-key'], { input: app.key, env });
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: '/dev/null/confam: part of this path is not a folder.\n' });
});

const canFill = canMakeSmallDisks();
test.skipIf(!canFill)(
  `a full disk keeps the profiles as they were${canFill ? '' : ' (SKIPPED: only root can make a small disk)'}`,
  async () => {
    const disk = makeSmallDisk('64k');
    try {
      const terminal = openTerminal(null);
      const login = (...args: string[]) =>
        terminal.run(['login', ...flags(), '--with-key', ...args], { input: app.key, env: { CONFAM_CONFIG_DIR: disk.path } });
      expect(await login()).toMatchObject({ code: 0 });
      fillDisk(disk);
      expect(await login('--profile', 'another')).toMatchObject({
        code: 9,
        stdout: '',
        stderr: `The disk is full: ${join(disk.path, 'profiles.json')} could not be written.\nMake room and run the command again.\n`,
      });
      expect(Object.keys(JSON.parse(readFileSync(join(disk.path, 'profiles.json'), 'utf8')).profiles)).toEqual(['default']);
      expect(readdirSync(disk.path).filter((name) => name.endsWith('.new'))).toEqual([]);
    } finally {
      disk.remove();
    }
  },
);

describe.skipIf(!hasTerminals)('in a terminal', () => {
  test('Ctrl-C at each question keeps nothing', async () => {
    const answers: [asked: string, typed: string][] = [
      ['Address of the service', api.url],
      ['App (app_', app.app],
      ['Key (cf_test_', ''],
    ];
    for (const [at, [last]] of answers.entries()) {
      const terminal = openTerminal(null);
      const running = terminal.start(['login'], { isTerminal: true });
      for (const [asked, typed] of answers.slice(0, at)) {
        await waitFor(asked, () => running.stdout().includes(asked), 20_000);
        running.type(`${typed}\r`);
      }
      await waitFor(last, () => running.stdout().includes(last), 20_000);
      running.type('\u0003');
      const ended = await running.ended();
      expect([last, ended.code, /Stopped\./.test(ended.stdout)], ended.stdout).toEqual([last, 130, true]);
      expect(readdirSync(terminal.folder)).toEqual([]);
    }
  });

  test('the key is typed without echo', async () => {
    const terminal = openTerminal(null);
    const running = terminal.start(['login'], { isTerminal: true });
    for (const [asked, typed] of [
      ['Address of the service', api.url],
      ['App (app_', app.app],
      ['Key (cf_test_', app.key],
    ] as const) {
      await waitFor(asked, () => running.stdout().includes(asked), 20_000);
      running.type(`${typed}\r`);
    }
    const ended = await running.ended();
    expect(ended.code, ended.stdout).toBe(0);
    expect(ended.stdout).toContain('Signed in');
    expect(ended.stdout).not.toContain(app.key);
    expect(existsSync(join(terminal.folder, 'profiles.json'))).toBe(true);
  });
});
