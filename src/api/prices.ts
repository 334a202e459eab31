/** The prices that the key's app pays, and the operator's agreements that differ from the price list. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { askedCheck, checks } from '../checks/catalog.ts';
import { kobo, naira, showInstant, showInstantOrNull } from '../contract/fields.ts';
import type { agreementAnswer, priceAnswer } from '../contract/money.ts';
import { priceBody } from '../contract/money.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { agreePrice, endPrice, listAgreedPrices, type OverrideRow, priceOf } from '../money/prices.ts';
import type { Service } from '../pipeline/service.ts';
import type { Authentication } from './authenticate.ts';
import { callerOf, envelope, jsonBody, type Variables } from './http.ts';

const unknown = (what: string) => new ApiError('resource_not_found', `There is no such ${what}`);

export function priceRoutes(service: Service, authentication: Authentication) {
  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/prices', authentication.app, async (c) => {
      const owner = callerOf(c);
      const data = checks.map((check): z.infer<typeof priceAnswer> => {
        const { priceKobo, cachedPriceKobo } = priceOf(owner, check);
        const agreed = owner.prices?.[check.id];
        return {
          check: check.id,
          service: check.service,
          family: check.family,
          summary: check.summary,
          method: check.route.method,
          path: check.route.path,
          price: naira(priceKobo),
          cached_price: naira(cachedPriceKobo),
          ...(check.priceRule !== null && { price_rule: check.priceRule }),
          // The list prices, if the app has an agreement.
          ...(agreed && {
            list_price: naira(check.priceKobo),
            list_cached_price: naira(check.cachedPriceKobo),
            valid_until: showInstantOrNull(agreed.validUntil),
          }),
        };
      });
      return envelope(c, { object: 'list', currency: 'NGX', data });
    })
    .post('/api/v1/admin/apps/:id/prices', authentication.admin, async (c) => {
      const body = await jsonBody(c, priceBody);
      const check = askedCheck(body.check, 'check');
      const appId = parseId('app', c.req.param('id'));
      const made =
        appId &&
        (await agreePrice(service, appId, check, {
          priceKobo: kobo(body.price),
          cachedPriceKobo: body.cached_price === undefined ? null : kobo(body.cached_price),
          validFrom: body.valid_from ?? null,
          validUntil: body.valid_until,
        }));
      authentication.forget();
      if (!made) throw unknown('app');
      return envelope(c, showAgreement(made), 201);
    })
    .get('/api/v1/admin/apps/:id/prices', authentication.admin, async (c) => {
      const appId = parseId('app', c.req.param('id'));
      if (!appId) throw unknown('app');
      const agreements = await listAgreedPrices(service, appId);
      return envelope(c, { object: 'list', data: agreements.map(showAgreement) });
    })
    .delete('/api/v1/admin/apps/:id/prices/:price', authentication.admin, async (c) => {
      const [appId, id] = [parseId('app', c.req.param('id')), parseId('prc', c.req.param('price'))];
      const ended = appId && id && (await endPrice(service, appId, id));
      authentication.forget();
      if (!ended) throw unknown('agreed price');
      return envelope(c, showAgreement(ended));
    });
}

const showAgreement = (row: OverrideRow): z.infer<typeof agreementAnswer> => ({
  id: showId('prc', row.id),
  object: 'price',
  app: showId('app', row.appId),
  check: row.checkId,
  price: naira(row.priceKobo),
  cached_price: naira(row.cachedPriceKobo),
  valid_from: showInstant(row.validFrom),
  valid_until: showInstantOrNull(row.validUntil),
});
