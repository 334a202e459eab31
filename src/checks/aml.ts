/** Screening of a person against sanctions, politically exposed persons, police notices and adverse media; by a provider of kind `aml`. */
import { z } from 'zod';
import { defineCheck } from './check.ts';
import { birthDate, requiredText } from './inputs.ts';
import { foldName } from './names/fold.ts';

/** ISO 3166-1 alpha-2, as assigned (2024). */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL ' +
    'CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU ' +
    'GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC ' +
    'MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT ' +
    'PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA ' +
    'UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

const input = z.object({
  name: requiredText(200)
    .refine((name) => /\p{L}/u.test(name), 'must have a letter')
    .describe('Full name'),
  date_of_birth: birthDate,
  country: requiredText(10)
    .transform((text) => text.toUpperCase())
    .refine((country) => COUNTRIES.has(country), 'must be a country code of two letters (ISO 3166-1 alpha-2)')
    .describe('ISO 3166-1 alpha-2, such as NG'),
});

const entity = z.object({
  risk_level: z.string().describe('LOW, MEDIUM or HIGH'),
  pep_detected: z.boolean(),
  sanctions_match: z.boolean(),
  total_hits: z.int().describe('Over all lists'),
  screened_at: z.string().describe('ISO 8601, UTC, with milliseconds'),
});

/** Who is screened, however the name is written. */
const personOf = ({ name, date_of_birth, country }: z.infer<typeof input>): string =>
  `${country}:${date_of_birth}:${foldName(name).words.join(' ')}`;

export const amlChecks = [
  defineCheck({
    id: 'aml_screening',
    family: 'aml',
    method: 'POST',
    summary: 'Sanctions, politically exposed persons, police notices and adverse media',
    path: '/api/v1/aml/screening',
    input,
    entity,
    priceKobo: 120_00,
    cachedPriceKobo: 48_00,
    needs: { all: { aml: 1 } },
    entityIsRecord: true,
    subject: personOf,
    async run(person, lookup) {
      const answer = await lookup('aml', 1, personOf(person));
      return answer.found ? { found: true, entity: entity.parse(answer.record) } : answer;
    },
  }),
];
