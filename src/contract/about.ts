/**
 * What a client says about its own work: `reference`, `metadata` and `consent`. Clients put account numbers, phone numbers and names there, so it is
 * stored as one ciphertext with the job or batch (column `about`); a reference is found by its keyed HMAC. Rows of earlier releases hold it in plain
 * text until the sweeper seals them (`pipeline/seal-old-rows.ts`). Both forms are read; only ciphertexts are written.
 */
import type { Opener, Sealer } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import type { Delimiter } from '../rows/row.ts';
import type { Consent } from '../schema/jobs.ts';

export interface About {
  reference?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  consent?: Consent | null | undefined;
  /** For `aml.monitor.hit`: the entries of public lists that the monitored person matches. */
  source_ids?: string[];
  /** Of a batch: what separates the cells of its CSV, if not a comma. The rows to correct are written like it. */
  delimiter?: Delimiter | undefined;
}

const PURPOSE = 'about';

/** `owner`: public id of the job, batch or monitor (`job_…`, `bat_…`, `mon_…`). Null if there is nothing to say. */
export function sealAbout(sealer: Sealer, owner: string, about: About): Buffer | null {
  const present = Object.entries(about).filter(([, value]) => value !== undefined && value !== null);
  if (present.length === 0) return null;
  return sealer.seal(JSON.stringify(Object.fromEntries(present.map(([name, value]) => [name, inJsonbOrder(value)]))), PURPOSE, owner);
}

/** Throws if the ciphertext cannot be opened. */
export const openAbout = (opener: Opener, owner: string, sealed: Buffer | null): About =>
  sealed === null ? {} : JSON.parse(opener.open(sealed, PURPOSE, owner));

/** The key by which an app finds its jobs and batches with a reference. The same reference gives another key for another app. */
export const referenceIndex = (cipher: Indexer, owner: { appId: string; live: boolean }, reference: string): Buffer =>
  referenceIndexes(cipher, owner, reference)[0];

/** By every key, the current one first. */
export const referenceIndexes = (
  cipher: Indexer,
  { appId, live }: { appId: string; live: boolean },
  reference: string,
): [Buffer, ...Buffer[]] => cipher.indexes('reference', appId, String(live), reference);

/** A row of `jobs` or `batches` as stored. Its reference and metadata must be opened before they are shown. */
export type Unopened<Row> = Omit<Row, 'reference' | 'metadata'> & { reference: unknown; metadata: unknown };

type Said = { id: string; about: Buffer | null; reference: string | null; metadata: Record<string, unknown> | null };

/** Throws if the ciphertext cannot be opened. */
export function openRow<Row extends Said>(opener: Opener, prefix: 'job' | 'bat', row: Unopened<Row>): Row {
  const stored = row as unknown as Row;
  const { reference = stored.reference, metadata = stored.metadata } = openAbout(opener, showId(prefix, stored.id), stored.about);
  return { ...stored, reference, metadata };
}

/** The members that an event keeps sealed are null or empty in its `data`, so that the order of members stays the same. */
export function openEventData(
  opener: Opener,
  { data, about }: { data: Record<string, unknown>; about: Buffer | null },
): Record<string, unknown> {
  if (about === null) return data;
  const present = Object.entries(openAbout(opener, eventOwner(data), about)).filter(([name]) => name in data);
  return { ...data, ...Object.fromEntries(present) };
}

/** The public id for which an event's `about` is sealed: that of its monitor, otherwise of its job or batch. */
export const eventOwner = (data: Record<string, unknown>): string => String(data.monitor ?? data.id);

/** Shorter keys first, then by their bytes. Metadata used to be a jsonb column, and clients may compare what they get byte for byte. */
function inJsonbOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inJsonbOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [Buffer.from(key), key, inJsonbOrder(member)] as const);
  members.sort(([one], [other]) => one.length - other.length || one.compare(other));
  return Object.fromEntries(members.map(([, key, member]) => [key, member]));
}
