/** What the command line says of itself: completion, help, exit codes in the documents. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { groups } from '../../src/cli/groups.ts';
import { exits } from '../../src/cli/terminal/exits.ts';
import { CLIENT_VARIABLES } from '../../src/cli/terminal/profiles.ts';
import { eventTypes } from '../../src/contract/webhooks.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { waitFor } from '../setup/database.ts';
import { hasTerminals, openTerminal } from '../setup/terminal.ts';

const page = readFileSync(join(packageRoot(), 'docs/cli.md'), 'utf8');

test('docs/cli.md has every command, exit code and variable', () => {
  for (const { name } of groups) expect(page, name).toContain(`confam ${name}`);
  const codes = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(codes).toEqual(Object.values(exits).map(({ code, meaning }) => [code, meaning]));
  for (const name of CLIENT_VARIABLES) expect(page).toContain(`\`${name}\``);
});

const isHere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe('completion', () => {
  const terminal = openTerminal(null);
  test('bash completes commands, flags and values', async () => {
    const { stdout: script, code } = await terminal.run(['completion', 'bash']);
    expect(code).toBe(0);
    const complete = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const typed = `${script}\nCOMP_WORDS=(confam ${line}); COMP_CWORD=${words.length}; _confam; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', typed], { encoding: 'utf8' }).stdout.trim().split('\n');
    };
    expect(complete('bat')).toEqual(['batch']);
    expect(complete('batch', 'st')).toEqual(['status', 'start']);
    expect(complete('batch', 'submit', 'customers.csv', '--on')).toEqual(['--on-invalid']);
    expect(complete('batch', 'submit', '--on-invalid', 're')).toEqual(['reject']);
    // The value of a flag is not a command.
    expect(complete('batch', 'submit', '--reference', 'list', '--shee')).toEqual(['--sheet']);
    expect(complete('check', 'nin_ad')).toEqual(['nin_advance']);
    expect(complete('webhooks', 'trigger', 'batch.c')).toEqual(['batch.completed', 'batch.canceled']);
  });
  const scriptOf = async (shell: string) => {
    const { stdout, code } = await terminal.run(['completion', shell]);
    expect(code).toBe(0);
    return stdout;
  };
  test('zsh completes from the same tables as bash', async () => {
    const [bash, zsh] = [await scriptOf('bash'), await scriptOf('zsh')];
    const tables = /^_confam_words\(\) \{.*(?=^_confam\(\) \{$)/ms.exec(bash)![0];
    for (const { name } of groups) expect(tables).toContain(`    '${name}') echo `);
    expect(zsh.startsWith('#compdef confam\n')).toBe(true);
    expect(zsh).toContain(tables);
  });
  test('fish has every command, subcommand and value where it belongs', async () => {
    const fish = await scriptOf('fish');
    const at = (place: string) =>
      [...fish.matchAll(new RegExp(`^complete -c confam -n "__confam_at '${place}'" -f -a '([^']+)'`, 'gm'))].map((match) => match[1]!);
    expect(at('')).toEqual(expect.arrayContaining(groups.map(({ name }) => name)));
    expect(at('batch')).toEqual(expect.arrayContaining(['submit', 'watch', 'results', 'errors', 'pause']));
    expect(at('webhooks trigger')).toEqual([...eventTypes]);
    expect(at('check')).toContain('nin_advance');
    expect(fish).toMatch(/^complete -c confam -n "__confam_at 'check nin_advance'" -l nin -r /m);
    expect(fish).toMatch(/^complete -c confam -n "__confam_at 'batch submit'" -l on-invalid -x -a 'skip reject' /m);
    const places = /^set -g __confam_places (.*)$/m.exec(fish)![1]!;
    for (const { name } of groups) expect(places).toContain(`'${name}'`);
  });

  const hasZsh = isHere('zsh') && hasTerminals;
  test.skipIf(!hasZsh)(`zsh itself completes, with the script where docs/cli.md puts it${hasZsh ? '' : ' (SKIPPED: no zsh)'}`, async () => {
    writeFileSync(join(terminal.folder, '_confam'), await scriptOf('zsh'));
    const zsh = openZsh(terminal.folder);
    await zsh.enter(
      `fpath=('${terminal.folder}' $fpath); autoload -Uz compinit; compinit -u -D; confam() { print -r -- "RAN $*" }; print re''ady`,
      'ready',
    );
    const completed = async (typed: string, rest: string) => {
      await zsh.type(typed, typed.slice(-4));
      await zsh.type('\t', rest);
      return zsh.enter('', /RAN (.*?)\s*[\r\n]/);
    };
    expect(await completed('confam batch submit --on-inv', 'alid')).toBe('batch submit --on-invalid');
    expect(await completed('confam batch submit --on-invalid rej', 'ect')).toBe('batch submit --on-invalid reject');
    expect(await completed('confam check nin_adv', 'ance')).toBe('check nin_advance');
    expect(await completed('confam webhooks trigger wallet.lo', 'w_balance')).toBe('webhooks trigger wallet.low_balance');
    zsh.end();
  });

  const fish = 'fish';
  const hasFish = isHere(fish);
  test.skipIf(!hasFish)(`fish itself completes${hasFish ? '' : ' (SKIPPED: no fish)'}`, async () => {
    const path = join(terminal.folder, 'confam.fish');
    writeFileSync(path, await scriptOf('fish'));
    const complete = (typed: string): string[] => {
      const { stdout, stderr } = spawnSync(fish, ['--no-config', '-c', `source '${path}'; complete -C '${typed}'`], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]!);
    };
    expect(complete('confam bat')).toEqual(['batch']);
    expect(complete('confam batch st').sort()).toEqual(['start', 'status']);
    expect(complete('confam batch submit customers.csv --on')).toEqual(['--on-invalid']);
    expect(complete('confam batch submit --on-invalid ').sort()).toEqual(['reject', 'skip']);
    expect(complete('confam check nin_adv')).toEqual(['nin_advance']);
    expect(complete('confam webhooks trigger batch.c').sort()).toEqual(['batch.canceled', 'batch.completed']);
  });
});

/** zsh in a terminal, as somebody uses it. */
function openZsh(home: string) {
  const { PATH } = process.env;
  const child = spawn('script', ['-qefc', 'zsh -f -i', '/dev/null'], { env: { PATH, HOME: home, TERM: 'dumb' }, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
  /** Types, and waits for what appears after it. */
  const type = async (text: string, appears: string | RegExp): Promise<string> => {
    const from = screen.length;
    child.stdin.write(text);
    const found = () =>
      typeof appears === 'string' ? screen.includes(appears, from) && [appears, appears] : appears.exec(screen.slice(from));
    return ((await waitFor(`${appears}`, () => found(), 20_000)) as string[])[1]!;
  };
  return { type, enter: (text: string, appears: string | RegExp) => type(`${text}\r`, appears), end: () => child.kill('SIGKILL') };
}

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  expect(await openTerminal(null).run(['--version'])).toEqual({ code: 0, stdout: `confam ${version}\n`, stderr: '' });
});

test.each(['check', 'batch', 'webhooks', 'keys', 'audit', 'worker'])('confam %s --help says what it does', async (name) => {
  const terminal = openTerminal(null);
  const { stdout, code } = await terminal.run([name, '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: confam ${name}`);
});
