/** Values that show what each check can answer in the sandbox (docs/sandbox.md). All people and companies are invented. */
import type { Check } from '../checks/check.ts';
import { imageInputs } from '../checks/inputs.ts';
import { exampleInput } from './openapi/example-inputs.ts';

export interface Sample {
  label: string;
  /** Without images: the caller supplies those. */
  input: Record<string, string>;
}

/** The scripted identifiers: a beginning, and a digit that chooses the outcome. */
const SCRIPTED: Readonly<Record<string, string>> = {
  nin: '0000000000',
  bvn: '0000000000',
  id_number: '0000000000',
  rc_number: '000000',
  tin: '0000000000',
  license_number: 'ABC00000000',
  passport_number: 'A0000000',
  vin_number: '000000000000000000',
  phone_number: '0000000000',
  meter_number: '0000000000',
};

const RECORDS = [
  ['1', 'Not on record'],
  ['3', 'The registry is down'],
  ['4', 'Found, after three seconds'],
] as const;

const FACES = [
  ['0', 'The same person'],
  ['2', 'Somebody else'],
  ['7', 'A person has to decide'],
  ['8', 'A picture of a picture'],
  ['1', 'Not on record'],
  ['3', 'The registry is down'],
] as const;

const person = (name: string, date_of_birth: string, country: string) => ({ name, date_of_birth, country });

/** For the families that have no scripted numbers. */
const OWN: Readonly<Record<string, readonly Sample[]>> = {
  aml_screening: [
    { label: 'On a sanctions list', input: person('Musa Danjumare Balarabewa', '1968-03-14', 'NG') },
    { label: 'A politician in office', input: person('Ikemefunaya Obiorajulu', '1971-09-16', 'NG') },
    { label: 'Listed in Latin letters, written in Cyrillic', input: person('Глеб Воронецкий', '1971-11-02', 'RU') },
    { label: 'In adverse media', input: person('Olamidotunre Ferepadejo', '1981-08-30', 'NG') },
    { label: 'The name of a listed person, another birth date', input: person('Musa Danjumare Balarabewa', '1994-07-01', 'NG') },
    { label: 'Clear', input: person('Morenike Precious Durojaiye', '1991-04-17', 'NG') },
  ],
  email_risk: [
    { label: 'A good address', input: { email: 'morenike.durojaiye@gmail.com' } },
    { label: 'No such mailbox', input: { email: 'moved.away@example.com.ng' } },
    { label: 'In a recent breach', input: { email: 'breached.recently@example.net' } },
    { label: 'Disposable', input: { email: 'someone@mailinator.com' } },
    { label: 'Mistyped', input: { email: 'ada.obi@gmial.com' } },
    { label: 'Nobody answers', input: { email: 'ada@resolver-down.test' } },
  ],
  credit_bvn: [
    { label: 'A report of three bureaus', input: { bvn: '22222222222', phone_number: '09011111111' } },
    { label: 'One bureau is down', input: { bvn: '00000000010', phone_number: '09056741442' } },
    { label: 'All bureaus are down', input: { bvn: '00000000012', phone_number: '09127076671' } },
    { label: 'No file at any bureau', input: { bvn: '00000000013', phone_number: '09080391537' } },
    { label: 'The phone number is another person’s', input: { bvn: '22222222222', phone_number: '08034749731' } },
  ],
};

export function samplesOf(check: Check): Sample[] {
  const own = OWN[check.id];
  if (own) return [...own];
  const images = imageInputs(check);
  const example = Object.fromEntries(Object.entries(exampleInput(check) ?? {}).filter(([name]) => !images.includes(name)));
  const found: Sample = { label: 'Found', input: example };
  const identifier = Object.keys(check.input.shape).find((name) => SCRIPTED[name] !== undefined);
  if (identifier === undefined) return images.length > 0 ? [] : [found];
  const given = (digit: string): Record<string, string> => ({ ...needed(check, example), [identifier]: SCRIPTED[identifier] + digit });
  const scripts = images.length > 0 ? FACES : RECORDS;
  const scripted = scripts.map(([digit, label]): Sample => ({ label, input: given(digit) }));
  return images.length > 0 ? scripted : [found, ...scripted];
}

/** Other inputs that the check requires. */
const needed = (check: Check, example: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !check.input.shape[name]!.safeParse(undefined).success));
