/** Apps and their keys: made by the operator (admin API, CLI) and by the first start in the embedded mode. */
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Context } from './context.ts';
import { hashApiKey, type KeyKind, newApiKey, newWebhookSecret } from './crypto.ts';
import { newId } from './ids.ts';
import { type AppSettings, apiKeys, apps } from './schema/apps.ts';
import { wallets } from './schema/money.ts';

/** Announces that keys or apps changed: every process forgets what it remembers of them. */
export const KEYS_CHANNEL = 'confam_keys';

export interface NewApp {
  id: string;
  /** Signs the webhooks of every `callback_url`; shown once. */
  webhookSecret: string;
}

export async function createApp(ctx: Context, name: string, settings: AppSettings = {}): Promise<NewApp> {
  const id = newId();
  const webhookSecret = newWebhookSecret();
  await ctx.db.transaction(async (tx) => {
    await tx.insert(apps).values({ id, name, settings, webhookSecret: ctx.cipher.seal(webhookSecret, 'webhook_secret', id) });
    await tx.insert(wallets).values([
      { appId: id, live: true },
      { appId: id, live: false },
    ]);
  });
  return { id, webhookSecret };
}

/** The key in clear, which is stored nowhere. Null: no such app. */
export async function createKey(
  ctx: Context,
  kind: KeyKind,
  appId: string | null,
  dailyCapKobo: number | null = null,
): Promise<{ id: string; key: string } | null> {
  if (appId !== null && (await ctx.db.select({ id: apps.id }).from(apps).where(eq(apps.id, appId))).length === 0) return null;
  const id = newId();
  const key = newApiKey(kind);
  await ctx.db.insert(apiKeys).values({ id, appId, kind, hash: hashApiKey(key), hint: key.slice(0, 12), dailyCapKobo });
  return { id, key };
}

/** Sets what a key may spend a day; null: no cap. Takes effect in every process at once. Null: no such key of an app. */
export async function capKey(ctx: Context, id: string, dailyCapKobo: number | null): Promise<{ kind: KeyKind } | null> {
  const [key] = await ctx.db
    .update(apiKeys)
    .set({ dailyCapKobo })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt), isNotNull(apiKeys.appId)))
    .returning({ kind: apiKeys.kind });
  await ctx.sql.notify(KEYS_CHANNEL, '');
  return key ?? null;
}

/** Changes the members of `settings` that are named; null takes the default again. Takes effect in every process at once. Null: no such app. */
export async function changeSettings(
  ctx: Context,
  id: string,
  settings: { [Name in keyof AppSettings]: AppSettings[Name] | null },
): Promise<{ name: string; settings: AppSettings } | null> {
  const [app] = await ctx.sql<{ name: string; settings: AppSettings }[]>`
    update apps set settings = jsonb_strip_nulls(settings || ${JSON.stringify(settings)}::text::jsonb) where id = ${id} returning name, settings`;
  await ctx.sql.notify(KEYS_CHANNEL, '');
  return app ?? null;
}

/** Takes effect in every process at once. False: no such key, or revoked already. */
export async function revokeKey(ctx: Context, id: string): Promise<boolean> {
  const revoked = await ctx.db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  await ctx.sql.notify(KEYS_CHANNEL, '');
  return revoked.length > 0;
}
