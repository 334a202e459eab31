/** Runs parts of the service and brings the database up to date, for `commands/service.ts`. */
import { beCompanion } from '../../workers/be-companion.ts';
import { type Roles, runRoles } from '../../workers/main.ts';
import { untilSignal } from '../../workers/signals.ts';
import { warnOfMistyped } from '../doctor/mistyped-settings.ts';
import { readConfig } from '../foundation/config.ts';
import { migrateDatabase, refuseOtherDatabase, refuseOtherKeys } from '../foundation/context.ts';
import { RELEASE } from '../jobs/release.ts';
import { awaitDatabase } from './await-database.ts';
import { deployedUrl, warnOfWall } from './database.ts';

/** `companion`: forked by `confam start`, which sends the database's address. */
export const run = (roles: Roles, companion = false): Promise<void> =>
  companion ? beCompanion(readConfig(process.env), roles) : runDeployed(roles);

export async function migrate(): Promise<void> {
  const config = readConfig(process.env);
  const url = deployedUrl(config);
  const owner = config.DATABASE_OWNER_URL;
  await refuseOtherKeys(config, owner ?? url);
  warnOfWall(await migrateDatabase(config, owner ?? url, owner ? url : null));
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
