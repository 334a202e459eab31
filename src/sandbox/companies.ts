/**
 * The companies of the sandbox: every well-formed registration number is a company, a different one for each type. Owners and directors come from `personOf`,
 * so a director's NIN leads to the same person.
 */
import { type CompanyType, companyTypes } from '../checks/provider.ts';
import { DAY_MS } from '../foundation/time.ts';
import { companyNameOf } from './company-names.ts';
import { Draw } from './draw.ts';
import { scriptOf } from './faults.ts';
import { phoneAt } from './numbers.ts';
import { AS_OF_DAY, type Home, isoDate, MAJORITY_DAYS, type Person, personOf, streetAddress } from './people.ts';
import { CITIES, HOMES } from './places.ts';
import type { Registry } from './registry.ts';

export interface Company {
  type: CompanyType;
  /** Without prefix. */
  number: string;
  name: string;
  status: 'ACTIVE' | 'INACTIVE';
  home: Home;
  address: string;
  branchAddress: string;
  email: string;
  phone: string;
  /** Days since 1970-01-01. */
  registeredDay: number;
  /** Owners and directors, principal first. All were of age on the day of registration. */
  people: readonly Person[];
  /** For values that only one registry holds. Its slots start at `OWN_SLOTS`. */
  draw: Draw;
}

/** Draws below this slot shape the company; registries use the slots from here on. */
export const OWN_SLOTS = 100;

export const COMPANY_TYPES: readonly CompanyType[] = Object.values(companyTypes);

/** Keeps companies apart from people, whose draws begin below 10^5. */
const COMPANY_KEY = 0x43414300;
/** More than the number of two-letter series. */
const SERIES = 10_000;
const FIRST_DAY = Date.UTC(1990, 0, 1) / DAY_MS;

/** `number` has no prefix: 1 to 8 digits, in an old series preceded by two letters. Leading zeros make no difference. */
export function companyOf(type: CompanyType, number: string): Company {
  const letters = number.replace(/\d/g, '');
  const series = letters === '' ? 0 : letters.charCodeAt(0) * 100 + letters.charCodeAt(1);
  const draw = new Draw(COMPANY_KEY + COMPANY_TYPES.indexOf(type) * SERIES + series, Number(number.slice(letters.length)));
  const home = draw.chance(5, 60) ? draw.pick(6, CITIES) : draw.pick(6, HOMES);
  const branch = draw.pick(20, CITIES);
  const name = companyNameOf(type, home, draw);
  const people = Array.from({ length: peopleCount(type, draw) }, (_, i) => personOf(ninAt(draw, 60 + 2 * i)));
  const youngestBirth = Math.max(...people.map(({ birthdate }) => Date.parse(birthdate) / DAY_MS));
  const registerFrom = Math.max(FIRST_DAY, youngestBirth + MAJORITY_DAYS - 1);
  return {
    type,
    number,
    name,
    status: draw.chance(7, 80) ? 'ACTIVE' : 'INACTIVE',
    home,
    address: addressIn(home, draw, 10),
    branchAddress: draw.chance(19, 30) ? addressIn(branch, draw, 21) : '',
    email: `${slug(name)}@${draw.pick(30, ['example.com', 'example.net', 'example.org'])}`,
    phone: phoneAt(draw.bits(31)),
    registeredDay: registerFrom + draw.below(32, AS_OF_DAY - registerFrom),
    people,
    draw,
  };
}

function peopleCount(type: CompanyType, draw: Draw): number {
  if (type === 'BUSINESS_NAME') return draw.chance(8, 75) ? 1 : 2;
  if (type === 'INCORPORATED_TRUSTEES') return 3 + draw.below(8, 3);
  return 2 + draw.below(8, 4);
}

/** Uses two slots. */
function ninAt(draw: Draw, slot: number): string {
  return String(draw.below(slot, 10 ** 5)).padStart(5, '0') + String(draw.below(slot + 1, 10 ** 6)).padStart(6, '0');
}

/** Uses six slots. */
function addressIn({ state, lga }: Home, draw: Draw, slot: number): string {
  return `${streetAddress(draw, slot, state)}, ${draw.pick(slot + 5, lga.towns)}, ${state.name}`;
}

/** The part before the @: at most 40 letters and digits of the name. */
function slug(name: string): string {
  return name
    .replace(/^INCORPORATED TRUSTEES OF /, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 40);
}

const NUMBER = /^(?:[A-Z]{2})?\d{1,8}$/;

export const cacRegistry: Registry = {
  accepts(identifier) {
    const colon = identifier.indexOf(':');
    return COMPANY_TYPES.some((type) => type === identifier.slice(0, colon)) && NUMBER.test(identifier.slice(colon + 1));
  },
  script: scriptOf,
  record(identifier) {
    const [type, number] = identifier.split(':') as [CompanyType, string];
    return cacRecord(companyOf(type, number));
  },
};

function cacRecord(company: Company): Record<string, unknown> {
  const { type, people } = company;
  const registered = isoDate(company.registeredDay);
  const officers = people.map((person) => ({ ...affiliate(person), date_of_appointment: registered }));
  return {
    rc_number: company.number,
    company_name: company.name,
    company_type: type,
    registration_date: registered,
    head_office_address: company.address,
    status: company.status,
    email: company.email,
    branch_address: company.branchAddress,
    number_of_affiliates: people.length,
    ...(type === 'COMPANY' && ownership(company, officers)),
    ...(type === 'INCORPORATED_TRUSTEES' && { trustees: officers, secretary: officers.at(-1) }),
    ...(type !== 'COMPANY' && type !== 'INCORPORATED_TRUSTEES' && { proprietors: officers }),
  };
}

type Officer = ReturnType<typeof affiliate> & { date_of_appointment: string };

function affiliate(person: Person) {
  return {
    surname: person.surname,
    firstname: person.firstname,
    othername: person.middlename,
    gender: person.gender === 'male' ? 'MALE' : 'FEMALE',
    date_of_birth: person.birthdate,
    nationality: 'NIGERIAN',
    occupation: person.profession,
    phone_number: person.phone,
    email: person.email,
    address: `${person.addressLine1}, ${person.residenceTown}, ${person.residence.state.name}`,
    id_type: 'NIN',
    id_number: person.nin,
  };
}

/** All are multiples of 100 naira, so that a whole percentage is a whole number of one-naira shares. The smallest is the legal minimum of a private company. */
const CAPITALS: readonly [naira: number, words: string][] = [
  [100_000, 'ONE HUNDRED THOUSAND NAIRA'],
  [500_000, 'FIVE HUNDRED THOUSAND NAIRA'],
  [1_000_000, 'ONE MILLION NAIRA'],
  [2_000_000, 'TWO MILLION NAIRA'],
  [5_000_000, 'FIVE MILLION NAIRA'],
  [10_000_000, 'TEN MILLION NAIRA'],
  [25_000_000, 'TWENTY-FIVE MILLION NAIRA'],
  [100_000_000, 'ONE HUNDRED MILLION NAIRA'],
];
/** CAMA 2020, section 120: holding at least 5 % is significant control. */
const SIGNIFICANT_PERCENT = 5;

/** Shareholders, directors and a secretary: everybody has at least one role. */
function ownership({ draw }: Company, officers: readonly Officer[]) {
  const [capital, capitalInWords] = draw.pick(OWN_SLOTS, CAPITALS);
  // With three or more people, the last may be the secretary only.
  const hasSecretary = officers.length > 2 && draw.chance(OWN_SLOTS + 1, 60);
  const owners = hasSecretary ? officers.slice(0, -1) : officers;
  const directors = owners.slice(0, 1 + draw.below(OWN_SLOTS + 2, owners.length));
  const holdings = percentages(draw, owners.length).map((percent, i) => {
    const { date_of_appointment, ...person } = owners[i]!;
    return { person, percent, isDirector: i < directors.length };
  });
  return {
    share_capital: capital,
    share_capital_in_words: capitalInWords,
    directors,
    shareholders: holdings.map(({ person, percent }) => ({
      ...person,
      share_type: 'ORDINARY',
      shares_allotted: (capital / 100) * percent,
      share_percent: percent,
    })),
    beneficial_owners: holdings
      .filter(({ percent }) => percent >= SIGNIFICANT_PERCENT)
      .map(({ person, percent, isDirector }) => ({ ...person, share_percent: percent, is_director: isDirector })),
    secretary: hasSecretary ? officers.at(-1) : null,
  };
}

/** Whole percentages by drawn weights: at least 1 each, 100 in total; the first takes the rounding. */
function percentages(draw: Draw, count: number): number[] {
  const weights = Array.from({ length: count }, (_, i) => 1 + draw.below(OWN_SLOTS + 10 + i, 12));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const percents = weights.map((weight) => Math.floor((weight * 100) / total));
  percents[0]! += 100 - percents.reduce((sum, percent) => sum + percent, 0);
  return percents;
}
