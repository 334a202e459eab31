/**
 * Idempotency keys: which process may carry out a request, and the answer it got. A request claims its key before it begins and renews the claim while it runs; an
 * unrenewed claim is taken over. The answer is stored in the transaction that makes it true, and only by the current holder of the claim, so two requests with
 * one key are never both accepted, whatever stalls or dies in between. The caller decides what makes two requests the same (`api/fingerprint.ts`).
 */
import type postgres from 'postgres';
import type { KeyLimits } from '../contract/keys.ts';
import { fixedKinds } from '../contract/retention.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import type { Cipher } from '../foundation/data-keys.ts';
import { errorCodes } from '../foundation/errors.ts';
import { newId, showId, uuidFromHex } from '../foundation/ids.ts';
import { byteaArray } from '../foundation/recordset.ts';

/** How long the key of a dead process stays claimed. */
const LOCK_SECONDS = 15;
const RENEW_MS = 5_000;
const KEPT_HOURS = fixedKinds.answers.live * 24;

/** `key` as the client sent it: 1 to 255 characters. Admin keys have no app; they share the nil id. */
export interface KeyScope {
  appId: string;
  live: boolean;
  key: string;
}

export interface KeptAnswer {
  /** What the key could do that got it. Null: everything. */
  terms: KeyLimits | null;
  fingerprint: Buffer;
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Claim {
  /** Also the id of the single call made under it. */
  id: string;
  /** The call of an earlier claim that was taken over, which may have been charged. Null: there was none. */
  earlier: string | null;
  /** To be called once `earlier` can no longer be charged. False: the claim was taken over itself. */
  succeed(tx: Tx): Promise<boolean>;
  /** A keyed hash of `text`, valid for this idempotency key only. */
  sign(text: string): Buffer;
  /** True once `keep` was called, even if its transaction is rolled back later. */
  readonly kept: boolean;
  /** Stores the answer for 24 hours. False: the claim was taken over, and nothing must be accepted under it. */
  keep(sql: Sql | Tx, answer: KeptAnswer): Promise<boolean>;
  /** The call under this claim has failed, but may have been charged. */
  doubt(): void;
  /** Frees the key, unless an answer was stored and committed. If its call may have been charged, the key is kept, but another request may take it over at once. */
  release(): Promise<void>;
  /** Stops renewing; a claim neither kept nor released expires with its lock. */
  stop(): void;
}

export type Claimed =
  | { state: 'claimed'; claim: Claim }
  | { state: 'in_progress' }
  /** `signs`: as `Claim.sign`, by every key that may have made the fingerprint. `call`: the id of the single call, if it was one. */
  | { state: 'answered'; answer: KeptAnswer; signs: (text: string) => Buffer[]; call: string | null };

interface Row {
  key: Buffer;
  fingerprint: Buffer;
  status: number | null;
  headers: Record<string, string>;
  terms: KeyLimits | null;
  body: Buffer;
  firstClaim: string | null;
}

/** What a claim that was won returns. */
interface Put {
  firstClaim: string;
}

const firstOf = (rows: readonly Put[]): string | null => rows[0]?.firstClaim ?? null;

export async function claimKey(ctx: Context, scope: KeyScope): Promise<Claimed> {
  const { appId, live } = scope;
  // Hashed with a key, because clients may put anything into their keys.
  const [key, ...others] = ctx.cipher.indexes('idempotency', scope.key);
  const sign = (text: string) => ctx.cipher.sign(FINGERPRINT, fingerprinted(appId, live, key, text));
  for (;;) {
    const claim = newId();
    const put = (sql: Sql | Tx) => sql<Put[]>`
      insert into idempotency_keys as k (app_id, live, key, claim, first_claim, locked_until, expires_at)
      values (${appId}, ${live}, ${key}, ${claim}, ${claim}, now() + ${LOCK_SECONDS} * interval '1 second', now() + ${KEPT_HOURS} * interval '1 hour')
      on conflict (app_id, live, key) do update
        set claim = excluded.claim, locked_until = excluded.locked_until, expires_at = excluded.expires_at, created_at = now(),
            first_claim = case when k.expires_at <= now() then excluded.first_claim else coalesce(k.first_claim, excluded.first_claim) end,
            fingerprint = null, status = null, headers = null, terms = null, body = null
        where k.expires_at <= now() or (k.status is null and k.locked_until <= now())
      returning first_claim`;
    const { first, known } =
      others.length === 0 ? { first: firstOf(await put(ctx.sql)), known: null } : await putAlone(ctx, scope, [key, ...others], put);
    if (first !== null)
      return { state: 'claimed', claim: openClaim(ctx, { appId, live, key, claim, sign, earlier: first === claim ? null : first }) };
    const [row] = known
      ? [known]
      : await ctx.sql<Row[]>`
          select key, fingerprint, status, headers, terms, body, first_claim from idempotency_keys where app_id = ${appId} and live = ${live} and key = ${key}`;
    // Released between the two statements: try again.
    if (!row) continue;
    if (row.status === null) return { state: 'in_progress' };
    return answered(ctx, scope, { ...row, status: row.status });
  }
}

/**
 * Claims the key. For a day after a change of the index key, and while processes have different ones, its claim or answer may be stored under another index
 * key: then nothing is claimed, and that row is `known`.
 */
async function putAlone(
  { sql }: Context,
  { appId, live }: KeyScope,
  [key, ...others]: readonly [Buffer, ...Buffer[]],
  put: (sql: Tx) => postgres.PendingQuery<Put[]>,
): Promise<{ first: string | null; known: Row | null }> {
  return sql.begin(async (tx) => {
    // The same name, whichever key is current in this process.
    const name = [key, ...others].map((hash) => hash.toString('hex')).sort()[0]!;
    await tx`select pg_advisory_xact_lock(hashtextextended(${`${appId} ${live} ${name}`}, 0))`;
    const [row] = await tx<Row[]>`
      select key, fingerprint, status, headers, terms, body, first_claim from idempotency_keys
      where app_id = ${appId} and live = ${live} and key = any(${byteaArray(others)}::bytea[])
        and expires_at > now() and (status is not null or locked_until > now()) limit 1`;
    return row ? { first: null, known: row } : { first: firstOf(await put(tx)), known: null };
  });
}

/** Its fingerprint may be signed by an older key than the one that would sign now. */
async function answered(
  { cipher }: Context,
  { appId, live }: KeyScope,
  { key, fingerprint, status, headers, terms, body, firstClaim }: Row & { status: number },
): Promise<Claimed> {
  const opened = await cipher.open(body, 'idempotency', sealedFor(appId, live, key));
  return {
    state: 'answered',
    signs: (text) => cipher.signatures(FINGERPRINT, fingerprinted(appId, live, key, text)),
    answer: { fingerprint, status, headers, terms, body: opened },
    call: firstClaim,
  };
}

const FINGERPRINT = 'fingerprint';
const fingerprinted = (appId: string, live: boolean, key: Buffer, text: string): string => `${sealedFor(appId, live, key)}:${text}`;

interface Claiming {
  appId: string;
  live: boolean;
  key: Buffer;
  claim: string;
  sign: Claim['sign'];
  earlier: Claim['earlier'];
}

function openClaim(ctx: Context, { appId, live, key, claim, sign, earlier }: Claiming): Claim {
  const mine = (sql: Sql | Tx) => sql`app_id = ${appId} and live = ${live} and key = ${key} and claim = ${claim}`;
  let kept = false;
  let isDoubted = false;
  const renewal = setInterval(() => {
    ctx.sql`update idempotency_keys set locked_until = now() + ${LOCK_SECONDS} * interval '1 second' where ${mine(ctx.sql)}`.catch(
      (error: unknown) => ctx.log.warn({ err: error }, "an idempotency key's claim was not renewed"),
    );
  }, RENEW_MS);
  renewal.unref();
  return {
    id: claim,
    earlier,
    succeed: async (tx) => (await tx`update idempotency_keys set first_claim = claim where ${mine(tx)}`).count > 0,
    sign,
    get kept() {
      return kept;
    },
    async keep(sql, answer) {
      kept = true;
      const { seal } = await ctx.cipher.sealer({ appId });
      const stored = await sql`
        update idempotency_keys set fingerprint = ${answer.fingerprint}, status = ${answer.status},
          headers = ${JSON.stringify(answer.headers)}::text::jsonb, terms = ${answer.terms && JSON.stringify(answer.terms)}::text::jsonb, body = ${seal(answer.body, 'idempotency', sealedFor(appId, live, key))},
          claim = null, locked_until = null, expires_at = now() + ${KEPT_HOURS} * interval '1 hour'
        where ${mine(sql)}`;
      return stored.count > 0;
    },
    doubt: () => {
      isDoubted = true;
    },
    release: async () =>
      void (await ctx.sql`
        with freed as (delete from idempotency_keys where ${mine(ctx.sql)} and first_claim = claim and not ${isDoubted})
        update idempotency_keys set locked_until = now() where ${mine(ctx.sql)} and (first_claim <> claim or ${isDoubted})`),
    stop: () => clearInterval(renewal),
  };
}

const sealedFor = (appId: string, live: boolean, key: Buffer): string => `${appId}:${live}:${key.toString('hex')}`;

/**
 * Replaces the answers that gave the location of something (`Location`) that was then deleted. The keys stay: a repeated request must not create it again. `locations`:
 * paths.
 */
export async function forgetAnswers(tx: Tx, cipher: Cipher, owner: Caller, locations: readonly string[]): Promise<void> {
  if (locations.length === 0) return;
  const kept = await tx<{ key: Buffer }[]>`
    select key from idempotency_keys
    where app_id = ${owner.appId} and live = ${owner.live} and headers ->> 'Location' = any(${[...locations]}::text[]) order by key for update`;
  for (const { key } of kept) await replaceAnswer(tx, cipher, owner, key);
}

/**
 * Keys read per statement. While their answers are searched the transaction is idle, which Postgres allows for 1.5 s; on a busy machine, one answer of 575 bytes
 * took up to 0.2 ms.
 */
const KEYS_PAGE = 100;

/**
 * Replaces the kept answers whose body `names` accepts: they name what was deleted. Begins after `place`, and stops once `isLong` is true. Returns the
 * place to continue from (a UUID), or null at the end.
 */
export async function forgetAnswersNaming(
  tx: Tx,
  cipher: Cipher,
  owner: Caller,
  names: (body: string) => boolean,
  { place, isLong }: { place: string | null; isLong: () => boolean },
): Promise<string | null> {
  const { appId, live } = owner;
  for (let after = lastKeyOf(place); ; ) {
    const kept: { key: Buffer; body: Buffer }[] = await tx<{ key: Buffer; body: Buffer }[]>`
      select key, body from idempotency_keys
      where app_id = ${appId} and live = ${live} and body is not null and key > ${after} order by key limit ${KEYS_PAGE}`;
    const { open } = await cipher.opener(kept.map(({ body }) => body));
    for (const { key, body } of kept)
      if (names(open(body, 'idempotency', sealedFor(appId, live, key)))) await replaceAnswer(tx, cipher, owner, key);
    if (kept.length < KEYS_PAGE) return null;
    after = kept.at(-1)!.key;
    if (isLong()) return placeOf(after);
  }
}

/** The first half of a key, which is a hash of 256 bits: no two keys share it. */
const placeOf = (key: Buffer): string => uuidFromHex(key.toString('hex', 0, PLACE_BYTES));
const lastKeyOf = (place: string | null): Buffer =>
  place === null ? Buffer.alloc(0) : Buffer.concat([Buffer.from(place.replaceAll('-', ''), 'hex'), Buffer.alloc(PLACE_BYTES, 0xff)]);
const PLACE_BYTES = 16;

type Caller = Omit<KeyScope, 'key'>;

async function replaceAnswer(tx: Tx, cipher: Cipher, { appId, live }: Caller, key: Buffer): Promise<void> {
  const answer = {
    status: 'error',
    error: 'What this request made was deleted',
    code: 'resource_not_found',
    meta: { request_id: showId('req', newId()) },
  };
  const { seal } = await cipher.sealer({ appId });
  await tx`
    update idempotency_keys set status = ${errorCodes.resource_not_found.status}, headers = '{"Content-Type": "application/json"}'::jsonb,
      body = ${seal(JSON.stringify(answer), 'idempotency', sealedFor(appId, live, key))}
    where app_id = ${appId} and live = ${live} and key = ${key}`;
}

/** For a database that no other process uses: whatever was in progress died with the last process. */
export async function releaseAllClaims(ctx: Context): Promise<void> {
  await ctx.sql`update idempotency_keys set locked_until = now() where status is null`;
}

/** Removes at most `limit` expired keys; returns how many. */
export async function dropExpiredKeys(ctx: Context, limit: number): Promise<number> {
  const dropped = await ctx.sql`
    delete from idempotency_keys where (app_id, live, key) in (
      select app_id, live, key from idempotency_keys where expires_at <= now() limit ${limit} for update skip locked)`;
  return dropped.count;
}
