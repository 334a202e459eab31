/** Nigerian mobile numbers, however they are written. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';

/** Ten zeros and a digit are no phone number anywhere; the sandbox scripts its outcomes by them (`docs/sandbox.md`). */
const SCRIPTED = /^0{10}\d$/;

/** E.164 (`+2348031234567`), or null where it is no Nigerian mobile number. */
export function normalisePhone(text: string): string | null {
  if (SCRIPTED.test(text)) return text;
  const withPlus = /^234[\s-]?\d/.test(text) ? `+${text}` : text;
  const parsed = parsePhoneNumberFromString(withPlus, { defaultCountry: 'NG', extract: false });
  return parsed?.country === 'NG' && parsed.isValid() && parsed.ext === undefined ? parsed.number : null;
}
