/** The flags of the commands that run the service, whole (`workers/start.ts`) or in parts (`../service.ts`). */
import { type Command, Option } from 'commander';
import { FAMILIES } from '../../foundation/families.ts';
import { UsageError } from '../usage-error.ts';

const parts = () => import('../service.ts');

export const addStart = (command: Command): void => void command.action(async () => (await import('../../../workers/start.ts')).start());

export const addApi = (command: Command): void =>
  void command.action(async () => (await parts()).run({ api: true, pools: [], webhooks: false, dispatcher: false }));

export function addWorker(command: Command): void {
  command
    .addOption(
      new Option('--families <list>', `families to work for, out of ${FAMILIES.join(',')}`)
        .argParser(parseFamilies)
        .default([...FAMILIES], 'all'),
    )
    .option('--no-webhooks', 'do not deliver webhooks here')
    .addOption(asCompanion())
    .action(async ({ families, webhooks, companion }: { families: Family[]; webhooks: boolean; companion?: boolean }) =>
      (await parts()).run({ api: false, pools: families, webhooks, dispatcher: false }, companion),
    );
}

export const addDispatcher = (command: Command): void =>
  void command
    .addOption(asCompanion())
    .action(async ({ companion }: { companion?: boolean }) =>
      (await parts()).run({ api: false, pools: [], webhooks: false, dispatcher: true }, companion),
    );

export const addMigrate = (command: Command): void => void command.action(async () => (await parts()).migrate());

/** Forked by `confam start`, which sends it the database's address. */
const asCompanion = () => new Option('--companion').hideHelp();

type Family = (typeof FAMILIES)[number];

function parseFamilies(text: string): Family[] {
  const wanted = new Set(text.split(',').map((family) => family.trim()));
  const known = FAMILIES.join(', ');
  if (wanted.has(''))
    throw new UsageError(`--families: a name is missing; the families are ${known}, and without the flag all are worked for`);
  const unknown = [...wanted].filter((family) => !FAMILIES.includes(family as Family));
  if (unknown.length > 0) throw new UsageError(`--families: unknown ${unknown.join(', ')}; the families are ${known}`);
  return [...wanted] as Family[];
}
