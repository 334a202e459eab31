/** Apps as the operator sees them: bodies, pages and answers. */
import { z } from 'zod';
import { LIST_ID, THRESHOLD_MIN } from '../engines/aml/request.ts';
import { riskLevels } from '../engines/aml/risk.ts';
import { auditPurpose } from './audit.ts';
import { AMOUNT_MAX, amount, cleanText, count, instant, instantOrNull, kobo, nairaAboveZero, nairaUpTo, text } from './fields.ts';
import { page, pageSize, partOf } from './queries.ts';
import { retentionSetting } from './retention.ts';

export const appAnswer = z.object({
  id: text.describe('app_…'),
  object: z.literal('app'),
  name: text,
  settings: z.record(z.string(), z.unknown()).describe('Only the settings that were set; the others have their defaults'),
  created_at: instant,
  suspended_at: instantOrNull.describe('null: the app is not suspended'),
  deleted_at: instantOrNull.describe('null: the app was not deleted'),
  keys: z
    .array(
      z.object({
        id: text.describe('key_…'),
        object: z.literal('key'),
        mode: z.enum(['live', 'test']),
        hint: text.describe('First characters of the key'),
        daily_cap: amount.nullable(),
        created_at: instant,
        revoked_at: instantOrNull,
      }),
    )
    .describe('Newest first, at most 100'),
  wallets: z.array(z.object({ currency: z.literal('NGX'), mode: z.enum(['live', 'test']), available: amount, held: amount })),
});

const appSettings = {
  consentRequired: z.boolean(),
  weight: z.number().min(0.1).max(100),
  cacheScope: z.enum(['app', 'deployment']),
  shareCache: z.boolean(),
  emailBreaches: z.boolean(),
  emailMailboxes: z.boolean(),
  partialRuns: z.boolean(),
  lowBalance: nairaAboveZero(AMOUNT_MAX),
  dailyCap: nairaUpTo(AMOUNT_MAX),
  batchCap: nairaUpTo(AMOUNT_MAX),
  requestsPerMinute: z.number().int().min(0).max(100_000_000),
  missesPerSubject: z.int().min(0).max(1_000_000),
  missesPerApp: z.int().min(0).max(100_000_000),
  storageGb: z.number().positive().max(1_000_000),
  amlThreshold: z.number().min(THRESHOLD_MIN).max(1),
  faceThreshold: z.number().min(0).max(100),
  retention: retentionSetting,
  keepImagesDays: z.int().min(1).max(365),
  approveStartAboveKobo: z.int().min(0).max(kobo(AMOUNT_MAX)),
  approveReveal: z.boolean(),
  approveExport: z.boolean(),
  revealNeedsReason: z.boolean(),
  secondFactorRequired: z.boolean(),
  reviews: z
    .strictObject({ face: z.boolean(), liveness: z.boolean(), amlLevel: z.enum(riskLevels).nullable(), twoPerson: z.boolean() })
    .partial(),
  amlLists: z.array(z.string().regex(LIST_ID, 'must be the id of a list')).min(1).max(50),
};

const APP_NAME_MAX = 100;

export const appBody = z.strictObject({ name: cleanText(APP_NAME_MAX), settings: z.strictObject(appSettings).partial().default({}) });

const clearable = Object.fromEntries(Object.entries(appSettings).map(([name, schema]) => [name, schema.nullable()]));

/** Members that are absent stay as they are; `null` restores the default. */
export const appPatch = z.strictObject({ settings: z.strictObject(clearable).partial() });

/** A browser saves the file from a link, which can send no header. */
export const appExportQuery = z.object({
  purpose: auditPurpose.optional().describe('Like `Audit-Purpose`, for a link that can send no header'),
});

export const appDeletionBody = z.strictObject({
  balance: z
    .enum(['refunded', 'written_off'], 'must be refunded or written_off')
    .optional()
    .describe('What was done with the money in the live wallet; needed if there is any. Confam pays nothing: it books what you say'),
  cancel_work: z.boolean().default(false).describe('Cancel batches and jobs that have not ended'),
});

export const appDeletionAnswer = z.object({
  object: z.literal('app_deletion'),
  app: text.describe('app_…'),
  status: z.enum(['running', 'done']),
  stage: text.describe('What is deleted at present'),
  counts: z.record(z.string(), count).describe('What was deleted so far'),
  asked_at: instant.describe('From then on none of the app’s data could be read'),
  finished_at: instantOrNull,
  certificate: text.nullable().describe('JSON, exactly as it was signed; it holds no personal data'),
  signature: text.nullable().describe('Of the certificate; `POST /api/v1/admin/receipts` checks it'),
});

const PAGE_OF_APPS_MAX = 100;

export const appsQuery = z.object({
  name: partOf(APP_NAME_MAX).describe('Only those with this in their name, in upper or lower case, or the app with this id'),
  limit: pageSize(PAGE_OF_APPS_MAX, 50),
  cursor: page.cursor,
  suspended: z.enum(['true', 'false'], 'must be true or false').optional().describe('true: only suspended apps; false: only active ones'),
});
