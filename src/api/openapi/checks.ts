/** How the single calls are documented: one operation for each check in the catalog. */
import { knownCheck } from '../../checks/catalog.ts';
import type { Check } from '../../checks/check.ts';
import { naira } from '../../contract/fields.ts';
import { callOptions } from '../../contract/jobs.ts';
import { consent } from '../../contract/own-fields.ts';
import type { ErrorCode } from '../../foundation/errors.ts';
import { exampleInput } from './example-inputs.ts';
import { bodyOf, consentHeader, type Operation, queryOf } from './operation.ts';
import { entityName, type JsonSchema, schemaOf } from './schema.ts';

/** Refusals of a check, besides those of every path. */
export const CHECK_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'insufficient_funds',
  'spending_cap_exceeded',
  'record_not_found',
  'subject_mismatch',
  'too_many_misses',
  'no_consent',
  'consent_withdrawn',
  'provider_failed',
  'lists_not_loaded',
  'provider_not_configured',
  'provider_pending',
  'provider_unavailable',
];

/** Refusals of a picture. */
export const FACE_ERRORS: readonly ErrorCode[] = [
  'invalid_image',
  'image_too_large',
  'no_face_detected',
  'multiple_faces',
  'face_too_small',
  'face_too_close',
  'face_turned_away',
  'eyes_covered',
  'mouth_covered',
  'image_blurry',
  'image_too_dark',
];
const PORTRAIT_ERRORS: readonly ErrorCode[] = ['portrait_not_enrolled', 'portrait_not_on_record'];

/** Without the example of its answer, which `document.ts` adds. */
export function operationOf(check: Check): Operation {
  const isPost = check.route.method === 'POST';
  const taken = check.input.extend(check.cacheable ? callOptions.shape : {});
  const input = exampleInput(check);
  const label = check.stage === null ? '' : `Announced: ${check.stage}. `;
  const cached = check.cacheable ? `₦${naira(check.cachedPriceKobo)} from the cache` : 'never from the cache';
  return {
    method: isPost ? 'post' : 'get',
    path: check.route.path,
    id: check.id,
    tag: check.stage === null ? check.family : 'previews',
    summary: check.summary,
    description: `${label}₦${naira(check.priceKobo)}; ${cached}.${check.priceRule === null ? '' : ` ${check.priceRule}.`} Also available in bulk and as a job, as \`${check.id}\`.`,
    who: 'app',
    scope: 'verify',
    parameters: [...(isPost ? [] : queryOf(taken, input ?? {})), consentHeader],
    ...(isPost && { body: callBody(check, input) }),
    answers: {
      200: { description: 'Found', content: { 'application/json': { schema: envelopeSchema(check) } } },
    },
    errors: [...CHECK_ERRORS, ...(check.family === 'face' ? [...FACE_ERRORS, ...PORTRAIT_ERRORS] : [])],
  };
}

/** On the specification's path we also accept what clients of this API family send there, and answer it as the check named in `as`. */
const TWO_PHOTOGRAPHS = { on: 'photoid_verify', as: 'photoid_compare', members: ['photoid_image', 'photo_id'] } as const;

function callBody(check: Check, input: Record<string, string> | null) {
  const taken = (other: Check) => other.input.extend({ ...(other.cacheable && callOptions.shape), consent: consent.optional() });
  const body = bodyOf(taken(check), input ?? undefined);
  if (check.id !== TWO_PHOTOGRAPHS.on) return body;
  const { schema, ...rest } = body.content['application/json'];
  const photographs = schemaOf(taken(knownCheck(TWO_PHOTOGRAPHS.as)), 'input') as {
    properties: Record<string, JsonSchema>;
    required: string[];
  };
  const [ours] = TWO_PHOTOGRAPHS.members;
  const named = TWO_PHOTOGRAPHS.members.map((name) => ({
    ...photographs,
    properties: Object.fromEntries(Object.entries(photographs.properties).map(([own, member]) => [own === ours ? name : own, member])),
    required: photographs.required.map((own) => (own === ours ? name : own)),
  }));
  return { ...body, content: { 'application/json': { ...rest, schema: { anyOf: [schema, ...named] } } } };
}

const entitySchema = (check: Check): JsonSchema => {
  const own = { $ref: `#/components/schemas/${entityName(check.id)}` };
  return check.id === TWO_PHOTOGRAPHS.on ? { anyOf: [own, { $ref: `#/components/schemas/${entityName(TWO_PHOTOGRAPHS.as)}` }] } : own;
};

const envelopeSchema = (check: Check): JsonSchema => ({
  type: 'object',
  required: ['status', 'entity', 'billed_amount', 'cached', 'meta'],
  properties: {
    status: { const: 'success' },
    entity: entitySchema(check),
    billed_amount: { type: 'number', description: 'Naira' },
    cached: { type: 'boolean' },
    meta: {
      type: 'object',
      required: ['request_id', 'service', 'latency_ms', ...(check.stage === null ? [] : ['stage'])],
      properties: {
        request_id: { type: 'string' },
        service: { const: check.service },
        latency_ms: { type: 'integer' },
        ...(check.stage !== null && { stage: { const: check.stage } }),
      },
    },
  },
});

export const exampleAnswer = (check: Check, entity: Record<string, unknown>) => ({
  status: 'success',
  entity,
  billed_amount: naira(check.priceKobo),
  cached: false,
  meta: {
    request_id: 'req_019ab1fc18a97a7475b6c08682369091',
    service: check.service,
    latency_ms: 3,
    ...(check.stage !== null && { stage: check.stage }),
  },
});
