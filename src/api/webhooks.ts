/** Webhook endpoints and their deliveries: create, change, test, redeliver. */
import { Hono } from 'hono';
import type { z } from 'zod';
import type { endpointWithSecret, replayAnswer } from '../contract/webhooks.ts';
import { deliveryPage, type EndpointRow, endpointBody, endpointPage, endpointPatch, replayBody, rotateBody } from '../contract/webhooks.ts';
import { ApiError } from '../foundation/errors.ts';
import { type IdPrefix, parseId, showId } from '../foundation/ids.ts';
import type { Service } from '../pipeline/service.ts';
import {
  createEndpoint,
  deleteEndpoint,
  describeEndpoint,
  listEndpoints,
  readEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../webhooks/endpoints.ts';
import { listDeliveries, readDelivery, redeliver, replay, sendTest } from '../webhooks/replay.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, checked, envelope, type Http, hasBody, jsonBody, mediaType, refuseBody, type Variables } from './http.ts';
import { idCursor, pageOf } from './query.ts';

const ENDPOINTS = '/api/v1/webhooks/endpoints';
const DELIVERIES = '/api/v1/webhooks/deliveries';

const noEndpoint = () => new ApiError('resource_not_found', 'There is no such endpoint');
const noDelivery = () => new ApiError('resource_not_found', 'There is no such delivery');

export function webhookRoutes(service: Service, authentication: Authentication) {
  const idOf = (c: Http, prefix: IdPrefix): string | null => parseId(prefix, c.req.param('id') ?? '');
  const find = async (c: Http): Promise<EndpointRow> => {
    const id = idOf(c, 'whe');
    const endpoint = id === null ? null : await readEndpoint(service.sql, callerOf(c), id);
    if (!endpoint) throw noEndpoint();
    return endpoint;
  };
  const show = (endpoint: EndpointRow) => describeEndpoint(service, endpoint);

  return new Hono<{ Variables: Variables }>()
    .post(ENDPOINTS, authentication.app, async (c) => {
      const { endpoint, secret } = await createEndpoint(service, callerOf(c), await jsonBody(c, endpointBody));
      return envelope<z.infer<typeof endpointWithSecret>>(c, { ...show(endpoint), secret }, 201, {
        Location: `${ENDPOINTS}/${showId('whe', endpoint.id)}`,
      });
    })
    .get(ENDPOINTS, authentication.app, async (c) => {
      const { limit, cursor } = checked(endpointPage, c.req.query());
      const endpoints = await listEndpoints(service, callerOf(c), idCursor('whe', cursor), limit + 1);
      return envelope(c, pageOf(endpoints.map(show), limit));
    })
    .get(`${ENDPOINTS}/:id`, authentication.app, async (c) => envelope(c, show(await find(c))))
    .patch(`${ENDPOINTS}/:id`, authentication.app, async (c) => {
      const { id } = await find(c);
      const endpoint = await updateEndpoint(service, callerOf(c), id, await jsonBody(c, endpointPatch));
      if (!endpoint) throw noEndpoint();
      return envelope(c, show(endpoint));
    })
    .delete(`${ENDPOINTS}/:id`, authentication.app, async (c) => {
      const id = idOf(c, 'whe');
      if (id === null || !(await deleteEndpoint(service, callerOf(c), id))) throw noEndpoint();
      return envelope(c, { id: c.req.param('id'), object: 'webhook_endpoint', deleted: true });
    })
    .post(`${ENDPOINTS}/:id/rotate`, authentication.app, async (c) => {
      const endpoint = await find(c);
      const { revoke_previous } = await optionalBody(c, rotateBody);
      const rotated = await rotateSecret(service, endpoint, { revokePrevious: revoke_previous });
      if (!rotated) throw noEndpoint();
      return envelope(c, { ...show(rotated.endpoint), secret: rotated.secret });
    })
    .post(`${ENDPOINTS}/:id/test`, authentication.app, async (c) => {
      await refuseBody(c);
      return envelope(c, await sendTest(service, await find(c)), 202);
    })
    .post(`${ENDPOINTS}/:id/replay`, authentication.app, async (c) => {
      const endpoint = await find(c);
      const { deliveries, hastened, nextSince } = await replay(service, endpoint, await jsonBody(c, replayBody));
      const told = { object: 'webhook_replay', deliveries, hastened, has_more: nextSince !== null, next_since: nextSince } as const;
      return envelope<z.infer<typeof replayAnswer>>(c, told, 202);
    })
    .get(`${ENDPOINTS}/:id/deliveries`, authentication.app, async (c) => {
      const { id } = await find(c);
      const { limit, cursor, status } = checked(deliveryPage, c.req.query());
      const filter = { before: idCursor('dlv', cursor), limit: limit + 1, status: status ?? null };
      return envelope(c, pageOf(await listDeliveries(service, id, filter), limit));
    })
    .get(`${DELIVERIES}/:id`, authentication.app, async (c) => {
      const id = idOf(c, 'dlv');
      const delivery = id === null ? null : await readDelivery(service, callerOf(c), id);
      if (!delivery) throw noDelivery();
      return envelope(c, delivery);
    })
    .post(`${DELIVERIES}/:id/redeliver`, authentication.app, async (c) => {
      await refuseBody(c);
      const id = idOf(c, 'dlv');
      const delivery = id === null ? null : await redeliver(service, callerOf(c), id);
      if (!delivery) throw noDelivery();
      return envelope(c, delivery, 202, { Location: `${DELIVERIES}/${delivery.id}` });
    });
}

/** No body counts as an empty object. Any other body is read, so that no option is overlooked. */
function optionalBody<S extends z.ZodType>(c: Http, schema: S): Promise<z.infer<S>> | z.infer<S> {
  return hasBody(c) || mediaType(c) !== '' ? jsonBody(c, schema) : checked(schema, {});
}
