/**
 * Who is calling. A key is looked up by its hash and cached for a few seconds. A change is announced to every process and so takes effect at once. In case an
 * announcement is lost, cached keys are compared with the database at a short interval, all in one query, so that a change holds within a second anyway.
 */
import type { Next } from 'hono';
import { createMiddleware } from 'hono/factory';
import { LRUCache } from 'lru-cache';
import { openAnnounced } from '../access/announced.ts';
import { openKeyUses } from '../access/key-uses.ts';
import { CONFIGURED_KEY, KEYS_CHANNEL, UNRESTRICTED } from '../access/keys.ts';
import type { Owner } from '../access/owner.ts';
import type { Session } from '../access/people/sessions.ts';
import { refuseAddress, refuseScope } from '../access/restrictions.ts';
import type { KeyTerms } from '../contract/keys.ts';
import type { Context, Sql } from '../foundation/context.ts';
import { hashApiKey, parseApiKey, sameSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { group } from '../foundation/group.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { byteaArray } from '../foundation/recordset.ts';
import { agreedPrices } from '../money/prices.ts';
import type { Service } from '../pipeline/service.ts';
import { clientAddress } from './client-address.ts';
import { callerOf, type Http, type Variables } from './http.ts';
import { openPersonGuard, type PersonGuard, refuseWithoutSecondFactor } from './person-guard.ts';
import { openSignIns } from './sign-ins.ts';

const REMEMBER_MS = 5_000;

/** Stands for the app of an admin key, which has none, and for the key from the configuration, which is in no table. */
const NIL = '00000000-0000-0000-0000-000000000000';

export interface KeyHolder extends Owner {
  keyId: string;
  kind: 'live' | 'test' | 'admin';
  terms: KeyTerms;
}

interface Remembered {
  owner: KeyHolder;
  /** When the key expires, on the clock of `performance.now()`. */
  until: number;
  /** Changes with the key's terms. */
  version: string;
}

/** Requests go through this before their handler. `countedAs`: the id of the key or the person whose requests are counted. */
export type Admit = (c: Http, owner: Pick<Owner, 'appId' | 'live' | 'settings'>, countedAs: string, next: Next) => Promise<void>;

export interface Admitting {
  /** Requests about an app or the deployment. */
  admit: Admit;
  /** Requests of people about their own accounts. */
  admitPerson(c: Http, personId: string, next: Next): Promise<void>;
}

export interface Authentication {
  /** Needs a live or test key and its AppId, or a session of a person whose role allows it; sets `caller`. */
  app: ReturnType<typeof createMiddleware<{ Variables: Variables }>>;
  /** Needs an admin key, or a session of an administrator. */
  admin: ReturnType<typeof createMiddleware<{ Variables: Variables }>>;
  /** Needs an admin key or CONFAM_METRICS_TOKEN. */
  monitoring: ReturnType<typeof createMiddleware<{ Variables: Variables }>>;
  /** Needs a session; sets `session`. */
  person: ReturnType<typeof createMiddleware<{ Variables: Variables }>>;
  people: PersonGuard;
  /** Drops every cached key now, without waiting for the database to send the announcement of a change back. */
  forget(): void;
  close(): Promise<void>;
}

const CONFIGURED_ADMIN: KeyHolder = { appId: NIL, keyId: NIL, kind: 'admin', live: false, settings: {}, terms: UNRESTRICTED };

export async function openAuthentication(
  ctx: Context & Pick<Service, 'suspensions'>,
  { admit, admitPerson }: Admitting,
): Promise<Authentication> {
  const remembered = new LRUCache<string, Remembered>({ max: 10_000, ttl: REMEMBER_MS });
  /** Counts announcements. A key that was read before an announcement must not be cached after it. */
  let announcements = 0;
  const forget = () => {
    announcements++;
    remembered.clear();
  };
  const listener = await ctx.sql.listen(KEYS_CHANNEL, forget);
  const endComparing = await openAnnounced(
    ctx,
    'changes of cached keys',
    () => changedKeys(ctx, [...remembered]),
    (hashes) => {
      for (const hash of hashes) remembered.delete(hash);
    },
  );
  const lookUp = group<string, Remembered | null>(
    async (hashes) => {
      const asked = performance.now();
      const rows = await ctx.sql<
        (Omit<KeyHolder, 'live' | 'terms'> & KeyTerms & { hash: string; leftMs: number | null; version: string })[]
      >`
        select encode(k.hash, 'hex') as hash, coalesce(k.app_id, ${NIL}) as app_id, k.kind, k.id as key_id, k.daily_cap_kobo as key_daily_cap_kobo,
               k.name, k.scopes, k.checks, k.addresses, k.expires_at, k.daily_cap_kobo, extract(epoch from k.expires_at - now())::float8 * 1000 as left_ms,
               ${versionOf(ctx.sql)} as version,
               coalesce(a.settings, '{}') as settings, ${agreedPrices(ctx.sql)} as prices,
               k.kind = 'test' and exists (select 1 from sandbox_portraits p where p.app_id = k.app_id) as has_portraits
        from api_keys k left join apps a on a.id = k.app_id
        where k.hash = any(${byteaArray(hashes)}::bytea[])
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;
      const found = new Map(
        rows.map(({ hash, leftMs, version, name, scopes, checks, addresses, expiresAt, dailyCapKobo, ...owner }) => [
          hash,
          {
            owner: { ...owner, live: owner.kind === 'live', terms: { name, scopes, checks, addresses, expiresAt, dailyCapKobo } },
            until: leftMs === null ? Number.POSITIVE_INFINITY : asked + leftMs,
            version,
          },
        ]),
      );
      return hashes.map((hash) => found.get(hash) ?? null);
    },
    { itemsMax: 500, flushesMax: 2 },
  );

  const signIns = openSignIns(ctx);
  const uses = openKeyUses(ctx);
  const people = openPersonGuard(ctx);

  /** The owner of the request's key, or null. Failures count against the address of the request. */
  async function signIn(c: Http): Promise<KeyHolder | null> {
    const key = sentKey(c);
    const hash = hashApiKey(key).toString('hex');
    signIns.admit(c, hash);
    const owner = await ownerOf(key, hash);
    if (owner) {
      signIns.succeeded(hash);
      c.set('signedIn', signedIn(owner));
    } else signIns.failed(c, 'wrong_key');
    return owner;
  }

  async function ownerOf(key: string, hash: string): Promise<KeyHolder | null> {
    const { CONFAM_ADMIN_KEY: configured } = ctx.config;
    if (configured && sameSecret(key, configured)) return CONFIGURED_ADMIN;
    // The checksum refuses a mistyped key without a query.
    if (parseApiKey(key) === null) return null;
    const known = remembered.get(hash);
    if (known) return known.until > performance.now() ? known.owner : null;
    const before = announcements;
    const found = await lookUp(hash);
    if (found && before === announcements) remembered.set(hash, found);
    return found?.owner ?? null;
  }

  /** Refuses what the key's terms do not permit on this route. */
  function refuseBeyondTerms(c: Http, { keyId, terms }: KeyHolder): void {
    if (terms.addresses) refuseAddress(terms, clientAddress(c, ctx.config.CONFAM_TRUSTED_PROXIES));
    const scope = c.get('route')?.scope;
    if (scope) refuseScope(terms, scope);
    uses.used(keyId);
  }

  /** The owner of a key that was valid when the request began. */
  async function ownerNow(c: Http): Promise<KeyHolder> {
    const key = sentKey(c);
    const owner = await ownerOf(key, hashApiKey(key).toString('hex'));
    if (!owner) throw new ApiError('unauthenticated', 'The API key has expired or was revoked while the body was on its way');
    refuseBeyondTerms(c, owner);
    return owner;
  }

  /** `lookAgain` runs after a body that took long to arrive. It throws if the caller may no longer do this. */
  const stands = (c: Http, lookAgain: () => Promise<unknown>, sending?: () => void): void =>
    c.set('standing', { since: performance.now(), lookAgain: async () => void (await lookAgain()), ...(sending && { sending }) });

  function become(c: Http, owner: Owner): void {
    ctx.suspensions.refuse(owner.appId);
    c.set('caller', owner);
  }

  function refuseOthersThanAdministrators(session: Session): void {
    if (!session.administrator) throw new ApiError('forbidden', 'Only an administrator of the deployment may do this');
    if (ctx.config.CONFAM_REQUIRE_SECOND_FACTOR) refuseWithoutSecondFactor(ctx, session);
  }

  return {
    app: createMiddleware(async (c, next) => {
      refuseOtherSites(c);
      const session = c.req.header('authorization') ? null : await people.signedIn(c);
      if (session) {
        return people.renewing(c, async () => {
          const owner = await people.ownerFor(c, session);
          c.set('caller', owner);
          stands(c, async () => become(c, await people.ownerFor(c, await people.stillSignedIn(session))), people.sending(session));
          await admit(c, owner, session.personId, next);
        });
      }
      if (!c.req.header('authorization')) {
        const missing = 'The Authorization header is missing: send the API key as its value';
        throw new ApiError('unauthenticated', people.cookies.session(c) === null ? missing : 'The session has ended; sign in again');
      }
      const owner = await signIn(c);
      if (!owner) throw new ApiError('unauthenticated', 'The API key is wrong, has expired or was revoked');
      if (owner.kind === 'admin') throw new ApiError('forbidden', 'An admin key cannot act for an app; use one of the app’s keys');
      const appId = c.req.header('appid');
      if (!appId) throw new ApiError('unauthenticated', 'The AppId header is missing');
      if (parseId('app', appId.trim()) !== owner.appId) {
        signIns.failed(c, 'wrong_app');
        throw new ApiError('unauthenticated', 'The AppId does not belong to this API key');
      }
      refuseBeyondTerms(c, owner);
      c.set('caller', owner);
      stands(c, async () => become(c, await ownerNow(c)));
      await admit(c, owner, owner.keyId, next);
    }),
    admin: createMiddleware(async (c, next) => {
      const session = c.req.header('authorization') ? null : await people.signedIn(c);
      if (session) {
        return people.renewing(c, async () => {
          refuseOthersThanAdministrators(session);
          stands(c, async () => refuseOthersThanAdministrators(await people.stillSignedIn(session)));
          await admit(c, CONFIGURED_ADMIN, session.personId, next);
        });
      }
      const owner = c.req.header('authorization') ? await signIn(c) : null;
      if (!owner) throw new ApiError('unauthenticated', 'The admin key is missing or wrong, has expired or was revoked');
      if (owner.kind !== 'admin') throw new ApiError('forbidden', 'This requires an admin key');
      refuseBeyondTerms(c, owner);
      stands(c, () => ownerNow(c));
      await admit(c, owner, owner.keyId, next);
    }),
    monitoring: createMiddleware(async (c, next) => {
      const { CONFAM_METRICS_TOKEN: token } = ctx.config;
      if (token && sameSecret(sentKey(c), token)) return next();
      const owner = c.req.header('authorization') ? await signIn(c) : null;
      if (!owner) throw new ApiError('unauthenticated', 'Metrics need CONFAM_METRICS_TOKEN or an admin key');
      if (owner.kind !== 'admin') throw new ApiError('forbidden', 'Metrics need CONFAM_METRICS_TOKEN or an admin key');
      refuseBeyondTerms(c, owner);
      return next();
    }),
    person: createMiddleware(async (c, next) => {
      const session = await people.signedIn(c);
      if (!session) throw new ApiError('unauthenticated', 'Sign in first');
      stands(c, () => people.stillSignedIn(session));
      await people.renewing(c, () => admitPerson(c, session.personId, next));
    }),
    people,
    forget,
    close: async () => void (await Promise.all([uses.close(), listener.unlisten(), endComparing()])),
  };
}

/**
 * Browsers say where a request comes from (Fetch Metadata); programs do not. Calls by GET cost money, so only scripts of our own pages may make them: no other
 * site, and neither an address bar nor a picture.
 */
function refuseOtherSites(c: Http): void {
  const [site = 'same-origin', mode = 'cors'] = [c.req.header('sec-fetch-site'), c.req.header('sec-fetch-mode')];
  if (site !== 'same-origin' || !FETCH_MODES.includes(mode))
    throw new ApiError('forbidden', 'From a browser, only this site’s own pages may send this');
}

const FETCH_MODES = ['cors', 'same-origin'];

/** SQL over a key `k`. */
const versionOf = (sql: Sql) => sql`md5(row(k.scopes, k.checks, k.addresses, k.expires_at, k.daily_cap_kobo)::text)`;

/** The hashes of the cached keys that have ended or whose terms have changed. */
async function changedKeys({ sql }: Context, cached: [hash: string, Remembered][]): Promise<string[]> {
  if (cached.length === 0) return [];
  const ids = cached.map(([, { owner }]) => owner.keyId);
  const rows = await sql<{ id: string; version: string }[]>`
    select k.id, ${versionOf(sql)} as version from api_keys k
    where k.id = any(${ids}::uuid[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  return cached.flatMap(([hash, { owner, version }]) => (current.get(owner.keyId) === version ? [] : hash));
}

/** After `app`: a live key never reaches the sandbox and so has nothing there. */
export const refuseLiveKey = createMiddleware<{ Variables: Variables }>(async (c, next) => {
  if (callerOf(c).live) throw new ApiError('forbidden', 'Portraits belong to the sandbox; use a test key');
  await next();
});

function signedIn({ kind, keyId, appId, live, terms }: KeyHolder): Variables['signedIn'] {
  const id = keyId === NIL ? CONFIGURED_KEY : showId('key', keyId);
  return kind === 'admin'
    ? { actor: { kind: 'operator', id }, appId: null, live: null, terms }
    : { actor: { kind: 'key', id }, appId, live, terms };
}

const sentKey = (c: Http): string => (c.req.header('authorization') ?? '').replace(/^Bearer\s+/i, '').trim();
