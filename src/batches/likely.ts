/** Which column of an upload is likely meant for an input that none was found for: shown to whoever sent it, never taken. */
import { distance } from 'fastest-levenshtein';
import type { RowSource } from '../rows/row.ts';

/** Names are compared whatever their case, spaces and punctuation. */
export const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** What people call an input in their own files; both folded. */
const SYNONYMS: Record<string, string[]> = {
  nin: ['nationalid', 'nationalidnumber', 'nationalidentitynumber', 'nationalidentificationnumber', 'idnumber'],
  bvn: ['bankverificationnumber', 'bankverification'],
  rcnumber: ['cacnumber', 'companynumber', 'registrationnumber', 'businessnumber'],
  tin: ['taxid', 'taxnumber', 'taxidentificationnumber'],
  reference: ['ref', 'customerref', 'customerreference', 'customerid', 'clientref', 'clientid', 'externalid', 'recordid', 'rowid', 'id'],
  phonenumber: ['phone', 'mobile', 'mobilenumber', 'msisdn', 'telephone', 'gsm'],
  firstname: ['givenname', 'forename'],
  middlename: ['othername', 'othernames', 'secondname'],
  lastname: ['surname', 'familyname'],
  name: ['fullname', 'customername', 'clientname'],
  dob: ['dateofbirth', 'birthdate', 'birthday'],
  dateofbirth: ['dob', 'birthdate', 'birthday'],
  gender: ['sex'],
  country: ['nationality'],
  email: ['emailaddress', 'mail'],
  licensenumber: ['driverslicense', 'driverslicence', 'driverslicensenumber', 'driverslicencenumber'],
  vinnumber: ['votersid', 'voterid', 'voteridentificationnumber', 'voterscard', 'pvcnumber'],
  image: ['selfie', 'selfieimage', 'photo', 'picture'],
  selfieimage: ['selfie', 'image', 'photo', 'picture'],
};

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

/** Of names that share so much, one is likely a misspelling of the other. */
const LIKELY = 0.6;

function likeness(column: string, input: string): number {
  const names = [fold(input), ...(SYNONYMS[fold(input)] ?? [])];
  return Math.max(...names.map((name) => (name === fold(column) ? 1 : similarity(bare(fold(column)), bare(name)))));
}

/** Of two names, one within the other counts by how much of it is the same, but enough to be shown. */
function similarity(column: string, name: string): number {
  const shared = 1 - distance(column, name) / Math.max(column.length, name.length);
  const isWithin = column.includes(name) || name.includes(column);
  return isWithin ? Math.max(LIKELY + 0.3 * shared, shared) : shared;
}

/** Without what any number may be called: a phone number is not like a NIN number. */
const bare = (folded: string): string => folded.replace(/(?<=..)(?:number|num|no)$/, '');
