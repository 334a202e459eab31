/**
 * Invented names of Nigerian companies, business names and incorporated trustees, built as people register them. Most of its words are not in the matcher's
 * tables (`src/names/company-words.ts`), which were written without it.
 */
import { GROUPS, type GroupName, MUSLIM } from '../../src/names/nigerian-names.ts';

const words = (text: string): readonly string[] => text.split(', ');

const VIRTUES = words(
  'Divine Favour, God’s Grace, El-Shaddai, Glory Land, Royal Diamond, Golden Eagle, Blessed Hands, Rock of Ages, Jehovah Jireh, Mercy Seat, Victory Gate, ' +
    'Faithful Hearts, Shalom, Bethel, Canaan Land, Morning Star, Silver Lining, Crystal Clear, Emerald Coast, New Dawn, Sunrise, Goodwill, Unity, Progress, ' +
    'Peace and Love, Amazing Grace, Higher Ground, Living Spring, Zion Gate, Ebenezer, Phoenix, Titan, Falcon, Pyramid, Horizon, Liberty, Pioneer, Pacific',
);
const NORTHERN = words(
  'Al-Amin, Alheri, Al-Barka, Nagarta, Baitul Hikma, An-Nur, Al-Falah, Sahel, Arewa, Zumunci, Gaskiya, Al-Ikhlas, Darul Salam, Taqwa, Al-Hidaya, Rahama, ' +
    'Ihsan, Jama’a, Al-Noor, Salama, Albarka Sabo, Amana, Al-Rahman, Al-Madinah, Barewa, Kwararafa, Al-Manar, Iqra, Dan Hausa, Zam Zam',
);
const SYLLABLES = words(
  'zen, tra, vo, lux, kem, dor, pha, nex, ori, bel, qua, ter, syn, mar, gol, fin, ax, tek, ven, cor, sol, bri, dex, oma, lin, ra',
);
const SECTORS = words(
  'Oil and Gas, Agro Allied, Farms, Construction, Engineering, Logistics, Shipping Lines, Properties, Foods, Beverages, Pharmaceuticals, Microfinance Bank, ' +
    'Travels and Tours, Motors, Telecoms, Petroleum, Marine Services, Integrated Services, Technologies, Energy, Steel, Textile Mills, Haulage, Security ' +
    'Services, Consulting, Insurance Brokers, Investments, Trading, Multi Resources, Hotels and Suites, Schools, Printing Press, Solar Solutions, Bureau de Change',
);
const ENDINGS = words(
  'Limited, Ltd, Nigeria Limited, Nig Ltd, Nigeria Enterprises, Global Ventures, International Limited, Group Limited, Company Limited, Plc, Global Concept, Resources Limited',
);
const BODIES = words(
  'Islamic Foundation, Welfare Association, Development Initiative, Relief Foundation, Youth Forum, Education Trust, Charity Organisation, Muslim Society',
);
const TOWNS = words(
  'Kano, Ibadan, Onitsha, Aba, Kaduna, Benin, Jos, Warri, Maiduguri, Sokoto, Enugu, Abeokuta, Calabar, Lokoja, Makurdi, Gombe',
);

/** `Ada & Sons`, coined words, initials, virtues, names of the Muslim north, associations. */
export const FORMS = ['family names', 'coined words', 'initials', 'virtues and faith', 'Muslim north', 'trustees'] as const;

/** The same names for the same seed, all different. */
export function inventCompanies(form: (typeof FORMS)[number], count: number, seed: number): string[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const group = () => GROUPS[pick(Object.keys(GROUPS)) as GroupName];
  const coined = () => capital(Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(SYLLABLES)).join(''));
  const letters = (length: number) => Array.from({ length }, () => String.fromCharCode(65 + Math.floor(random() * 26)));
  const tail = () => (random() < 0.75 ? `${pick(SECTORS)} ${pick(ENDINGS)}` : pick(ENDINGS));
  const make = (): string => {
    switch (form) {
      case 'family names': {
        const family = pick(group().surnames);
        return random() < 0.5 ? `${family} and Sons ${tail()}` : `${pick(group().male)} ${family} ${tail()}`;
      }
      case 'coined words':
        return `${coined()} ${tail()}`;
      case 'initials': {
        const of = letters(2 + Math.floor(random() * 3));
        return `${random() < 0.5 ? of.join('') : of.map((letter) => `${letter}.`).join('')} ${tail()}`;
      }
      case 'virtues and faith':
        return `${pick(VIRTUES)} ${random() < 0.3 ? `${pick(VIRTUES)} ` : ''}${tail()}`;
      case 'Muslim north':
        return `${random() < 0.5 ? pick(NORTHERN) : `${pick(MUSLIM.male)} ${pick(GROUPS.hausa.surnames)}`} ${tail()}`;
      case 'trustees':
        return `Incorporated Trustees of ${pick([pick(NORTHERN), pick(VIRTUES), pick(TOWNS), pick(group().surnames)])} ${pick(TOWNS)} ${pick(BODIES)}`;
    }
  };
  const names = new Set<string>();
  while (names.size < count) names.add(make().toUpperCase());
  return [...names];
}
