/**
 * A program: writes `src/names/given-names.ts` and its licence from the given names of Faker's locales, which were not collected for this project. Names
 * that `known-names.ts` has with a gender are left out.
 *
 *   npm pack @faker-js/faker && tar xzf faker-js-faker-*.tgz && node --import tsx bench/aml/given-names.ts package
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import anyAscii from 'any-ascii';
import { fold } from '../../src/engines/aml/match/fold.ts';
import { KNOWN_NAMES } from '../../src/names/known-names.ts';
import { wrapped } from './wrapped.ts';

/** Without locales whose names are not in Latin letters, and Esperanto and Vietnamese, whose given names are words and syllables. */
const LOCALES =
  'af_ZA az cs_CZ da de de_AT de_CH en en_AU en_GH en_IN en_NG en_ZA es es_MX fi fr fr_BE fr_CH fr_SN hr hu id_ID it ku_kmr_latin lv nb_NO nl nl_BE pl pt_BR pt_PT ro ro_MD sk sl_SI sr_RS_latin sv tr uz_UZ_latin yo_NG zu_ZA'.split(
    ' ',
  );
const NIGERIAN = new Set(['en_NG', 'yo_NG']);
/** Their genders are wrong in places (`Aminu` stands among the women's names). */
const UNGENDERED = new Set(['en_NG']);
/** Shorter ones stand in several languages, and as spellings of other names. */
const LENGTH_MIN = 5;

interface Locale {
  person: { first_name: Partial<Record<'male' | 'female' | 'generic', readonly string[]>> };
}
const { allLocales } = (await import(pathToFileURL(join(resolve(process.argv[2]!), 'dist/index.js')).href)) as {
  allLocales: Record<string, Locale>;
};

const isGendered = new Set([...KNOWN_NAMES.matchAll(/([a-z]+)N?[MF]/g)].map(([, name]) => fold(name!)));

const names = new Map<string, { spelling: string; genders: Set<string>; isNigerian: boolean }>();
for (const locale of LOCALES)
  for (const [kind, list] of Object.entries(allLocales[locale]!.person.first_name))
    for (const name of list ?? []) {
      const spelling = anyAscii(name).toLowerCase().replace(/['`]/g, '');
      const key = fold(spelling);
      if (!/^[a-z]+$/.test(spelling) || key.length < LENGTH_MIN || isGendered.has(key)) continue;
      const known = names.get(key) ?? { spelling, genders: new Set<string>(), isNigerian: false };
      known.genders.add(UNGENDERED.has(locale) ? 'generic' : kind);
      known.isNigerian ||= NIGERIAN.has(locale);
      names.set(key, known);
    }

const entries = [...names.values()]
  .map(({ spelling, genders, isNigerian }) => {
    const [gender] = genders;
    return `${spelling}${isNigerian ? 'N' : ''}${genders.size > 1 || gender === 'generic' ? '' : gender === 'male' ? 'M' : 'F'}`;
  })
  .sort();
const lines = wrapped(entries);
const folder = new URL('../../src/names/', import.meta.url);
writeFileSync(
  new URL('given-names.ts', folder),
  `/**
 * Given names of Faker's locales (MIT, \`given-names-licence.txt\`), one spelling each, but for those whose gender \`known-names.ts\` has. How many people
 * bear them is not known. N: Nigerian. M, F: of men, of women. Written by \`bench/aml/given-names.ts\`.
 */
export const GIVEN_NAMES = \`
${lines.join('\n')}
\`;
`,
);
copyFileSync(join(resolve(process.argv[2]!), 'LICENSE'), new URL('given-names-licence.txt', folder));
console.log(`${entries.length} names, ${lines.length} lines`);
