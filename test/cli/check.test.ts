/** `confam check`: one call from the command line, for people and for programs, and every way in which it may be refused. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { checks } from '../../src/checks/catalog.ts';
import { inputFlags } from '../../src/cli/commands/check-flags.ts';
import { type TestApp, useApi } from '../setup/api.ts';
import { waitFor } from '../setup/database.ts';
import { type Ended, openTerminal, type Running, type Terminal } from '../setup/terminal.ts';

const api = useApi();
let app: TestApp;
let terminal: Terminal;
beforeAll(async () => {
  app = await api.createApp();
  terminal = openTerminal({ api, app });
});

const NO_STACK = /^(?!.*\n\s+at )/s;

test('it shows what was found, and with --json the whole answer', async () => {
  const shown = await terminal.run(['check', 'nin_advance', '--nin', '70123456789']);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^found {2}nin_advance {2}₦125\.00 {2}\d+ ms {2}req_/);
  expect(shown.stdout).toMatch(/^surname +Durojaiye$/m);
  // Pictures are not for a terminal, and colours are only for one.
  expect(shown.stdout).toMatch(/^photo +\(\d+ B; --json has it\)$/m);
  expect(shown.stdout).not.toContain('\x1b');
  const told = await terminal.run(['check', 'nin_advance', '--input', '-', '--json'], { input: '{"nin": "70123456789"}' });
  const answer = JSON.parse(told.stdout);
  expect(answer).toMatchObject({ status: 'success', cached: true, billed_amount: 50, entity: { surname: 'Durojaiye' } });
  expect(answer.entity.photo.length).toBeGreaterThan(200);
});

test('every check has a flag for each of its inputs', () => {
  for (const check of checks) {
    const flags = inputFlags(check);
    expect(flags.map(({ name }) => name)).toEqual(Object.keys(check.input.shape));
    const taken = ['json', 'profile', 'input', 'refresh', 'consent'];
    expect(flags.filter(({ attribute }) => taken.includes(attribute))).toEqual([]);
  }
});

describe('it ends with a sentence and a code', () => {
  const cases: [name: string, args: string[], code: number, says: RegExp, env?: Record<string, string>][] = [
    ['nobody on record', ['nin_basic', '--nin', '00000000001'], 3, /record/i],
    ['a value that cannot be', ['nin_basic', '--nin', '7012'], 2, /nin.*must be 11 digits/],
    ['a missing input', ['nin_basic'], 2, /nin_basic needs --nin\.\nExample: confam check nin_basic --nin 70123456789/],
    ['an unknown flag', ['nin_basic', '--nim', '70123456789'], 2, /unknown option '--nim'\n\(Did you mean --nin\?\)/],
    ['an unknown check', ['nin_bassic'], 2, /^nin_bassic is not a check\.\nDid you mean nin_basic\?/],
    ['a family of checks', ['bvn', '--bvn', '22222222222'], 2, /^bvn is not a check\.\nDid you mean bvn_match, bvn_full or bvn_advance\?/],
    [
      'an input without its flag',
      ['nin_basic', '70123456789'],
      2,
      /inputs of a check are flags\.\nExample: confam check nin_basic --nin 70123456789/,
    ],
    ['a file that is not there', ['nin_basic', '--input', 'none.json'], 2, /^none\.json: no such file or folder\./],
    ['a registry that is down', ['nin_basic', '--nin', '00000000003'], 6, /./],
    ['a wrong key', ['nin_basic', '--nin', '70123456789'], 4, /key is wrong.*\n`confam whoami`/, { CONFAM_KEY: 'cf_test_nonsense' }],
    [
      'no server',
      ['nin_basic', '--nin', '70123456789'],
      6,
      /cannot be reached at 127\.0\.0\.1:18 \(ECONNREFUSED\).*\nIs it running\?/,
      { CONFAM_URL: 'http://127.0.0.1:18' },
    ],
    ['no address', ['nin_basic', '--nin', '70123456789'], 2, /is not an address/, { CONFAM_URL: 'somewhere' }],
  ];
  test.each(cases)('%s', async (_, args, code, says, env) => {
    const ended = await terminal.run(['check', ...args], { env });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).toMatch(NO_STACK);
  });

  test('no money, for people and for programs', async () => {
    const poor = openTerminal({ api, app: await api.createApp({ naira: 10 }) });
    const ended = await poor.run(['check', 'nin_basic', '--nin', '70123456789']);
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(ended.stderr).toMatch(/wallet.*\nNeeded: ₦125\.00\. In the wallet: ₦10\.00\.\n$/s);
    expect(ended.stderr).toMatch(NO_STACK);
    const told = await poor.run(['check', 'nin_basic', '--nin', '70123456789', '--json']);
    expect(JSON.parse(told.stderr)).toMatchObject({ code: 'insufficient_funds', exit_code: 5, request_id: expect.stringMatching(/^req_/) });
  });

  test('Ctrl-C before the answer: what may have happened, and where to look', async () => {
    const ended = await until(async (url) => {
      const running = openTerminal({ api: { url }, app }).start(['check', 'nin_basic', '--nin', '70123456789']);
      return { running, act: () => running.child.kill('SIGINT') };
    });
    expect(ended).toMatchObject({
      code: 130,
      stdout: '',
      stderr: 'Stopped before the answer came. The service may have finished the call and charged it.\nLook: confam wallet entries\n',
    });
  });

  test('an address at which something else answers', async () => {
    const server = createServer((_, response) => response.end('<html>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const ended = await terminal.run(['check', 'nin_basic', '--nin', '70123456789'], { env: { CONFAM_URL: url } });
    server.close();
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringMatching(/^Something answers at that address, but it is not Confam\./) });
  });

  test('a reader that has gone, and a full disk', async () => {
    const args = ['check', 'nin_basic', '--nin', '70123456789'];
    const running = terminal.start(args);
    running.child.stdout!.destroy();
    await waitFor('its end', () => running.child.exitCode !== null);
    expect(running.child.exitCode).toBe(9);
    expect(running.stderr()).toMatch(/^The output ends here: .*broken pipe/);
    if (!existsSync('/dev/full')) return;
    expect(await terminal.run(args, { into: '/dev/full' })).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(/^The disk is full: the output is incomplete\.\nMake room/),
    });
  });

  test('words that are no command, for programs', async () => {
    const ended = await terminal.run(['check', 'nin_basic', '--nim', '7', '--json']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ended.stderr)).toEqual({ error: "unknown option '--nim'\n(Did you mean --nin?)", hint: null, exit_code: 2 });
  });

  test('nothing configured', async () => {
    const ended = await openTerminal(null).run(['check', 'nin_basic', '--nin', '70123456789']);
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringMatching(/^No key is configured\.\nRun `confam login`/) });
  });
});

/** Against a service that never answers: acts once the request has arrived. */
async function until(begin: (url: string) => Promise<{ running: Running; act(): void }>): Promise<Ended> {
  let arrived = false;
  const server = createServer(() => {
    arrived = true;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { running, act } = await begin(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  await waitFor('the request', () => arrived, 20_000);
  act();
  const ended = await running.ended();
  server.closeAllConnections();
  server.close();
  return ended;
}
