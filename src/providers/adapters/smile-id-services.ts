/**
 * Which Smile ID service answers each record kind, and how its answer becomes a record. The standardized top-level members come first; `FullData` is the
 * registry's answer under the registry's own names.
 */
import { z } from 'zod';
import { type CompanyType, type Lookup, ProviderFailure, type Receipt, type RecordKind, type Tiers } from '../../checks/provider.ts';
import { expectShape } from '../adapter.ts';
import { bankGender, companyOf, companyStatus, date, text } from './mapping.ts';

export interface Service {
  /** Path below `/v1/`; an answer that may come later has the prefix `async_`. */
  product: 'id_verification' | 'business_verification';
  jobType: number;
  /** Null: this vendor does not take numbers of this form, though another may. */
  input(identifier: string): Record<string, string> | null;
  /** Reads an answer that found the subject. */
  record(answer: unknown, lookup: Lookup, receipt: Receipt): Record<string, string>;
}

/** Placeholders that the vendor sends for missing values. */
const blank = (value: unknown): unknown => (typeof value === 'string' && /^\s*(not available|n\/a)\s*$/i.test(value) ? '' : value);
const given = z.preprocess(blank, text).prefault('');
const givenDate = z.preprocess(blank, date).prefault('');
const givenGender = z.preprocess(blank, bankGender).prefault('');

const person = z.looseObject({
  IDNumber: z.string(),
  DOB: givenDate,
  Gender: givenGender,
  PhoneNumber: given,
  PhoneNumber2: given,
  Address: given,
  Photo: given,
});

const ninAnswer = person.extend({
  FullData: z.looseObject({ firstname: given, surname: given, middlename: given }),
});

const bvnAnswer = person.extend({
  FullData: z.looseObject({
    FirstName: given,
    LastName: given,
    MiddleName: given,
    enrollmentBank: given,
    enrollmentBranch: given,
    LevelOfAccount: given,
    title: given,
    email: given,
    maritalStatus: given,
    nationality: given,
    nin: given,
    nameOnCard: given,
    registrationDate: givenDate,
    stateOfOrigin: given,
    lgaOfOrigin: given,
    stateOfResidence: given,
    lgaOfResidence: given,
    watchListed: given,
  }),
});

/** Tier 1, and what tier 2 adds. */
function bvnRecord(answer: z.infer<typeof bvnAnswer>, tier: number): Record<string, string> {
  const { FullData: full } = answer;
  return {
    bvn: answer.IDNumber,
    first_name: full.FirstName,
    last_name: full.LastName,
    middle_name: full.MiddleName,
    date_of_birth: answer.DOB,
    phone_number1: answer.PhoneNumber,
    gender: answer.Gender,
    enrollment_bank: full.enrollmentBank,
    enrollment_branch: full.enrollmentBranch,
    level_of_account: full.LevelOfAccount,
    ...(tier > 1 && {
      phone_number2: answer.PhoneNumber2,
      title: full.title,
      email: full.email,
      marital_status: full.maritalStatus,
      nationality: full.nationality,
      nin: full.nin,
      name_on_card: full.nameOnCard,
      registration_date: full.registrationDate,
      residential_address: answer.Address,
      state_of_origin: full.stateOfOrigin,
      lga_of_origin: full.lgaOfOrigin,
      state_of_residence: full.stateOfResidence,
      lga_of_residence: full.lgaOfResidence,
      watch_listed: full.watchListed.toUpperCase(),
      image: answer.Photo,
    }),
  };
}

const registered = z.looseObject({
  company_information: z.looseObject({
    legal_name: given,
    registration_number: z.string(),
    registration_date: givenDate,
    address: given,
    email: given,
    status: given,
  }),
});

const taxpayer = z.looseObject({
  company_information: z.looseObject({
    legal_name: given,
    search_number: given,
    tax_id: given,
    registration_number: given,
    phone: given,
    email: given,
  }),
});

/** The parts of the company registry that this vendor can search. */
const businessTypes: Partial<Record<CompanyType, string>> = { COMPANY: 'co', BUSINESS_NAME: 'bn', INCORPORATED_TRUSTEES: 'it' };

const digits = (number: string): string => number.replace(/\D/g, '').replace(/^0+/, '');

/** These registries do not repeat the number under the name that `records.ts` checks, so it is checked here. */
function expectSubject(member: string, answered: string, asked: string, receipt: Receipt): void {
  if (digits(answered) !== digits(asked)) throw new ProviderFailure('surprise', { receipt, detail: `${member}: another subject's` });
}

const enhancedKyc = { product: 'id_verification', jobType: 5 } as const;
const businessVerification = { product: 'business_verification', jobType: 7 } as const;

export const services: Partial<Record<RecordKind, Service>> = {
  nin: {
    ...enhancedKyc,
    input: (nin) => ({ id_type: 'NIN_V2', id_number: nin }),
    record(answer, _, receipt) {
      const { FullData: full, ...standard } = expectShape(ninAnswer, answer, receipt);
      return {
        nin: standard.IDNumber,
        firstname: full.firstname,
        surname: full.surname,
        middlename: full.middlename,
        gender: standard.Gender.toUpperCase(),
        birthdate: standard.DOB,
        telephoneno: standard.PhoneNumber,
      };
    },
  },
  bvn: {
    ...enhancedKyc,
    input: (bvn) => ({ id_type: 'BVN', id_number: bvn }),
    record: (answer, { tier }, receipt) => bvnRecord(expectShape(bvnAnswer, answer, receipt), tier),
  },
  cac: {
    ...businessVerification,
    input(identifier) {
      const { type, number } = companyOf(identifier);
      const business_type = businessTypes[type];
      return business_type && /^\d+$/.test(number) ? { id_type: 'BUSINESS_REGISTRATION', id_number: number, business_type } : null;
    },
    record(answer, { identifier }, receipt) {
      const { type, number } = companyOf(identifier);
      const company = expectShape(registered, answer, receipt).company_information;
      expectSubject('registration_number', company.registration_number, number, receipt);
      return {
        rc_number: number,
        company_name: company.legal_name,
        company_type: type,
        registration_date: company.registration_date,
        head_office_address: company.address,
        status: companyStatus.parse(company.status),
        email: company.email,
      };
    },
  },
  tin: {
    ...businessVerification,
    input: (tin) => (/^\d{8}-\d{4}$/.test(tin) ? { id_type: 'TAX_INFORMATION', id_number: tin } : null),
    record(answer, { identifier }, receipt) {
      const company = expectShape(taxpayer, answer, receipt).company_information;
      expectSubject('search_number', company.search_number || identifier, identifier, receipt);
      return {
        search: identifier,
        tin: company.tax_id,
        taxpayer_name: company.legal_name,
        cac_reg_number: company.registration_number,
        phone_number: company.phone,
        email: company.email,
      };
    },
  },
};

/** The richer NIN and CAC tiers need members that the documented answers lack. */
export const tiers: Tiers = { nin: 1, bvn: 2, cac: 1, tin: 1 };
