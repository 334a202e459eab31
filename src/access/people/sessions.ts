/**
 * Sessions of people. The browser holds a token in a cookie and the database its hash. A session ends after half an hour without a request of its person, after
 * twelve hours at the latest, and when its person is disabled. Its token is replaced every quarter of an hour, whenever somebody signs in, and with a new second factor or
 * password, so a stolen one does not last.
 */
import type { Context, Tx } from '../../foundation/context.ts';
import { sameSecret } from '../../foundation/crypto.ts';
import { DEPLOYMENT } from '../../foundation/data-keys.ts';
import { ApiError } from '../../foundation/errors.ts';
import { newId, showId } from '../../foundation/ids.ts';
import { byteaArray } from '../../foundation/recordset.ts';
import { type Author, bySystem } from '../audit/append.ts';
import type { Role } from '../roles.ts';
import { hasFactor } from './accounts.ts';
import { asPerson, recordOwn } from './record.ts';
import { hashToken, newToken } from './tokens.ts';

const IDLE_SECONDS = 30 * 60;
export const ABSOLUTE_SECONDS = 12 * 3600;
const ROTATE_SECONDS = 15 * 60;
/** How long the token before the last rotation is still accepted, for requests that were on their way. */
const OVERLAP_SECONDS = 60;
/** How long after signing in a person may change how they sign in. */
const FRESH_SECONDS = 15 * 60;
/** `seen_at` is written at most this often. */
const SEEN_SECONDS = 60;

/** How somebody has signed in. */
export type Method =
  | 'password'
  | 'password+totp'
  | 'password+recovery_code'
  | 'passkey'
  | 'link'
  | 'link+totp'
  | 'link+recovery_code'
  | 'oidc'
  | 'oidc+mfa';

/** Where a session was begun; shown to its person only. */
export interface Origin {
  address: string;
  browser: string;
}

export interface Session {
  id: string;
  personId: string;
  administrator: boolean;
  /** Whether the person has signed in recently enough to change how they sign in. */
  isFresh: boolean;
  /** When the token is due to be replaced. */
  isDue: boolean;
  method: Method;
  /** Whether the person has an authenticator app or a passkey by now. */
  hasFactor: boolean;
  /** Whether they set one up in this session. */
  hasEnrolled: boolean;
}

export interface ListedSession extends Origin {
  id: string;
  method: Method;
  createdAt: string;
  seenAt: string;
}

const BROWSER_CHARACTERS_MAX = 300;

const seconds = (sql: Context['sql'] | Tx, count: number) => sql`make_interval(secs => ${count})`;

/** Whether a session `s` has not run out. */
const isAlive = (sql: Context['sql'] | Tx) =>
  sql`s.seen_at > now() - ${seconds(sql, IDLE_SECONDS)} and s.created_at > now() - ${seconds(sql, ABSOLUTE_SECONDS)}`;

/** Somebody who has shown who they are. */
export interface Proven {
  personId: string;
  method: Method;
  /** The stored password that theirs was compared with. */
  password?: Buffer | null;
  /** The stored secret of the authenticator app that their code was compared with. */
  totp?: Buffer;
  /** The id of their passkey. */
  passkey?: string;
  /** Hashes of the recovery codes that they had left. */
  recoveryCodes?: readonly Buffer[];
}

/**
 * Throws `unauthenticated` if how the person signs in has changed since they were checked: the change ended their sessions, and must end the sign-ins that were on
 * their way, too.
 */
export async function openSession(
  { sql, cipher }: Context,
  { personId, method, ...shown }: Proven,
  { address, browser }: Origin,
  by: Author = bySystem('setup'),
): Promise<{ id: string; token: string }> {
  const id = newId();
  const token = newToken();
  const about = JSON.stringify({ address, browser: browser.slice(0, BROWSER_CHARACTERS_MAX) });
  const { seal } = await cipher.sealer(DEPLOYMENT);
  await sql.begin(async (tx) => {
    const [person] = await tx<(Stored & { hasFactor: boolean })[]>`
      select p.password, p.totp, ${hasFactor(tx)} as has_factor from people p where p.id = ${personId} and p.disabled_at is null for no key update`;
    const stands = person && !(person.hasFactor && LACKING_A_FACTOR.includes(method)) && (await isAsShown(tx, personId, person, shown));
    if (!stands) throw new ApiError('unauthenticated', 'How you sign in has just been changed; sign in again');
    await tx`
      insert into sessions (id, person_id, hash, method, about)
      values (${id}, ${personId}, ${hashToken(token)}, ${method}, ${seal(about, 'session', id)})`;
    await recordOwn(tx, asPerson(by, personId), personId, { action: 'session.begin', detail: { session: showId('ses', id), method } });
  });
  return { id, token };
}

type Stored = { password: Buffer | null; totp: Buffer | null };

/** Whether what they signed in with is still in use. Recovery codes that they did not have then show that theirs were replaced. */
async function isAsShown(
  tx: Tx,
  personId: string,
  stored: Stored,
  { password, totp, passkey, recoveryCodes }: Omit<Proven, 'personId' | 'method'>,
): Promise<boolean> {
  if (password && !stored.password?.equals(password)) return false;
  if (totp && !stored.totp?.equals(totp)) return false;
  if (passkey !== undefined) return (await tx`select 1 from passkeys where id = ${passkey} and person_id = ${personId}`).count > 0;
  if (recoveryCodes === undefined) return true;
  const replaced = await tx`
    select 1 from recovery_codes where person_id = ${personId} and hash <> all(${byteaArray(recoveryCodes)}::bytea[]) limit 1`;
  return replaced.count === 0;
}

/**
 * Locks a person whose way to sign in is about to change: a sign-in that was on its way has begun by then or finds the change. Throws `unauthenticated` if `session`,
 * in which they ask for it, has ended: what was on its way in it must not outlast what ended it.
 */
export async function lockForChange(tx: Tx, personId: string, session: string | null): Promise<void> {
  await tx`select 1 from people where id = ${personId} for no key update`;
  if (session === null) return;
  const [alive] =
    await tx`select 1 from sessions s where s.id = ${session} and s.person_id = ${personId} and ${isAlive(tx)} for no key update`;
  if (!alive) throw new ApiError('unauthenticated', 'The session has ended; sign in again');
}

/** The session of `token`, unless it has ended. `isUse`: reading it restarts the idle time. */
export async function readSession({ sql }: Context, token: string, { isUse = true } = {}): Promise<Session | null> {
  const hash = hashToken(token);
  const [session] = await sql<Session[]>`
    with found as (
      select s.*, p.administrator, ${hasFactor(sql)} as has_factor from sessions s join people p on p.id = s.person_id and p.disabled_at is null
      where (s.hash = ${hash} or (s.previous_hash = ${hash} and s.rotated_at > now() - ${seconds(sql, OVERLAP_SECONDS)})) and ${isAlive(sql)}),
    seen as (
      update sessions set seen_at = now() where ${isUse} and id in (select id from found where seen_at < now() - ${seconds(sql, SEEN_SECONDS)}))
    select id, person_id, administrator, method, has_factor, enrolled as has_enrolled, created_at > now() - ${seconds(sql, FRESH_SECONDS)} as is_fresh,
      hash = ${hash} and rotated_at < now() - ${seconds(sql, ROTATE_SECONDS)} as is_due
    from found`;
  return session ?? null;
}

/** A session by its id, unless it has ended. Not a use of it. */
export async function findSession({ sql }: Pick<Context, 'sql'>, id: string): Promise<Session | null> {
  const [session] = await sql<Session[]>`
    select s.id, s.person_id, p.administrator, s.method, ${hasFactor(sql)} as has_factor, s.enrolled as has_enrolled,
      s.created_at > now() - ${seconds(sql, FRESH_SECONDS)} as is_fresh, false as is_due
    from sessions s join people p on p.id = s.person_id and p.disabled_at is null where s.id = ${id} and ${isAlive(sql)}`;
  return session ?? null;
}

/** Restarts the idle time of a session that has not ended. */
export const useSession = async ({ sql }: Pick<Context, 'sql'>, id: string): Promise<void> =>
  void (await sql`update sessions s set seen_at = now() where s.id = ${id} and ${isAlive(sql)}`);

/** A one-time link is for somebody who has forgotten the password, or has none yet. */
export const isByLink = ({ method }: Pick<Session, 'method'>): boolean => method.startsWith('link');

/** For people without a second factor only. An identity provider decides for itself whether it asks for one. */
const LACKING_A_FACTOR: readonly Method[] = ['password', 'link'];

const WITH_TWO_FACTORS: readonly Method[] = [
  'password+totp',
  'password+recovery_code',
  'passkey',
  'link+totp',
  'link+recovery_code',
  'oidc+mfa',
];

/** Whether the person showed two factors: at sign-in, by setting up the second in this session, or to an identity provider that says so or always asks for them. */
export const hasTwoFactors = (
  { config }: Pick<Context, 'config'>,
  { method, hasFactor, hasEnrolled }: Pick<Session, 'method' | 'hasFactor' | 'hasEnrolled'>,
): boolean => (method === 'oidc' ? config.CONFAM_OIDC_SECOND_FACTOR : WITH_TWO_FACTORS.includes(method) || (hasFactor && hasEnrolled));

/** Gives the session a new token. Null if another request has just done so. */
export async function rotateSession({ sql }: Context, token: string): Promise<string | null> {
  const next = newToken();
  const rotated = await sql`
    update sessions set previous_hash = hash, hash = ${hashToken(next)}, rotated_at = now() where hash = ${hashToken(token)}`;
  return rotated.count > 0 ? next : null;
}

/** Gives a session that may do more from now on a new token. The one before ends at once: somebody else may have it. */
export async function renewSession({ sql }: Context, id: string): Promise<string> {
  const next = newToken();
  await sql`update sessions set previous_hash = null, hash = ${hashToken(next)}, rotated_at = now() where id = ${id}`;
  return next;
}

const CSRF = 'csrf';
/** A token that a page must send with every change. Another site can make the browser send the cookie, but cannot read this. */
export const csrfToken = ({ cipher }: Pick<Context, 'cipher'>, sessionId: string): string =>
  cipher.sign(CSRF, sessionId).toString('base64url');

export const isCsrfToken = (ctx: Pick<Context, 'cipher'>, sessionId: string, sent: string): boolean =>
  ctx.cipher.signatures(CSRF, sessionId).some((signature) => sameSecret(sent, signature.toString('base64url')));

/** The living sessions of a person, last used first. */
export async function listSessions({ sql, cipher }: Context, personId: string): Promise<ListedSession[]> {
  const rows = await sql<{ id: string; method: Method; about: Buffer; createdAt: string; seenAt: string }[]>`
    select s.id, s.method, s.about, s.created_at, s.seen_at from sessions s where s.person_id = ${personId} and ${isAlive(sql)}
    order by s.seen_at desc, s.id desc limit 100`;
  const { open } = await cipher.opener(rows.map(({ about }) => about));
  return rows.map(({ about, ...row }) => ({ ...row, ...(JSON.parse(open(about, 'session', row.id)) as Origin) }));
}

/** The role that the person of each session has in an app, now; undefined if the session has ended, they do not belong to it, or they lack a second factor that it requires. */
export async function rolesOfSessions(
  { sql, config }: Pick<Context, 'sql' | 'config'>,
  asked: readonly { sessionId: string; appId: string }[],
): Promise<(of: { sessionId: string; appId: string }) => Role | undefined> {
  if (asked.length === 0) return () => undefined;
  const found = await sql<
    (Pick<Session, 'method' | 'hasFactor' | 'hasEnrolled'> & { sessionId: string; appId: string; role: Role; needsTwo: boolean })[]
  >`
    select s.id as session_id, m.app_id, m.role, s.method, ${hasFactor(sql)} as has_factor, s.enrolled as has_enrolled,
      coalesce((a.settings ->> 'secondFactorRequired')::boolean, false) as needs_two
    from sessions s join people p on p.id = s.person_id and p.disabled_at is null
      join app_people m on m.person_id = s.person_id and m.accepted_at is not null join apps a on a.id = m.app_id
    where s.id = any(${[...new Set(asked.map(({ sessionId }) => sessionId))]}::uuid[]) and ${isAlive(sql)}`;
  const rows = found.filter((session) => !session.needsTwo || hasTwoFactors({ config }, session));
  const roles = new Map(rows.map(({ sessionId, appId, role }) => [`${sessionId} ${appId}`, role]));
  return ({ sessionId, appId }) => roles.get(`${sessionId} ${appId}`);
}

/** Which of these sessions have not ended and are of administrators of the deployment. */
export async function sessionsOfAdministrators({ sql }: Pick<Context, 'sql'>, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await sql<{ id: string }[]>`
    select s.id from sessions s join people p on p.id = s.person_id and p.disabled_at is null and p.administrator
    where s.id = any(${ids as string[]}::uuid[]) and ${isAlive(sql)}`;
  return new Set(rows.map(({ id }) => id));
}

/** False if the person has no such session. */
export async function endSession({ sql }: Context, personId: string, id: string, by: Author = bySystem('setup')): Promise<boolean> {
  return sql.begin(async (tx) => {
    const ended = await tx`delete from sessions where id = ${id} and person_id = ${personId}`;
    if (ended.count === 0) return false;
    await recordOwn(tx, by, personId, { action: 'session.end', detail: { session: showId('ses', id) } });
    return true;
  });
}

/** Ends a person's sessions, except the one in which they asked for it. */
export async function endSessions(tx: Tx, personId: string, by: Author, except: string | null = null): Promise<void> {
  const ended = await tx`delete from sessions where person_id = ${personId} and id is distinct from ${except}`;
  if (ended.count > 0) await recordOwn(tx, by, personId, { action: 'session.end', detail: { sessions: ended.count } });
}

/** A person has set up a second factor in `session`, if that is given: it counts as shown there, and the other sessions end. */
export async function factorAdded(tx: Tx, personId: string, by: Author, session: string | null): Promise<void> {
  await tx`update sessions set enrolled = true where id = ${session} and person_id = ${personId}`;
  await endSessions(tx, personId, by, session);
}

/** Removes sessions that have run out. */
export async function dropExpiredSessions({ sql }: Context): Promise<void> {
  await sql`delete from sessions s where not (${isAlive(sql)})`;
}
