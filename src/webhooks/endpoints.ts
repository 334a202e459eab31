/**
 * Webhook endpoints: where an app wants its events. Each belongs to one app and one mode, is its own lane (`delivery.ts`), and has a secret that is shown once
 * and can be rotated without a gap.
 */
import type { z } from 'zod';
import { type Author, bySystem, record } from '../access/audit/append.ts';
import type { Owner } from '../access/owner.ts';
import type { Action } from '../contract/audit.ts';
import {
  type EncryptionKey,
  type EndpointFacts,
  type EndpointRow,
  type endpointBody,
  type endpointPatch,
  showEndpoint,
} from '../contract/webhooks.ts';
import type { Context, Sql, Tx } from '../foundation/context.ts';
import { newWebhookKey, newWebhookSecret, webhookPublicKey } from '../foundation/crypto.ts';
import { ApiError } from '../foundation/errors.ts';
import { newId, showId } from '../foundation/ids.ts';
import { narrowed } from '../foundation/lists.ts';
import { emitEvents, endpointLane } from './events.ts';
import { makerOf, NO_MAKER, refuseWithheld, refuseWithoutResults, withheldResults } from './makers.ts';
import { encryptTo, thumbprintOf } from './payload.ts';
import { refuseReceiver } from './receiver-url.ts';

export interface EndpointOwner {
  appId: string;
  live: boolean;
}

/** Endpoints per app and mode; bounds how many receivers one event is copied to. */
const ENDPOINTS_MAX = 20;
/** How long the previous secret keeps signing after a rotation. */
const ROTATION_HOURS = 24;

/** The endpoint and its secret; null for `v1a`, where the receiver keeps no secret. */
export interface WithSecret {
  endpoint: EndpointRow;
  secret: string | null;
}

/**
 * `once`: an endpoint that has the address and the description already is returned instead, without its secret, and enabled again unless it was disabled by
 * request. Throws `invalid_request` for an unusable URL or key, `forbidden` for a key that the caller may not set, `conflict` when there are too many endpoints.
 * `urlMember`: the client's name for the URL.
 */
export async function createEndpoint(
  ctx: Context,
  owner: EndpointOwner & Pick<Owner, 'terms'>,
  body: z.infer<typeof endpointBody>,
  by: Author,
  { once = false, urlMember = 'url' } = {},
): Promise<WithSecret> {
  const { maker, detail } = await checkKey(owner, body.encryption_key, by);
  const id = newId();
  const secret = newSecret(body.signing);
  const { seal } = await ctx.cipher.sealer({ appId: owner.appId });
  return ctx.sql.begin(async (tx) => {
    // Two concurrent requests must neither both pass the limit nor both create what is wanted once.
    await tx`select 1 from apps where id = ${owner.appId} for no key update`;
    const [known] = once ? await sameEndpoints(tx, owner, body) : [];
    if (known && (known.disabledReason === null || known.disabledReason === 'requested')) return { endpoint: known, secret: null };
    refuseReceiver(ctx, body.url, urlMember);
    if (known) return { endpoint: await enableAgain(tx, known, by), secret: null };
    const [row] = await tx<EndpointRow[]>`
      insert into webhook_endpoints (id, app_id, live, url, description, events, signing, secret, rate_per_second, encryption_key,
        maker_key_id, maker_person_id, disabled_at, disabled_reason)
      select ${id}::uuid, ${owner.appId}::uuid, ${owner.live}::bool, ${body.url}, ${body.description}, ${body.events}::text[], ${body.signing},
        ${seal(secret, SECRET, id)}, ${body.rate_per_second}::int, ${asJson(body.encryption_key)}::text::jsonb,
        ${maker.makerKeyId}::uuid, ${maker.makerPersonId}::uuid,
        case when ${body.disabled} then now() end, case when ${body.disabled} then 'requested' end
      where (select count(*) from webhook_endpoints where app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null) < ${ENDPOINTS_MAX}
      returning *`;
    if (!row) throw new ApiError('conflict', `There are already ${ENDPOINTS_MAX} endpoints, the maximum`);
    await refuseWithheld(tx, row);
    await recordChange(tx, by, row, 'webhook.create', { events: row.events, ...(body.encryption_key && detail) });
    return { endpoint: row, secret: shown(secret) };
  });
}

async function enableAgain(tx: Tx, { id }: EndpointRow, by: Author): Promise<EndpointRow> {
  const [row] = await tx<EndpointRow[]>`
    update webhook_endpoints set failing_since = null, disabled_at = null, disabled_reason = null where id = ${id} returning *`;
  await recordChange(tx, by, row!, 'webhook.update', { members: ['disabled'] });
  return row!;
}

/** Newest first. */
const sameEndpoints = (tx: Tx, { appId, live }: EndpointOwner, { url, description }: z.infer<typeof endpointBody>) => tx<EndpointRow[]>`
  select * from webhook_endpoints
  where app_id = ${appId} and live = ${live} and url = ${url} and description is not distinct from ${description} and deleted_at is null
  order by id desc`;

/** Newest first. `before`: the last id of the previous page. */
export async function listEndpoints(ctx: Context, owner: EndpointOwner, before: string | null, limit: number): Promise<EndpointRow[]> {
  const { sql } = ctx;
  return sql<EndpointRow[]>`
    select * from webhook_endpoints
    where app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null ${narrowed(sql, [before !== null && sql`id < ${before}`])}
    order by id desc limit ${limit}`;
}

/** Null if the endpoint does not exist, is deleted, or belongs to another app or mode. */
export async function readEndpoint(sql: Sql | Tx, owner: EndpointOwner, id: string): Promise<EndpointRow | null> {
  const [row] = await sql<EndpointRow[]>`
    select * from webhook_endpoints where id = ${id} and app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null`;
  return row ?? null;
}

/** Changes the given members. Null if there is no such endpoint. Throws `forbidden` for a key that the caller may not set. `disabled: false` enables it again, whatever disabled it. */
export async function updateEndpoint(
  ctx: Context,
  owner: EndpointOwner & Pick<Owner, 'terms'>,
  id: string,
  patch: z.infer<typeof endpointPatch>,
  by: Author,
): Promise<EndpointRow | null> {
  if (patch.url !== undefined) refuseReceiver(ctx, patch.url, 'url');
  const { maker, detail } = await checkKey(owner, patch.encryption_key ?? null, by);
  const given = (member: keyof typeof patch): boolean => patch[member] !== undefined;
  // A new address, or one just enabled again, has not failed yet.
  const fresh = given('url') || patch.disabled === false;
  return ctx.sql.begin(async (tx) => {
    const [row] = await tx<EndpointRow[]>`
    update webhook_endpoints set
      url = coalesce(${patch.url ?? null}, url),
      description = case when ${given('description')} then ${patch.description ?? null} else description end,
      events = coalesce(${patch.events ?? null}::text[], events),
      rate_per_second = case when ${given('rate_per_second')} then ${patch.rate_per_second ?? null}::int else rate_per_second end,
      encryption_key = case when ${given('encryption_key')} then ${asJson(patch.encryption_key ?? null)}::text::jsonb else encryption_key end,
      maker_key_id = case when ${given('encryption_key')} then ${maker.makerKeyId}::uuid else maker_key_id end,
      maker_person_id = case when ${given('encryption_key')} then ${maker.makerPersonId}::uuid else maker_person_id end,
      failing_since = case when ${fresh} then null else failing_since end,
      disabled_at = case when ${!given('disabled')} then disabled_at when ${patch.disabled === true} then coalesce(disabled_at, now()) end,
      disabled_reason = case when ${!given('disabled')} then disabled_reason when ${patch.disabled === true} then coalesce(disabled_reason, 'requested') end
    where id = ${id} and app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null
    returning *`;
    if (!row) return null;
    if (given('encryption_key')) await refuseWithheld(tx, row);
    if (patch.disabled === true) await dropPending(tx, id, 'endpoint_disabled');
    // Names only: an address may hold a password.
    await recordChange(tx, by, row, 'webhook.update', {
      members: Object.keys(patch).filter((member) => given(member as keyof typeof patch)),
      ...(given('encryption_key') && detail),
    });
    return row;
  });
}

/** Keeps its deliveries on record and gives up those still waiting. False if there is no such endpoint. */
export async function deleteEndpoint(ctx: Context, owner: EndpointOwner, id: string, by: Author): Promise<boolean> {
  return ctx.sql.begin(async (tx) => {
    const [deleted] = await tx<EndpointRow[]>`
    update webhook_endpoints set deleted_at = now(), previous_secret = null, previous_expires_at = null
    where id = ${id} and app_id = ${owner.appId} and live = ${owner.live} and deleted_at is null returning *`;
    if (!deleted) return false;
    await dropPending(tx, id, 'endpoint_deleted');
    await recordChange(tx, by, deleted, 'webhook.delete');
    return true;
  });
}

/**
 * Issues a new secret. The current one keeps signing beside it for a day, unless `revokePrevious`; an older one stops at once. Null if there is no such
 * endpoint.
 */
export async function rotateSecret(
  ctx: Context,
  endpoint: EndpointRow,
  { revokePrevious }: { revokePrevious: boolean },
  by: Author,
): Promise<WithSecret | null> {
  const secret = newSecret(endpoint.signing);
  const { seal } = await ctx.cipher.sealer({ appId: endpoint.appId });
  return ctx.sql.begin(async (tx) => {
    const [row] = await tx<EndpointRow[]>`
    update webhook_endpoints set
      previous_secret = case when ${!revokePrevious} then secret end,
      previous_expires_at = case when ${!revokePrevious} then now() + ${ROTATION_HOURS} * interval '1 hour' end,
      secret = ${seal(secret, SECRET, endpoint.id)}
    where id = ${endpoint.id} and deleted_at is null
    returning *`;
    if (!row) return null;
    await recordChange(tx, by, row, 'webhook.rotate', { revokePrevious });
    return { endpoint: row, secret: shown(secret) };
  });
}

const recordChange = (
  tx: Tx,
  by: Author,
  { id, appId, live }: EndpointRow,
  action: Action,
  detail?: Record<string, unknown>,
): Promise<void> => record(tx, by, { appId, live, action, object: showId('whe', id), detail: detail ?? null });

/** Deletes previous secrets that no longer sign. */
export async function forgetOldSecrets(ctx: Context): Promise<void> {
  await ctx.sql`update webhook_endpoints set previous_secret = null, previous_expires_at = null where previous_expires_at < now()`;
}

/** Disables an endpoint because of its receiver, and tells the app's other endpoints. Does nothing if it is already disabled. */
export async function disableEndpoint(ctx: Context, id: string, reason: 'gone' | 'failing'): Promise<void> {
  const disabled = await ctx.sql.begin(async (tx) => {
    // A success in the meantime has cleared `failing_since`.
    const [row] = await tx<EndpointRow[]>`
      update webhook_endpoints set disabled_at = now(), disabled_reason = ${reason}
      where id = ${id} and disabled_at is null and deleted_at is null and (${reason} = 'gone' or failing_since is not null)
      returning *`;
    if (!row) return false;
    const {
      id: endpointId,
      url,
      description,
      disabled_reason,
      disabled_at,
      failing_since,
    } = showEndpoint(row, {
      publicKey: null,
      previousPublicKey: null,
      results: null,
    });
    const data = { id: endpointId, object: 'webhook_endpoint', url, description, disabled_reason, disabled_at, failing_since };
    await emitEvents(tx, [{ appId: row.appId, live: row.live, type: 'endpoint.disabled', data, url: null }]);
    await recordChange(tx, bySystem('webhooks'), row, 'webhook.update', { disabled: reason });
    return true;
  });
  if (!disabled) return;
  ctx.log.warn({ endpoint: showId('whe', id), reason }, 'webhook endpoint disabled');
  await dropPending(ctx.sql, id, 'endpoint_disabled');
}

/** A delivery queued right now by a process that still saw the endpoint enabled fails when it is attempted (`delivery.ts`). */
async function dropPending(sql: Sql | Tx, id: string, error: 'endpoint_disabled' | 'endpoint_deleted'): Promise<void> {
  await sql`update deliveries set status = 'failed', error = ${error} where host = ${endpointLane(id)} and status = 'pending'`;
}

export const describeEndpoint = async (ctx: Context, endpoint: EndpointRow) => (await describeEndpoints(ctx, [endpoint]))[0]!;

/** Endpoints as answers show them, with the public keys that verify their signatures. */
export async function describeEndpoints(ctx: Context, endpoints: readonly EndpointRow[]) {
  const withheld = await withheldResults(ctx.sql, endpoints);
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const publicKey = async (sealed: Uint8Array | null) =>
        sealed === null || endpoint.signing === 'v1' ? null : webhookPublicKey(await openSecret(ctx, endpoint.id, sealed));
      const facts: EndpointFacts = {
        publicKey: await publicKey(endpoint.secret),
        previousPublicKey: await publicKey(endpoint.previousSecret),
        results: endpoint.encryptionKey === null ? null : withheld.has(endpoint.id) ? 'withheld' : 'sent',
      };
      return showEndpoint(endpoint, facts);
    }),
  );
}

/** Throws if the key that sealed it is missing from the configuration. */
export const openSecret = (ctx: Context, endpointId: string, sealed: Uint8Array): Promise<string> =>
  ctx.cipher.open(sealed, SECRET, endpointId);

const SECRET = 'endpoint_secret';
const newSecret = (signing: EndpointRow['signing']): string => (signing === 'v1' ? newWebhookSecret() : newWebhookKey());
const shown = (secret: string): string | null => (secret.startsWith('whsk_') ? null : secret);
/** Serialized here: drizzle, which shares the connection, disables postgres.js's own JSON serializer. */
const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** 128 bits of security (NIST SP 800-57, part 1, table 2). Shorter keys that an earlier release accepted still work. */
const RSA_BITS_MIN = 3_072;

/** Who is noted as the maker of the key, and what the audit notes of it. Tries to encrypt: a key may be well-formed and still be unusable. */
async function checkKey(owner: Pick<Owner, 'terms'>, key: EncryptionKey | null, by: Author) {
  if (key === null) return { maker: NO_MAKER, detail: { results: false } };
  refuseWithoutResults(owner);
  try {
    await encryptTo(key, '{}');
    if (key.kty === 'RSA' && bitsOf(key.n) < RSA_BITS_MIN) throw new Error('too short');
  } catch {
    const message = `cannot be encrypted to; RSA keys need ${RSA_BITS_MIN} bits or more`;
    throw new ApiError('invalid_request', `encryption_key ${message}`, {
      details: [{ path: 'encryption_key', message, rule: 'unusable_key' }],
    });
  }
  return { maker: makerOf(by), detail: { results: true, thumbprint: await thumbprintOf(key) } };
}

/** The length in bits of a number in base64url. */
const bitsOf = (n: string): number => BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`).toString(2).length;
