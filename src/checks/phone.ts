/** Nigerian mobile numbers in any spelling. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { z } from 'zod';
import { optionalText, written } from './inputs.ts';

/** Ten zeros and a digit are not a phone number anywhere. The sandbox scripts its outcomes by them (`docs/sandbox.md`). */
const SCRIPTED = /^0{10}\d$/;

/** Any number in the form of a mobile number, assigned or not. */
const FORM = /^(?:\+?2340?|0)?([789][01]\d{8})$/;

/** E.164 (`+2348031234567`), also of numbers in series that libphonenumber does not know as assigned. Null if the text is not a Nigerian mobile number. */
export function normalizePhone(text: string): string | null {
  const assigned = assignedPhone(text);
  if (assigned !== null) return assigned;
  const number = FORM.exec(withoutExit(text).replace(/[\s()-]/g, ''))?.[1];
  return number === undefined ? null : `+234${number}`;
}

/** Most of the world dials 00 before a country code. */
const withoutExit = (text: string): string => text.replace(/^00[\s-]?(?=234)/, '+');

function assignedPhone(text: string): string | null {
  if (SCRIPTED.test(text)) return text;
  const withPlus = withoutExit(text).replace(/^234(?=[\s-]?\d)/, '+234');
  const parsed = parsePhoneNumberFromString(withPlus, { defaultCountry: 'NG', extract: false });
  return parsed?.country === 'NG' && parsed.isValid() && parsed.ext === undefined ? parsed.number : null;
}

/** Turns an E.164 number into the form of the registries (`08031234567`). */
export const localPhone = (e164: string): string => e164.replace(/^\+234/, '0');

const reader =
  (normalize: (text: string) => string | null) =>
  (text: string, context: z.RefinementCtx): string => {
    const normalized = normalize(text);
    if (normalized !== null) return normalized;
    context.addIssue({ code: 'custom', message: 'must be a Nigerian mobile number, such as 08031234567 or +2348031234567' });
    return z.NEVER;
  };

const readPhone = reader(normalizePhone);

const FORMS = 'Nigerian mobile number: 080…, 23480… or +23480…';

const sent = z.string('must be a string (a JSON number loses the leading zero)').trim().max(40, 'must be at most 40 characters');

/** Parsed to E.164. */
export const mobileNumber = written('number', sent.transform(readPhone).describe(FORMS));

/** For look-ups by number. */
export const assignedMobileNumber = written('number', sent.transform(reader(assignedPhone)).describe(FORMS));

/** Parsed to E.164. */
export const optionalMobileNumber = written(
  'number',
  optionalText.transform((text, context) => text && readPhone(text, context)).describe(FORMS),
);
