/** Codes of an authenticator app (TOTP, RFC 6238): six digits, every 30 s. A code works once, and half a minute early or late. */
import { Secret, TOTP } from 'otpauth';
import type { Context } from '../../foundation/context.ts';
import { DEPLOYMENT } from '../../foundation/data-keys.ts';
import { type Author, bySystem } from '../audit/append.ts';
import { recordOwn } from './record.ts';
import { dropIdleCodes } from './recovery-codes.ts';
import { factorAdded, lockForChange } from './sessions.ts';

const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Steps before and after the present one. */
const WINDOW = 1;

const codesOf = (secret: string, email = ''): TOTP =>
  new TOTP({ issuer: 'Confam', label: email, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) });

/** A new secret. It replaces the present one once the person enters a code from it. `uri` is the content of the QR code. */
export async function beginTotp({ sql, cipher }: Context, personId: string, email: string): Promise<{ secret: string; uri: string }> {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const { seal } = await cipher.sealer(DEPLOYMENT);
  await sql`update people set totp_pending = ${seal(secret, 'totp', personId)} where id = ${personId}`;
  return { secret, uri: codesOf(secret, email).toString() };
}

/** Puts the new secret to use, and ends the person's sessions but for `session`. False if the code does not belong to it. */
export async function confirmTotp(
  ctx: Context,
  personId: string,
  code: string,
  by: Author = bySystem('setup'),
  session: string | null = null,
): Promise<boolean> {
  const [person] = await ctx.sql<{ pending: Buffer | null }[]>`select totp_pending as pending from people where id = ${personId}`;
  const step = person?.pending ? await stepOf(ctx, personId, person.pending, code) : null;
  if (step === null) return false;
  return ctx.sql.begin(async (tx) => {
    await lockForChange(tx, personId, session);
    const confirmed = await tx`
      update people set totp = totp_pending, totp_pending = null, totp_step = ${step} where id = ${personId} and totp_pending = ${person!.pending}`;
    if (confirmed.count === 0) return false;
    await recordOwn(tx, by, personId, { action: 'person.change', detail: { added: 'totp' } });
    await factorAdded(tx, personId, by, session);
    return true;
  });
}

/** Whether the code is right; it counts as used. */
export async function useTotpCode(ctx: Context, personId: string, sealed: Buffer, code: string): Promise<boolean> {
  const step = await stepOf(ctx, personId, sealed, code);
  if (step === null) return false;
  const used = await ctx.sql`
    update people set totp_step = ${step} where id = ${personId} and totp = ${sealed} and (totp_step is null or totp_step < ${step})`;
  return used.count > 0;
}

export async function removeTotp(
  { sql }: Context,
  personId: string,
  by: Author = bySystem('setup'),
  session: string | null = null,
): Promise<void> {
  await sql.begin(async (tx) => {
    await lockForChange(tx, personId, session);
    await tx`update people set totp = null, totp_pending = null, totp_step = null where id = ${personId}`;
    await dropIdleCodes(tx, personId);
    await recordOwn(tx, by, personId, { action: 'person.change', detail: { removed: 'totp' } });
  });
}

/** The time step that the code belongs to, by Postgres's clock. Null if it is wrong. */
async function stepOf({ sql, cipher }: Context, personId: string, sealed: Buffer, code: string): Promise<number | null> {
  const [clock] = await sql<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::bigint as ms`;
  const delta = codesOf(await cipher.open(sealed, 'totp', personId)).validate({ token: code, timestamp: clock!.ms, window: WINDOW });
  return delta === null ? null : Math.floor(clock!.ms / 1000 / PERIOD_SECONDS) + delta;
}
