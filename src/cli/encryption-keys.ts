/** The keys that a deployment encrypts and indexes with: fresh ones, and carrying what is stored over to them, for `commands/keys.ts`. */
import { byOperator, record } from '../access/audit/append.ts';
import { DEPLOYMENT } from '../access/audit/entry.ts';
import { type Context, openKeys } from '../foundation/context.ts';
import { newSecretKey } from '../foundation/crypto.ts';
import { renewIndexes } from '../lifecycle/rotation/reindex.ts';
import { rotateKeys } from '../lifecycle/rotation/rotate.ts';
import { withDatabase } from './database.ts';

const byCli = byOperator('cli');

export const generateKeys = (): void => console.log(`CONFAM_KEYS=1:${newSecretKey()}\nCONFAM_INDEX_KEY=${newSecretKey()}`);

export const rotateEncryptionKeys = ({ json }: { json?: boolean }): Promise<void> =>
  withDatabase((ctx) => rotateDeployment(ctx, json === true), { poolMax: 2 });

export const renewIndexKeys = ({ json }: { json?: boolean }): Promise<void> =>
  withDatabase((ctx) => renewDeployment(ctx, json === true), { poolMax: 2 });

/** Prints its progress to standard error, once a second. The exit code is 1 if something could not be decrypted. */
async function rotateDeployment(ctx: Context, asJson: boolean): Promise<void> {
  let shownAt = 0;
  const { wrapping } = openKeys(ctx.config);
  await recordBegin(ctx, 'encryption.rotate', { to: await wrapping.current() });
  const rotated = await rotateKeys(ctx, wrapping, ({ place, keys, keysOf, sealed }) => {
    if (performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    console.error(`${place}: ${keys} of ${keysOf} data keys, ${sealed} ciphertexts`);
  });
  const { keys, sealed, faults } = rotated;
  if (asJson) console.log(JSON.stringify(rotated));
  else console.log(`${keys} data keys are wrapped anew, ${sealed} ciphertexts are sealed by data keys.`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else if (!asJson) console.log('Nothing needs an older key any more: it can be removed from the settings of every process.');
}

/** Written before the work begins, because the work is many transactions and may be killed between them. */
const recordBegin = (ctx: Context, action: 'encryption.rotate' | 'encryption.index', detail: { to: string | number }): Promise<void> =>
  ctx.sql.begin((tx) => record(tx, byCli, { appId: DEPLOYMENT, live: null, action, object: null, detail }));

/** Prints its progress to standard error, once a second. The exit code is 1 if some hashes could not be renewed. */
async function renewDeployment(ctx: Context, asJson: boolean): Promise<void> {
  let shownAt = 0;
  await recordBegin(ctx, 'encryption.index', { to: ctx.cipher.currentKey });
  const done = await renewIndexes(ctx, new AbortController().signal, (place, renewed) => {
    if (performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    console.error(`${place}: ${renewed}`);
  });
  const { renewed, faults, older } = done;
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  if (asJson) {
    console.log(JSON.stringify(done));
    return;
  }
  const { currentKey } = ctx.cipher;
  const tables = Object.entries(renewed).map(([table, rows]) => `${rows} in ${table}`);
  console.log(
    tables.length === 0 ? `Everything is by index key ${currentKey} already.` : `By index key ${currentKey} now: ${tables.join(', ')}.`,
  );
  for (const { table, rows, until } of older)
    console.log(`${table}: ${rows} by an older key, which expire until ${until}; they are found.`);
  if (faults.length === 0 && currentKey > 1)
    console.log(
      'An older key can be removed from CONFAM_INDEX_KEY of every process: the database has a copy of it, wrapped like a data key.',
    );
}
