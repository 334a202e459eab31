/** A key that is not the one that sealed the database is refused at the start, before it wraps anything; a rotation and a key service that is away are not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDataKeys, checkIndexKeys } from '../../src/doctor/stores.ts';
import { openDeployed, openKeys, refuseOtherKeys } from '../../src/foundation/context.ts';
import { newSecretKey } from '../../src/foundation/crypto.ts';
import { rotateKeys } from '../../src/lifecycle/rotation/rotate.ts';
import { asOwner, useDatabase } from '../setup/database.ts';
import { runConfam } from '../setup/process.ts';
import { startTransit, type TransitServer } from '../setup/transit.ts';

const database = useDatabase();
const [second, wrong] = [newSecretKey(), newSecretKey()];
let first: string;
let vault: TransitServer;
beforeAll(async () => {
  first = database.config().CONFAM_KEYS!.slice('1:'.length);
  vault = await startTransit();
  await open({});
});
afterAll(() => vault.close());

/** Whether a process starts with these settings. */
async function open(settings: Record<string, string>): Promise<true> {
  await (await openDeployed(database.config(settings), database.url)).close();
  return true;
}
const withKeys = (keys: string) => open({ CONFAM_KEYS: keys });
const refusal = (id: number) => `CONFAM_KEYS: its key ${id} is not the one that this database was sealed with`;
const keysInDatabase = () => asOwner(database.url, (sql) => sql`select id, wrapped from data_keys order by id`);

async function rotate(settings: Record<string, string>): Promise<void> {
  const ctx = await openDeployed(database.config(settings), database.url);
  expect((await rotateKeys(ctx, openKeys(ctx.config).wrapping)).faults).toEqual([]);
  await ctx.close();
}

test('a key with the number of the right one and other bytes is refused by every process, `confam migrate` and the doctor', async () => {
  const before = await keysInDatabase();
  await expect(withKeys(`1:${wrong}`)).rejects.toThrow(refusal(1));
  const config = database.config({ CONFAM_KEYS: `1:${wrong}` });
  expect(await asOwner(database.url, (sql) => checkIndexKeys(sql as never, config))).toMatchObject({ state: 'broken', says: refusal(1) });
  const environment = { ...database.environment, CONFAM_KEYS: `1:${wrong}`, PORT: '0' };
  for (const command of ['migrate', 'start', 'api', 'worker', 'dispatcher', 'wallet verify'])
    expect(await runConfam(command.split(' '), environment), command).toMatchObject({ code: 1, stderr: `${refusal(1)}\n` });
  expect(await keysInDatabase()).toEqual(before);
}, 120_000);

test('`confam migrate` needs no keys, and takes the right ones', async () => {
  const { CONFAM_KEYS: _, CONFAM_INDEX_KEY: __, ...keyless } = database.environment;
  expect(await runConfam(['migrate'], keyless)).toMatchObject({ code: 0 });
  await refuseOtherKeys(database.config(), database.url);
});

test('during a rotation both keys are taken, and the one that has wrapped something is compared', async () => {
  expect(await withKeys(`2:${second},1:${first}`)).toBe(true);
  await expect(withKeys(`2:${second},1:${wrong}`)).rejects.toThrow(refusal(1));
  // A key that was removed too early: what needs it is refused by itself.
  expect(await withKeys(`2:${second}`)).toBe(true);
  const doctor = (CONFAM_KEYS: string) => asOwner(database.url, (sql) => checkDataKeys(sql as never, database.config({ CONFAM_KEYS })));
  expect(await doctor(`2:${second},1:${first}`)).toBeNull();
  expect(await doctor(`2:${second}`)).toMatchObject({
    state: 'broken',
    says: expect.stringContaining('key 1, which is not among CONFAM_KEYS'),
  });
  await rotate({ CONFAM_KEYS: `2:${second},1:${first}` });
  expect(await withKeys(`2:${second}`)).toBe(true);
  expect(await doctor(`2:${second}`)).toBeNull();
  // A process that was forgotten when the old key was removed.
  expect(await doctor(`1:${first}`)).toMatchObject({
    state: 'broken',
    says: expect.stringContaining('key 2, which is not among CONFAM_KEYS'),
  });
  expect(await withKeys(`2:${second},1:${first}`)).toBe(true);
  await expect(withKeys(`2:${wrong}`)).rejects.toThrow(refusal(2));
  await expect(withKeys(`2:${wrong},1:${first}`)).rejects.toThrow(refusal(2));
});

test('a key service that is another one is refused; while it is away, processes start', async () => {
  const transit = { CONFAM_TRANSIT_URL: vault.url, CONFAM_TRANSIT_TOKEN: vault.token };
  await rotate({ ...transit, CONFAM_KEYS: `2:${second}` });
  const alone = { ...transit, CONFAM_KEYS: '' };
  expect(await open(alone)).toBe(true);
  const other = await startTransit();
  await expect(open({ ...alone, CONFAM_TRANSIT_URL: other.url, CONFAM_TRANSIT_TOKEN: other.token })).rejects.toThrow(
    /^CONFAM_TRANSIT_KEY \(.+\): its key is not the one that this database was sealed with$/,
  );
  // Neither its silence nor a refusal of the token says anything of the key.
  expect(await open({ ...alone, CONFAM_TRANSIT_TOKEN: 'wrong' })).toBe(true);
  await other.close();
  expect(await open({ ...alone, CONFAM_TRANSIT_URL: other.url })).toBe(true);
});
