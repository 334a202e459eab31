/** Requests to erase a person: the identifiers, and the receipt. */
import { z } from 'zod';
import { licenceNumber, meterNumber, passportNumber, voterNumber } from '../checks/document.ts';
import { emailInput } from '../checks/email.ts';
import { elevenDigits, optionalBirthDate, requiredText } from '../checks/inputs.ts';
import { mobileNumber } from '../checks/phone.ts';
import { tinInput } from '../checks/tin.ts';
import { jobOutcome, jobStatus } from '../schema/jobs.ts';
import { createdBy } from './created-by.ts';
import { cleanText, count, instant, instantOrNull, text } from './fields.ts';

const identifier = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('nin'), value: elevenDigits('National identity number') }),
  z.strictObject({ type: z.literal('bvn'), value: elevenDigits('Bank verification number') }),
  z.strictObject({ type: z.literal('phone'), value: mobileNumber }),
  z.strictObject({ type: z.literal('email'), value: emailInput }),
  z.strictObject({ type: z.literal('passport'), value: passportNumber }),
  z.strictObject({ type: z.literal('drivers_license'), value: licenceNumber }),
  z.strictObject({ type: z.literal('voter_card'), value: voterNumber }),
  z.strictObject({ type: z.literal('meter'), value: meterNumber }),
  z.strictObject({ type: z.literal('tin'), value: tinInput.shape.tin }),
  z.strictObject({
    type: z.literal('person'),
    name: requiredText(200).refine((name) => /\p{L}/u.test(name), 'must contain a letter'),
    date_of_birth: optionalBirthDate.describe('As it was screened. Without one, only screenings that were sent without one are found'),
  }),
]);

export type Identifier = z.infer<typeof identifier>;

const identifiers = z
  .array(identifier)
  .min(1, 'must name 1 to 20 identifiers')
  .max(20, 'must name 1 to 20 identifiers')
  .describe('All of one person');

export const eraseBody = z.strictObject({ identifiers });

export const exportBody = z.strictObject({
  identifiers,
  reason: cleanText(500).optional().describe('Why, in words; needed if the app demands it for seeing a job in clear. Stored encrypted'),
});

export const holdBody = z.strictObject({
  identifiers,
  reason: cleanText(500)
    .optional()
    .describe('Why, in words. Stored encrypted, shown with the hold, and not erased with the person: name a case, not a person'),
});

export const holdAnswer = z.object({
  id: text.describe('hld_…'),
  object: z.literal('subject_hold'),
  live: z.boolean(),
  identifiers: z.array(text).describe('Their kinds only: the identifiers are kept as keyed hashes'),
  reason: text.nullable(),
  held_at: instant,
  created_by: createdBy,
  lifted_at: instantOrNull,
});

const counts = z.record(z.string(), count);

export const erasureAnswer = z.object({
  id: text.describe('ers_…'),
  object: z.literal('erasure'),
  live: z.boolean(),
  status: z.enum(['running', 'waiting', 'done']).describe('waiting: for work about the person that has not ended'),
  waiting_for: z.object({ batches: z.array(text), jobs: count }),
  counts: counts.describe('What was erased so far'),
  kept: counts.describe('What stays, because a person is under a legal hold'),
  asked_at: instant,
  created_by: createdBy,
  finished_at: instantOrNull,
  receipt: text.nullable().describe('JSON, exactly as it was signed; it holds no personal data'),
  signature: text.nullable().describe('Of the receipt; `POST /api/v1/subjects/receipts` checks it'),
});

export const exportAnswer = z.object({
  id: text.describe('exp_…'),
  object: z.literal('subject_export'),
  live: z.boolean(),
  status: z
    .enum(['running', 'done', 'expired'])
    .describe('done: its file can be downloaded. expired: ended by time, or because the person was erased'),
  counts: counts.describe('What was found so far'),
  asked_at: instant,
  created_by: createdBy,
  finished_at: instantOrNull,
  expires_at: instant.describe('When its file can no longer be downloaded'),
});

export const placeAnswer = z.object({
  object: z.literal('place'),
  kind: z.enum(['job', 'call', 'row', 'invalid_row']).describe('call: a single check, answered at once. invalid_row: a row to correct'),
  batch_id: text.nullable().describe('Of a row'),
  row: count.nullable(),
  jobs: z
    .array(
      z.object({
        id: text.describe('job_…'),
        check: text,
        status: z.enum(jobStatus.enumValues).describe('A duplicate has the status and the outcome of its original'),
        outcome: z.enum(jobOutcome.enumValues).nullable(),
      }),
    )
    .describe('One for each check of a row; none in a row to correct'),
  created_at: instant,
});

export const receiptBody = z.strictObject({ receipt: z.string().max(100_000), signature: z.string().max(200) });
