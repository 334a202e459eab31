/** Inputs of checks in the words of a form. The API describes them to programs, which send text in JSON. */
import type { Check, CheckInput } from '../../client/checks.ts';
import { fieldName } from '../job/field-name.ts';

/** By `check.input`, or by the input alone where all checks mean the same by it. */
const NOTES: Readonly<Record<string, string>> = {
  nin: 'National identity number, 11 digits',
  bvn: 'Bank verification number, 11 digits',
  id_type: '',
  id_number: 'The NIN or BVN, 11 digits',
  company_type: 'Not given: the letters before the number decide (RC, BN, IT), and without letters it is a company',
  screen: 'Yes: the company, its directors and its owners are screened too. This is then a CAC screening, at its price',
  type: 'Not given: a date of birth or a gender means a person, a registration number an organization. Otherwise both are searched',
  country: 'Of nationality or residence, or of registration. Two letters, such as NG',
  gender: '',
  'aml_screening.threshold': 'How alike a name must be to count as a hit, from 50 to 100. Empty: as set for the app, or 75',
  threshold: 'How alike the faces must be for a match, from 0 to 100. Empty: as set for the app, or 90',
  lists: 'Ids of watch lists, with commas between them, such as un_sc, ofac_sdn. Empty: all lists of the app',
  monitor: 'Yes: screened again whenever a list changes. New hits are shown under Screening, and sent to your webhooks',
  email: 'One address',
  latitude: 'In degrees, such as 6.4281. Give the longitude too',
  longitude: 'In degrees, such as 3.4219. Give the latitude too',
};

export const inputNote = (check: Pick<Check, 'id'>, { name, form, description }: CheckInput): string =>
  form === 'image'
    ? 'JPEG, PNG or WebP, at most 10 MB'
    : form === 'date'
      ? (description?.split('; ')[1]?.replace(/^r/, 'R') ?? '')
      : (NOTES[`${check.id}.${name}`] ?? NOTES[name] ?? description ?? '');

const CHOICES: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' };

/** `INCORPORATED_TRUSTEES` → `Incorporated trustees` */
export const choiceWord = (choice: string): string => CHOICES[choice] ?? fieldName(choice.toLowerCase());
