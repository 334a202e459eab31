/** `confam check <check>`: one call. A command for each check, with a flag for each input of its declaration. */
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { checks } from '../../checks/catalog.ts';
import type { Check } from '../../checks/check.ts';
import type { CallAnswer } from '../../client/checks.ts';
import { alternatives, likelyNames } from '../../rows/likely-names.ts';
import { connect, type RemoteOptions, remote, untilInterrupted } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { readInput } from '../terminal/prompt.ts';
import { naira } from '../terminal/text.ts';
import { exampleCommand, type FlagOfInput, inputFlags } from './check-flags.ts';
import { consentOf, consentOption } from './consent.ts';
import { flatten } from './flatten.ts';

interface CheckOptions extends RemoteOptions {
  input?: string;
  refresh?: boolean;
  consent?: string;
}

export function addCheckCommands(group: Command): void {
  group.addHelpText(
    'after',
    `
Examples:
  $ confam check nin_advance --nin 70123456789
  $ confam check bvn_match --help              which flags a check takes
  $ confam check nin_basic --nin 70123456789 --json | jq .entity.surname
  $ echo '{"nin": "70123456789"}' | confam check nin_basic --input -

A call costs the check's price; a subject that is not on record costs nothing and ends with 3.
A number on the command line stays in the shell's history: for real people use --input.`,
  );
  group.on('command:*', ([name]: [string]) => {
    throw unknownCheck(name);
  });
  for (const check of checks) addCheck(group, check);
}

/** `confam check nin` names a family: its checks are what was meant. */
function unknownCheck(name: string): CommandError {
  const ofFamily = checks.filter(({ family }) => family === name.toLowerCase());
  const ids = (of: readonly Check[]) => of.map(({ id }) => id);
  const likely = ofFamily.length > 0 ? ids(ofFamily) : likelyNames(name, ids(checks));
  const hint = likely.length > 0 ? `Did you mean ${alternatives(likely)}?` : '`confam check --help` lists them all.';
  return new CommandError('usage', `${name} is not a check.`, hint);
}

function addCheck(group: Command, check: Check): void {
  const flags = inputFlags(check);
  const command = remote(group.command(check.id)).description(check.summary);
  for (const { flag, placeholder, description, choices } of flags) {
    const option = new Option(`--${flag} <${placeholder}>`, description);
    command.addOption(choices ? option.choices(choices) : option);
  }
  command
    .option('--input <file>', 'inputs as a JSON object from a file, or - for standard input; flags win')
    .option('--refresh', 'look up again even if the cache has an answer')
    .addOption(consentOption())
    .addHelpText('after', `\nExample:\n  $ ${exampleCommand(check, flags)}`)
    .allowExcessArguments()
    .action(async (options: CheckOptions & Record<string, string | undefined>, command: Command) => {
      if (command.args.length > 0)
        throw new CommandError('usage', 'The inputs of a check are flags.', `Example: ${exampleCommand(check, flags)}`);
      const input = { ...(await readInputs(options.input)), ...given(flags, command) };
      const missing = flags.filter(({ name, isRequired }) => isRequired && input[name] === undefined);
      if (missing.length > 0)
        throw new CommandError(
          'usage',
          `${check.id} needs ${missing.map(({ flag }) => `--${flag}`).join(', ')}.`,
          `Example: ${exampleCommand(check, flags)}`,
        );
      const { client, out } = connect(options);
      const { method, path } = check.route;
      const consent = options.consent === undefined ? undefined : consentOf(options.consent);
      const { signal } = untilInterrupted();
      const terms = { ...(options.refresh && { cache: 'refresh' as const }), consent, signal };
      const answer = await client.checks.call({ method, path }, input, terms).catch((error: unknown) => {
        throw signal.aborted ? stopped() : error;
      });
      out.answer(answer, () => {
        out.line(`${out.paint('good', 'found')}  ${summaryOf(check, answer)}`);
        out.line();
        out.facts(flatten(answer.entity));
      });
    });
}

const stopped = (): CommandError =>
  new CommandError(
    'interrupted',
    'Stopped before the answer came. The service may have finished the call and charged it.',
    'Look: confam wallet entries',
  );

function given(flags: readonly FlagOfInput[], command: Command): Record<string, string> {
  const values = command.opts<Record<string, string | undefined>>();
  return Object.fromEntries(
    flags.flatMap(({ name, attribute, isImage }) => {
      const value = values[attribute];
      return value === undefined ? [] : [[name, isImage ? readFileSync(value).toString('base64') : value]];
    }),
  );
}

const INPUT_BYTES_MAX = 64 * 1024 * 1024;

async function readInputs(file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const text = file === '-' ? await readInput(INPUT_BYTES_MAX) : readFileSync(file, 'utf8');
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, string>;
  } catch {
    // Reported below: an error of JSON.parse would quote what was submitted.
  }
  throw new CommandError('usage', '--input: expected a JSON object of inputs, such as {"nin": "70123456789"}.');
}

const summaryOf = (check: Check, { billed_amount, cached, meta }: CallAnswer): string =>
  [
    check.id,
    ...(meta.stage ? [meta.stage] : []),
    naira(billed_amount),
    ...(cached ? ['from the cache'] : []),
    `${meta.latency_ms} ms`,
    meta.request_id,
  ].join('  ');
