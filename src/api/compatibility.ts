/**
 * What clients of this API family call besides the checks: the balance, and webhooks by subscription. These are our wallet and webhook endpoints in the
 * shapes that those clients expect; `docs/compatibility.md` lists the differences.
 */
import { z } from 'zod';
import { cleanText, naira, showInstant } from '../contract/fields.ts';
import { type EndpointRow, endpointBody } from '../contract/webhooks.ts';
import { showId } from '../foundation/ids.ts';
import { availableKobo } from '../money/ledger.ts';
import type { Service } from '../pipeline/service.ts';
import { createEndpoint, deleteEndpoint, describeEndpoint, listEndpoints } from '../webhooks/endpoints.ts';
import { authorOf } from './audited.ts';
import { callerOf, envelope, type Http, hasBody, jsonBody } from './http.ts';
import { lenientRoute } from './route.ts';

const SERVICE_DEFAULT = 'all';
/** Only somebody who disabled it enables it again; an endpoint that was disabled automatically is enabled by subscribing. */
const DISABLED = ', but nothing is sent: the endpoint was disabled by request';
const serviceName = cleanText(100);

const subscribeBody = z.object({
  webhook: endpointBody.shape.url,
  service: z.preprocess((sent) => ((sent ?? '') === '' ? SERVICE_DEFAULT : sent), serviceName),
});
/** Strict, because a misspelt filter would delete everything. */
const deleteFilter = z.strictObject({ webhook: z.string().optional(), service: z.string().optional() });

/** More endpoints than an app may have. */
const LIST_MAX = 100;

const subscriptions = (c: Http, service: Service): Promise<EndpointRow[]> => listEndpoints(service, callerOf(c), null, LIST_MAX);

export const compatibilityRoutes = [
  lenientRoute({
    method: 'get',
    path: '/api/v1/balance',
    audit: { none: 'shows nobody' },
    who: 'app',
    scope: 'wallet:read',
    // A string, because those clients declare it as one.
    handle: async (c, { service }) => envelope(c, { wallet_balance: String(naira(await availableKobo(service.sql, callerOf(c)))) }),
  }),
  lenientRoute({
    method: 'post',
    path: '/api/v1/webhook/subscribe',
    audit: { change: 'webhook.create' },
    who: 'app',
    scope: 'webhooks',
    body: { schema: subscribeBody },
    async handle(c, { service, body: { webhook, service: name } }) {
      const wanted = endpointBody.parse({ url: webhook, description: describe(name) });
      // Some clients subscribe on every start, and several instances of one at once.
      const { endpoint, secret } = await createEndpoint(service, callerOf(c), wanted, authorOf(c), { once: true, urlMember: 'webhook' });
      // Those clients expect text in `entity`; the secret that verifies signatures is beside it.
      return c.json({
        status: 'success',
        entity: `Subscribed to ${name}${endpoint.disabledAt === null ? '' : DISABLED}`,
        webhook: { ...(await describeEndpoint(service, endpoint)), secret },
        meta: { request_id: c.get('requestId') },
      });
    },
  }),
  lenientRoute({
    method: 'get',
    path: '/api/v1/webhook/fetch',
    audit: { none: 'shows nobody' },
    who: 'app',
    scope: 'webhooks',
    handle: async (c, { service }) => envelope(c, (await subscriptions(c, service)).map(show)),
  }),
  lenientRoute({
    method: 'delete',
    path: '/api/v1/webhook/delete',
    audit: { change: 'webhook.delete' },
    who: 'app',
    scope: 'webhooks',
    query: deleteFilter,
    async handle(c, { service, query }) {
      const filters: z.infer<typeof deleteFilter>[] = [query, hasBody(c) ? await jsonBody(c, deleteFilter) : {}];
      // Endpoints that were created directly are not subscriptions: only their own id deletes them.
      const meant = (await subscriptions(c, service)).filter((endpoint) => {
        const subscribed = serviceOf(endpoint);
        return (
          subscribed !== null &&
          filters.every(({ webhook, service: name }) => (webhook ?? endpoint.url) === endpoint.url && (name ?? subscribed) === subscribed)
        );
      });
      for (const { id } of meant) await deleteEndpoint(service, callerOf(c), id, authorOf(c));
      return envelope(c, `Deleted ${meant.length} webhook${meant.length === 1 ? '' : 's'}`);
    },
  }),
];

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
