/** Inputs to try each check with. All people and companies are invented (docs/sandbox.md). */
import type { Check } from '../../checks/check.ts';

/** The beginning of a JPEG. */
const IMAGE = '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2Q==';

/** Values of one invented person by input name. They are consistent, whatever a check compares. */
const values: Record<string, string> = {
  nin: '70123456789',
  bvn: '22222222222',
  first_name: 'Morenike',
  middle_name: 'Precious',
  last_name: 'Durojaiye',
  name: 'Morenike Precious Durojaiye',
  dob: '1991-04-17',
  date_of_birth: '1991-04-17',
  country: 'NG',
  phone_number: '09011111111',
  email: 'morenike.durojaiye@gmail.com',
  id_type: 'NIN',
  id_number: '70123456789',
  image: IMAGE,
  selfie_image: IMAGE,
  photoid_image: IMAGE,
  threshold: '80',
  rc_number: '1432074',
  company_type: 'COMPANY',
  tin: '18609323-0001',
  license_number: 'FKJ49409AB13',
  passport_number: 'A00123456',
  vin_number: '91F6B1F5BE29535558655586',
  meter_number: '45012345678',
};

/** A person for whom the sandbox accepts any selfie (docs/sandbox.md). Other numbers have no portrait to compare with, unless one is enrolled. */
const pictured = { ...values, nin: '00000000000', bvn: '00000000000', id_number: '00000000000' };

/** For checks that another subject illustrates better. The screened one is in a sandbox list. */
const ownValues: Record<string, Record<string, string>> = {
  photoid_verify: pictured,
  nin_verify: pictured,
  bvn_verify: pictured,
  face_match: pictured,
  // Its company is in a sandbox list.
  cac_screening: { rc_number: '9900055', company_type: 'COMPANY' },
  aml_screening: { name: 'Balarabewa Musa', date_of_birth: '1968-03-14', country: 'NG', gender: 'male', threshold: '0.75' },
};

/** A valid input for the check. Null if the table lacks a value that the check requires; a test fails then. */
export function exampleInput(check: Check): Record<string, string> | null {
  const fields = Object.keys(check.input.shape);
  const known = ownValues[check.id] ?? values;
  const input = Object.fromEntries(fields.filter((field) => known[field] !== undefined).map((field) => [field, known[field]!]));
  return check.input.safeParse(input).success ? input : null;
}
