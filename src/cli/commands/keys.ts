/** `confam keys list|create|rotate|revoke` for the keys of the app in use, over the API. The operator's part is in `operator-keys.ts`. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Key, KeyTerms, NewKey, Scope } from '../../client/keys.ts';
import { connect, type ListOptions, listed, pageSize, type RemoteOptions, remote, take } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import type { Output } from '../terminal/output.ts';
import { confirm, isAttended } from '../terminal/prompt.ts';
import { keyColumns } from '../terminal/tables.ts';

export interface NewKeyOptions extends RemoteOptions {
  name?: string;
  scopes?: string[];
  checks?: string[];
  addresses?: string[];
  expiresAt?: string;
  dailyCap?: number;
}

/** The flags of a new key of the app. */
export const newKeyOptions = (command: Command): Command =>
  remote(command)
    .option('--name <text>', 'for people')
    .option('--scopes <list>', 'what it may do, such as verify,batches:write (default: as the key in use)', listed)
    .option('--checks <list>', 'checks that it may run', listed)
    .option('--addresses <list>', 'networks that it may be used from', listed)
    .option('--expires-at <time>', 'ISO 8601')
    .option('--daily-cap <naira>', 'the most that it may spend a day', amount);

/** Refuses `₦5,000`, which would otherwise parse as no number and set no cap. */
function amount(text: string): number {
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(text)) throw new InvalidArgumentError('Expected an amount in naira, such as 5000 or 99.50.');
  return Number(text);
}

/** What the flags ask for, as the API takes it. */
export const termsOf = ({ name, scopes, checks, addresses, expiresAt, dailyCap }: NewKeyOptions): KeyTerms => ({
  ...(name !== undefined && { name }),
  ...(scopes && { scopes: scopes as Scope[] }),
  ...(checks && { checks }),
  ...(addresses && { addresses }),
  ...(expiresAt !== undefined && { expires_at: expiresAt }),
  ...(dailyCap !== undefined && { daily_cap: dailyCap }),
});

export async function listKeys(options: ListOptions): Promise<void> {
  const { client, out } = connect(options);
  const found = client.transport.items<Key>('api/v1/keys', { limit: pageSize(options) });
  out.list(await take(found, options.limit), keyColumns, 'There is no key.');
}

export async function createKey(options: NewKeyOptions): Promise<void> {
  const { client, out } = connect(options);
  showNew(out, await client.keys.create(termsOf(options)));
}

/** Replaces a key of the app. */
export async function rotateKey(id: string, { overlap, ...options }: RemoteOptions & { overlap?: number }): Promise<void> {
  const { client, out } = connect(options);
  showNew(out, await client.keys.rotate(id, overlap === undefined ? {} : { overlap_seconds: overlap }));
}

export type RevokeOptions = RemoteOptions & { yes?: boolean };

/** Asks somebody who is there, unless `--yes` was given. */
export async function confirmRevocation(id: string, { yes }: RevokeOptions): Promise<void> {
  if (!yes && isAttended() && !(await confirm(`Revoke ${id}? Whoever uses it is refused at once.`)))
    throw new CommandError('declined', 'Nothing was changed.');
}

export async function revokeKey(id: string, options: RevokeOptions): Promise<void> {
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
