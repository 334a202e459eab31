/** People and the apps that they belong to. An address is one person; a person may belong to many apps, with a role in each. */
import type { Scope } from '../../contract/scopes.ts';
import type { Context, Sql, Tx } from '../../foundation/context.ts';
import { DEPLOYMENT } from '../../foundation/data-keys.ts';
import { ApiError } from '../../foundation/errors.ts';
import { idFrom, showId } from '../../foundation/ids.ts';
import { narrowed } from '../../foundation/lists.ts';
import { byteaArray } from '../../foundation/recordset.ts';
import { type Author, bySystem, record } from '../audit/append.ts';
import { mayUse, type Role, roles } from '../roles.ts';
import { releaseCases } from './assignments.ts';
import { entriesOn, entryOn, recordOwn } from './record.ts';

/** People of one app, invited ones included. */
export const PEOPLE_PER_APP_MAX = 200;

/** How an address is compared: the same person, however it was typed. */
export const normalEmail = (email: string): string => email.trim().normalize('NFKC').toLowerCase();

/** By every key, the current one first. */
const emailIndexes = ({ cipher }: Pick<Context, 'cipher'>, email: string): [Buffer, ...Buffer[]] =>
  cipher.indexes('person_email', normalEmail(email));

/** What sign-in needs to know about a person. */
export interface Account {
  id: string;
  email: string;
  password: Buffer | null;
  totp: Buffer | null;
  passkeys: number;
  recoveryCodes: number;
  isDisabled: boolean;
}

interface AccountRow extends Omit<Account, 'email'> {
  email: Buffer;
}

const account = (sql: Sql | Tx) => sql`
  p.id, p.email, p.password, p.totp, p.disabled_at is not null as is_disabled,
  (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys,
  (select count(*)::int from recovery_codes c where c.person_id = p.id) as recovery_codes`;

const opened = async ({ cipher }: Context, row: AccountRow | undefined): Promise<Account | null> =>
  row ? { ...row, email: normalEmail(await cipher.open(row.email, 'person_email', row.id)) } : null;

export async function findAccount(ctx: Context, email: string): Promise<Account | null> {
  const [row] = await ctx.sql<AccountRow[]>`
    select ${account(ctx.sql)} from people p where p.email_index = any(${byteaArray(emailIndexes(ctx, email))}::bytea[])`;
  return opened(ctx, row);
}

export async function readAccount(ctx: Context, id: string): Promise<Account | null> {
  const [row] = await ctx.sql<AccountRow[]>`select ${account(ctx.sql)} from people p where p.id = ${id}`;
  return opened(ctx, row);
}

/**
 * The id of a new person with this address. It contains no time and is the same for every invitation, so that it does not tell an inviter whether the person already had
 * an account.
 */
const idOfNew = ({ cipher }: Pick<Context, 'cipher'>, email: string): string => idFrom(cipher.index('person_id', normalEmail(email)));

/** The person with this address, created if there is none. */
export async function ensurePerson(ctx: Context, tx: Tx, email: string): Promise<string> {
  const id = idOfNew(ctx, email);
  const indexes = emailIndexes(ctx, email);
  const { seal } = await ctx.cipher.sealer(DEPLOYMENT);
  await tx`
    insert into people (id, email_index, email) select ${id}, ${indexes[0]}, ${seal(normalEmail(email), 'person_email', id)}
    where not exists (select 1 from people where email_index = any(${byteaArray(indexes)}::bytea[]))
    on conflict do nothing`;
  const [person] = await tx<{ id: string }[]>`select id from people where email_index = any(${byteaArray(indexes)}::bytea[])`;
  return person!.id;
}

/** Makes somebody the first owner of an app without an invitation. Does nothing if the app has people already. */
export async function addFirstOwner(ctx: Context, appId: string, email: string): Promise<void> {
  await ctx.sql.begin(async (tx) => {
    const [app] = await tx`
      select 1 from apps a where id = ${appId} and deleted_at is null and not exists (select 1 from app_people where app_id = a.id) for update`;
    if (!app) return;
    const personId = await ensurePerson(ctx, tx, email);
    await tx`insert into app_people (app_id, person_id, role, accepted_at) values (${appId}, ${personId}, 'owner', now())`;
  });
}

export async function setName(ctx: Context, id: string, name: string, by: Author): Promise<void> {
  const { seal } = await ctx.cipher.sealer(DEPLOYMENT);
  await ctx.sql.begin(async (tx) => {
    await tx`update people set name = ${seal(name, 'person_name', id)} where id = ${id}`;
    await recordOwn(tx, by, id, { action: 'person.change', detail: { changed: 'name' } });
  });
}

/** A person as those who manage access see them. */
export interface Person {
  id: string;
  email: string;
  /** Null until the person has accepted. */
  name: string | null;
  hasSecondFactor: boolean;
  createdAt: string;
  disabledAt: string | null;
}

export interface Member extends Person {
  role: Role;
  acceptedAt: string | null;
}

interface PersonRow extends Omit<Person, 'email' | 'name'> {
  email: Buffer;
  name: Buffer | null;
}

async function shown<Row extends PersonRow>({ cipher }: Context, rows: readonly Row[]) {
  const { open } = await cipher.opener(rows.flatMap(({ email, name }) => [email, name]));
  return rows.map((row) => ({
    ...row,
    // Earlier releases stored the address as it was typed; that spelling would tell the next inviter that there is an account.
    email: normalEmail(open(row.email, 'person_email', row.id)),
    name: row.name && open(row.name, 'person_name', row.id),
  }));
}

/** SQL condition: person `p` has an authenticator app or a passkey. */
export const hasFactor = (sql: Sql | Tx) => sql`(p.totp is not null or exists (select 1 from passkeys k where k.person_id = p.id))`;

/** The people of an app, oldest first; `id`: only that one. An invited person shows nothing but the address that was invited. */
export async function readMembers(ctx: Context, appId: string, id: string | null = null): Promise<Member[]> {
  const { sql } = ctx;
  const rows = await sql<(PersonRow & { role: Role; acceptedAt: string | null })[]>`
    select p.id, p.email, m.role, m.created_at, m.accepted_at, p.disabled_at,
      case when m.accepted_at is not null then p.name end as name, m.accepted_at is not null and ${hasFactor(sql)} as has_second_factor
    from app_people m join people p on p.id = m.person_id
    where m.app_id = ${appId} ${narrowed(sql, [id !== null && sql`p.id = ${id}`])}
    order by m.created_at, p.id limit ${PEOPLE_PER_APP_MAX}`;
  return shown(ctx, rows);
}

export interface AnyPerson extends Person {
  administrator: boolean;
  apps: { id: string; role: Role; acceptedAt: string | null }[];
}

/** People of the deployment, newest first. `before`: only those made before that one. */
export async function readPeople(
  ctx: Context,
  { id = null, before = null, limit }: { id?: string | null; before?: Pick<Person, 'createdAt' | 'id'> | null; limit: number },
): Promise<AnyPerson[]> {
  const { sql } = ctx;
  const rows = await sql<(PersonRow & { administrator: boolean; apps: AnyPerson['apps'] })[]>`
    select p.id, p.email, p.name, p.created_at, p.disabled_at, p.administrator, ${hasFactor(sql)} as has_second_factor,
      coalesce((select jsonb_agg(jsonb_build_object('id', m.app_id, 'role', m.role, 'acceptedAt', m.accepted_at) order by m.app_id)
        from app_people m where m.person_id = p.id), '[]') as apps
    from people p where true ${narrowed(sql, [id !== null && sql`p.id = ${id}`, before !== null && sql`(p.created_at, p.id) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`])}
    order by p.created_at desc, p.id desc limit ${limit}`;
  return shown(ctx, rows);
}

/** Who let a person into an app, and gave them their role; or, with `appId` null, who let them administer the deployment. As the audit names actors. */
export async function readBackers(sql: Sql | Tx, personId: string, appId: string | null): Promise<(string | null)[]> {
  const [row] =
    appId === null
      ? await sql<{ by: (string | null)[] }[]>`select array[administrator_by] as by from people where id = ${personId}`
      : await sql<{ by: (string | null)[] }[]>`
          select array[invited_by, role_by] as by from app_people where app_id = ${appId} and person_id = ${personId}`;
  return row?.by ?? [];
}

export interface OwnRole {
  appId: string;
  name: string;
  role: Role;
  needsSecondFactor: boolean;
}

/** The apps in which a person may act, with the role in each. */
export async function readRoles(ctx: Context, personId: string): Promise<OwnRole[]> {
  return [
    ...(await ctx.sql<OwnRole[]>`
      select a.id as app_id, a.name, m.role, coalesce((a.settings->>'secondFactorRequired')::boolean, false) as needs_second_factor from app_people m join apps a on a.id = m.app_id
      where m.person_id = ${personId} and m.accepted_at is not null order by a.name, a.id`),
  ];
}

/** What a route asks of a role. */
export interface Needed {
  scope: Scope;
  reveals: boolean;
}

/** Whether the person belongs to the app, is not disabled, and has a role that may use such a route. */
export async function isMemberWith(sql: Sql | Tx, appId: string, personId: string | null, needed: Needed): Promise<boolean> {
  const enough = roles.filter((role) => mayUse(role, needed));
  const [found] = await sql`
    select 1 from app_people m join people p on p.id = m.person_id
    where m.app_id = ${appId} and m.person_id = ${personId} and m.accepted_at is not null and p.disabled_at is null
      and m.role = any(${enough}::person_role[])`;
  return found !== undefined;
}

/** What somebody needs to work on review cases. */
export const REVIEWING: Needed = { scope: 'reviews', reveals: false };

/** Throws if whoever asks may not take this role away. */
export type RefuseRole = (role: Role) => void;

interface RoleChange {
  by?: Author;
  refuse?: RefuseRole;
}

/** Changes what a person may do in an app. A role without the scope `reviews` frees their review cases. Null if the app has no such person; throws `conflict` rather than leave an app without its owner. */
export async function changeRole(
  ctx: Context,
  { appId, personId, role }: { appId: string; personId: string; role: Role },
  { by = bySystem('setup'), refuse }: RoleChange = {},
): Promise<Member | null> {
  await ctx.sql.begin(async (tx) => {
    if (role !== 'owner') await keepOwner(tx, appId, personId);
    const [before] = await tx<{ role: Role }[]>`select role from app_people where app_id = ${appId} and person_id = ${personId} for update`;
    if (!before) return;
    refuse?.(before.role);
    // Nobody vouches for themselves: whoever gave them a role that lets them change it still counts.
    const isOwn = by.actor.id === showId('per', personId);
    await tx`
      update app_people set role = ${role}, role_by = case when ${isOwn} then role_by else ${by.actor.id} end
      where app_id = ${appId} and person_id = ${personId}`;
    const released = mayUse(role, REVIEWING) ? [] : await releaseCases(tx, personId, appId);
    await record(tx, by, entryOn(appId, personId, { action: 'person.role', detail: { from: before.role, to: role } }), ...released);
  });
  return (await readMembers(ctx, appId, personId))[0] ?? null;
}

/** Removes a person, or an invitation, from an app, and frees their review cases. A person who then has nothing left to sign in for is deleted. False if the app has no such person. */
export async function removeMember(
  ctx: Context,
  { appId, personId }: { appId: string; personId: string },
  { by = bySystem('setup'), refuse }: RoleChange = {},
): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    await keepOwner(tx, appId, personId);
    const removed = await tx<{ role: Role }[]>`delete from app_people where app_id = ${appId} and person_id = ${personId} returning role`;
    for (const { role } of removed) refuse?.(role);
    await tx`delete from person_links where app_id = ${appId} and person_id = ${personId}`;
    await deleteIdle(tx, [personId]);
    if (removed.count === 0) return false;
    await record(tx, by, entryOn(appId, personId, { action: 'person.remove' }), ...(await releaseCases(tx, personId, appId)));
    return true;
  });
}

/** Removes all people and open invitations from an app that is being deleted. Returns how many belonged to it, and how many had nothing else to sign in for. */
export async function removeEverybody(tx: Tx, appId: string): Promise<{ members: number; people: number }> {
  const members = await tx<{ personId: string }[]>`delete from app_people where app_id = ${appId} returning person_id`;
  await tx`delete from person_links where app_id = ${appId}`;
  return {
    members: members.count,
    people: await deleteIdle(
      tx,
      members.map(({ personId }) => personId),
    ),
  };
}

/** Deletes those people who have nothing left to sign in for. Returns how many. */
async function deleteIdle(tx: Tx, ids: readonly string[]): Promise<number> {
  // A statement of its own: the next one then sees an invitation that was being made.
  await tx`select 1 from people where id = any(${ids as string[]}::uuid[]) order by id for update`;
  const gone = await tx`
    delete from people p where id = any(${ids as string[]}::uuid[]) and not p.administrator
      and not exists (select 1 from app_people where person_id = p.id)
      and not exists (select 1 from person_links where person_id = p.id and kind = 'invitation')`;
  return gone.count;
}

/** Locks the owners of an app, so that two of them cannot remove each other. Throws `conflict` if nobody would be left who may sign in. */
async function keepOwner(tx: Tx, appId: string, leaving: string): Promise<void> {
  const owners = await tx<{ personId: string; isDisabled: boolean }[]>`
    select m.person_id, p.disabled_at is not null as is_disabled from app_people m join people p on p.id = m.person_id
    where m.app_id = ${appId} and m.role = 'owner' and m.accepted_at is not null order by m.person_id for update of m`;
  if (!owners.some(({ personId }) => personId === leaving)) return;
  if (!owners.some(({ personId, isDisabled }) => personId !== leaving && !isDisabled))
    throw new ApiError('conflict', 'The app has no other owner who can sign in; make somebody else an owner first');
}

/** Shuts a person out of the whole deployment: ends their sessions and links, and frees their review cases. False if there is no such person. */
export async function disablePerson(ctx: Context, id: string, by: Author = bySystem('setup')): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    const changed = await tx`update people set disabled_at = coalesce(disabled_at, now()) where id = ${id}`;
    if (changed.count === 0) return false;
    await tx`delete from sessions where person_id = ${id}`;
    await tx`delete from person_links where person_id = ${id}`;
    const released = await releaseCases(tx, id, null);
    await record(tx, by, ...(await entriesOn(tx, id, { action: 'person.disable' })), ...released);
    return true;
  });
}

/** Lets a person sign in again. False if there is no such person. */
export async function enablePerson(ctx: Context, id: string, by: Author = bySystem('setup')): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    const changed = await tx`update people set disabled_at = null where id = ${id}`;
    if (changed.count === 0) return false;
    await record(tx, by, ...(await entriesOn(tx, id, { action: 'person.enable' })));
    return true;
  });
}
