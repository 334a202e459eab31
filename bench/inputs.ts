/** Valid input that no earlier call has sent, by check: for measurements, and as the basis for bad input in a test. */
import { checks, knownCheck } from '../src/checks/catalog.ts';
import { DOMAIN, elevenDigits, ninOfBvn } from '../src/sandbox/numbers.ts';
import { personOf } from '../src/sandbox/people.ts';
import { registries } from '../src/sandbox/registries.ts';

type Input = Record<string, string>;

/** Two photographs of one person, base64. */
export interface Photographs {
  portrait: string;
  selfie: string;
}

const nin = (n: number): Input => ({ nin: String(30_000_000_000 + n * 7) });
const bvn = (n: number): Input => ({ bvn: String(22_300_000_000 + n * 7) });
const company = (n: number): Input => ({ rc_number: `RC${1_000_000 + n}` });
const taxpayer = (n: number): Input => ({ tin: `${20_000_000 + n}-0001` });
/** Just enough bytes of a JPEG to be recognized as one. */
const head = '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2Q==';

function passport(n: number): Input {
  const passport_number = `B${10_000_000 + n}`;
  const record = registries.passport?.record(passport_number);
  return { passport_number, last_name: String(record?.last_name ?? record?.surname ?? '') };
}

/** One person in eight has no loans. Among this many consecutive holders one has a file. */
const HOLDERS = 32;

function borrower(n: number): Input {
  const holders = Array.from({ length: HOLDERS }, (_, i) => elevenDigits((22_400_000_000 + n * HOLDERS + i) % DOMAIN));
  const number = holders.find((holder) => registries.credit_crc!.record(holder)) ?? holders[0]!;
  return { bvn: number, phone_number: personOf(ninOfBvn(number)).phone };
}

const inputs: Record<string, (n: number, photographs: Photographs) => Input> = {
  nin_basic: nin,
  nin_advance: nin,
  nin_premium: nin,
  nin_slip: nin,
  bvn_match: (n) => ({ ...bvn(n), first_name: 'Adaeze', last_name: 'Okonjo-Bello', dob: '1990-01-31' }),
  bvn_full: bvn,
  bvn_advance: bvn,
  cac_basic: company,
  cac_advance: company,
  cac_screening: company,
  verify_cac: company,
  tin: taxpayer,
  verify_tin: taxpayer,
  credit_bvn: borrower,
  drivers_license: (n) => ({ license_number: `ABC${String(10_000 + (n % 90_000))}AA${String(10 + (Math.floor(n / 90_000) % 90))}` }),
  passport,
  pvc: (n) => ({ vin_number: `90F5B1C9E${1_000_000_000 + n}` }),
  phone: (n) => ({ phone_number: `0803${String(1_000_000 + n)}` }),
  address: (n) => ({ meter_number: String(45_000_000_000 + n * 7), latitude: '6.5244', longitude: '3.3792' }),
  aml_screening: (n) => ({
    name: `Adaeze Okonjo-Bello ${String.fromCodePoint(97 + (n % 26))}`,
    date_of_birth: '1990-01-31',
    country: 'NG',
  }),
  email_risk: (n) => ({ email: `person${n}@example.com` }),
  photoid_verify: (n, { selfie }) => ({ id_type: 'NIN', id_number: nin(n).nin!, image: selfie }),
  photoid_compare: (_, { selfie, portrait }) => ({ selfie_image: selfie, photoid_image: portrait, threshold: '80' }),
  nin_verify: (n, { selfie }) => ({ ...nin(n), selfie_image: selfie, threshold: '80' }),
  bvn_verify: (n, { selfie }) => ({ ...bvn(n), selfie_image: selfie, threshold: '80' }),
  face_match: (n, { selfie }) => ({ id_type: 'NIN', id_number: nin(n).nin!, image: selfie }),
};

/**
 * The `n`-th input of a check. A check that is not listed here uses the inputs of one with the same members; undefined if there is none. Without
 * `photographs` its pictures show nobody.
 */
export const sampleInput = (check: string, n: number, photographs: Photographs = { portrait: head, selfie: head }): Input | undefined =>
  (inputs[check] ?? inputs[likeOf(check)])?.(n, photographs);

function likeOf(check: string): string {
  const membersOf = (id: string) => Object.keys(knownCheck(id).input.shape).sort().join();
  return checks.find(({ id }) => inputs[id] && membersOf(id) === membersOf(check))?.id ?? '';
}
