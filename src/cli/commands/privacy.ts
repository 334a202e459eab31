/** `confam privacy hold|holds|release|withdraw|purposes`: what the app owes the people whom it looks up. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Identifier, SubjectHold } from '../../client/subjects.ts';
import { connect, type ListOptions, listing, pageSize, type RemoteOptions, remote, take } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { readInput } from '../terminal/prompt.ts';
import { holdColumns, purposeColumns } from '../terminal/tables.ts';

const HOLDS = 'api/v1/subjects/holds';
/** A person has a handful of identifiers. */
const INPUT_BYTES_MAX = 64 * 1024;

export function addPrivacyCommands(privacy: Command): void {
  remote(
    privacy.command('hold').argument('<file>', 'identifiers of one person as JSON: [{"type":"nin","value":"…"}]; - for standard input'),
  )
    .description('put a person under a legal hold: nothing about them is deleted or erased')
    .option('--reason <text>', 'shown with the hold')
    .action(async (file: string, { reason, ...options }: RemoteOptions & { reason?: string }) => {
      const { client, out } = connect(options);
      const hold = await client.subjects.hold({ identifiers: await readIdentifiers(file), ...(reason && { reason }) });
      out.answer(hold, () => out.line(`${hold.id} holds the person. Lift it by: confam privacy release ${hold.id}`));
    });
  listing(privacy.command('holds'))
    .description('legal holds of people, newest first')
    .action(async (options: ListOptions) => {
      const { client, out } = connect(options);
      const found = client.transport.items<SubjectHold>(HOLDS, { limit: pageSize(options) });
      out.list(await take(found, options.limit), holdColumns, 'Nobody is under a legal hold.');
    });
  remote(privacy.command('release').argument('<id>', 'hld_…'))
    .description('lift a legal hold')
    .action(async (id: string, options: RemoteOptions) => {
      const { client, out } = connect(options);
      const hold = await client.subjects.liftHold(id);
      out.answer(hold, () => out.line(`${id} is lifted. Anything past its retention period is deleted within minutes.`));
    });
  remote(privacy.command('withdraw').argument('<reference>', 'as it was sent with the consent'))
    .description('withdraw a consent: monitors under it end, and nothing is looked up under it any more')
    .action(async (reference: string, options: RemoteOptions) => {
      const { client, out } = connect(options);
      const withdrawn = await client.consents.withdraw(reference);
      const { monitors_ended, naming } = withdrawn;
      const doubt = naming?.count === 0 && monitors_ended === 0 ? ' Nothing was found that names this reference: check its spelling.' : '';
      out.answer(withdrawn, () => out.line(`Withdrawn. Monitors that ended: ${monitors_ended}.${doubt}`));
    });
  remote(privacy.command('purposes'))
    .description('how much was looked up for which purpose')
    .option('--from <day>', 'first day (UTC)')
    .option('--to <day>', 'last day (UTC)')
    .action(async ({ from, to, ...options }: RemoteOptions & { from?: string; to?: string }) => {
      const { client, out } = connect(options);
      const { data } = await client.consents.lookups({ from, to });
      out.list(data, purposeColumns, 'Nothing was looked up.');
    });
}

/** A number on the command line would stay in the history of the shell. */
async function readIdentifiers(file: string): Promise<Identifier[]> {
  const text = file === '-' ? await readInput(INPUT_BYTES_MAX) : readFileSync(file, 'utf8');
  try {
    return JSON.parse(text) as Identifier[];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError('usage', 'Expected JSON such as [{"type": "nin", "value": "70123456789"}].');
  }
}
