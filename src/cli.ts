#!/usr/bin/env node
/** The command line. `cli/groups.ts` lists the commands; this file runs the one that was called and says how it ended. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { addGroups, isOperators } from './cli/groups.ts';
import { exits } from './cli/terminal/exits.ts';
import { faultAsJson, faultAsText, faultOf } from './cli/terminal/faults.ts';
import { helpLayout } from './cli/terminal/help.ts';
import { flushed } from './cli/terminal/output.ts';
import { packageRoot } from './foundation/package-root.ts';

/** Says what an error that no command foresaw is, one of the service or a bug, and returns the exit code. */
async function tellUnforeseen(error: unknown): Promise<number> {
  const { UsageError } = await import('./cli/usage-error.ts');
  const { troubleOf } = await import('./cli/trouble.ts');
  console.error(troubleOf(error) ?? error);
  return exits[error instanceof UsageError ? 'usage' : 'failed'].code;
}

async function fail(error: unknown, fault = isOperators(first) ? null : faultOf(error)): Promise<never> {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : exits.usage.code);
  if (!fault) process.exit(await tellUnforeseen(error));
  console.error(isForPrograms ? faultAsJson(fault) : faultAsText(fault));
  process.exit(exits[fault.exit].code);
}

const [first, second] = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const isForPrograms = process.argv.includes('--json');

/** Commander's message for a wrong command line. */
const refusal = (text: string): string =>
  isForPrograms ? `${faultAsJson({ exit: 'usage', message: text.trim().replace(/^error: /, '') })}\n` : text;

const version = (): string => JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;

// A pipe that nobody reads, or a full disk behind `>`.
process.stdout.on('error', (error) => void fail(error, faultOf(error)));

const program = new Command('confam')
  .description('Verification of Nigerian identities, businesses and risk signals')
  .version(`confam ${version()}`, '-V, --version', 'print the version')
  .showHelpAfterError(isForPrograms ? false : '(--help shows the flags and examples)')
  .configureOutput({ outputError: (text, write) => write(refusal(text)) })
  .exitOverride()
  .configureHelp(helpLayout)
  .addHelpText(
    'after',
    `
Examples:
  $ confam start                                              the service, with a sandbox, on this machine
  $ confam check nin_advance --nin 70123456789                in a second terminal, in the same folder
  $ confam batch submit customers.csv --checks nin_advance --output results.csv

docs/cli.md has the exit codes, the environment and more.`,
  );

await addGroups(program, first === 'help' ? second : first, { everything: first === 'completion' });
program
  .parseAsync()
  .then(flushed)
  .then(() => process.exit())
  .catch(fail);
