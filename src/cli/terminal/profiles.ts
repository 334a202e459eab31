/**
 * Where the service is and with which key it is called: profiles in a file that only its owner can read, variables of the environment, or the sandbox that
 * `confam start` has made in this folder.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from './exits.ts';

/** Variables that the commands of clients read; the service knows nothing of them. */
export const CLIENT_VARIABLES = ['CONFAM_URL', 'CONFAM_KEY', 'CONFAM_APP', 'CONFAM_PROFILE', 'CONFAM_CONFIG_DIR'];

const profile = z.object({ url: z.url(), app: z.string(), key: z.string() });
export type Profile = z.infer<typeof profile>;

const file = z.object({ current: z.string().nullable(), profiles: z.record(z.string(), profile) });
export type ProfileFile = z.infer<typeof file>;

export interface Chosen extends Profile {
  /** Where it comes from, for people. */
  from: string;
}

/** The system's place for settings of programs (XDG Base Directory; `%APPDATA%`). */
export function configFolder(environment = process.env): string {
  if (environment.CONFAM_CONFIG_DIR) return environment.CONFAM_CONFIG_DIR;
  if (process.platform === 'win32' && environment.APPDATA) return join(environment.APPDATA, 'confam');
  return join(environment.XDG_CONFIG_HOME || join(homedir(), '.config'), 'confam');
}

export const profilesPath = (): string => join(configFolder(), 'profiles.json');

export function readProfiles(): ProfileFile {
  const path = profilesPath();
  if (!existsSync(path)) return { current: null, profiles: {} };
  // Others could read the keys.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  const parsed = file.safeParse(readJson(path));
  if (!parsed.success) throw new CommandError('usage', `${path} is damaged.`, 'Remove it and run `confam login` again.');
  return parsed.data;
}

export function writeProfiles(profiles: ProfileFile): void {
  writeSecretFile(profilesPath(), profiles);
}

/** Whole or not at all, for its owner alone. */
export function writeSecretFile(path: string, content: object): void {
  mkdirSync(configFolder(), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    // A full disk does not say which file it was.
    throw Object.assign(error as Error, { path });
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

/**
 * `--profile` is taken as it is. Otherwise variables of the environment replace members of CONFAM_PROFILE's or the current profile, and of the sandbox in this
 * folder if there is no profile.
 */
export function chooseProfile(asked: string | undefined, environment = process.env): Chosen {
  const { current, profiles } = readProfiles();
  const named = (name: string): Chosen => {
    const known = profiles[name];
    if (!known) throw unknownProfile(name, Object.keys(profiles));
    return { ...known, from: `profile ${name}` };
  };
  if (asked !== undefined) return named(asked);
  const { CONFAM_URL: url, CONFAM_KEY: key, CONFAM_APP: app, CONFAM_PROFILE } = environment;
  const base = CONFAM_PROFILE
    ? named(CONFAM_PROFILE)
    : current !== null && profiles[current]
      ? named(current)
      : key
        ? null
        : sandboxHere(environment);
  // A key goes to its own service only, wherever CONFAM_URL points.
  if (base && url && !key && origin(url) !== origin(base.url))
    throw new CommandError(
      'denied',
      `CONFAM_URL is ${url}, but the key of ${base.from} belongs to ${base.url}.`,
      'Set CONFAM_KEY too, or choose a profile.',
    );
  const chosen = { url: url || base?.url || DEFAULT_URL, key: key || base?.key, app: app || base?.app };
  if (!chosen.key) throw notSignedIn();
  if (!chosen.app)
    throw new CommandError('denied', 'CONFAM_KEY is set, but not CONFAM_APP: the id of the app that the key belongs to (app_…).');
  origin(chosen.url);
  const set = CLIENT_VARIABLES.slice(0, 3).filter((name) => environment[name]);
  return { ...(chosen as Profile), from: [...(base ? [base.from] : []), ...set].join(', ') };
}

export function origin(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError('usage', `${url} is not an address such as https://confam.bank.example`);
  return new URL(url).origin;
}

function unknownProfile(name: string, known: string[]): CommandError {
  return new CommandError(
    'denied',
    `There is no profile ${name}.`,
    known.length > 0 ? `Known: ${known.join(', ')}` : '`confam login` makes one.',
  );
}

const notSignedIn = (): CommandError =>
  new CommandError(
    'denied',
    'No key is configured.',
    'Run `confam login`, or set CONFAM_URL, CONFAM_APP and CONFAM_KEY. In the folder of a running `confam start`, the sandbox is found automatically.',
  );

const sandbox = z.object({ base_url: z.url(), app_id: z.string(), test_key: z.string() });

/** The demo app of a `confam start` in this folder, with its test key. */
export function sandboxHere(environment = process.env): Chosen | null {
  const path = join(environment.CONFAM_DATA_DIR || '.data', 'sandbox.json');
  return existsSync(path) ? readSandbox(path) : null;
}

export function readSandbox(path: string): Chosen {
  if (!existsSync(path)) throw new CommandError('usage', `${path}: no such file.`, 'It is made by `confam start`, in its data folder.');
  const parsed = sandbox.safeParse(readJson(path));
  if (!parsed.success) throw new CommandError('usage', `${path} is not a file that \`confam start\` wrote.`);
  const { base_url: url, app_id: app, test_key: key } = parsed.data;
  return { url, app, key, from: path };
}

/** What may be shown of a key. */
export const keyHint = (key: string): string => `${key.slice(0, 12)}…`;

export const modeOf = (key: string): 'test' | 'live' | null =>
  key.startsWith('cf_test_') ? 'test' : key.startsWith('cf_live_') ? 'live' : null;
