/** Vendors: how they perform (for the operator), what they were asked for a job (for disputes), and the messages that they send us. */
import type { z } from 'zod';
import { naira, showInstant } from '../contract/fields.ts';
import { askedAnswer, lookupAnswer, pauseBody, providersAnswer } from '../contract/providers.ts';
import { periodQuery } from '../contract/queries.ts';
import { ApiError } from '../foundation/errors.ts';
import { parseId, timeOfId } from '../foundation/ids.ts';
import { isJob, type LookupRow, type ProviderReport, readMargin, readTrail, reportProviders } from '../providers/provider-report.ts';
import { aboutRead } from './audited.ts';
import { findJob } from './find.ts';
import { bodyChunks, envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { listOf, objectOf, schemaOf } from './openapi/schema.ts';
import type { PaceLimits } from './pace.ts';
import { route } from './route.ts';

/** Room for a vendor's answer with a portrait. A larger message is refused; the next poll of the job fetches that answer instead. */
const MESSAGE_BYTES_MAX = 1024 * 1024;
const MESSAGE_PACE: PaceLimits = { stallMs: 5_000, totalMs: 15_000 };

const common = { tag: 'operator', who: 'admin' } as const;

export const providerRoutes = [
  route({
    ...common,
    method: 'get',
    path: '/api/v1/admin/providers',
    id: 'listProviders',
    audit: { none: 'shows nobody' },
    summary: 'Vendors for live keys: health, budget, latency, errors, spend; and the margin by check and day',
    query: periodQuery,
    answers: { 200: answer('All providers', schemaOf(providersAnswer, 'output')) },
    async handle(c, { service, query: period }) {
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
    },
  }),
  route({
    ...common,
    method: 'post',
    path: '/api/v1/admin/providers/:name/pause',
    id: 'pauseProvider',
    audit: { read: 'provider.pause' },
    summary: 'Leave a vendor alone for some minutes: others are asked instead, and jobs that only it answers wait',
    description: 'Single calls that only it answers are refused with 503 meanwhile. A longer pause that is in force stays.',
    body: { schema: pauseBody, example: { minutes: 30 } },
    answers: { 200: answer('Paused', objectOf({ object: { const: 'provider' }, name: { type: 'string' }, paused: { const: true } })) },
    async handle(c, { service, params: { name }, body: { minutes } }) {
      if (!(await service.router.pause(name, minutes * 60_000))) throw new ApiError('resource_not_found', 'There is no such provider');
      aboutRead(c, { object: name, detail: { minutes } });
      return envelope(c, { object: 'provider', name, paused: true });
    },
  }),
  route({
    ...common,
    method: 'post',
    path: '/api/v1/admin/providers/:name/resume',
    id: 'resumeProvider',
    audit: { read: 'provider.resume' },
    summary: 'Lift a pause at once, after the vendor account was topped up or the credentials were corrected',
    answers: { 200: answer('Lifted', objectOf({ object: { const: 'provider' }, name: { type: 'string' }, paused: { const: false } })) },
    async handle(c, { service, params: { name } }) {
      if (!(await service.router.resume(name))) throw new ApiError('resource_not_found', 'There is no such provider');
      // A pause is no row of a table, so lifting it is recorded as a read is.
      aboutRead(c, { object: name });
      return envelope(c, { object: 'provider', name, paused: false });
    },
  }),
  route({
    tag: 'jobs',
    who: 'app',
    method: 'get',
    path: '/api/v1/jobs/:id/lookups',
    id: 'listJobLookups',
    scope: 'results:read',
    audit: { none: 'shows which vendors were asked, and nobody' },
    summary: 'Which vendors were asked for a job, in order',
    description:
      'With live keys only. Empty if the cache answered, if Confam computed the answer itself, and while no attempt is over. A duplicate shows what its original asked.',
    find: findJob,
    answers: { 200: answer('Oldest first', listOf(schemaOf(askedAnswer, 'output'))) },
    async handle(c, { service, found: { entityOf } }) {
      return envelope(c, { object: 'list', data: (await readTrail(service, entityOf)).map(showAsked).sort(byBeginning) });
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/api/v1/admin/jobs/:id/lookups',
    id: 'listLookups',
    audit: { none: 'shows nobody' },
    summary: 'Look-ups that a job or call made at vendors, for disputes',
    answers: { 200: answer('Oldest first', listOf(schemaOf(lookupAnswer, 'output'))) },
    async handle(c, { service, params }) {
      const id = parseId('job', params.id);
      const rows = id === null ? [] : await readTrail(service, id);
      if (id === null || (rows.length === 0 && !(await isJob(service, id))))
        throw new ApiError('resource_not_found', 'There is no such job');
      const data: z.infer<typeof lookupAnswer>[] = rows.map((row) => ({
        ...showAsked(row),
        at: showInstant(row.at),
        cost_amount: naira(row.costKobo),
        answer_sha256: row.answerHash?.toString('hex') ?? null,
      }));
      return envelope(c, { object: 'list', data });
    },
  }),
  route({
    ...common,
    who: 'anyone',
    method: 'post',
    path: '/v1/upstreams/:provider/callback',
    id: 'receiveVendorMessage',
    audit: { none: 'the job that it answers is its record' },
    summary: 'A vendor’s message about a pending question; the vendor’s adapter checks its signature',
    ownBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' }, example: { reference: 'q-17', status: 'done' } } },
    },
    answers: { 200: answer('Whether a pending question matches it', objectOf({ received: { type: 'boolean' } })) },
    errors: ['unauthenticated', 'payload_too_large', 'too_many_in_progress', 'overloaded'],
    async handle(c, { service, params: { provider } }) {
      if (!service.router.takesMessages(provider))
        throw new ApiError('resource_not_found', 'There is no such provider, or it does not send messages');
      const received = await service.admission.messages.within(provider, () => {
        const body = bodyChunks(c, MESSAGE_BYTES_MAX, undefined, MESSAGE_PACE);
        return service.router.receive(provider, { headers: c.req.header(), body });
      });
      if (received === 'forged') throw new ApiError('unauthenticated', 'The signature of the message is missing or wrong');
      return envelope(c, { received: received === 'kept' });
    },
  }),
];

/** The stored order is that of the answers: a question that another overtook comes last. */
const byBeginning = (one: { began_at: string }, other: { began_at: string }): number =>
  Date.parse(one.began_at) - Date.parse(other.began_at);

/** For the app that submitted the job: without the vendor's price. */
export const showAsked = (row: LookupRow): z.infer<typeof askedAnswer> => ({
  began_at: new Date(timeOfId(row.id) - row.latencyMs).toISOString(),
  provider: row.provider,
  record: row.kind,
  tier: row.tier,
  outcome: row.outcome,
  hedged: row.hedged,
  latency_ms: row.latencyMs,
  vendor_status: row.status,
  vendor_reference: row.reference,
});

function showProvider({
  name,
  records,
  reason,
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
    reason,
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
