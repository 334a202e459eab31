/** What a running service can check about itself and its surroundings; `confam doctor` checks more, on the machine. Discloses no secret. */
import { listed } from '../batches/states.ts';
import { ENDED } from '../contract/batches.ts';
import type { Context } from '../foundation/context.ts';
import { GONE_SECONDS } from '../foundation/data-keys.ts';
import { about, type Finding, withoutSecrets } from './finding.ts';
import { checkIdentityProvider } from './identity-provider.ts';
import { checkCertificate, checkConfiguration, checkDataFolder, checkKeys, checkNode } from './machine.ts';
import { checkDataKeys, checkIndexKeys, checkLists, checkRedis, checkWall } from './stores.ts';
import { checkUpstreams } from './vendors.ts';

/** In the order of `confam doctor`. */
export async function examineRunning({ sql, config }: Pick<Context, 'sql' | 'config'>): Promise<Finding[]> {
  const findings = [
    checkNode(process.versions.node),
    checkConfiguration(process.env).finding,
    // With a database elsewhere, nothing is kept on this machine.
    ...(config.embedded ? [checkDataFolder(config)] : []),
    checkKeys(config),
    await checkProcesses({ sql }),
    await checkServer({ sql, config }),
    await checkWall(sql, config),
    ...(await checkOldResults({ sql })),
  ];
  const certificate = checkCertificate(config);
  if (certificate) findings.push(certificate);
  const identityProvider = await checkIdentityProvider(config);
  if (identityProvider) findings.push(identityProvider);
  const indexKeys = await checkIndexKeys(sql, config);
  if (indexKeys) findings.push(indexKeys);
  const dataKeys = await checkDataKeys(sql, config);
  if (dataKeys) findings.push(dataKeys);
  for await (const finding of checkLists(sql, config)) findings.push(finding);
  return [...findings, await checkRedis(config), checkUpstreams(config)];
}

async function checkServer({ sql, config }: Pick<Context, 'sql' | 'config'>): Promise<Finding> {
  const [server] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
  return about('database').ok(
    `Postgres ${server!.version}${config.embedded ? ', embedded' : ` at ${withoutSecrets(config.DATABASE_URL!)}`}: answers`,
  );
}

/** Whether any process works, and whether all run the same release. */
async function checkProcesses({ sql }: Pick<Context, 'sql'>): Promise<Finding> {
  const processes = about('processes');
  const running = await sql<{ release: string; families: string[] }[]>`
    select release, families from processes where seen_at > now() - ${GONE_SECONDS} * interval '1 second'`;
  const pools = running.filter(({ families }) => families.length > 0).length;
  const releases = [...new Set(running.map(({ release }) => release))].toSorted();
  if (pools === 0) return processes.broken('nobody works on jobs: batches and jobs wait; start a worker');
  const says = `${running.length} running, ${pools} of them working on jobs, release ${releases.join(' and ')}`;
  return releases.length > 1 ? processes.note(`${says}: update the others`) : processes.ok(says);
}

/** Reports nothing once all are moved. */
async function checkOldResults({ sql }: Pick<Context, 'sql'>): Promise<Finding[]> {
  const [unmoved] = await sql<{ batches: number }[]>`
    select count(*)::int as batches from batches
    where unmoved_after is not null and deleted_at is null and status in ${sql.unsafe(listed(ENDED))}`;
  if (unmoved!.batches === 0) return [];
  return [
    about('old results').note(
      `${unmoved!.batches} batches still have results of an earlier release, which are being moved into blocks; nothing to do`,
    ),
  ];
}
