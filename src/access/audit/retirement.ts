/** The entry by which a chain records that its beginning may be gone: `retire.ts` writes it, `verify.ts` believes it. */
import type { Context } from '../../foundation/context.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { entryColumns, type Link, type StoredEntry } from './entry.ts';

/** Everything in a chain up to this entry may be gone. */
export interface Retirement extends Link {
  /** `2026-11` (UTC): the entry is of this month or an earlier one. */
  month: string;
  /** When that was recorded. */
  at: string;
}

export const RETIRE = 'audit.retire';
/** Not the purpose of seals, or every seal would pass for such a record. */
const PURPOSE = 'audit retired';

const signedText = (appId: string, month: string, { seq, hash }: Link): string => `${appId}\n${month}\n${seq}\n${hash.toString('hex')}`;

/** The detail of the entry. Its signature is by a key that the database does not have. */
export const retirementOf = ({ cipher }: Pick<Context, 'cipher'>, appId: string, month: string, last: Link) => ({
  to: last.seq,
  hash: last.hash.toString('hex'),
  signature: cipher.sign(PURPOSE, signedText(appId, month, last)).toString('base64url'),
});

/** What the chain itself records about a gap that ends before the entry `next`. Null: nobody has retired that. */
export async function findRetirement(ctx: Pick<Context, 'sql' | 'cipher'>, appId: string, next: StoredEntry): Promise<Retirement | null> {
  const last: Link = { seq: next.seq - 1, hash: next.previous };
  const recorded = await ctx.sql<StoredEntry[]>`
    select ${entryColumns(ctx.sql)} from audit_entries e where e.app_id = ${appId} and e.action = ${RETIRE} and e.detail::jsonb -> 'to' = to_jsonb(${last.seq}::bigint)`;
  for (const { object: month, at, detail } of recorded) {
    const { signature } = JSON.parse(detail!) as { signature?: unknown };
    // An entry is never signed anew, so the keys that only the database still has count too.
    const ours = ctx.cipher.signatures(PURPOSE, signedText(appId, month!, last), { retired: true });
    if (ours.some((one) => sameSecret(String(signature), one.toString('base64url')))) return { ...last, month: month!, at };
  }
  return null;
}
