/** What people call an input in their own files. An unmistakable name is taken; a merely likely one is suggested to the sender. */
import { fold, LIKELY, similarity } from '../rows/likely-names.ts';
import type { TableSource } from '../rows/row.ts';

/** Names that mean only this input, apart from its own (with or without `number` after it). Folded; `number` stands for every way to write it. */
const SYNONYMS: Record<string, readonly string[]> = {
  nin: ['nationalid', 'nationalidnumber', 'nationalidentity', 'nationalidentitynumber', 'nationalidentificationnumber', 'nimcnumber'],
  bvn: ['bankverification', 'bankverificationnumber'],
  idnumber: ['identitynumber', 'identificationnumber', 'documentnumber', 'idcardnumber'],
  idtype: ['typeofid', 'identitytype', 'identificationtype', 'documenttype'],
  rcnumber: [
    ...['rc', 'rcbnnumber', 'cacnumber', 'cacrcnumber', 'cacregnumber', 'cacregistrationnumber', 'companynumber', 'companyregnumber'],
    ...['companyregistrationnumber', 'businessregnumber', 'businessregistrationnumber', 'registrationnumber', 'regnumber'],
  ],
  companytype: ['typeofcompany', 'businesstype', 'entitytype'],
  tin: ['taxid', 'taxidnumber', 'taxnumber', 'taxidentificationnumber', 'taxpayeridentificationnumber'],
  phonenumber: [
    ...[
      'phone',
      'mobile',
      'mobilenumber',
      'mobilephone',
      'mobilephonenumber',
      'msisdn',
      'telephone',
      'telephonenumber',
      'tel',
      'telnumber',
    ],
    ...['gsm', 'gsmnumber', 'cellphone', 'cellphonenumber', 'contactphone', 'contactphonenumber'],
  ],
  firstname: ['firstnames', 'givenname', 'givennames', 'forename'],
  middlename: ['middlenames', 'othername', 'othernames', 'secondname'],
  lastname: ['surname', 'familyname'],
  name: ['names', 'fullname', 'fullnames'],
  dob: ['dateofbirth', 'birthdate', 'birthday'],
  dateofbirth: ['dob', 'birthdate', 'birthday'],
  gender: ['sex'],
  email: ['emailaddress', 'emailid', 'mail', 'mailaddress'],
  licensenumber: [
    ...['licencenumber', 'driverslicense', 'driverslicence', 'driverslicensenumber', 'driverslicencenumber'],
    ...['driverlicensenumber', 'driverlicencenumber', 'drivinglicensenumber', 'drivinglicencenumber'],
  ],
  passportnumber: ['passport', 'internationalpassport', 'internationalpassportnumber', 'intlpassportnumber'],
  vinnumber: [
    'vin',
    'votersid',
    'voterid',
    'voteridnumber',
    'voteridentificationnumber',
    'voterscard',
    'votercardnumber',
    'pvc',
    'pvcnumber',
  ],
  meternumber: ['meter', 'electricitymeternumber', 'prepaidmeternumber'],
  image: ['selfie', 'selfieimage', 'selfiepicture', 'selfiephoto'],
  selfieimage: ['selfie', 'selfiepicture', 'selfiephoto'],
  photoidimage: ['photoid', 'idimage', 'idphoto', 'idpicture', 'documentimage', 'documentphoto'],
};

/** Names that may also mean something else. */
const LIKELY_NAMES: Record<string, readonly string[]> = {
  nin: ['idnumber'],
  reference: ['ref', 'customerref', 'customerreference', 'customerid', 'clientref', 'clientid', 'externalid', 'recordid', 'rowid', 'id'],
  country: ['nationality'],
  rcnumber: ['businessnumber'],
  companytype: ['type', 'regtype', 'registrationtype', 'category', 'entity', 'entitycategory'],
  image: ['photo', 'picture'],
  selfieimage: ['image', 'photo', 'picture'],
};

/** The `columns` whose name may mean `input`, though it may also mean something else. */
export const columnsPerhapsCalled = (input: string, columns: readonly string[]): string[] =>
  columns.filter((column) => LIKELY_NAMES[fold(input)]?.includes(called(column)));

/** Prefixes that name the row's own person and so add nothing. Not other people's (`Guarantor NIN`). */
const OWNER = /^(?:customer|client|applicant|employee|staff|member|subscriber|beneficiary|borrower|student|user)(?=..)/;

/** A column's name in the form of the synonyms. Remarks in brackets are dropped: `Date of Birth (DD/MM/YYYY)`. */
const called = (column: string): string =>
  fold(column.replace(/\([^()]{0,100}\)|\[[^[\]]{0,100}\]/g, ' ')).replace(/(?<=..)(?:numbers?|num|nos?|nr)$/, 'number');

/** The `columns` whose name means `input`. */
export function columnsCalled(input: string, columns: readonly string[]): string[] {
  const own = fold(input);
  const names = new Set([own, `${own}number`, ...(SYNONYMS[own] ?? [])]);
  return columns.filter((column) => {
    const name = called(column);
    const itself = name.replace(OWNER, '');
    // Both `customersurname` and `customersnin` must match: the s may be a plural.
    return names.has(name) || (itself !== name && (names.has(itself) || names.has(itself.replace(/^s/, ''))));
  });
}

/** Inputs that no column of whole names serves: no check splits a name, so every row would disagree with its record. */
const PARTS_OF_NAMES: ReadonlySet<string> = new Set(['first_name', 'middle_name', 'last_name']);

/**
 * Whether the column's name means another input. A reference must not identify a person, so a column that has the name of any input cannot be the reference.
 */
function needsAnother(input: string, column: string): boolean {
  const others = input === 'reference' ? Object.keys(SYNONYMS) : PARTS_OF_NAMES.has(input) ? ['name'] : [];
  return others.some((other) => columnsCalled(other, [column]).length > 0);
}

/**
 * For each of these inputs, the column whose name is most like its own or one of its synonyms. A column goes to one input, the closest, and never
 * if another input already has it. Only columns that may be shown, exactly as they are, and that `fits` does not rule out.
 */
export function likelyColumns(
  inputs: readonly string[],
  { columns, labels }: Pick<TableSource, 'columns' | 'labels'>,
  mapping: Record<string, string>,
  fits: (input: string, column: string) => boolean = () => true,
): Record<string, string> {
  const taken = new Set(Object.values(mapping));
  const open = columns.filter((column, i) => labels[i] === column && fold(column).length > 1 && !taken.has(column));
  const pairs = inputs
    .flatMap((input) => open.map((column) => ({ input, column, score: likeness(column, input) })))
    .filter(({ input, column, score }) => score >= LIKELY && !needsAnother(input, column) && fits(input, column))
    .sort((a, b) => b.score - a.score);
  const likely: Record<string, string> = {};
  for (const { input, column } of pairs) {
    if (likely[input] !== undefined || taken.has(column)) continue;
    likely[input] = column;
    taken.add(column);
  }
  return likely;
}

function likeness(column: string, input: string): number {
  const names = [fold(input), ...(SYNONYMS[fold(input)] ?? []), ...(LIKELY_NAMES[fold(input)] ?? [])];
  return Math.max(...names.map((name) => (name === fold(column) ? 1 : stemSimilarity(bare(fold(column)), bare(name)))));
}

/** If both end with the word `name`, what comes before it must be similar too: `Bank Name` is not like `last_name`. */
function stemSimilarity(one: string, other: string): number {
  const whole = similarity(one, other);
  if (!NAME_END.test(one) || !NAME_END.test(other)) return whole;
  return Math.min(whole, similarity(one.replace(NAME_END, ''), other.replace(NAME_END, '')));
}

const NAME_END = /(?<=..)names?$/;

/** Drops the word that any number may carry: a phone number is not like a NIN number. */
const bare = (folded: string): string => folded.replace(/(?<=..)(?:number|num|no)$/, '');
