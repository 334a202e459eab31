/** `confam doctor`: checks everything that a deployment needs and reports line by line what is fine and what is not. Exits with 1 if something is broken. */
import type { Finding } from '../doctor/finding.ts';
import { checkIdentityProvider } from '../doctor/identity-provider.ts';
import { checkCertificate, checkConfiguration, checkDataFolder, checkErasureJournal, checkKeys, checkNode } from '../doctor/machine.ts';
import { checkRedis } from '../doctor/stores.ts';
import { checkUpstreams } from '../doctor/vendors.ts';
import { checkDatabase } from './doctor/database.ts';
import { checkModels } from './doctor/engines.ts';
import { checkPort } from './doctor/port.ts';
import { CLIENT_VARIABLES } from './terminal/profiles.ts';

export async function examineAll({ json }: { json?: boolean }): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of examine(process.env)) {
    findings.push(finding);
    if (!json) console.log(show(finding));
  }
  const broken = findings.filter(({ state }) => state === 'broken').length;
  if (json) console.log(JSON.stringify(findings, null, 2));
  else console.log(broken === 0 ? '\nnothing is broken' : `\nbroken: ${broken}`);
  process.exitCode = broken === 0 ? 0 : 1;
}

async function* examine(environment: Record<string, string | undefined>): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node);
  const { finding, config } = checkConfiguration(environment, CLIENT_VARIABLES);
  yield finding;
  if (config) {
    yield checkDataFolder(config);
    yield checkKeys(config);
    const erasureJournal = checkErasureJournal(config);
    if (erasureJournal) yield erasureJournal;
    yield* checkDatabase(config);
    yield await checkRedis(config);
    yield await checkPort(config);
    const certificate = checkCertificate(config);
    if (certificate) yield certificate;
    const identityProvider = await checkIdentityProvider(config);
    if (identityProvider) yield identityProvider;
    yield checkUpstreams(config);
    yield* checkModels(config.CONFAM_FACE_MODELS);
  }
}

const SUBJECT_WIDTH = 22;
const STATES: Record<Finding['state'], string> = { ok: 'ok', note: 'note', broken: 'BROKEN' };

const show = ({ subject, state, says }: Finding): string => `${STATES[state].padEnd(6)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${says}`;
