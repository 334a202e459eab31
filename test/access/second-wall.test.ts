/** The second wall: in Postgres itself, a request of one app sees and changes this app's rows only, and no process owns anything. */
import { randomBytes, randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DEPLOYMENT } from '../../src/access/audit/entry.ts';
import { routes } from '../../src/api/routes.ts';
import { type JobConstants, storeRows } from '../../src/batches/copier.ts';
import { RowPacker } from '../../src/batches/packer.ts';
import { knownCheck } from '../../src/checks/catalog.ts';
import { readConfig } from '../../src/foundation/config.ts';
import { findWall, migrateDatabase, openContext, refuseOtherDatabase } from '../../src/foundation/context.ts';
import { asRole, wallGaps } from '../../src/foundation/wall.ts';
import { QUEUE_ROLE, ROLES, WALLED_TABLES } from '../../src/foundation/wall-tables.ts';
import { useApi } from '../setup/api.ts';

const api = useApi();
const refused = { code: '42501' };

let url: string;
/** Connections as the owner of the tables, who is a superuser here, and as each role. */
let owner: postgres.Sql;
let service: postgres.Sql;
let worker: postgres.Sql;
let tenant: postgres.Sql;
/** Rows of two apps in every table that has rows of apps: by table, the row of each. */
const rows = new Map<string, Record<'one' | 'other', Row>>();
const apps = { one: randomUUID(), other: randomUUID() };

type Row = Record<string, unknown>;

const open = (address: string) => postgres(address, { max: 1, onnotice: () => {} });
const ofApps = Object.entries(WALLED_TABLES).flatMap(([name, walled]) =>
  walled.kind === 'tenant' || walled.kind === 'inherited' ? [{ name, walled }] : [],
);

beforeAll(async () => {
  const address = new URL(api.service.databaseUrl);
  address.searchParams.delete('role');
  url = address.toString();
  owner = open(url);
  service = open(asRole(url, 'service'));
  worker = open(asRole(url, 'worker'));
  tenant = open(asRole(url, 'tenant'));
  await owner`set session_replication_role = replica`;
  for (const { name, walled } of [...ofApps].sort(
    (a, b) => Number(a.walled.kind === 'inherited') - Number(b.walled.kind === 'inherited'),
  )) {
    const made = {} as Record<'one' | 'other', Row>;
    for (const app of ['one', 'other'] as const) {
      const belonging = walled.kind === 'tenant' ? apps[app] : rows.get(walled.parent)![app].id;
      made[app] = await anyRow(name, { [walled.column]: belonging });
      await insert(owner, name, made[app]);
    }
    rows.set(name, made);
  }
});
afterAll(async () => {
  // The ledger of an app that nobody topped up would not add up.
  for (const { name, walled } of ofApps)
    await owner`delete from ${owner(name)} where ${owner(walled.column)} = any(${Object.values(rows.get(name)!).map((row) => row[walled.column] as string)}::uuid[])`;
  await Promise.all([owner, service, worker, tenant].map((sql) => sql?.end()));
});

const VALUES: Readonly<Record<string, () => unknown>> = {
  uuid: randomUUID,
  bytea: () => randomBytes(8),
  text: () => randomUUID(),
  boolean: () => false,
  // Nothing of it is due while the test runs.
  'timestamp with time zone': () => new Date(Date.now() + 3_600_000),
  date: () => '2026-01-01',
  jsonb: () => '{}',
};
/** Where any value of the type would be refused. */
const PARTICULAR: Readonly<Record<string, Row>> = {
  ledger_entries: { amount_kobo: 1, to_account: 'held' },
  audit_entries: { outcome: 'allowed' },
  webhook_endpoints: { signing: 'v1' },
};

/** A row with a value in each column that needs one. */
async function anyRow(table: string, given: Row): Promise<Row> {
  const columns = await owner<{ name: string; type: string; labels: string[] | null }[]>`
    select attname as name, format_type(atttypid, null) as type, (select array_agg(enumlabel::text order by enumsortorder) from pg_enum where enumtypid = atttypid) as labels
    from pg_attribute where attrelid = ${`public.${table}`}::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = ''`;
  const made = columns.map(({ name, type, labels }) => [name, type.endsWith('[]') ? '{}' : (labels?.[0] ?? VALUES[type]?.() ?? 0)]);
  return { ...Object.fromEntries(made), ...PARTICULAR[table], ...given };
}

const insert = (sql: postgres.Sql | postgres.TransactionSql, table: string, row: Row) => sql`insert into ${sql(table)} ${sql(row)}`;

/** Does it as a request of this app would, or as one that forgot to say for which app, and undoes it. */
async function attempt<Result>(app: string | null, work: (tx: postgres.TransactionSql) => Promise<Result>): Promise<Result> {
  const undone = Symbol();
  let result!: Result;
  await tenant
    .begin(async (tx) => {
      if (app !== null) await tx`select set_config('confam.app_id', ${app}, true)`;
      result = await work(tx);
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
  return result;
}

test('every table is declared and has the policies of its kind', async () => {
  const tables = await owner<{ name: string; enabled: boolean; forced: boolean; policies: string[] }[]>`
    select relname as name, relrowsecurity as enabled, relforcerowsecurity as forced,
      array(select polname::text from pg_policy where polrelid = c.oid order by 1) as policies
    from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  expect(tables.map(({ name }) => name)).toEqual(Object.keys(WALLED_TABLES).sort());
  for (const { name, ...wall } of tables) {
    const isOfApps = rows.has(name) || WALLED_TABLES[name]!.kind === 'partly';
    expect({ name, ...wall }).toEqual({
      name,
      enabled: isOfApps,
      forced: isOfApps,
      policies: isOfApps ? ['confam_all', 'confam_own'] : [],
    });
  }
});

test('partitions can be used through their table only', async () => {
  const [found] = await owner`
    select count(*)::int as partitions, count(*) filter (where has_table_privilege(r, c.oid, 'select, insert, update, delete, truncate'))::int as usable
    from pg_class c, unnest(${Object.values(ROLES)}::text[]) r where c.relispartition and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;
  expect(found!.partitions).toBeGreaterThan(0);
  expect(found!.usable).toBe(0);
});

describe.each(ofApps.map(({ name, walled }) => [name, walled] as const))('%s', (name, walled) => {
  const may = walled.may.tenant;

  test('a query without a filter sees only rows of the request’s app, and none without an app', async () => {
    const read = (app: string | null) => attempt(app, (tx) => tx`select * from ${tx(name)}`);
    if (!may.includes('s')) return expect(read(apps.one)).rejects.toMatchObject(refused);
    expect(await read(null)).toHaveLength(0);
    const seen = await read(apps.one);
    expect(seen).toHaveLength(1);
    expect(seen[0]![walled.column]).toBe(rows.get(name)!.one[walled.column]);
  });

  test('a change or a deletion without a filter touches no other app’s rows', async () => {
    const column = Object.keys(rows.get(name)!.one)[0]!;
    for (const [letter, work] of [
      ['u', (tx: postgres.TransactionSql) => tx`update ${tx(name)} set ${tx(column)} = ${tx(column)}`],
      ['d', (tx: postgres.TransactionSql) => tx`delete from ${tx(name)}`],
    ] as const) {
      // Append-only tables refuse their own rows too, by trigger.
      if (!may.includes(letter)) await expect(attempt(apps.one, work)).rejects.toMatchObject(refused);
      else {
        expect((await attempt(apps.one, work)).count).toBe(1);
        expect((await attempt(null, work)).count).toBe(0);
      }
    }
  });

  test('a row of another app is refused', async () => {
    const row = await anyRow(name, { [walled.column]: rows.get(name)!.other[walled.column] });
    await expect(attempt(apps.one, (tx) => insert(tx, name, row))).rejects.toMatchObject(refused);
  });
});

test('a handler gets its app’s rows only, in single queries, in transactions and through drizzle', async () => {
  const app = await api.createApp();
  await api.createApp();
  await app.job({ check: 'nin_basic', input: { nin: '70123456789' } });
  const [{ appId }] = (await owner`select app_id as "appId" from jobs where app_id <> all(${Object.values(apps)}::uuid[])`) as [
    { appId: string },
  ];
  const bound = api.service.forApp(appId);
  const role = (await bound.sql`select current_user as role, current_setting('confam.app_id') as app`)[0];
  expect(role).toEqual({ role: ROLES.tenant, app: appId });
  // A part of a query is not run by itself.
  const everything = bound.sql`select * from ${bound.sql('apps')} where ${bound.sql`true`}`;
  expect((await everything).map(({ id }) => id)).toEqual([appId]);
  expect(await bound.sql.begin((tx) => tx`select id from apps`)).toHaveLength(1);
  expect(await bound.db.execute('select id from apps')).toHaveLength(1);
  // A statement that fails reports its own error, and leaves nothing behind on the connection.
  await expect(bound.sql`select 1 / 0`).rejects.toMatchObject({ code: '22012' });
  await expect(bound.sql`update wallets set available_kobo = -1`).rejects.toMatchObject({ code: '23514' });
  // The change is committed before it is answered.
  await bound.sql`update wallets set available_kobo = available_kobo where app_id = ${appId}`;
  const [left] = await bound.sql`select pg_current_xact_id_if_assigned() as xid`;
  expect(left!.xid).toBeNull();
  await expect(bound.sql`select 1`.cursor(() => {})).rejects.toThrow('a transaction of its own');
});

test('a statement whose plan a migration has outdated is run again, for the same app', async () => {
  const [{ id }] = (await owner`select id from apps where id <> all(${Object.values(apps)}::uuid[]) limit 1`) as [{ id: string }];
  const { sql } = api.service.forApp(id);
  const read = () => sql`select * from apps`;
  // On every connection of the pool.
  await Promise.all(Array.from({ length: 40 }, read));
  await owner`alter table apps add column added int`;
  try {
    for (const rows of await Promise.all(Array.from({ length: 40 }, read)))
      expect(rows.map((row) => [row.id, row.added])).toEqual([[id, null]]);
  } finally {
    await owner`alter table apps drop column added`;
  }
  for (const rows of await Promise.all(Array.from({ length: 40 }, read))) expect(rows.map((row) => row.id)).toEqual([id]);
});

test('an upload stores rows of its own app only, whatever its copier is told', async () => {
  const [mine, theirs] =
    (await owner`select id, app_id as "appId" from batches where app_id = any(${Object.values(apps)}::uuid[]) order by app_id = ${apps.other}`) as [
      JobConstants & { id: string },
      JobConstants & { id: string },
    ];
  const check = knownCheck('nin_basic');
  const store = (appId: string, batchId: string, rows: number) =>
    api.service.forApp(mine.appId).sql.begin(async (tx) => {
      const prices = new Map([[check.id, { priceKobo: 1, cachedPriceKobo: 1 }]]);
      const packer = new RowPacker(await api.service.cipher.sealer({ appId }), batchId);
      for (let row = 1; row <= rows; row++)
        packer.job({ row, check, input: {}, subject: randomBytes(32), raw: ['70123456789'], images: null, twinRow: 0 });
      async function* slices() {
        yield packer.slice(true);
      }
      await storeRows(tx, { batchId, appId, live: false, cacheMode: 'use', prices }, slices());
      const [{ stored }] = (await tx`select count(*)::int as stored from jobs where batch_id = ${batchId}`) as unknown as [
        { stored: number },
      ];
      return stored;
    });
  await expect(store(theirs.appId, theirs.id, 3)).rejects.toMatchObject(refused);
  // Rows of its own in another app's batch: its blocks are that app's.
  await expect(store(mine.appId, theirs.id, 3)).rejects.toMatchObject(refused);
  const batch = await anyRow('batches', { app_id: mine.appId });
  await insert(owner, 'batches', batch);
  expect(await store(mine.appId, batch.id as string, 1_000)).toBe(1_000);
  for (const table of ['row_blocks', 'jobs']) await owner`delete from ${owner(table)} where batch_id = ${batch.id as string}`;
  await owner`delete from batches where id = ${batch.id as string}`;
});

test('requests of many apps at once never see each other’s rows', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, async () => (await api.createApp({ naira: 0 })).app));
  const found = await owner<{ id: string }[]>`select id from apps order by created_at desc limit ${ids.length}`;
  await Promise.all(
    Array.from({ length: 400 }, async (_, at) => {
      const { id } = found[at % found.length]!;
      const { sql } = api.service.forApp(id);
      const seen = at % 3 === 0 ? await sql.begin((tx) => tx`select id from apps`) : await sql`select id from apps`;
      expect(seen.map((row) => row.id)).toEqual([id]);
    }),
  );
});

test('routes of apps see this app’s rows only; those that cannot say why', () => {
  const beyond = routes.filter(({ beyondApp }) => beyondApp !== undefined);
  expect(beyond.map(({ path }) => path).filter((path) => !path.startsWith('/api/v1/people'))).toEqual([]);
});

describe('the roles', () => {
  test('a running API acts as the service, and its requests as the tenant', async () => {
    const [role] = await api.service.sql`select current_user as role`;
    expect(role!.role).toBe(ROLES.service);
  });

  test('own nothing and are nobody special', async () => {
    const names = [...Object.values(ROLES), QUEUE_ROLE];
    const special = await owner`
      select rolname from pg_roles where rolname = any(${names}::text[]) and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin)`;
    expect([...special]).toEqual([]);
    const owned = await owner`
      select c.relname, r.rolname from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname = any(${Object.values(ROLES)}::text[])`;
    expect([...owned]).toEqual([]);
    // BullMQ's role creates sequences in its own schema, and can use no table of ours.
    const [usable] = await owner`
      select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and has_table_privilege(${QUEUE_ROLE}, oid, 'select')`;
    expect(usable!.tables).toBe(0);
  });

  test('a login that processes use can act as them, and cannot change the wall', async () => {
    const login = new URL(url);
    login.username = `login_${randomBytes(4).toString('hex')}`;
    login.password = "p'w d";
    expect(await migrateDatabase(readConfig({}), url, login.toString())).toBeNull();
    expect(await findWall(login.toString())).toBe(true);
    await refuseOtherDatabase(login.toString());
    const sql = open(asRole(login.toString(), 'service'));
    try {
      expect((await sql`select current_user as role, session_user as login`)[0]).toEqual({ role: ROLES.service, login: login.username });
      for (const statement of [
        'alter table jobs disable row level security',
        'alter table jobs no force row level security',
        'drop policy confam_own on jobs',
        'drop table jobs',
        'truncate jobs',
        'alter table jobs add column x int',
        'create table mine (id int)',
        `set role ${new URL(url).username}`,
        'set session_replication_role = replica',
        "update audit_entries set outcome = 'allowed'",
        'delete from ledger_entries',
      ])
        expect([statement, (await sql.unsafe(statement).catch((error: unknown) => error)) as object]).toMatchObject([statement, refused]);
    } finally {
      await sql.end();
      await owner.unsafe(`drop role "${login.username}"`);
    }
  });

  test('workers see all apps, and no table of people or keys', async () => {
    expect((await worker`select distinct app_id from jobs where app_id = any(${Object.values(apps)}::uuid[])`).length).toBe(2);
    for (const table of [
      'people',
      'sessions',
      'passkeys',
      'person_links',
      'app_people',
      'api_keys',
      'links',
      'idempotency_keys',
      'audit_entries',
    ])
      await expect(worker`select 1 from ${worker(table)}`, table).rejects.toMatchObject(refused);
    await expect(tenant`select 1 from sessions`).rejects.toMatchObject(refused);
    await expect(tenant`select 1 from cache_records`).rejects.toMatchObject(refused);
  });
});

test('requests of an app read the names and addresses of its people, and nothing else about anybody', async () => {
  const people = { member: randomUUID(), stranger: randomUUID() };
  for (const id of Object.values(people)) await insert(owner, 'people', await anyRow('people', { id }));
  await insert(owner, 'app_people', await anyRow('app_people', { app_id: apps.one, person_id: people.member }));
  expect([...(await attempt(apps.one, (tx) => tx`select id from people where email is not null`))]).toEqual([{ id: people.member }]);
  expect(await attempt(apps.other, (tx) => tx`select id from people`)).toHaveLength(0);
  await expect(attempt(apps.one, (tx) => tx`select password from people`)).rejects.toMatchObject(refused);
  await expect(attempt(apps.one, (tx) => tx`update people set name = null`)).rejects.toMatchObject(refused);
});

test('a request of an app appends to the audit of this app only', async () => {
  const append = (appId: string) => (tx: postgres.TransactionSql | postgres.Sql) => {
    const entry = { app_id: appId, seq: 0, actor_kind: 'system', actor_id: 'x', action: 'app.create', outcome: 'allowed' };
    return tx`select audit_append(${JSON.stringify([entry])}::text::jsonb)`;
  };
  expect(await attempt(apps.one, append(apps.one))).toHaveLength(1);
  for (const [app, appId] of [
    [apps.one, apps.other],
    [apps.one, DEPLOYMENT],
    [null, apps.one],
  ] as const)
    await expect(attempt(app, append(appId))).rejects.toMatchObject(refused);
  const undone = new Error('undone');
  for (const sql of [service, worker])
    await expect(
      sql.begin(async (tx) => {
        await append(apps.one)(tx);
        await append(apps.other)(tx);
        throw undone;
      }),
    ).rejects.toBe(undone);
});

test('a request of an app deletes the messages of this app only', async () => {
  const about = `job_${randomUUID()}`;
  for (const appId of Object.values(apps))
    await insert(owner, 'events', await anyRow('events', { id: randomUUID(), app_id: appId, data: { id: about } }));
  const left = () => owner`select app_id from events where data ->> 'id' = ${about} order by app_id`;
  const remove = (tx: postgres.TransactionSql | postgres.Sql) => tx`select delete_events_about(${[about]}::text[])`;
  const removing = (app: string | null) =>
    tenant.begin(async (tx) => {
      if (app) await tx`select set_config('confam.app_id', ${app}, true)`;
      await remove(tx);
    });
  await removing(null);
  expect(await left()).toHaveLength(2);
  await removing(apps.one);
  expect([...(await left())]).toEqual([{ app_id: apps.other }]);
  await expect(worker.begin(remove)).rejects.toMatchObject(refused);
  await remove(service);
  expect(await left()).toHaveLength(0);
});

test('workers learn of the makers of encryption keys by a function, and a request of an app of its own endpoints’ only', async () => {
  const endpoints: string[] = [];
  for (const app_id of Object.values(apps)) {
    const key = await anyRow('api_keys', { id: randomUUID(), app_id, kind: 'test' });
    await insert(owner, 'api_keys', key);
    const made = await anyRow('webhook_endpoints', { id: randomUUID(), app_id, maker_key_id: key.id });
    await insert(owner, 'webhook_endpoints', made);
    endpoints.push(made.id as string);
  }
  const makers = (tx: postgres.TransactionSql) => tx`select endpoint_id from endpoint_makers(${endpoints}::uuid[])`;
  expect(await worker.begin(makers)).toHaveLength(2);
  expect([...(await attempt(apps.one, makers))]).toEqual([{ endpoint_id: endpoints[0] }]);
  expect(await attempt(null, makers)).toHaveLength(0);
  await expect(worker.begin((tx) => tx`select 1 from api_keys`)).rejects.toMatchObject(refused);
});

describe('raising it', () => {
  test('mends what was taken down, and changes nothing that stands', async () => {
    const versions = () =>
      owner`select relname, xmin::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`;
    const before = await versions();
    expect(await migrateDatabase(readConfig({}), url)).toBeNull();
    expect(await versions()).toEqual(before);
    await owner.unsafe(
      `alter table jobs no force row level security; drop policy confam_own on batches; grant select on sessions to ${ROLES.tenant}`,
    );
    expect(await wallGaps(owner)).toEqual([
      'batches has other policies',
      'jobs does not force row-level security',
      'sessions has other privileges',
    ]);
    expect(await migrateDatabase(readConfig({}), url)).toBeNull();
    expect(await wallGaps(owner)).toEqual([]);
    const [jobs] = await owner`select relforcerowsecurity as forced from pg_class where oid = 'public.jobs'::regclass`;
    expect(jobs!.forced).toBe(true);
    expect(await attempt(apps.one, (tx) => tx`select * from batches`)).toHaveLength(1);
    await expect(tenant`select 1 from sessions`).rejects.toMatchObject(refused);
  });

  test('an owner that is no superuser keeps all rows, and may not create roles: it is told what to do', async () => {
    const name = `owner_${randomBytes(4).toString('hex')}`;
    const admin = open(inject('adminUrl'));
    const own = new URL(inject('adminUrl'));
    Object.assign(own, { username: name, password: 'secret', pathname: `/${name}` });
    await admin.unsafe(`create role ${name} login password 'secret'`);
    await admin.unsafe(`create database ${name} owner ${name}`);
    const config = readConfig({
      CONFAM_KEYS: `1:${randomBytes(32).toString('base64')}`,
      CONFAM_INDEX_KEY: randomBytes(32).toString('base64'),
    });
    try {
      const grants = 'grant confam_service, confam_worker, confam_tenant, confam_queue to';
      expect(await migrateDatabase(config, own.toString())).toContain(`run: ${grants} "${name}"; then`);
      // With a user of its own for processes, the owner still needs the roles.
      const separate = new URL(own);
      separate.username = `${name}_login`;
      expect(await migrateDatabase(config, own.toString(), separate.toString())).toContain(
        `run: create role "${name}_login" login password '<the password in DATABASE_URL>'; ${grants} "${name}_login", "${name}"; then`,
      );
      expect(await findWall(own.toString())).toBe(false);
      await admin.unsafe(`grant ${[...Object.values(ROLES), QUEUE_ROLE].join(', ')} to ${name}`);
      expect(await migrateDatabase(config, own.toString())).toBeNull();
      expect(await findWall(own.toString())).toBe(true);
      // As processes of the release before connect, beside those that use the roles.
      for (const isWalled of [false, true]) {
        const ctx = openContext(config, own.toString(), { poolMax: 2, isWalled });
        const id = randomUUID();
        await ctx.sql`insert into apps (id, name, webhook_secret) values (${id}, 'x', '')`;
        await ctx.sql`insert into wallets (app_id, live) values (${id}, true)`;
        const entry = { app_id: id, seq: 0, actor_kind: 'system', actor_id: 'x', action: 'app.create', outcome: 'allowed' };
        await ctx.sql`select audit_append(${JSON.stringify([entry])}::text::jsonb)`;
        expect((await ctx.sql`select current_user as role`)[0]!.role).toBe(isWalled ? ROLES.service : name);
        for (const table of ['apps', 'wallets', 'audit_entries'])
          expect((await ctx.sql`select 1 from ${ctx.sql(table)}`).length).toBe(isWalled ? 2 : 1);
        await ctx.close();
      }
    } finally {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.unsafe(`drop role ${name}`);
      await admin.end();
    }
  });
});
