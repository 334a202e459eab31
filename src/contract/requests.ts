/** The last requests of an app: query and answer. */
import { z } from 'zod';
import { count, instant, text } from './fields.ts';
import { oneOf, page } from './queries.ts';
import { fixedKinds } from './retention.ts';

/** Requests kept of one app, and for how long. */
export const REQUESTS_MAX = 10_000;
export const REQUESTS_DAYS = fixedKinds.requests.live;

export const requestsQuery = z.object({
  ...page,
  status: oneOf(['2xx', '3xx', '4xx', '5xx']).describe('Only answers of this class'),
  route: z.string().max(200).optional().describe('Only this route, as a pattern: `/api/v1/jobs/:id`'),
  request: z.string().max(100).optional().describe('Only the request with this id'),
  by: oneOf(['key', 'person']).describe('Only requests of keys, or of people'),
});

export const requestAnswer = z.object({
  id: text.describe('req_…, the `request_id` of its answer'),
  object: z.literal('request'),
  method: text,
  route: text.describe('The pattern of the path'),
  status: count,
  code: text.nullable().describe('The error code of a refusal'),
  duration_ms: z.number(),
  actor: z.object({ kind: z.enum(['key', 'person']), id: text.describe('key_… or per_…') }),
  at: instant,
});
