/** Readable names for members of inputs and records. */
import { checkName } from '../format.ts';

/** Words that registries write together or shorten. */
const WORDS: Readonly<Record<string, string>> = {
  firstname: 'first name',
  middlename: 'middle name',
  othername: 'other name',
  lastname: 'last name',
  birthdate: 'date of birth',
  dob: 'date of birth',
  telephoneno: 'phone number',
  nok: 'next of kin',
  lga: 'LGA',
  nspoken: 'native',
  ospoken: 'other',
  lang: 'language',
  reg: 'registration',
  rc: 'RC',
  jittin: 'JIT TIN',
  firstin: 'FIRS TIN',
};

/** `nok_firstname` → `Next of kin first name`, `lga_of_origin` → `LGA of origin` */
export const fieldName = (member: string): string =>
  checkName(
    member
      .split('_')
      .map((word) => WORDS[word.toLowerCase()] ?? word)
      .join('_'),
  );
