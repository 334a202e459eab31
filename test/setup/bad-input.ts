/**
 * Values that no check may accept, derived from each input's declared schema and name. A new check is covered without a line here, unless its
 * inputs have a new form.
 */
import fc from 'fast-check';
import { z } from 'zod';
import type { Check } from '../../src/checks/check.ts';

/** How values reach a check: some paths carry only text. */
export type Carrier = 'text' | 'json';

interface Declared {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  anyOf?: Declared[];
  allOf?: Declared[];
}

/** Longer than any input, except images and pages of text, which have tests of their own lengths. */
const TOO_LONG = { text: 12_000, json: 25_000 };

const wrongTypes: unknown[] = [
  [],
  ['70123456789'],
  [[]],
  {},
  { value: '70123456789' },
  true,
  false,
  JSON.parse('{"__proto__":{"nin":"70123456789"}}'),
];
const garbled = ['\0', 'a\0', '70123456789\0', '\u0001', 'a\u001b[31mb', 'a\u007f', 'a\u0085b'];
const unpaired = ['\ud800', 'a\udfffb', '70123456789\ud83d'];

const tomorrow = (): string => new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 10);
const notDates = (): string[] => [
  '2026-02-30',
  '1990-13-01',
  '1990-00-10',
  '1990-01-32',
  '2023-02-29',
  '31-01-1990',
  '1990/01/31',
  '1990-1-1',
  '19900131',
  '1990-01-31T00:00:00Z',
  'yesterday',
  tomorrow(),
  '2999-01-01',
];
const notElevenDigits = [
  '1',
  '1234567890',
  '123456789012',
  '1234567890a',
  'O1234567890',
  '-2345678901',
  '1e10',
  '1234 567890',
  '12345678901.0',
  '１２３４５６７８９０１',
  '١٢٣٤٥٦٧٨٩٠١',
  "' or 1=1 --",
  '70123456789\r\nX-Evil: 1',
  '__proto__',
];

/** Malformed values for inputs with a form of their own, by name. */
const malformed: Record<string, string[]> = {
  name: ['-', '…', '1234567', '🙂🙂', 'A', 'É.'],
  gender: ['x', 'males', 'non'],
  lists: ['UN', 'u', 'un sc', '../un_sc', '__proto__', 'un_sc;eu_fsf'],
  monitor: ['maybe', '1', 'yes', 'truee'],
  email: ['a', 'a@', '@example.com', 'a b@example.com', 'a@b@example.com', 'a@example.com\r\nBcc: b@example.com'],
  country: ['N', 'NGA', '12', 'Nigeria', 'N1'],
  phone_number: ['123', '0803', '080312345678901', '+14155552671', 'abcdefghijk', '__proto__'],
  rc_number: ['RC', '!!!', '12345678901234', 'RC1234;5678', '__proto__'],
  tin: ['1234', 'abcdefgh-ijkl', '12345678-', '__proto__'],
  license_number: ['1', '!!!', 'ABC', '__proto__'],
  passport_number: ['12345678', 'AA12345678901', 'A1234567', '__proto__'],
  vin: ['short', '!'.repeat(19)],
  vin_number: ['short', '!'.repeat(19)],
  latitude: ['abc', '91', '-91', 'NaN', 'Infinity', '1e999'],
  longitude: ['abc', '181', '-181', 'NaN', 'Infinity'],
  threshold: ['abc', '-1', '101', 'NaN', 'Infinity'],
  image: ['not base64!', 'data:text/plain;base64,aGVsbG8=', 'aGVsbG8=', 'data:image/png;base64,'],
  selfie_image: ['not base64!', 'data:text/plain;base64,aGVsbG8=', 'aGVsbG8=', 'data:image/png;base64,'],
};

export const isRequired = (check: Check, field: string): boolean => !shapeOf(check)[field]!.safeParse(undefined).success;

/** The bad values for one input of a check: each must be refused with the input's name. */
export function badValues(check: Check, field: string, carrier: Carrier): unknown[] {
  const declared = describeField(check, field);
  const isOfDeclaredType = (value: unknown) => declared.types.includes(Array.isArray(value) ? 'array' : typeof value);
  return [
    ...(isRequired(check, field) ? ['', '   '] : []),
    ...garbled,
    ...formsOf(field, declared),
    ...(declared.enum === undefined ? [] : ['NOT_A_MEMBER', '__proto__', 'constructor']),
    ...(carrier === 'text'
      ? []
      : [...wrongTypes.filter((value) => !isOfDeclaredType(value)), ...unpaired, ...(isRequired(check, field) ? [null] : [])]),
    'x'.repeat(TOO_LONG[carrier]),
  ];
}

function formsOf(field: string, declared: Declared): string[] {
  if (isDate(field, declared)) return notDates();
  return isElevenDigits(field) ? notElevenDigits : (malformed[field] ?? []);
}

const isDate = (field: string, { format }: Declared): boolean => format === 'date' || /^(dob|birthdate|date_of_birth)$/.test(field);
const isElevenDigits = (field: string): boolean => field === 'nin' || field === 'bvn' || field === 'id_number';

const shapeOf = (check: Check) => check.input.shape as Record<string, z.ZodType>;

/** The types of all branches of the input's JSON Schema, and the first enum and format among them. */
function describeField(check: Check, field: string): Declared & { types: string[] } {
  const schema = z.toJSONSchema(shapeOf(check)[field]!, { io: 'input', unrepresentable: 'any' }) as Declared;
  const branches = [schema, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return {
    types: branches.flatMap(({ type }) => type ?? []),
    enum: branches.find((branch) => branch.enum)?.enum,
    format: branches.find((branch) => branch.format)?.format,
  };
}

const CONTROL = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, i) => 0x7f + i)].filter((code) => ![9, 10, 13].includes(code));

/** Random values that must be refused, for one input. */
export function badValue(check: Check, field: string, carrier: Carrier): fc.Arbitrary<unknown> {
  const declared = describeField(check, field);
  const control = fc
    .tuple(fc.string(), fc.constantFrom(...CONTROL), fc.string())
    .map(([before, code, after]) => before + String.fromCodePoint(code) + after);
  const tooLong = fc.integer({ min: 0, max: 500 }).map((more) => 'é'.normalize('NFD').repeat(10_000) + 'x'.repeat(1 + more));
  const choices: fc.Arbitrary<unknown>[] = [fc.constantFrom(...badValues(check, field, carrier)), control];
  if (isElevenDigits(field)) choices.push(fc.string({ unit: 'grapheme' }).filter((text) => !/^\s*\d{11}\s*$/.test(text) && text !== ''));
  if (isDate(field, declared))
    choices.push(fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !/\d{4}-\d\d-\d\d/.test(text)));
  if (declared.enum !== undefined) choices.push(fc.string({ minLength: 30, maxLength: 60 }).filter((text) => text.trim().length > 29));
  if (carrier === 'json') {
    const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'));
    const surrogate = fc.tuple(fc.string(), fc.integer({ min: 0xd800, max: 0xdfff }), fc.string());
    if (!declared.types.includes('array')) choices.push(fc.array(fc.jsonValue({ maxDepth: 2 })));
    if (!declared.types.includes('boolean')) choices.push(fc.boolean());
    choices.push(
      fc.dictionary(names, fc.jsonValue({ maxDepth: 2 })),
      surrogate.map(([before, code, after]) => before + String.fromCharCode(code) + after),
      tooLong,
    );
  }
  return fc.oneof(...choices);
}
