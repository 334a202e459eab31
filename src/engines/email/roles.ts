/** Which local parts stand for an office instead of a person: words beyond the package's list, and how they are put together. */

import { isName } from './known-words.ts';

/**
 * Addresses of Nigerian organizations that the package does not have: of companies, banks, schools, ministries, hospitals, churches, mosques and cooperatives.
 */
export const ROLES = words(`
  academicaffairs academicplanning admissions alumni aml anticorruption antenatal audit auditor boarding branch budget bursar bursary callcentre
  cashier cashiers cathedral chancellor chargeback chargebacks choir claims collections commissioner commissioners complaint complaints compliance
  contactcentre contributions convocation corpcomms corporateaffairs counselling crusade customercare customercomplaints customerexperience dawah deliveries
  dgoffice diocese directorgeneral directorate disbursement dispensary disputes dividends dormitory drivers ebanking elearning elibrary enquiry enquiries
  evangelism examinations examofficer exams exco excos fleet foi fraud frontdesk guidance headmaster headmistress headoffice helpline hmo hod hostel hostels hse
  ict internalaudit itf kyc laboratory loans masjid maternity matriculation mdoffice membership missions mosque nhis nursing offerings onboarding parish payables
  pension pensions permsec pharmacy postgraduate postgraduateschool prayerline prayerrequest prayerrequests pressunit protocol provost pta publicaffairs
  radiology receivables reconciliation recovery rector registrar registry remittance salaries sanctuary scholarship scholarships secretariat servicom
  settlement settlements showroom siwes storekeeper studentaffairs sundayschool taxation tender tenders theatre thrift ticketing timetable tithes transcript
  transcripts treasury underwriting ushering ushers vc vestry vicechancellor waqf welfare youthfellowship zakat zonaloffice`);

/** On the package's list, but keys, years or names. */
export const NOT_ROLES = words('123 aaa abc alexa asd asdasd asdf china denver gardner paris pastor smile');

/** Roles only beside another word: alone, or with a number, they are names or initials as well. */
const ROLES_IN_PAIRS = new Set(
  words(`
  admission assistant banking bishop card cards catechist ceo cfo chairlady chairman chaplain chief cio cmd cmo coo credit cso cto dean delivery deputy dfa dg dpr
  evangelist exam fellowship gm hm imam lab loan matron md mission pastor permanent prayer priest principal pro ps results risk safety savings secretary
  senate shares ssg student vice vicar vp warden`),
);

/** Words that may stand beside a role (`hr.lagos`, `accounts.payable`, `it-support`) but are not roles alone. The places are in Nigeria. */
const QUALIFIERS = new Set(
  words(`
  account affairs and area assembly block bureau camp center centre charge children circuit city communications community constituency corporate customer
  department dept desk district division e electronic executive federal field financial for front general global group hall head headquarters hon honourable
  hotline house in internal international ladies legal lga line local main mailbox management medical men national nigeria ng of office officer offices
  online outlet payable payables personal planning province public receivable receivables records region regional relation relations resident resource
  resources rural school schools secretariat section senior service services sitting social special staff state station students team technical the unit
  urban ward women youth youths zonal zone
  academic accounting agriculture arts biology business chemistry economics education engineering environment environmental finance geology health history housing
  land lands law management mathematics medicine music nursing pharmacy physics science sciences sport sports statistics trade transport water works
  abuja aba abakaliki abeokuta ado agege ajah akure apapa asaba awka bauchi benin birninkebbi calabar damaturu dutse ekiti enugu fct festac garki gombe gusau
  gwarinpa ibadan ikeja ikorodu ikoyi ilorin jalingo jos kaduna kano katsina kubwa lafia lagos lekki lokoja maiduguri maitama makurdi marina mainland minna
  mushin nnewi onitsha oshodi oshogbo osogbo owerri ph portharcourt sokoto surulere umuahia uyo victoriaisland vi warri wuse yaba yenagoa yola zaria
  central east island north south west`),
);

/** As the last of several words, each makes an office of any word before it that is no name (`hmo.desk`, but not `ada.office`): a place of work, or a post. */
const PLACES = words('bureau committee department dept desk directorate division helpdesk hotline office secretariat unit');
const POSTS = words('controller coordinator officer superintendent supervisor warden');
const HEADS = new Set([...PLACES, ...POSTS]);

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
  if (PAIRS.has(whole) || (named.length > 1 && isRole(whole)) || isHeaded(named)) return true;
  if (parts.length < 2) return isGlued(base, isRole);
  return (
    parts.some((part) => (ROLE_WORD.test(part) && isRole(part)) || (named.length > 1 && ROLES_IN_PAIRS.has(part))) &&
    parts.every((part) => /^\d+$/.test(part) || isPart(part, isRole))
  );
}

const isPart = (word: string, isRole: (word: string) => boolean): boolean =>
  QUALIFIERS.has(word) || ROLES_IN_PAIRS.has(word) || isRole(word);

/** `parish.office`, `zonal.coordinator`: not after an initial or a name. */
function isHeaded(words: readonly string[]): boolean {
  return words.length > 1 && HEADS.has(words.at(-1)!) && words.slice(0, -1).every((word) => word.length > 1 && !isName(word));
}

/** `studentaffairs`, `ictunit`, `deanofstudents`: without anything between the words, only those for an office end a role. */
function isGlued(base: string, isRole: (word: string) => boolean): boolean {
  if (!/^[a-z]+$/.test(base)) return false;
  const place = PLACES.find((word) => base.endsWith(word));
  if (place !== undefined && isHeaded([base.slice(0, -place.length), place])) return true;
  for (let cut = 2; cut + GLUED_MIN <= base.length; cut++) {
    const [front, back] = [base.slice(0, cut), base.slice(cut)];
    const isFront = ROLES_IN_PAIRS.has(front) || (front.length >= GLUED_MIN && (QUALIFIERS.has(front) || isRole(front)));
    if (isFront && (OFFICE_WORDS.has(back) || isQualified(back))) return true;
  }
  return false;
}

const OFFICE_WORDS = new Set(
  words(
    `affairs assistant communications complaints controller coordinator director manager officer pastor priest records relations resources secretary
    service services students supervisor team`,
  ),
);

/** `ofstudents`, `andrecords`. */
function isQualified(text: string): boolean {
  return /^(?:of|and)/.test(text) && QUALIFIERS.has(text.replace(/^(?:of|and)/, ''));
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
