/**
 * Stores a publication of a list: recognizes its format, reads it whole, compares it with the current version and, in the same transaction, makes it the
 * current one. Whatever fails before the commit leaves the old version current.
 */

import { type Author, bySystem, record } from '../access/audit/append.ts';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { type ListFacts, type ListFile, ListFileError, type ListFormat, READING } from '../engines/aml/list.ts';
import { bound, type Context, type Tx } from '../foundation/context.ts';
import { newId } from '../foundation/ids.ts';
import type { FetchedFile } from '../schema/aml.ts';
import { LISTS_CHANNEL } from './current-lists.ts';
import type { ListDefinition } from './definitions.ts';
import { type Fingerprint, fingerprint } from './files.ts';
import { type Incoming, receive } from './incoming.ts';
import { type ListOutcome, ListRefusal, refusing, type StoredVersion } from './refusal.ts';

/** Advisory lock: publications of one list are stored one after the other. The second number is the list. */
const STORE_LOCK = 7_266_203;
/** A publication below this share of the current version is taken for a mishap: nobody delists a fifth of a list in a day. */
const KEPT_SHARE_MIN = 0.8;
/** Bytes by which a format is recognized. */
const HEAD_BYTES = 4096;

export interface Provenance {
  /** URLs without their queries, or file names. */
  origin: string;
  /** Empty: imported by hand, and never refreshed. */
  fetched: FetchedFile[];
  /** The operator vouches for it, even if it has shrunk or equals the current version. */
  force?: boolean;
  /** Default: the service itself, which refreshes lists. */
  by?: Author;
}

/** Throws only what the publication did not cause: a lost database, a bug. */
export async function storeList(
  ctx: Context,
  definition: ListDefinition,
  files: ListFile[],
  provenance: Provenance,
  formats: readonly ListFormat[],
): Promise<ListOutcome> {
  return refusing(ctx, definition.list, async () => {
    const format = await recognize(files, formats, definition);
    const print = await fingerprint(files);
    const stored = await ctx.sql.begin(async (tx) => {
      await bound(tx, 'reading');
      await tx`select pg_advisory_xact_lock(${STORE_LOCK}, hashtext(${definition.list}))`;
      const current = await readCurrent(tx, definition.list);
      if (current?.checksum.equals(print.checksum) && current.reading >= READING && !provenance.force) {
        await confirmVersion(tx, definition.list, current.versionId, provenance.fetched);
        return null;
      }
      const facts: ListFacts = { publishedOn: null, skipped: 0 };
      const incoming = await receive(tx, format.read(files, facts, { category: definition.category }));
      const version = { id: newId(), format: format.id, ...incoming, skipped: facts.skipped };
      if (!provenance.force) refuseShrunk(current, version, print);
      const diff = await replaceEntries(tx, definition.list, version.id);
      const label = await insertVersion(tx, definition.list, { ...version, ...diff, ...print, publishedOn: facts.publishedOn }, provenance);
      const entry = {
        appId: DEPLOYMENT,
        live: null,
        action: 'list.update',
        object: definition.list,
        detail: { version: label, ...diff },
      } as const;
      await record(tx, provenance.by ?? bySystem('lists'), entry);
      return { ...version, ...diff, label };
    });
    if (!stored) return { kind: 'unchanged' };
    ctx.log.info({ list: definition.list, ...stored }, 'list stored');
    return { kind: 'stored', version: stored };
  });
}

/** Records that the publisher confirmed the current version; false if another version is current by now. */
export async function confirmVersion(sql: Context['sql'] | Tx, list: string, versionId: string, fetched: FetchedFile[]): Promise<boolean> {
  const confirmed = await sql`
    update aml_lists set checked_at = now(), fetched = ${JSON.stringify(fetched)}::text::jsonb, refused_at = null, refusal = null, refusal_detail = null
    where list = ${list} and version_id = ${versionId}`;
  // Screenings depend on its age, so processes are notified.
  if (confirmed.count > 0) await sql`select pg_notify(${LISTS_CHANNEL}, ${list})`;
  return confirmed.count > 0;
}

/** The one format that all files share. */
async function recognize(files: ListFile[], formats: readonly ListFormat[], { formats: expected }: ListDefinition): Promise<ListFormat> {
  const allowed = formats.filter(({ id }) => expected === null || expected.includes(id));
  let candidates = allowed;
  for (const file of files) {
    const head = await readHead(file);
    candidates = candidates.filter((format) => format.recognizes(file.name, head));
    if (candidates.length === 0) {
      const other = formats.find((format) => format.recognizes(file.name, head));
      const names = allowed.map(({ id }) => id).join(', ');
      if (other && !allowed.includes(other)) throw new ListRefusal('wrong_format', `${file.name} is ${other.id}; this list takes ${names}`);
      throw new ListFileError('unknown_format', `${file.name} is in no known format, or in another one than the files before it: ${names}`);
    }
  }
  return candidates[0]!;
}

async function readHead(file: ListFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file.open()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES).toString('utf8');
}

interface Current {
  versionId: string;
  checksum: Buffer;
  format: string;
  reading: number;
  entries: number;
  names: number;
  bytes: number;
}

async function readCurrent(tx: Tx, list: string): Promise<Current | null> {
  const [current] = await tx<Current[]>`
    select l.version_id, v.checksum, v.format, v.reading, v.entries, v.names, v.bytes
    from aml_lists l join aml_list_versions v on v.id = l.version_id where l.list = ${list}`;
  return current ?? null;
}

function refuseShrunk(current: Current | null, incoming: Incoming & { format: string }, print: Fingerprint): void {
  if (incoming.entries === 0) throw new ListFileError('empty', 'It lists no person and no organization');
  if (!current) return;
  // Another format of the same list may be shorter and have fewer spellings of a name.
  const measures = incoming.format === current.format ? (['entries', 'names', 'bytes'] as const) : (['entries'] as const);
  for (const measure of measures) {
    const found = { ...incoming, ...print }[measure];
    if (found < KEPT_SHARE_MIN * current[measure])
      throw new ListRefusal('shrunk', `Its number of ${measure} is ${found}; that of the current version is ${current[measure]}`);
  }
}

/** Ends entries that are gone or changed and begins those that are new or changed; the rest stay as they are. */
async function replaceEntries(tx: Tx, list: string, versionId: string): Promise<Pick<StoredVersion, 'added' | 'changed' | 'removed'>> {
  const [ended] = await tx<{ changed: number; removed: number }[]>`
    with ended as (
      update aml_entries e set to_version = ${versionId}
      where e.list = ${list} and e.to_version is null
        and not exists (select 1 from aml_incoming i where i.source_id = e.source_id and i.digest = e.digest)
      returning e.source_id)
    select count(i.source_id)::int as changed, (count(*) - count(i.source_id))::int as removed
    from ended left join aml_incoming i using (source_id)`;
  const begun = await tx`
    insert into aml_entries (list, source_id, digest, entry, from_version)
    select ${list}, i.source_id, i.digest, i.entry::jsonb, ${versionId} from aml_incoming i
    where not exists (select 1 from aml_entries e where e.list = ${list} and e.source_id = i.source_id and e.to_version is null)`;
  const { changed, removed } = ended!;
  return { added: begun.count - changed, changed, removed };
}

interface NewVersion extends Omit<StoredVersion, 'label'>, Fingerprint {
  publishedOn: string | null;
}

/** Makes the version current, tells every process and queues the rescreen. Returns its label. */
async function insertVersion(tx: Tx, list: string, version: NewVersion, { origin, fetched }: Provenance): Promise<string> {
  const { id, format, publishedOn, checksum, bytes, entries, names, skipped, added, changed, removed } = version;
  const [row] = await tx<{ label: string }[]>`
    insert into aml_list_versions
      (id, list, label, format, reading, origin, published_on, checksum, bytes, entries, names, skipped, added, changed, removed)
    values (${id}, ${list}, coalesce(${publishedOn}::text, to_char(now() at time zone 'utc', 'YYYY-MM-DD')) || ${`-${checksum.toString('hex').slice(0, 8)}`},
      ${format}, ${READING}, ${origin}, ${publishedOn}::text::date, ${checksum}, ${bytes}, ${entries}, ${names}, ${skipped}, ${added}, ${changed}, ${removed})
    returning label`;
  await tx`
    insert into aml_lists (list, version_id, checked_at, fetched) values (${list}, ${id}, now(), ${JSON.stringify(fetched)}::text::jsonb)
    on conflict (list) do update set version_id = excluded.version_id, checked_at = excluded.checked_at, fetched = excluded.fetched,
      refused_at = null, refusal = null, refusal_detail = null`;
  // Not the time when this transaction began: storing takes minutes, and until the commit processes screen with the previous version.
  if (added + changed > 0) await tx`insert into aml_rescreens (version_id, list, created_at) values (${id}, ${list}, clock_timestamp())`;
  await tx`select pg_notify(${LISTS_CHANNEL}, ${list})`;
  return row!.label;
}
