/** Nigerian mobile numbers in any spelling. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { z } from 'zod';
import { missingOr, optionalText, written } from './inputs.ts';

/** Ten zeros and a digit are not a phone number anywhere. The sandbox scripts its outcomes by them (`docs/sandbox.md`). */
const SCRIPTED = /^0{10}\d$/;

/** E.164 (`+2348031234567`). Null if the text is not a Nigerian mobile number. */
export function normalisePhone(text: string): string | null {
  if (SCRIPTED.test(text)) return text;
  const withPlus = /^234[\s-]?\d/.test(text) ? `+${text}` : text;
  const parsed = parsePhoneNumberFromString(withPlus, { defaultCountry: 'NG', extract: false });
  return parsed?.country === 'NG' && parsed.isValid() && parsed.ext === undefined ? parsed.number : null;
}

/** Turns an E.164 number into the form of the registries (`08031234567`). */
export const localPhone = (e164: string): string => e164.replace(/^\+234/, '0');

function readPhone(text: string, context: z.RefinementCtx): string {
  const normalised = normalisePhone(text);
  if (normalised !== null) return normalised;
  context.addIssue({ code: 'custom', message: 'must be a Nigerian mobile number, such as 08031234567 or +2348031234567' });
  return z.NEVER;
}

const FORMS = 'Nigerian mobile number: 080…, 23480… or +23480…';

/** Parsed to E.164. */
export const mobileNumber = written(
  'number',
  z
    .string(missingOr('must be a string (a JSON number loses the leading zero)'))
    .trim()
    .max(40, 'must be at most 40 characters')
    .transform(readPhone)
    .describe(FORMS),
);

/** Parsed to E.164. */
export const optionalMobileNumber = written(
  'number',
  optionalText.transform((text, context) => text && readPhone(text, context)).describe(FORMS),
);
