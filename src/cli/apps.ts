/** Makes, tops up, suspends, exports and deletes apps on a deployment's database, for `commands/apps.ts`. */
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { createApp, resumeApp, suspendApp } from '../access/apps.ts';
import { byOperator, record } from '../access/audit/append.ts';
import { appFile } from '../api/app-file.ts';
import { askAboutApp, topUpOf } from '../approvals/approvals.ts';
import { WORK_CHANNEL } from '../batches/batch.ts';
import { appBody } from '../contract/apps.ts';
import { kobo } from '../contract/fields.ts';
import { topUpBody } from '../contract/money.ts';
import { ConfigError } from '../foundation/config.ts';
import type { Context } from '../foundation/context.ts';
import { showId } from '../foundation/ids.ts';
import { type DeletionTerms, deleteApp, deletionToApprove, readDeletion } from '../lifecycle/app-deletion.ts';
import { topUp } from '../money/ledger.ts';
import { explain, withDeployed } from './database.ts';
import { UsageError } from './usage-error.ts';

const byCli = byOperator('cli');

export interface DeletionOptions {
  refunded?: boolean;
  writtenOff?: boolean;
  cancelWork?: boolean;
  yes?: boolean;
}

const noApp = (): ConfigError => new ConfigError('there is no such app');

export async function makeApp(name: string): Promise<void> {
  const { success, data } = appBody.safeParse({ name });
  if (!success) throw new UsageError('the name must have 1 to 100 characters');
  await withDeployed(async (ctx) => {
    const app = await createApp(ctx, data.name, {}, byCli);
    console.log(JSON.stringify({ id: showId('app', app.id), webhook_secret: app.webhookSecret }));
  });
}

export async function recordPayment(id: string, naira: string, options: { test?: boolean }): Promise<void> {
  // `Number` also reads 0x10 and 1e3.
  const amount = /^[\d.]+$/.test(naira) ? Number(naira) : Number.NaN;
  const parsed = topUpBody.safeParse({ amount, mode: options.test ? 'test' : 'live', note: 'cli' });
  if (!parsed.success) throw new UsageError('the amount must be a positive number of naira, such as 5000 or 99.50');
  await withDeployed(async (ctx) => {
    const made = await topUpOrAsk(ctx, id, parsed.data);
    if (!made) throw noApp();
    console.log(JSON.stringify(made));
  });
}

export const suspend = (id: string): Promise<void> =>
  withDeployed(async (ctx) => {
    if (!(await suspendApp(ctx, id, byCli))) throw noApp();
  });

export const resume = (id: string): Promise<void> =>
  withDeployed(async (ctx) => {
    if (!(await resumeApp(ctx, id, byCli))) throw noApp();
    await ctx.sql.notify(WORK_CHANNEL, '');
  });

export async function remove(id: string, { refunded, writtenOff, cancelWork = false, yes }: DeletionOptions): Promise<void> {
  if (refunded && writtenOff) throw new UsageError('give either --refunded or --written-off');
  if (!yes) throw new UsageError('nothing was deleted: this cannot be undone, so add --yes');
  const balance = refunded ? 'refunded' : writtenOff ? 'written_off' : null;
  await withDeployed(async (ctx) => {
    const message = await deleteOrAsk(ctx, id, { balance, cancelWork }).catch(explain);
    if (message === null) throw noApp();
    console.log(message);
  });
}

export const printCertificate = (id: string): Promise<void> =>
  withDeployed(async (ctx) => {
    const row = await readDeletion(ctx, id);
    if (!row) throw new ConfigError('there is no such app, or nobody has deleted it');
    if (row.certificate === null) throw new ConfigError(`the deletion is not done yet: ${row.stage}`);
    console.log(JSON.stringify({ receipt: row.certificate, signature: row.signature }));
  });

export const exportTo = (id: string, path: string): Promise<void> => withDeployed((ctx) => writeFile(ctx, id, path));

/** The export is in the audit before the first byte is written. A part of the file never looks like the whole, and is deleted if the rest cannot be written. */
async function writeFile(ctx: Context, id: string, path: string): Promise<void> {
  const content = await appFile(ctx, id).catch(explain);
  if (!content) throw noApp();
  const file = await open(path, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new ConfigError(code === 'EEXIST' ? `${path} already exists` : `${path} cannot be written (${code})`);
  });
  try {
    await ctx.sql.begin((tx) => record(tx, byCli, { appId: id, live: null, action: 'app.export', object: showId('app', id) }));
    await pipeline(content, file.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOSPC' || code === 'EDQUOT' ? new ConfigError(`${path} cannot be written (${code})`) : error;
  } finally {
    await file.close();
  }
  console.log(`Written to ${path}. It has personal data in clear.`);
}

/** Where top-ups need a second administrator, it asks for one. Null if there is no such app. */
async function topUpOrAsk(ctx: Context, appId: string, body: z.infer<typeof topUpBody>): Promise<object | null> {
  if (ctx.config.CONFAM_APPROVALS.includes('top_up')) {
    const approval = await ctx.sql.begin((tx) => askAboutApp(ctx, tx, byCli, topUpOf(appId, body)));
    return approval && { approval: showId('apr', approval.id), status: approval.status };
  }
  const { amount, mode, note = null } = body;
  const wallet = await topUp(ctx.sql, { appId, live: mode === 'live' }, kobo(amount), note, { by: byCli });
  return wallet && { available: wallet.availableKobo / 100 };
}

/** Where deletions need a second administrator, it asks for one. Returns the message to print; null if there is no such app. */
async function deleteOrAsk(ctx: Context, id: string, terms: DeletionTerms): Promise<string | null> {
  if (ctx.config.CONFAM_APPROVALS.includes('app_deletion') && !(await readDeletion(ctx, id))) {
    const asked = await deletionToApprove(ctx, id, terms);
    const approval = asked && (await ctx.sql.begin((tx) => askAboutApp(ctx, tx, byCli, asked)));
    return approval && `Nothing is deleted yet: ${showId('apr', approval.id)} waits for a second administrator.`;
  }
  const row = await deleteApp(ctx, id, terms, byCli);
  return (
    row &&
    'None of it can be read any more. The dispatcher is deleting its rows; `confam apps certificate` prints the certificate when that is done.'
  );
}
