/** What people call an input in their own files: a name that can be nothing else is taken, one that is only likely is shown to whoever sent it. */
import { fold, LIKELY, similarity } from '../rows/likely-names.ts';
import type { RowSource } from '../rows/row.ts';

/** Names that mean this input and no other, beside its own with or without `number` behind it; folded, with `number` for whatever stands for it. */
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

/** Names that may mean something else as well. */
const LIKELY_NAMES: Record<string, readonly string[]> = {
  nin: ['idnumber'],
  reference: ['ref', 'customerref', 'customerreference', 'customerid', 'clientref', 'clientid', 'externalid', 'recordid', 'rowid', 'id'],
  country: ['nationality'],
  rcnumber: ['businessnumber'],
  image: ['photo', 'picture'],
  selfieimage: ['image', 'photo', 'picture'],
};

/** Whose it is: in the file of whoever has customers it says nothing. Not of somebody beside them (`Guarantor NIN`). */
const OWNER = /^(?:customer|client|applicant|employee|staff|member|subscriber|beneficiary|borrower|student|user)(?=..)/;

/** A column's name as synonyms are written. Remarks in brackets are none of it: `Date of Birth (DD/MM/YYYY)`. */
const called = (column: string): string =>
  fold(column.replace(/\([^()]{0,100}\)|\[[^[\]]{0,100}\]/g, ' ')).replace(/(?<=..)(?:numbers?|num|nos?|nr)$/, 'number');

/** Those of `columns` that people call so and mean `input`. */
export function columnsCalled(input: string, columns: readonly string[]): string[] {
  const own = fold(input);
  const names = new Set([own, `${own}number`, ...(SYNONYMS[own] ?? [])]);
  return columns.filter((column) => {
    const name = called(column);
    const itself = name.replace(OWNER, '');
    // `customersurname` and `customersnin`.
    return names.has(name) || (itself !== name && (names.has(itself) || names.has(itself.replace(/^s/, ''))));
  });
}

/**
 * For each of these inputs the column whose name is most like its own or one of its other names. A column is one input's: that which it is most
 * like, and none's that an input has already. Only columns that may be shown, and that are shown as they are.
 */
export function likelyColumns(inputs: readonly string[], source: RowSource, mapping: Record<string, string>): Record<string, string> {
  if (source.columns === null) return {};
  const { columns, labels } = source;
  const taken = new Set(Object.values(mapping));
  const open = columns.filter((column, i) => labels[i] === column && fold(column).length > 1 && !taken.has(column));
  const pairs = inputs
    .flatMap((input) => open.map((column) => ({ input, column, score: likeness(column, input) })))
    .filter(({ score }) => score >= LIKELY)
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
  return Math.max(...names.map((name) => (name === fold(column) ? 1 : similarity(bare(fold(column)), bare(name)))));
}

/** Without what any number may be called: a phone number is not like a NIN number. */
const bare = (folded: string): string => folded.replace(/(?<=..)(?:number|num|no)$/, '');
