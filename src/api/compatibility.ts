/**
 * What clients of this API family call besides the checks: the balance, and webhooks by subscription. These are our wallet and webhook endpoints in the
 * shapes that those clients expect; `docs/compatibility.md` lists the differences.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { cleanText, naira, showInstant } from '../contract/fields.ts';
import { type EndpointRow, endpointBody } from '../contract/webhooks.ts';
import { showId } from '../foundation/ids.ts';
import { availableKobo } from '../money/ledger.ts';
import type { Service } from '../pipeline/service.ts';
import { createEndpoint, deleteEndpoint, describeEndpoint, listEndpoints } from '../webhooks/endpoints.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, checked, envelope, type Http, hasBody, jsonBody, type Variables } from './http.ts';

const SERVICE_DEFAULT = 'all';
const serviceName = cleanText(100);

const subscribeBody = z.object({ webhook: endpointBody.shape.url, service: serviceName.default(SERVICE_DEFAULT) });
const deleteFilter = z.object({ webhook: z.string('must be a string').optional(), service: z.string('must be a string').optional() });

/** More endpoints than an app may have. */
const LIST_MAX = 100;

export function compatibilityRoutes(service: Service, authentication: Authentication) {
  const subscriptions = async (c: Http): Promise<EndpointRow[]> => listEndpoints(service, callerOf(c), null, LIST_MAX);

  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/balance', authentication.app, async (c) =>
      // A string, because those clients declare it as one.
      envelope(c, { wallet_balance: String(naira(await availableKobo(service.sql, callerOf(c)))) }),
    )
    .post('/api/v1/webhook/subscribe', authentication.app, async (c) => {
      const { webhook, service: name } = await jsonBody(c, subscribeBody);
      const known = (await subscriptions(c)).find((endpoint) => endpoint.url === webhook && serviceOf(endpoint) === name);
      // Some clients subscribe on every start, so a repeated subscription returns the existing endpoint.
      const { endpoint, secret } = known
        ? { endpoint: known, secret: null }
        : await createEndpoint(service, callerOf(c), endpointBody.parse({ url: webhook, description: describe(name) }));
      // Those clients expect text in `entity`; the secret that verifies signatures is beside it.
      return c.json({
        status: 'success',
        entity: `Subscribed to ${name}`,
        webhook: { ...describeEndpoint(service, endpoint), secret },
        meta: { request_id: c.get('requestId') },
      });
    })
    .get('/api/v1/webhook/fetch', authentication.app, async (c) => envelope(c, (await subscriptions(c)).map(show)))
    .delete('/api/v1/webhook/delete', authentication.app, async (c) => {
      const { webhook, service: name } = hasBody(c) ? await jsonBody(c, deleteFilter) : checked(deleteFilter, c.req.query());
      // Endpoints that were created directly are not subscriptions: only their own id deletes them.
      const meant = (await subscriptions(c)).filter((endpoint) => {
        const subscribed = serviceOf(endpoint);
        return subscribed !== null && (webhook ?? endpoint.url) === endpoint.url && (name ?? subscribed) === subscribed;
      });
      for (const { id } of meant) await deleteEndpoint(service, callerOf(c), id);
      return envelope(c, `Deleted ${meant.length} webhook${meant.length === 1 ? '' : 's'}`);
    });
}

/** The service is only a label, kept in the endpoint's description. */
const describe = (name: string): string => `Subscription: ${name}`;
const serviceOf = ({ description }: EndpointRow): string | null => /^Subscription: (.+)$/s.exec(description ?? '')?.[1] ?? null;

function show(endpoint: EndpointRow) {
  const at = showInstant(endpoint.createdAt);
  return {
    id: showId('whe', endpoint.id),
    app_id: showId('app', endpoint.appId),
    endpoint: endpoint.url,
    environment: endpoint.live ? 'production' : 'sandbox',
    service: serviceOf(endpoint) ?? SERVICE_DEFAULT,
    confirmation_status: endpoint.disabledAt === null ? 'active' : 'disabled',
    date_created: at,
    date_updated: at,
  };
}
