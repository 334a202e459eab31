/** Keys that the operator makes, lists, rotates and revokes on a deployment's database, for `commands/keys.ts`. */
import { byOperator } from '../access/audit/append.ts';
import { createKey, readKeys, revokeKey, rotateKey, UNRESTRICTED } from '../access/keys.ts';
import { checked } from '../api/http.ts';
import { showNew } from '../api/key-rules.ts';
import { adminKeyBody, type KeyTerms, keyBody, termsOf as readTerms, rotateBody, showKey } from '../contract/keys.ts';
import { ConfigError } from '../foundation/config.ts';
import type { KeyKind } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import {
  ADMIN,
  confirmRevocation,
  type OperatorKeyOptions,
  type RevokeOptions,
  type RotateOptions,
  termsOf,
} from './commands/key-flags.ts';
import { appId } from './commands/operands.ts';
import { explain, withDeployed } from './database.ts';
import type { ListOptions } from './terminal/connection.ts';
import { openOutput } from './terminal/output.ts';
import { adminKeyColumns } from './terminal/tables.ts';
import { UsageError } from './usage-error.ts';

const byCli = byOperator('cli');

export async function makeKey(kind: KeyKind, options: OperatorKeyOptions): Promise<void> {
  const app = kind === ADMIN ? null : appId(options.app);
  const terms = { ...UNRESTRICTED, ...wantedTerms(kind, options) };
  await withDeployed(async (ctx) => {
    const made = await createKey(ctx, kind, app, terms, byCli);
    if (!made) throw new ConfigError('there is no such app');
    const { id, key, ...rest } = await showNew(ctx, made);
    console.log(JSON.stringify({ id, key, ...rest }));
  });
}

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

export const listAdminKeys = ({ limit, ...options }: ListOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    const keys = await readKeys(ctx, 'deployment', { before: null, limit });
    openOutput(options).list(keys.map(showKey), adminKeyColumns, 'There is no admin key.');
  });

export async function rotateAdminKey(id: string, { overlap }: RotateOptions): Promise<void> {
  const terms = overlap === undefined ? {} : { overlap_seconds: overlap };
  const { overlap_seconds } = asTheApi(() => checked(rotateBody, terms));
  await withDeployed(async (ctx) => {
    const rotated = await rotateKey(ctx, { id, holder: 'deployment' }, overlap_seconds, () => {}, byCli);
    if (!rotated) throw new ConfigError('there is no such admin key, or it has expired, or was revoked or rotated');
    console.log(JSON.stringify(await showNew(ctx, rotated.made)));
  });
}

export const revokeAdminKey = (id: string, options: RevokeOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    const shown = showId('key', id);
    await confirmRevocation(shown, options);
    if (!(await revokeKey(ctx, id, byCli, 'deployment'))) throw new ConfigError('there is no such admin key, or it was already revoked');
    const out = openOutput(options);
    out.answer({ id: shown, object: 'key', revoked: true }, () => out.line(`${shown} is revoked.`));
  });
