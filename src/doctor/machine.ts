/** Checks this process and machine: Node, settings, keys, the data folder. */
import { accessSync, constants, existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Config, ConfigError, isSetting, readConfig, refuseAbsentFiles } from '../foundation/config.ts';
import { readKeys } from '../foundation/context.ts';
import { openDeploymentKeys } from '../foundation/crypto.ts';
import { parseIndexKeys } from '../foundation/index-keys.ts';
import { packageRoot } from '../foundation/package-root.ts';
import { DAY_MS } from '../foundation/time.ts';
import { readCertificate } from '../net/certificate.ts';
import { about, codeOf, type Finding } from './finding.ts';
import { likelySetting } from './mistyped-settings.ts';

type Environment = Record<string, string | undefined>;

export function checkNode(version: string): Finding {
  const node = about('node');
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { engines: { node: string } };
  const needed = engines.node.replace('>=', '');
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const [neededMajor, neededMinor] = needed.split('.').map(Number) as [number, number];
  const isEnough = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  return isEnough ? node.ok(version) : node.broken(`${version}; ${needed} or newer is needed`);
}

/**
 * Reports names of variables, never their values. `config` is null if a variable is wrong; the checks that need it are then skipped. `others`: variables that
 * do not belong to the service and are not a mistake.
 */
export function checkConfiguration(environment: Environment, others: readonly string[] = []): { finding: Finding; config: Config | null } {
  const configuration = about('configuration');
  const named = Object.keys(environment).filter((name) => environment[name] && (isSetting(name) || name.startsWith('CONFAM_')));
  const unknown = named.filter((name) => !isSetting(name) && !others.includes(name));
  const known = named.filter(isSetting).sort();
  try {
    const config = readConfig(environment);
    refuseAbsentFiles(config);
    const set = known.length === 0 ? 'every variable has its default' : `set: ${known.join(', ')}`;
    if (unknown.length === 0) return { config, finding: configuration.ok(set) };
    return { config, finding: configuration.note(`${set}; not variables of Confam: ${unknown.sort().map(withGuess).join(', ')}`) };
  } catch (error) {
    return { config: null, finding: configuration.broken((error as Error).message.replaceAll('\n', '; ')) };
  }
}

function withGuess(name: string): string {
  const setting = likelySetting(name);
  return setting === null ? name : `${name} (did you mean ${setting}?)`;
}

export function checkKeys(config: Config): Finding {
  const keys = about('keys');
  const isGiven = areKeysGiven(config);
  const path = join(config.CONFAM_DATA_DIR, 'keys.json');
  const hasKeys = existsSync(path);
  if (usesKeysFile(config) && !hasKeys && !existsSync(join(config.CONFAM_DATA_DIR, 'postgres.json')))
    return keys.ok('none yet; the first start generates them');
  const wasOpen = usesKeysFile(config) && hasKeys && modeOf(path) & 0o077;
  try {
    // Also restores the mode of the file.
    const { keys: encryption, indexKey } = readKeys(config);
    if (encryption !== null) openDeploymentKeys(encryption);
    parseIndexKeys(indexKey);
    if (wasOpen) return keys.note(`${path} was readable by other users; its mode is restored: treat the keys as read`);
    return keys.ok(isGiven ? 'from the environment' : `from ${path}`);
  } catch (error) {
    return keys.broken((error as Error).message);
  }
}

const areKeysGiven = (config: Config): boolean => Boolean(config.CONFAM_KEYS && config.CONFAM_INDEX_KEY);

const usesKeysFile = (config: Config): boolean => config.embedded && !areKeysGiven(config);

/** Certificates are normally renewed earlier than this, so one that is this close to expiry was probably not renewed. */
const CERTIFICATE_DAYS_MIN = 14;

/** Null if no certificate is configured. */
export function checkCertificate(config: Config, now = Date.now()): Finding | null {
  const certificate = about('certificate');
  try {
    const read = readCertificate(config);
    if (read === null) return null;
    const hostname = new URL(config.CONFAM_PUBLIC_URL!).hostname.replace(/^\[|\]$/g, '');
    const until = read.endsAt.toISOString().slice(0, 10);
    if (read.endsAt.getTime() <= now) return certificate.broken(`expired on ${until}; renew it: ${config.CONFAM_TLS_CERT}`);
    if (modeOf(config.CONFAM_TLS_KEY!) & 0o007)
      return certificate.broken(`its key is readable by other users; run chmod o= ${config.CONFAM_TLS_KEY}`);
    if (!read.covers(hostname)) return certificate.note(`valid until ${until}, but not for ${hostname}, the host of CONFAM_PUBLIC_URL`);
    if (read.endsAt.getTime() < now + CERTIFICATE_DAYS_MIN * DAY_MS) return certificate.note(`expires on ${until}; renew it`);
    const says = `for ${hostname}, valid until ${until}`;
    return read.isPublic()
      ? certificate.ok(says)
      : certificate.note(`${says}; not issued by a public authority, so clients must trust its issuer explicitly`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return certificate.broken(error.message);
  }
}

/** Null with the embedded database, which always has a journal. That the file can be written is part of the configuration. */
export function checkErasureJournal({ embedded, CONFAM_ERASURE_JOURNAL }: Config): Finding | null {
  if (embedded) return null;
  const journal = about('erasure journal');
  return CONFAM_ERASURE_JOURNAL
    ? journal.ok(CONFAM_ERASURE_JOURNAL)
    : journal.note('CONFAM_ERASURE_JOURNAL is not set: a restored backup would bring erased people back (docs/privacy.md)');
}

/** Anyone who can read these can read the data. */
const SECRET_FILES = ['keys.json', 'postgres.json', 'sandbox.json'];
const FREE_MB_MIN = 1024;

export function checkDataFolder(config: Config): Finding {
  const data = about('data folder');
  const path = resolve(config.CONFAM_DATA_DIR);
  if (!existsSync(path)) {
    let above = dirname(path);
    while (!existsSync(above)) above = dirname(above);
    return mayWrite(above)
      ? data.ok(`${path} will be created when needed`)
      : data.broken(`${path} cannot be created: no permission for ${above}`);
  }
  try {
    const probe = join(path, `.doctor-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    return data.broken(`${path} is not writable (${codeOf(error)})`);
  }
  if (modeOf(path) & 0o022) return data.broken(`${path} is writable by other users; run chmod go-w ${path}`);
  // `checkKeys` restores the mode of the keys that it reads.
  const files = SECRET_FILES.filter((file) => file !== 'keys.json' || !usesKeysFile(config));
  const open = files.map((file) => join(path, file)).filter((file) => existsSync(file) && (modeOf(file) & 0o077) !== 0);
  if (open.length > 0) return data.broken(`readable by other users: ${open.join(', ')}; run chmod 600`);
  const { bavail, bsize } = statfsSync(path);
  const freeMb = Math.floor((bavail * bsize) / 2 ** 20);
  if (freeMb < FREE_MB_MIN) return data.note(`${path}: only ${freeMb} MB free`);
  return data.ok(`${path} is writable; ${Math.floor(freeMb / 1024)} GB free`);
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Windows has other means, and its modes say nothing. */
const modeOf = (path: string): number => (process.platform === 'win32' ? 0 : statSync(path).mode);
