/** Remembers which mapping an app used for a file, by the names of its columns in any order, so that the next file of that kind needs no mapping. */
import { type Author, type NewAuditEntry, record } from '../access/audit/append.ts';
import type { SavedContent, SavedMapping } from '../contract/mappings.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { Opener } from '../foundation/crypto.ts';
import { pagesOf } from '../foundation/cursor.ts';
import type { Cipher } from '../foundation/data-keys.ts';
import { showId, uuidFromHex } from '../foundation/ids.ts';
import type { Indexer } from '../foundation/index-keys.ts';
import { narrowed } from '../foundation/lists.ts';
import { fold } from '../rows/likely-names.ts';
import type { RowSource } from '../rows/row.ts';

/**
 * The id of the mapping for an upload's columns. Object rows go by the names in the first of them. Clients keep ids, so every id uses the first index key for good. The
 * names themselves are stored in the clear with each batch.
 */
export function fingerprintOf(cipher: Indexer, appId: string, { columns, ...source }: RowSource): string {
  const names = (columns ?? ('names' in source ? source.names : [])).map((name) => fold(name) || name).sort();
  const hashes = cipher.indexes('columns', appId, JSON.stringify(names));
  return uuidFromHex(hashes.find((hash) => cipher.keyOf(hash) === 1)!.toString('hex', 0, 16));
}

/** How many mappings are kept for one app: the last used ones. */
const KEPT_MAX = 1_000;

/** Saves a mapping that somebody chose apart from any file. */
export async function putMapping({ sql, cipher }: Context, appId: string, id: string, content: SavedContent, by: Author): Promise<void> {
  await sql.begin(async (tx) => {
    await saveMapping(tx, cipher, appId, id, content);
    await record(tx, by, entryOn(appId, id, 'mapping.save'));
  });
}

export async function saveMapping(sql: Sql | Tx, cipher: Cipher, appId: string, id: string, content: SavedContent): Promise<void> {
  const { seal } = await cipher.sealer({ appId });
  const [saved] = await sql<{ isNew: boolean }[]>`
    insert into saved_mappings (app_id, id, content) values (${appId}, ${id}, ${seal(JSON.stringify(content), PURPOSE, id)})
    on conflict (app_id, id) do update set content = excluded.content, used_at = now() returning xmax = 0 as "isNew"`;
  if (!saved!.isNew) return;
  await sql`
    delete from saved_mappings where app_id = ${appId} and id in (
      select id from saved_mappings where app_id = ${appId} order by used_at desc, id desc offset ${KEPT_MAX})`;
}

interface Stored {
  id: string;
  content: Buffer;
  createdAt: string;
  usedAt: string;
}

export async function readMapping(
  { sql, cipher }: Pick<Context, 'sql' | 'cipher'>,
  appId: string,
  id: string,
): Promise<SavedMapping | null> {
  const [row] = await sql<Stored[]>`select id, content, created_at, used_at from saved_mappings where app_id = ${appId} and id = ${id}`;
  return row ? open(await cipher.opener([row.content]), row) : null;
}

/**
 * The most recently used first. Null: the cursor does not belong to this list. A cursor holds a time of use, not an id, because the mapping may be used again
 * or forgotten before the next page is read.
 */
export async function listMappings(
  { sql, cipher }: Pick<Context, 'sql' | 'cipher'>,
  appId: string,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<{ mappings: SavedMapping[]; nextCursor: string | null } | null> {
  const pages = pagesOf(cipher, `mappings ${appId}`);
  const position = pages.begin(cursor);
  if (position === undefined) return null;
  const [usedAt, id] = position?.split(' ') ?? [];
  const rows = await sql<(Stored & { at: string })[]>`
    select id, content, created_at, used_at, to_char(used_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from saved_mappings
    where app_id = ${appId}
      ${narrowed(sql, [position !== null && sql`(used_at, id) < (${usedAt!}::text::timestamptz, ${id!}::uuid)`])}
    order by used_at desc, id desc limit ${limit + 1}`;
  const { page, nextCursor } = pages.page(rows, limit, (row) => `${row.at} ${row.id}`);
  const opener = await cipher.opener(page.map(({ content }) => content));
  return { mappings: page.map((row) => open(opener, row)), nextCursor };
}

/** False if there is none. */
export async function deleteMapping({ sql }: Pick<Context, 'sql'>, appId: string, id: string, by: Author): Promise<boolean> {
  return sql.begin(async (tx) => {
    const deleted = await tx`delete from saved_mappings where app_id = ${appId} and id = ${id}`;
    if (deleted.count === 0) return false;
    await record(tx, by, entryOn(appId, id, 'mapping.delete'));
    return true;
  });
}

/** Mappings belong to both modes. */
const entryOn = (appId: string, id: string, action: 'mapping.save' | 'mapping.delete'): NewAuditEntry => ({
  appId,
  live: null,
  action,
  object: showId('map', id),
});

/** Deletes mappings that have not been used for over a year. */
export async function dropUnusedMappings({ sql }: Pick<Context, 'sql'>, sliceMax: number): Promise<void> {
  await sql`
    delete from saved_mappings where (app_id, id) in (
      select app_id, id from saved_mappings where used_at < now() - interval '400 days' limit ${sliceMax})`;
}

const PURPOSE = 'mapping';

function open(opener: Opener, { id, content, createdAt, usedAt }: Stored): SavedMapping {
  return { id, createdAt, usedAt, ...(JSON.parse(opener.open(content, PURPOSE, id)) as SavedContent) };
}
