/** Turns zod declarations into OpenAPI 3.1 JSON Schema, and holds the schemas that the document shares by name. */
import { z } from 'zod';
import { checks } from '../../checks/catalog.ts';
import { approvalAnswer, settingsAnswer } from '../../contract/approvals.ts';
import { appAnswer, appDeletionAnswer } from '../../contract/apps.ts';
import { auditAnswer } from '../../contract/audit.ts';
import { batchAnswer, batchWithErrors, changeAnswer, failureAnswer, quoteAnswer, timelineAnswer } from '../../contract/batches.ts';
import { checkAnswer } from '../../contract/checks.ts';
import { clearanceAnswer } from '../../contract/clearances.ts';
import { lookupsAnswer, withdrawalAnswer, withdrawnAnswer } from '../../contract/consents.ts';
import { jobAnswer, jobWithResult } from '../../contract/jobs.ts';
import { adminKeyAnswer, keyAnswer, newAdminKeyAnswer, newKeyAnswer } from '../../contract/keys.ts';
import { currentListAnswer } from '../../contract/lists.ts';
import { savedMappingAnswer } from '../../contract/mappings.ts';
import {
  agreementAnswer,
  batchChargeAnswer,
  entryAnswer,
  limitsAnswer,
  priceAnswer,
  statementAnswer,
  usageAnswer,
  walletAnswer,
} from '../../contract/money.ts';
import { monitorAnswer, monitorWithMatches } from '../../contract/monitors.ts';
import { overviewAnswer } from '../../contract/overview.ts';
import { invitationAnswer, listedSessionAnswer, memberAnswer, passkeyAnswer, personAnswer, sessionAnswer } from '../../contract/people.ts';
import { portraitAnswer } from '../../contract/portraits.ts';
import { previewAnswer } from '../../contract/previews.ts';
import { requestAnswer } from '../../contract/requests.ts';
import { foundRowAnswer, invalidRowAnswer, linkAnswer, linkSummaryAnswer, madeLinkAnswer } from '../../contract/results.ts';
import { retentionAnswer } from '../../contract/retention.ts';
import { revealAnswer } from '../../contract/reveals.ts';
import { reviewAnswer, reviewWithNotes } from '../../contract/reviews.ts';
import { erasureAnswer, exportAnswer, holdAnswer, placeAnswer } from '../../contract/subjects.ts';
import { deliveryAnswer, deliveryWithMessage, endpointAnswer, endpointWithSecret, replayAnswer } from '../../contract/webhooks.ts';
import { type ErrorCode, errorCodes } from '../../foundation/errors.ts';

export type JsonSchema = Record<string, unknown>;

/** `input`: the value as it is sent, before defaults and transformations. Types that JSON Schema cannot express are left open. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // `format` says as much; a calendar's pattern is longer than the rest of the schema.
      if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
      // JavaScript's integer limits, which zod puts on every integer.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return withoutDefinitions(made) as JsonSchema;
}

/** Only "any JSON" is recursive and would need its own definition. It is written as the open schema instead. */
function withoutDefinitions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefinitions);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return {};
  const kept = Object.entries(value).filter(([key]) => key !== '$schema' && key !== '$defs' && key !== 'id');
  return Object.fromEntries(kept.map(([key, member]) => [key, key === 'properties' ? eachMember(member) : withoutDefinitions(member)]));
}

/** Members may have any name, even `id`. */
const eachMember = (properties: object): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withoutDefinitions(schema)]));

const shared = {
  Check: checkAnswer,
  App: appAnswer,
  Key: keyAnswer,
  NewKey: newKeyAnswer,
  AdminKey: adminKeyAnswer,
  NewAdminKey: newAdminKeyAnswer,
  Job: jobAnswer,
  JobWithResult: jobWithResult,
  InvalidRow: invalidRowAnswer,
  FoundRow: foundRowAnswer,
  Batch: batchAnswer,
  BatchWithErrors: batchWithErrors,
  StatusChange: changeAnswer,
  Timeline: timelineAnswer,
  BatchFailure: failureAnswer,
  Quote: quoteAnswer,
  Preview: previewAnswer,
  Mapping: savedMappingAnswer,
  Link: linkAnswer,
  MadeLink: madeLinkAnswer,
  LinkSummary: linkSummaryAnswer,
  CurrentList: currentListAnswer,
  Wallet: walletAnswer,
  Entry: entryAnswer,
  BatchCharge: batchChargeAnswer,
  Limits: limitsAnswer,
  Statement: statementAnswer,
  Usage: usageAnswer,
  Request: requestAnswer,
  Overview: overviewAnswer,
  Price: priceAnswer,
  Approval: approvalAnswer,
  Settings: settingsAnswer,
  AppDeletion: appDeletionAnswer,
  Erasure: erasureAnswer,
  SubjectExport: exportAnswer,
  SubjectPlace: placeAnswer,
  SubjectHold: holdAnswer,
  ConsentWithdrawal: withdrawalAnswer,
  ConsentWithdrawn: withdrawnAnswer,
  LookupsByPurpose: lookupsAnswer,
  Retention: retentionAnswer,
  Reveal: revealAnswer,
  Session: sessionAnswer,
  Invitation: invitationAnswer,
  ListedSession: listedSessionAnswer,
  Passkey: passkeyAnswer,
  Member: memberAnswer,
  Person: personAnswer,
  Agreement: agreementAnswer,
  AuditEntry: auditAnswer,
  Endpoint: endpointAnswer,
  EndpointWithSecret: endpointWithSecret,
  Delivery: deliveryAnswer,
  DeliveryWithMessage: deliveryWithMessage,
  Replay: replayAnswer,
  Portrait: portraitAnswer,
  Clearance: clearanceAnswer,
  Review: reviewAnswer,
  ReviewWithNotes: reviewWithNotes,
  Monitor: monitorAnswer,
  MonitorWithMatches: monitorWithMatches,
} as const;

/** Part of the success envelope and of every refusal. */
const meta = { type: 'object', required: ['request_id'], properties: { request_id: { type: 'string', description: 'req_…' } } };
const refusal: JsonSchema = {
  type: 'object',
  description: 'Every refusal has this form; some codes add members (docs/errors.md).',
  required: ['status', 'error', 'code', 'meta'],
  properties: {
    status: { const: 'error' },
    error: { type: 'string', description: 'For people to read' },
    code: { enum: Object.keys(errorCodes), description: 'Stable across releases' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'Member, parameter, header or row' },
          message: { type: 'string' },
          rule: { type: 'string' },
          row: { type: 'integer' },
        },
      },
    },
    meta: { $ref: '#/components/schemas/Meta' },
    ...refusalExtras(),
  },
};

/** Members that some error codes add. */
function refusalExtras(): Record<string, JsonSchema> {
  const amount = { type: 'number', description: 'Naira' };
  const names = { type: 'array', items: { type: 'string' } };
  return {
    quote_amount: amount,
    available_amount: amount,
    cap: { enum: ['key_day', 'app_day', 'batch'] },
    limit_amount: amount,
    left_amount: amount,
    limit_bytes: { type: 'integer' },
    left_bytes: { type: 'integer' },
    limit: { type: 'string', description: 'With `too_many_misses`: `subject` or `app`' },
    provider_reference: { type: 'string', description: 'The vendor’s reference of the pending question' },
    found_columns: names,
    needed_inputs: names,
    suggested_mapping: { type: 'object', additionalProperties: { type: 'string' }, description: 'Input → column' },
  };
}

/** Never documented: every documented operation uses a method that is allowed. */
const UNDOCUMENTED: ErrorCode = 'method_not_allowed';

/** An example of each refusal, for `#/components/examples/<code>`. */
export function refusalExamples(): Record<string, { summary: string; value: unknown }> {
  return Object.fromEntries(
    (Object.keys(errorCodes) as ErrorCode[])
      .filter((code) => code !== UNDOCUMENTED)
      .map((code) => {
        const meaning = errorCodes[code].meaning.replaceAll('`', '');
        const meta = { request_id: 'req_019ab1fc18a97a7475b6c08682369091' };
        return [
          code,
          { summary: meaning, value: { status: 'error', error: meaning.split('. ')[0]!.replace(/\.$/, ''), code, ...EXTRAS[code], meta } },
        ];
      }),
  );
}

const EXTRAS: Partial<Record<ErrorCode, Record<string, unknown>>> = {
  invalid_request: { details: [{ path: 'nin', message: 'must be 11 digits', rule: 'invalid_format' }] },
  invalid_upload: { details: [{ path: 'row 3', message: 'Row 3 has 4 cells, the header has 3', rule: 'column_count', row: 3 }] },
  insufficient_funds: { quote_amount: 125, available_amount: 40 },
  spending_cap_exceeded: { cap: 'key_day', limit_amount: 1_000, left_amount: 50, quote_amount: 125 },
};

/** All shared schemas by name: `#/components/schemas/…`. The entity of a check is named after the check's id. */
export function sharedSchemas(): Record<string, JsonSchema> {
  return {
    Meta: meta,
    Refusal: refusal,
    ...Object.fromEntries(Object.entries(shared).map(([name, schema]) => [name, schemaOf(schema, 'output')])),
    ...Object.fromEntries(checks.map((check) => [entityName(check.id), schemaOf(check.entity, 'output')])),
  };
}

export const entityName = (checkId: string): string => `${checkId}.entity`;

export const refTo = (name: keyof typeof shared | 'Refusal' | 'Meta'): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The success envelope of a resource. */
export const envelopeOf = (entity: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['status', 'entity', 'meta'],
  properties: { status: { const: 'success' }, entity, meta: refTo('Meta') },
});

export const objectOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const listMembers = (item: JsonSchema): Record<string, JsonSchema> => ({
  object: { const: 'list' },
  data: { type: 'array', items: item },
});

/** A list that is answered whole. */
export const listOf = (item: JsonSchema): JsonSchema => objectOf(listMembers(item));

/** A page of a list, with the next page's cursor. */
export const pageOf = (item: JsonSchema): JsonSchema =>
  objectOf({ ...listMembers(item), has_more: { type: 'boolean' }, next_cursor: { type: ['string', 'null'] } });
