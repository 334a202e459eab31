/** The configuration: settings as the environment, or files that it names, give them. Parsed once; an invalid value refuses the start. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Settings, settings } from './settings.ts';
import { messageOf, parseWith } from './validation.ts';

/** Secrets that may come from a file, as container platforms pass them: `CONFAM_KEYS_FILE=/run/secrets/confam_keys`. */
export const FROM_FILES = [
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'REDIS_URL',
  'CONFAM_KEYS',
  'CONFAM_INDEX_KEY',
  'CONFAM_ADMIN_KEY',
  'CONFAM_METRICS_TOKEN',
  'CONFAM_OIDC_CLIENT_SECRET',
  'CONFAM_HIBP_KEY',
  'CONFAM_TRANSIT_TOKEN',
] as const satisfies readonly (keyof Settings)[];

/** The names of all settings: `CONFAM_KEYS` also has `CONFAM_KEYS_FILE` and `CONFAM_KEYS_COMMAND`. */
export const settingNames = (): string[] => [...Object.keys(settings.shape), ...FROM_FILES.flatMap((setting) => namesOf(setting).slice(1))];
export const isSetting = (name: string): boolean => settingNames().includes(name);

const fileVariable = (name: string): string => `${name}_FILE`;
const commandVariable = (name: string): string => `${name}_COMMAND`;
/** The variables that may give a secret. */
export const namesOf = (secret: string): string[] => [secret, fileVariable(secret), commandVariable(secret)];

/** Time for a command that prints a secret. */
const COMMAND_MS = 15_000;

/** Settings plus what follows from them. */
export interface Config extends Settings {
  embedded: boolean;
}

export class ConfigError extends Error {}

/** TLS files in the address of a Postgres, as libpq calls them. */
export const TLS_FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;

/** The configuration in `environment`. Throws `ConfigError` naming every wrong variable. Empty variables count as unset. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = parseWith(settings, { ...set, ...readFiles(set) });
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${messageOf(issue)}`).join('\n'));
  }
  const config = parsed.data;
  if (config.CONFAM_EMAIL_SMTP && !(config.CONFAM_EMAIL_SMTP_HELO && config.CONFAM_EMAIL_SMTP_FROM))
    throw new ConfigError('CONFAM_EMAIL_SMTP: needs CONFAM_EMAIL_SMTP_HELO and CONFAM_EMAIL_SMTP_FROM');
  if (config.CONFAM_OIDC_ISSUER && !(config.CONFAM_OIDC_CLIENT_ID && config.CONFAM_OIDC_CLIENT_SECRET && config.CONFAM_PUBLIC_URL))
    throw new ConfigError('CONFAM_OIDC_ISSUER: needs CONFAM_OIDC_CLIENT_ID, CONFAM_OIDC_CLIENT_SECRET and CONFAM_PUBLIC_URL');
  if ((config.CONFAM_TLS_CERT === undefined) !== (config.CONFAM_TLS_KEY === undefined))
    throw new ConfigError('CONFAM_TLS_CERT and CONFAM_TLS_KEY: one needs the other');
  // Cookies, links and Strict-Transport-Security go by the address that clients use.
  if (config.CONFAM_TLS_CERT && !config.CONFAM_PUBLIC_URL?.startsWith('https:'))
    throw new ConfigError('CONFAM_TLS_CERT: needs a CONFAM_PUBLIC_URL that begins with https:');
  if (config.CONFAM_TRANSIT_URL && !config.CONFAM_TRANSIT_TOKEN) throw new ConfigError('CONFAM_TRANSIT_URL: needs CONFAM_TRANSIT_TOKEN');
  refuseFileAsDataFolder(config);
  refuseLooseFiles(config);
  if (config.CONFAM_REQUIRE_TLS) refusePlaintext(config);
  return { ...config, embedded: config.DATABASE_URL === undefined };
}

/** A folder that does not exist yet is created when it is needed. */
function refuseFileAsDataFolder({ CONFAM_DATA_DIR }: Settings): void {
  try {
    if (statSync(CONFAM_DATA_DIR).isDirectory()) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const leadsNowhere = code === 'ENOENT' && lstatSync(CONFAM_DATA_DIR, { throwIfNoEntry: false }) !== undefined;
    // ENOTDIR: one of the folders above it is a file.
    if (code !== 'ENOTDIR' && !leadsNowhere) return;
  }
  throw new ConfigError(`CONFAM_DATA_DIR: ${CONFAM_DATA_DIR} is not a folder`);
}

/** TLS files that would not be used. */
function refuseLooseFiles({
  DATABASE_URL,
  DATABASE_OWNER_URL,
  REDIS_URL,
  CONFAM_REDIS_CA,
  CONFAM_REDIS_CERT,
  CONFAM_REDIS_KEY,
}: Settings): void {
  for (const [name, address] of Object.entries({ DATABASE_URL, DATABASE_OWNER_URL })) {
    if (address === undefined) continue;
    const { searchParams } = new URL(address);
    const [named] = Object.values(TLS_FILES).filter((parameter) => searchParams.has(parameter));
    if (named && searchParams.get('sslmode') !== 'verify-full') throw new ConfigError(`${name}: ${named} needs sslmode=verify-full`);
    if (searchParams.has(TLS_FILES.cert) !== searchParams.has(TLS_FILES.key))
      throw new ConfigError(`${name}: sslcert and sslkey: one needs the other`);
  }
  const [named] = Object.entries({ CONFAM_REDIS_CA, CONFAM_REDIS_CERT, CONFAM_REDIS_KEY }).filter(([, path]) => path !== undefined);
  if (named && !REDIS_URL?.startsWith('rediss:')) throw new ConfigError(`${named[0]}: needs a REDIS_URL that begins with rediss://`);
  if ((CONFAM_REDIS_CERT === undefined) !== (CONFAM_REDIS_KEY === undefined))
    throw new ConfigError('CONFAM_REDIS_CERT and CONFAM_REDIS_KEY: one needs the other');
}

/** Neither is a fallback: postgres.js takes only `verify-full` to mean that the certificate is verified, and ioredis verifies it for `rediss:`. */
function refusePlaintext({ DATABASE_URL, DATABASE_OWNER_URL, REDIS_URL }: Settings): void {
  for (const [name, address] of Object.entries({ DATABASE_URL, DATABASE_OWNER_URL })) {
    if (address !== undefined && new URL(address).searchParams.get('sslmode') !== 'verify-full')
      throw new ConfigError(`${name}: CONFAM_REQUIRE_TLS needs sslmode=verify-full in it`);
  }
  if (REDIS_URL !== undefined && new URL(REDIS_URL).protocol !== 'rediss:')
    throw new ConfigError('REDIS_URL: CONFAM_REQUIRE_TLS needs an address that begins with rediss://');
}

function readFiles(set: Record<string, string | undefined>): Record<string, string> {
  const read = FROM_FILES.map((setting) => [setting, secretIn(set, setting)] as const);
  return Object.fromEntries(read.filter((entry): entry is readonly [(typeof FROM_FILES)[number], string] => entry[1] !== undefined));
}

/**
 * The secret in the variable `name`, in the file that `name_FILE` names, or printed by the command `name_COMMAND`, without the line's end. Undefined if none is
 * set. Throws `ConfigError` if more than one is, or if there is no secret; the message names the variable, never what was read.
 */
export function secretIn(environment: Record<string, string | undefined>, name: string): string | undefined {
  const variable = fileVariable(name);
  const file = environment[variable];
  const command = environment[commandVariable(name)];
  const [set, other] = namesOf(name).filter((one) => environment[one]);
  if (other) throw new ConfigError(`${other}: ${set} is set too; set one of them`);
  if (command) return printedBy(commandVariable(name), command);
  if (!file) return environment[name] || undefined;
  const text = readText(variable, file).trim();
  if (text === '') throw new ConfigError(`${variable}: the file is empty`);
  return text;
}

function printedBy(variable: string, command: string): string {
  const { status, stdout, error } = spawnSync('/bin/sh', ['-c', command], {
    encoding: 'utf8',
    timeout: COMMAND_MS,
    // Its message may quote a secret.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error || status !== 0) {
    const { code } = (error ?? {}) as NodeJS.ErrnoException;
    throw new ConfigError(
      `${variable}: the command ${code === 'ETIMEDOUT' ? `took longer than ${COMMAND_MS / 1000} s` : `failed (${code ?? `exit ${status}`})`}`,
    );
  }
  const text = stdout.trim();
  if (text === '') throw new ConfigError(`${variable}: the command printed nothing`);
  return text;
}

/** The file that a setting or an option names. Throws `ConfigError` that names the setting. */
export function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function readJson(setting: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${setting}: ${path} ${code ? `cannot be read (${code})` : 'is not JSON'}`);
  }
}

/** Throws `ConfigError` if a file is missing, or cannot be written, that is only used later, by the processes that need it. */
export function refuseAbsentFiles(config: Config, needs = { emailLists: true, breachedPasswords: true, erasureJournal: true }): void {
  if (needs.emailLists) refuseAbsent('CONFAM_EMAIL_LISTS', config.CONFAM_EMAIL_LISTS, 'folder');
  if (needs.breachedPasswords) refuseAbsent('CONFAM_BREACHED_PASSWORDS', config.CONFAM_BREACHED_PASSWORDS, 'file');
  if (needs.erasureJournal) refuseUnwritable('CONFAM_ERASURE_JOURNAL', config.CONFAM_ERASURE_JOURNAL);
}

function refuseAbsent(setting: string, path: string | undefined, kind: 'file' | 'folder'): void {
  if (path === undefined) return;
  let found: Stats;
  try {
    found = statSync(path);
  } catch (error) {
    throw new ConfigError(`${setting}: the ${kind} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (kind === 'folder' ? !found.isDirectory() : !found.isFile()) throw new ConfigError(`${setting}: ${path} is not a ${kind}`);
}

/** A file that does not exist yet needs a folder to be created in. */
function refuseUnwritable(setting: string, path: string | undefined): void {
  if (path === undefined) return;
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
    accessSync(found ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new ConfigError(`${setting}: the file cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  if (found && !found.isFile()) throw new ConfigError(`${setting}: ${path} is not a file`);
}
