/**
 * A person as each registry shows them: every field that the registry has, all strings. The check decides which tier shows which field
 * (`src/checks/<family>.ts`).
 */
import { scriptOf } from './faults.ts';
import { ninOfBvn } from './numbers.ts';
import { OWN_SLOTS, type Person, personOf } from './people.ts';
import { portraitOf, signatureOf } from './portraits/draw.ts';
import type { Registry } from './registry.ts';

/** CBN bank codes. */
const BANKS = ['011', '030', '032', '033', '035', '044', '050', '057', '058', '070', '076', '082', '214', '215', '221', '232'];
const ACCOUNT_LEVELS = ['Level 1 - Low Level Accounts', 'Level 2 - Medium Level Accounts', 'Level 3 - High Level Accounts'];
const TRACKING_ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWX';
/** The one scripted number whose holder is on the banks' watch list (`faults.ts`, `docs/sandbox.md`). */
const WATCH_LISTED_BVN = '00000000007';

const isElevenDigits = (identifier: string): boolean => /^\d{11}$/.test(identifier);

export const ninRegistry: Registry = { accepts: isElevenDigits, script: scriptOf, record: (nin) => ninRecord(personOf(nin)) };
export const bvnRegistry: Registry = {
  accepts: isElevenDigits,
  script: scriptOf,
  record: (bvn) => bvnRecord(bvn, personOf(ninOfBvn(bvn))),
};

function ninRecord(person: Person): Record<string, string> {
  const { draw, origin, birthplace, residence, kin } = person;
  return {
    nin: person.nin,
    tracking_id: `S7Y${letters(draw.bits(OWN_SLOTS))}${letters(draw.bits(OWN_SLOTS + 1))}`,
    firstname: person.firstname,
    surname: person.surname,
    middlename: person.middlename,
    gender: person.gender === 'male' ? 'MALE' : 'FEMALE',
    birthdate: person.birthdate,
    telephoneno: person.phone,
    photo: portraitOf(person),
    signature: signatureOf(person),
    residence_state: residence.state.name,
    residence_lga: residence.lga.name,
    residence_town: person.residenceTown,
    residence_address_line_1: person.addressLine1,
    residence_address_line_2: person.addressLine2,
    residence_status: person.residenceStatus,
    origin_state: origin.state.name,
    origin_lga: origin.lga.name,
    origin_place: origin.lga.towns[0]!,
    birth_country: 'nigeria',
    birth_state: birthplace.state.name,
    birth_lga: birthplace.lga.name,
    nok_firstname: kin.firstname,
    nok_lastname: kin.surname,
    nok_middlename: kin.middlename,
    nok_address_line_1: kin.address,
    nok_lga: kin.home.lga.name,
    nok_state: kin.home.state.name,
    nok_town: kin.town,
    title: person.title,
    email: person.email,
    marital_status: person.maritalStatus,
    employment_status: person.employment,
    educational_level: person.education,
    profession: person.profession,
    religion: person.religion,
    height: String(person.heightCm),
    nspoken_lang: person.language,
    ospoken_lang: person.otherLanguage,
    maiden_name: person.maidenName,
    central_id: String(10_000_000 + draw.below(OWN_SLOTS + 2, 90_000_000)),
  };
}

function bvnRecord(bvn: string, person: Person): Record<string, string> {
  const { draw, origin, residence } = person;
  return {
    bvn,
    first_name: person.firstname,
    last_name: person.surname,
    middle_name: person.middlename,
    date_of_birth: person.birthdate,
    phone_number1: person.phone,
    phone_number2: person.secondPhone,
    gender: capitalized(person.gender),
    enrollment_bank: draw.pick(OWN_SLOTS + 10, BANKS),
    enrollment_branch: `${person.residenceTown} Branch`,
    level_of_account: draw.pick(OWN_SLOTS + 11, ACCOUNT_LEVELS),
    image: portraitOf(person),
    title: capitalized(person.title),
    email: person.email,
    lga_of_origin: origin.lga.name,
    lga_of_residence: residence.lga.name,
    marital_status: capitalized(person.maritalStatus),
    name_on_card: `${person.firstname} ${person.surname}`.toUpperCase(),
    nationality: 'Nigeria',
    nin: person.nin,
    registration_date: person.enrolledOn,
    residential_address: `${person.addressLine1}, ${person.residenceTown}, ${residence.state.name}`,
    state_of_origin: origin.state.name,
    state_of_residence: residence.state.name,
    watch_listed: bvn === WATCH_LISTED_BVN ? 'YES' : 'NO',
  };
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Six letters or digits from 30 bits. */
function letters(bits: number): string {
  let text = '';
  for (let shift = 0; shift < 30; shift += 5) text += TRACKING_ALPHABET[(bits >>> shift) & 31]!;
  return text;
}
