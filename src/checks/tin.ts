/** Tax identification number: the tax authority's record of a taxpayer, and the announced check of the same record. */
import { z } from 'zod';
import { defineCheck, project } from './check.ts';
import { withoutZeros, written } from './inputs.ts';

/**
 * Numbers in use: the authority's 8-4 digits, the Joint Tax Board's 10, the 13 of the unified tax id. Since 1 January 2026 also an individual's NIN
 * and a company's registration number, which only its prefix distinguishes from the others.
 */
const TAX_NUMBER = /^(\d{8}-\d{4}|\d{10}|\d{11}|\d{13}|RC\d{1,8})$/;

export const tinInput = z.object({
  tin: written(
    'number',
    z
      .string('must be a string (a JSON number loses leading zeros)')
      .max(40, 'must be at most 40 characters')
      .transform(normalized)
      .refine(
        (text) => TAX_NUMBER.test(text),
        'must be 8 and 4 digits with a dash (18609323-0001), 10 digits, 13 digits, an 11-digit NIN, or RC and a company number',
      )
      .describe(
        'Tax number: 8-4 digits with the dash, 10 digits (JTB), 13 digits, the 11-digit NIN of an individual, or RC and a company number',
      ),
  ),
});

/** Upper case without spaces. After RC also without dashes and leading zeros, as the registry of companies reads its numbers. */
function normalized(text: string): string {
  const bare = text.toUpperCase().replace(/\s+/g, '');
  return bare.startsWith('RC') ? `RC${withoutZeros(bare.slice(2).replaceAll('-', ''))}` : bare;
}

/** The announced check has members that the published entity lacks. */
const tiers = { taxpayer: 1, filing: 2 } as const;

const text = z.string();

const taxpayer = z.object({
  search: text.describe('The number submitted'),
  tin: text.describe('Number of the taxpayer, 8-4 digits'),
  taxpayer_name: text,
  tin_type: text.describe('individual or corporate'),
  cac_reg_number: text.describe('Registration number with its prefix (RC1432074); empty for an individual'),
  firstin: text.describe('Number of the federal tax authority, 8-4 digits'),
  jittin: text.describe('Number of the Joint Tax Board, 10 digits, or N/A'),
  tax_office: text,
  phone_number: text,
  email: text,
});

const tin = defineCheck({
  id: 'tin',
  family: 'tin',
  summary: 'Whose tax identification number is it?',
  path: '/api/v1/kyc/tin',
  input: tinInput,
  entity: taxpayer,
  priceKobo: 90_00,
  cachedPriceKobo: 36_00,
  needs: { all: { tin: tiers.taxpayer } },
  entityIsRecord: true,
  subject: (input) => input.tin,
  async run(input, lookup) {
    const answer = await lookup('tin', tiers.taxpayer, input.tin);
    return answer.found ? { found: true, entity: project(taxpayer, answer.record) } : answer;
  },
});

const filing = z.object({
  tin: taxpayer.shape.tin,
  taxpayer_name: text,
  tax_office: text,
  filing_status: text.describe('UP_TO_DATE, OVERDUE or NOT_FILED'),
  registration_date: text.describe('Date of registration with the tax authority, YYYY-MM-DD'),
});

const announced = defineCheck({
  id: 'verify_tin',
  family: 'tin',
  summary: 'Taxpayer, tax office, filing status and registration date of a tax number (announced)',
  method: 'POST',
  path: '/v1/verify/tin',
  service: 'tin_verify',
  stage: 'development',
  input: tinInput,
  entity: filing,
  priceKobo: 90_00,
  cachedPriceKobo: 36_00,
  needs: { all: { tin: tiers.filing } },
  entityIsRecord: false,
  subject: (input) => input.tin,
  async run(input, lookup) {
    const answer = await lookup('tin', tiers.filing, input.tin);
    return answer.found ? { found: true, entity: project(filing, answer.record) } : answer;
  },
});

export const tinChecks = [tin, announced];
