/**
 * Which entry of a list an app's person was matched to. The lists are public and stand in the same database, so neither the entry's number nor its
 * digest may stand beside a person: both are stored as keyed HMACs, and the number is sealed where it is shown again. Rows of earlier releases
 * have them in the clear until the sweeper seals them (`pipeline/seal-old-rows.ts`).
 */
import type { Cipher } from '../foundation/crypto.ts';

export interface Listing {
  list: string;
  sourceId: string;
  /** Of the entry, in hex. */
  digest: string;
}

/** Whose clearances, or whose hits. The same entry has other HMACs with another owner. */
type ListingOwner = { appId: string; live: boolean } | { monitorId: string };

const nameOf = (owner: ListingOwner): string => ('appId' in owner ? `${owner.appId} ${owner.live}` : owner.monitorId);

export const sourceIndex = (cipher: Cipher, owner: ListingOwner, sourceId: string): Buffer =>
  cipher.index('listing', nameOf(owner), sourceId);

/** Of an entry as it is: another one when its publisher changes it. */
export const digestIndex = (cipher: Cipher, owner: ListingOwner, { list, sourceId, digest }: Listing): Buffer =>
  cipher.index('listing_digest', nameOf(owner), list, sourceId, digest);

const SOURCE = 'clearance_source';
/** `id`: of the clearance. */
export const sealSource = (cipher: Cipher, id: string, sourceId: string): Buffer => cipher.seal(sourceId, SOURCE, id);
export const openSource = (cipher: Cipher, id: string, source: Buffer): string => cipher.open(source, SOURCE, id);
