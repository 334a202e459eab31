/** Every command, as the program itself lists them: each says what it does, is in the documents, and is run by a test. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addGroups, groups } from '../../src/cli/groups.ts';
import { packageRoot } from '../../src/foundation/package-root.ts';

const program = new Command('confam');
await addGroups(program, undefined, { everything: true });

/** Commands that do something. Those of checks are one: `test/cli/check.test.ts` reads all of their flags. */
function commandsOf(command: Command, path: string[] = []): { path: string[]; command: Command }[] {
  const below = command.commands.filter((one) => one.name() !== 'help');
  if (below.length === 0 || path[0] === 'check') return [{ path, command }];
  return below.flatMap((one) => commandsOf(one, [...path, one.name()]));
}
const commands = commandsOf(program).map(({ path, command }) => ({ name: path.join(' '), path, command }));

const filesOf = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--', ...patterns], { cwd: packageRoot(), encoding: 'utf8' })
    .trim()
    .split('\n');
const read = (file: string): string => readFileSync(join(packageRoot(), file), 'utf8');
const pages = filesOf('docs/*.md', 'docs/guides/*.md', 'README.md').map(read).join('\n');
// `test/process/pages.test.ts` runs every block of the pages that does not say otherwise.
const pasted = pages.replace(/<!-- not run: [^\n]* -->\n *```sh\n.*?```/gs, '').match(/^ *```sh\n.*?```/gms)!;
const tests = [
  ...filesOf('test/*.ts')
    .filter((file) => file !== 'test/cli/commands.test.ts')
    .map(read),
  ...pasted,
];

/** `confam lists show`, or within a line about `confam lists` the word `show`. */
const isDocumented = ([group, ...rest]: string[]): boolean => {
  if (pages.includes(['confam', group, ...rest].join(' ')) || pages.includes(['confam --', group, ...rest].join(' '))) return true;
  return pages.split('\n').some((line) => line.includes(`confam ${group}`) && rest.every((word) => line.includes(`\`${word}\``)));
};

/** `['lists', 'show', …]` of a process, `('lists', 'show', …)` of a helper, `('show', …)` of one that adds `lists`, or `confam lists show` in a shell. */
const isTested = (path: string[]): boolean => {
  const direct = new RegExp(`[[(]\\s*'${path.join(`',\\s*'`)}'|\\bconfam (?:-- )?${path.join(' ')}\\b`);
  const [group, ...rest] = path;
  const helper = new RegExp(`\\[\\s*'${group}',\\s*\\.\\.\\.`);
  const helped = new RegExp(`[[(]\\s*'${rest.join(`',\\s*'`)}'`);
  return tests.some((text) => direct.test(text) || (rest.length > 0 && helper.test(text) && helped.test(text)));
};

describe('every command', () => {
  test('there are some', () => {
    expect(commands.length).toBeGreaterThan(60);
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['batch submit', 'webhooks listen', 'lists status', 'whoami', 'start']),
    );
  });

  test('says what it does, with its flags and arguments', () => {
    const silent = commands.flatMap(({ name, command }) => [
      ...(command.description() === '' ? [name] : []),
      ...command.options.filter(({ description, hidden }) => !description && !hidden).map(({ flags }) => `${name} ${flags}`),
    ]);
    expect(silent).toEqual([]);
  });

  test('of a client has --json', () => {
    const ofClients = groups.filter(({ part }) => part === 'Verify' || part === 'Account').map(({ name }) => name);
    // These write a file of their own, or belong to the operator.
    const others = ['login', 'logout', 'keys generate', 'audit export', 'audit retire'];
    const without = commands.filter(({ command }) => !command.options.some(({ long }) => long === '--json')).map(({ name }) => name);
    expect(without.filter((name) => ofClients.includes(name.split(' ')[0]!)).sort()).toEqual(['check', ...others].sort());
    for (const check of program.commands.find((command) => command.name() === 'check')!.commands)
      expect(check.options.some(({ long }) => long === '--json')).toBe(true);
  });

  test('is in the documents', () => {
    expect(commands.filter(({ path }) => !isDocumented(path)).map(({ name }) => name)).toEqual([]);
  });

  test('is run by a test', () => {
    expect(commands.filter(({ path }) => !isTested(path)).map(({ name }) => name)).toEqual([]);
  });
});
