/** Reads country names as publishers write them and returns ISO 3166-1 alpha-2 codes. */
import isoCountries from 'i18n-iso-countries';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

/** Spellings that publishers use and `i18n-iso-countries` does not know. Keys are in the form that `plain` returns. */
const ALIASES: Record<string, string> = {
  'bosnia herzegovina': 'BA',
  britain: 'GB',
  burma: 'MM',
  'cabo verde': 'CV',
  congo: 'CG',
  'congo brazzaville': 'CG',
  'congo democratic republic': 'CD',
  'congo kinshasa': 'CD',
  'cote d ivoire': 'CI',
  'czech republic': 'CZ',
  'democratic people s republic of korea': 'KP',
  dprk: 'KP',
  drc: 'CD',
  gaza: 'PS',
  'great britain': 'GB',
  'ivory coast': 'CI',
  'korea north': 'KP',
  'korea south': 'KR',
  'lao pdr': 'LA',
  macau: 'MO',
  macedonia: 'MK',
  moldova: 'MD',
  'north korea': 'KP',
  'occupied palestinian territory': 'PS',
  palestinian: 'PS',
  'palestinian territories': 'PS',
  'region gaza': 'PS',
  'republic of moldova': 'MD',
  russian: 'RU',
  'south korea': 'KR',
  swaziland: 'SZ',
  syria: 'SY',
  turkiye: 'TR',
  uae: 'AE',
  uk: 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  usa: 'US',
  'viet nam': 'VN',
  'west bank': 'PS',
};

const CODES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(english.countries).flatMap(([code, names]) => [names].flat().map((name) => [plain(name), code] as const)),
  ...Object.entries(ALIASES),
]);

/** Longer text cannot be a country name. */
const LENGTH_MAX = 200;

/** `NG` for `ng`, `NGA`, `Nigeria`, `NIGERIA (Federal Republic of)`, `Nigeria, Federal Republic of`. Null if the text names no country. */
export function countryCode(text: string): string | null {
  if (text.length > LENGTH_MAX) return null;
  const upper = text.trim().toUpperCase();
  if (/^[A-Z]{2}$/.test(upper) && isoCountries.isValid(upper)) return upper;
  const alpha3 = /^[A-Z]{3}$/.test(upper) ? isoCountries.alpha3ToAlpha2(upper) : undefined;
  if (alpha3) return alpha3;
  const [name, form] = text.split(/,(.*)/s);
  const readings = [text, `${form ?? ''} ${name}`, text.replace(/\([^()]*\)/g, ' ')];
  for (const reading of readings) {
    const code = CODES.get(plain(reading));
    if (code !== undefined) return code;
  }
  return null;
}

/** Lower case, no diacritics, single spaces. Drops a leading `the`, and `possibly`, with which OFAC marks its own guesses. */
function plain(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return words.replace(/^(?:possibly )?(?:the )?/, '');
}
