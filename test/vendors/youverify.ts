/** Youverify, API v2: answers in the shapes of doc.youverify.co, about invented people. */
import { expect } from 'vitest';
import { youverify as adapter } from '../../src/providers/adapters/youverify.ts';
import type { Recorded, Reply, VendorCase, VendorFixture } from './vendor.ts';

const ID = '6491edda2393aa01be87a501';
const frame = {
  id: ID,
  parentId: null,
  businessId: '62c2a4868d3193aa06280101',
  isConsent: true,
  requestedAt: '2026-06-20T18:20:11.552Z',
  requestedById: '62c2a4868d3193aa06280102',
  country: 'NG',
  createdAt: '2026-06-20T18:20:11.657Z',
  lastModifiedAt: '2026-06-20T18:20:11.657Z',
  requestedBy: { firstName: 'API', lastName: 'User', middleName: '', id: '62c2a4868d3193aa06280102' },
};
const answer = (data: object, status = 'found'): Reply => ({
  status: 200,
  body: { success: true, statusCode: 200, message: 'success', data: { ...frame, status, reason: null, ...data }, links: [] },
});
const refusal = (status: number, name: string, http = status): Reply => ({
  status: http,
  body: { success: false, statusCode: status, message: `A sentence about ${NIN}`, name, data: {} },
});

const NIN = '70000000017';
const person = { dataValidation: false, selfieValidation: false, firstName: 'Bisi', middleName: 'Ada', lastName: 'Okorocha' };
const nin = {
  ...person,
  address: { town: 'KETU', lga: 'Kosofe', state: 'Lagos', addressLine: '4 Palm Gate Close' },
  image: 'data:image/jpg;base64,/9j/aGVsbG8=',
  signature: 'data:image/jpg;base64,/9j/c2lnbg==',
  mobile: '08030000017',
  email: null,
  birthState: 'Abia',
  nokState: 'Lagos',
  religion: 'christianity',
  birthLGA: 'Umuahia North',
  birthCountry: 'nigeria',
  dateOfBirth: '1989-09-24',
  idNumber: NIN,
  type: 'nin',
  allValidationPassed: true,
  gender: 'f',
  metadata: { reference: 'f0f0f0f0-0000-7000-8000-000000000001' },
};
const ninRecord = {
  nin: NIN,
  firstname: 'Bisi',
  surname: 'Okorocha',
  middlename: 'Ada',
  gender: 'FEMALE',
  birthdate: '1989-09-24',
  telephoneno: '08030000017',
};
const company = {
  type: 'company-basic-check',
  name: 'PALM GATE LIMITED',
  registrationNumber: 'RC1432074',
  registryNumber: '1432074',
  registrationDate: '2011-01-05T00:00:00.000+00:00',
  typeOfEntity: 'PRIVATE COMPANY LIMITED BY SHARES',
  headOfficeAddress: '4 Palm Gate Close, Ketu',
  branchAddress: null,
  email: 'office@palmgate.example',
  companyStatus: 'ACTIVE',
};
const companyRecord = {
  rc_number: '1432074',
  company_name: 'PALM GATE LIMITED',
  company_type: 'COMPANY',
  registration_date: '2011-01-05',
  head_office_address: '4 Palm Gate Close, Ketu',
  status: 'ACTIVE',
  email: 'office@palmgate.example',
  branch_address: '',
};

const credentials = { token: 'secret.token' };
const consented = { isSubjectConsent: true, metadata: { reference: 'f0f0f0f0-0000-7000-8000-000000000001' } };
const post = (path: string, body: unknown): VendorCase['sent'] => ({ method: 'POST', path, body });
const found = (about: Omit<VendorCase, 'tier' | 'reference'>): VendorCase => ({ ...about, tier: 1, reference: ID });
const identity = (type: string, id: string, more: object = {}) => post(`/v2/api/identity/ng/${type}`, { id, ...consented, ...more });
const phoneOf = (...phoneDetails: object[]) => answer({ phoneDetails, idNumber: '08030000017', type: 'phone' });

export const youverify: VendorFixture = {
  adapter,
  credentials,
  authenticate: ({ headers }: Recorded) => expect(headers).toMatchObject({ token: credentials.token }),
  cases: [
    found({ kind: 'nin', identifier: NIN, sent: identity('nin', NIN), reply: answer(nin), record: ninRecord }),
    found({
      kind: 'bvn',
      identifier: '22000000017',
      sent: identity('bvn', '22000000017'),
      reply: answer({
        ...person,
        image: 'data:image/jpg;base64,/9j/aGVsbG8=',
        enrollmentBranch: 'KETU',
        enrollmentInstitution: '058',
        mobile: '08030000017',
        dateOfBirth: '1989-09-24',
        idNumber: '22000000017',
        nin: NIN,
        shouldRetrivedNin: false,
        type: 'bvn',
        gender: 'Female',
      }),
      record: {
        bvn: '22000000017',
        first_name: 'Bisi',
        middle_name: 'Ada',
        last_name: 'Okorocha',
        gender: 'Female',
        date_of_birth: '1989-09-24',
        phone_number1: '08030000017',
        enrollment_bank: '058',
        enrollment_branch: 'KETU',
      },
    }),
    found({
      kind: 'cac',
      identifier: 'COMPANY:1432074',
      sent: post('/v2/api/verifications/ng/company/basic', { registrationNumber: 'RC1432074', isConsent: true }),
      reply: answer(company),
      record: companyRecord,
    }),
    found({
      kind: 'cac',
      identifier: 'LIMITED_LIABILITY_PARTNERSHIP:5012',
      sent: post('/v2/api/verifications/ng/company/basic', { registrationNumber: 'LLP5012', isConsent: true }),
      reply: answer({ ...company, registrationNumber: 'LLP5012' }),
      record: { ...companyRecord, rc_number: '5012', company_type: 'LIMITED_LIABILITY_PARTNERSHIP' },
    }),
    found({
      kind: 'tin',
      identifier: '12345678-0001',
      sent: post('/v2/api/verifications/ng/tin', { tin: '12345678-0001', isSubjectConsent: true, isConsent: true }),
      reply: answer({
        type: 'tin-lookup',
        name: 'PALM GATE LIMITED',
        registrationNumber: 'RC1432074',
        tin: '12345678-0001',
        jtbTin: '0000000017',
        taxOffice: 'MSTO KETU',
        email: 'office@palmgate.example',
        phone: '08030000017',
      }),
      record: {
        search: '12345678-0001',
        tin: '12345678-0001',
        firstin: '12345678-0001',
        jittin: '0000000017',
        taxpayer_name: 'PALM GATE LIMITED',
        cac_reg_number: 'RC1432074',
        tax_office: 'MSTO KETU',
        phone_number: '08030000017',
        email: 'office@palmgate.example',
      },
    }),
    found({
      kind: 'drivers_license',
      identifier: 'ABC12345DE67',
      hints: { dateOfBirth: '1989-09-24' },
      sent: identity('drivers-license', 'ABC12345DE67'),
      reply: answer({
        ...person,
        middleName: null,
        expiredDate: '2028-11-09T00:00:00.000Z',
        issuedDate: '2023-06-11T23:00:00.000Z',
        stateOfIssuance: 'LAGOS',
        notifyWhenIdExpire: false,
        dateOfBirth: '1989-09-24',
        idNumber: 'ABC12345DE67',
        type: 'ndl',
        gender: 'female',
        image: 'data:image/jpg;base64,/9j/aGVsbG8=',
      }),
      record: {
        license_number: 'ABC12345DE67',
        first_name: 'Bisi',
        middle_name: '',
        last_name: 'Okorocha',
        full_name: 'Bisi Okorocha',
        gender: 'FEMALE',
        date_of_birth: '1989-09-24',
        issue_date: '2023-06-12',
        expiry_date: '2028-11-09',
        issuing_state: 'LAGOS',
        photo: '/9j/aGVsbG8=',
      },
    }),
    found({
      kind: 'passport',
      identifier: 'A12345678',
      hints: { lastName: 'Okorocha' },
      sent: identity('passport', 'A12345678', { lastName: 'Okorocha' }),
      reply: answer({
        ...person,
        expiredDate: '2032-01-31T00:00:00.000Z',
        issuedAt: 'IKOYI',
        issuedDate: '2022-02-01T00:00:00.000Z',
        dateOfBirth: '1989-09-24',
        idNumber: 'A12345678',
        type: 'passport',
        gender: 'female',
      }),
      record: {
        passport_number: 'A12345678',
        first_name: 'Bisi',
        middle_name: 'Ada',
        last_name: 'Okorocha',
        gender: 'FEMALE',
        date_of_birth: '1989-09-24',
        issue_date: '2022-02-01',
        expiry_date: '2032-01-31',
      },
    }),
    found({
      kind: 'phone',
      identifier: '+2348030000017',
      sent: post('/v2/api/identity/ng/phone', { mobile: '08030000017', ...consented }),
      reply: phoneOf(
        { fullName: 'OKOROCHA BISI ADA', dateOfBirth: '1989-09-24' },
        { fullName: 'Okorocha Bisi Ada', dateOfBirth: '1989-09-25' },
      ),
      record: { phone_number: '+2348030000017', full_name: 'OKOROCHA BISI ADA' },
    }),
  ],
  notFound: [
    answer({ ...nin, firstName: null, lastName: null, middleName: null, dateOfBirth: null, reason: 'ID data not found' }, 'not_found'),
  ],
  failures: {
    out_of_credit: [refusal(402, 'PaymentRequiredError'), refusal(402, 'PaymentRequiredError', 200)],
    unauthorized: [refusal(403, 'UnauthorizedError'), refusal(401, 'UnauthorizedError')],
    invalid: [refusal(400, 'ValidationError'), refusal(422, 'ValidationError')],
    down: [answer(nin, 'pending'), refusal(503, 'Error', 200)],
    surprise: [
      refusal(404, 'ResourceNotFoundError'),
      refusal(200, 'Error'),
      { status: 404, body: '<html>' },
      answer(nin, 'dreaming'),
      answer({ ...nin, idNumber: '70000000025' }),
      answer({ ...nin, lastName: null }),
      answer({ ...nin, dateOfBirth: '1989-09' }),
      answer({ ...nin, mobile: 8_030_000_017 }),
      { status: 200, body: { success: true, statusCode: 200, message: 'success', data: null } },
    ],
  },
};
