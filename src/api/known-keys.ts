/**
 * API keys in use, looked up by their hash and cached for a few seconds. Changes are announced to every process and take effect at once. In case an
 * announcement is lost, all cached keys are also compared with the database every so often, in one query, so that a change takes effect within a second.
 */
import { LRUCache } from 'lru-cache';
import { openAnnounced } from '../access/announced.ts';
import { KEYS_CHANNEL, UNRESTRICTED } from '../access/keys.ts';
import type { Owner } from '../access/owner.ts';
import type { KeyTerms } from '../contract/keys.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { parseApiKey, sameSecret } from '../foundation/crypto.ts';
import { group } from '../foundation/group.ts';
import { NIL_ID } from '../foundation/ids.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { agreedPrices } from '../money/prices.ts';

const REMEMBER_MS = 5_000;

export interface KeyHolder extends Owner {
  keyId: string;
  kind: 'live' | 'test' | 'admin';
  terms: KeyTerms;
}

interface CachedKey {
  holder: KeyHolder;
  /** When the key expires, on the clock of `performance.now()`. */
  until: number;
  /** Changes with the key's terms. */
  version: string;
}

export const CONFIGURED_ADMIN: KeyHolder = { appId: NIL_ID, keyId: NIL_ID, kind: 'admin', live: false, settings: {}, terms: UNRESTRICTED };

export interface KnownKeys {
  /** `hash`: of the key, in hex. Null if nobody holds the key. */
  holderOf(key: string, hash: string): Promise<KeyHolder | null>;
  /** Drops every cached key now, without waiting for the database to send the announcement of a change back. */
  forget(): void;
  close(): Promise<void>;
}

export async function openKnownKeys(ctx: Context): Promise<KnownKeys> {
  const cached = new LRUCache<string, CachedKey>({ max: 10_000, ttl: REMEMBER_MS });
  /** Counts announcements. A key that was read before an announcement must not be cached after it. */
  let announcements = 0;
  const forget = () => {
    announcements++;
    cached.clear();
  };
  const listener = await ctx.sql.listen(KEYS_CHANNEL, forget);
  const endComparing = await openAnnounced(
    ctx,
    'changes of cached keys',
    () => changedKeys(ctx, [...cached]),
    (hashes) => {
      for (const hash of hashes) cached.delete(hash);
    },
  );
  const lookUp = group<string, CachedKey | null>((hashes) => readKeys(ctx, hashes), { itemsMax: 500, flushesMax: 2 });

  return {
    async holderOf(key, hash) {
      const { CONFAM_ADMIN_KEY: configured } = ctx.config;
      if (configured && sameSecret(key, configured)) return CONFIGURED_ADMIN;
      // The checksum refuses a mistyped key without a query.
      if (parseApiKey(key) === null) return null;
      const known = cached.get(hash);
      if (known) return known.until > performance.now() ? known.holder : null;
      const before = announcements;
      const found = await lookUp(hash);
      if (found && before === announcements) cached.set(hash, found);
      return found?.holder ?? null;
    },
    forget,
    close: async () => void (await Promise.all([listener.unlisten(), endComparing()])),
  };
}

/** In the order of `hashes`; null for a key that is unknown, was revoked or has expired. */
async function readKeys({ sql }: Context, hashes: readonly string[]): Promise<(CachedKey | null)[]> {
  const asked = performance.now();
  const rows = await sql<(Omit<KeyHolder, 'live' | 'terms'> & KeyTerms & { hash: string; leftMs: number | null; version: string })[]>`
    select encode(k.hash, 'hex') as hash, coalesce(k.app_id, ${NIL_ID}) as app_id, k.kind, k.id as key_id, k.daily_cap_kobo as key_daily_cap_kobo,
           k.name, k.scopes, k.checks, k.addresses, k.expires_at, k.daily_cap_kobo, extract(epoch from k.expires_at - now())::float8 * 1000 as left_ms,
           ${versionOf(sql)} as version,
           coalesce(a.settings, '{}') as settings, ${agreedPrices(sql)} as prices,
           k.kind = 'test' and exists (select 1 from sandbox_portraits p where p.app_id = k.app_id) as has_portraits
    from api_keys k left join apps a on a.id = k.app_id
    where k.hash = any(${byteaArray(hashes)}::bytea[])
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;
  const found = new Map(
    rows.map(({ hash, leftMs, version, name, scopes, checks, addresses, expiresAt, dailyCapKobo, ...owner }) => [
      hash,
      {
        holder: { ...owner, live: owner.kind === 'live', terms: { name, scopes, checks, addresses, expiresAt, dailyCapKobo } },
        until: leftMs === null ? Number.POSITIVE_INFINITY : asked + leftMs,
        version,
      },
    ]),
  );
  return hashes.map((hash) => found.get(hash) ?? null);
}

/** SQL over a key `k`. */
const versionOf = (sql: Sql) => sql`md5(row(k.scopes, k.checks, k.addresses, k.expires_at, k.daily_cap_kobo)::text)`;

/** The hashes of the cached keys that have ended or whose terms have changed. */
async function changedKeys({ sql }: Context, cached: [hash: string, CachedKey][]): Promise<string[]> {
  if (cached.length === 0) return [];
  const ids = cached.map(([, { holder }]) => holder.keyId);
  const rows = await sql<{ id: string; version: string }[]>`
    select k.id, ${versionOf(sql)} as version from api_keys k
    where k.id = any(${ids}::uuid[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  return cached.flatMap(([hash, { holder, version }]) => (current.get(holder.keyId) === version ? [] : hash));
}
