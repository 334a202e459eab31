/** One item that fails must not hold up those of other apps: erasures, exports, marks of rows, and deletions of batches and apps. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { suspendApp } from '../../src/access/apps.ts';
import { bySystem } from '../../src/access/audit/append.ts';
import type { Owner } from '../../src/access/owner.ts';
import { cancelBatch } from '../../src/batches/control.ts';
import type { Context } from '../../src/foundation/context.ts';
import { showId } from '../../src/foundation/ids.ts';
import { deleteApp, readDeletion } from '../../src/lifecycle/app-deletion.ts';
import { markBatch } from '../../src/lifecycle/deletions.ts';
import { advanceErasures, askErasure, readErasures } from '../../src/lifecycle/erase.ts';
import { advanceExports, askExport, readExports } from '../../src/lifecycle/export.ts';
import { FailedItems } from '../../src/lifecycle/failed-items.ts';
import { markRows } from '../../src/lifecycle/mark-rows.ts';
import { purgeDeleted } from '../../src/lifecycle/purge.ts';
import { purgeApps } from '../../src/lifecycle/purge-app.ts';
import { asOwner, useDatabase, waitFor } from '../setup/database.ts';
import { freshNin, makeOwner, never, uploadNins, useBench } from '../setup/work.ts';

const database = useDatabase();
const bench = useBench(database);
/** The sweeper's process, which has not used any key yet. */
let sweeper: Context;
beforeAll(() => {
  sweeper = database.openContext();
});
afterAll(() => sweeper.close());

const by = bySystem('test');

/** Items of two apps, the older one first, whose keys are away from now on. `back`: puts them back. */
async function twoApps<Item>(make: (owner: Owner) => Promise<Item>) {
  const { service } = bench;
  const owners = [await makeOwner(service), await makeOwner(service)] as const;
  const items = [await make(owners[0]), await make(owners[1])] as const;
  const wrapBy = (key: number) =>
    service.sql`update data_keys set wrapped = set_byte(wrapped, 0, ${key}) where app_id = ${owners[0].appId}`;
  await wrapBy(9);
  return { owners, items, back: () => wrapBy(1) };
}

/** Sweeps until `isDone`; whatever fails meanwhile is tried again soon. */
async function sweepUntil(sweep: (failed: FailedItems) => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  const failed = new FailedItems(100);
  await waitFor('the item that failed', async () => {
    await sweep(failed).catch(() => {});
    return isDone();
  });
}

async function canceled(owner: Owner): Promise<string> {
  const { id } = await uploadNins(bench.service, owner, [freshNin(), freshNin()]);
  await cancelBatch(bench.service, owner.appId, id, by);
  return id;
}

const erasure = (owner: Owner) => askErasure(bench.service, owner, [{ type: 'nin', value: freshNin() }], by, async () => {});
const isErased = async (owner: Owner, id: string) =>
  (await readErasures(bench.service, owner, { id, before: null, limit: 1 }))[0]!.finishedAt !== null;

test('an erasure whose key is away holds up no other, and is done once the key is back', async () => {
  const { owners, items, back } = await twoApps(erasure);
  const areErased = () => Promise.all(owners.map((owner, at) => isErased(owner, items[at]!.id)));
  const failed = new FailedItems();
  const named = showId('ers', items[0].id);
  await expect(advanceErasures(sweeper, never, failed)).rejects.toThrow(new RegExp(`^${named} failed, .* key 9, which is not among`));
  expect(await areErased()).toEqual([false, true]);
  // Left out for a while; another process tries it.
  await advanceErasures(sweeper, never, failed);
  await expect(advanceErasures(sweeper, never)).rejects.toThrow(named);
  await back();
  await advanceErasures(sweeper, never, failed);
  expect(await areErased()).toEqual([false, true]);
  await sweepUntil(
    (soon) => advanceErasures(sweeper, never, soon),
    () => isErased(owners[0], items[0].id),
  );
});

test('an erasure that cannot be opened does not hold up those that proceed together with it', async () => {
  const owner = await makeOwner(bench.service);
  const broken = await erasure(owner);
  const others = [await erasure(owner), await erasure(owner)];
  await bench.service.sql`update erasures set asked = set_byte(asked, 40, get_byte(asked, 40) # 1) where id = ${broken.id}`;
  await sweepUntil(
    (soon) => advanceErasures(sweeper, never, soon),
    async () => (await Promise.all(others.map(({ id }) => isErased(owner, id)))).every(Boolean),
  );
  expect(await isErased(owner, broken.id)).toBe(false);
});

test('an export whose key is away holds up no other, and is done once the key is back', async () => {
  const asked = { identifiers: [{ type: 'nin' as const, value: freshNin() }], reason: null };
  const { owners, items, back } = await twoApps((owner) => askExport(bench.service, owner, asked, by, async () => {}));
  const areDone = () =>
    Promise.all(
      owners.map(async (owner, at) => {
        const [row] = await readExports(bench.service, owner, { id: items[at]!.id, before: null, limit: 1 });
        return row!.finishedAt !== null;
      }),
    );
  await expect(advanceExports(sweeper, never)).rejects.toThrow(showId('exp', items[0].id));
  expect(await areDone()).toEqual([false, true]);
  await back();
  await sweepUntil(
    (soon) => advanceExports(sweeper, never, soon),
    async () => (await areDone())[0]!,
  );
});

test('a batch whose key is away does not keep later ones from their marks', async () => {
  const { items, back } = await twoApps(canceled);
  const marked = async () => {
    const rows = await bench.service.sql<{ markedRows: number }[]>`
      select marked_rows from batches where id = any(${[...items]}::uuid[]) order by id`;
    return rows.map(({ markedRows }) => markedRows);
  };
  await expect(markRows(sweeper, never)).rejects.toThrow(showId('bat', items[0]));
  expect(await marked()).toEqual([0, 2]);
  await back();
  await sweepUntil(
    (failed) => markRows(sweeper, never, { failed }),
    async () => (await marked())[0] === 2,
  );
});

/** Postgres refuses to update this row from now on. The result permits it again. */
async function refuse(table: string, column: string, id: string): Promise<() => Promise<unknown>> {
  await asOwner(sweeper.databaseUrl, (sql) =>
    sql.unsafe(`
      create function refuse_one() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse_one before update on ${table} for each row when (old.${column} = '${id}') execute function refuse_one()`),
  );
  return () => asOwner(sweeper.databaseUrl, (sql) => sql.unsafe('drop function refuse_one cascade'));
}

test('a deletion that fails holds up no other, and is done once it can be', async () => {
  const { items } = await twoApps(canceled);
  const { sql } = bench.service;
  for (const id of items) {
    await sql.begin(async (tx) => {
      const [batch] = await tx<{ id: string; appId: string; live: boolean }[]>`select id, app_id, live from batches where id = ${id}`;
      await markBatch(tx, batch!, 'requested');
    });
  }
  const left = async () => (await sql<{ id: string }[]>`select id from deletions where finished_at is null`).map(({ id }) => id);
  const permit = await refuse('deletions', 'id', items[0]);
  // The database's own words could quote values: only the cause has them.
  const named = `${showId('bat', items[0])} failed, to be tried again later`;
  await expect(purgeDeleted(sweeper, never)).rejects.toMatchObject({ message: named, cause: { message: 'refused' } });
  expect(await left()).toEqual([items[0]]);
  await permit();
  await purgeDeleted(sweeper, never);
  expect(await left()).toEqual([]);
});

test('the deletion of an app that fails holds up no other, and is done once it can be', async () => {
  const { service } = bench;
  const owners = [await makeOwner(service), await makeOwner(service)] as const;
  for (const { appId } of owners) {
    await suspendApp(service, appId, by);
    await deleteApp(service, appId, { balance: 'written_off', cancelWork: false }, by);
  }
  const areDone = () => Promise.all(owners.map(async ({ appId }) => (await readDeletion(service, appId))!.finishedAt !== null));
  const permit = await refuse('app_deletions', 'app_id', owners[0].appId);
  await expect(purgeApps(sweeper, never)).rejects.toThrow(showId('app', owners[0].appId));
  expect(await areDone()).toEqual([false, true]);
  await permit();
  await purgeApps(sweeper, never);
  expect(await areDone()).toEqual([true, true]);
});
