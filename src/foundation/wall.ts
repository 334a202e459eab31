/**
 * Raises the second wall in a database: roles that own nothing, what each may do, and the policies by which a request of one app sees only that app's rows.
 * Runs with the migrations, as their owner, and changes only what differs from `wall-tables.ts`. See docs/decisions/0020-second-wall.md.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { ConfigError } from './config.ts';
import { type Part, QUEUE_ROLE, ROLES, WALLED_FUNCTIONS, WALLED_TABLES, type Walled } from './wall-tables.ts';

type Database = postgres.Sql;

/** The app that a transaction is for, read once for a statement rather than for each row. Null without one, and then no row is its own. */
const CURRENT_APP = `(select nullif(current_setting('confam.app_id', true), '')::uuid)`;
const parts = Object.keys(ROLES) as Part[];
const tableRoles = Object.values(ROLES).join(', ');
const roles: readonly string[] = [...Object.values(ROLES), QUEUE_ROLE];
/** All roles, as GRANT takes them. */
export const everyRole = roles.join(', ');
const PRIVILEGES = { s: 'select', i: 'insert', u: 'update', d: 'delete' } as const;

/** Policies by name. A changed policy needs a new name: the name alone tells whether it is in force. */
const ALL_POLICY = 'confam_all';
const OWN_POLICY = 'confam_own';

/** A change of a table waits no longer than this for the table's users, and is then tried again, as after a deadlock with them: later users wait behind it. */
const LOCK_TIMEOUT = '3s';
const LOCK_TRIES = 20;

/**
 * Null once the wall stands; otherwise why it cannot be raised, in a sentence for the operator. `login`: the address that processes will use; if its user
 * does not exist, it is created with that password, or without one if a certificate stands for it.
 */
export async function raiseWall(sql: Database, login: string | null, queueSchema: string | null): Promise<string | null> {
  const user = login === null ? null : new URL(login);
  try {
    await createRoles(sql);
    if (user) await admitLogin(sql, user);
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    return `the database’s user may not create or grant roles. As an administrator of the database run: ${await statementsFor(sql, user)}; then run \`confam migrate\` again`;
  }
  await grantSchemas(sql, queueSchema);
  await raiseFunctions(sql);
  for (const table of await readTables(sql)) if (gapOf(table) !== null) await raise(sql, table);
  return null;
}

async function createRoles(sql: Database): Promise<void> {
  // Roles are shared by all databases of a server: another one may be migrated at this moment.
  for (const role of await missingRoles(sql, roles)) await sql.unsafe(`create role ${role} nologin`).catch(unlessThere);
  const [self] = await sql<{ name: string; isSuperuser: boolean }[]>`
    select rolname as name, rolsuper as "isSuperuser" from pg_roles where rolname = current_user`;
  // So that processes that connect as the owner can act as these roles.
  if (!self!.isSuperuser) for (const role of await notYetSettable(sql)) await sql.unsafe(`grant ${role} to ${quoted(self!.name)}`);
}

async function missingRoles(sql: Database, wanted: readonly string[]): Promise<string[]> {
  const found = await sql<{ rolname: string }[]>`select rolname from pg_roles where rolname = any(${wanted as string[]}::text[])`;
  return wanted.filter((role) => found.every(({ rolname }) => rolname !== role));
}

/** What an administrator runs in place of `createRoles` and `admitLogin`. The grant to the owner lets it hand on what the roles may do. */
async function statementsFor(sql: Database, login: URL | null): Promise<string> {
  const [self] = await sql<{ name: string }[]>`select current_user::text as name`;
  const users = [...new Set([...(login ? [decodeURIComponent(login.username)] : []), self!.name])];
  const absent = await missingRoles(sql, users);
  return [
    ...(await missingRoles(sql, roles)).map((role) => `create role ${role} nologin`),
    ...absent.map((user) => `create role ${quoted(user)} login password '<the password in DATABASE_URL>'`),
    `grant ${everyRole} to ${users.map(quoted).join(', ')}`,
  ].join('; ');
}

const INSUFFICIENT_PRIVILEGE = '42501';

function unlessThere(error: { code?: string }): void {
  if (error.code !== '42710' && error.code !== '23505') throw error;
}

/** Postgres 16 records whether a member may act as the role separately from the membership. */
const maySet = `pg_has_role(session_user, r.oid, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)`;

const listed = roles.map((role) => `'${role}'`).join(', ');

async function notYetSettable(sql: Database): Promise<string[]> {
  const rows = await sql.unsafe<{ rolname: string }[]>(`select r.rolname from pg_roles r where r.rolname in (${listed}) and not ${maySet}`);
  return rows.map(({ rolname }) => rolname);
}

/** The user that processes connect as may act as these roles, and owns nothing. */
async function admitLogin(sql: Database, login: URL): Promise<void> {
  const name = decodeURIComponent(login.username);
  const password = decodeURIComponent(login.password);
  const [found] = await sql<{ isMember: boolean }[]>`
    select (select count(distinct r.oid)::int = ${roles.length} from pg_auth_members m join pg_roles r on r.oid = m.roleid
      where m.member = u.oid and r.rolname = any(${roles as string[]}::text[])) as "isMember"
    from pg_roles u where u.rolname = ${name}`;
  const secret = password === '' ? '' : ` password '${verifier(password)}'`;
  if (!found) await sql.unsafe(`create role ${quoted(name)} login${secret}`).catch(unlessThere);
  if (!found?.isMember) await sql.unsafe(`grant ${everyRole} to ${quoted(name)}`);
}

/** What Postgres keeps of a password (RFC 5803), so that the password itself is in no statement and no log of them. */
function verifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, 4096, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$4096:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
}

/** Our schema, the table of migrations, and BullMQ's schema, which has ids of chunks only. */
async function grantSchemas(sql: Database, queueSchema: string | null): Promise<void> {
  await grantMissing(sql, { schema: 'public', right: 'usage', role: tableRoles, inside: [] });
  await grantMissing(sql, { schema: 'drizzle', right: 'usage', role: tableRoles, inside: ['select on all tables'] });
  if (!queueSchema) return;
  const inside = ['select, insert, update, delete on all tables', 'usage on all sequences'];
  await grantMissing(sql, { schema: queueSchema, right: 'create', role: QUEUE_ROLE, inside });
}

interface SchemaGrant {
  schema: string;
  right: 'usage' | 'create';
  role: string;
  /** For everything in it: tables, then sequences. */
  inside: readonly string[];
}

async function grantMissing(sql: Database, { schema, right, role, inside }: SchemaGrant): Promise<void> {
  const [lacking] = await sql`
    select 1 from unnest(string_to_array(${role}, ', ')) r
    where not has_schema_privilege(r, ${schema}, ${right}) or exists (
      select from pg_class c where c.relnamespace = ${quoted(schema)}::regnamespace
        and (c.relkind in ('r', 'p') and ${inside.length > 0} and not has_table_privilege(r, c.oid, 'select')
          or c.relkind = 'S' and ${inside.length > 1} and not has_sequence_privilege(r, c.oid, 'usage')))`;
  if (!lacking) return;
  await sql.unsafe(`grant usage, ${right} on schema ${quoted(schema)} to ${role}`);
  for (const what of inside) await sql.unsafe(`grant ${what} in schema ${quoted(schema)} to ${role}`);
  // Processes of the release before create sequences of queues as the owner.
  if (right === 'create') await sql.unsafe(`alter default privileges in schema ${quoted(schema)} grant usage on sequences to ${role}`);
}

async function functionStands(sql: Database, signature: string, users: readonly Part[]): Promise<boolean> {
  const [raised] = await sql`
    select 1 from pg_proc where oid = ${`public.${signature}`}::regprocedure and prosecdef
      and (select bool_and(has_function_privilege(r, oid, 'execute') = (r = any(${users.map((part) => ROLES[part])}::text[])))
        from unnest(${roles as string[]}::text[]) r)`;
  return raised !== undefined;
}

async function raiseFunctions(sql: Database): Promise<void> {
  for (const [signature, users] of Object.entries(WALLED_FUNCTIONS)) {
    if (await functionStands(sql, signature, users)) continue;
    await sql.unsafe(`
      alter function public.${signature} security definer set search_path = public, pg_temp;
      revoke execute on function public.${signature} from public, ${everyRole};
      grant execute on function public.${signature} to ${users.map((part) => ROLES[part]).join(', ')};`);
  }
}

interface Table {
  name: string;
  walled: Walled;
  owner: string;
  isForced: boolean;
  policies: string[];
  /** `confam_worker:SELECT` */
  granted: string[];
  /** Columns that requests of an app may read where they may not read the table. */
  columns: string[];
}

async function readTables(sql: Database): Promise<Table[]> {
  const rows = await sql<Omit<Table, 'walled'>[]>`
    select c.relname as name, pg_get_userbyid(c.relowner) as owner, c.relrowsecurity and c.relforcerowsecurity as "isForced",
      array(select p.polname || ':' || array_to_string(array(select r.rolname from pg_roles r where r.oid = any(p.polroles) order by 1), ',')
        from pg_policy p where p.polrelid = c.oid order by 1) as policies,
      array(select g.rolname || ':' || a.privilege_type from aclexplode(c.relacl) a join pg_roles g on g.oid = a.grantee
        where g.rolname = any(${Object.values(ROLES)}::text[]) order by 1) as granted,
      array(select t.attname::text from pg_attribute t, aclexplode(t.attacl) a join pg_roles g on g.oid = a.grantee
        where t.attrelid = c.oid and g.rolname = ${ROLES.tenant} order by 1) as columns
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = any(${Object.keys(WALLED_TABLES)}::text[])
    order by c.relname`;
  return rows.map((row) => ({ ...row, walled: WALLED_TABLES[row.name]! }));
}

const privilegesOf = (walled: Walled, part: Part) => [...walled.may[part]].map((letter) => PRIVILEGES[letter as keyof typeof PRIVILEGES]);

const hasPolicies = ({ kind }: Walled): boolean => kind === 'tenant' || kind === 'inherited' || kind === 'partly';

const columnsOf = (walled: Walled): readonly string[] => (walled.kind === 'partly' ? walled.columns : []);

/** The parts of the wall that the table lacks, in words; null if the wall stands. */
function gapOf({ walled, owner, isForced, policies, granted, columns }: Table): string | null {
  const rights = parts.flatMap((part) => privilegesOf(walled, part).map((right) => `${ROLES[part]}:${right.toUpperCase()}`));
  const all = [ROLES.service, ROLES.worker, owner].sort().join(',');
  const expected = hasPolicies(walled) ? [`${ALL_POLICY}:${all}`, `${OWN_POLICY}:${ROLES.tenant}`] : [];
  if (expected.length > 0 && policies.length === 0) return 'has no policy';
  if (isForced !== hasPolicies(walled)) return isForced ? 'has row-level security' : 'does not force row-level security';
  if (!same(policies, expected)) return 'has other policies';
  return same(granted, rights) && same(columns, columnsOf(walled)) ? null : 'has other privileges';
}

/** Everything that differs from `wall-tables.ts`, in words for the operator; empty if the wall stands. Changes nothing. */
export async function wallGaps(sql: Database): Promise<string[]> {
  const tables = await readTables(sql);
  const undeclared = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all(${Object.keys(WALLED_TABLES)}::text[])`;
  const gaps = tables.flatMap((table) => {
    const gap = gapOf(table);
    return gap === null ? [] : [`${table.name} ${gap}`];
  });
  for (const [signature, users] of Object.entries(WALLED_FUNCTIONS))
    if (!(await functionStands(sql, signature, users))) gaps.push(`${signature} may be called by others`);
  return [...gaps, ...undeclared.map(({ name }) => `${name} is not a table of Confam`)];
}

/** Why the user of this connection is more than a process needs: what it could do if it left its role. Null: it owns nothing. */
export async function excessOf(sql: Database): Promise<string | null> {
  const [login] = await sql<{ name: string; isSuperuser: boolean; owns: boolean }[]>`
    select rolname as name, rolsuper or rolbypassrls as "isSuperuser",
      exists (select from pg_class c where c.relnamespace = 'public'::regnamespace and pg_has_role(r.oid, c.relowner, 'MEMBER')) as owns
    from pg_roles r where rolname = session_user`;
  if (login!.isSuperuser) return `${login!.name} is a superuser`;
  return login!.owns ? `${login!.name} owns the tables` : null;
}

const same = (some: readonly string[], others: readonly string[]): boolean => [...some].sort().join(' ') === [...others].sort().join(' ');

/** In one transaction, so that the table is never without its policies. Processes of the release before connect as the owner, who sees all apps. */
async function raise(sql: Database, { name, walled, owner, policies }: Table): Promise<void> {
  const table = `public.${quoted(name)}`;
  const statements = [
    `revoke all on ${table} from ${tableRoles}`,
    ...parts
      .filter((part) => walled.may[part] !== '')
      .map((part) => `grant ${privilegesOf(walled, part).join(', ')} on ${table} to ${ROLES[part]}`),
    ...(walled.kind === 'partly' ? [`grant select (${walled.columns.join(', ')}) on ${table} to ${ROLES.tenant}`] : []),
    ...policies.map((policy) => `drop policy ${quoted(policy.replace(/:.*/, ''))} on ${table}`),
    ...(hasPolicies(walled)
      ? [
          `create policy ${ALL_POLICY} on ${table} to ${ROLES.service}, ${ROLES.worker}, ${quoted(owner)} using (true) with check (true)`,
          `create policy ${OWN_POLICY} on ${table} to ${ROLES.tenant} using (${ownRows(name, walled)})`,
          `alter table ${table} enable row level security, force row level security`,
        ]
      : []),
  ];
  for (let tries = 1; ; tries++) {
    try {
      await sql.unsafe(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'; ${statements.join('; ')}; commit`);
      return;
    } catch (error) {
      await sql.unsafe('rollback');
      if (!/^(55P03|40P01)$/.test((error as { code?: string }).code ?? '') || tries === LOCK_TRIES) throw error;
    }
  }
}

/** A subquery is itself under the policies of the parent's table. */
function ownRows(name: string, walled: Walled): string {
  if (walled.kind === 'tenant') return `${walled.column} = ${CURRENT_APP}`;
  if (walled.kind === 'inherited') return `exists (select from public.${walled.parent} parent where parent.id = ${name}.${walled.column})`;
  if (walled.kind === 'partly') return walled.rows;
  throw new Error(`${name} belongs to no app`);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Null if the user of this connection may act as the roles, and the wall stands; otherwise what is missing, in a sentence for the operator. Throws `ConfigError`
 * if the user may neither do that nor owns the tables: it could do nothing.
 */
export async function missingWall(sql: Database): Promise<string | null> {
  const [found] = await sql.unsafe<{ settable: number; granted: number; isOwner: boolean; name: string }[]>(
    `select count(*) filter (where ${maySet})::int as settable,
       count(*) filter (where r.rolname <> '${QUEUE_ROLE}' and has_table_privilege(r.oid, to_regclass('public.jobs'), 'select'))::int as granted,
       (select pg_has_role(session_user, c.relowner, 'MEMBER') from pg_class c where c.oid = to_regclass('public.jobs')) as "isOwner", session_user::text as name
     from pg_roles r where r.rolname in (${listed})`,
  );
  const { settable, granted, isOwner, name } = found!;
  const grant = `as an administrator of the database run: grant ${everyRole} to ${quoted(name)}`;
  if (granted < parts.length) {
    if (isOwner) return 'run `confam migrate`, which creates the database’s roles';
    throw new ConfigError(
      `The database’s roles are missing, and ${name} does not own its tables. Run \`confam migrate\` as their owner first.`,
    );
  }
  if (settable === roles.length) return null;
  if (isOwner) return grant;
  throw new ConfigError(`The database user ${name} may not act as Confam’s roles: ${grant}`);
}

/** The user that processes connect as if the database is embedded. Its password is derived from the owner's, so there is no further secret to keep. */
export function embeddedLogin(ownerUrl: string): string {
  const address = new URL(ownerUrl);
  address.password = createHmac('sha256', address.password).update(EMBEDDED_LOGIN).digest('hex');
  address.username = EMBEDDED_LOGIN;
  return address.toString();
}

const EMBEDDED_LOGIN = 'confam_login';

/** `url` for connections that act as this role from their first statement on. Without it they act as the user in the address. */
export function asRole(url: string, part: Part | 'queue'): string {
  const address = new URL(url);
  address.searchParams.set('role', part === 'queue' ? QUEUE_ROLE : ROLES[part]);
  return address.toString();
}
