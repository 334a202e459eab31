/**
 * What a client says about its work: `reference`, `metadata` and `consent`. Clients write account numbers, phone numbers and names there, so it is
 * stored as one ciphertext beside the job or batch (column `about`), and a reference is found by its keyed HMAC. Rows of earlier releases have
 * it in the clear until the sweeper seals them (`pipeline/seal-old-rows.ts`); both are read, only ciphertexts are written.
 */
import type { Cipher } from '../foundation/crypto.ts';
import { showId } from '../foundation/ids.ts';
import type { Consent } from '../schema/jobs.ts';

export interface About {
  reference?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  consent?: Consent | null | undefined;
  /** Of `aml.monitor.hit`: the entries of public lists that a watched person answers to. */
  source_ids?: string[];
}

const PURPOSE = 'about';

/** `owner`: the public id of what it is about (`job_…`, `bat_…`, `mon_…`). Null: nothing was said. */
export function sealAbout(cipher: Cipher, owner: string, about: About): Buffer | null {
  const said = Object.entries(about).filter(([, value]) => value !== undefined && value !== null);
  if (said.length === 0) return null;
  return cipher.seal(JSON.stringify(Object.fromEntries(said.map(([name, value]) => [name, inJsonbOrder(value)]))), PURPOSE, owner);
}

/** Throws where it does not open. */
export const openAbout = (cipher: Cipher, owner: string, sealed: Buffer | null): About =>
  sealed === null ? {} : JSON.parse(cipher.open(sealed, PURPOSE, owner));

/** By this an app finds its jobs and batches of a reference; the same reference of another app has another one. */
export const referenceIndex = (cipher: Cipher, { appId, live }: { appId: string; live: boolean }, reference: string): Buffer =>
  cipher.index('reference', appId, String(live), reference);

/** A row of `jobs` or `batches` as it is stored: its reference and metadata must be opened before anybody shows them. */
export type Unopened<Row> = Omit<Row, 'reference' | 'metadata'> & { reference: unknown; metadata: unknown };

type Said = { id: string; about: Buffer | null; reference: string | null; metadata: Record<string, unknown> | null };

/** Throws where it does not open. */
export function openRow<Row extends Said>(cipher: Cipher, prefix: 'job' | 'bat', row: Unopened<Row>): Row {
  const stored = row as unknown as Row;
  const { reference = stored.reference, metadata = stored.metadata } = openAbout(cipher, showId(prefix, stored.id), stored.about);
  return { ...stored, reference, metadata };
}

/** What an event keeps sealed is null or empty in its `data`, so that its members keep their order. */
export function openEventData(
  cipher: Cipher,
  { data, about }: { data: Record<string, unknown>; about: Buffer | null },
): Record<string, unknown> {
  if (about === null) return data;
  const said = Object.entries(openAbout(cipher, eventOwner(data), about)).filter(([name]) => name in data);
  return { ...data, ...Object.fromEntries(said) };
}

/** The public id that an event's `about` is sealed for: of its monitor, else of its job or batch. */
export const eventOwner = (data: Record<string, unknown>): string => String(data.monitor ?? data.id);

/** Shorter keys first, then by their bytes. Metadata used to be a jsonb column, and clients may compare what they get byte for byte. */
function inJsonbOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inJsonbOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [Buffer.from(key), key, inJsonbOrder(member)] as const);
  members.sort(([one], [other]) => one.length - other.length || one.compare(other));
  return Object.fromEntries(members.map(([, key, member]) => [key, member]));
}
