/** Screens a person or an organization against sanctions, politically exposed persons, police notices and adverse media, through a provider of kind `aml`. */
import { z } from 'zod';
import { type EntryType, entryTypes, plainRegistration } from '../engines/aml/list.ts';
import { tokenize } from '../engines/aml/match/tokens.ts';
import { LIST_ID, subjectType, THRESHOLD_DEFAULT, THRESHOLD_MIN } from '../engines/aml/request.ts';
import { foldName } from '../names/fold.ts';
import { defineCheck, type Monitored } from './check.ts';
import { oneOfChoices, optionalBirthDate, optionalFlag, optionalText, requiredText } from './inputs.ts';
import { type ScreeningEntity, screeningEntity, tellHits, tellLists } from './screening.ts';

/** ISO 3166-1 alpha-2, as assigned (2024). */
export const COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL ' +
    'CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU ' +
    'GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC ' +
    'MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT ' +
    'PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA ' +
    'UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

const COUNTRY = 'must be a country code of two letters (ISO 3166-1 alpha-2)';
/** An older age is an error. */
const AGE_MAX_YEARS = 130;

export const NAME_LENGTH_MAX = 200;

const NUMBER_LENGTH_MAX = 40;

const fields = z.object({
  name: requiredText(NAME_LENGTH_MAX)
    .refine((name) => /\p{L}/u.test(name), { error: 'must contain a letter', abort: true })
    .refine((name) => (name.match(/\p{L}/gu) ?? []).length > 1 || /\p{Script=Han}/u.test(name), 'must contain more than one letter')
    .refine((name) => !/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(name), 'must not contain control characters')
    // Cuneiform, lone hamzas: a name that cannot be compared with any other must not come out as "clear".
    .refine(
      (name) => /[a-z]/i.test(name) || tokenize(name.slice(0, NAME_LENGTH_MAX)).length > 0,
      'must contain letters that can be compared',
    )
    .describe('Full name of a person, or name of an organization, in any script'),
  type: oneOfChoices(
    entryTypes,
    optionalText
      .transform((text) => types[text?.toLowerCase() ?? ''] ?? text)
      .refine((type) => type === undefined || (entryTypes as readonly string[]).includes(type), 'must be person or organization')
      .describe(
        'person or organization. Without it, a date of birth or a gender means a person, a registration number an organization, and otherwise both are searched',
      ),
  ),
  date_of_birth: optionalBirthDate.refine(
    (date) => date === undefined || Number(date.slice(0, 4)) > new Date().getUTCFullYear() - AGE_MAX_YEARS,
    `must not be more than ${AGE_MAX_YEARS} years ago`,
  ),
  country: optionalText
    .transform((text) => text?.toUpperCase())
    .refine((country) => country === undefined || COUNTRIES.has(country), COUNTRY)
    .describe('Country of nationality or residence, or of registration: ISO 3166-1 alpha-2, such as NG'),
  gender: oneOfChoices(
    ['male', 'female'],
    optionalText
      .transform((text) => genders[text?.toLowerCase() ?? ''] ?? text)
      .refine((gender) => gender === undefined || gender === 'male' || gender === 'female', 'must be male or female')
      .describe('male or female'),
  ),
  registration_number: optionalText
    .refine(
      (number) => number === undefined || (number.length <= NUMBER_LENGTH_MAX && /\d/.test(number)),
      `must have a digit and at most ${NUMBER_LENGTH_MAX} characters`,
    )
    .describe('Registration or tax number of an organization'),
  threshold: z
    .union([z.number(), z.string().trim().max(20)], 'must be a number from 0.5 to 1')
    .optional()
    .transform((value) =>
      value === undefined || value === ''
        ? undefined
        : String(Number(value) > 1 ? Math.round(Number(value) * 100) / 10_000 : Number(value)),
    )
    .refine(
      (text) => text === undefined || (Number(text) >= THRESHOLD_MIN && Number(text) <= 1),
      `must be ${THRESHOLD_MIN} to 1, or ${THRESHOLD_MIN * 100} to 100 as a percentage`,
    )
    .describe(`Score that a hit needs, ${THRESHOLD_MIN} to 1 (or 50 to 100); default ${THRESHOLD_DEFAULT}, or the app's own`),
  lists: z
    .union([z.array(z.string()), z.string().transform((text) => text.split(','))], 'must be a list of list ids')
    .optional()
    .transform((ids) => [...new Set(ids?.map((id) => id.trim()).filter(Boolean))].sort().join(',') || undefined)
    .refine((ids) => ids === undefined || ids.split(',').every((id) => LIST_ID.test(id)), 'must be a list of list ids, such as un_sc')
    .describe('Lists to screen against, separated by commas; default: all loaded lists, or those of the app'),
  monitor: oneOfChoices(
    ['true', 'false'],
    optionalFlag.describe('true: the person or organization is monitored, and new hits are reported as `aml.monitor.hit`'),
  ),
});

/** Inputs for persons only, and for organizations only. */
const belongings: Record<EntryType, readonly ('date_of_birth' | 'gender' | 'registration_number')[]> = {
  person: ['date_of_birth', 'gender'],
  organization: ['registration_number'],
};

/** A screening's input. */
export const screeningInput = fields.superRefine((sent, context) => {
  const isPerson = sent.type === 'person' || (sent.type === undefined && belongings.person.some((field) => sent[field] !== undefined));
  if (!isPerson && sent.type === undefined) return;
  const message = `must be empty for ${isPerson ? 'a person' : 'an organization'}`;
  for (const path of belongings[isPerson ? 'organization' : 'person'])
    if (sent[path] !== undefined) context.addIssue({ code: 'custom', path: [path], message });
});

const types: Record<string, EntryType> = {
  person: 'person',
  individual: 'person',
  'natural person': 'person',
  organization: 'organization',
  organisation: 'organization',
  company: 'organization',
  business: 'organization',
  corporate: 'organization',
  entity: 'organization',
  'legal entity': 'organization',
};

const genders: Record<string, string> = { m: 'male', f: 'female', male: 'male', female: 'female' };

type Screened = Record<string, string | undefined>;

/** Identifies a person, however the name is written and in whatever order. */
export const personOf = ({ name = '', date_of_birth = '', country = '' }: Screened): string =>
  `${country}:${date_of_birth}:${foldName(name).words.toSorted().join(' ')}`;

/** An organization is told apart from a person of its name, and by its number from other organizations of its name. */
const organizationOf = (screened: Screened): string =>
  `organization:${plainRegistration(screened.registration_number ?? '')}:${personOf(screened)}`;

const subjectOf = (screened: Screened): string =>
  subjectType(screened) === 'organization' ? organizationOf(screened) : personOf(screened);

/** Every subject under which these details may have been screened. A business is often named after its owner. */
export const screenedAs = (person: Screened): string[] => [personOf(person), organizationOf(person)];

/**
 * Subjects whose clearances count. Earlier releases cleared an organization as if it were a person of its name: as that does not say which organization is meant,
 * it does not count for one with a number.
 */
export const clearedAs = (screened: Screened): string[] =>
  subjectType(screened) === 'organization' && !screened.registration_number
    ? [subjectOf(screened), personOf(screened)]
    : [subjectOf(screened)];

/** The engine compares these words in this order. Clearances are found by the subject, so the question includes it as well. */
const questionOf = (person: z.infer<typeof screeningInput>): string => {
  const { name, type, gender, registration_number, threshold, lists, monitor } = person;
  const words = tokenize(name).map(({ text, flags }) => `${text} ${flags}`);
  // An organization's name is kept as written: brackets and points separate its words.
  const isPerson = type === 'person' || gender !== undefined || person.date_of_birth !== undefined;
  return JSON.stringify([
    personOf(person),
    words,
    gender,
    threshold,
    lists,
    monitor === 'true',
    type,
    registration_number,
    isPerson ? '' : name,
  ]);
};

/** Empty if the answer leaves hits out. */
const shownBy = ({ hits, total_hits, screening }: ScreeningEntity): Monitored['shown'] =>
  hits.length < total_hits ? {} : Object.fromEntries(screening.lists.map(({ list, version }) => [list, version]));

export const amlChecks = [
  defineCheck({
    id: 'aml_screening',
    family: 'aml',
    method: 'POST',
    summary: 'A person or an organization: sanctions, politically exposed persons, police notices and adverse media',
    path: '/api/v1/aml/screening',
    input: screeningInput,
    entity: screeningEntity,
    cells: { hits: tellHits, 'screening.lists': tellLists },
    priceKobo: 120_00,
    cachedPriceKobo: 120_00,
    cacheable: false,
    flag: { when: 'a hit that nobody has cleared', isSet: ({ risk_score }) => risk_score > 0 },
    needs: { all: { aml: 1 } },
    entityIsRecord: false,
    subject: subjectOf,
    question: questionOf,
    async run(person, lookup) {
      const answer = await lookup('aml', 1, JSON.stringify(person));
      if (!answer.found) return answer;
      const entity = answer.record as ScreeningEntity;
      return person.monitor === 'true'
        ? { found: true, entity, monitor: { input: person, shown: shownBy(entity) } }
        : { found: true, entity };
    },
  }),
];
