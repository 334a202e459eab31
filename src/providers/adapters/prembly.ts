/**
 * Prembly (IdentityPass): one endpoint for each record, which answers HTTP 200 with its own `response_code`. It has no idempotency keys, and no way to ask
 * for an earlier answer by our reference. `docs/vendors/prembly.md` says what was verified against what.
 */
import { z } from 'zod';
import { type Answer, type Lookup, ProviderFailure, type Receipt, type RecordKind } from '../../checks/provider.ts';
import { defineAdapter, expectShape, noOptions, type Vendor } from '../adapter.ts';
import { receiptOf, type VendorResponse } from '../vendor-http.ts';
import { companyOf, fullName, localPhone, registeredAs } from './mapping.ts';
import * as shapes from './prembly-records.ts';

type Texts = Record<string, string>;

/** One endpoint: its parameters, the names under which its answer may hold the record (the first one present counts), and how to read it. */
interface Service {
  path: string;
  tiers: number;
  question(lookup: Lookup): Record<string, string | undefined>;
  wrappers: readonly string[];
  sent: z.ZodType<Texts>;
  /** Members of the record that the request already knows. */
  add?(sent: Texts, lookup: Lookup): Texts;
}

/** The vendor's names for the parts of the company registry; partnerships are spelled as on its page. */
const COMPANY_TYPES = { RC: 'RC', BN: 'BN', IT: 'IT', LP: 'LL', LLP: 'LLP' } as const;

const NIN = /^\d{11}$/;

const services: Partial<Record<RecordKind, Service>> = {
  nin: {
    path: '/verification/vnin',
    tiers: 4,
    question: ({ identifier }) => ({ number_nin: identifier }),
    // The vendor's own library reads the first; its newer answers use the second.
    wrappers: ['nin_data', 'data'],
    sent: shapes.nin,
  },
  bvn: {
    path: '/verification/bvn',
    tiers: 2,
    question: ({ identifier }) => ({ number: identifier }),
    wrappers: ['bvn_data', 'data'],
    sent: shapes.bvn,
  },
  cac: {
    path: '/verification/cac',
    tiers: 1,
    question: ({ identifier }) => {
      const { prefix, number } = companyOf(identifier);
      return { rc_number: number, company_type: COMPANY_TYPES[prefix] };
    },
    wrappers: ['data'],
    sent: shapes.company,
    add: ({ rc_number = '' }, { identifier }) => registeredAs(rc_number, identifier),
  },
  tin: {
    path: '/verification/tin',
    tiers: 1,
    question: ({ identifier }) => {
      // This endpoint does not take a NIN, so "not found" would be false.
      if (NIN.test(identifier)) throw new ProviderFailure('not_configured', { scope: 'subject', detail: 'another form of number' });
      return { number: identifier, channel: identifier.startsWith('RC') ? 'CAC' : 'TIN' };
    },
    wrappers: ['data'],
    sent: shapes.taxpayer,
    add: (_, { identifier }) => ({ search: identifier }),
  },
  passport: {
    path: '/verification/national_passport',
    tiers: 1,
    question: ({ identifier, hints }) => ({ number: identifier, last_name: hints.lastName }),
    wrappers: ['data'],
    sent: shapes.passport,
  },
  voter_card: {
    path: '/verification/voters_card',
    tiers: 1,
    question: ({ identifier }) => ({ number: identifier }),
    wrappers: ['data'],
    sent: shapes.voter,
    add: ({ polling_unit_code = '' }) => ({ polling_unit_code: polling_unit_code.replaceAll('-', '/') }),
  },
  phone: {
    path: '/verification/phone_number',
    tiers: 1,
    question: ({ identifier }) => ({ number: localPhone(identifier) }),
    wrappers: ['data'],
    sent: shapes.holder,
    // A record without a surname identifies nobody: `records.ts` requires a full name.
    add: ({ first_name, middle_name, last_name }) => ({ full_name: last_name ? fullName(first_name, middle_name, last_name) : '' }),
  },
};

export const prembly = defineAdapter({
  id: 'prembly',
  credentials: ['api_key', 'app_id'],
  baseUrl: 'https://api.prembly.com',
  options: noOptions,
  serves: () => Object.fromEntries(Object.entries(services).map(([kind, { tiers }]) => [kind, tiers])),
  open: (vendor) => ({ lookup: (lookup) => ask(vendor, lookup) }),
});

const envelope = z.looseObject({
  response_code: z.string().regex(/^\d\d$/),
  verification: z.looseObject({ status: z.string().nullish(), reference: z.string().nullish().catch(null) }).nullish(),
});

async function ask(vendor: Vendor<'api_key' | 'app_id'>, lookup: Lookup): Promise<Answer> {
  const service = services[lookup.kind]!;
  const { api_key, app_id } = vendor.credentials;
  const response = await vendor.http.request({
    method: 'POST',
    path: service.path,
    headers: { 'x-api-key': api_key, 'app-id': app_id },
    json: service.question(lookup),
    signal: lookup.signal,
  });
  if (response.status >= 400 && !envelope.safeParse(response.body).success) throw refusalOf(response);
  const { response_code: code, verification } = expectShape(envelope, response.body, receiptOf(response));
  const receipt = receiptOf(response, code, verification?.reference);
  if (code === '01') return { found: false, receipt };
  if (code !== '00' || response.status >= 400) throw failureOf(code, receipt);
  // The vendor's registry has not answered yet, whether or not a record came along.
  if (verification?.status === 'PENDING') throw new ProviderFailure('down', { receipt });
  if (verification?.status === 'NOT-VERIFIED') return { found: false, receipt };
  return { found: true, record: recordOf(service, lookup, response, receipt), receipt };
}

function recordOf({ wrappers, sent, add }: Service, lookup: Lookup, { body }: VendorResponse, receipt: Receipt): Texts {
  const wrapper = wrappers.find((name) => name in (body as object)) ?? wrappers[0]!;
  const record = expectShape(z.looseObject({ [wrapper]: sent }), body, receipt)[wrapper] as Texts;
  return { ...record, ...add?.(record, lookup) };
}

function failureOf(code: string, receipt: Receipt): ProviderFailure {
  if (code === '02') return new ProviderFailure('down', { receipt });
  if (code === '03') return new ProviderFailure('out_of_credit', { receipt });
  // The record exists but is blocked; asking again will not help.
  if (code === '07') return new ProviderFailure('no_consent', { receipt });
  return new ProviderFailure('surprise', { receipt, detail: `response_code ${code}` });
}

/** Classifies an answer that has no `response_code`. */
function refusalOf(response: VendorResponse): ProviderFailure {
  const { status } = response;
  const receipt = receiptOf(response);
  if (status === 401 || status === 403) return new ProviderFailure('unauthorized', { receipt });
  if (status === 402) return new ProviderFailure('out_of_credit', { receipt });
  if (status === 400) return new ProviderFailure('invalid', { receipt });
  return new ProviderFailure('surprise', { receipt, detail: `status ${status}` });
}
