/**
 * The taxpayers of the sandbox: each company and each person has one number of 8-4 digits, and every such number leads to one of them, by arithmetic. Numbers
 * of companies end in -0001 and up, by type; numbers of people in -1000 and up.
 */
import { companyTypes } from '../checks/provider.ts';
import { COMPANY_TYPES, type Company, companyOf, OWN_SLOTS } from './companies.ts';
import { PEOPLE_VERSION } from './draw.ts';
import { scriptOf } from './faults.ts';
import { feistel } from './numbers.ts';
import { isoDate, OWN_SLOTS as PERSON_SLOTS, type Person, personOf } from './people.ts';
import type { Registry } from './registry.ts';

const PEOPLE = 10 ** 11;
/** Only this many of the 10^11 people have a Joint Tax Board number, which has ten digits. */
const JTB_NUMBERS = 10 ** 10;
const FIRST_OF_PEOPLE = 1_000;

const registrationToTax = feistel(0x43544158 ^ PEOPLE_VERSION, 10 ** 4, 10 ** 4);
const ninToTax = feistel(0x50544158 ^ PEOPLE_VERSION);
const ninToJtb = feistel(0x4a544258 ^ PEOPLE_VERSION);

const NO_JTB_NUMBER = 'N/A';
const FILING = ['UP_TO_DATE', 'UP_TO_DATE', 'UP_TO_DATE', 'OVERDUE', 'NOT_FILED'] as const;

export const tinRegistry: Registry = {
  accepts: (identifier) => /^(\d{8}-\d{4}|\d{10}|\d{11}|\d{13}|RC\d{1,8})$/.test(identifier),
  script: scriptOf,
  record: (identifier) => ({ search: identifier, ...taxpayerOf(identifier) }),
};

function taxpayerOf(identifier: string): Record<string, string> {
  if (identifier.startsWith('RC')) return corporate(companyOf('COMPANY', identifier.slice(2)));
  const [base, suffix] = identifier.split('-').map(Number) as [number, number | undefined];
  if (suffix === undefined) return individual(personOf(ninOf(identifier)));
  if (suffix >= FIRST_OF_PEOPLE) return individual(personOf(elevenDigits(ninToTax.backward(base * 1_000 + (suffix % 1_000)))));
  const type = COMPANY_TYPES[Math.max(0, suffix - 1) % COMPANY_TYPES.length]!;
  return corporate(companyOf(type, registrationNumber(registrationToTax.backward(base))));
}

/** The NIN of the person to whom a number without a dash belongs. */
function ninOf(number: string): string {
  if (number.length === 11) return number;
  const value = Number(number);
  return elevenDigits(number.length === 10 ? ninToJtb.backward(value) : ninToTax.backward(value % PEOPLE));
}

function corporate(company: Company): Record<string, string> {
  const { draw, type } = company;
  const base = registrationToTax.forward(Number(company.number));
  const number = `${String(base).padStart(8, '0')}-${String(COMPANY_TYPES.indexOf(type) + 1).padStart(4, '0')}`;
  const prefix = Object.entries(companyTypes).find(([, named]) => named === type)![0];
  return {
    tin: number,
    taxpayer_name: company.name,
    tin_type: 'corporate',
    cac_reg_number: prefix + company.number,
    firstin: number,
    jittin: NO_JTB_NUMBER,
    tax_office: officeIn(company.home.lga.name),
    phone_number: company.phone,
    email: company.email,
    filing_status: company.status === 'INACTIVE' ? 'OVERDUE' : draw.pick(OWN_SLOTS + 30, FILING),
    registration_date: isoDate(company.registeredDay),
  };
}

function individual(person: Person): Record<string, string> {
  const index = ninToTax.forward(Number(person.nin));
  const number = `${String(Math.floor(index / 1_000)).padStart(8, '0')}-${FIRST_OF_PEOPLE + (index % 1_000)}`;
  const jtb = ninToJtb.forward(Number(person.nin));
  return {
    tin: number,
    taxpayer_name: [person.surname, person.firstname, person.middlename].filter(Boolean).join(' ').toUpperCase(),
    tin_type: 'individual',
    cac_reg_number: '',
    firstin: number,
    jittin: jtb < JTB_NUMBERS ? String(jtb).padStart(10, '0') : NO_JTB_NUMBER,
    tax_office: officeIn(person.residence.lga.name),
    phone_number: person.phone,
    email: person.email,
    filing_status: person.draw.pick(PERSON_SLOTS + 60, FILING),
    registration_date: person.enrolledOn,
  };
}

/** Medium and small taxpayers' office. */
const officeIn = (lga: string): string => `MSTO ${lga.toUpperCase()}`;

const elevenDigits = (value: number): string => String(value).padStart(11, '0');

/** The first ten are the scripted numbers, which have seven digits. */
const registrationNumber = (value: number): string => (value < 10 ? String(value).padStart(7, '0') : String(value));
