/** What a newcomer does in the first hour: install, start in a terminal, paste the README's commands, stop. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/foundation/free-port.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { waitFor } from '../setup/database.ts';
import { FROM_SOURCES, killConfams, makeDataDir, processesMentioning, readSandbox, startConfam, untilReady } from '../setup/process.ts';

const folder = makeDataDir('.data');

afterAll(async () => {
  await killConfams();
  folder.remove();
});

/** The shell commands under a README heading, as somebody would paste them. */
function commandsUnder(heading: string): string {
  const section = readFileSync(join(packageRoot(), 'README.md'), 'utf8').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const commands = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1]!).join('');
  expect(commands, heading).not.toBe('');
  return commands;
}

/** `confam start` as somebody sees it in a terminal. */
function startInTerminal(dataDir: string, port: number): { terminal: ChildProcess; screen(): string } {
  const { PATH, HOME } = process.env;
  const terminal = spawn('script', ['-qefc', `exec ${[process.execPath, ...FROM_SOURCES].join(' ')} start`, '/dev/null'], {
    cwd: packageRoot(),
    env: { PATH, HOME, TERM: 'xterm', CONFAM_DATA_DIR: dataDir, PORT: String(port) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  terminal.stdout!.on('data', (piece) => (screen += piece));
  return { terminal, screen: () => screen };
}

describe('the first hour', () => {
  test('the README’s first call, batch and webhook, pasted verbatim, end with a file of finished rows and a message', async () => {
    const [port, receiver] = [await freePort(), await freePort()];
    const environment = { CONFAM_DATA_DIR: folder.path, PORT: String(port), CONFAM_WEBHOOK_ALLOW_PRIVATE: 'loopback' };
    const confam = startConfam(['start'], environment, FROM_SOURCES);
    await untilReady(confam, port);
    await waitFor('sandbox.json', () => confam.stdout().includes('Ctrl-C'));

    const script = ['First call', 'First batch', 'First webhook']
      .map(commandsUnder)
      .join('')
      .replaceAll('8080', `${port}`)
      .replaceAll('9099', `${receiver}`);
    const cwd = dirname(folder.path);
    const pasted = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd, timeout: 60_000 });
    expect(pasted.stdout, 'the message').toMatch(/"type":"job\.completed".*"reference":"order-7"/);
    const lines = readFileSync(join(folder.path, 'results.csv'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(1_001);
    for (const line of lines.slice(1)) expect(line).toMatch(/completed|found/);
    expect(readdirSync(cwd), 'nothing beside the data folder').toEqual(['.data']);

    const root = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, 'docs']);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);

    confam.signal('SIGTERM');
    expect((await confam.ended()).code).toBe(0);
    expect(confam.stdout()).toContain('Stopping: running work is finished or returned to the queue.');
    const logged = confam
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'));
    expect(logged.length, 'JSON lines where standard output is piped').toBeGreaterThan(0);
    expect(JSON.parse(logged[0]!)).toMatchObject({ level: 30, msg: 'request' });
  }, 90_000);

  const hasTerminal = spawnSync('script', ['--version']).status === 0;
  test.skipIf(!hasTerminal)(
    `in a terminal a first start shows the keys${hasTerminal ? '' : ' (skipped: no `script` command here)'}`,
    async () => {
      const fresh = makeDataDir();
      const { terminal, screen } = startInTerminal(fresh.path, await freePort());
      await waitFor('the greeting', () => screen().includes('Ctrl-C finishes'), 60_000);
      for (const [name, value] of Object.entries(readSandbox(fresh.path)))
        if (name !== 'base_url') expect(screen()).toContain(`  ${name.padEnd(15)}${value}\r\n`);
      terminal.stdin!.write('\u0003');
      await waitFor('the end', () => terminal.exitCode !== null, 20_000);
      fresh.remove();
    },
    90_000,
  );

  test.skipIf(!hasTerminal)(
    `in a terminal the greeting stays the last thing on the screen${hasTerminal ? '' : ' (skipped: no `script` command here)'}`,
    async () => {
      const port = await freePort();
      const { terminal, screen } = startInTerminal(folder.path, port);
      await waitFor('the greeting', () => screen().includes('Ctrl-C finishes'), 40_000);
      expect(screen()).toContain(`Documentation: http://127.0.0.1:${port}/docs\r\n`);
      const { test_key, app_id } = readSandbox(folder.path);
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/wallet`, { headers: { Authorization: test_key, AppId: app_id } });
      expect(answer.status).toBe(200);
      expect(screen().trimEnd()).toMatch(/Ctrl-C finishes running work and stops\. All data is in .*\.data\.$/);

      terminal.stdin!.write('\u0003');
      await waitFor('the end', () => terminal.exitCode !== null, 20_000);
      expect(screen()).toMatch(/Stopped\. All data is in .*\.data\. The next start continues from here\./);
      expect(screen(), 'no JSON line').not.toContain('{"level"');
      expect(processesMentioning(folder.path)).toEqual([]);
    },
    90_000,
  );
});

describe('installation', () => {
  test('the project has no npm setting that npm does not know', () => {
    const { stdout, stderr } = spawnSync('npm', ['config', 'list', '--location=project'], { cwd: packageRoot(), encoding: 'utf8' });
    expect(stdout).toContain('engine-strict');
    expect(stderr).not.toContain('Unknown project config');
  });

  test('the install script of onnxruntime-node downloads nothing, even when npm runs it', () => {
    const cwd = join(packageRoot(), 'node_modules', 'onnxruntime-node');
    const { PATH, HOME } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['script/install'], { cwd, env: { PATH, HOME }, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
