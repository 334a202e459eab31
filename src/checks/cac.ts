/**
 * The registry of companies: basic and advance tiers of one record (advance also with everybody in it screened), and the announced company check. A number is unique only within its part of the
 * registry, so a look-up names both: `COMPANY:1432074`.
 */
import { z } from 'zod';
import { type Check, defineCheck, project } from './check.ts';
import { CompanyScreening, overallRisk, partyScreening } from './company-screening.ts';
import { oneOfChoices, optionalFlag, withoutZeros, written } from './inputs.ts';
import { type CompanyPrefix, type CompanyType, companyTypes } from './provider.ts';
import { screeningEntity, tellHits, tellLists } from './screening.ts';

/** The types that the specification lists. Partnerships can only be requested by the prefix of their numbers. */
const requestable: readonly CompanyType[] = ['COMPANY', 'BUSINESS_NAME', 'INCORPORATED_TRUSTEES'];

export const isRequestable = (type: string): boolean => requestable.some((one) => one === type);

/** Up to eight digits; some old series have two letters of their own before them (`KD023538`). */
const REGISTRATION = /^(RC|BN|IT|LP|LLP)?((?:[A-Z]{2})?\d{1,8})$/;

const cacFields = z.object({
  rc_number: written(
    'number',
    z
      .string('must be a string (a JSON number loses leading zeros)')
      .max(40, 'must be at most 40 characters')
      .transform((text) => text.toUpperCase().replace(/[\s-]+/g, ''))
      .refine((text) => REGISTRATION.test(text), 'must be 1 to 8 digits, or two letters and digits, optionally after RC, BN, IT, LP or LLP')
      .describe(
        'Registration or business number: 1 to 8 digits, optionally after RC, BN, IT, LP or LLP. Spaces, dashes and case are ignored',
      ),
  ),
  company_type: oneOfChoices(
    requestable,
    z
      .string()
      .max(40, 'must be at most 40 characters')
      .transform((text) => text.trim().toUpperCase() || undefined)
      .refine((type) => type === undefined || isRequestable(type), `must be one of ${requestable.join(', ')}`)
      .optional()
      .describe(`${requestable.join(', ')}, in any case. Without it, the prefix of rc_number decides; without a prefix it is COMPANY`),
  ),
});

function refuseContradiction(
  { rc_number, company_type }: Pick<z.infer<typeof cacFields>, 'rc_number' | 'company_type'>,
  context: z.RefinementCtx,
): void {
  const { prefix } = parsed(rc_number);
  // People write RC before any registration number, so it contradicts no type.
  if (company_type === undefined || prefix === undefined || prefix === 'RC' || companyTypes[prefix] === company_type) return;
  const message = `${company_type} contradicts the prefix ${prefix} of rc_number, which means ${companyTypes[prefix]}`;
  context.addIssue({ code: 'custom', path: ['company_type'], message });
}

const cacInput = cacFields.superRefine(refuseContradiction);

/** A check of its own, because the price differs: in a batch each job has one price. */
export const SCREENED = 'cac_screening';
const SCREENING_WAIT_MAX_MS = 5_000;

const advanceInput = cacFields
  .extend({
    screen: oneOfChoices(
      ['true', 'false'],
      optionalFlag
        // Calls and jobs with it never come here: they are answered as the other check.
        .refine((text) => text !== 'true', `is another check with its own price: name ${SCREENED} in a batch`)
        .describe(
          'true: the company, its directors and its owners are screened too. A call or a job is then answered as `cac_screening`, at its price; in a batch name that check',
        ),
    ),
  })
  .superRefine(refuseContradiction);

function parsed(rcNumber: string): { prefix: CompanyPrefix | undefined; number: string } {
  const [, prefix, number = ''] = REGISTRATION.exec(rcNumber) ?? [];
  return { prefix: prefix as CompanyPrefix | undefined, number };
}

/** What is looked up: the type, and the number without prefix and leading zeros. */
function identifierOf({ rc_number, company_type }: z.infer<typeof cacInput>): string {
  const { prefix = 'RC', number } = parsed(rc_number);
  return `${company_type ?? companyTypes[prefix]}:${withoutZeros(number)}`;
}

/** How much of the record a tier includes. A cached record of a higher tier answers a lower one. */
const tiers = { basic: 1, advance: 2 } as const;

const text = z.string();

const basic = z.object({
  rc_number: text.describe('Registration or business number, without prefix'),
  company_name: text.describe('Registered name'),
  company_type: text.describe(Object.values(companyTypes).join(', ')),
  registration_date: text.describe('YYYY-MM-DD'),
  head_office_address: text,
  status: text.describe('ACTIVE, or INACTIVE if annual returns are due; an INACTIVE company still exists'),
  email: text,
  branch_address: text,
});

/** A natural person as the registry of companies records one. */
const person = z.object({
  surname: text,
  firstname: text,
  othername: text,
  gender: text.describe('MALE or FEMALE'),
  date_of_birth: text.describe('YYYY-MM-DD'),
  nationality: text,
  occupation: text,
  phone_number: text,
  email: text,
  address: text,
  id_type: text.describe('NIN, or empty'),
  id_number: text.describe('Number of that document'),
});

const officer = person.extend({ date_of_appointment: text.describe('YYYY-MM-DD') });

const shareholder = person.extend({
  share_type: text.describe('ORDINARY or PREFERENCE'),
  shares_allotted: z.int().describe('Count'),
  share_percent: z.number().describe('Percentage of all allotted shares, 0 to 100'),
});

const beneficialOwner = person.extend({
  share_percent: z.number().describe('Percentage of all allotted shares, 0 to 100'),
  is_director: z.boolean(),
});

const directors = z.array(officer).describe('Directors of a company');
const shareholders = z.array(shareholder).describe('Shareholders of a company');

const advance = basic.extend({
  share_capital: z.number().nullable().describe('Allotted capital in NGX; null if there are no shares'),
  share_capital_in_words: text,
  number_of_affiliates: z.int().describe('Different people in the lists below'),
  directors,
  shareholders,
  beneficial_owners: z.array(beneficialOwner).describe('Persons with significant control: 5 % of a company or more'),
  secretary: officer.nullable().describe('null if there is none'),
  proprietors: z.array(officer).describe('Proprietors of a business name; partners of a partnership'),
  trustees: z.array(officer).describe('Trustees of incorporated trustees'),
});

function cacTier<Entity extends z.ZodObject, Input extends typeof cacInput | typeof advanceInput>(
  tier: keyof typeof tiers,
  declaration: { summary: string; input: Input; instead?: Check['instead']; entity: Entity; priceKobo: number; cachedPriceKobo: number },
) {
  return defineCheck({
    id: `cac_${tier}`,
    family: 'cac',
    path: `/api/v1/kyc/cac/${tier}`,
    needs: { all: { cac: tiers[tier] } },
    entityIsRecord: true,
    subject: identifierOf,
    question: identifierOf,
    async run(input, lookup) {
      const answer = await lookup('cac', tiers[tier], identifierOf(input));
      return answer.found ? { found: true, entity: project(declaration.entity, answer.record) } : answer;
    },
    ...declaration,
  });
}

const screening = partyScreening.nullable().describe('null: the record has no name that can be compared');
const screenedOfficer = officer.extend({ screening });

const screenedCompany = advance.extend({
  directors: z.array(screenedOfficer).describe('Directors of a company'),
  shareholders: z.array(shareholder.extend({ screening })).describe('Shareholders of a company'),
  beneficial_owners: z.array(beneficialOwner.extend({ screening })).describe('Persons with significant control: 5 % of a company or more'),
  secretary: screenedOfficer.nullable().describe('null if there is none'),
  proprietors: z.array(screenedOfficer).describe('Proprietors of a business name; partners of a partnership'),
  trustees: z.array(screenedOfficer).describe('Trustees of incorporated trustees'),
  overall_risk: overallRisk.describe('Of the company and everybody on record with it'),
  screening: screeningEntity.describe('The company itself'),
});

const screened = defineCheck({
  id: SCREENED,
  family: 'cac',
  summary: 'Advance data, with the company, its directors, owners, secretary, proprietors and trustees screened against the watch lists',
  path: '/api/v1/kyc/cac/screening',
  input: cacInput,
  entity: screenedCompany,
  flag: {
    when: 'a hit that nobody has cleared, of the company or of anybody on record with it',
    isSet: ({ overall_risk }) => overall_risk.risk_score > 0,
  },
  cells: { 'screening.hits': tellHits, 'screening.screening.lists': tellLists },
  // The price of an advance look-up and one screening, whatever the number of parties, so that it is known before the registry is asked.
  priceKobo: 370_00,
  cachedPriceKobo: 220_00,
  needs: { all: { cac: tiers.advance, aml: 1 } },
  entityIsRecord: false,
  subject: identifierOf,
  question: identifierOf,
  async run(input, lookup) {
    // The record costs money even if its parties cannot be screened afterwards.
    const answer = await lookup('cac', tiers.advance, identifierOf(input), {
      onlyWith: { any: { aml: 1 }, waitMaxMs: SCREENING_WAIT_MAX_MS },
    });
    if (!answer.found) return answer;
    const company = project(advance, answer.record);
    const screen = new CompanyScreening(lookup);
    const withScreening = async <Party extends z.infer<typeof person>>(party: Party) => ({
      ...party,
      screening: await screen.party(party),
    });
    const all = <Party extends z.infer<typeof person>>(parties: Party[]) => Promise.all(parties.map(withScreening));
    const screening = await screen.company(company);
    const entity = {
      ...company,
      directors: await all(company.directors),
      shareholders: await all(company.shareholders),
      beneficial_owners: await all(company.beneficial_owners),
      secretary: company.secretary && (await withScreening(company.secretary)),
      proprietors: await all(company.proprietors),
      trustees: await all(company.trustees),
      overall_risk: await screen.overall(),
      screening,
    };
    return { found: true, entity };
  },
});

const announced = defineCheck({
  id: 'verify_cac',
  family: 'cac',
  summary: 'A company with its directors and shareholders, in brief (announced)',
  method: 'POST',
  path: '/v1/verify/cac',
  service: 'cac_verify',
  stage: 'in sandbox preview',
  input: cacInput,
  entity: z.object({
    rc_number: basic.shape.rc_number,
    company_name: basic.shape.company_name,
    incorporation_date: text.describe('YYYY-MM-DD'),
    directors,
    shareholders,
    status: basic.shape.status,
  }),
  priceKobo: 250_00,
  cachedPriceKobo: 100_00,
  needs: { all: { cac: tiers.advance } },
  entityIsRecord: false,
  subject: identifierOf,
  question: identifierOf,
  async run(input, lookup) {
    const answer = await lookup('cac', tiers.advance, identifierOf(input));
    if (!answer.found) return answer;
    const { rc_number, company_name, registration_date, directors, shareholders, status } = project(advance, answer.record);
    return { found: true, entity: { rc_number, company_name, incorporation_date: registration_date, directors, shareholders, status } };
  },
});

export const cacChecks = [
  cacTier('basic', {
    summary: 'Name, registration date, head office and status of a company, business name or incorporated trustees',
    input: cacInput,
    entity: basic,
    priceKobo: 120_00,
    cachedPriceKobo: 48_00,
  }),
  cacTier('advance', {
    summary: 'Basic data plus share capital, directors, shareholders, beneficial owners, secretary, proprietors and trustees',
    input: advanceInput,
    instead: { input: 'screen', check: SCREENED },
    entity: advance,
    priceKobo: 250_00,
    cachedPriceKobo: 100_00,
  }),
  screened,
  announced,
];
