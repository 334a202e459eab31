/** Which local parts stand for an office instead of a person: words beyond the package's list, and how they are put together. */

/** Addresses of Nigerian organizations that the package does not have. */
export const ROLES = words(`
  academicaffairs academicplanning admissions alumni anticorruption audit auditor bursar bursary branch callcentre cashier chancellor compliance complaint complaints
  contactcentre corpcomms corporateaffairs customercare customercomplaints customerexperience dgoffice directorgeneral ebanking enquiry enquiries
  examinations exams foi frontdesk headoffice helpline hod hse ict internalaudit itf mdoffice payables pension pensions permsec postgraduateschool pressunit
  protocol provost publicaffairs receivables rector registrar registry salaries servicom studentaffairs tender tenders ticketing treasury vc
  vicechancellor zonaloffice`);

/** On the package's list, but keys, years or names. */
export const NOT_ROLES = words('123 aaa abc alexa asd asdasd asdf china denver gardner paris pastor smile');

/** Roles only beside another word: alone, or with a number, they are names or initials as well. */
const ROLES_IN_PAIRS = new Set(
  words('admission banking card cards ceo chairman dean dg exam gm md permanent pro ps secretary student vice'),
);

/** Words that may stand beside a role (`hr.lagos`, `accounts.payable`, `it-support`) but are not roles alone. The places are in Nigeria. */
const QUALIFIERS = new Set(
  words(`
  account affairs and bureau center centre communications corporate customer department dept desk division e electronic general global group head headquarters
  hotline internal legal line local main mailbox management medical national nigeria ng of office officer offices online payable payables planning public
  receivable receivables records regional relation relations resource resources school secretariat section service services staff students team unit
  academic accounting agriculture arts biology business chemistry economics education engineering environmental geology history law management mathematics
  medicine nursing pharmacy physics science sciences statistics
  abuja aba abakaliki abeokuta ado agege ajah akure apapa asaba awka bauchi benin birninkebbi calabar damaturu dutse ekiti enugu fct festac garki gombe gusau
  gwarinpa ibadan ikeja ikorodu ikoyi ilorin jalingo jos kaduna kano katsina kubwa lafia lagos lekki lokoja maiduguri maitama makurdi marina mainland minna
  mushin nnewi onitsha oshodi oshogbo osogbo owerri ph portharcourt sokoto surulere umuahia uyo victoriaisland vi warri wuse yaba yenagoa yola zaria
  central east island north south west`),
);

/** Two words that together form a role, though neither is one alone. */
const PAIRS = new Set(
  words('frontdesk helpdesk humanresource customerservice customersupport managingdirector permanentsecretary servicedesk vicechancellor'),
);

/** Of the words with one or two letters only these count: most of the list's other two-letter words are just as often initials. */
const ROLE_WORD = /^(?:hr|it|pr|vc|[a-z]{3,})$/;
/** Shorter words are found in names when nothing separates them. */
const GLUED_MIN = 3;

/**
 * `hr.lagos`, `accounts-payable`, `sales01`, `deanofstudents`: every part is a role or qualifies one, and at least one is a role. `isRole`: whether a
 * list has the word.
 */
export function isRoleOfParts(base: string, isRole: (word: string) => boolean): boolean {
  const parts = base.split(/[._-]+|(?<=\D)(?=\d)/).filter(Boolean);
  const named = parts.filter((part) => !/^\d+$/.test(part));
  const whole = named.join('');
  if (PAIRS.has(whole) || (named.length > 1 && isRole(whole))) return true;
  if (parts.length < 2) return isGlued(base, isRole);
  return (
    parts.some((part) => (ROLE_WORD.test(part) && isRole(part)) || (named.length > 1 && ROLES_IN_PAIRS.has(part))) &&
    parts.every((part) => /^\d+$/.test(part) || isPart(part, isRole))
  );
}

const isPart = (word: string, isRole: (word: string) => boolean): boolean =>
  QUALIFIERS.has(word) || ROLES_IN_PAIRS.has(word) || isRole(word);

/** `studentaffairs`, `ictunit`, `deanofstudents`: without anything between the words, only those for an office end a role. */
function isGlued(base: string, isRole: (word: string) => boolean): boolean {
  if (!/^[a-z]+$/.test(base)) return false;
  for (let cut = 2; cut + GLUED_MIN <= base.length; cut++) {
    const [front, back] = [base.slice(0, cut), base.slice(cut)];
    const isFront = ROLES_IN_PAIRS.has(front) || (front.length >= GLUED_MIN && (QUALIFIERS.has(front) || isRole(front)));
    if (isFront && (OFFICE_WORDS.has(back) || isQualified(back))) return true;
  }
  return false;
}

const OFFICE_WORDS = new Set(
  words(
    'affairs communications complaints department desk office officer records relations resources secretariat service services students team unit',
  ),
);

/** `ofstudents`, `andrecords`. */
function isQualified(text: string): boolean {
  return /^(?:of|and)/.test(text) && QUALIFIERS.has(text.replace(/^(?:of|and)/, ''));
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
