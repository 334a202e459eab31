/**
 * The people of the sandbox: `personOf(nin)` invents a Nigerian from an 11-digit number, always the same one, and stores nothing. `records.ts` shows a person
 * as a registry does; `faults.ts` decides which numbers misbehave.
 */
import { DAY_MS } from '../foundation/time.ts';
import { CHRISTIAN, GROUPS, type Group, type GroupName, MUSLIM } from '../names/nigerian-names.ts';
import { Draw } from './draw.ts';
import { PERSONA, phoneAt, phoneOfNin } from './numbers.ts';
import { CITIES, HOMES, LANDMARKS, type Lga, STATES, STREETS, type State } from './places.ts';

export interface Home {
  state: State;
  lga: Lga;
}

interface NextOfKin {
  firstname: string;
  middlename: string;
  surname: string;
  home: Home;
  town: string;
  address: string;
}

export interface Person {
  nin: string;
  gender: 'male' | 'female';
  firstname: string;
  middlename: string;
  surname: string;
  maidenName: string;
  /** YYYY-MM-DD. */
  birthdate: string;
  phone: string;
  secondPhone: string;
  title: string;
  email: string;
  maritalStatus: string;
  religion: 'christianity' | 'islam';
  employment: string;
  education: string;
  profession: string;
  heightCm: number;
  language: string;
  otherLanguage: string;
  origin: Home;
  birthplace: Home;
  residence: Home;
  residenceTown: string;
  residenceStatus: string;
  addressLine1: string;
  addressLine2: string;
  kin: NextOfKin;
  /** YYYY-MM-DD, not before the person's majority or the start of the BVN scheme. */
  enrolledOn: string;
  /** For values that only one registry holds (tracking number, bank, portrait …). Its slots start at `OWN_SLOTS`. */
  draw: Draw;
}

/** Draws below this slot shape the person; registries use the slots from here on. */
export const OWN_SLOTS = 100;

/** The reference day, on which the invented population is 18 to 80 years old. Fixed, so that nobody's birthday moves. */
export const AS_OF_DAY = Date.UTC(2026, 0, 1) / DAY_MS;
const YEAR_DAYS = 365.25;
export const MAJORITY_DAYS = Math.ceil(18 * YEAR_DAYS) + 1;
const ELDEST_DAYS = Math.floor(80 * YEAR_DAYS) - 1;
/** The BVN scheme started on 14 February 2014. */
const BVN_START_DAY = Date.UTC(2014, 1, 14) / DAY_MS;

const SALARIED =
  'ACCOUNTANT,ARCHITECT,BANKER,CIVIL SERVANT,ENGINEER,JOURNALIST,LAWYER,LECTURER,MEDICAL DOCTOR,NURSE,PHARMACIST,PROGRAMMER,TEACHER'.split(
    ',',
  );
const TRADES =
  'BARBER,CARPENTER,CATERER,DRIVER,ELECTRICIAN,FARMER,FASHION DESIGNER,FISHERMAN,HAIRDRESSER,MECHANIC,PHOTOGRAPHER,TAILOR,TRADER,WELDER'.split(
    ',',
  );
const LANGUAGES = ['ENGLISH', 'ENGLISH', 'ENGLISH', 'PIDGIN', 'HAUSA', 'YORUBA'];
const MAIL_DOMAINS = ['example.com', 'example.net', 'example.org'];
const STREET_KINDS = ['Avenue', 'Close', 'Crescent', 'Road', 'Street', 'Street', 'Street'];

/** Everything else about a person derives from this; the fixed persona fixes only this. */
interface Core {
  gender: 'male' | 'female';
  group: Group;
  origin: Home;
  religion: 'christianity' | 'islam';
  firstname: string;
  middlename: string;
  surname: string;
  birthDay: number;
}

const FIXED = new Map<string, Core>([
  [
    PERSONA.nin,
    {
      gender: 'female',
      group: GROUPS.yoruba,
      origin: homeNamed('Ogun', 'Ijebu Ode'),
      religion: 'christianity',
      firstname: 'Morenike',
      middlename: 'Precious',
      surname: 'Durojaiye',
      birthDay: Date.UTC(1991, 3, 17) / DAY_MS,
    },
  ],
]);

/** `nin` is 11 digits. */
export function personOf(nin: string): Person {
  const draw = new Draw(Number(nin.slice(0, 5)), Number(nin.slice(5)));
  const core = FIXED.get(nin) ?? drawCore(draw);
  const { gender, group, origin, religion, firstname, surname, birthDay } = core;
  const age = Math.floor((AS_OF_DAY - birthDay) / YEAR_DAYS);
  const maritalStatus = maritalStatusAt(age, draw.below(20, 100));
  const wasMarried = maritalStatus !== 'single';
  const work = workAt(age, draw);
  const residence = draw.chance(21, 40) ? origin : draw.chance(22, 45) ? neighbour(draw, 23, origin) : draw.pick(23, CITIES);
  const birthplace = draw.chance(24, 65) ? origin : draw.chance(25, 50) ? residence : neighbour(draw, 26, origin);
  const otherLanguage = draw.pick(27, LANGUAGES);
  const address = streetAddress(draw, 28, residence.state);
  const enrolFrom = Math.max(BVN_START_DAY, birthDay + MAJORITY_DAYS - 1);
  return {
    nin,
    gender,
    firstname,
    middlename: core.middlename,
    surname,
    maidenName: gender === 'female' && wasMarried ? draw.pick(33, group.surnames) : '',
    birthdate: isoDate(birthDay),
    phone: phoneOfNin(nin),
    secondPhone: draw.chance(34, 30) ? phoneAt(draw.bits(35)) : '',
    title: titleOf(core, age, maritalStatus, work.profession, draw.below(36, 100)),
    email: `${firstname}.${surname}${draw.below(37, 1000)}@${draw.pick(38, MAIL_DOMAINS)}`.toLowerCase(),
    maritalStatus,
    religion,
    employment: work.employment,
    education: work.education,
    profession: work.profession,
    heightCm: (gender === 'male' ? 160 : 150) + draw.below(39, 16) + draw.below(40, 14),
    language: group.language,
    otherLanguage: otherLanguage === group.language ? 'ENGLISH' : otherLanguage,
    origin,
    birthplace,
    residence,
    residenceTown: draw.pick(41, residence.lga.towns),
    residenceStatus: residence.lga === birthplace.lga ? 'birth' : draw.chance(42, 70) ? 'permanent' : 'temporary',
    addressLine1: address,
    addressLine2: draw.chance(43, 50) ? draw.pick(44, LANDMARKS) : '',
    kin: nextOfKin(core, maritalStatus, residence, address, draw),
    enrolledOn: isoDate(enrolFrom + draw.below(45, AS_OF_DAY - enrolFrom)),
    draw,
  };
}

function drawCore(draw: Draw): Core {
  const origin = draw.pick(0, HOMES);
  const group: Group = GROUPS[draw.pick<GroupName>(1, origin.state.groups)];
  const gender = draw.chance(2, 50) ? 'male' : 'female';
  const religion = draw.chance(3, group.muslimPercent) ? 'islam' : 'christianity';
  const firstname = givenName(draw, 4, group, gender, religion);
  const middlename = draw.chance(7, 20) ? '' : givenName(draw, 8, group, gender, religion);
  return {
    gender,
    group,
    origin,
    religion,
    firstname,
    middlename: middlename === firstname ? '' : middlename,
    surname: draw.pick(11, group.surnames),
    birthDay: AS_OF_DAY - ageDays(draw.bits(12) / 2 ** 32),
  };
}

/** `share` in [0, 1). A young population; computed by multiplication only, because powers may round differently between JavaScript engines. */
function ageDays(share: number): number {
  return MAJORITY_DAYS + Math.floor((ELDEST_DAYS - MAJORITY_DAYS) * share * (0.35 + 0.65 * share));
}

/** Mostly from the group's own names; mixed-faith groups also use the names of their faith. Uses two slots. */
function givenName(draw: Draw, slot: number, group: Group, gender: 'male' | 'female', religion: Person['religion']): string {
  const ofGroup = religion === 'islam' ? (group.muslimPercent > 50 ? 100 : 20) : group.muslimPercent > 50 ? 10 : 65;
  if (draw.chance(slot, ofGroup)) return draw.pick(slot + 1, group[gender]);
  return draw.pick(slot + 1, (religion === 'islam' ? MUSLIM : CHRISTIAN)[gender]);
}

/** Another LGA of the same state, or the same one. */
function neighbour(draw: Draw, slot: number, home: Home): Home {
  return { state: home.state, lga: draw.pick(slot, home.state.lgas) };
}

function maritalStatusAt(age: number, roll: number): string {
  if (age < 25) return roll < 92 ? 'single' : 'married';
  if (age < 35) return roll < 48 ? 'single' : roll < 97 ? 'married' : 'divorced';
  const widowed = age < 60 ? 4 : 20;
  return roll < 8 ? 'single' : roll < 14 ? 'divorced' : roll < 14 + widowed ? 'widowed' : 'married';
}

function workAt(age: number, draw: Draw): { employment: string; education: string; profession: string } {
  const education = draw.pick(13, ['primary', 'secondary', 'secondary', 'tertiary', 'tertiary']);
  if (age < 23 ? education === 'tertiary' || draw.chance(14, 40) : age < 27 && draw.chance(14, 40)) {
    return { employment: 'student', education: 'secondary', profession: 'STUDENT' };
  }
  const profession = education === 'tertiary' ? draw.pick(15, SALARIED) : draw.pick(15, TRADES);
  if (age >= 65) return { employment: 'retired', education, profession };
  if (draw.chance(16, 12)) return { employment: 'unemployed', education, profession };
  return { employment: education === 'tertiary' ? 'employed' : 'self employed', education, profession };
}

function titleOf({ gender, religion }: Core, age: number, maritalStatus: string, profession: string, roll: number): string {
  if (profession === 'MEDICAL DOCTOR' || (profession === 'LECTURER' && roll < 40)) return 'dr';
  if (profession === 'ENGINEER' && roll < 30) return 'engr';
  if (religion === 'islam' && age >= 45 && roll < 40) return gender === 'male' ? 'alhaji' : 'hajiya';
  if (gender === 'male') return 'mr';
  return maritalStatus === 'single' ? 'miss' : maritalStatus === 'divorced' ? 'ms' : 'mrs';
}

/** The spouse of a married person, otherwise a relative of either gender. Both bear the family's surname. */
function nextOfKin(
  { gender, group, religion, surname, origin }: Core,
  maritalStatus: string,
  residence: Home,
  address: string,
  draw: Draw,
): NextOfKin {
  const married = maritalStatus === 'married';
  const kinGender = married ? (gender === 'male' ? 'female' : 'male') : draw.chance(50, 50) ? 'male' : 'female';
  const together = married || draw.chance(51, 40);
  const home = together ? residence : origin;
  return {
    firstname: givenName(draw, 52, group, kinGender, religion),
    middlename: draw.chance(55, 60) ? '' : draw.pick(56, group[kinGender]),
    surname,
    home,
    town: draw.pick(together ? 41 : 57, home.lga.towns),
    address: together ? address : streetAddress(draw, 58, origin.state),
  };
}

/** Half of all streets have a common name, the others the name of a local family. Uses five slots. */
export function streetAddress(draw: Draw, slot: number, state: State): string {
  const number = 1 + draw.below(slot, 120);
  if (draw.chance(slot + 1, 50)) return `${number} ${draw.pick(slot + 2, STREETS)}`;
  const family = draw.pick(slot + 2, GROUPS[draw.pick(slot + 3, state.groups)].surnames);
  return `${number} ${family} ${draw.pick(slot + 4, STREET_KINDS)}`;
}

/** Caches dates by day: there are about thirty thousand, and formatting one costs as much as the rest of a person. */
const DATES = new Map<number, string>();

export function isoDate(day: number): string {
  let date = DATES.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    DATES.set(day, date);
  }
  return date;
}

function homeNamed(stateName: string, lgaName: string): Home {
  const state = STATES.find(({ name }) => name === stateName);
  const lga = state?.lgas.find(({ name }) => name === lgaName);
  if (!state || !lga) throw new Error(`no LGA ${lgaName} in ${stateName}`);
  return { state, lga };
}
