/** Apps. The operator creates them (admin API, CLI); in embedded mode the first start creates one. */
import { cacheScopeOf } from '../contract/outside.ts';
import { fixedKinds } from '../contract/retention.ts';
import type { Context, Tx } from '../foundation/context.ts';
import { newWebhookSecret } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import type { AppSettings, SettingsPatch } from '../schema/apps.ts';
import { type Author, bySystem, record } from './audit/append.ts';
import { KEYS_CHANNEL } from './keys.ts';

export interface NewApp {
  id: string;
  /** Signs the webhooks to every `callback_url`; shown once. */
  webhookSecret: string;
}

export async function createApp(ctx: Context, name: string, settings: AppSettings = {}, by: Author = bySystem('setup')): Promise<NewApp> {
  const id = newId();
  const webhookSecret = newWebhookSecret();
  const { seal } = await ctx.cipher.sealer({ appId: id });
  await ctx.sql.begin(async (tx) => {
    await tx`
      insert into apps (id, name, settings, webhook_secret)
      values (${id}, ${name}, ${JSON.stringify(settings)}::text::jsonb, ${seal(webhookSecret, 'webhook_secret', id)})`;
    await tx`insert into wallets (app_id, live) values (${id}, true), (${id}, false)`;
    await record(tx, by, { appId: id, live: null, action: 'app.create', object: showId('app', id), detail: { settings } });
  });
  return { id, webhookSecret };
}

/**
 * Changes the given members of `settings`. Takes effect in every process at once. Once exports need an approval, links that were made without one end. Null if
 * there is no such app.
 */
export async function changeSettings(
  tx: Tx,
  id: string,
  settings: SettingsPatch,
  by: Author,
): Promise<{ name: string; settings: AppSettings } | null> {
  const [before] = await tx<{ settings: AppSettings }[]>`
    select settings from apps where id = ${id} and deleted_at is null for no key update`;
  if (!before) return null;
  const [app] = await tx<{ name: string; settings: AppSettings }[]>`
    update apps set settings = jsonb_strip_nulls(settings || ${JSON.stringify(settings)}::text::jsonb),
      shared_until = case when ${cacheScopeOf(before.settings) === 'deployment'} then now() else shared_until end
    where id = ${id} returning name, settings`;
  await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
  const ended = !before.settings.approveExport && app!.settings.approveExport ? await endLinks(tx, id) : 0;
  const detail = { settings, ...(ended > 0 && { linksEnded: ended }) };
  await record(tx, by, { appId: id, live: null, action: 'app.settings', object: showId('app', id), detail });
  return app!;
}

async function endLinks(tx: Tx, appId: string): Promise<number> {
  const ended = await tx`update links set revoked_at = now() where app_id = ${appId} and revoked_at is null and expires_at > now()`;
  return ended.count;
}

/** Allows for a look-up that began before the app stopped sharing and stored its answer afterwards. */
const SHARED_DAYS = fixedKinds.cache.live + 1;

/** Whether the shared cache may hold answers that this app stored. */
export async function mayHaveShared(tx: Tx, id: string): Promise<boolean> {
  const [app] = await tx<{ settings: AppSettings; isRecent: boolean | null }[]>`
    select settings, shared_until > now() - ${SHARED_DAYS} * interval '1 day' as is_recent from apps where id = ${id}`;
  return cacheScopeOf(app!.settings) === 'deployment' || app!.isRecent === true;
}

/** Suspends an app, in every process within a second. False if there is no such app. */
export const suspendApp = (ctx: Context, id: string, by: Author): Promise<boolean> => switchApp(ctx, id, 'app.suspend', by);

/** Likewise. Its work may wait: the caller wakes the dispatcher. */
export const resumeApp = (ctx: Context, id: string, by: Author): Promise<boolean> => switchApp(ctx, id, 'app.resume', by);

async function switchApp(ctx: Context, id: string, action: 'app.suspend' | 'app.resume', by: Author): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    const disabledAt = action === 'app.suspend' ? tx`coalesce(disabled_at, now())` : tx`null`;
    const changed = await tx`update apps set disabled_at = ${disabledAt} where id = ${id} and deleted_at is null`;
    if (changed.count === 0) return false;
    await tx`select pg_notify(${KEYS_CHANNEL}, '')`;
    await record(tx, by, { appId: id, live: null, action, object: showId('app', id) });
    return true;
  });
}

/** The app's settings, now. Keeps it from being deleted until the transaction ends. Throws `app_suspended` if it was deleted while this request was on its way. */
export async function refuseDeleted(tx: Tx, id: string): Promise<AppSettings> {
  const [app] = await tx<{ settings: AppSettings }[]>`select settings from apps where id = ${id} and deleted_at is null for key share`;
  if (!app) throw new ApiError('app_suspended', 'The app was deleted');
  return app.settings;
}

/** An app with its keys and wallets, as the operator sees it. */
export interface AppDetails {
  id: string;
  name: string;
  settings: AppSettings;
  createdAt: string;
  disabledAt: string | null;
  deletedAt: string | null;
  keys: { id: string; kind: 'live' | 'test'; hint: string; dailyCapKobo: number | null; createdAt: string; revokedAt: string | null }[];
  wallets: { live: boolean; availableKobo: number; heldKobo: number }[];
}

/** At most this many keys are shown per app, newest first. */
const KEYS_SHOWN = 100;

interface AppFilter {
  id?: string | null;
  /** Part of the name; null: any. */
  name?: string | null;
  /** Only older ones. */
  before?: string | null;
  /** Null: either. */
  suspended?: boolean | null;
  limit: number;
}

/** Newest first. */
export async function readApps(
  { sql: query }: Context,
  { id = null, name = null, before = null, suspended = null, limit }: AppFilter,
): Promise<AppDetails[]> {
  return [
    ...(await query<AppDetails[]>`
      select a.id, a.name, a.settings, a.created_at, a.disabled_at, a.deleted_at,
        coalesce((select jsonb_agg(jsonb_build_object('id', k.id, 'kind', k.kind, 'hint', k.hint, 'dailyCapKobo', k.daily_cap_kobo,
            'createdAt', k.created_at, 'revokedAt', k.revoked_at) order by k.id desc)
          from (select * from api_keys where app_id = a.id order by id desc limit ${KEYS_SHOWN}) k), '[]') as keys,
        (select jsonb_agg(jsonb_build_object('live', w.live, 'availableKobo', w.available_kobo, 'heldKobo',
            w.held_kobo - coalesce((select sum(h.captured_kobo) from holds h
              where h.app_id = w.app_id and h.live = w.live and h.released_at is null), 0)) order by w.live desc)
          from wallets w where w.app_id = a.id) as wallets
      from apps a
      where true ${narrowed(query, [
        id !== null && query`a.id = ${id}`,
        name !== null && query`strpos(lower(a.name), lower(${name})) > 0`,
        before !== null && query`a.id < ${before}`,
        suspended !== null && query`(a.disabled_at is not null) = ${suspended}`,
      ])}
      order by a.id desc limit ${limit}`),
  ];
}
