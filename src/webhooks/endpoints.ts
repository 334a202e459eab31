/**
 * Webhook endpoints: where an app wants its events. Each belongs to an app and to live or play money, is a lane of its own
 * (`delivery.ts`), and has a secret that is shown once and may be exchanged without a gap.
 */
import type { z } from 'zod';
import { type EncryptionKey, type EndpointRow, type endpointBody, type endpointPatch, showEndpoint } from '../contract/webhooks.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newWebhookKey, newWebhookSecret, webhookPublicKey } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import { refuseUrl, URL_RULE } from '../net/guarded-http.ts';
import { emitEvents, endpointLane } from './events.ts';
import { encryptTo } from './payload.ts';

export interface EndpointOwner {
  appId: string;
  live: boolean;
}

/** Of an app, in live and in play money each: an event is copied to so many receivers at most. */
const ENDPOINTS_MAX = 20;
/** How long the secret before the present one signs too. */
const ROTATION_HOURS = 24;

/** The endpoint and its secret; null where there is nothing for the receiver to keep (`v1a`). */
export interface WithSecret {
  endpoint: EndpointRow;
  secret: string | null;
}

/** `invalid_request` for an address or a key that cannot be used, `conflict` when there are too many. */
export async function createEndpoint(ctx: Context, owner: EndpointOwner, body: z.infer<typeof endpointBody>): Promise<WithSecret> {
  checkUrl(ctx, body.url);
  await checkKey(body.encryption_key);
  const id = newId();
  const secret = newSecret(body.signing);
  const endpoint = await ctx.sql.begin(async (tx) => {
    // Two requests at once must not pass the limit together.
    await tx`select 1 from apps where id = ${owner.appId} for no key update`;
    const [row] = await tx<EndpointRow[]>`
      insert into webhook_endpoints (id, app_id, live, url, description, events, signing, secret, rate_per_second, encryption_key)
      select ${id}::uuid, ${owner.appId}::uuid, ${owner.live}::bool, ${body.url}, ${body.description}, ${body.events}::text[], ${body.signing},
        ${ctx.cipher.seal(secret, SECRET, id)}, ${body.rate_per_second}::int, ${asJson(body.encryption_key)}::text::jsonb
      where (select count(*) from webhook_endpoints where app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null) < ${ENDPOINTS_MAX}
      returning *`;
    return row;
  });
  if (!endpoint) throw new ApiError('conflict', `There are ${ENDPOINTS_MAX} endpoints already, which is the most`);
  return { endpoint, secret: shown(secret) };
}

/** Newest first. `before`: the id of the last one that was seen. */
export async function listEndpoints(ctx: Context, owner: EndpointOwner, before: string | null, limit: number): Promise<EndpointRow[]> {
  return ctx.sql<EndpointRow[]>`
    select * from webhook_endpoints
    where app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`;
}

/** Null: unknown, deleted, another app's, or of the other mode. */
export async function readEndpoint(sql: Sql | Tx, owner: EndpointOwner, id: string): Promise<EndpointRow | null> {
  const [row] = await sql<EndpointRow[]>`
    select * from webhook_endpoints where id = ${id} and app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null`;
  return row ?? null;
}

/** Changes the members given. Null: no such endpoint. `disabled: false` brings back what was disabled, for whatever reason. */
export async function updateEndpoint(
  ctx: Context,
  owner: EndpointOwner,
  id: string,
  patch: z.infer<typeof endpointPatch>,
): Promise<EndpointRow | null> {
  if (patch.url !== undefined) checkUrl(ctx, patch.url);
  if (patch.encryption_key !== undefined) await checkKey(patch.encryption_key);
  const given = (member: keyof typeof patch): boolean => patch[member] !== undefined;
  // A new address, or one that is asked for again, has not failed yet.
  const fresh = given('url') || patch.disabled === false;
  const [row] = await ctx.sql<EndpointRow[]>`
    update webhook_endpoints set
      url = coalesce(${patch.url ?? null}, url),
      description = case when ${given('description')} then ${patch.description ?? null} else description end,
      events = coalesce(${patch.events ?? null}::text[], events),
      rate_per_second = case when ${given('rate_per_second')} then ${patch.rate_per_second ?? null}::int else rate_per_second end,
      encryption_key = case when ${given('encryption_key')} then ${asJson(patch.encryption_key ?? null)}::text::jsonb else encryption_key end,
      failing_since = case when ${fresh} then null else failing_since end,
      disabled_at = case when ${!given('disabled')} then disabled_at when ${patch.disabled === true} then coalesce(disabled_at, now()) end,
      disabled_reason = case when ${!given('disabled')} then disabled_reason when ${patch.disabled === true} then coalesce(disabled_reason, 'requested') end
    where id = ${id} and app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null
    returning *`;
  if (row && patch.disabled === true) await dropPending(ctx, id, 'endpoint_disabled');
  return row ?? null;
}

/** Its deliveries stay on record; what still waits is given up. False: no such endpoint. */
export async function deleteEndpoint(ctx: Context, owner: EndpointOwner, id: string): Promise<boolean> {
  const deleted = await ctx.sql`
    update webhook_endpoints set deleted_at = now(), previous_secret = null, previous_expires_at = null
    where id = ${id} and app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null`;
  if (deleted.count > 0) await dropPending(ctx, id, 'endpoint_deleted');
  return deleted.count > 0;
}

/** A new secret; the present one signs beside it for a day, unless `revokePrevious`. One still older stops at once. Null: no such endpoint. */
export async function rotateSecret(
  ctx: Context,
  endpoint: EndpointRow,
  { revokePrevious }: { revokePrevious: boolean },
): Promise<WithSecret | null> {
  const secret = newSecret(endpoint.signing);
  const [row] = await ctx.sql<EndpointRow[]>`
    update webhook_endpoints set
      previous_secret = case when ${!revokePrevious} then secret end,
      previous_expires_at = case when ${!revokePrevious} then now() + ${ROTATION_HOURS} * interval '1 hour' end,
      secret = ${ctx.cipher.seal(secret, SECRET, endpoint.id)}
    where id = ${endpoint.id} and deleted_at is null
    returning *`;
  return row ? { endpoint: row, secret: shown(secret) } : null;
}

/** Secrets whose day is over. */
export async function forgetOldSecrets(ctx: Context): Promise<void> {
  await ctx.sql`update webhook_endpoints set previous_secret = null, previous_expires_at = null where previous_expires_at < now()`;
}

/** Does to an endpoint what its receiver brought about, and tells the app's other endpoints. Does nothing to one that is disabled already. */
export async function disableEndpoint(ctx: Context, id: string, reason: 'gone' | 'failing'): Promise<void> {
  const disabled = await ctx.sql.begin(async (tx) => {
    // A success meanwhile has cleared `failing_since`.
    const [row] = await tx<EndpointRow[]>`
      update webhook_endpoints set disabled_at = now(), disabled_reason = ${reason}
      where id = ${id} and disabled_at is null and deleted_at is null and (${reason} = 'gone' or failing_since is not null)
      returning *`;
    if (!row) return false;
    const { id: endpointId, url, description, disabled_reason, disabled_at, failing_since } = showEndpoint(row, null, null);
    const data = { id: endpointId, object: 'webhook_endpoint', url, description, disabled_reason, disabled_at, failing_since };
    await emitEvents(tx, [{ appId: row.appId, live: row.live, type: 'endpoint.disabled', data, url: null }]);
    return true;
  });
  if (!disabled) return;
  ctx.log.warn({ endpoint: showId('whe', id), reason }, 'webhook endpoint disabled');
  await dropPending(ctx, id, 'endpoint_disabled');
}

/** What is queued at this moment by somebody who saw the endpoint enabled is given up when its turn comes (`delivery.ts`). */
async function dropPending(ctx: Context, id: string, error: 'endpoint_disabled' | 'endpoint_deleted'): Promise<void> {
  await ctx.sql`update deliveries set status = 'failed', error = ${error} where host = ${endpointLane(id)} and status = 'pending'`;
}

/** As it is answered, with the public keys that its signatures are verified by. */
export function describeEndpoint(ctx: Context, endpoint: EndpointRow) {
  const publicKey = (sealed: Uint8Array | null) =>
    sealed === null || endpoint.signing === 'v1' ? null : webhookPublicKey(openSecret(ctx, endpoint.id, sealed));
  return showEndpoint(endpoint, publicKey(endpoint.secret), publicKey(endpoint.previousSecret));
}

/** Throws when the key that encrypted it is missing from the configuration. */
export const openSecret = (ctx: Context, endpointId: string, sealed: Uint8Array): string => ctx.cipher.open(sealed, SECRET, endpointId);

const SECRET = 'endpoint_secret';
const newSecret = (signing: EndpointRow['signing']): string => (signing === 'v1' ? newWebhookSecret() : newWebhookKey());
const shown = (secret: string): string | null => (secret.startsWith('whsk_') ? null : secret);
/** As text: drizzle, which shares the connection, takes postgres.js's own JSON serialiser away. */
const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function checkUrl(ctx: Context, url: string): void {
  const reason = refuseUrl(url, ctx.config.CONFAM_WEBHOOK_ALLOW_PRIVATE);
  if (reason)
    throw new ApiError('invalid_request', `url is not allowed (${reason})`, {
      details: [{ path: 'url', message: URL_RULE, rule: reason }],
    });
}

/** By trying: numbers may have the right form and be no key. */
async function checkKey(key: EncryptionKey | null): Promise<void> {
  if (key === null) return;
  try {
    await encryptTo(key, '{}');
  } catch {
    const message = 'cannot be encrypted to; RSA keys need 2048 bits or more';
    throw new ApiError('invalid_request', `encryption_key ${message}`, {
      details: [{ path: 'encryption_key', message, rule: 'unusable_key' }],
    });
  }
}
