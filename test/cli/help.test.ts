/** What the command line says of itself: completion, help, exit codes in the documents. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { groups } from '../../src/cli/groups.ts';
import { exits } from '../../src/cli/terminal/exits.ts';
import { CLIENT_VARIABLES } from '../../src/cli/terminal/profiles.ts';
import { eventTypes } from '../../src/contract/webhooks.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';
import { openTerminal } from '../setup/terminal.ts';

const page = readFileSync(join(packageRoot(), 'docs/cli.md'), 'utf8');

test('docs/cli.md has every command, exit code and variable', () => {
  for (const { name } of groups) expect(page, name).toContain(`confam ${name}`);
  const codes = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(codes).toEqual(Object.values(exits).map(({ code, meaning }) => [code, meaning]));
  for (const name of CLIENT_VARIABLES) expect(page).toContain(`\`${name}\``);
});

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
  for (const shell of ['zsh', 'fish']) {
    const isHere = spawnSync(shell, ['--version']).status === 0;
    test.skipIf(!isHere)(`${shell} can read its script${isHere ? '' : ` (SKIPPED: no ${shell})`}`, async () => {
      const read = spawnSync(shell, ['-n', '/dev/stdin'], { input: await scriptOf(shell), encoding: 'utf8' });
      expect(read).toMatchObject({ status: 0, stderr: '' });
    });
  }
});

test.each(['check', 'batch', 'webhooks', 'keys', 'audit', 'worker'])('confam %s --help says what it does', async (name) => {
  const terminal = openTerminal(null);
  const { stdout, code } = await terminal.run([name, '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: confam ${name}`);
});
