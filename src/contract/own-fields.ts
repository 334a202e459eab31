/** What a client attaches to its own work and gets back unchanged: reference, metadata, consent, callback URL. */

import { z } from 'zod';
import { hasInexactNumber } from '../rows/exact-numbers.ts';
import { BASES } from '../schema/jobs.ts';
import { cleanText, sentTime, text } from './fields.ts';

export const reference = cleanText(200).describe('Your own id, returned wherever this work appears');

export const metadata = z
  .record(z.string(), z.json())
  .refine((value) => {
    const text = JSON.stringify(value);
    return text.length <= 4096 && !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text);
  }, 'must be at most 4096 characters of JSON, without NUL or unpaired surrogates')
  .refine((value) => !hasInexactNumber(value), {
    error: `has a number beyond ±${Number.MAX_SAFE_INTEGER}: send it as a string`,
    params: { rule: 'inexact_number' },
  })
  .describe('Returned wherever this work appears; do not put personal data here');

export const callbackUrl = cleanText(2048)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '',
    'must be an http(s) URL without credentials',
  )
  .describe('Receives signed webhooks');

/** By how much a client's clock may be ahead. */
const CLOCKS_MS = 300_000;

export const consent = z
  .strictObject({
    reference: cleanText(200),
    purpose: cleanText(200),
    obtained_at: sentTime().refine((at) => Date.parse(at) <= Date.now() + CLOCKS_MS, 'must not be in the future'),
    basis: z
      .enum(BASES, `must be ${BASES.join(', ')}`)
      .optional()
      .describe('Lawful basis; without it: consent'),
  })
  .describe('Consent of the subject, or another lawful basis: where you keep it on record, what it is for, and since when it holds');

/** Whether the cache may answer. */
export const cacheMode = z.enum(['use', 'refresh'], 'must be use or refresh');

export const sameMetadata = z.record(z.string(), z.unknown()).nullable().describe('As you sent it');

export const sameReference = text.nullable().describe('As you sent it');
