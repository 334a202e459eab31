/** `confam keys`. Commands with a kind (`keys create live`, `keys list admin`) are the operator's and work on a deployment's database; the others are for the app in use (`commands/keys.ts`). */
import type { Command } from 'commander';
import { byOperator, record } from '../access/audit/append.ts';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { createKey, readKeys, revokeKey, rotateKey, UNRESTRICTED } from '../access/keys.ts';
import { checked } from '../api/http.ts';
import { showNew } from '../api/key-rules.ts';
import { adminKeyBody, type KeyTerms, keyBody, termsOf as readTerms, rotateBody, showKey } from '../contract/keys.ts';
import { ConfigError } from '../foundation/config.ts';
import { type Context, openKeys } from '../foundation/context.ts';
import { type KeyKind, newSecretKey } from '../foundation/crypto.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { renewIndexes } from '../lifecycle/rotation/reindex.ts';
import { rotateKeys } from '../lifecycle/rotation/rotate.ts';
import { appId } from './apps.ts';
import {
  confirmRevocation,
  type NewKeyOptions,
  newKeyOptions,
  type RevokeOptions,
  createKey as requestKey,
  listKeys as requestKeys,
  revokeKey as requestRevocation,
  rotateKey as requestRotation,
  termsOf,
} from './commands/keys.ts';
import { explain, withDatabase, withDeployed } from './database.ts';
import { type ListOptions, listing, type RemoteOptions, remote, seconds } from './terminal/connection.ts';
import { openOutput } from './terminal/output.ts';
import { adminKeyColumns } from './terminal/tables.ts';
import { UsageError } from './usage-error.ts';

const byCli = byOperator('cli');
/** The kind of key that operators use themselves. */
const ADMIN = 'admin';

type RotateOptions = RemoteOptions & { overlap?: number; json?: boolean };

export function addOperatorKeys(keys: Command): void {
  listing(keys.command('list').alias('ls'))
    .description('the keys of the app in use; with `admin` those of the operator, on the database of a deployment')
    .argument('[kind]', 'admin: for the operator, beside DATABASE_URL or CONFAM_DATA_DIR')
    .action((kind: string | undefined, options: ListOptions) => (kind === undefined ? requestKeys(options) : listAdminKeys(kind, options)));
  keys
    .command('generate')
    .description('print fresh values for CONFAM_KEYS and CONFAM_INDEX_KEY')
    .action(() => console.log(`CONFAM_KEYS=1:${newSecretKey()}\nCONFAM_INDEX_KEY=${newSecretKey()}`));
  remote(
    keys
      .command('rotate')
      .argument('[id]', 'key_…, or admin')
      .argument('[admin-key]', 'key_…: the admin key, on the database of a deployment'),
  )
    .description('replace a key with a new one; the old one keeps working for a while. Without an id: rotate the encryption keys')
    .option('--overlap <seconds>', 'how long the old key keeps working (default: a day)', seconds)
    .action((id: string | undefined, adminKey: string | undefined, options: RotateOptions) => {
      if (id === ADMIN) return rotateAdminKey(adminKey, options);
      refuseSecond(adminKey);
      if (id !== undefined) return requestRotation(id, options);
      if (options.overlap !== undefined) throw new UsageError('--overlap: only with the id of a key; encryption keys have no overlap');
      refuseProfile(options);
      return withDatabase((ctx) => rotateDeployment(ctx, options.json === true), { poolMax: 2 });
    });
  remote(
    keys
      .command('revoke')
      .argument('<id>', 'key_…, or admin')
      .argument('[admin-key]', 'key_…: the admin key, on the database of a deployment'),
  )
    .description('end a key at once')
    .option('-y, --yes', 'do not ask')
    .action((id: string, adminKey: string | undefined, options: RevokeOptions) => {
      if (id === ADMIN) return revokeAdminKey(adminKey, options);
      refuseSecond(adminKey);
      return requestRevocation(id, options);
    });
  keys
    .command('index')
    .description('after a change of CONFAM_INDEX_KEY: carry stored hashes on to the current key, while the service runs')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => withDatabase((ctx) => renewDeployment(ctx, options.json === true), { poolMax: 2 }));
  newKeyOptions(keys.command('create'))
    .description('create a key of the app in use; with a kind, on the database of a deployment')
    .argument('[kind]', 'live, test or admin: for the operator, beside DATABASE_URL or CONFAM_DATA_DIR')
    .option('--app <id>', 'the app (for live and test)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ confam keys create --name nightly --scopes verify,batches:write,results:read --daily-cap 50000\n  $ confam keys create live --app app_…       by the operator\n  $ confam keys create admin --name provisioning --addresses 203.0.113.0/24 --expires-at 2031-01-31',
    )
    .action((kind: KeyKind | undefined, options: OperatorKeyOptions) => {
      if (kind !== undefined) return makeKey(kind, options);
      if (options.app !== undefined) throw new UsageError('--app: only with live or test; without a kind the key is of the app in use');
      return requestKey(options);
    });
}

type OperatorKeyOptions = NewKeyOptions & { app?: string };

const makeKey = (kind: KeyKind, options: OperatorKeyOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    if (!['live', 'test', ADMIN].includes(kind)) throw new UsageError('kind must be live, test or admin');
    const app = kind === ADMIN ? null : appId(options.app);
    const terms = { ...UNRESTRICTED, ...wantedTerms(kind, options) };
    const made = await createKey(ctx, kind, app, terms, byCli);
    if (!made) throw new ConfigError('there is no such app');
    const { id, key, ...rest } = await showNew(ctx, made);
    console.log(JSON.stringify({ id, key, ...rest }));
  });

function wantedTerms(kind: KeyKind, options: OperatorKeyOptions): Partial<KeyTerms> {
  if (kind === ADMIN) refuseFlagsOfApps(options);
  return asTheApi(() =>
    readTerms(kind === ADMIN ? checked(adminKeyBody, termsOf(options)) : checked(keyBody, { mode: kind, ...termsOf(options) })),
  );
}

/** Refuses what the API refuses, with the same message. */
function asTheApi<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return explain(error);
  }
}

function refuseFlagsOfApps({ app, scopes, checks, dailyCap }: OperatorKeyOptions): void {
  const given = Object.entries({ '--app': app, '--scopes': scopes, '--checks': checks, '--daily-cap': dailyCap })
    .filter(([, value]) => value !== undefined)
    .map(([flag]) => flag);
  if (given.length > 0) throw new UsageError(`${given.join(', ')}: not for an admin key, which may do everything that an operator may`);
}

const listAdminKeys = (kind: string, { limit, ...options }: ListOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    if (kind !== ADMIN) throw new UsageError('kind must be admin; without a kind the keys of the app are listed');
    const keys = await readKeys(ctx, 'deployment', { before: null, limit });
    openOutput(options).list(keys.map(showKey), adminKeyColumns, 'There is no admin key.');
  });

function adminKeyId(text: string | undefined): string {
  const id = parseId('key', text ?? '');
  if (!id) throw new UsageError('expected the id of an admin key (key_…)');
  return id;
}

const rotateAdminKey = (text: string | undefined, { overlap, ...options }: RotateOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    const id = adminKeyId(text);
    const terms = overlap === undefined ? {} : { overlap_seconds: overlap };
    const { overlap_seconds } = asTheApi(() => checked(rotateBody, terms));
    const rotated = await rotateKey(ctx, { id, holder: 'deployment' }, overlap_seconds, () => {}, byCli);
    if (!rotated) throw new ConfigError('there is no such admin key, or it has expired, or was revoked or rotated');
    console.log(JSON.stringify(await showNew(ctx, rotated.made)));
  });

const revokeAdminKey = (text: string | undefined, options: RevokeOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    const id = adminKeyId(text);
    const shown = showId('key', id);
    await confirmRevocation(shown, options);
    if (!(await revokeKey(ctx, id, byCli, 'deployment'))) throw new ConfigError('there is no such admin key, or it was already revoked');
    const out = openOutput(options);
    out.answer({ id: shown, object: 'key', revoked: true }, () => out.line(`${shown} is revoked.`));
  });

function refuseProfile({ profile }: RemoteOptions): void {
  if (profile !== undefined) throw new UsageError('--profile: not for commands that work on the database of a deployment');
}

function refuseSecond(adminKey: string | undefined): void {
  if (adminKey !== undefined) throw new UsageError(`${adminKey}: only admin is followed by a second argument`);
}

/** Prints its progress to standard error, once a second. The exit code is 1 if something could not be decrypted. */
async function rotateDeployment(ctx: Context, asJson: boolean): Promise<void> {
  let shownAt = 0;
  const { wrapping } = openKeys(ctx.config);
  await recordBegin(ctx, 'encryption.rotate', { to: await wrapping.current() });
  const rotated = await rotateKeys(ctx, wrapping, ({ place, keys, keysOf, sealed }) => {
    if (performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    console.error(`${place}: ${keys} of ${keysOf} data keys, ${sealed} ciphertexts`);
  });
  const { keys, sealed, faults } = rotated;
  if (asJson) console.log(JSON.stringify(rotated));
  else console.log(`${keys} data keys are wrapped anew, ${sealed} ciphertexts are sealed by data keys.`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else if (!asJson) console.log('Nothing needs an older key any more: it can be removed from the settings of every process.');
}

/** Written before the work begins, because the work is many transactions and may be killed between them. */
const recordBegin = (ctx: Context, action: 'encryption.rotate' | 'encryption.index', detail: { to: string | number }): Promise<void> =>
  ctx.sql.begin((tx) => record(tx, byCli, { appId: DEPLOYMENT, live: null, action, object: null, detail }));

/** Prints its progress to standard error, once a second. The exit code is 1 if some hashes could not be renewed. */
async function renewDeployment(ctx: Context, asJson: boolean): Promise<void> {
  let shownAt = 0;
  await recordBegin(ctx, 'encryption.index', { to: ctx.cipher.currentKey });
  const done = await renewIndexes(ctx, new AbortController().signal, (place, renewed) => {
    if (performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    console.error(`${place}: ${renewed}`);
  });
  const { renewed, faults, older } = done;
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  if (asJson) {
    console.log(JSON.stringify(done));
    return;
  }
  const { currentKey } = ctx.cipher;
  const tables = Object.entries(renewed).map(([table, rows]) => `${rows} in ${table}`);
  console.log(
    tables.length === 0 ? `Everything is by index key ${currentKey} already.` : `By index key ${currentKey} now: ${tables.join(', ')}.`,
  );
  for (const { table, rows, until } of older)
    console.log(`${table}: ${rows} by an older key, which expire until ${until}; they are found.`);
  if (faults.length === 0 && currentKey > 1)
    console.log(
      'An older key can be removed from CONFAM_INDEX_KEY of every process: the database has a copy of it, wrapped like a data key.',
    );
}
