/** Codes for somebody who has lost their second factor. Each has 80 random bits, works once, and is shown once. */
import { randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';
import type { Context, Tx } from '../../foundation/context.ts';
import { byteaArray } from '../../foundation/recordset.ts';
import { type Author, bySystem } from '../audit/append.ts';
import { recordOwn } from './record.ts';
import { endSessions, lockForChange } from './sessions.ts';

const CODES = 10;
const CODE_BYTES = 10;

/** Replaces a person's codes, `ABCD-EFGH-IJKL-MNOP`, and ends the person's sessions but for `session`: one of them may have begun with a stolen code. */
export async function newRecoveryCodes(
  ctx: Context,
  personId: string,
  by: Author = bySystem('setup'),
  session: string | null = null,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => new Secret({ buffer: new Uint8Array(randomBytes(CODE_BYTES)).buffer }).base32);
  await ctx.sql.begin(async (tx) => {
    await lockForChange(tx, personId, session);
    await tx`delete from recovery_codes where person_id = ${personId}`;
    for (const code of codes)
      await tx`insert into recovery_codes (person_id, hash) values (${personId}, ${hashesOf(ctx, personId, code)[0]})`;
    await recordOwn(tx, by, personId, { action: 'person.change', detail: { replaced: 'recovery_codes' } });
    await endSessions(tx, personId, by, session);
  });
  return codes.map((code) => code.match(/.{4}/g)!.join('-'));
}

/** The hashes of the codes that are left, if this one is right; it does not work again. Null if it is wrong. */
export async function useRecoveryCode(ctx: Context, personId: string, code: string): Promise<Buffer[] | null> {
  // One statement: none that replaces them can come between the two parts.
  const left = await ctx.sql<{ hash: Buffer; isUsed: boolean }[]>`
    with used as (
      delete from recovery_codes where person_id = ${personId} and hash = any(${byteaArray(hashesOf(ctx, personId, code))}::bytea[]) returning hash)
    select c.hash, c.hash in (select hash from used) as is_used from recovery_codes c
    where c.person_id = ${personId} and exists (select 1 from used)`;
  return left.some(({ isUsed }) => isUsed) ? left.filter(({ isUsed }) => !isUsed).map(({ hash }) => hash) : null;
}

/** Deletes the codes of somebody who has no second factor left, so that they are no way past a later one. */
export const dropIdleCodes = (tx: Tx, personId: string) => tx`
  delete from recovery_codes where person_id = ${personId}
    and not exists (select 1 from people where id = ${personId} and totp is not null) and not exists (select 1 from passkeys where person_id = ${personId})`;

/** By every key, the current one first. */
const hashesOf = ({ cipher }: Context, personId: string, code: string): [Buffer, ...Buffer[]] =>
  cipher.indexes('recovery_code', personId, code.replaceAll(/[\s-]/g, '').toUpperCase());
