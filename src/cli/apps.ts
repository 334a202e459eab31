/** `confam apps …` and the operator's part of `confam keys`: they work on the database of a deployment. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { z } from 'zod';
import { createApp, setSuspended } from '../access/apps.ts';
import { byOperator, record } from '../access/audit/append.ts';
import { createKey, readKeys, UNRESTRICTED } from '../access/keys.ts';
import { appFile } from '../api/app-file.ts';
import { checked } from '../api/http.ts';
import { showNew } from '../api/key-rules.ts';
import { askAboutApp, topUpOf } from '../approvals/approvals.ts';
import { WORK_CHANNEL } from '../batches/batch.ts';
import { kobo } from '../contract/fields.ts';
import { adminKeyBody, type KeyTerms, keyBody, termsOf as readTerms, showKey } from '../contract/keys.ts';
import { topUpBody } from '../contract/money.ts';
import { ConfigError } from '../foundation/config.ts';
import { type Context, openKeys } from '../foundation/context.ts';
import { type KeyKind, newSecretKey } from '../foundation/crypto.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { type DeletionTerms, deleteApp, deletionToApprove, readDeletion } from '../lifecycle/app-deletion.ts';
import { renewIndexes } from '../lifecycle/rotation/reindex.ts';
import { rotateKeys } from '../lifecycle/rotation/rotate.ts';
import { topUp } from '../money/ledger.ts';
import { listKeys, type NewKeyOptions, newKeyOptions, createKey as requestKey, rotateKey, termsOf } from './commands/keys.ts';
import { explain, withDatabase, withDeployed } from './database.ts';
import { type ListOptions, listing, type RemoteOptions, remote, wholeNumber } from './terminal/connection.ts';
import { openOutput } from './terminal/output.ts';
import { adminKeyColumns } from './terminal/tables.ts';

const byCli = byOperator('cli');

export function addAppsCommands(apps: Command): void {
  apps
    .command('create')
    .description('make an app; prints its id and the secret of its webhooks')
    .argument('<name>')
    .action((name: string) =>
      withDeployed(async (ctx) => {
        const app = await createApp(ctx, name, {}, byCli);
        console.log(JSON.stringify({ id: showId('app', app.id), webhook_secret: app.webhookSecret }));
      }),
    );
  apps
    .command('topup')
    .description('record a payment; with CONFAM_APPROVALS=top_up it waits for a second administrator')
    .argument('<app>', 'app_…')
    .argument('<naira>', 'amount')
    .option('--test', 'play money')
    .action((app: string, naira: string, options: { test?: boolean }) =>
      withDeployed(async (ctx) => {
        const parsed = topUpBody.safeParse({ amount: Number(naira), mode: options.test ? 'test' : 'live', note: 'cli' });
        if (!parsed.success) throw new ConfigError('the amount must be a positive number of naira');
        const made = await topUpOrAsk(ctx, appId(app), parsed.data);
        if (!made) throw new ConfigError('there is no such app');
        console.log(JSON.stringify(made));
      }),
    );
  addOffboarding(apps);
}

/** An app that leaves: suspend, export, delete. docs/privacy.md gives the order. */
function addOffboarding(apps: Command): void {
  for (const [name, isSuspended, description] of [
    ['suspend', true, 'refuse the requests of an app, and stop its work and webhooks'],
    ['resume', false, 'let a suspended app go on'],
  ] as const)
    apps
      .command(name)
      .description(description)
      .argument('<app>', 'app_…')
      .action((app: string) =>
        withDeployed(async (ctx) => {
          if (!(await setSuspended(ctx, appId(app), isSuspended, byCli))) throw new ConfigError('there is no such app');
          if (!isSuspended) await ctx.sql.notify(WORK_CHANNEL, '');
        }),
      );
  apps
    .command('export')
    .description('write everything that a suspended app holds, in clear, as JSON Lines')
    .argument('<app>', 'app_…')
    .argument('<file>', 'the file to write, which must not exist')
    .action((app: string, path: string) => withDeployed((ctx) => exportTo(ctx, appId(app), path)));
  apps
    .command('delete')
    .description('delete a suspended app with all its data; with CONFAM_APPROVALS=app_deletion it waits for a second administrator')
    .argument('<app>', 'app_…')
    .option('--refunded', 'what the live wallet had was paid back')
    .option('--written-off', 'what the live wallet had is written off')
    .option('--cancel-work', 'cancel batches and jobs that have not ended')
    .option('--yes', 'do it')
    .action((app: string, options: { refunded?: boolean; writtenOff?: boolean; cancelWork?: boolean; yes?: boolean }) =>
      withDeployed(async (ctx) => {
        const { refunded, writtenOff, cancelWork = false, yes } = options;
        if (refunded && writtenOff) throw new ConfigError('give either --refunded or --written-off');
        if (!yes) throw new ConfigError('nothing was deleted: this cannot be undone, so add --yes');
        const balance = refunded ? 'refunded' : writtenOff ? 'written_off' : null;
        const said = await deleteOrAsk(ctx, appId(app), { balance, cancelWork }).catch(explain);
        if (said === null) throw new ConfigError('there is no such app');
        console.log(said);
      }),
    );
  apps
    .command('certificate')
    .description('print the signed certificate of the deletion of an app')
    .argument('<app>', 'app_…')
    .action((app: string) =>
      withDeployed(async (ctx) => {
        const row = await readDeletion(ctx, appId(app));
        if (!row) throw new ConfigError('there is no such app, or nobody has deleted it');
        if (row.certificate === null) throw new ConfigError(`the deletion is not done yet: ${row.stage}`);
        console.log(JSON.stringify({ receipt: row.certificate, signature: row.signature }));
      }),
    );
}

/** The export is in the audit before the first byte is written, and a part of the file never looks like the whole. */
async function exportTo(ctx: Context, id: string, path: string): Promise<void> {
  const content = await appFile(ctx, id).catch(explain);
  if (!content) throw new ConfigError('there is no such app');
  await ctx.sql.begin((tx) => record(tx, byCli, { appId: id, live: null, action: 'app.export', object: showId('app', id) }));
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(content, out).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new ConfigError(`${path} already exists`) : error;
  });
  console.log(`Written to ${path}. It has personal data in clear.`);
}

/** Where top-ups need a second administrator, it asks for one. Null if there is no such app. */
async function topUpOrAsk(ctx: Context, appId: string, body: z.infer<typeof topUpBody>): Promise<object | null> {
  if (ctx.config.CONFAM_APPROVALS.includes('top_up')) {
    const approval = await ctx.sql.begin((tx) => askAboutApp(ctx, tx, byCli, topUpOf(appId, body)));
    return approval && { approval: showId('apr', approval.id), status: approval.status };
  }
  const { amount, mode, note = null } = body;
  const wallet = await topUp(ctx.sql, { appId, live: mode === 'live' }, kobo(amount), note, { by: byCli });
  return wallet && { available: wallet.availableKobo / 100 };
}

/** Where deletions need a second administrator, it asks for one. Returns the message to print; null if there is no such app. */
async function deleteOrAsk(ctx: Context, id: string, terms: DeletionTerms): Promise<string | null> {
  if (ctx.config.CONFAM_APPROVALS.includes('app_deletion') && !(await readDeletion(ctx, id))) {
    const asked = await deletionToApprove(ctx, id, terms);
    const approval = asked && (await ctx.sql.begin((tx) => askAboutApp(ctx, tx, byCli, asked)));
    return approval && `Nothing is deleted yet: ${showId('apr', approval.id)} waits for a second administrator.`;
  }
  const row = await deleteApp(ctx, id, terms, byCli);
  return (
    row &&
    'None of it can be read any more. The dispatcher is deleting its rows; `confam apps certificate` prints the certificate when that is done.'
  );
}

/** Shows progress on standard error, a line a second. Ends with 1 if something could not be opened. */
async function rotateDeployment(ctx: Context, asJson: boolean): Promise<void> {
  let shownAt = 0;
  const rotated = await rotateKeys(ctx, openKeys(ctx.config).wrapping, ({ place, keys, keysOf, sealed }) => {
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

/** Shows progress on standard error, a line a second. Ends with 1 if something could not be carried on. */
async function renewDeployment(ctx: Context, asJson: boolean): Promise<void> {
  let shownAt = 0;
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

export function addOperatorKeys(keys: Command): void {
  listing(keys.command('list').alias('ls'))
    .description('the keys of the app in use; with `admin` those of the operator, on the database of a deployment')
    .argument('[kind]', 'admin: for the operator, beside DATABASE_URL')
    .action((kind: string | undefined, options: ListOptions) => (kind === undefined ? listKeys(options) : listAdminKeys(kind, options)));
  keys
    .command('generate')
    .description('print fresh values for CONFAM_KEYS and CONFAM_INDEX_KEY')
    .action(() => console.log(`CONFAM_KEYS=1:${newSecretKey()}\nCONFAM_INDEX_KEY=${newSecretKey()}`));
  remote(keys.command('rotate').argument('[id]', 'key_…'))
    .description('replace a key with a new one; the old one keeps working for a while. Without a key: rotate the keys of the deployment')
    .option('--overlap <seconds>', 'how long (default: a day)', wholeNumber)
    .action((id: string | undefined, options: RemoteOptions & { overlap?: number; json?: boolean }) =>
      id === undefined ? withDatabase((ctx) => rotateDeployment(ctx, options.json === true), { poolMax: 2 }) : rotateKey(id, options),
    );
  keys
    .command('index')
    .description('after a change of CONFAM_INDEX_KEY: carry stored hashes on to the current key, while the service runs')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => withDatabase((ctx) => renewDeployment(ctx, options.json === true), { poolMax: 2 }));
  newKeyOptions(keys.command('create'))
    .description('create a key of the app in use; with a kind, on the database of a deployment')
    .argument('[kind]', 'live, test or admin: for the operator, beside DATABASE_URL')
    .option('--app <id>', 'the app (for live and test)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ confam keys create --name nightly --scopes verify,batches:write,results:read --daily-cap 50000\n  $ confam keys create live --app app_…       by the operator\n  $ confam keys create admin --name provisioning --addresses 203.0.113.0/24 --expires-at 2031-01-31',
    )
    .action((kind: KeyKind | undefined, options: OperatorKeyOptions) =>
      kind === undefined ? requestKey(options) : makeKey(kind, options),
    );
}

type OperatorKeyOptions = NewKeyOptions & { app?: string };

const makeKey = (kind: KeyKind, options: OperatorKeyOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    if (!['live', 'test', 'admin'].includes(kind)) throw new ConfigError('kind must be live, test or admin');
    const app = kind === 'admin' ? null : appId(options.app);
    const terms = { ...UNRESTRICTED, ...wantedTerms(kind, options) };
    const made = await createKey(ctx, kind, app, terms, byCli);
    if (!made) throw new ConfigError('there is no such app');
    const { id, key, ...rest } = await showNew(ctx, made);
    console.log(JSON.stringify({ id, key, ...rest }));
  });

/** By the rules of the API. */
function wantedTerms(kind: KeyKind, options: OperatorKeyOptions): Partial<KeyTerms> {
  if (kind === 'admin') refuseFlagsOfApps(options);
  try {
    return readTerms(kind === 'admin' ? checked(adminKeyBody, termsOf(options)) : checked(keyBody, { mode: kind, ...termsOf(options) }));
  } catch (error) {
    return explain(error);
  }
}

function refuseFlagsOfApps({ app, scopes, checks, dailyCap }: OperatorKeyOptions): void {
  const given = Object.entries({ '--app': app, '--scopes': scopes, '--checks': checks, '--daily-cap': dailyCap })
    .filter(([, value]) => value !== undefined)
    .map(([flag]) => flag);
  if (given.length > 0) throw new ConfigError(`${given.join(', ')}: not for an admin key, which may do everything that an operator may`);
}

const listAdminKeys = (kind: string, { limit, ...options }: ListOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    if (kind !== 'admin') throw new ConfigError('kind must be admin; without a kind the keys of the app are listed');
    const keys = await readKeys(ctx, 'deployment', { before: null, limit });
    openOutput(options).list(keys.map(showKey), adminKeyColumns, 'There is no admin key.');
  });

function appId(text: string | undefined): string {
  const id = parseId('app', text ?? '');
  if (!id) throw new ConfigError('expected an app id (app_…)');
  return id;
}
