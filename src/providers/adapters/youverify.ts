/**
 * Youverify, API v2: one endpoint for each record, all with the same envelope. Each request asserts the subject's consent, which the operator must hold. It
 * has no idempotency keys, and its message about a pending answer does not say which request it belongs to, so a pending answer counts as none.
 * `docs/vendors/youverify.md` says what was verified against what.
 */
import { z } from 'zod';
import { type Answer, type Lookup, ProviderFailure, type RecordKind } from '../../checks/provider.ts';
import { defineAdapter, expectShape, noOptions, type Vendor } from '../adapter.ts';
import { receiptOf, type VendorResponse } from '../vendor-http.ts';
import {
  bankGender,
  companyOf,
  companyStatus,
  date,
  fullName,
  gender,
  image,
  localPhone,
  phone,
  registeredAs,
  text,
  texts,
} from './mapping.ts';

type Texts = Record<string, string>;

/** One endpoint: its parameters, and how to read the `data` of its answer. Each serves one tier. */
interface Service {
  path: string;
  question(lookup: Lookup): Record<string, unknown>;
  data: z.ZodType<Texts>;
  /** Members of the record that the request already knows. */
  add?(data: Texts, lookup: Lookup): Texts;
}

/** Common to requests about people. The vendor echoes `metadata`, so its own request log names our reference. */
const person = ({ reference }: Lookup) => ({ isSubjectConsent: true, metadata: { reference } });
const byId = (lookup: Lookup) => ({ id: lookup.identifier, ...person(lookup) });

const names = { first_name: 'firstName', middle_name: 'middleName', last_name: 'lastName' };
/** A record without a surname identifies nobody: `records.ts` requires a full name. */
const named = ({ first_name, middle_name, last_name }: Texts) => ({
  full_name: last_name ? fullName(first_name, middle_name, last_name) : '',
});

/** A number may list the holders of several registrations without saying which is current. */
const holders = z
  .looseObject({ idNumber: phone, phoneDetails: z.array(z.looseObject({ fullName: text })).min(1) })
  .refine(({ phoneDetails }) => new Set(phoneDetails.map((holder) => holder.fullName.toUpperCase())).size === 1, { path: ['phoneDetails'] })
  .transform(({ idNumber, phoneDetails }): Texts => ({ phone_number: idNumber, full_name: phoneDetails[0]!.fullName }));

/** Tax numbers that this vendor takes: 8-4 digits and the Joint Tax Board's 10. */
const TAX_NUMBER = /^(\d{8}-\d{4}|\d{10})$/;

const services: Partial<Record<RecordKind, Service>> = {
  nin: {
    path: '/v2/api/identity/ng/nin',
    question: byId,
    data: texts({
      nin: 'idNumber',
      firstname: 'firstName',
      surname: 'lastName',
      middlename: 'middleName',
      gender: 'gender',
      birthdate: 'dateOfBirth',
      telephoneno: 'mobile',
    }).pipe(z.object({ birthdate: date, gender }).catchall(z.string())),
  },
  bvn: {
    path: '/v2/api/identity/ng/bvn',
    question: byId,
    data: texts({
      bvn: 'idNumber',
      ...names,
      gender: 'gender',
      date_of_birth: 'dateOfBirth',
      phone_number1: 'mobile',
      enrollment_bank: 'enrollmentInstitution',
      enrollment_branch: 'enrollmentBranch',
    }).pipe(z.object({ date_of_birth: date, gender: bankGender }).catchall(z.string())),
  },
  cac: {
    path: '/v2/api/verifications/ng/company/basic',
    question: ({ identifier }) => {
      const { prefix, number } = companyOf(identifier);
      return { registrationNumber: `${prefix}${number}`, isConsent: true };
    },
    data: texts({
      rc_number: 'registrationNumber',
      company_name: 'name',
      registration_date: 'registrationDate',
      head_office_address: ['headOfficeAddress', 'address'],
      status: 'companyStatus',
      email: 'email',
      branch_address: 'branchAddress',
    }).pipe(z.object({ rc_number: text, registration_date: date, status: companyStatus }).catchall(z.string())),
    add: ({ rc_number = '' }, { identifier }) => registeredAs(rc_number, identifier),
  },
  tin: {
    path: '/v2/api/verifications/ng/tin',
    question: ({ identifier }) => {
      // For any other form "not found" would be false.
      if (!TAX_NUMBER.test(identifier)) throw new ProviderFailure('not_configured', { scope: 'subject', detail: 'another form of number' });
      // The documentation asks for the first and its example shows the second.
      return { tin: identifier, isSubjectConsent: true, isConsent: true };
    },
    data: texts({
      tin: 'tin',
      firstin: 'tin',
      jittin: 'jtbTin',
      taxpayer_name: 'name',
      cac_reg_number: 'registrationNumber',
      tax_office: 'taxOffice',
      phone_number: 'phone',
      email: 'email',
    }),
    add: (_, { identifier }) => ({ search: identifier }),
  },
  drivers_license: {
    path: '/v2/api/identity/ng/drivers-license',
    question: byId,
    data: texts({
      license_number: 'idNumber',
      ...names,
      gender: 'gender',
      date_of_birth: 'dateOfBirth',
      issue_date: 'issuedDate',
      expiry_date: 'expiredDate',
      issuing_state: 'stateOfIssuance',
      photo: 'image',
    }).pipe(z.object({ date_of_birth: date, issue_date: date, expiry_date: date, gender, photo: image }).catchall(z.string())),
    add: named,
  },
  passport: {
    path: '/v2/api/identity/ng/passport',
    question: (lookup) => ({ ...byId(lookup), lastName: lookup.hints.lastName }),
    data: texts({
      passport_number: 'idNumber',
      ...names,
      gender: 'gender',
      date_of_birth: 'dateOfBirth',
      issue_date: 'issuedDate',
      expiry_date: 'expiredDate',
    }).pipe(z.object({ date_of_birth: date, issue_date: date, expiry_date: date, gender }).catchall(z.string())),
  },
  phone: {
    path: '/v2/api/identity/ng/phone',
    question: (lookup) => ({ mobile: localPhone(lookup.identifier), ...person(lookup) }),
    data: holders,
  },
};

export const youverify = defineAdapter({
  id: 'youverify',
  credentials: ['token'],
  baseUrl: 'https://api.youverify.co',
  options: noOptions,
  serves: () => Object.fromEntries(Object.keys(services).map((kind) => [kind, 1])),
  open: (vendor) => ({ lookup: (lookup) => ask(vendor, lookup) }),
});

const envelope = z.looseObject({
  success: z.literal(true),
  // The id is for the receipt only.
  data: z.looseObject({ id: z.string().optional().catch(undefined), status: z.enum(['found', 'not_found', 'pending']) }),
});

async function ask(vendor: Vendor<'token'>, lookup: Lookup): Promise<Answer> {
  const { path, question, data: read, add } = services[lookup.kind]!;
  const response = await vendor.http.request({
    method: 'POST',
    path,
    headers: { token: vendor.credentials.token },
    json: question(lookup),
    signal: lookup.signal,
  });
  if (response.status >= 400 || refused.safeParse(response.body).success) throw refusalOf(response);
  const { id, status } = expectShape(envelope, response.body, receiptOf(response)).data;
  const receipt = receiptOf(response, status, id);
  if (status === 'not_found') return { found: false, receipt };
  // The registry behind the vendor is down.
  if (status === 'pending') throw new ProviderFailure('down', { receipt });
  const { data } = expectShape(z.looseObject({ data: read }), response.body, receipt);
  return { found: true, record: { ...data, ...add?.(data, lookup) }, receipt };
}

/** `name` is the kind of error in one word; the sentence beside it may quote the input. */
const refused = z.looseObject({
  success: z.literal(false),
  statusCode: z.int().optional().catch(undefined),
  name: z
    .string()
    .regex(/^[A-Za-z]{1,40}$/)
    .optional()
    .catch(undefined),
});

function refusalOf(response: VendorResponse): ProviderFailure {
  const { data: told } = refused.safeParse(response.body);
  const receipt = receiptOf(response, told?.name);
  const status = response.status >= 400 ? response.status : told?.statusCode;
  if (status === 402) return new ProviderFailure('out_of_credit', { receipt });
  if (status === 401 || status === 403) return new ProviderFailure('unauthorized', { receipt });
  if (status === 400 || status === 422) return new ProviderFailure('invalid', { receipt });
  if (status !== undefined && status >= 500) return new ProviderFailure('down', { receipt });
  return new ProviderFailure('surprise', { receipt, detail: `status ${status}` });
}
