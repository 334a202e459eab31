/** Bank verification number: match of supplied fields, full and advance tiers of one registry record. */
import { z } from 'zod';
import { compareGivenNames, compareSurnames, type NameMatch } from '../names/compare.ts';
import { foldName } from '../names/fold.ts';
import { defineCheck, project } from './check.ts';
import { elevenDigits, optionalBirthDate, optionalText } from './inputs.ts';
import { localPhone, normalizePhone, optionalMobileNumber } from './phone.ts';

const bvn = elevenDigits('Bank verification number');
const bvnInput = z.object({ bvn });

const matchInput = z.object({
  bvn,
  first_name: optionalText,
  middle_name: optionalText,
  last_name: optionalText,
  dob: optionalBirthDate,
  phone_number: optionalMobileNumber,
});

/** A cached record of a higher tier answers a lower one. Matching needs the names and date of birth of the full record. */
const tiers = { full: 1, advance: 2 } as const;

const text = z.string();
const nameMatch = z.object({
  value: text.describe('As supplied'),
  status: z.boolean(),
  confidence_value: z.number().describe('0 to 100; a match has at least 80; 100 means the same letters'),
});
const valueMatch = z.object({ value: text, status: z.boolean() });

const match = z.object({
  bvn: valueMatch,
  first_name: nameMatch.optional(),
  middle_name: nameMatch.optional(),
  last_name: nameMatch.optional(),
  date_of_birth: valueMatch.optional(),
  phone_number: valueMatch.optional(),
});

const full = z.object({
  bvn: text.describe('11-digit BVN'),
  first_name: text,
  last_name: text,
  middle_name: text,
  date_of_birth: text.describe('YYYY-MM-DD'),
  phone_number1: text,
  gender: text.describe('Male or Female'),
  enrollment_bank: text.describe('Bank code'),
  enrollment_branch: text,
  level_of_account: text,
});

const advance = full.extend({
  phone_number2: text,
  title: text,
  email: text,
  marital_status: text,
  nationality: text,
  nin: text,
  name_on_card: text,
  registration_date: text.describe('YYYY-MM-DD'),
  residential_address: text,
  state_of_origin: text,
  lga_of_origin: text,
  state_of_residence: text,
  lga_of_residence: text,
  watch_listed: text.describe('YES or NO'),
  image: text.describe('Portrait, base64'),
});

const matchCheck = defineCheck({
  id: 'bvn_match',
  family: 'bvn',
  summary: 'Do the supplied names, date of birth and phone number match the BVN record?',
  path: '/api/v1/kyc/bvn',
  input: matchInput,
  entity: match,
  flag: { when: 'a detail that does not match', isSet: (entity) => Object.values(entity).some((compared) => compared?.status === false) },
  priceKobo: 95_00,
  cachedPriceKobo: 38_00,
  needs: { all: { bvn: tiers.full } },
  entityIsRecord: false,
  subject: (input) => input.bvn,
  // Names are compared by these words alone, and their order counts.
  question: ({ bvn, first_name, middle_name, last_name, dob, phone_number }) =>
    JSON.stringify([bvn, ...[first_name, middle_name, last_name].map((name) => name && foldName(name).words.join(' ')), dob, phone_number]),
  async run(input, lookup) {
    const answer = await lookup('bvn', tiers.full, input.bvn);
    if (!answer.found) return answer;
    const record = project(full, answer.record);
    const { first_name: first, middle_name: middle, last_name: last } = input;
    const judged = (value: string, match: NameMatch) => ({ value, ...match });
    return {
      found: true,
      entity: {
        bvn: { value: input.bvn, status: true },
        ...(first && { first_name: judged(first, compareGivenNames(first, record.first_name, record.middle_name)) }),
        ...(middle && { middle_name: judged(middle, compareGivenNames(middle, record.middle_name, record.first_name)) }),
        ...(last && { last_name: judged(last, compareSurnames(last, record.last_name)) }),
        ...(input.dob && { date_of_birth: { value: input.dob, status: input.dob === record.date_of_birth } }),
        ...(input.phone_number && {
          phone_number: { value: localPhone(input.phone_number), status: input.phone_number === normalizePhone(record.phone_number1) },
        }),
      },
    };
  },
});

function bvnTier<Entity extends z.ZodObject>(
  tier: keyof typeof tiers,
  declaration: {
    service?: string;
    summary: string;
    entity: Entity;
    images: (keyof z.infer<Entity> & string)[];
    flag?: { when: string; isSet(entity: z.infer<Entity>): boolean };
    priceKobo: number;
  },
) {
  return defineCheck({
    id: `bvn_${tier}`,
    family: 'bvn',
    path: `/api/v1/kyc/bvn/${tier}`,
    input: bvnInput,
    cachedPriceKobo: 38_00,
    needs: { all: { bvn: tiers[tier] } },
    entityIsRecord: true,
    subject: (input) => input.bvn,
    async run(input, lookup) {
      const answer = await lookup('bvn', tiers[tier], input.bvn);
      return answer.found ? { found: true, entity: project(declaration.entity, answer.record) } : answer;
    },
    ...declaration,
  });
}

export const bvnChecks = [
  matchCheck,
  // In published answers, `meta.service` of this tier is `bvn`.
  bvnTier('full', {
    service: 'bvn',
    summary: 'Names, phone number, gender, date of birth, enrolment',
    entity: full,
    images: [],
    priceKobo: 95_00,
  }),
  bvnTier('advance', {
    summary: 'Full data plus address, origin, linked NIN, watch list and portrait',
    entity: advance,
    images: ['image'],
    flag: { when: 'a BVN on the watch list', isSet: ({ watch_listed }) => watch_listed === 'YES' },
    priceKobo: 125_00,
  }),
];
