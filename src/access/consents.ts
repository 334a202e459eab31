/**
 * Consents that look-ups need: refuses one that states none where the app requires it, and one whose consent was withdrawn. A client gives each consent a
 * reference, of which withdrawals store only a keyed hash. `lifecycle/withdrawals.ts` ends the monitors.
 */
import type { Sql, Tx } from '../foundation/context.ts';
import { ApiError } from '../foundation/errors.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { byteaArray } from '../foundation/recordset.ts';
import type { AppSettings } from '../schema/apps.ts';
import type { Consent } from '../schema/jobs.ts';
import type { AppMode } from './owner.ts';

/** By every index key, the current one first. Differs between apps, even for the same reference. */
export const consentIndexes = (cipher: Indexer, { appId, live }: AppMode, reference: string): [Buffer, ...Buffer[]] =>
  cipher.indexes('consent', appId, String(live), reference);

/** Throws `invalid_request` if the operator requires the subject's consent for this app and none was sent. */
export function refuseWithoutConsent({ live, settings }: { live: boolean; settings: AppSettings }, consent: unknown): void {
  if (!live || !settings.consentRequired || consent !== undefined) return;
  throw new ApiError('invalid_request', 'This app requires consent with a live key: the header Consent, or the member consent', {
    details: [{ path: 'consent', message: 'is required', rule: 'required' }],
  });
}

/** Throws `consent_withdrawn` if the consent was withdrawn. */
export async function refuseWithdrawn(
  { sql, cipher }: { sql: Sql | Tx; cipher: Indexer },
  owner: AppMode,
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
  owner: AppMode,
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
