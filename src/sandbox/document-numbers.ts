/**
 * Links a person's licence, passport, voter and meter numbers to the NIN with the arithmetic of `numbers.ts`, without a table, so that each number leads to
 * all the others.
 */
import { mix, PEOPLE_VERSION } from './draw.ts';
import { DOMAIN, elevenDigits, feistel, PERSONA, pinned, SCRIPTED } from './numbers.ts';

const PERSONA_NIN = Number(PERSONA.nin);
const LETTERS = 26;
/** `AAA00000AA00`: letters and digits of a licence, by position. */
const LICENCE = /^[A-Z]{3}\d{5}[A-Z]{2}\d{2}$/;
/** Range of licence numbers over which ordinary NINs are spread, so that every first letter occurs. */
const LICENCE_BANDS = Math.floor((LETTERS ** 5 * 10 ** 7) / DOMAIN);
const PASSPORTS = LETTERS * 10 ** 8;
const VOTER = /^[0-9A-F]{19}$/;
const VOTER_INDEX_DIGITS = 10;

/** Test values that other vendors publish (FIELD.md §1) and one meter of ours, all of the documented persona. */
export const PERSONA_DOCUMENTS = {
  licence: 'FKJ49409AB13',
  olderLicence: 'FKJ494A2133',
  passport: 'A00123456',
  voter: '91F6B1F5BE29535558655586',
  meter: '45012345678',
} as const;

const licenceLink = pinned(feistel(0x44524956 ^ PEOPLE_VERSION), [
  [PERSONA_NIN, licenceIndex(PERSONA_DOCUMENTS.licence) % DOMAIN],
  ...SCRIPTED,
]);
const passportLink = pinned(feistel(0x50415353 ^ PEOPLE_VERSION), [[PERSONA_NIN, passportIndex(PERSONA_DOCUMENTS.passport)], ...SCRIPTED]);
const voterLink = pinned(feistel(0x564f5445 ^ PEOPLE_VERSION), SCRIPTED);
const meterLink = pinned(feistel(0x4d455445 ^ PEOPLE_VERSION), [[PERSONA_NIN, Number(PERSONA_DOCUMENTS.meter)], ...SCRIPTED]);

/** Each NIN has its own licence number. */
export function licenceOfNin(nin: string): string {
  if (nin === PERSONA.nin) return PERSONA_DOCUMENTS.licence;
  const band = isScriptedNin(nin) ? 0 : mix(Number(nin) % 2 ** 32) % LICENCE_BANDS;
  return licenceAt(band * DOMAIN + licenceLink.forward(Number(nin)));
}

/** The holder of any licence number. Older forms, which the arithmetic never produces, also have a holder. */
export function ninOfLicence(licence: string): string {
  if (licence === PERSONA_DOCUMENTS.olderLicence) return PERSONA.nin;
  const scripted = /^(?:ABC00000000|1000000000)(\d)$/.exec(licence);
  if (scripted) return elevenDigits(Number(scripted[1]));
  return LICENCE.test(licence) ? elevenDigits(licenceLink.backward(licenceIndex(licence) % DOMAIN)) : anybody(licence);
}

/** About one person in 38 has a passport: there are fewer numbers than people. */
export function passportOfNin(nin: string): string | undefined {
  const index = passportLink.forward(Number(nin));
  return index < PASSPORTS ? `${letter(Math.floor(index / 10 ** 8))}${String(index % 10 ** 8).padStart(8, '0')}` : undefined;
}

/** A letter and 8 digits. Numbers with 9 digits, a form that one vendor publishes, also have a holder. */
export function ninOfPassport(passport: string): string {
  return passport.length === 9 ? elevenDigits(passportLink.backward(passportIndex(passport))) : anybody(passport);
}

/** 19 hexadecimal digits: nine of noise, and ten that lead back to the NIN. */
export function voterOfNin(nin: string): string {
  if (nin === PERSONA.nin) return PERSONA_DOCUMENTS.voter;
  if (isScriptedNin(nin)) return nin.padStart(19, '0');
  const index = voterLink.forward(Number(nin));
  const noise = mix(index % 2 ** 32)
    .toString(16)
    .padStart(9, '9');
  return `${noise}${index.toString(16).padStart(VOTER_INDEX_DIGITS, '0')}`.toUpperCase();
}

export function ninOfVoter(voter: string): string {
  if (voter === PERSONA_DOCUMENTS.voter) return PERSONA.nin;
  return VOTER.test(voter)
    ? elevenDigits(voterLink.backward(Number.parseInt(voter.slice(-VOTER_INDEX_DIGITS), 16) % DOMAIN))
    : anybody(voter);
}

/** An 11-digit meter for each NIN. */
export const meterOfNin = (nin: string): string => elevenDigits(meterLink.forward(Number(nin)));

/** 13 digits are an 11-digit meter preceded by a manufacturer's prefix. */
export const ninOfMeter = (meter: string): string => elevenDigits(meterLink.backward(Number(meter.slice(-11))));

const isScriptedNin = (nin: string): boolean => nin.startsWith('0000000000');

const letter = (index: number): string => String.fromCharCode(65 + index);
function letterIndex(text: string, at: number): number {
  return text.charCodeAt(at) - 65;
}

function licenceIndex(licence: string): number {
  let letters = 0;
  for (const at of [0, 1, 2, 8, 9]) letters = letters * LETTERS + letterIndex(licence, at);
  return letters * 10 ** 7 + Number(licence.slice(3, 8) + licence.slice(10));
}

function licenceAt(index: number): string {
  const digits = String(index % 10 ** 7).padStart(7, '0');
  let rest = Math.floor(index / 10 ** 7);
  let letters = '';
  for (let i = 0; i < 5; i++) {
    letters = letter(rest % LETTERS) + letters;
    rest = Math.floor(rest / LETTERS);
  }
  return letters.slice(0, 3) + digits.slice(0, 5) + letters.slice(3) + digits.slice(5);
}

function passportIndex(passport: string): number {
  return letterIndex(passport, 0) * 10 ** 8 + Number(passport.slice(1));
}

/** Assigns a number that the arithmetic never produces to an ordinary person, always the same one. */
function anybody(identifier: string): string {
  let high = PEOPLE_VERSION;
  let low = identifier.length;
  for (let at = 0; at < identifier.length; at++) {
    high = mix(high + identifier.charCodeAt(at));
    low = mix(low ^ high);
  }
  return elevenDigits(10 ** 10 + ((high % 90_000) * 10 ** 6 + (low % 10 ** 6)));
}
