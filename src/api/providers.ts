/** Vendors: how they perform (for the operator), what they were asked for a job (for disputes), and the messages that they send us. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { naira, showInstant } from '../contract/fields.ts';
import type { lookupAnswer, providersAnswer } from '../contract/providers.ts';
import { periodQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId } from '../foundation/ids.ts';
import { openPlaces, type Places } from '../foundation/places.ts';
import type { Service } from '../pipeline/service.ts';
import { type ProviderReport, readMargin, readTrail, reportProviders } from '../providers/provider-report.ts';
import type { Authentication } from './authenticate.ts';
import { bodyChunks, checked, envelope, refuseBody, type Variables } from './http.ts';
import type { PaceLimits } from './pace.ts';

/** Room for a vendor's answer with a portrait. A larger message is refused; the next poll of the job fetches that answer instead. */
const MESSAGE_BYTES_MAX = 1024 * 1024;
/** For one provider at a time: until the signature is checked, the sender may be anybody. */
const MESSAGES_MAX = 8;
const MESSAGE_PACE: PaceLimits = { stallMs: 5_000, totalMs: 15_000 };
const RETRY_SECONDS = 5;

export function providerRoutes(service: Service, authentication: Authentication) {
  const places = new Map<string, Places>();
  const placesOf = (provider: string): Places => {
    const made =
      places.get(provider) ??
      openPlaces({ all: MESSAGES_MAX, each: Number.POSITIVE_INFINITY, what: 'messages', retrySeconds: RETRY_SECONDS });
    places.set(provider, made);
    return made;
  };

  return new Hono<{ Variables: Variables }>()
    .get('/api/v1/admin/providers', authentication.admin, async (c) => {
      const period = checked(periodQuery, c.req.query());
      const [providers, margin] = await Promise.all([reportProviders(service, period), readMargin(service, period)]);
      return envelope<z.infer<typeof providersAnswer>>(c, {
        object: 'list',
        ...period,
        currency: 'NGX',
        data: providers.map(showProvider),
        margin: margin.map(({ day, checkId, billedKobo, costKobo }) => ({
          day,
          check: checkId,
          billed_amount: naira(billedKobo),
          cost_amount: naira(costKobo),
          margin_amount: naira(billedKobo - costKobo),
        })),
      });
    })
    .post('/api/v1/admin/providers/:name/resume', authentication.admin, async (c) => {
      await refuseBody(c);
      const name = c.req.param('name');
      if (!(await service.router.resume(name))) throw new ApiError('resource_not_found', 'There is no such provider');
      return envelope(c, { object: 'provider', name, paused: false });
    })
    .get('/api/v1/admin/jobs/:id/lookups', authentication.admin, async (c) => {
      const id = parseId('job', c.req.param('id'));
      const rows = id && (await readTrail(service, id));
      if (!rows) throw new ApiError('resource_not_found', 'There is no such job');
      const data: z.infer<typeof lookupAnswer>[] = rows.map((row) => ({
        at: showInstant(row.at),
        provider: row.provider,
        record: row.kind,
        tier: row.tier,
        outcome: row.outcome,
        latency_ms: row.latencyMs,
        cost_amount: naira(row.costKobo),
        vendor_status: row.status,
        vendor_reference: row.reference,
        answer_sha256: row.answerHash?.toString('hex') ?? null,
      }));
      return envelope(c, { object: 'list', data });
    })
    .post('/v1/upstreams/:provider/callback', async (c) => {
      const name = c.req.param('provider');
      if (!service.router.takesMessages(name))
        throw new ApiError('resource_not_found', 'There is no such provider, or it does not send messages');
      const leave = await placesOf(name).take(name, 0);
      try {
        const body = bodyChunks(c, MESSAGE_BYTES_MAX, undefined, MESSAGE_PACE);
        const received = await service.router.receive(name, { headers: c.req.header(), body });
        if (received === 'forged') throw new ApiError('unauthenticated', 'The signature of the message is missing or wrong');
        return envelope(c, { received: received === 'kept' });
      } finally {
        leave();
      }
    });
}

function showProvider({
  name,
  records,
  budget,
  budgetUsed,
  lately,
  spend,
}: ProviderReport): z.infer<typeof providersAnswer>['data'][number] {
  const { calls, outcomes, p50, p95, p99, minutes } = lately;
  const { found = 0, not_found = 0, pending = 0, abandoned: _, ...errors } = outcomes;
  return {
    name,
    records: records.map(({ kind, tier, health, retryAfterMs }) => ({ record: kind, tier, health, retry_after_ms: retryAfterMs })),
    budget: {
      requests_per_second: budget.requestsPerSecond,
      burst: budget.burst,
      reserved_for_calls: budget.reservedForCalls,
      in_flight_max: budget.inFlightMax,
      timeout_ms: budget.timeoutMs,
      used_share: budgetUsed,
    },
    lately: { minutes, calls, found, not_found, pending, errors, latency_ms: { p50, p95, p99 } },
    spend: { today_amount: naira(spend.todayKobo), period_amount: naira(spend.periodKobo) },
  };
}
