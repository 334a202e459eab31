/** The configuration: settings as the environment, or files that it names, give them. Parsed once; an invalid value refuses the start. */
import { readFileSync } from 'node:fs';
import { type Settings, settings } from './settings.ts';

/** Settings that may come from a file, as container platforms hand over secrets: `CONFAM_KEYS_FILE=/run/secrets/confam_keys`. */
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
] as const satisfies readonly (keyof Settings)[];

/** `CONFAM_KEYS` and `CONFAM_KEYS_FILE` are both names of a setting. */
export const isSetting = (name: string): boolean => name in settings.shape || FROM_FILES.some((setting) => name === fileVariable(setting));

const fileVariable = (name: string): string => `${name}_FILE`;

/** Settings plus what follows from them. */
export interface Config extends Settings {
  embedded: boolean;
}

export class ConfigError extends Error {}

/** The configuration in `environment`. Throws `ConfigError` naming every wrong variable. Empty variables count as unset. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = settings.safeParse({ ...set, ...readFiles(set) });
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  const config = parsed.data;
  if (config.CONFAM_EMAIL_SMTP && !(config.CONFAM_EMAIL_SMTP_HELO && config.CONFAM_EMAIL_SMTP_FROM))
    throw new ConfigError('CONFAM_EMAIL_SMTP: needs CONFAM_EMAIL_SMTP_HELO and CONFAM_EMAIL_SMTP_FROM');
  if (config.CONFAM_OIDC_ISSUER && !(config.CONFAM_OIDC_CLIENT_ID && config.CONFAM_OIDC_CLIENT_SECRET && config.CONFAM_PUBLIC_URL))
    throw new ConfigError('CONFAM_OIDC_ISSUER: needs CONFAM_OIDC_CLIENT_ID, CONFAM_OIDC_CLIENT_SECRET and CONFAM_PUBLIC_URL');
  return { ...config, embedded: config.DATABASE_URL === undefined };
}

function readFiles(set: Record<string, string | undefined>): Record<string, string> {
  const read = FROM_FILES.map((setting) => [setting, secretIn(set, setting)] as const);
  return Object.fromEntries(read.filter((entry): entry is readonly [(typeof FROM_FILES)[number], string] => entry[1] !== undefined));
}

/**
 * The secret in the variable `name`, or in the file that `name_FILE` names, without the line's end that editors add. Undefined if neither is set. Throws
 * `ConfigError` if both are, or if the file has none; the message names the variable, never what is in the file.
 */
export function secretIn(environment: Record<string, string | undefined>, name: string): string | undefined {
  const variable = fileVariable(name);
  const file = environment[variable];
  if (!file) return environment[name] || undefined;
  if (environment[name]) throw new ConfigError(`${variable}: ${name} is set too; set one of them`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${variable}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text === '') throw new ConfigError(`${variable}: the file is empty`);
  return text;
}
