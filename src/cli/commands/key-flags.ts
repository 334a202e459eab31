/** The flags of `confam keys`, and what its two halves share: keys of the app in use and the operator's. */
import { type Command, InvalidArgumentError } from 'commander';
import type { KeyTerms, Scope } from '../../client/keys.ts';
import { listed, type RemoteOptions, remote } from '../terminal/connection.ts';
import { CommandError } from '../terminal/exits.ts';
import { confirm, isAttended } from '../terminal/prompt.ts';

/** The kind of key that operators use themselves. */
export const ADMIN = 'admin';

export interface NewKeyOptions extends RemoteOptions {
  name?: string;
  scopes?: string[];
  checks?: string[];
  addresses?: string[];
  expiresAt?: string;
  dailyCap?: number;
}

export type OperatorKeyOptions = NewKeyOptions & { app?: string };
export type RotateOptions = RemoteOptions & { overlap?: number };
export type RevokeOptions = RemoteOptions & { yes?: boolean };

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

/** Asks somebody who is there, unless `--yes` was given. */
export async function confirmRevocation(id: string, { yes }: RevokeOptions): Promise<void> {
  if (!yes && isAttended() && !(await confirm(`Revoke ${id}? Whoever uses it is refused at once.`)))
    throw new CommandError('declined', 'Nothing was changed.');
}
