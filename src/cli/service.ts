/** Commands that run parts of the service: `api`, `worker`, `dispatcher`, `migrate`. */
import { type Command, Option } from 'commander';
import { beCompanion } from '../../workers/be-companion.ts';
import { type Roles, runRoles } from '../../workers/main.ts';
import { untilSignal } from '../../workers/signals.ts';
import { families } from '../checks/catalog.ts';
import type { Family } from '../checks/check.ts';
import { warnOfMistyped } from '../doctor/mistyped-settings.ts';
import { readConfig } from '../foundation/config.ts';
import { migrateDatabase, refuseOtherDatabase, refuseOtherKeys } from '../foundation/context.ts';
import { RELEASE } from '../jobs/release.ts';
import { awaitDatabase } from './await-database.ts';
import { deployedUrl, warnOfWall } from './database.ts';
import { UsageError } from './usage-error.ts';

export const addApi = (command: Command): void =>
  void command.action(() => runDeployed({ api: true, pools: [], webhooks: false, dispatcher: false }));

export function addWorker(command: Command): void {
  command
    .option('--families <list>', `families to work for, out of ${families.join(',')}`, families.join(','))
    .option('--no-webhooks', 'do not deliver webhooks here')
    .addOption(asCompanion())
    .action(({ families, webhooks, companion }: { families: string; webhooks: boolean; companion?: boolean }) =>
      run({ api: false, pools: parseFamilies(families), webhooks, dispatcher: false }, companion),
    );
}

export const addDispatcher = (command: Command): void =>
  void command
    .addOption(asCompanion())
    .action(({ companion }: { companion?: boolean }) => run({ api: false, pools: [], webhooks: false, dispatcher: true }, companion));

/** Forked by `confam start`, which sends it the database's address. */
const asCompanion = () => new Option('--companion').hideHelp();

const run = (roles: Roles, companion = false) => (companion ? beCompanion(readConfig(process.env), roles) : runDeployed(roles));

export function addMigrate(command: Command): void {
  command.action(async () => {
    const config = readConfig(process.env);
    const url = deployedUrl(config);
    const owner = config.DATABASE_OWNER_URL;
    await refuseOtherKeys(config, owner ?? url);
    warnOfWall(await migrateDatabase(config, owner ?? url, owner ? url : null));
  });
}

async function runDeployed(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  const signaled = untilSignal();
  await awaitDatabase(() => refuseOtherDatabase(deployedUrl(config)));
  const running = await runRoles(config, deployedUrl(config), roles);
  warnOfMistyped(running.service.log, config);
  running.docs?.prepare();
  running.console?.prepare();
  running.service.log.info({ ...roles, release: RELEASE, port: running.port, queue: running.service.queues.name }, 'started');
  await signaled;
  await running.drain();
}

function parseFamilies(text: string): Family[] {
  const wanted = new Set(text.split(',').map((family) => family.trim()));
  const known = families.join(', ');
  if (wanted.has(''))
    throw new UsageError(`--families: a name is missing; the families are ${known}, and without the flag all are worked for`);
  const unknown = [...wanted].filter((family) => !families.includes(family as Family));
  if (unknown.length > 0) throw new UsageError(`--families: unknown ${unknown.join(', ')}; the families are ${known}`);
  return [...wanted] as Family[];
}
