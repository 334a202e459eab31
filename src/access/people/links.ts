/**
 * One-time links: invitations, and links to sign in with. The link carries a token behind a `#`, which browsers never send; the console posts it. Each works
 * once. Whatever is wrong with a link, the answer is only "not valid".
 */
import type { Config } from '../../foundation/config.ts';
import type { Context, Sql, Tx } from '../../foundation/context.ts';
import { ApiError } from '../../foundation/errors.ts';
import { type Author, bySystem, record } from '../audit/append.ts';
import type { Role } from '../roles.ts';
import { ensurePerson, PEOPLE_PER_APP_MAX, type RefuseRole, readAccount } from './accounts.ts';
import { asPerson, entryOn, recordOwn } from './record.ts';
import { hashToken, newToken } from './tokens.ts';

const INVITATION_SECONDS = 7 * 86_400;
const SIGN_IN_SECONDS = 15 * 60;

type LinkKind = 'invitation' | 'sign_in';

export interface Link {
  kind: LinkKind;
  personId: string;
  appId: string | null;
  /** Whether the account already exists: the person can sign in without a link, has something to protect, or was disabled. */
  hasCredentials: boolean;
}

export const linkNotValid = (): ApiError => new ApiError('link_invalid', 'The link is not valid; ask for a new one');

/** Where the console is, unless the caller knows the port better. Not 127.0.0.1: browsers allow no passkeys there. */
export const consoleUrl = ({ CONFAM_PUBLIC_URL: publicUrl, PORT }: Pick<Config, 'CONFAM_PUBLIC_URL' | 'PORT'>): string =>
  publicUrl ?? `http://localhost:${PORT}`;

/** Where the console takes a link. */
export const linkUrl = (baseUrl: string, kind: LinkKind, token: string): string =>
  `${baseUrl.replace(/\/$/, '')}/console/${kind === 'invitation' ? 'invitation' : 'sign-in'}#${token}`;

/** Invites somebody into an app. Replaces an earlier invitation, unless `refuse` throws for its role; throws `conflict` if they belong to it already, and if the app is full. */
export async function inviteToApp(
  ctx: Context,
  { email, appId, role }: { email: string; appId: string; role: Role },
  by: Author = bySystem('setup'),
  refuse: RefuseRole = () => {},
): Promise<{ personId: string; token: string }> {
  return ctx.sql.begin(async (tx) => {
    // One invitation at a time. Otherwise two could pass the limit together, and the list does not show anybody beyond the limit.
    const [app] = await tx`select 1 from apps where id = ${appId} and deleted_at is null for no key update`;
    if (!app) throw new ApiError('resource_not_found', 'There is no such app');
    const personId = await ensurePerson(ctx, tx, email);
    const [before] = await tx<{ role: Role }[]>`
      select role from app_people where app_id = ${appId} and person_id = ${personId} and accepted_at is null for update`;
    if (before) refuse(before.role);
    const [invited] = await tx`
      insert into app_people as m (app_id, person_id, role, invited_by, role_by)
      select ${appId}, ${personId}, ${role}, ${by.actor.id}, ${by.actor.id} where (select count(*) from app_people where app_id = ${appId} and person_id <> ${personId}) < ${PEOPLE_PER_APP_MAX}
      on conflict (app_id, person_id) do update set role = excluded.role, invited_by = excluded.invited_by, role_by = excluded.role_by
      where m.accepted_at is null returning 1 as one`;
    if (!invited) {
      const [member] = await tx`select 1 from app_people where app_id = ${appId} and person_id = ${personId} and accepted_at is not null`;
      throw new ApiError(
        'conflict',
        member ? 'The person already belongs to this app' : `The app already has ${PEOPLE_PER_APP_MAX} people`,
      );
    }
    await tx`delete from person_links where kind = 'invitation' and person_id = ${personId} and app_id = ${appId}`;
    const token = await newLink(tx, 'invitation', personId, appId);
    await record(tx, by, entryOn(appId, personId, { action: 'person.invite', detail: { role } }));
    return { personId, token };
  });
}

/** Invites somebody to administer the deployment. */
export async function inviteAdministrator(
  ctx: Context,
  email: string,
  by: Author = bySystem('setup'),
): Promise<{ personId: string; token: string }> {
  return ctx.sql.begin(async (tx) => {
    const personId = await ensurePerson(ctx, tx, email);
    await tx`delete from person_links where kind = 'invitation' and person_id = ${personId} and app_id is null`;
    await tx`update people set administrator_by = ${by.actor.id} where id = ${personId} and not administrator`;
    const token = await newLink(tx, 'invitation', personId, null);
    await record(tx, by, entryOn(null, personId, { action: 'person.invite', detail: { administrator: true } }));
    return { personId, token };
  });
}

/** A link that stands in for the person's password, for a quarter of an hour. It replaces an earlier one. */
export async function newSignInLink(ctx: Context, personId: string, by: Author = bySystem('setup')): Promise<string> {
  return ctx.sql.begin(async (tx) => {
    await tx`delete from person_links where kind = 'sign_in' and person_id = ${personId}`;
    const token = await newLink(tx, 'sign_in', personId, null);
    await recordOwn(tx, by, personId, { action: 'person.link' });
    return token;
  });
}

async function newLink(tx: Tx, kind: LinkKind, personId: string, appId: string | null): Promise<string> {
  const token = newToken();
  await tx`
    insert into person_links (hash, kind, person_id, app_id, expires_at)
    values (${hashToken(token)}, ${kind}, ${personId}, ${appId},
      now() + make_interval(secs => ${kind === 'invitation' ? INVITATION_SECONDS : SIGN_IN_SECONDS}))`;
  return token;
}

/** Looks at a link without using it. Throws `link_invalid`. */
export async function readLink({ sql }: { sql: Sql | Tx }, token: string): Promise<Link> {
  const [link] = await sql<Link[]>`
    select l.kind, l.person_id, l.app_id,
      p.disabled_at is not null or p.password is not null or p.oidc_index is not null or p.totp is not null or p.administrator
        or exists (select 1 from passkeys k where k.person_id = p.id)
        or exists (select 1 from app_people m where m.person_id = p.id and m.accepted_at is not null) as has_credentials
    from person_links l join people p on p.id = l.person_id and (p.disabled_at is null or l.kind = 'invitation')
    where l.hash = ${hashToken(token)} and l.expires_at > now()`;
  if (!link) throw linkNotValid();
  return link;
}

export interface Invitation {
  email: string;
  /** Null: to administer the deployment. */
  app: { name: string; role: Role } | null;
}

/** Looks at an invitation without using it. It does not say whether there is an account, because the inviter can see the link too. Throws `link_invalid`, also for a link to sign in with. */
export async function readInvitation(ctx: Context, token: string): Promise<Invitation> {
  const { kind, personId, appId } = await readLink(ctx, token);
  const account = await readAccount(ctx, personId);
  if (kind !== 'invitation' || !account) throw linkNotValid();
  if (appId === null) return { email: account.email, app: null };
  const [app] = await ctx.sql<{ name: string; role: Role }[]>`
    select a.name, m.role from app_people m join apps a on a.id = m.app_id and a.deleted_at is null
    where m.app_id = ${appId} and m.person_id = ${personId}`;
  if (!app) throw linkNotValid();
  return { email: account.email, app };
}

/** Uses a link up, and accepts the invitation if it is one. Throws `link_invalid` if it was used in the meantime. */
export async function useLink(tx: Tx, token: string, by: Author = bySystem('setup')): Promise<Omit<Link, 'hasCredentials'>> {
  const [link] = await tx<Omit<Link, 'hasCredentials'>[]>`
    delete from person_links where hash = ${hashToken(token)} and expires_at > now() returning kind, person_id, app_id`;
  if (!link) throw linkNotValid();
  if (link.kind === 'invitation') await join(tx, link, by);
  return link;
}

/** What remembers an invitation without being able to open it. */
export const invitationHash = (token: string): string => hashToken(token).toString('hex');

/** Accepts the invitation that somebody opened before they signed in. False, and nothing happens, if it is for somebody else, was used, or has expired. */
export async function acceptInvitation({ sql }: Context, hash: string, personId: string, by: Author): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [link] = await tx<{ appId: string | null }[]>`
      delete from person_links
      where hash = decode(${hash}, 'hex') and kind = 'invitation' and person_id = ${personId} and expires_at > now() returning app_id`;
    if (link) await join(tx, { personId, appId: link.appId }, by);
    return link !== undefined;
  });
}

async function join(tx: Tx, { personId, appId }: Pick<Link, 'personId' | 'appId'>, by: Author): Promise<void> {
  if (appId) await tx`update app_people set accepted_at = coalesce(accepted_at, now()) where app_id = ${appId} and person_id = ${personId}`;
  else await tx`update people set administrator = true where id = ${personId}`;
  await record(tx, asPerson(by, personId), entryOn(appId, personId, { action: 'person.accept' }));
}

/** An expired invitation stays in the list of its app, where it can be sent again or removed. */
export async function dropExpiredLinks({ sql }: Context): Promise<void> {
  await sql`delete from person_links where expires_at < now()`;
}
