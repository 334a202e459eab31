/** The invented people's documents as registries show them: licence, passport, voter card, SIM and electricity meter. All values are strings. */
import { DAY_MS } from '../foundation/time.ts';
import { homeCoordinates } from './coordinates.ts';
import { ninOfLicence, ninOfMeter, ninOfPassport, ninOfVoter } from './document-numbers.ts';
import { type Script, scriptOf } from './faults.ts';
import { ninOfPhone } from './numbers.ts';
import { OWN_SLOTS, type Person, personOf } from './people.ts';
import { STATES, type State } from './places.ts';
import { portraitOf } from './portraits/draw.ts';
import type { Registry } from './registry.ts';

/** The population's reference day (`people.ts`): no document is newer. */
const AS_OF_MS = Date.UTC(2026, 0, 1);
const LICENCE_YEARS = 5;
const PASSPORT_YEARS = 10;
/** Percentage of lines that moved to another operator (number portability, since 2013). */
const PORTED_PERCENT = 8;
const CARRIERS = ['MTN', 'AIRTEL', 'GLO', '9MOBILE'];
/** Operators by prefix; every other prefix is MTN's (`numbers.ts` lists them all). */
const PREFIXES_OF: readonly [carrier: string, prefixes: RegExp][] = [
  ['AIRTEL', /^0(701|708|802|808|812|901|902|904|907|912)/],
  ['GLO', /^0(705|805|807|811|815|905|915)/],
  ['9MOBILE', /^0(809|817|818|908|909)/],
];
const POLLING_PLACES = ['Open Space', 'Primary School', 'Town Hall', 'Market Square', 'Health Centre', 'Village Square'];
const FCT_CODE = 37;

/** Zeros and a last digit that scripts the outcome, in each document's own form. */
function scripted(form: RegExp): (identifier: string) => Script {
  return (identifier) => {
    const match = form.exec(identifier);
    return match ? scriptOf(`0000000000${match[1]}`) : 'found';
  };
}

export const licenceRegistry: Registry = {
  accepts: (licence) => /^(?=.*\d)[A-Z0-9]{9,15}$/.test(licence),
  script: scripted(/^(?:AAA00000AA0|ABC00000000)(\d)$/),
  record: (licence) => licenceRecord(licence, personOf(ninOfLicence(licence))),
};

export const passportRegistry: Registry = {
  accepts: (passport) => /^[A-Z]\d{8,9}$/.test(passport),
  script: scripted(/^A0000000(\d)$/),
  record: (passport) => passportRecord(passport, personOf(ninOfPassport(passport))),
};

export const voterRegistry: Registry = {
  accepts: (vin) => /^[A-Z0-9]{9,29}$/.test(vin),
  script: scripted(/^0{18}(\d)$/),
  record: (vin) => voterRecord(vin, personOf(ninOfVoter(vin))),
};

/** By E.164 number, or by ten zeros and a digit. */
export const phoneRegistry: Registry = {
  accepts: (phone) => /^(\+234\d{10}|0{10}\d)$/.test(phone),
  script: scripted(/^0{10}(\d)$/),
  record(phone) {
    const local = phone.replace('+234', '0');
    const nin = local.startsWith('00') ? local : ninOfPhone(local);
    return nin === undefined ? null : phoneRecord(phone, local, personOf(nin));
  },
};

export const addressRegistry: Registry = {
  accepts: (meter) => /^(\d{11}|\d{13})$/.test(meter),
  script: scripted(/^(?:00)?0{10}(\d)$/),
  record: (meter) => addressRecord(meter, personOf(ninOfMeter(meter))),
};

function licenceRecord(licence: string, person: Person): Record<string, string> {
  const issuedMs = dayBetween(earliest(person, LICENCE_YEARS), person, 20);
  return {
    license_number: licence,
    ...holder(person),
    issue_date: isoDate(issuedMs),
    expiry_date: isoDate(yearsLater(issuedMs, LICENCE_YEARS)),
    issuing_state: person.residence.state.name,
    photo: portraitOf(person),
  };
}

function passportRecord(passport: string, person: Person): Record<string, string> {
  const issuedMs = dayBetween(earliest(person, PASSPORT_YEARS), person, 22);
  return {
    passport_number: passport,
    ...holder(person),
    nationality: 'NGA',
    issue_date: isoDate(issuedMs),
    expiry_date: isoDate(yearsLater(issuedMs, PASSPORT_YEARS)),
  };
}

function voterRecord(vin: string, person: Person): Record<string, string> {
  const { draw, residence } = person;
  const ward = 1 + draw.below(OWN_SLOTS + 24, 12);
  const unit = 1 + draw.below(OWN_SLOTS + 25, 60);
  const lga = 1 + residence.state.lgas.indexOf(residence.lga);
  return {
    vin_number: vin,
    ...holder(person),
    polling_unit: `${person.residenceTown} ${draw.pick(OWN_SLOTS + 26, POLLING_PLACES)}`,
    polling_unit_code: `${[stateCode(residence.state), lga, ward].map((part) => String(part).padStart(2, '0')).join('/')}/${String(unit).padStart(3, '0')}`,
    ward: `${person.residenceTown} Ward ${ward}`,
    lga: residence.lga.name,
    state: residence.state.name,
  };
}

function phoneRecord(phone: string, local: string, person: Person): Record<string, string> {
  const { draw } = person;
  const issuer = PREFIXES_OF.find(([, prefixes]) => prefixes.test(local))?.[0] ?? 'MTN';
  const isPorted = draw.chance(OWN_SLOTS + 27, PORTED_PERCENT);
  const carrier = isPorted
    ? draw.pick(
        OWN_SLOTS + 28,
        CARRIERS.filter((name) => name !== issuer),
      )
    : issuer;
  return {
    phone_number: phone,
    ...holder(person),
    network_carrier: carrier,
    sim_activation_date: isoDate(dayBetween(earliest(person, 12), person, 29)),
  };
}

function addressRecord(meter: string, person: Person): Record<string, string> {
  const { residence } = person;
  return {
    meter_number: meter,
    ...holder(person),
    street: person.addressLine1,
    town: person.residenceTown,
    lga: residence.lga.name,
    state: residence.state.name,
    ...homeCoordinates(person),
  };
}

function holder(person: Person): Record<string, string> {
  const { firstname, middlename, surname } = person;
  return {
    first_name: firstname,
    middle_name: middlename,
    last_name: surname,
    full_name: [firstname, middlename, surname].filter(Boolean).join(' '),
    date_of_birth: person.birthdate,
    gender: person.gender === 'male' ? 'MALE' : 'FEMALE',
  };
}

/** In milliseconds: the person's 18th birthday, or `years` before the reference day, whichever is later. */
function earliest(person: Person, years: number): number {
  return Math.max(yearsLater(Date.parse(person.birthdate), 18), yearsLater(AS_OF_MS, -years) + DAY_MS);
}

/** A day between `fromMs` and the reference day. */
function dayBetween(fromMs: number, { draw }: Person, slot: number): number {
  const days = Math.max(1, Math.floor((AS_OF_MS - fromMs) / DAY_MS));
  return fromMs + draw.below(OWN_SLOTS + slot, days) * DAY_MS;
}

function yearsLater(ms: number, years: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate());
}

const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The electoral commission numbers the states alphabetically from 01, with the FCT last. */
function stateCode(state: State): number {
  return state.name === 'FCT' ? FCT_CODE : 1 + STATES.filter(({ name }) => name !== 'FCT').indexOf(state);
}
