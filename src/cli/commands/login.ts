/** `confam login`, `logout`, `whoami`: which service is called, and with which key. A key is typed without echo or piped in; it is never an argument. */
import type { Command } from 'commander';
import { openClient } from '../../client/client.ts';
import { Refused } from '../../client/errors.ts';
import { connect, type RemoteOptions, remote } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { openOutput } from '../terminal/output.ts';
import {
  keyHint,
  modeOf,
  origin,
  type Profile,
  profilesPath,
  readProfiles,
  readSandbox,
  sandboxHere,
  writeProfiles,
} from '../terminal/profiles.ts';
import { ask, askHidden, isAttended, readInput } from '../terminal/prompt.ts';
import { naira } from '../terminal/text.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
const KEY_BYTES_MAX = 1000;
/** Whether a person is waiting at a terminal. */
const TIMEOUT_MS = 20_000;

interface LoginOptions {
  url?: string;
  app?: string;
  profile?: string;
  withKey?: boolean;
  sandbox?: string | true;
}

export function addLogin(command: Command): void {
  command
    .showHelpAfterError('(Do not pass a key as an argument: pipe it in, --with-key < key.txt. --help shows the flags and examples)')
    .option('--url <address>', 'where the service is')
    .option('--app <id>', 'the app that the key belongs to (app_…)')
    .option('--profile <name>', 'name under which this is kept')
    .option('--with-key', 'read the key from standard input')
    .option('--sandbox [file]', 'the demo app of a `confam start` on this machine (default: .data/sandbox.json)')
    .addHelpText(
      'after',
      `
Examples:
  $ confam login                                    asks for address, app and key
  $ confam login --sandbox                          the demo app of \`confam start\`, with play money
  $ confam login --profile live --url https://confam.bank.example --app app_… --with-key < key.txt

The key is kept in a file that only you can read. CONFAM_URL, CONFAM_APP and CONFAM_KEY replace it, CONFAM_PROFILE chooses another.`,
    )
    .action(async (options: LoginOptions) => {
      const out = openOutput({});
      const profile = options.sandbox ? sandboxProfile(options.sandbox) : await askProfile(options);
      const name = options.profile ?? (options.sandbox ? 'sandbox' : 'default');
      await refuseWrongKey(profile);
      const known = readProfiles();
      writeProfiles({ current: name, profiles: { ...known.profiles, [name]: profile } });
      out.line(`${out.paint('good', 'Signed in')} to ${profile.url} as ${profile.app} with a ${modeOf(profile.key)} key.`);
      out.line(out.paint('soft', `Profile ${name} in ${profilesPath()}`));
      const { protocol, hostname } = new URL(profile.url);
      if (protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname))
        out.note('The address is http: the key travels in the clear.');
    });
}

function sandboxProfile(file: string | true): Profile {
  const { url, app, key } = file === true ? (sandboxHere() ?? readSandbox('.data/sandbox.json')) : readSandbox(file);
  return { url, app, key };
}

async function askProfile({ url, app, withKey }: LoginOptions): Promise<Profile> {
  if (!withKey && !isAttended())
    throw new CommandError(
      'usage',
      'There is no terminal to ask for the key in.',
      'Use --with-key and pipe the key in, with --url and --app; or set CONFAM_KEY instead of signing in.',
    );
  const missing = [...(url ? [] : ['--url']), ...(app ? [] : ['--app'])];
  if (withKey && missing.length > 0) throw new CommandError('usage', `--with-key needs ${missing.join(' and ')} too.`);
  const address = url ?? (await ask('Address of the service', DEFAULT_URL));
  origin(address);
  const appId = app ?? (await ask('App (app_…)'));
  // The input is not echoed: it may be the key.
  if (!appId.startsWith('app_')) throw new CommandError('usage', 'That is not the id of an app: such ids begin with app_.');
  const key = withKey ? await readInput(KEY_BYTES_MAX) : await askHidden('Key (cf_test_… or cf_live_…)');
  if (modeOf(key) === null) throw new CommandError('usage', 'That is not the key of an app: such keys begin with cf_test_ or cf_live_.');
  return { url: address, app: appId, key };
}

/** A `forbidden` answer also proves that the key is right: it exists, but may not read the wallet. */
async function refuseWrongKey({ url, app, key }: Profile): Promise<{ available: number | null }> {
  const client = openClient({ baseUrl: url, caller: () => ({ key, app }), timeoutMs: TIMEOUT_MS });
  try {
    return { available: (await client.money.wallet()).available };
  } catch (error) {
    if (error instanceof Refused && error.code === 'forbidden') return { available: null };
    if (error instanceof Refused && error.requestId === null)
      throw new CommandError('usage', `${url} answers, but it is not Confam (${error.status}).`, 'Is the address right?');
    throw error;
  }
}

export function addLogout(command: Command): void {
  command
    .option('--profile <name>', 'default: the current one')
    .description('forget a key; the key itself stays valid (`confam keys revoke`)')
    .action((options: { profile?: string }) => {
      const { current, profiles } = readProfiles();
      const name = options.profile ?? current;
      if (name === null || !profiles[name])
        throw new CommandError('usage', name === null ? 'You are not signed in.' : `There is no profile ${name}.`);
      const { [name]: _, ...rest } = profiles;
      writeProfiles({ current: current === name ? (Object.keys(rest)[0] ?? null) : current, profiles: rest });
      openOutput({}).line(`Forgot profile ${name}. Its key stays valid: \`confam keys revoke\` ends it.`);
    });
}

export function addWhoami(command: Command): void {
  remote(command).action(async (options: RemoteOptions) => {
    const { chosen, out } = connect(options);
    const { available } = await refuseWrongKey(chosen);
    const { url, app, key, from } = chosen;
    const profile = { url, app, mode: modeOf(key), key: keyHint(key), from, available };
    out.answer(profile, () =>
      out.facts([
        ['service', url],
        ['app', app],
        ['mode', profile.mode],
        ['key', profile.key],
        ['from', from],
        ['available', available === null ? null : naira(available)],
      ]),
    );
  });
}
