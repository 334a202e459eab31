/** API keys: what each may do, from where and until when; rotation with an overlap. */
import type { KeyTerms, StoredKey } from '../contract/keys.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { hashApiKey, type KeyKind, newApiKey } from '../foundation/crypto.ts';
import { newId, parseId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import type { Actor } from './actor.ts';
import { type Author, bySystem, type NewAuditEntry, record } from './audit/append.ts';
import { DEPLOYMENT } from './audit/entry.ts';
import type { AppMode } from './owner.ts';

/** Stands for the id of the key from the configuration, which is in no table. */
export const CONFIGURED_KEY = 'configured';

/** Announces changed keys or apps: every process drops what it has cached of them. */
export const KEYS_CHANNEL = 'confam_keys';

/** Whose keys: those of an app in one mode, or the deployment's admin keys. */
export type Holder = AppMode | 'deployment';

/** A new key, with its text, which is stored nowhere. */
export interface NewKey {
  id: string;
  key: string;
}

type KeyUse = Pick<KeyTerms, 'scopes' | 'addresses'>;

/** The unrestricted key that the operator makes. */
export const UNRESTRICTED: KeyTerms = { name: null, scopes: null, checks: null, addresses: null, expiresAt: null, dailyCapKobo: null };

/** Null if there is no such app. `appId`: null for an admin key. */
export async function createKey(
  ctx: Context,
  kind: KeyKind,
  appId: string | null,
  terms: KeyTerms = UNRESTRICTED,
  by: Author = bySystem('setup'),
): Promise<NewKey | null> {
  return ctx.sql.begin(async (tx) => {
    if (appId !== null && (await tx`select 1 from apps where id = ${appId} and deleted_at is null for key share`).length === 0) return null;
    const made = await insertKey(tx, kind, appId, terms, by);
    await record(tx, by, { ...entryOf({ id: made.id, appId, kind }), action: 'key.create', detail: { kind, ...detailOf(terms) } });
    return made;
  });
}

/** An admin key belongs to the deployment. */
const entryOf = ({ id, appId, kind }: { id: string; appId: string | null; kind: KeyKind }): Omit<NewAuditEntry, 'action'> => ({
  appId: appId ?? DEPLOYMENT,
  live: kind === 'admin' ? null : kind === 'live',
  object: showId('key', id),
});

/** Without the name, which may be a person's. */
const detailOf = ({ name: _, ...terms }: Partial<KeyTerms>): Record<string, unknown> => terms;

async function insertKey(sql: Tx, kind: KeyKind, appId: string | null, terms: KeyTerms, by: Author): Promise<NewKey> {
  const id = newId();
  const key = newApiKey(kind);
  const { name, scopes, checks, addresses, expiresAt, dailyCapKobo } = terms;
  await sql`
    insert into api_keys (id, app_id, kind, hash, hint, name, scopes, checks, addresses, expires_at, daily_cap_kobo, made_by, made_by_key)
    values (${id}, ${appId}, ${kind}, ${hashApiKey(key)}, ${key.slice(0, 12)}, ${name}, ${scopes as string[] | null}, ${checks as string[] | null},
      ${addresses as string[] | null}, ${expiresAt}, ${dailyCapKobo}, ${await personBehind(sql, by.actor)}, ${keyOf(by.actor)})`;
  return { id, key };
}

/** The person who acts, or who made the key that acts; null if unknown. */
export async function personBehind(sql: Sql | Tx, { kind, id }: Actor): Promise<string | null> {
  if (kind === 'person') return parseId('per', id);
  const keyId = keyOf({ id });
  const [key] = keyId === null ? [] : await sql<{ madeBy: string | null }[]>`select made_by from api_keys where id = ${keyId}`;
  return key?.madeBy ?? null;
}

/** Null for an actor that is no key, and for the key from the configuration. */
const keyOf = ({ id }: Pick<Actor, 'id'>): string | null => parseId('key', id);

/**
 * The ids, as the audit shows them, of a key, of the keys that it made, and of those that they made in turn. A key and the one that took its place are one. None for an
 * actor that is no key.
 */
export async function keysMadeBy(sql: Sql | Tx, id: string): Promise<string[]> {
  if (id === CONFIGURED_KEY) return [id];
  const keyId = keyOf({ id });
  if (keyId === null) return [];
  const keys = await sql<{ id: string }[]>`
    with recursive family (id) as (
      select ${keyId}::uuid
      union
      select k.id from family f left join api_keys own on own.id = f.id
        join api_keys k on k.made_by_key = f.id or k.rotated_to = f.id or k.id = own.rotated_to)
    select id from family`;
  return keys.map((key) => showId('key', key.id));
}

const isOver = (sql: Sql | Tx) => sql`(revoked_at is not null or coalesce(expires_at <= now(), false))`;

const shown = (sql: Sql | Tx) => sql`
  id, kind, hint, name, scopes, checks, addresses, expires_at, daily_cap_kobo, created_at, last_used_at, revoked_at, rotated_to, made_by,
  ${isOver(sql)} as over`;

const heldBy = (sql: Sql | Tx, holder: Holder) =>
  holder === 'deployment' ? sql`app_id is null` : sql`app_id = ${holder.appId} and kind = ${holder.live ? 'live' : 'test'}`;

interface KeyFilter {
  /** Only older ones. */
  before: string | null;
  limit: number;
  /** Part of the name or of the hint; null: any. */
  name?: string | null;
  /** Whether they work; null: either. */
  isActive?: boolean | null;
}

/** Newest first. */
export async function readKeys(
  { sql }: Context,
  holder: Holder,
  { before, limit, name = null, isActive = null }: KeyFilter,
): Promise<StoredKey[]> {
  return [
    ...(await sql<StoredKey[]>`
      select ${shown(sql)} from api_keys
      where ${heldBy(sql, holder)} ${narrowed(sql, [
        before !== null && sql`id < ${before}`,
        name !== null && sql`strpos(lower(concat_ws(' ', name, hint)), lower(${name})) > 0`,
        isActive !== null && sql`${isOver(sql)} = ${!isActive}`,
      ])}
      order by id desc limit ${limit}`),
  ];
}

/** A key that works, and whose it is: null for one of the deployment. */
export interface WorkingKey extends Pick<StoredKey, 'id' | 'kind' | 'name'> {
  appId: string | null;
}

/** The keys that a person made, also by a key of theirs, and that still work: in all apps and both modes, and of the deployment. Oldest first. */
export async function workingKeysMadeBy({ sql }: Pick<Context, 'sql'>, personId: string): Promise<WorkingKey[]> {
  return [
    ...(await sql<WorkingKey[]>`
      select id, kind, name, app_id from api_keys
      where made_by = ${personId} and revoked_at is null and (expires_at is null or expires_at > now())
      order by id`),
  ];
}

/** `holder`: only a key of theirs. `forUpdate` locks it. Null if there is none. */
export async function readKey(
  sql: Sql | Tx,
  { id, holder, forUpdate = false }: { id: string; holder?: Holder; forUpdate?: boolean },
): Promise<StoredKey | null> {
  const [key] = await sql<StoredKey[]>`
    select ${shown(sql)} from api_keys
    where id = ${id} ${narrowed(sql, [holder !== undefined && heldBy(sql, holder)])}
    ${forUpdate ? sql`for update` : sql``}`;
  return key ?? null;
}

/** Changes the given terms of a key, in every process at once. Null if it is over or was rotated: its overlap would not end. */
export async function changeKey(ctx: Context, id: string, terms: Partial<KeyTerms>, by: Author): Promise<StoredKey | null> {
  const has = (name: keyof KeyTerms) => name in terms;
  const { name = null, scopes = null, checks = null, addresses = null, expiresAt = null, dailyCapKobo = null } = terms;
  return ctx.sql.begin(async (tx) => {
    const [key] = await tx<(StoredKey & { appId: string | null })[]>`
    update api_keys set
      name = case when ${has('name')} then ${name} else name end,
      scopes = case when ${has('scopes')} then ${scopes as string[] | null}::text[] else scopes end,
      checks = case when ${has('checks')} then ${checks as string[] | null}::text[] else checks end,
      addresses = case when ${has('addresses')} then ${addresses as string[] | null}::text[] else addresses end,
      expires_at = case when ${has('expiresAt')} then ${expiresAt}::timestamptz else expires_at end,
      daily_cap_kobo = case when ${has('dailyCapKobo')} then ${dailyCapKobo}::bigint else daily_cap_kobo end
    where id = ${id} and revoked_at is null and rotated_to is null and (expires_at is null or expires_at > now())
    returning app_id, ${shown(tx)}`;
    if (!key) return null;
    await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
    await record(tx, by, { ...entryOf(key), action: 'key.change', detail: detailOf(terms) });
    const { appId: _, ...changed } = key;
    return changed;
  });
}

/**
 * Makes a key with the same terms and ends the old one `overlapSeconds` from now, or when it would have expired anyway. What both spend counts towards
 * one daily cap (`money/caps.ts`). Null if the key is over or was rotated before. `refuse` sees the key while it is locked, and throws if it must not be rotated.
 */
export async function rotateKey(
  ctx: Context,
  { id, holder }: { id: string; holder: Holder },
  overlapSeconds: number,
  refuse: (key: StoredKey) => void,
  by: Author,
): Promise<{ old: StoredKey; made: NewKey } | null> {
  return ctx.sql.begin(async (tx) => {
    const key = await readKey(tx, { id, holder, forUpdate: true });
    if (!key || key.over || key.rotatedTo !== null) return null;
    refuse(key);
    const appId = holder === 'deployment' ? null : holder.appId;
    const made = await insertKey(tx, key.kind, appId, key, by);
    const [old] = await tx<StoredKey[]>`
      update api_keys set rotated_to = ${made.id}, expires_at = least(expires_at, now() + ${overlapSeconds} * interval '1 second')
      where id = ${key.id} returning ${shown(tx)}`;
    await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
    const detail = { made: showId('key', made.id), overlapSeconds };
    await record(tx, by, { ...entryOf({ ...key, appId }), action: 'key.rotate', detail });
    return { old: old!, made };
  });
}

/** Where from and for what the keys may be used, now. Leaves out those that were revoked or have expired. */
export async function readUses({ sql }: Pick<Context, 'sql'>, ids: readonly string[]): Promise<Map<string, KeyUse>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<(KeyUse & { id: string })[]>`
    select id, scopes, addresses from api_keys
    where id = any(${ids as string[]}::uuid[]) and revoked_at is null and (expires_at is null or expires_at > now())`;
  return new Map(rows.map(({ id, ...use }) => [id, use]));
}

/** Takes effect in every process at once. False if there is no such key or it is already revoked. `holder`: only a key of theirs. */
export async function revokeKey(ctx: Context, id: string, by: Author, holder?: Holder): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    const [revoked] = await tx<{ appId: string | null; kind: KeyKind }[]>`
    update api_keys set revoked_at = now() where id = ${id} and revoked_at is null
      ${narrowed(tx, [holder !== undefined && heldBy(tx, holder)])} returning app_id, kind`;
    if (!revoked) return false;
    await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
    await record(tx, by, { ...entryOf({ id, ...revoked }), action: 'key.revoke' });
    return true;
  });
}
