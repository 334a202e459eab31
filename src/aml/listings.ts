/**
 * The stored form of a match between an app's person and a list entry. The lists are public and in the same database, so neither the entry's
 * number nor its digest may be stored beside a person: both are stored as keyed HMACs, and the number is sealed where it must be shown again.
 * Rows of earlier releases have them in the clear until the sweeper seals them (`pipeline/seal-old-rows.ts`).
 */
import type { AppMode } from '../access/owner.ts';
import type { Opener, Sealer } from '../foundation/crypto.ts';
import type { Indexer } from '../foundation/index-keys.ts';

export interface ListedAs {
  list: string;
  sourceId: string;
  /** The entry's digest, in hex. */
  digest: string;
}

/** The app whose clearance it is, or the monitor whose hit. The same entry has different HMACs for different owners. */
type ListingOwner = AppMode | { monitorId: string };

const nameOf = (owner: ListingOwner): string => ('appId' in owner ? `${owner.appId} ${owner.live}` : owner.monitorId);

/** By every index key, the current one first. */
export const sourceIndexes = (cipher: Indexer, owner: ListingOwner, sourceId: string): [Buffer, ...Buffer[]] =>
  cipher.indexes('listing', nameOf(owner), sourceId);

/** HMACs of an entry's current state, as above: they differ once the publisher changes the entry. */
export const digestIndexes = (cipher: Indexer, owner: ListingOwner, { list, sourceId, digest }: ListedAs): [Buffer, ...Buffer[]] =>
  cipher.indexes('listing_digest', nameOf(owner), list, sourceId, digest);

const SOURCE = 'clearance_source';
/** `id`: the clearance's id. */
export const sealSource = (sealer: Sealer, id: string, sourceId: string): Buffer => sealer.seal(sourceId, SOURCE, id);
export const openSource = (opener: Opener, id: string, source: Buffer): string => opener.open(source, SOURCE, id);
