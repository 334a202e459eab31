/**
 * Withdrawn consents. A client gives each consent a reference; once it is withdrawn, look-ups under it are refused. Only keyed hashes of the references are
 * stored. `lifecycle/withdrawals.ts` ends the monitors.
 */
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { Consent } from '../schema/jobs.ts';

type Whose = { appId: string; live: boolean };

/** By every index key, the current one first. Differs between apps, even for the same reference. */
export const consentIndexes = (cipher: Indexer, { appId, live }: Whose, reference: string): [Buffer, ...Buffer[]] =>
  cipher.indexes('consent', appId, String(live), reference);

/** Throws `consent_withdrawn` if the consent was withdrawn. */
export async function refuseWithdrawn(
  { sql, cipher }: { sql: Sql | Tx; cipher: Indexer },
  owner: Whose,
  consent: Consent | null | undefined,
): Promise<void> {
  if (!consent) return;
  if ((await withdrawnAmong({ sql, cipher }, owner, [consent.reference])).size === 0) return;
  throw new ApiError('consent_withdrawn', 'The consent under this reference was withdrawn; nothing was looked up or charged', {
    details: [{ path: 'consent.reference', message: 'was withdrawn', rule: 'withdrawn' }],
  });
}

/** The withdrawn ones among `references`. */
export async function withdrawnAmong(
  { sql, cipher }: { sql: Sql | Tx; cipher: Indexer },
  owner: Whose,
  references: readonly string[],
): Promise<Set<string>> {
  const byIndex = new Map(
    references.flatMap((reference) => consentIndexes(cipher, owner, reference).map((index) => [index.toString('hex'), reference])),
  );
  const found = await sql<{ hex: string }[]>`
    select encode(reference, 'hex') as hex from consent_withdrawals
    where app_id = ${owner.appId} and live = ${owner.live} and reference = any(${byteaArray([...byIndex.keys()])}::bytea[])`;
  return new Set(found.map(({ hex }) => byIndex.get(hex)!));
}
