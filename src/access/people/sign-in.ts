/**
 * Signing in: a password or a link, and then the second factor if the person has one; or a passkey alone. An unknown address, a wrong password and a disabled
 * person get the same answer after the same time.
 */
import type { Context, Tx } from '../../foundation/context.ts';
import { ApiError } from '../../foundation/errors.ts';
import { NIL_ID } from '../../foundation/ids.ts';
import { type Author, bySystem } from '../audit/append.ts';
import { type Account, findAccount, normalEmail, readAccount, setName } from './accounts.ts';
import { attemptSucceeded, beginAttempt, type Claimant } from './attempts.ts';
import { linkNotValid, readLink, useLink } from './links.ts';
import type { Passwords } from './passwords.ts';
import { asPerson, recordOwn } from './record.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { endSessions, isByLink, lockForChange, type Method, type Proven, type Session } from './sessions.ts';
import { useTotpCode } from './totp.ts';

/** A code of the authenticator app, or one of the recovery codes. */
export interface SecondFactor {
  code?: string | undefined;
  recoveryCode?: string | undefined;
}

export interface SignedIn extends Proven {
  email: string;
}

type Where = Omit<Claimant, 'email'> & {
  /** Called with a known account that somebody failed to sign in to. It must not delay the answer: a delay would reveal that the account exists. */
  failed?: (personId: string) => void;
  by?: Author;
};

/** Throws `unauthenticated`, `second_factor_required` or, after too many failures, `rate_limited`. */
export async function signInByPassword(
  ctx: Context,
  passwords: Passwords,
  { email, password, ...factor }: { email: string; password: string } & SecondFactor,
  where: Where,
): Promise<SignedIn> {
  const claimant = { ...where, email: normalEmail(email) };
  await beginAttempt(ctx, claimant);
  const account = await findAccount(ctx, email);
  const isRight = await passwords.matches(account?.id ?? NIL_ID, account?.password ?? null, password);
  if (!account || !isRight || account.isDisabled) {
    ctx.metrics.failedSignIns.inc({ reason: 'wrong_password' });
    if (account) where.failed?.(account.id);
    throw new ApiError('unauthenticated', 'The e-mail address or the password is wrong');
  }
  const second = await passSecondFactor(ctx, account, factor, { ...where, ...claimant });
  await attemptSucceeded(ctx, claimant);
  return { personId: account.id, email: account.email, password: account.password, ...withSecond('password', second) };
}

/** What somebody brings to a link: their second factor; with an invitation their first password and their name. */
export interface LinkAnswer extends SecondFactor {
  password?: string | undefined;
  name?: string | undefined;
}

/**
 * Uses a link. `session`: that of whoever sends it, if any. An invitation signs in only somebody who cannot sign in otherwise: its link is seen by those who
 * invite, and must not let them into an account that exists. Throws `link_invalid`, `unauthenticated` if an invited person must sign in first, and `forbidden` if they
 * must choose a password first.
 */
export async function redeemLink(
  ctx: Context,
  passwords: Passwords,
  token: string,
  answer: LinkAnswer,
  where: Where & { session: Pick<Session, 'personId' | 'method'> | null },
): Promise<SignedIn | 'accepted'> {
  const link = await readLink(ctx, token);
  const account = await readAccount(ctx, link.personId);
  if (!account) throw linkNotValid();
  if (link.kind === 'sign_in') {
    const claimant = { ...where, email: normalEmail(account.email), isByLink: true };
    if (needsSecondFactor(account)) await beginAttempt(ctx, claimant);
    const second = await passSecondFactor(ctx, account, answer, { ...where, ...claimant });
    await ctx.sql.begin((tx) => useLink(tx, token, where.by));
    if (second) await attemptSucceeded(ctx, claimant);
    return { personId: account.id, email: account.email, ...withSecond('link', second) };
  }
  if (where.session?.personId === account.id) {
    // Whoever opened an earlier invitation to this address may have chosen the password that it has; a new one shuts them out.
    if (where.session.method === 'link' && account.password !== null)
      throw new ApiError(
        'forbidden',
        'You are signed in by a link: choose a new password in your account first, then open the invitation again',
      );
    await ctx.sql.begin((tx) => useLink(tx, token, where.by));
    return 'accepted';
  }
  if (where.session) throw linkNotValid();
  // The password is checked first, so that a request that creates nothing does not reveal whether there is an account.
  if (answer.password === undefined) throw badPassword('is missing: an invitation needs the password that you will sign in with');
  const sealed = await sealPassword(passwords, account, answer.password);
  if (link.hasCredentials)
    throw new ApiError('unauthenticated', 'There is an account for this address: sign in to it, then open the link again');
  await ctx.sql.begin(async (tx) => {
    await tx`select 1 from people where id = ${account.id} for no key update`;
    // They may have got another way to sign in since.
    if ((await readLink({ sql: tx }, token)).hasCredentials) throw linkNotValid();
    await useLink(tx, token, where.by);
    await tx`update people set password = ${sealed} where id = ${account.id}`;
  });
  if (answer.name) await setName(ctx, account.id, answer.name, asPerson(where.by ?? bySystem('setup'), account.id));
  return { personId: account.id, email: account.email, method: 'password', password: sealed };
}

/**
 * Sets the password and ends the person's other sessions. `current`: the current one, which counts as an attempt to sign in. Throws `invalid_request` if that is
 * needed and missing or wrong, or if the new one is too easy to guess; `rate_limited` after too many failures.
 */
export async function setPassword(
  ctx: Context,
  passwords: Passwords,
  { account, session }: { account: Account; session: Pick<Session, 'id' | 'method'> },
  { password, current }: { password: string; current: string | undefined },
  where: Where,
): Promise<void> {
  if (needsCurrentPassword(account, session)) await checkCurrent(ctx, passwords, account, current, where);
  const sealed = await sealPassword(passwords, account, password);
  const by = where.by ?? bySystem('setup');
  await ctx.sql.begin(async (tx) => {
    await lockForChange(tx, account.id, session.id);
    await tx`update people set password = ${sealed} where id = ${account.id}`;
    // Whoever came by a link knows the password now.
    await tx`update sessions set method = replace(method, 'link', 'password') where id = ${session.id}`;
    await recordOwn(tx, by, account.id, { action: 'person.change', detail: { changed: 'password' } });
    await endSessions(tx, account.id, by, session.id);
  });
}

export const needsCurrentPassword = ({ password }: Account, session: Pick<Session, 'method'>): boolean =>
  password !== null && !isByLink(session);

async function checkCurrent(
  ctx: Context,
  passwords: Passwords,
  { id, email, password }: Account,
  current: string | undefined,
  where: Where,
): Promise<void> {
  if (current === undefined) throw refused('current_password', 'is missing', 'Changing the password requires the current one');
  const claimant = { ...where, email: normalEmail(email) };
  await beginAttempt(ctx, claimant);
  if (!(await passwords.matches(id, password, current))) {
    ctx.metrics.failedSignIns.inc({ reason: 'wrong_password' });
    where.failed?.(id);
    throw refused('current_password', 'is wrong', 'The current password is wrong');
  }
  await attemptSucceeded(ctx, claimant);
}

async function sealPassword(passwords: Passwords, { id, email }: Account, password: string): Promise<Buffer> {
  const flaw = await passwords.flaw(password, email);
  if (flaw) throw badPassword(flaw);
  return passwords.seal(id, password);
}

const badPassword = (message: string): ApiError => refused('password', message, `password ${message}`);

const refused = (path: 'password' | 'current_password', message: string, text: string): ApiError =>
  new ApiError('invalid_request', text, { details: [{ path, message, rule: 'password' }] });

const needsSecondFactor = ({ totp, passkeys }: Account): boolean => totp !== null || passkeys > 0;

type Second = { totp: Buffer } | { recoveryCodes: readonly Buffer[] };

const withSecond = (first: 'password' | 'link', second: Second | null): Pick<Proven, 'method'> & Partial<Second> => {
  if (!second) return { method: first };
  const method: Method = 'totp' in second ? `${first}+totp` : `${first}+recovery_code`;
  return { method, ...second };
};

/** The second factor that the person showed; null if they have none. */
async function passSecondFactor(
  ctx: Context,
  account: Account,
  { code, recoveryCode }: SecondFactor,
  claimant: Claimant & Where,
): Promise<Second | null> {
  if (!needsSecondFactor(account)) return null;
  if (code === undefined && recoveryCode === undefined) {
    // Nothing was guessed: the first factor was right.
    await attemptSucceeded(ctx, claimant);
    throw new ApiError('second_factor_required', 'A second factor is needed: repeat the request with one of `factors`', {
      extra: {
        factors: [
          ...(account.totp ? ['code'] : []),
          ...(account.passkeys > 0 ? ['passkey'] : []),
          ...(account.recoveryCodes > 0 ? ['recovery_code'] : []),
        ],
      },
    });
  }
  if (code !== undefined && account.totp && (await useTotpCode(ctx, account.id, account.totp, code))) return { totp: account.totp };
  const recoveryCodes = recoveryCode === undefined ? null : await useRecoveryCode(ctx, account.id, recoveryCode);
  if (recoveryCodes) return { recoveryCodes };
  ctx.metrics.failedSignIns.inc({ reason: 'wrong_password' });
  claimant.failed?.(account.id);
  throw new ApiError('unauthenticated', 'The code is wrong, or was used before');
}

/** Removes every second factor of somebody who has lost them, and ends their sessions. */
export async function resetSecondFactors(tx: Tx, personId: string, by: Author = bySystem('setup')): Promise<void> {
  await tx`update people set totp = null, totp_pending = null, totp_step = null where id = ${personId}`;
  await tx`delete from passkeys where person_id = ${personId}`;
  await tx`delete from recovery_codes where person_id = ${personId}`;
  await recordOwn(tx, by, personId, { action: 'person.change', detail: { removed: 'second_factors' } });
  await endSessions(tx, personId, by);
}
