/**
 * National identity number: basic, slip, advance and premium tiers of one registry record. Member names are the specification's. For the tiers that
 * it leaves open, they are the names that the same vendor family publishes (snake case).
 */
import { z } from 'zod';
import { defineCheck, project } from './check.ts';
import { elevenDigits } from './inputs.ts';

const ninInput = z.object({ nin: elevenDigits('National identity number') });

/** How much of the record a tier includes. A cached record of a higher tier answers a lower one. */
const tiers = { basic: 1, slip: 2, advance: 3, premium: 4 } as const;

const text = z.string();

const basic = z.object({
  nin: text.describe('11-digit NIN'),
  firstname: text,
  surname: text,
  middlename: text,
  gender: text.describe('MALE or FEMALE'),
  birthdate: text.describe('YYYY-MM-DD'),
  telephoneno: text,
});

const slip = z.object({
  nin: text,
  tracking_id: text,
  surname: text,
  firstname: text,
  middlename: text,
  gender: text,
  birthdate: text,
  telephoneno: text,
  residence_address_line_1: text,
  residence_lga: text,
  residence_state: text,
  photo: text.describe('Portrait, base64'),
});

const advance = z.object({
  nin: text,
  tracking_id: text.describe('Tracking identifier of the record'),
  firstname: text,
  surname: text,
  middlename: text,
  gender: text,
  birthdate: text,
  telephoneno: text,
  photo: text.describe('Portrait, base64'),
  signature: text.describe('Signature image as a base64 data URI (image/png)'),
  residence_state: text,
  residence_lga: text,
  residence_address_line_1: text,
  origin_state: text.describe('State of origin'),
  nok_firstname: text.describe('Next of kin'),
  nok_lastname: text,
});

const premium = advance.extend({
  title: text,
  religion: text,
  profession: text,
  email: text,
  marital_status: text,
  employment_status: text,
  educational_level: text,
  height: text,
  maiden_name: text,
  birth_country: text,
  birth_state: text,
  birth_lga: text,
  origin_lga: text,
  origin_place: text,
  residence_town: text,
  residence_status: text,
  residence_address_line_2: text,
  nspoken_lang: text,
  ospoken_lang: text,
  central_id: text,
  nok_middlename: text,
  nok_address_line_1: text,
  nok_town: text,
  nok_lga: text,
  nok_state: text,
});

interface NinTier<Entity extends z.ZodObject> {
  tier: keyof typeof tiers;
  path: string;
  summary: string;
  entity: Entity;
  images: readonly (keyof z.infer<Entity> & string)[];
  priceKobo: number;
}

function ninTier<Entity extends z.ZodObject>({ tier, path, summary, entity, images, priceKobo }: NinTier<Entity>) {
  return defineCheck({
    id: `nin_${tier}`,
    family: 'nin',
    summary,
    path,
    input: ninInput,
    entity,
    images,
    priceKobo,
    cachedPriceKobo: 50_00,
    needs: { all: { nin: tiers[tier] } },
    entityIsRecord: true,
    subject: (input) => input.nin,
    async run(input, lookup) {
      const answer = await lookup('nin', tiers[tier], input.nin);
      return answer.found ? { found: true, entity: project(entity, answer.record) } : answer;
    },
  });
}

export const ninChecks = [
  ninTier({
    tier: 'basic',
    path: '/api/v1/kyc/nin',
    summary: 'Full name, gender, phone number, date of birth of a NIN',
    entity: basic,
    images: [],
    priceKobo: 125_00,
  }),
  ninTier({
    tier: 'advance',
    path: '/api/v1/kyc/nin/advance',
    summary: 'Basic data plus address, state of origin, next of kin, portrait',
    entity: advance,
    images: ['photo', 'signature'],
    priceKobo: 125_00,
  }),
  ninTier({
    tier: 'premium',
    path: '/api/v1/kyc/nin/premium',
    summary: 'Advance data plus religion, profession and the rest of the record',
    entity: premium,
    images: ['photo', 'signature'],
    priceKobo: 150_00,
  }),
  ninTier({
    tier: 'slip',
    path: '/api/v1/kyc/nin/nin_slip',
    summary: 'The data printed on an identity slip, with the tracking id',
    entity: slip,
    images: ['photo'],
    priceKobo: 125_00,
  }),
];
