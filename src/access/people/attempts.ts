/**
 * Failed sign-ins with a password or a link. The first few are free; after that every further attempt must wait, twice as long after each failure.
 *
 * A stranger must not be able to lock anybody out, so people who have signed in from a browser before are counted separately: the browser holds a signed cookie for that
 * address, and its attempts count for itself only. Attempts from unknown browsers count for their network, and for the address that they name, whether or not
 * there is such a person. Passkeys, links and OIDC are never refused because somebody guessed passwords: the second factor after a link
 * has a count of its own.
 *
 * An attempt is counted before it is made and taken back if it succeeds, so that many at once cannot exceed the limit.
 */
import type { Context, Tx } from '../../foundation/context.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { ApiError, retryAfter } from '../../foundation/errors.ts';
import { byteaArray } from '../../foundation/recordset.ts';
import { newToken } from './tokens.ts';

interface Allowance {
  /** Failures that cost no wait. */
  free: number;
  /** Failures are forgotten after this long without one. */
  forgetSeconds: number;
}

const NETWORK: Allowance = { free: 20, forgetSeconds: 15 * 60 };
const PERSON: Allowance = { free: 10, forgetSeconds: 24 * 3600 };
const WAIT_SECONDS_MAX = 15 * 60;
/** The longest time after which failures are forgotten. */
const FORGET_SECONDS_MAX = PERSON.forgetSeconds;

/** Who tries: the network of the request, the address that it names, and the cookie of its browser. */
export interface Claimant {
  network: string;
  email: string;
  browser: string | null;
  /** A link stands in for the password. */
  isByLink?: boolean;
}

/** `older`: the same count under the other index keys. */
type Counted = Allowance & { key: Buffer; older: Buffer[] };

/** Counts an attempt as failed. Throws `rate_limited` while one of its counts has to wait. */
export async function beginAttempt(ctx: Context, claimant: Claimant): Promise<void> {
  await ctx.sql.begin(async (tx) => {
    for (const counted of countsOf(ctx, claimant)) await count(ctx, tx, counted);
  });
}

/** Takes back what `beginAttempt` counted. */
export async function attemptSucceeded(ctx: Context, claimant: Claimant): Promise<void> {
  for (const { key } of countsOf(ctx, claimant))
    await ctx.sql`update sign_in_failures set failures = greatest(failures - 1, 0), wait_until = null where key = ${key}`;
}

/** The cookie by which a browser is known as one that `email` has signed in from. */
export function newBrowser({ cipher }: Context, email: string): string {
  const id = newToken();
  return `${id}.${cipher.sign(BROWSER, browserText(id, email)).toString('base64url')}`;
}

/** Whether `browser` was made for this address. */
function isKnownBrowser({ cipher }: Pick<Context, 'cipher'>, email: string, browser: string | null): boolean {
  const [id = '', signed = ''] = (browser ?? '').split('.');
  return cipher.signatures(BROWSER, browserText(id, email)).some((signature) => sameSecret(signed, signature.toString('base64url')));
}

const BROWSER = 'browser';
const browserText = (id: string, email: string): string => `${id} ${email}`;

/** In the order of their keys, so that two attempts cannot wait for each other's rows. */
function countsOf(ctx: Context, { network, email, browser, isByLink = false }: Claimant): Counted[] {
  // By person rather than by link: another link allows no more guesses.
  if (isByLink) return [{ ...PERSON, ...keysOf(ctx, 'link', email) }];
  if (isKnownBrowser(ctx, email, browser)) return [{ ...PERSON, ...keysOf(ctx, 'browser', browser!) }];
  return [
    { ...NETWORK, ...keysOf(ctx, 'network', network) },
    { ...PERSON, ...keysOf(ctx, 'person', email) },
  ].sort((one, other) => one.key.compare(other.key));
}

function keysOf({ cipher }: Context, kind: 'browser' | 'link' | 'network' | 'person', who: string): Pick<Counted, 'key' | 'older'> {
  const [key, ...older] = cipher.indexes('sign_in', kind, who);
  return { key, older };
}

async function count({ metrics }: Context, tx: Tx, { key, older, free, forgetSeconds }: Counted): Promise<void> {
  // A change of the index key forgets no failure.
  if (older.length > 0)
    await tx`
      update sign_in_failures set key = ${key} where key = (select key from sign_in_failures where key = any(${byteaArray(older)}::bytea[]) order by failed_at desc limit 1)
        and not exists (select 1 from sign_in_failures where key = ${key})`;
  const [counted] = await tx`
    insert into sign_in_failures as f (key, failures) values (${key}, 1)
    on conflict (key) do update set
      failures = case when f.failed_at < now() - make_interval(secs => ${forgetSeconds}) then 1 else f.failures + 1 end,
      wait_until = case when f.failed_at >= now() - make_interval(secs => ${forgetSeconds}) and f.failures + 1 >= ${free}::int
        then now() + make_interval(secs => least(2 ^ least(f.failures + 1 - ${free}::int, 20), ${WAIT_SECONDS_MAX})) end,
      failed_at = now()
    where f.wait_until is null or f.wait_until <= now()
    returning 1 as one`;
  if (counted) return;
  const [waiting] = await tx<
    { seconds: number }[]
  >`select greatest(1, ceil(extract(epoch from wait_until - now())))::int as seconds from sign_in_failures where key = ${key}`;
  const seconds = waiting?.seconds ?? 1;
  metrics.failedSignIns.inc({ reason: 'held_off' });
  throw new ApiError('rate_limited', `Too many attempts to sign in have failed; try again in ${seconds} s`, {
    headers: retryAfter(seconds),
  });
}

/** Removes counts that have not grown for as long as they matter. */
export async function dropOldFailures({ sql }: Context): Promise<void> {
  await sql`delete from sign_in_failures where failed_at < now() - make_interval(secs => ${FORGET_SECONDS_MAX})`;
}
