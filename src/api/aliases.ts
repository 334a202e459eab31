/**
 * Calls of other services in this API family that one of our checks answers under another path or with other names. `checks.ts` makes the routes from this
 * table; `docs/compatibility.md` documents it for users.
 */
import { z } from 'zod';
import { knownCheck } from '../checks/catalog.ts';
import type { Check } from '../checks/check.ts';
import type { Names } from '../pipeline/call.ts';

export interface Alias {
  method: 'GET' | 'POST';
  path: string;
  /** Id of the check that answers. */
  check: string;
  /** Renamed inputs. Refusals use the client's names as well. */
  names?: Names;
  /** For bodies whose members do not map one to one: turns the client's members into ours. */
  translate?: z.ZodType<Record<string, unknown>>;
}

const namePart = z.string().trim().max(100, 'must be at most 100 characters');

const screenedName = knownCheck('aml_screening').input.shape.name as z.ZodType<string>;

/** The other service takes a screened name in parts; ours takes one name. Empty parts leave no gap. */
const screenedPerson = z
  .looseObject({
    first_name: namePart.min(1),
    last_name: namePart.min(1),
    middle_name: namePart.nullish(),
  })
  .transform(({ first_name, middle_name, last_name, ...rest }, { addIssue }) => {
    const name = [first_name, middle_name, last_name].filter(Boolean).join(' ');
    for (const { message } of screenedName.safeParse(name).error?.issues ?? [])
      addIssue({ code: 'custom', path: ['last_name'], message: `${message}, together with first_name` });
    return { ...rest, name };
  });

export const aliases: readonly Alias[] = [
  { method: 'GET', path: '/api/v1/kyc/bvn/basic', check: 'bvn_full' },
  { method: 'GET', path: '/api/v1/kyc/cac', check: 'cac_basic' },
  { method: 'GET', path: '/api/v1/kyc/dl', check: 'drivers_license', names: { date_of_birth: 'dob' } },
  { method: 'GET', path: '/api/v1/kyc/passport', check: 'passport', names: { last_name: 'surname' } },
  { method: 'GET', path: '/api/v1/kyc/vin', check: 'pvc', names: { vin_number: 'vin' } },
  { method: 'GET', path: '/api/v1/kyc/phone_number', check: 'phone' },
  { method: 'GET', path: '/api/v1/kyc/phone_number/basic', check: 'phone' },
  { method: 'POST', path: '/api/v1/aml/screening/platform', check: 'aml_screening', translate: screenedPerson },
];

/**
 * Other services compare a selfie with the photograph of a document on this path, where our specification compares it with a registry's portrait. The members
 * of the body tell the two apart. Null: the request follows our specification.
 */
export function photographsOf(path: string, body: Record<string, unknown>): Pick<Alias, 'check' | 'names'> | null {
  if (path !== PHOTO_ID) return null;
  const isSupplied = (name: string): boolean => (body[name] ?? '') !== '';
  const named = isSupplied('image') ? undefined : PHOTOGRAPHS.find((name) => Object.hasOwn(body, name));
  const second = PHOTOGRAPHS.find(isSupplied) ?? named;
  return second === undefined ? null : { check: 'photoid_compare', names: { photoid_image: second } };
}

const PHOTO_ID = '/api/v1/kyc/photoid/verify';

/** How clients name the photograph of a document. */
export const PHOTOGRAPHS: readonly string[] = ['photoid_image', 'photo_id'];

const BIRTH_DATES = ['dob', 'date_of_birth'];

/** The input that is a date of birth, and the two names under which clients send it: that of the path first. Null: the check has none. */
export function birthDateOf(check: Check, names: Names = {}): { field: string; taken: string; other: string } | null {
  const field = BIRTH_DATES.find((name) => name in check.input.shape);
  if (field === undefined) return null;
  const taken = names[field] ?? field;
  return { field, taken, other: BIRTH_DATES.find((name) => name !== taken)! };
}

const KYC = '/api/v1/kyc/';

/** The paths on which a call is answered: some client SDKs leave out `/api`. */
export const spellings = (path: string): string[] => (path.startsWith(KYC) ? [path, path.slice('/api'.length)] : [path]);
