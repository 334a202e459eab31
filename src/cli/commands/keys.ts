/**
 * `confam keys`. Without a kind, the commands are for the app in use and call the API. With one (`keys create live`, `keys list admin`) they are the operator's and work
 * on a deployment's database (`operator-keys.ts`), as do those for its encryption keys (`encryption-keys.ts`). Both files are loaded only when they are needed.
 */
import type { Command } from 'commander';
import type { Key, NewKey } from '../../client/keys.ts';
import type { KeyKind } from '../../foundation/crypto.ts';
import { connect, type ListOptions, listing, pageSize, type RemoteOptions, remote, seconds, take } from '../terminal/connection.ts';
import type { Output } from '../terminal/output.ts';
import { keyColumns } from '../terminal/tables.ts';
import { UsageError } from '../usage-error.ts';
import {
  ADMIN,
  confirmRevocation,
  type NewKeyOptions,
  newKeyOptions,
  type OperatorKeyOptions,
  type RevokeOptions,
  type RotateOptions,
  termsOf,
} from './key-flags.ts';
import { adminKeyId } from './operands.ts';

const operator = () => import('../operator-keys.ts');
const encryption = () => import('../encryption-keys.ts');

export function addKeysCommands(keys: Command): void {
  listing(keys.command('list').alias('ls'))
    .description('the keys of the app in use; with `admin` those of the operator, on the database of a deployment')
    .argument('[kind]', 'admin: for the operator, beside DATABASE_URL or CONFAM_DATA_DIR')
    .action(async (kind: string | undefined, options: ListOptions) => {
      if (kind === undefined) return listKeys(options);
      if (kind !== ADMIN) throw new UsageError('kind must be admin; without a kind the keys of the app are listed');
      refuseProfile(options);
      return (await operator()).listAdminKeys(options);
    });
  keys
    .command('generate')
    .description('print fresh values for CONFAM_KEYS and CONFAM_INDEX_KEY')
    .action(async () => (await encryption()).generateKeys());
  remote(
    keys
      .command('rotate')
      .argument('[id]', 'key_…, or admin')
      .argument('[admin-key]', 'key_…: the admin key, on the database of a deployment'),
  )
    .description('replace a key with a new one; the old one keeps working for a while. Without an id: rotate the encryption keys')
    .option('--overlap <seconds>', 'how long the old key keeps working (default: a day)', seconds)
    .action(async (id: string | undefined, adminKey: string | undefined, options: RotateOptions) => {
      if (id === ADMIN) {
        refuseProfile(options);
        const key = adminKeyId(adminKey);
        return (await operator()).rotateAdminKey(key, options);
      }
      refuseSecond(adminKey);
      if (id !== undefined) return rotateKey(id, options);
      if (options.overlap !== undefined) throw new UsageError('--overlap: only with the id of a key; encryption keys have no overlap');
      refuseProfile(options);
      return (await encryption()).rotateEncryptionKeys({ json: options.json });
    });
  remote(
    keys
      .command('revoke')
      .argument('<id>', 'key_…, or admin')
      .argument('[admin-key]', 'key_…: the admin key, on the database of a deployment'),
  )
    .description('end a key at once')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, adminKey: string | undefined, options: RevokeOptions) => {
      if (id === ADMIN) {
        refuseProfile(options);
        const key = adminKeyId(adminKey);
        return (await operator()).revokeAdminKey(key, options);
      }
      refuseSecond(adminKey);
      return revokeKey(id, options);
    });
  keys
    .command('index')
    .description('after a change of CONFAM_INDEX_KEY: carry stored hashes on to the current key, while the service runs')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await encryption()).renewIndexKeys(options));
  newKeyOptions(keys.command('create'))
    .description('create a key of the app in use; with a kind, on the database of a deployment')
    .argument('[kind]', 'live, test or admin: for the operator, beside DATABASE_URL or CONFAM_DATA_DIR')
    .option('--app <id>', 'the app (for live and test)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ confam keys create --name nightly --scopes verify,batches:write,results:read --daily-cap 50000\n  $ confam keys create live --app app_…       by the operator\n  $ confam keys create admin --name provisioning --addresses 203.0.113.0/24 --expires-at 2031-01-31',
    )
    .action(async (kind: string | undefined, options: OperatorKeyOptions) => {
      if (kind !== undefined) {
        refuseProfile(options);
        if (!isKind(kind)) throw new UsageError('kind must be live, test or admin');
        return (await operator()).makeKey(kind, options);
      }
      if (options.app !== undefined) throw new UsageError('--app: only with live or test; without a kind the key is of the app in use');
      return createKey(options);
    });
}

const isKind = (kind: string): kind is KeyKind => ['live', 'test', ADMIN].includes(kind);

function refuseProfile({ profile }: RemoteOptions): void {
  if (profile !== undefined) throw new UsageError('--profile: not for commands that work on the database of a deployment');
}

function refuseSecond(adminKey: string | undefined): void {
  if (adminKey !== undefined) throw new UsageError(`${adminKey}: only admin is followed by a second argument`);
}

async function listKeys(options: ListOptions): Promise<void> {
  const { client, out } = connect(options);
  const found = client.transport.items<Key>('api/v1/keys', { limit: pageSize(options) });
  out.list(await take(found, options.limit), keyColumns, 'There is no key.');
}

async function createKey(options: NewKeyOptions): Promise<void> {
  const { client, out } = connect(options);
  showNew(out, await client.keys.create(termsOf(options)));
}

/** Replaces a key of the app. */
async function rotateKey(id: string, { overlap, ...options }: RotateOptions): Promise<void> {
  const { client, out } = connect(options);
  showNew(out, await client.keys.rotate(id, overlap === undefined ? {} : { overlap_seconds: overlap }));
}

async function revokeKey(id: string, options: RevokeOptions): Promise<void> {
  const { client, out } = connect(options);
  await confirmRevocation(id, options);
  const revoked = await client.keys.revoke(id);
  out.answer(revoked, () => out.line(`${id} is revoked.`));
}

function showNew(out: Output, made: NewKey): void {
  out.answer(made, () => {
    out.facts([
      ['id', made.id],
      ['name', made.name],
      ['mode', made.mode],
      ['scopes', made.scopes?.join(', ') ?? 'all'],
      ['key', made.key],
    ]);
    out.note('The key is shown only now.');
  });
}
