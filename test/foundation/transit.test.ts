/** Data keys that a key service wraps, against a server with the interface of Vault's transit engine. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Context, openKeys } from '../../src/foundation/context.ts';
import { DEPLOYMENT } from '../../src/foundation/data-keys.ts';
import { isDatabaseFault } from '../../src/foundation/database-faults.ts';
import { rotateKeys } from '../../src/lifecycle/rotation/rotate.ts';
import { useDatabase } from '../setup/database.ts';
import { startTransit, type TransitServer } from '../setup/transit.ts';

const database = useDatabase();
let vault: TransitServer;
const opened: Context[] = [];
beforeAll(async () => {
  vault = await startTransit();
});
afterAll(async () => {
  for (const ctx of opened) await ctx.close();
  await vault.close();
});

/** A process with nothing in memory. */
function start(extra: Record<string, string> = {}): Context {
  const ctx = database.openContext({ CONFAM_TRANSIT_URL: vault.url, CONFAM_TRANSIT_TOKEN: vault.token, ...extra });
  opened.push(ctx);
  return ctx;
}

const wrappedBy = async ({ sql }: Context) =>
  (await sql<{ by: string }[]>`select distinct wrapped_by as by from data_keys order by 1`).map(({ by }) => by);
const keyless = { CONFAM_KEYS: '' };
const moved = (ctx: Context) => rotateKeys(ctx, openKeys(ctx.config).wrapping);

test('a deployment moves to a key service by a rotation, and needs no key of its own then', async () => {
  const own = start({ CONFAM_TRANSIT_URL: '' });
  const sealed = (await own.cipher.sealer(DEPLOYMENT)).seal('text', 'purpose', 'id');
  expect(await wrappedBy(own)).toEqual(['key:1']);
  await expect(start(keyless).cipher.open(sealed, 'purpose', 'id')).rejects.toThrow('is wrapped by key 1, and CONFAM_KEYS is not set');
  expect(await moved(start())).toMatchObject({ keys: 1, faults: [] });
  expect(await wrappedBy(own)).toEqual(['transit:confam:v1']);
  const there = start(keyless);
  expect(await there.cipher.open(sealed, 'purpose', 'id')).toBe('text');
  // The key is in memory now: a second ciphertext asks nobody.
  const before = vault.asked.length;
  const second = (await there.cipher.sealer(DEPLOYMENT)).seal('more', 'purpose', 'id');
  expect(await there.cipher.open(second, 'purpose', 'id')).toBe('more');
  await there.cipher.sealer(DEPLOYMENT);
  expect(vault.asked.length - before).toBeLessThanOrEqual(1);
});

test('a new version of its key is put to use by a rotation, which never sees a data key', async () => {
  const sealed = (await start(keyless).cipher.sealer(DEPLOYMENT)).seal('text', 'purpose', 'id');
  vault.rotate();
  const from = vault.asked.length;
  expect(await moved(start(keyless))).toMatchObject({ keys: 1, keysOf: 1, faults: [] });
  expect(vault.asked.slice(from)).toEqual(['keys/confam', 'rewrap/confam']);
  expect(await wrappedBy(start(keyless))).toEqual(['transit:confam:v2']);
  vault.forget(2);
  expect(await start(keyless).cipher.open(sealed, 'purpose', 'id')).toBe('text');
});

test('a key that the service refuses is named, with its reason', async () => {
  const ctx = start(keyless);
  const sealed = (await ctx.cipher.sealer(DEPLOYMENT)).seal('text', 'purpose', 'id');
  vault.forget(3);
  await expect(start(keyless).cipher.open(sealed, 'purpose', 'id')).rejects.toThrow(
    /^The data key [0-9a-f-]{36} is not opened by the key service: ciphertext or signature version is disallowed by policy/,
  );
  vault.forget(1);
  await ctx.sql`update data_keys set id = gen_random_uuid()`;
  await expect(start(keyless).cipher.sealer(DEPLOYMENT)).rejects.toThrow(
    /^The data key [0-9a-f-]{36} was altered: it is wrapped for another id$/,
  );
  await ctx.sql`delete from data_keys`;
});

test('without an answer of the service nothing new is sealed, and what is in memory still opens', async () => {
  const ctx = start(keyless);
  const sealed = (await ctx.cipher.sealer(DEPLOYMENT)).seal('text', 'purpose', 'id');
  expect(await ctx.cipher.open(sealed, 'purpose', 'id')).toBe('text');
  const wrong = start({ ...keyless, CONFAM_TRANSIT_TOKEN: 'another' });
  await expect(wrong.cipher.open(sealed, 'purpose', 'id')).rejects.toThrow('The key service (CONFAM_TRANSIT_URL) answers 403');
  await vault.close();
  expect(await ctx.cipher.open(sealed, 'purpose', 'id')).toBe('text');
  const fault: unknown = await start(keyless)
    .cipher.open(sealed, 'purpose', 'id')
    .catch((error: unknown) => error);
  expect(String(fault)).toContain('The key service (CONFAM_TRANSIT_URL) does not answer');
  // A job that meets it goes back to its queue and counts no failure.
  expect(isDatabaseFault(fault)).toBe(true);
});
