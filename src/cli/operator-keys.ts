/** Keys that the operator makes, lists, rotates and revokes on a deployment's database, for `commands/keys.ts`. */
import { byOperator } from '../access/audit/append.ts';
import { createKey, readKeys, revokeKey, rotateKey, UNRESTRICTED } from '../access/keys.ts';
import { checked } from '../api/http.ts';
import { showNew } from '../api/key-rules.ts';
import { adminKeyBody, type KeyTerms, keyBody, termsOf as readTerms, rotateBody, showKey } from '../contract/keys.ts';
import { ConfigError } from '../foundation/config.ts';
import type { KeyKind } from '../foundation/crypto.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { appId } from './apps.ts';
import {
  ADMIN,
  confirmRevocation,
  type OperatorKeyOptions,
  type RevokeOptions,
  type RotateOptions,
  termsOf,
} from './commands/key-flags.ts';
import { explain, refuseProfile, withDeployed } from './database.ts';
import type { ListOptions } from './terminal/connection.ts';
import { openOutput } from './terminal/output.ts';
import { adminKeyColumns } from './terminal/tables.ts';
import { UsageError } from './usage-error.ts';

const byCli = byOperator('cli');

export const makeKey = (kind: string, options: OperatorKeyOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    if (!isKind(kind)) throw new UsageError('kind must be live, test or admin');
    const app = kind === ADMIN ? null : appId(options.app);
    const terms = { ...UNRESTRICTED, ...wantedTerms(kind, options) };
    const made = await createKey(ctx, kind, app, terms, byCli);
    if (!made) throw new ConfigError('there is no such app');
    const { id, key, ...rest } = await showNew(ctx, made);
    console.log(JSON.stringify({ id, key, ...rest }));
  });

const isKind = (kind: string): kind is KeyKind => ['live', 'test', ADMIN].includes(kind);

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

export const listAdminKeys = (kind: string, { limit, ...options }: ListOptions): Promise<void> =>
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

export const rotateAdminKey = (text: string | undefined, { overlap, ...options }: RotateOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    const id = adminKeyId(text);
    const terms = overlap === undefined ? {} : { overlap_seconds: overlap };
    const { overlap_seconds } = asTheApi(() => checked(rotateBody, terms));
    const rotated = await rotateKey(ctx, { id, holder: 'deployment' }, overlap_seconds, () => {}, byCli);
    if (!rotated) throw new ConfigError('there is no such admin key, or it has expired, or was revoked or rotated');
    console.log(JSON.stringify(await showNew(ctx, rotated.made)));
  });

export const revokeAdminKey = (text: string | undefined, options: RevokeOptions): Promise<void> =>
  withDeployed(async (ctx) => {
    refuseProfile(options);
    const id = adminKeyId(text);
    const shown = showId('key', id);
    await confirmRevocation(shown, options);
    if (!(await revokeKey(ctx, id, byCli, 'deployment'))) throw new ConfigError('there is no such admin key, or it was already revoked');
    const out = openOutput(options);
    out.answer({ id: shown, object: 'key', revoked: true }, () => out.line(`${shown} is revoked.`));
  });
