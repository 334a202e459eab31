/** The prices that the key's app pays, and the operator's agreements that differ from the price list. */
import type { z } from 'zod';
import type { Owner } from '../access/owner.ts';
import { askedCheck, checks, knownCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import { naira, showInstant, showInstantOrNull } from '../contract/fields.ts';
import type { agreementAnswer, priceAnswer } from '../contract/money.ts';
import { priceBody } from '../contract/money.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, showId } from '../foundation/ids.ts';
import { agreePrice, endPrice, isOver, listAgreedPrices, type OverrideRow, priceOf, priceState, readOpenPrice } from '../money/prices.ts';
import type { Service } from '../pipeline/service.ts';
import { askAdministrator, waitsForApproval } from './asking.ts';
import { authorOf } from './audited.ts';
import { termsOfPrice } from './carry-out.ts';
import { callerOf, envelope, invalid } from './http.ts';
import { answer } from './openapi/operation.ts';
import { listOf, objectOf, refTo } from './openapi/schema.ts';
import { route } from './route.ts';

const unknown = (what: string) => new ApiError('resource_not_found', `There is no such ${what}`);

export const priceRoutes = [
  route({
    method: 'get',
    path: '/api/v1/prices',
    id: 'listPrices',
    audit: { none: 'shows nobody' },
    tag: 'money',
    summary: 'Every check with its price for this app',
    who: 'app',
    scope: 'wallet:read',
    answers: {
      200: answer(
        'The price list',
        objectOf({ object: { const: 'list' }, currency: { const: 'NGX' }, data: { type: 'array', items: refTo('Price') } }),
      ),
    },
    handle: (c) => envelope(c, { object: 'list', currency: 'NGX', data: checks.map((check) => showPrice(callerOf(c), check)) }),
  }),
];

const AGREEMENTS = '/api/v1/admin/apps/:id/prices';

const common = { tag: 'operator', who: 'admin' } as const;

const needsApproval = ({ config }: Service): boolean => config.CONFAM_APPROVALS.includes('prices');

export const agreementRoutes = [
  route({
    ...common,
    method: 'post',
    path: AGREEMENTS,
    id: 'agreePrice',
    audit: { change: 'app.prices' },
    summary: 'Agree on a price that differs from the list',
    body: { schema: priceBody, example: { check: 'nin_basic', price: 100 } },
    answers: { 201: answer('The agreement', refTo('Agreement')), 202: waitsForApproval },
    async handle(c, { service, forgetKeys, params, body }) {
      const check = askedCheck(body.check, 'check');
      if (isOver(termsOfPrice(body))) throw invalid([{ path: 'valid_until', message: 'must be in the future', rule: 'past' }]);
      const appId = parseId('app', params.id);
      if (appId && needsApproval(service)) {
        const state = await service.sql.begin((tx) => priceState(tx, appId, check));
        return askAdministrator(c, service, { appId, live: null, action: 'change_prices', target: params.id, terms: body, state });
      }
      const made = appId && (await service.sql.begin((tx) => agreePrice(tx, appId, check, termsOfPrice(body), authorOf(c))));
      forgetKeys();
      if (!made) throw unknown('app');
      return envelope(c, showAgreement(made), 201);
    },
  }),
  route({
    ...common,
    method: 'get',
    path: AGREEMENTS,
    id: 'listAgreements',
    audit: { none: 'shows nobody' },
    summary: 'Prices agreed with an app, newest first',
    answers: { 200: answer('All agreements', listOf(refTo('Agreement'))) },
    async handle(c, { service, params }) {
      const appId = parseId('app', params.id);
      if (!appId) throw unknown('app');
      const agreements = await listAgreedPrices(service, appId);
      return envelope(c, { object: 'list', data: agreements.map(showAgreement) });
    },
  }),
  route({
    ...common,
    method: 'delete',
    path: `${AGREEMENTS}/:price`,
    id: 'endAgreement',
    audit: { change: 'app.prices' },
    summary: 'End an agreement now',
    answers: { 200: answer('The agreement', refTo('Agreement')), 202: waitsForApproval },
    async handle(c, { service, forgetKeys, params }) {
      const [appId, id] = [parseId('app', params.id), parseId('prc', params.price)];
      const open = appId && id && needsApproval(service) ? await readOpenPrice(service.sql, appId, id) : null;
      if (open) {
        const state = await service.sql.begin((tx) => priceState(tx, open.appId, knownCheck(open.checkId)));
        const terms = { check: open.checkId, end: true };
        return askAdministrator(c, service, { appId: open.appId, live: null, action: 'change_prices', target: params.price, terms, state });
      }
      const ended = appId && id && (await service.sql.begin((tx) => endPrice(tx, appId, id, authorOf(c))));
      forgetKeys();
      if (!ended) throw unknown('agreed price');
      return envelope(c, showAgreement(ended));
    },
  }),
];

function showPrice(owner: Owner, check: Check): z.infer<typeof priceAnswer> {
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
