/** Whether the submitted and the found value say the same, however they are written. */
import type { Worded } from '../format.ts';
import type { Compared } from './compared.ts';

/** Base64 has no spaces, unlike a long text. */
const PICTURE = /^\S{1000,}$/;
/** Smaller numbers may be years. */
const GROUPED_MIN = 10_000;
const grouped = new Intl.NumberFormat('en-NG', { maximumFractionDigits: 20 });

/** A value as it is shown. */
export const written = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? '–'
    : value === true || value === 'true'
      ? 'Yes'
      : value === false || value === 'false'
        ? 'No'
        : PICTURE.test(String(value))
          ? '(a picture)'
          : typeof value === 'number' && Math.abs(value) >= GROUPED_MIN
            ? grouped.format(value)
            : String(value);

/** Letters and digits without accents, tone marks and case, in any script. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The registry keeps the number of a company without the letters that people write before it. */
const withoutPrefix = (text: string): string => text.replace(/^(?:rc|bn|it|llp|lp)(?=\d)/, '');

/** The end of a telephone number, however its country is written. */
const digits = (text: string): string => text.replaceAll(/\D/g, '').slice(-10);

/** Null where there is nothing to compare: a value is missing or masked. */
export function agreement(submitted: unknown, found: unknown): Worded | null {
  const [one, other] = [written(submitted), written(found)];
  if (one === '–' || other === '–' || one.includes('•') || other.includes('•')) return null;
  const isSame = withoutPrefix(plain(one)) === withoutPrefix(plain(other)) || (digits(one).length === 10 && digits(one) === digits(other));
  return isSame ? { word: 'Agrees', tone: 'good' } : { word: 'Differs', tone: 'warn' };
}

/** `Agrees`, `Differs (46 of 100)` */
export function comparison({ status, confidence_value: alike = 100 }: Compared): Worded {
  const share = alike < 100 ? ` (${Math.round(alike)} of 100)` : '';
  return status ? { word: `Agrees${share}`, tone: 'good' } : { word: `Differs${share}`, tone: 'warn' };
}
